// All tables of right calls, and the public names that need none, each with the reason.
import { nn, optim, torch } from "../../../../lib/index.ts";
import { autogradCalls } from "./autograd.ts";
import { dataCalls } from "./data.ts";
import { deviceCalls } from "./devices.ts";
import { distributedCalls, messages } from "./distributed.ts";
import { distributionCalls } from "./distributions.ts";
import { functionalCalls } from "./functional.ts";
import { labCalls } from "./lab.ts";
import { containers } from "./containers.ts";
import { layers } from "./layers.ts";
import { simpleLayers } from "./simple_layers.ts";
import { metalCalls } from "./metal.ts";
import { modules } from "./modules.ts";
import { optimCalls } from "./optim.ts";
import { leaf, type RightCalls } from "./right_calls.ts";
import { tensorCalls } from "./tensors.ts";

/** Names that exist for their message only: they say what to do instead, whatever they are given. */
const refusals: RightCalls = {
  // The matrix names a Python without Optuna, which only the test of `lab.search` installs.
  "lab.search": () => [
    { rate: { low: 0.1, high: 1 } },
    () => 1,
    {
      trials: 1,
      direction: "minimize",
      sampler: "random",
      pruner: "none",
      seed: 1,
      name: "misuse",
      journal: null,
      show: false,
    },
  ],
  "torch.Tensor": () => [],
  "torch.compile": () => [],
  "Tensor#toJSON": () => [torch.ones([2])],
  "Tensor#cuda": () => [torch.ones([2]), {}],
  "nn.Module#cuda": () => [new nn.Linear(2, 2)],
  "nn.ModuleList#forward": () => [new nn.ModuleList()],
  "nn.ModuleDict#forward": () => [new nn.ModuleDict()],
  "nn.ParameterList#forward": () => [new nn.ParameterList()],
  "nn.ParameterDict#forward": () => [new nn.ParameterDict()],
  // It has one group, and had it from its constructor.
  "optim.LBFGS#addParamGroup": () => [new optim.LBFGS([leaf(2)]), { params: [leaf(2)] }],
  "torch.autograd.Function.apply": () => [],
  ...messages,
  // Simulated Metal, where the matrix runs, has none of Apple's code and no GPU to capture.
  "mps.loadMetallib": () => ["kernels.metallib"],
  "mps.profiler.metalCapture": () => ["step", () => 1],
};

/** Classes that others extend, and errors, which the library makes. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  "nn.Module",
  "nn.Module#forward",
  "optim.Optimizer",
  "data.transforms.Transform",
  "data.transforms.Transform#forward",
  "torch.autograd.Function",
  "torch.distributions.Distribution",
  "torch.distributions.transforms.Transform",
  "torch.autograd.Node",
  "torch.autograd.GradcheckError",
  "DeviceMismatchError",
  "torch.distributed.DistBackendError",
  "torch.distributed.DistStoreError",
  // Its own tests have what it refuses: the words of the optimizer that each rank has.
  "torch.distributed.optim.ZeroRedundancyOptimizer#loadStateDict",
  "OutOfMemoryError",
  // What it gives goes on until it is stopped.
  "lab.recordMemory",
  "lab.ShadowError",
  "lab.ShadowError#saveInputs",
  "UnavailableError",
  "UnsupportedOperatorError",
  "UseAfterDisposeError",
  "serialize.SafetensorsError",
  "serialize.TorchFileError",
  "mps.ShaderError",
  // Made by comms.open, by Function.apply, by mps.defaultStream, by train() and load().
  "mps.Stream",
  "Comm",
  "torch.autograd.FunctionContext",
  "data.BytePairTokenizer",
  "data.WordTokenizer",
]);

/** An address may hold a token, which no error repeats. */
export const MAY_HOLD_SECRETS: ReadonlySet<string> = new Set(["lab.remote", "lab.remotes"]);

/** They take whatever there is, and nothing is something: they ask what it is, pass it on or give it back. */
export const TAKES_NOTHING_TOO: ReadonlySet<string> = new Set([
  "torch.isTensor",
  "nn.Identity#forward",
  "nn.ModuleDict#has",
  "nn.ModuleDict#delete",
  "AnyWidget#send",
]);

export const REFUSALS: ReadonlySet<string> = new Set(Object.keys(refusals));

export const RIGHT_CALLS: RightCalls = {
  ...refusals,
  ...layers,
  ...simpleLayers,
  ...containers,
  ...modules,
  ...functionalCalls,
  ...optimCalls,
  ...dataCalls,
  ...distributedCalls,
  ...distributionCalls,
  ...tensorCalls,
  ...autogradCalls,
  ...deviceCalls,
  ...metalCalls,
  ...labCalls,
};
