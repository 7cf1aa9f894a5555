// Gamma, and what is made of it: beta numbers and Dirichlet vectors.
import type { Tensor } from "../types/index.ts";
import { checkConstraint, positive, positiveVector, simplex, unitInterval } from "./constraints.ts";
import { CustomFunction, type FunctionContext } from "../autograd/function.ts";
import { native } from "../engine/native.ts";
import { finfo } from "../tensor/dtype_info.ts";
import { makeOperator, special, torchFunctions } from "../tensor/operators.ts";
import { Distribution } from "./distribution.ts";
import {
  broadcastParameters,
  checkFloats,
  type DistributionOptions,
  type Parameter,
  readValidateArgs,
} from "./parameters.ts";

const standardGamma = makeOperator("_standard_gamma") as (concentration: Tensor) => Tensor;
const sampleDirichlet = makeOperator("_sample_dirichlet") as (concentration: Tensor) => Tensor;
const dirichletGrad = makeOperator("_dirichlet_grad") as (
  x: Tensor,
  concentration: Tensor,
  total: Tensor,
) => Tensor;

/** The sum of `concentration` times of exponential numbers of this rate, where the concentration is whole. */
export class Gamma extends Distribution {
  readonly concentration: Tensor;
  readonly rate: Tensor;

  constructor(concentration: Parameter, rate: Parameter, options?: DistributionOptions) {
    const call = "new distributions.Gamma";
    const validateArgs = readValidateArgs(call, options);
    const { concentration: shapeOf, rate: rateOf } = broadcastParameters(
      call,
      { concentration, rate },
      { concentration: positive, rate: positive },
      validateArgs,
    );
    const draw = (shape: readonly number[]) => {
      const value = standardGamma(shapeOf.expand(shape)).div(rateOf.expand(shape));
      // 0 has no logarithm.
      value.detach().clampMin_(finfo(value.dtype).tiny);
      return value;
    };
    const law = {
      batchShape: native.shape(shapeOf),
      eventShape: [],
      support: positive,
      sample: draw,
      rsample: draw,
      logProb: (value: Tensor) =>
        special
          .xlogy(shapeOf, rateOf)
          .add(special.xlogy(shapeOf.sub(1), value))
          .sub(rateOf.mul(value))
          .sub(shapeOf.lgamma()),
      cdf: (value: Tensor) => special.gammainc(shapeOf, rateOf.mul(value)),
      entropy: () =>
        shapeOf.sub(rateOf.log()).add(shapeOf.lgamma()).add(shapeOf.neg().add(1).mul(shapeOf.digamma())),
      mean: () => shapeOf.div(rateOf),
      mode: () => shapeOf.sub(1).div(rateOf).clampMin(0),
      variance: () => shapeOf.div(rateOf.square()),
    };
    super(law, validateArgs);
    this.concentration = shapeOf;
    this.rate = rateOf;
  }
}

/** The derivative of a sample by its concentration: PyTorch writes it in Python too. */
class DirichletSample extends CustomFunction {
  static forward(ctx: FunctionContext, concentration: Tensor): Tensor {
    const sample = sampleDirichlet(concentration);
    ctx.saveForBackward(sample, concentration);
    return sample;
  }
  static backward(ctx: FunctionContext, grad: Tensor): Tensor {
    const [sample, concentration] = ctx.savedTensors as [Tensor, Tensor];
    const total = concentration.sum(-1, { keepdim: true }).expandAs(concentration);
    const bySample = dirichletGrad(sample, concentration, total);
    return bySample.mul(grad.sub(sample.mul(grad).sum(-1, { keepdim: true })));
  }
}

/** Formulas of vectors [..., n] of positive numbers with a sum of 1. */
function dirichletLaw(concentration: Tensor) {
  const total = concentration.sum(-1);
  const logNorm = () => concentration.lgamma().sum(-1).sub(total.lgamma());
  const draw = (shape: readonly number[]) =>
    DirichletSample.apply(concentration.expand(shape) as Tensor) as Tensor;
  return {
    sample: draw,
    rsample: draw,
    logProb: (value: Tensor) => special.xlogy(concentration.sub(1), value).sum(-1).sub(logNorm()),
    entropy: () =>
      logNorm()
        .sub(total.neg().add(concentration.size(-1)).mul(total.digamma()))
        .sub(concentration.sub(1).mul(concentration.digamma()).sum(-1)),
    mean: () => concentration.div(total.unsqueeze(-1)),
    variance: () => {
      const whole = total.unsqueeze(-1);
      return concentration.mul(whole.sub(concentration)).div(whole.square().mul(whole.add(1)));
    },
  };
}

/** Shares of a whole: vectors of positive numbers with a sum of 1. `concentration` is [..., n]. */
export class Dirichlet extends Distribution {
  readonly concentration: Tensor;

  constructor(concentration: Tensor, options?: DistributionOptions) {
    const call = "new distributions.Dirichlet";
    const validateArgs = readValidateArgs(call, options);
    const given = checkFloats(call, "concentration", concentration);
    if (native.dim(given) < 1)
      throw new RangeError(`${call}: concentration must have at least one dimension.`);
    if (validateArgs) checkConstraint(call, "concentration", given, positiveVector);
    const shape = native.shape(given);
    super(
      {
        ...dirichletLaw(given),
        batchShape: shape.slice(0, -1),
        eventShape: shape.slice(-1),
        support: simplex,
      },
      validateArgs,
    );
    this.concentration = given;
  }
}

/** A share from 0 to 1: the first of a Dirichlet vector of two. */
export class Beta extends Distribution {
  readonly concentration1: Tensor;
  readonly concentration0: Tensor;

  constructor(concentration1: Parameter, concentration0: Parameter, options?: DistributionOptions) {
    const call = "new distributions.Beta";
    const validateArgs = readValidateArgs(call, options);
    const read = broadcastParameters(
      call,
      { concentration1, concentration0 },
      { concentration1: positive, concentration0: positive },
      validateArgs,
    );
    const { concentration1: one, concentration0: zero } = read;
    const shares = dirichletLaw(torchFunctions.stack([one, zero], -1));
    const first = (vectors: Tensor) => vectors.select(-1, 0);
    const draw = (shape: readonly number[]) => first(shares.rsample([...shape, 2]));
    super(
      {
        batchShape: native.shape(one),
        eventShape: [],
        support: unitInterval,
        sample: draw,
        rsample: draw,
        logProb: (value: Tensor) => shares.logProb(torchFunctions.stack([value, value.neg().add(1)], -1)),
        entropy: shares.entropy,
        mean: () => first(shares.mean()),
        variance: () => first(shares.variance()),
      },
      validateArgs,
    );
    this.concentration1 = one;
    this.concentration0 = zero;
  }
}
