// Losses of pairs and triplets, which pull similar items together.
import { checkTensor } from "../../../tensor/tensor_arguments.ts";
import { torchFunctions } from "../../../tensor/operators.ts";
import { boolean, number, type Rule } from "../../../vocabulary/options.ts";
import { describe } from "../../../vocabulary/arguments.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import {
  checkSameShape,
  loss,
  REDUCTION_PLACES,
  reduced,
  reduction,
  reductionNumber,
  type LossOptions,
} from "./loss.ts";

export interface MarginOptions extends LossOptions {
  /** How far apart the scores are to be. Default: 1 for `hingeEmbeddingLoss`, 0 for the others. */
  readonly margin?: number;
}

const COMPARED = ["input1", "input2", "target"] as const;
const MARGIN_PLACES = ["margin", ...REDUCTION_PLACES] as const;

/** x for targets of 1, max(0, margin - x) for targets of -1; the default margin is 1. */
export const hingeEmbeddingLoss = loss<[input: Tensor, target: Tensor], MarginOptions, typeof MARGIN_PLACES>(
  "hingeEmbeddingLoss",
  { inputs: ["input", "target"], rules: { reduction, margin: number(1) }, places: MARGIN_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    return torchFunctions.hingeEmbeddingLoss(input, target, options.margin, reductionNumber(options));
  },
);

/** max(0, -target (x1 - x2) + margin): with a target of 1, x1 shall rank above x2. The default margin is 0. */
export const marginRankingLoss = loss<
  [input1: Tensor, input2: Tensor, target: Tensor],
  MarginOptions,
  typeof MARGIN_PLACES,
  typeof COMPARED
>(
  "marginRankingLoss",
  { inputs: COMPARED, rules: { reduction, margin: number(0) }, places: MARGIN_PLACES },
  (call, options, input1, input2, target) => {
    checkSameShape(call, input1, input2, "input1 and input2");
    checkSameShape(call, input1, target);
    return torchFunctions.marginRankingLoss(input1, input2, target, options.margin, reductionNumber(options));
  },
);

/** 1 - cos for targets of 1, max(0, cos - margin) for targets of -1; the margin (default 0) is from -1 to 1. */
export const cosineEmbeddingLoss = loss<
  [input1: Tensor, input2: Tensor, target: Tensor],
  MarginOptions,
  typeof MARGIN_PLACES,
  typeof COMPARED
>(
  "cosineEmbeddingLoss",
  { inputs: COMPARED, rules: { reduction, margin: number(0) }, places: MARGIN_PLACES },
  (call, options, input1, input2, target) => {
    checkSameShape(call, input1, input2, "input1 and input2");
    return torchFunctions.cosineEmbeddingLoss(
      input1,
      input2,
      target,
      options.margin,
      reductionNumber(options),
    );
  },
);

export interface TripletOptions extends LossOptions {
  /** The distance by which the negative should be farther than the positive. Default: 1. */
  readonly margin?: number;
  /** The exponent of the distance. Default: 2. */
  readonly p?: number;
  /** Added to differences before their norm. Default: 1e-6. */
  readonly eps?: number;
  /** Takes the positive's distance from the negative where it is the smaller. Default: false. */
  readonly swap?: boolean;
}

const above0 = number(1, { min: Number.MIN_VALUE });

type Triplet = [anchor: Tensor, positive: Tensor, negative: Tensor];
const TRIPLET_PLACES = ["margin", "p", "eps", "swap", ...REDUCTION_PLACES] as const;
const TRIPLET = ["anchor", "positive", "negative"] as const;

/** max(0, d(anchor, positive) - d(anchor, negative) + margin) over [batch, features]. */
export const tripletMarginLoss = loss<Triplet, TripletOptions, typeof TRIPLET_PLACES, typeof TRIPLET>(
  "tripletMarginLoss",
  {
    inputs: TRIPLET,
    rules: { reduction, margin: above0, p: number(2), eps: number(1e-6), swap: boolean(false) },
    places: TRIPLET_PLACES,
  },
  (_call, options, anchor, positive, negative) => {
    const { margin, p, eps, swap } = options;
    const reductionIndex = reductionNumber(options);
    return torchFunctions.tripletMarginLoss(anchor, positive, negative, margin, p, eps, swap, reductionIndex);
  },
);

export type Distance = (a: Tensor, b: Tensor) => Tensor;

export interface TripletDistanceOptions extends LossOptions {
  /** Distances of rows. Default: Euclidean. */
  readonly distanceFunction?: Distance | null;
  /** The distance by which the negative must be farther than the positive. Default: 1. */
  readonly margin?: number;
  /** Takes the negative's distance from the positive where that is less. Default: false. */
  readonly swap?: boolean;
}

const distance: Rule<Distance | null> = {
  fallback: null,
  check(call, name, value) {
    if (value === null || typeof value === "function") return value as Distance | null;
    throw new TypeError(`${call}: ${name} must be a function of two tensors, got ${describe(value)}.`);
  },
};

/** The triplet loss under any distance. */
export const tripletMarginWithDistanceLoss = loss<
  Triplet,
  TripletDistanceOptions,
  readonly [],
  typeof TRIPLET
>(
  "tripletMarginWithDistanceLoss",
  {
    inputs: TRIPLET,
    rules: { reduction, distanceFunction: distance, margin: above0, swap: boolean(false) },
    places: [],
  },
  (call, options, anchor, positive, negative) => {
    checkSameShape(call, anchor, positive, "anchor and positive");
    checkSameShape(call, anchor, negative, "anchor and negative");
    const { distanceFunction } = options;
    const between = (a: Tensor, b: Tensor) =>
      distanceFunction === null
        ? torchFunctions.pairwiseDistance(a, b)
        : checkTensor(call, "what distanceFunction returns", distanceFunction(a, b));
    const near = between(anchor, positive);
    let far = between(anchor, negative);
    if (options.swap) far = torchFunctions.minimum(far, between(positive, negative));
    return reduced(near.sub(far).add(options.margin).clampMin(0), options);
  },
);
