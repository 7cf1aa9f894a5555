// The activations as layers.
export {
  AdaptiveLogSoftmaxWithLoss,
  type AdaptiveSoftmaxOptions,
  type AdaptiveSoftmaxOutput,
} from "./adaptive_softmax.ts";
export {
  type AlphaOptions,
  CELU,
  ELU,
  GELU,
  type GeluOptions,
  Hardshrink,
  Hardsigmoid,
  Hardswish,
  Hardtanh,
  type LambdaOptions,
  LeakyReLU,
  LogSigmoid,
  Mish,
  ReLU,
  ReLU6,
  SELU,
  SiLU,
  Sigmoid,
  Softplus,
  Softshrink,
  Softsign,
  Tanh,
  Tanhshrink,
  Threshold,
} from "./elementwise.ts";
export type { InPlaceOptions } from "../functional/in_place.ts";
export { PReLU, type PReLUOptions, RReLU, type RReLUOptions } from "./rectified.ts";
export { GLU, LogSoftmax, Softmax, Softmax2d, Softmin } from "./softmax.ts";
