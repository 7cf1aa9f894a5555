// All tables of right calls, and the public names that have none, each with the reason.
import { nn, optim, torch } from "../../../../lib/index.ts";
import { autogradCalls } from "./autograd.ts";
import { dataCalls } from "./data.ts";
import { deviceCalls } from "./devices.ts";
import { functionalCalls } from "./functional.ts";
import { labCalls } from "./lab.ts";
import { containers } from "./containers.ts";
import { layers } from "./layers.ts";
import { simpleLayers } from "./simple_layers.ts";
import { modules } from "./modules.ts";
import { optimCalls } from "./optim.ts";
import { leaf, type RightCalls } from "./right_calls.ts";
import { tensorCalls } from "./tensors.ts";

/** What is there for its words alone: it says what to do instead, whatever it is given. */
const refusals: RightCalls = {
  "torch.Tensor": () => [],
  "torch.compile": () => [],
  "Tensor#toJSON": () => [torch.ones([2])],
  "Tensor#cuda": () => [torch.ones([2]), {}],
  "nn.ModuleList#forward": () => [new nn.ModuleList()],
  "nn.ModuleDict#forward": () => [new nn.ModuleDict()],
  "nn.ParameterList#forward": () => [new nn.ParameterList()],
  "nn.ParameterDict#forward": () => [new nn.ParameterDict()],
  // It has one group, and had it from its constructor.
  "optim.LBFGS#addParamGroup": () => [new optim.LBFGS([leaf(2)]), { params: [leaf(2)] }],
  "torch.autograd.Function.apply": () => [],
};

/** Classes that others extend, and errors, which the library makes. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  "nn.Module",
  "optim.Optimizer",
  "data.transforms.Transform",
  "data.transforms.Transform#forward",
  "torch.autograd.Function",
  "torch.autograd.Node",
  "torch.autograd.GradcheckError",
  "DeviceMismatchError",
  "OutOfMemoryError",
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

/** Of the last landings, still without a right call: this list may only shrink. */
export const NOT_YET: readonly string[] = [
  "lab.architectures",
  "lab.logbook.draft",
  "lab.remote",
  "lab.remotes",
  "lab.smoke",
  "accelerator.requireSameDevice",
  "mps.profiler.start",
  "mps.profiler.stop",
  "mps.profiler.profile",
  "mps.profiler.signposts",
  "mps.profiler.isMetalCaptureEnabled",
  "mps.profiler.isCapturingMetal",
  "mps.profiler.metalCapture",
  "mps.compileShader",
  "mps.loadMetallib",
  "mps.workarounds.instanceNorm3dForBatchNorm3d",
  "mps.workarounds.raiseEps",
  "mps.workarounds.SafeLayerNorm",
  "mps.workarounds.SafeLayerNorm#forward",
  "mps.workarounds.check",
  "mps.workarounds.checkAll",
  "mps.workarounds.float32For",
  "mps.workarounds.multipleOf8",
  "mps.workarounds.onCpu",
  "mps.workarounds.outOfPlace",
  "mps.workarounds.padToMultipleOf8",
  "mps.workarounds.sparseMatmul",
  "mps.workarounds.toDense",
];

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
  ...tensorCalls,
  ...autogradCalls,
  ...deviceCalls,
  ...labCalls,
};
