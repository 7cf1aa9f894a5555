// Maps PyTorch's modules to the library's namespaces: `torch.nn.functional` is `functional`.
import { camelCase, entryOf } from "./names.ts";

/** PyTorch's module, and the namespace in which its names stand here. */
const SPACES: Readonly<Record<string, string>> = {
  torch: "torch",
  "torch.nn": "nn",
  "torch.nn.functional": "functional",
  "torch.nn.init": "nn.init",
  "torch.nn.modules": "nn",
  "torch.nn.parallel": "nn.parallel",
  "torch.nn.parameter": "nn",
  "torch.nn.utils": "nn.utils",
  "torch.nn.utils.rnn": "nn.utils.rnn",
  "torch.nn.utils.parametrizations": "nn.utils.parametrizations",
  "torch.nn.utils.parametrize": "nn.utils.parametrize",
  "torch.optim": "optim",
  "torch.optim.lr_scheduler": "optim.lrScheduler",
  "torch.optim.swa_utils": "optim",
  "torch.utils.data": "data",
  "torch.distributed": "distributed",
  "torch.utils.checkpoint": "torch",
  "torch.utils.tensorboard": "lab",
  "torch.amp": "amp",
  "torch.cuda.amp": "amp",
  "torch.autograd": "autograd",
  "torch.autograd.profiler": "torch.profiler",
  "torch.autograd.functional": "autograd.functional",
  "torch.autograd.graph": "autograd.graph",
  "torch.func": "torch.func",
  "torch.mps": "mps",
  "torch.mps.event": "mps",
  "torch.mps.profiler": "mps.profiler",
  "torch.backends.mps": "mps",
  "torch.cuda": "cuda",
  "torch.backends.cuda": "cuda",
  "torch.cpu": "cpu",
  "torch.accelerator": "accelerator",
  "torch.random": "torch",
  "torch.serialization": "torch",
  "torch.linalg": "torch.linalg",
  "torch.fft": "torch.fft",
  "torch.special": "torch.special",
  "torch.sparse": "torch.sparse",
  "torch.profiler": "torch.profiler",
  "torch.testing": "torch.testing",
  "torch.distributions": "distributions",
  "torch.distributions.transforms": "distributions.transforms",
  "torchvision.transforms": "data.transforms",
  "torchvision.transforms.v2": "data.transforms",
  "torchvision.datasets": "data",
  "torchvision.utils": "data",
};

/** Modules of PyTorch that hold others and have no namespace. */
const HOLDERS = new Set(["torch.utils", "torch.backends", "torch.backends.cudnn", "torchvision"]);

/** `torch.nn.Linear` -> `torch.nn` */
export const parentOf = (path: string): string => path.replace(/\.[^.]+$/, "");

/** The library's namespace of a Python module, or null. */
export function spaceOf(path: string): string | null {
  if (Object.hasOwn(SPACES, path)) return SPACES[path] ?? null;
  const parent = parentOf(path);
  const last = path.slice(parent.length + 1);
  // Files of a module, as torch.nn.modules.linear, torch.utils.data.dataset or torch.distributions.normal.
  if (!/^torch\.(nn\.modules|utils\.data|optim|distributions)$/.test(parent) || !/^[a-z_]+$/.test(last))
    return null;
  const space = spaceOf(parent);
  // A function is written in small letters too: torch.utils.data.random_split
  return space === null || entryOf(space, camelCase(last)) !== null ? null : space;
}

/** Functions that are converted though the library has no such name. */
const CONVERTED = new Set([
  "torch.autograd.Variable",
  "torchvision.transforms.Lambda",
  "torchvision.transforms.v2.Lambda",
  "torch.utils.checkpoint.checkpoint",
  "torch.profiler.ProfilerActivity",
  "torch.device",
  "torch.hub.tqdm",
  "torch.serialization.safe_globals",
  "torch.Size",
  "torch.compile",
]);

/** Whether a call of it is converted, and marked where it means something else. */
export function isConverted(path: string): boolean {
  return CONVERTED.has(path);
}

export function isHolder(path: string): boolean {
  return HOLDERS.has(path);
}

/** What a notebook's earlier cells have mostly imported, under the names that PyTorch's documents use. */
export const USUAL_IMPORTS: Readonly<Record<string, string>> = {
  torch: "torch",
  nn: "torch.nn",
  F: "torch.nn.functional",
  optim: "torch.optim",
  DataLoader: "torch.utils.data.DataLoader",
  TensorDataset: "torch.utils.data.TensorDataset",
  Dataset: "torch.utils.data.Dataset",
  autocast: "torch.amp.autocast",
  GradScaler: "torch.amp.GradScaler",
  transforms: "torchvision.transforms",
  datasets: "torchvision.datasets",
  np: "numpy",
  gc: "gc",
  math: "math",
  os: "os",
  time: "time",
  random: "random",
  json: "json",
  copy: "copy",
  sys: "sys",
  platform: "platform",
  plt: "matplotlib.pyplot",
  pd: "pandas",
};
