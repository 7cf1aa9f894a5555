// All losses as functions.
export {
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  crossEntropy,
  ctcLoss,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  nllLoss,
  softMarginLoss,
  type ClassLossOptions,
  type CrossEntropyOptions,
  type CtcOptions,
  type LogitLossOptions,
  type MultiMarginOptions,
} from "./classification.ts";
export { linearCrossEntropy, type LinearCrossEntropyOptions } from "./linear_cross_entropy.ts";
export type { Loss, LossOptions, Reduction, WeightedLossOptions } from "./loss.ts";
export {
  gaussianNllLoss,
  huberLoss,
  klDiv,
  l1Loss,
  mseLoss,
  poissonNllLoss,
  smoothL1Loss,
  type GaussianOptions,
  type HuberOptions,
  type KlDivOptions,
  type PoissonOptions,
  type SmoothL1Options,
} from "./regression.ts";
export {
  cosineEmbeddingLoss,
  hingeEmbeddingLoss,
  marginRankingLoss,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
  type Distance,
  type MarginOptions,
  type TripletDistanceOptions,
  type TripletOptions,
} from "./similarity.ts";
