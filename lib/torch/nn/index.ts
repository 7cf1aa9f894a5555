// What `import { nn } from "mpslab"` offers.
export {
  ELU,
  GELU,
  Hardsigmoid,
  Hardswish,
  LeakyReLU,
  LogSigmoid,
  LogSoftmax,
  Mish,
  PReLU,
  ReLU,
  ReLU6,
  SELU,
  SiLU,
  Sigmoid,
  Softmax,
  Softplus,
  Tanh,
} from "./activation.ts";
export { Sequential } from "./container.ts";
export { Conv1d, Conv2d, Conv3d, type ConvOptions, type PaddingMode, type Sizes } from "./conv.ts";
export type { Conversion } from "./conversion.ts";
export { AlphaDropout, Dropout, Dropout2d } from "./dropout.ts";
export { Embedding, type EmbeddingOptions } from "./embedding.ts";
export type { FactoryOptions } from "./factory.ts";
export { Flatten, Unflatten } from "./flatten.ts";
export * as functional from "./functional/index.ts";
export * as init from "./init.ts";
export { Identity, Linear, type LinearOptions } from "./linear.ts";
export { BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss } from "./loss.ts";
export {
  BatchNorm1d,
  BatchNorm2d,
  BatchNorm3d,
  GroupNorm,
  LayerNorm,
  RMSNorm,
  type BatchNormOptions,
  type LayerNormOptions,
} from "./normalization.ts";
export { Module, type Layer } from "./module.ts";
export { Buffer, Parameter } from "./parameter.ts";
export {
  AdaptiveAvgPool2d,
  AvgPool1d,
  AvgPool2d,
  AvgPool3d,
  MaxPool1d,
  MaxPool2d,
  MaxPool3d,
  type AvgPoolOptions,
  type MaxPoolOptions,
} from "./pooling.ts";
export type { LoadOptions, LoadResult, StateDict } from "./state.ts";
