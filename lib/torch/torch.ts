// Assembles the `torch` namespace from generated functions and those of this library.
import { slice } from "./vocabulary/slice.ts";
import { checkInteger } from "./vocabulary/arguments.ts";
import {
  enableGrad,
  grad,
  inferenceMode,
  isGradEnabled,
  noGrad,
  setGradEnabled,
} from "./autograd/autograd.ts";
import {
  autocast,
  getAutocastDtype,
  isAutocastEnabled,
  setAutocastDtype,
  setAutocastEnabled,
} from "./amp/autocast.ts";
import * as amp from "./amp/index.ts";
import * as autograd from "./autograd/index.ts";
import { capture } from "./capture/capture.ts";
import * as distributed from "./distributed/index.ts";
import * as func from "./func/index.ts";
import * as distributions from "./distributions/index.ts";
import { checkpoint, checkpointSequential } from "./nn/utilities/checkpoint.ts";
import {
  broadcastShapes,
  cdist,
  nonzero,
  numel,
  stft,
  tensordot,
  unique,
  uniqueConsecutive,
  unravelIndex,
} from "./tensor/composed.ts";
import { asTensor, fromTypedArray, full, tensor } from "./tensor/creation.ts";
import {
  areDeterministicAlgorithmsEnabled,
  isDeterministicAlgorithmsWarnOnlyEnabled,
  useDeterministicAlgorithms,
} from "./random/determinism.ts";
import { getDefaultDtype, setDefaultDtype } from "./tensor/default_dtype.ts";
import { defaultDevice, device, setDefaultDevice } from "./engine/device.ts";
import { type DType as DTypeName, dtypeNames, type Layout } from "./vocabulary/dtype.ts";
import type { DeviceName } from "./vocabulary/device_name.ts";
import { finfo, iinfo } from "./tensor/dtype_info.ts";
import { Generator, type Generator as RandomGenerator } from "./random/generator.ts";
import { UnavailableError } from "./vocabulary/errors.ts";
import { native } from "./engine/native.ts";
import { norm } from "./tensor/norm.ts";
import type { torch as TorchFunctions } from "./tensor/ops.generated.ts";
import { fft, linalg, ops, special, torchFunctions } from "./tensor/operators.ts";
import { getPrintoptions, setPrintoptions } from "./tensor/print/options.ts";
import * as profiler from "./profiler/index.ts";
import { forkRng, getRngState, initialSeed, manualSeed, seed, setRngState } from "./random/random.ts";
import { assertClose } from "./tensor/testing.ts";
import { tidy } from "./tensor/scope.ts";
import { load, save } from "./serialize/files.ts";
import {
  sparse,
  sparseBscTensor,
  sparseBsrTensor,
  sparseCompressedTensor,
  sparseCooTensor,
  sparseCscTensor,
  sparseCsrTensor,
} from "./sparse/sparse.ts";
import { Tensor, type Tensor as TensorType } from "./tensor/tensor.ts";
import { showImages } from "./tensor/view/images.ts";

const own = {
  ...dtypeNames,
  Generator,
  Tensor,
  amp,
  areDeterministicAlgorithmsEnabled,
  asTensor,
  autocast,
  autograd,
  broadcastShapes,
  capture,
  cdist,
  checkpoint,
  checkpointSequential,
  compile,
  device,
  distributed,
  distributions,
  enableGrad,
  fft,
  finfo,
  forkRng,
  fromTypedArray,
  full,
  func,
  getAutocastDtype,
  getDefaultDevice: defaultDevice,
  getDefaultDtype,
  /** Threads that one operator uses on the CPU; as many as there are cores unless set. */
  getNumThreads(): number {
    return native.getNumThreads();
  },
  getPrintoptions,
  getRngState,
  grad,
  iinfo,
  inferenceMode,
  initialSeed,
  isAutocastEnabled,
  isDeterministicAlgorithmsWarnOnlyEnabled,
  isGradEnabled,
  /** Is it a tensor of this library? Parameters and buffers are; disposed ones too. */
  isTensor(value: unknown): value is Tensor {
    return native.isTensor(value);
  },
  linalg,
  load,
  manualSeed,
  noGrad,
  nonzero,
  norm,
  numel,
  ops,
  save,
  profiler,
  seed,
  setAutocastDtype,
  setAutocastEnabled,
  setDefaultDevice,
  setDefaultDtype,
  setGradEnabled,
  setNumThreads,
  setPrintoptions,
  setRngState,
  showImages,
  slice,
  sparse,
  sparseBscTensor,
  sparseBsrTensor,
  sparseCompressedTensor,
  sparseCooTensor,
  sparseCscTensor,
  sparseCsrTensor,
  special,
  stft,
  tensor,
  tensordot,
  testing: { assertClose },
  tidy,
  unique,
  uniqueConsecutive,
  unravelIndex,
  useDeterministicAlgorithms,
  vmap: func.vmap,
  /** libtorch's version. */
  get version(): string {
    return native.version;
  },
};

/** Threads that one operator may use on the CPU. @throws RangeError for fewer than 1 */
function setNumThreads(threads: number): void {
  native.setNumThreads(checkInteger("torch.setNumThreads", "threads", threads, 1));
}

/**
 * Refuses: PyTorch's compiler is written in Python, for Python.
 *
 * @throws UnavailableError
 */
function compile(_model?: unknown, _options?: unknown): never {
  throw new UnavailableError(
    "torch.compile is not available: it reads Python's bytecode and writes its kernels from Python, and there is none here. " +
      "What helps instead: torch.capture(step), which takes the calls' time away, operators that are fused already (functional.scaledDotProductAttention, nn.TransformerEncoderLayer, the optimizers), torch.autocast for half precision, torch.inferenceMode around evaluation, and larger batches; torch.profiler.profile shows where the time goes.",
  );
}

type Own = typeof own;

export interface Torch extends TorchFunctions, Own {}

/**
 * The types that PyTorch's users write by the module's name: `(x: torch.Tensor, device: torch.Device)`. Those in small
 * letters are PyTorch's own spelling, `device: torch.device`.
 */
export declare namespace torch {
  /** Any tensor, or what is known of one: `torch.Tensor<[2, 3], "float32">`. */
  type Tensor<Shape = any, Type = any, Device = any> = TensorType<Shape, Type, Device>;
  /** A source of random numbers. */
  type Generator = RandomGenerator;
  /** The name of a device: what `torch.device()` returns, and `x.device` is. */
  type Device = DeviceName;
  type device = DeviceName;
  /** The name of a dtype, `"float32"`: what `torch.float32` and `x.dtype` are. */
  type DType = DTypeName;
  type dtype = DTypeName;
  /** Sizes of dimensions: what `x.shape` is. */
  type Size = number[];
  type layout = Layout;
}

// Described, not assigned: to read the version would load libtorch.
export const torch: Torch = Object.defineProperties(
  torchFunctions,
  Object.getOwnPropertyDescriptors(own),
) as Torch;
