// Distributions of one number whose samples come from a uniform or an exponential one.
import type { Tensor } from "../types/index.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { between, checkConstraint, nonNegative, positive, real } from "./constraints.ts";
import { Distribution } from "./distribution.ts";
import {
  broadcastParameters,
  type DistributionOptions,
  type Parameter,
  readValidateArgs,
} from "./parameters.ts";

/** All numbers from `low` to `high`, `high` excluded, are equally likely. */
export class Uniform extends Distribution {
  readonly low: Tensor;
  readonly high: Tensor;

  constructor(low: Parameter, high: Parameter, options?: DistributionOptions) {
    const call = "new distributions.Uniform";
    const validateArgs = readValidateArgs(call, options);
    const read = broadcastParameters(call, { low, high }, { low: real, high: real }, validateArgs);
    const range = read.high.sub(read.low);
    if (validateArgs) checkConstraint(call, "high - low", range, positive);
    const draw = (shape: readonly number[]) => {
      const { dtype, device } = read.low;
      return torchFunctions.rand(shape, { dtype, device }).mul(range).add(read.low);
    };
    const law = {
      batchShape: native.shape(range),
      eventShape: [],
      support: between(read.low, read.high),
      sample: draw,
      rsample: draw,
      logProb: (value: Tensor) => {
        const isWithin = read.low.le(value).logicalAnd(read.high.gt(value));
        return isWithin.to(range.dtype).log().sub(range.log());
      },
      cdf: (value: Tensor) => value.sub(read.low).div(range).clamp(0, 1),
      icdf: (probability: Tensor) => probability.mul(range).add(read.low),
      entropy: () => range.log(),
      mean: () => read.high.add(read.low).div(2),
      mode: () => torchFunctions.fullLike(range, NaN),
      variance: () => range.square().div(12),
    };
    super(law, validateArgs);
    this.low = read.low;
    this.high = read.high;
  }
}

/** The time to the next of events that come `rate` times in each unit of time. */
export class Exponential extends Distribution {
  readonly rate: Tensor;

  constructor(rate: Parameter, options?: DistributionOptions) {
    const call = "new distributions.Exponential";
    const validateArgs = readValidateArgs(call, options);
    const { rate: given } = broadcastParameters(call, { rate }, { rate: positive }, validateArgs);
    const draw = (shape: readonly number[]) => {
      const { dtype, device } = given;
      return torchFunctions.empty(shape, { dtype, device }).exponential_().div(given);
    };
    const law = {
      batchShape: native.shape(given),
      eventShape: [],
      support: nonNegative,
      sample: draw,
      rsample: draw,
      logProb: (value: Tensor) => given.log().sub(given.mul(value)),
      cdf: (value: Tensor) => given.neg().mul(value).expm1().neg(),
      icdf: (probability: Tensor) => probability.neg().log1p().neg().div(given),
      entropy: () => given.log().neg().add(1),
      mean: () => given.reciprocal(),
      mode: () => torchFunctions.zerosLike(given),
      variance: () => given.pow(-2),
    };
    super(law, validateArgs);
    this.rate = given;
  }
}
