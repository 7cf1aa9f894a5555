// Exports `functional`, the layers without state. Most are libtorch's operators under their own names (`operators.ts`); the
// other files beside this one hold those with more checks or named options.
export * from "./loss/index.ts";
export {
  gumbelSoftmax,
  normalize,
  softmin,
  softsign,
  tanhshrink,
  type GumbelSoftmaxOptions,
  type NormalizeOptions,
  type SoftminOptions,
} from "./activation.ts";
export {
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool1dWithIndices,
  adaptiveMaxPool2d,
  adaptiveMaxPool2dWithIndices,
  adaptiveMaxPool3d,
  adaptiveMaxPool3dWithIndices,
  type AdaptiveMaxPoolOptions,
} from "./adaptive.ts";
export {
  alphaDropout,
  dropout,
  dropout1d,
  type DropoutOptions,
  featureAlphaDropout,
  featureDropout,
  featureDropout as dropout2d,
  dropout3d,
} from "./dropout.ts";
export {
  embedding,
  embeddingBag,
  type BagMode,
  type EmbeddingBagArguments,
  type LookupOptions,
} from "./embedding.ts";
export { fold, unfold, type FoldWindow } from "./fold.ts";
export { affineGrid, gridSample, type AffineGridOptions, type GridSampleOptions } from "./grid.ts";
export {
  celu,
  elu,
  hardsigmoid,
  hardswish,
  hardtanh,
  leakyRelu,
  mish,
  relu,
  relu6,
  rrelu,
  selu,
  silu,
  threshold,
  type ActivationOptions,
  type CeluOptions,
  type EluOptions,
  type HardtanhOptions,
  type InPlaceOptions,
  type LeakyReluOptions,
  type RReluOptions,
} from "./in_place.ts";
export { interpolate, type InterpolateOptions, type InterpolationMode } from "./interpolate.ts";
export {
  maxPool1d,
  maxPool2d,
  maxPool3d,
  type IndexedMaxPoolOptions,
  type MaxPoolOptions,
} from "./max_pooling.ts";
export { multiHeadAttentionForward, type MultiHeadOptions, type MultiHeadWeights } from "./multihead.ts";
export {
  batchNorm,
  instanceNorm,
  localResponseNorm,
  type LocalResponseNormArguments,
  type BatchNormArguments,
  type InstanceNormArguments,
} from "./normalization.ts";
export {
  fractionalMaxPool,
  fractionalMaxPool2d,
  fractionalMaxPool2dWithIndices,
  fractionalMaxPool3d,
  fractionalMaxPool3dWithIndices,
  lpPool,
  lpPool as lpPool1d,
  lpPool as lpPool2d,
  lpPool as lpPool3d,
  maxUnpool,
  maxUnpool as maxUnpool1d,
  maxUnpool as maxUnpool2d,
  maxUnpool as maxUnpool3d,
  type FractionalPoolOptions,
  type LPPoolArguments,
  type MaxUnpoolOptions,
} from "./pooling.ts";
export * from "./operators.ts";
export { upsample, upsampleBilinear, upsampleNearest, type UpsampleOptions } from "./upsample.ts";
