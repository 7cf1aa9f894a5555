// What `import { functional as F } from "mpslab"` offers: layers without state. Most are libtorch's operators under
// their own names; those that check more or name their options differently are in the files beside this one.
import { nnFunctions, torchFunctions } from "../../operators.ts";

export * from "./loss/index.ts";
export {
  gumbelSoftmax,
  normalize,
  softmin,
  softsign,
  tanhshrink,
  type GumbelSoftmaxOptions,
} from "./activation.ts";
export { alphaDropout, dropout, featureAlphaDropout, featureDropout } from "./dropout.ts";
export {
  embedding,
  embeddingBag,
  type BagMode,
  type EmbeddingBagArguments,
  type LookupOptions,
} from "./embedding.ts";
export { affineGrid, gridSample, type GridSampleOptions } from "./grid.ts";
export { interpolate, type InterpolateOptions, type InterpolationMode } from "./interpolate.ts";
export {
  batchNorm,
  instanceNorm,
  localResponseNorm,
  type BatchNormArguments,
  type InstanceNormArguments,
} from "./normalization.ts";
export {
  fractionalMaxPool,
  lpPool,
  maxUnpool,
  type FractionalPoolOptions,
  type MaxUnpoolOptions,
} from "./pooling.ts";

export const {
  adaptiveAvgPool1d,
  adaptiveMaxPool1d,
  avgPool1d,
  bilinear,
  celu,
  celu_,
  channelShuffle,
  conv1d,
  conv2d,
  conv3d,
  convTbc,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  cosineSimilarity,
  groupNorm,
  hardshrink,
  layerNorm,
  logSoftmax,
  maxPool1d,
  maxPool1dWithIndices,
  maxPool2d,
  maxPool3d,
  pairwiseDistance,
  pdist,
  pixelShuffle,
  pixelUnshuffle,
  prelu,
  relu,
  relu_,
  rmsNorm,
  rrelu,
  rrelu_,
  selu,
  selu_,
  sigmoid,
  softmax,
  tanh,
  threshold,
  threshold_,
} = torchFunctions;

export const {
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  avgPool2d,
  avgPool3d,
  col2im: fold,
  elu,
  elu_,
  gelu,
  glu,
  hardsigmoid,
  hardswish,
  hardtanh,
  hardtanh_,
  im2col: unfold,
  leakyRelu,
  leakyRelu_,
  linear,
  logSigmoid: logsigmoid,
  maxPool2dWithIndices,
  maxPool3dWithIndices,
  mish,
  oneHot,
  pad,
  relu6,
  scaledDotProductAttention,
  silu,
  softplus,
  softshrink,
} = nnFunctions;
