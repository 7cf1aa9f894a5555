// Every public name of PyTorch's nn, optim and data (test/fixtures/public_names.py) is here under our spelling of it, or
// stands below with the reason why not. The list of those may only shrink.
import { describe, expect, it } from "vitest";
import { data, functional, nn, optim } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";

const names = readFixture<Record<string, string[]>>("public_names.json");

const OURS: Record<string, object> = {
  "torch.nn": nn,
  "torch.nn.functional": functional,
  "torch.nn.init": nn.init,
  "torch.nn.utils": nn.utils,
  "torch.nn.utils.parametrizations": nn.utils.parametrizations,
  "torch.nn.utils.parametrize": nn.utils.parametrize,
  "torch.nn.utils.rnn": nn.utils.rnn,
  "torch.optim": optim,
  "torch.optim.lr_scheduler": optim.lrScheduler,
  "torch.optim.swa_utils": optim,
  "torch.utils.data": data,
};

const DEPRECATED = "deprecated in PyTorch itself";
const INTERNAL = "how PyTorch's own Python is written, not for users";
const DATA_PIPES = "DataPipes, which PyTorch has given up";
const TYPE = "an interface in TypeScript, which has no value at run time";
const CUDA = "for kernels of CUDA alone";

const ABSENT: Record<string, Record<string, string>> = {
  "torch.nn": {
    Container: DEPRECATED,
    CrossMapLRN2d: "LocalResponseNorm computes the same",
    DataParallel: "one process has one device; PyTorch advises against it too",
    LinearCrossEntropyLoss: "nn.Linear and functional.linearCrossEntropy",
    LinearCrossEntropyOptions: "settings of a kernel in chunks, which is Python's",
    NLLLoss2d: DEPRECATED,
    RNNBase: "the base class of RNN, LSTM and GRU; it is none of their users' business",
    RNNCellBase: "the base class of the cells",
    UninitializedBuffer: "a lazy layer's tensors are Parameter and Buffer, empty until the first input",
    UninitializedParameter: "a lazy layer's tensors are Parameter and Buffer, empty until the first input",
    factory_kwargs: INTERNAL,
  },
  "torch.nn.functional": {
    assert_int_or_pair: INTERNAL,
    boolean_dispatch: INTERNAL,
    grouped_mm: CUDA,
    handle_torch_function: INTERNAL,
    has_torch_function: INTERNAL,
    has_torch_function_unary: INTERNAL,
    has_torch_function_variadic: INTERNAL,
    native_channel_shuffle: "channelShuffle is the same",
    scaled_addmm: CUDA,
    scaled_addmm_: CUDA,
    scaled_grouped_mm: CUDA,
    scaled_mm: CUDA,
  },
  "torch.nn.init": Object.fromEntries(
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform"
      .split(" ")
      .map((name) => [name, DEPRECATED]),
  ),
  "torch.nn.utils": {
    clip_grad_norm: DEPRECATED,
    convert_conv2d_weight_memory_format: "for channels-last kernels of CUDA",
    convert_conv3d_weight_memory_format: "for channels-last kernels of CUDA",
    fuse_conv_bn_eval: "a pass of torch.fx over programs, which TypeScript has none of",
    fuse_conv_bn_weights: "a pass of torch.fx over programs, which TypeScript has none of",
    fuse_linear_bn_eval: "a pass of torch.fx over programs, which TypeScript has none of",
    fuse_linear_bn_weights: "a pass of torch.fx over programs, which TypeScript has none of",
    remove_spectral_norm: "utils.parametrize.removeParametrizations",
    skip_init: "a module is made of empty tensors and then initialised; loadStateDict replaces the values",
    spectral_norm: "utils.parametrizations.spectralNorm",
    stateless: DEPRECATED,
  },
  "torch.nn.utils.parametrize": {
    cached: "a weight that is read twice in a forward is computed twice: nothing to forget to switch off",
    transfer_parametrizations_and_params: "register them on the other module",
    type_before_parametrizations: "a parametrized module keeps its class",
  },
  "torch.nn.utils.rnn": { invert_permutation: INTERNAL },
  "torch.optim": {
    functional: INTERNAL,
    swa_utils: "AveragedModel, SWALR, updateBn and the averages stand in optim itself",
    swap_in_optimizer_params_and_state: INTERNAL,
  },
  "torch.utils.data": {
    DFIterDataPipe: DATA_PIPES,
    DataChunk: DATA_PIPES,
    Dataset: TYPE,
    IterDataPipe: DATA_PIPES,
    IterableDataset: TYPE,
    MapDataPipe: DATA_PIPES,
    Sampler: TYPE,
    argument_validation: DATA_PIPES,
    default_convert: "turns NumPy's arrays into tensors",
    functional_datapipe: DATA_PIPES,
    guaranteed_datapipes_determinism: DATA_PIPES,
    non_deterministic: DATA_PIPES,
    runtime_validation: DATA_PIPES,
    runtime_validation_disabled: DATA_PIPES,
  },
};

/** `clip_grad_norm_` -> `clipGradNorm_` */
const spelled = (name: string) =>
  name.replace(/(?<=.)_+([a-z0-9])/g, (_, next: string) => next.toUpperCase());

describe.each(Object.keys(names))("%s", (module) => {
  it("has every public name, but for those that are listed with a reason", () => {
    const missing = names[module]!.filter((name) => !(spelled(name) in OURS[module]!));
    expect(missing).toEqual(Object.keys(ABSENT[module] ?? {}));
  });
});
