// What a cell imports: `import { torch } from "mpslab"`.
export type { DType, TensorOptions } from "./torch/vocabulary/dtype.ts";
export type { DeviceName } from "./torch/vocabulary/device_name.ts";
export { Comm, comms } from "./comms/comms.ts";
export type { CommData, CommMessage, CommOptions } from "./comms/transport.ts";
export * as lab from "./lab/index.ts";
export * as amp from "./torch/amp/index.ts";
export * as autograd from "./torch/autograd/index.ts";
export * as accelerator from "./torch/devices/accelerator/accelerator.ts";
export * as cpu from "./torch/devices/cpu/cpu.ts";
export * as cuda from "./torch/devices/cuda/cuda.ts";
export * as data from "./torch/data/index.ts";
export * as distributed from "./torch/distributed/index.ts";
export * as distributions from "./torch/distributions/index.ts";
export {
  DeviceMismatchError,
  OutOfMemoryError,
  UnavailableError,
  UnsupportedOperatorError,
  UseAfterDisposeError,
} from "./torch/vocabulary/errors.ts";
export type { Generator } from "./torch/random/generator.ts";
export * as mps from "./torch/devices/mps/mps.ts";
export * as functional from "./torch/nn/functional/index.ts";
export * as nn from "./torch/nn/index.ts";
export * as optim from "./torch/optim/index.ts";
export * as serialize from "./torch/serialize/index.ts";
export type { BackwardOptions } from "./torch/autograd/autograd.ts";
export { Tensor } from "./torch/tensor/tensor.ts";
export type { CaptureOptions } from "./torch/capture/capture.ts";
export type { CheckpointOptions } from "./torch/nn/utilities/checkpoint.ts";
export type { DeterminismOptions } from "./torch/random/determinism.ts";
export type { ForkOptions } from "./torch/random/random.ts";
export type { CooOptions, SparseOptions } from "./torch/sparse/sparse.ts";
export type {
  NonzeroOptions,
  CdistOptions,
  StftOptions,
  TensordotOptions,
  UniqueConsecutiveOptions,
  UniqueOptions,
} from "./torch/tensor/composed.ts";
export type { ValueOptions } from "./torch/tensor/creation.ts";
export type { PrintOptions } from "./torch/tensor/print/options.ts";
export type { ShowImagesOptions } from "./torch/tensor/view/images.ts";
export { torch } from "./torch/torch.ts";
export { AnyWidget, type AnyWidgetOptions } from "./widgets/any_widget.ts";
export { Button, button, type ButtonOptions } from "./widgets/button.ts";
export { Slider, slider, type SliderOptions } from "./widgets/slider.ts";
