// The activations as layers.
export {
  AdaptiveLogSoftmaxWithLoss,
  type AdaptiveSoftmaxOptions,
  type AdaptiveSoftmaxOutput,
} from "./adaptive_softmax.ts";
export {
  CELU,
  ELU,
  GELU,
  type GeluOptions,
  Hardshrink,
  Hardsigmoid,
  Hardswish,
  Hardtanh,
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
  type InPlaceOptions,
} from "./elementwise.ts";
export { PReLU, type PReLUOptions, RReLU, type RReLUOptions } from "./rectified.ts";
export { GLU, LogSoftmax, Softmax, Softmax2d, Softmin } from "./softmax.ts";
