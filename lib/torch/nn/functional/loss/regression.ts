// Regression losses, and losses between distributions.
import { optionalTensor } from "../../../tensor/tensor_arguments.ts";
import { shapeText } from "../../../vocabulary/arguments.ts";
import { noGrad } from "../../../autograd/autograd.ts";
import { native } from "../../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../../tensor/operators.ts";
import { boolean, choice, number } from "../../../vocabulary/options.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import {
  checkSameShape,
  loss,
  pairLoss,
  reduced,
  REDUCTION_PLACES,
  reduction,
  reductionNumber,
  type LossOptions,
  type Reduction,
  type WeightedLossOptions,
} from "./loss.ts";

type Inputs = [input: Tensor, target: Tensor];
const NAMES = ["input", "target"];
const WEIGHTED_RULES = { reduction, weight: optionalTensor };

/** Weighs the losses of the elements; their mean is by the sum of the weights. */
function weighted(call: string, losses: Tensor, options: Required<WeightedLossOptions>): Tensor {
  const weight = options.weight!;
  checkSameShape(call, losses, weight, "input and weight");
  const all = losses.mul(weight);
  return options.reduction === "mean" ? all.sum().div(weight.sum()) : reduced(all, options);
}

const DIFFERENCE_PLACES = [...REDUCTION_PLACES, "weight"] as const;

/** The squared difference. */
export const mseLoss = pairLoss<"mseLoss", "same", WeightedLossOptions, typeof DIFFERENCE_PLACES>(
  "mseLoss",
  { rules: WEIGHTED_RULES, places: DIFFERENCE_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    if (options.weight) return weighted(call, input.sub(target).pow(2), options);
    return nnFunctions.mseLoss(input, target, reductionNumber(options));
  },
);

/** The absolute difference. */
export const l1Loss = pairLoss<"l1Loss", "same", WeightedLossOptions, typeof DIFFERENCE_PLACES>(
  "l1Loss",
  { rules: WEIGHTED_RULES, places: DIFFERENCE_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    if (options.weight) return weighted(call, input.sub(target).abs(), options);
    return nnFunctions.l1Loss(input, target, reductionNumber(options));
  },
);

export interface SmoothL1Options extends LossOptions {
  /** The difference up to which the loss is squared. Default: 1. */
  readonly beta?: number;
}

const SMOOTH_PLACES = [...REDUCTION_PLACES, "beta"] as const;

/** Squared below `beta`, absolute above: 0.5 d^2 / beta, then |d| - 0.5 beta. */
export const smoothL1Loss = pairLoss<"smoothL1Loss", "same", SmoothL1Options, typeof SMOOTH_PLACES>(
  "smoothL1Loss",
  { rules: { reduction, beta: number(1, { min: 0 }) }, places: SMOOTH_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    return nnFunctions.smoothL1Loss(input, target, reductionNumber(options), options.beta);
  },
);

export interface HuberOptions extends WeightedLossOptions {
  /** The difference up to which the loss is squared. Default: 1. */
  readonly delta?: number;
}

const HUBER_PLACES = ["reduction", "delta", "weight"] as const;

/** Squared below `delta`, linear above: 0.5 d^2, then delta (|d| - 0.5 delta). */
export const huberLoss = pairLoss<"huberLoss", "same", HuberOptions, typeof HUBER_PLACES>(
  "huberLoss",
  {
    rules: { ...WEIGHTED_RULES, delta: number(1, { min: Number.MIN_VALUE }) },
    places: HUBER_PLACES,
  },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    const { weight, delta } = options;
    if (!weight) return nnFunctions.huberLoss(input, target, reductionNumber(options), delta);
    checkSameShape(call, input, weight, "input and weight");
    // Unlike the other weighted means, PyTorch's Huber loss divides by the number of elements.
    return reduced(nnFunctions.huberLoss(input, target, 0, delta).mul(weight), options);
  },
);

export interface KlDivOptions {
  /**
   * "batchmean" divides the sum by the size of the batch, the mathematical definition; "mean" by all elements. Default:
   * "mean".
   */
  readonly reduction?: Reduction | "batchmean";
  /** Whether the target is log-probabilities too. Default: false. */
  readonly logTarget?: boolean;
}

const KL_PLACES = [...REDUCTION_PLACES, "logTarget"] as const;

/** Log-probabilities against probabilities. */
export const klDiv = loss<Inputs, KlDivOptions, typeof KL_PLACES>(
  "klDiv",
  {
    inputs: NAMES,
    rules: {
      reduction: choice<Reduction | "batchmean">("mean", ["mean", "batchmean", "sum", "none"]),
      logTarget: boolean(false),
    },
    places: KL_PLACES,
  },
  (call, { reduction: name, logTarget }, input, target) => {
    checkSameShape(call, input, target);
    if (name !== "batchmean")
      return torchFunctions.klDiv(input, target, reductionNumber({ reduction: name }), { logTarget });
    const batch = native.shape(input)[0];
    if (batch === undefined)
      throw new RangeError(`${call}: "batchmean" needs a batch dimension, got shape [].`);
    const sum = torchFunctions.klDiv(input, target, reductionNumber({ reduction: "sum" }), { logTarget });
    return sum.div(batch);
  },
);

export interface PoissonOptions extends LossOptions {
  /** Whether the input is the logarithm of the rate. Default: true. */
  readonly logInput?: boolean;
  /** Adds Stirling's approximation of log(target!). Default: false. */
  readonly full?: boolean;
  /** Added to the rate before its logarithm. Default: 1e-8. */
  readonly eps?: number;
}

const POISSON_PLACES = ["logInput", "full", "sizeAverage", "eps", "reduce", "reduction"] as const;

/** Counts under a Poisson distribution of the given rates. */
export const poissonNllLoss = loss<Inputs, PoissonOptions, typeof POISSON_PLACES>(
  "poissonNllLoss",
  {
    inputs: NAMES,
    rules: { reduction, logInput: boolean(true), full: boolean(false), eps: number(1e-8, { min: 0 }) },
    places: POISSON_PLACES,
  },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    const { logInput, full, eps } = options;
    return torchFunctions.poissonNllLoss(input, target, logInput, full, eps, reductionNumber(options));
  },
);

export interface GaussianOptions extends LossOptions {
  /** Adds the constant term, log(2 pi) / 2. Default: false. */
  readonly full?: boolean;
  /** The least variance. Default: 1e-6. */
  readonly eps?: number;
}

const GAUSSIAN_PLACES = ["full", "eps", "reduction"] as const;

/** A variance for each element, each row ([...] or [..., 1]), or one channel only. */
function fittingVariance(call: string, input: Tensor, variance: Tensor): Tensor {
  const [shape, given] = [native.shape(input), native.shape(variance)];
  if (shapeText(given) === shapeText(shape)) return variance;
  if (shapeText(given) === shapeText(shape.slice(0, -1))) return variance.unsqueeze(-1);
  const different = shape.flatMap((size, i) => (size === given[i] ? [] : [given[i]]));
  if (given.length === shape.length && different.length === 1 && different[0] === 1) return variance;
  throw new RangeError(
    `${call}: the variance must have the input's shape ${shapeText(shape)}, or 1 in one of its dimensions, got ${shapeText(given)}.`,
  );
}

/** Samples under normal distributions: `input` is the means, `variance` their variances. */
export const gaussianNllLoss = loss<
  [input: Tensor, target: Tensor, variance: Tensor | number],
  GaussianOptions,
  typeof GAUSSIAN_PLACES,
  readonly ["input", "target", "var"]
>(
  "gaussianNllLoss",
  {
    inputs: NAMES,
    others: ["var"],
    rules: { reduction, full: boolean(false), eps: number(1e-6, { min: 0 }) },
    places: GAUSSIAN_PLACES,
  },
  (call, options, input, target, variance) => {
    const given = native.isTensor(variance)
      ? fittingVariance(call, input, variance)
      : torchFunctions.onesLike(input).mul(variance);
    if (given.lt(0).any().item<boolean>())
      throw new RangeError(
        `${call}: a variance is negative; the layer that predicts it may end in Softplus.`,
      );
    // The least variance counts in the value, and the gradient passes as if there were none.
    const clamped = given.clone();
    noGrad(() => clamped.clampMin_(options.eps));
    const losses = clamped.log().add(input.sub(target).pow(2).div(clamped)).mul(0.5);
    return reduced(options.full ? losses.add(0.5 * Math.log(2 * Math.PI)) : losses, options);
  },
);
