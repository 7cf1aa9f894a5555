// The `torch` namespace: generated functions and those that are written here, under one name.
import { checkInteger } from "./arguments.ts";
import { enableGrad, grad, inferenceMode, isGradEnabled, noGrad, setGradEnabled } from "./autograd.ts";
import {
  autocast,
  getAutocastDtype,
  isAutocastEnabled,
  setAutocastDtype,
  setAutocastEnabled,
} from "./amp/autocast.ts";
import * as amp from "./amp/index.ts";
import * as autograd from "./autograd/index.ts";
import { checkpoint, checkpointSequential } from "./checkpoint.ts";
import { cdist, nonzero, tensordot, unique, uniqueConsecutive, unravelIndex } from "./composed.ts";
import { asTensor, fromTypedArray, full, tensor } from "./creation.ts";
import {
  areDeterministicAlgorithmsEnabled,
  isDeterministicAlgorithmsWarnOnlyEnabled,
  useDeterministicAlgorithms,
} from "./determinism.ts";
import { getDefaultDtype, setDefaultDtype } from "./default_dtype.ts";
import { defaultDevice, device, setDefaultDevice } from "./device.ts";
import { dtypeNames } from "./dtype.ts";
import { finfo, iinfo } from "./dtype_info.ts";
import { Generator } from "./generator.ts";
import { UnavailableError } from "./errors.ts";
import { slice } from "./indexing.ts";
import { native } from "./native.ts";
import { norm } from "./norm.ts";
import type { torch as TorchFunctions } from "./ops.generated.ts";
import { fft, linalg, ops, special, torchFunctions } from "./operators.ts";
import { getPrintoptions, setPrintoptions } from "./print_options.ts";
import * as profiler from "./profiler/index.ts";
import { forkRng, getRngState, initialSeed, manualSeed, seed, setRngState } from "./random.ts";
import { tidy } from "./scope.ts";
import { load, save } from "./serialize/files.ts";
import {
  sparse,
  sparseBscTensor,
  sparseBsrTensor,
  sparseCompressedTensor,
  sparseCooTensor,
  sparseCscTensor,
  sparseCsrTensor,
} from "./sparse.ts";
import { Tensor } from "./tensor.ts";
import { showImages } from "./view/images.ts";

const own = {
  ...dtypeNames,
  Generator,
  Tensor,
  amp,
  areDeterministicAlgorithmsEnabled,
  asTensor,
  autocast,
  autograd,
  cdist,
  checkpoint,
  checkpointSequential,
  compile,
  device,
  enableGrad,
  fft,
  finfo,
  forkRng,
  fromTypedArray,
  full,
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
  tensor,
  tensordot,
  tidy,
  unique,
  uniqueConsecutive,
  unravelIndex,
  useDeterministicAlgorithms,
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
      "What helps instead: operators that are fused already (functional.scaledDotProductAttention, nn.TransformerEncoderLayer, the optimizers), torch.autocast for half precision, torch.inferenceMode around evaluation, and larger batches; torch.profiler.profile shows where the time goes.",
  );
}

type Own = typeof own;

export interface Torch extends TorchFunctions, Own {}

// Described, not assigned: to read the version would load libtorch.
export const torch: Torch = Object.defineProperties(
  torchFunctions,
  Object.getOwnPropertyDescriptors(own),
) as Torch;
