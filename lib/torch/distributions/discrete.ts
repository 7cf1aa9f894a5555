// Distributions of whole numbers: of 0 and 1, of one of several, and of how often each of several comes.
import type { Tensor } from "../types/index.ts";
import { checkInteger } from "../vocabulary/arguments.ts";
import { checkedLater, type OpenRules, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import { full } from "../tensor/creation.ts";
import { finfo } from "../tensor/dtype_info.ts";
import { special, torchFunctions } from "../tensor/operators.ts";
import {
  boolean,
  checkConstraint,
  countsOf,
  integersBelow,
  real,
  realVector,
  unitInterval,
  weights,
} from "./constraints.ts";
import { Distribution } from "./distribution.ts";
import {
  broadcastParameters,
  checkFloats,
  checkOneOf,
  type DistributionOptions,
  type Parameter,
  readValidateArgs,
  VALIDATE_ARGS,
} from "./parameters.ts";

export interface ProbsOrLogits<Value> extends DistributionOptions {
  /** Probabilities. Default: none; one of probs and logits must be given. */
  readonly probs?: Value;
  /** Their logits: what a layer gives without a softmax or sigmoid after it. Default: none. */
  readonly logits?: Value;
}

const RULES = {
  probs: checkedLater<Parameter | undefined>(undefined),
  logits: checkedLater<Parameter | undefined>(undefined),
  ...VALIDATE_ARGS,
} satisfies OpenRules<ProbsOrLogits<Parameter>>;

/** `(probs)`, `(probs, { validateArgs })`, `({ probs })` or `({ logits })` */
function readProbsOrLogits(
  call: string,
  first: Parameter | ProbsOrLogits<Parameter>,
  rest: DistributionOptions | undefined,
): { probs: Parameter | undefined; logits: Parameter | undefined; validateArgs: boolean } {
  if (typeof first === "number" || native.isTensor(first))
    return { probs: first, logits: undefined, validateArgs: readValidateArgs(call, rest) };
  const { probs, logits, validateArgs } = readOptions(call, first, RULES);
  checkOneOf(call, { probs, logits });
  return { probs, logits, validateArgs };
}

/** Away from 0 and 1 by the dtype's precision, where a logarithm is finite. */
function clamped(probs: Tensor): Tensor {
  const { eps } = finfo(probs.dtype);
  return probs.clamp(eps, 1 - eps);
}

/** 1 with probability `probs`, else 0. */
export class Bernoulli extends Distribution {
  readonly probs: Tensor;
  readonly logits: Tensor;

  constructor(probs: Parameter, options?: DistributionOptions);
  constructor(options: ProbsOrLogits<Parameter>);
  constructor(first: Parameter | ProbsOrLogits<Parameter>, rest?: DistributionOptions) {
    const call = "new distributions.Bernoulli";
    const given = readProbsOrLogits(call, first, rest);
    const { validateArgs } = given;
    let [probs, logits]: Tensor[] = [];
    if (given.probs !== undefined) {
      ({ probs } = broadcastParameters(call, { probs: given.probs }, { probs: unitInterval }, validateArgs));
      const inside = clamped(probs);
      logits = inside.log().sub(inside.neg().log1p());
    } else {
      ({ logits } = broadcastParameters(call, { logits: given.logits! }, { logits: real }, validateArgs));
      probs = logits.sigmoid();
    }
    const shape = native.shape(probs);
    const crossEntropy = (target: Tensor) => {
      const [scores, wanted] = torchFunctions.broadcastTensors([logits, target]);
      return torchFunctions.binaryCrossEntropyWithLogits(scores!, wanted!, null, null, 0);
    };
    const law = {
      batchShape: shape,
      eventShape: [],
      support: boolean,
      sample: (wanted: readonly number[]) => probs.expand(wanted).bernoulli(),
      logProb: (value: Tensor) => crossEntropy(value.to(logits.dtype)).neg(),
      entropy: () => crossEntropy(probs),
      mean: () => probs,
      mode: () => probs.ge(0.5).to(probs.dtype).where(probs.ne(0.5), NaN),
      variance: () => probs.mul(probs.neg().add(1)),
    };
    super(law, validateArgs);
    this.probs = probs;
    this.logits = logits;
  }
}

/** [..., n]: what both distributions over n classes know of their probabilities, which sum to 1 here. */
function classes(call: string, first: Tensor | ProbsOrLogits<Tensor>, rest: DistributionOptions | undefined) {
  const given = readProbsOrLogits(call, first, rest);
  const name = given.probs === undefined ? "logits" : "probs";
  const read = checkFloats(call, name, given[name]);
  if (native.dim(read) < 1) throw new RangeError(`${call}: ${name} must have at least one dimension.`);
  if (given.validateArgs) checkConstraint(call, name, read, name === "probs" ? weights : realVector);
  const [probs, logits] =
    name === "probs"
      ? [read.div(read.sum(-1, { keepdim: true })), undefined]
      : [read.softmax(-1), read.sub(read.logsumexp(-1, { keepdim: true }))];
  const shape = native.shape(probs);
  return {
    probs,
    logits: logits ?? clamped(probs).log(),
    batchShape: shape.slice(0, -1),
    count: shape.at(-1)!,
    validateArgs: given.validateArgs,
  };
}

/** How many samples: the elements of a shape. */
const elements = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** int64 of the shape [...sampleShape, ...batchShape], drawn as PyTorch draws them. */
function drawClasses(probs: Tensor, shape: readonly number[]): Tensor {
  const [count, rows] = [native.shape(probs).at(-1)!, elements(native.shape(probs).slice(0, -1))];
  const each = elements(shape) / Math.max(rows, 1);
  return probs.reshape([-1, count]).multinomial(each, true).t().reshape(shape);
}

function entropyOf(probs: Tensor, logits: Tensor): Tensor {
  return logits.clampMin(finfo(logits.dtype).min).mul(probs).sum(-1).neg();
}

/** One of n classes, as int64 from 0 to n - 1: `new Categorical(probs)` or `new Categorical({ logits })`, [..., n]. */
export class Categorical extends Distribution {
  readonly probs: Tensor;
  readonly logits: Tensor;

  constructor(probs: Tensor, options?: DistributionOptions);
  constructor(options: ProbsOrLogits<Tensor>);
  constructor(first: Tensor | ProbsOrLogits<Tensor>, rest?: DistributionOptions) {
    const known = classes("new distributions.Categorical", first, rest);
    const { probs, logits, batchShape, count } = known;
    const law = {
      batchShape,
      eventShape: [],
      support: integersBelow(count),
      sample: (shape: readonly number[]) => drawClasses(probs, shape),
      logProb: (value: Tensor) => {
        const index = value.long().unsqueeze(-1);
        const [rows, at] = torchFunctions.broadcastTensors([logits, index]);
        return rows!.gather(-1, at!.narrow(-1, 0, 1)).squeeze(-1);
      },
      entropy: () => entropyOf(probs, logits),
      mean: () => full(batchShape, NaN, { dtype: probs.dtype, device: probs.device }),
      mode: () => probs.argmax(-1),
      variance: () => full(batchShape, NaN, { dtype: probs.dtype, device: probs.device }),
    };
    super(law, known.validateArgs);
    this.probs = probs;
    this.logits = logits;
  }
}

/** How often each of n classes comes in `totalCount` draws: [..., n], whole numbers in the dtype of the parameters. */
export class Multinomial extends Distribution {
  readonly totalCount: number;
  readonly probs: Tensor;
  readonly logits: Tensor;

  constructor(totalCount: number, probs: Tensor, options?: DistributionOptions);
  constructor(totalCount: number, options: ProbsOrLogits<Tensor>);
  constructor(totalCount: number, first: Tensor | ProbsOrLogits<Tensor>, rest?: DistributionOptions) {
    const call = "new distributions.Multinomial";
    const total = checkInteger(call, "totalCount", totalCount, 0);
    const known = classes(call, first, rest);
    const { probs, logits, batchShape, count } = known;
    const law = {
      batchShape,
      eventShape: [count],
      support: countsOf(total),
      sample: (shape: readonly number[]) => {
        const draws = drawClasses(probs, [total, ...shape.slice(0, -1)]).movedim(0, -1);
        return torchFunctions
          .zeros(shape, { dtype: probs.dtype, device: probs.device })
          .scatterAdd(-1, draws, torchFunctions.onesLike(draws).to(probs.dtype));
      },
      logProb: (value: Tensor) => {
        // A class that never comes is no information where it did not come, and 0 * -Infinity would be NaN.
        const isIdle = value.eq(0).logicalAnd(logits.eq(-Infinity));
        const scores = logits.expandAs(isIdle).maskedFill(isIdle, 0).mul(value).sum(-1);
        return value.sum(-1).add(1).lgamma().sub(value.add(1).lgamma().sum(-1)).add(scores);
      },
      entropy: () => {
        // Entropy needs the mean of log(x!) for each class, whose count x is binomial.
        const { dtype, device } = probs;
        const x = torchFunctions
          .arange(1, total + 1, { dtype, device })
          .reshape([-1, ...native.shape(probs).map(() => 1)]);
        const rest = x.neg().add(total);
        const binomial = x
          .add(1)
          .lgamma()
          .add(rest.add(1).lgamma())
          .neg()
          .add(logFactorial(total))
          .add(special.xlogy(x, probs))
          .add(special.xlog1py(rest, probs.neg()));
        const expected = binomial.exp().mul(x.add(1).lgamma()).sum([0, -1]);
        return entropyOf(probs, logits).mul(total).sub(logFactorial(total)).add(expected);
      },
      mean: () => probs.mul(total),
      variance: () => probs.mul(probs.neg().add(1)).mul(total),
    };
    super(law, known.validateArgs);
    this.totalCount = total;
    this.probs = probs;
    this.logits = logits;
  }
}

function logFactorial(count: number): number {
  let sum = 0;
  for (let factor = 2; factor <= count; factor++) sum += Math.log(factor);
  return sum;
}
