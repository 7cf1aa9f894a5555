// Exports `nn` of `import { nn } from "mpslab"`.
export * from "./activation/index.ts";
export {
  MultiheadAttention,
  type AttentionOptions,
  type MultiheadAttentionOptions,
} from "./attention/multihead.ts";
export { Bilinear, CosineSimilarity, PairwiseDistance } from "./bilinear.ts";
export * from "./container/index.ts";
export * from "./conv/index.ts";
export type { Conversion } from "./module/conversion.ts";
export {
  AlphaDropout,
  Dropout,
  Dropout1d,
  Dropout2d,
  Dropout3d,
  type DropoutOptions,
  FeatureAlphaDropout,
} from "./dropout.ts";
export { type BagInputs, EmbeddingBag, type EmbeddingBagOptions } from "./embedding/bag.ts";
export { Embedding, type EmbeddingOptions } from "./embedding/embedding.ts";
export type { FactoryOptions } from "./factory.ts";
export * as functional from "./functional/index.ts";
export * as init from "./init/init.ts";
export { Identity, Linear, type LinearOptions } from "./linear.ts";
export * from "./lazy/layers.ts";
export * from "./loss/index.ts";
export type {
  BackwardHook,
  BackwardPreHook,
  ForwardHook,
  ForwardHookOptions,
  ForwardPreHook,
  HookOptions,
} from "./module/hooks.ts";
export type { MemberOptions } from "./module/members.ts";
export { Module, type Layer } from "./module/module.ts";
export * from "./normalization/index.ts";
export { Buffer, type BufferOptions, Parameter, type ParameterOptions } from "./module/parameter.ts";
export * as parallel from "./parallel/index.ts";
export * from "./pooling/index.ts";
export * from "./rnn/index.ts";
export * from "./shape/index.ts";
export * from "./transformer/index.ts";
export type { LoadOptions, LoadResult, StateDict } from "./module/state.ts";
export * as utils from "./utilities/index.ts";
export type { ZeroGradOptions } from "../autograd/zero_gradients.ts";
