// A right call of what `torch` and tensors have beside libtorch's operators.
import { torch } from "../../../../lib/index.ts";
import { anything, inFolder, leaf, long, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

const STFT_OPTIONS = {
  hopLength: 2,
  winLength: 8,
  window: ones(8),
  center: false,
  padMode: "reflect",
  normalized: false,
  onesided: true,
  returnComplex: true,
};

const values = { dtype: "float32", device: "cpu", requiresGrad: false };
const sparse = { ...values, checkInvariants: true };
const generator = () => new torch.Generator();
const coo = () =>
  torch.sparseCooTensor(
    [
      [0, 1],
      [1, 0],
    ],
    [0.5, 2.5],
    [2, 2],
  );

const creation: RightCalls = {
  tensor: () => [
    [
      [1, 2],
      [3, 4],
    ],
    values,
  ],
  asTensor: () => [Float32Array.of(1, 2), { dtype: "float32", device: "cpu" }],
  finfo: () => ["float32"],
  iinfo: () => ["int8"],
  fromTypedArray: () => [Float32Array.of(1, 2, 3, 4), [2, 2], values],
  full: () => [[2, 3], 1.5, values],
  sparseCooTensor: () => [
    [
      [0, 1],
      [1, 0],
    ],
    [1, 2],
    [2, 2],
    { ...sparse, isCoalesced: false },
  ],
  sparseCsrTensor: () => [[0, 1, 2], [1, 0], [1, 2], [2, 2], sparse],
  sparseCscTensor: () => [[0, 1, 2], [1, 0], [1, 2], [2, 2], sparse],
  sparseBsrTensor: () => [
    [0, 1],
    [0],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [2, 2],
    sparse,
  ],
  sparseBscTensor: () => [
    [0, 1],
    [0],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [2, 2],
    sparse,
  ],
  sparseCompressedTensor: () => [[0, 1, 2], [1, 0], [1, 2], [2, 2], { ...sparse, layout: "sparse_csr" }],
  "sparse.mm": () => [coo().toSparseCsr(), ones(2, 2), "sum"],
  "sparse.addmm": () => [ones(2, 2), coo(), ones(2, 2), { beta: 1, alpha: 1 }],
  "sparse.sampledAddmm": () => [coo().toSparseCsr(), ones(2, 2), ones(2, 2), { beta: 1, alpha: 1 }],
  "sparse.sum": () => [coo(), 0, { dtype: "float64" }],
  "sparse.softmax": () => [coo(), 1, { dtype: "float64" }],
  "sparse.logSoftmax": () => [coo(), 1, { dtype: "float64" }],
  "sparse.spdiags": () => [ones(1, 3), long(0), [3, 3], "sparse_coo"],
};

const composed: RightCalls = {
  broadcastShapes: () => [
    [2, 1],
    [1, 3],
  ],
  numel: () => [ones(2, 3)],
  "testing.assertClose": () => [
    anything,
    anything,
    { rtol: 0, atol: 1, equalNan: true, checkDevice: true, checkDtype: true },
  ],
  cdist: () => [ones(2, 3), ones(4, 3), 2, "use_mm_for_euclid_dist"],
  nonzero: () => [ones(2, 2), { asTuple: true }],
  norm: () => [ones(2, 3), 2, [0, 1], true, { dtype: "float64" }],
  tensordot: () => [ones(2, 3), ones(3, 4), [[1], [0]]],
  unique: () => [long(1, 1, 2), { sorted: true, returnInverse: true, returnCounts: true, dim: 0 }],
  uniqueConsecutive: () => [long(1, 1, 2), { returnInverse: true, returnCounts: true, dim: 0 }],
  unravelIndex: () => [long(1, 3), [2, 2]],
  stft: () => [ones(16), 8, STFT_OPTIONS],
  slice: () => [0, 4, 2],
};

const session: RightCalls = {
  autocast: () => [{ deviceType: "cpu", dtype: "bfloat16", enabled: true, cacheEnabled: true }, () => 1],
  capture: () => [(x: unknown) => x, { checkEvery: 10 }],
  checkpoint: () => [
    (x: unknown) => x,
    [ones(2)],
    { preserveRngState: true, earlyStop: true, determinismCheck: true },
  ],
  checkpointSequential: () => [
    [(x: unknown) => x, (x: unknown) => x],
    2,
    ones(2),
    { preserveRngState: true },
  ],
  device: () => ["cpu"],
  enableGrad: () => [() => 1],
  noGrad: () => [() => 1],
  inferenceMode: () => [() => 1],
  tidy: () => [() => ones(2)],
  isTensor: () => [anything],
  getAutocastDtype: () => ["cpu"],
  isAutocastEnabled: () => ["cpu"],
  setAutocastDtype: () => ["cpu", "bfloat16"],
  setAutocastEnabled: () => ["cpu", false],
  getDefaultDevice: () => [],
  setDefaultDevice: () => ["cpu"],
  getDefaultDtype: () => [],
  setDefaultDtype: () => ["float32"],
  areDeterministicAlgorithmsEnabled: () => [],
  isDeterministicAlgorithmsWarnOnlyEnabled: () => [],
  useDeterministicAlgorithms: () => [false, { warnOnly: false }],
  getNumThreads: () => [],
  setNumThreads: () => [1],
  getPrintoptions: () => [],
  setPrintoptions: () => [{ precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80, sciMode: null }],
  getRngState: () => ["cpu"],
  forkRng: () => [() => 1, { devices: ["cpu"] }],
  setRngState: () => [torch.getRngState(), "cpu"],
  initialSeed: () => [],
  manualSeed: () => [7],
  seed: () => [],
  isGradEnabled: () => [],
  setGradEnabled: () => [true],
  load: () => {
    torch.save({ w: ones(2) }, inFolder("w.safetensors"));
    return [inFolder("w.safetensors"), { device: "cpu", mmap: true }];
  },
  save: () => [ofNames({ w: ones(2) }), inFolder("w.safetensors")],
  showImages: () => [
    ones(3, 8, 8),
    { columns: 2, padding: 1, scale: 1, normalize: false, displayId: "ones" },
  ],
  Generator: () => ["cpu"],
  "Generator#manualSeed": () => [generator(), 7],
  "Generator#seed": () => [generator()],
  "Generator#initialSeed": () => [generator()],
  "Generator#getState": () => [generator()],
  "Generator#setState": () => [generator(), generator().getState()],
  "Generator#cloneState": () => [generator()],
  "profiler.Profile": () => [
    {
      activities: ["cpu"],
      schedule: () => "record",
      onTraceReady: () => {},
      recordShapes: true,
      profileMemory: true,
      withStack: true,
    },
  ],
  "profiler.Profile#start": () => [idle()],
  "profiler.Profile#step": () => [running()],
  "profiler.Profile#stop": () => [running()],
  "profiler.Profile#events": () => [profiled()],
  "profiler.Profile#keyAverages": () => [profiled(), { groupByInputShape: false, groupByStackN: 0 }],
  "profiler.Profile#exportChromeTrace": () => [profiled(), inFolder("trace.json")],
  "profiler.profile": () => (idle(), [{ recordShapes: true, profileMemory: true, withStack: true }, () => 1]),
  "profiler.recordFunction": () => ["forward", () => 1],
  "profiler.schedule": () => [{ wait: 1, warmup: 1, active: 2, repeat: 1, skipFirst: 0 }],
};

const profiled = () => {
  idle();
  return torch.profiler.profile({}, () => void ones(2).add(1));
};
/** One runs at a time: before another is made, the last is stopped, unless the call did that. */
let last: InstanceType<typeof torch.profiler.Profile> | undefined;
const idle = () => {
  try {
    last?.stop();
  } catch {
    // It does not run.
  }
  last = new torch.profiler.Profile();
  return last;
};
const running = () => {
  const profile = idle();
  profile.start();
  return profile;
};

const ofTensor: RightCalls = {
  norm: () => [ones(2, 3), 2, [0, 1], true, { dtype: "float64" }],
  unique: () => [long(1, 1, 2), { sorted: true, returnInverse: true, returnCounts: true, dim: 0 }],
  uniqueConsecutive: () => [long(1, 1, 2), { returnInverse: true, returnCounts: true, dim: 0 }],
  nonzero: () => [ones(2, 2), { asTuple: true }],
  stft: () => [ones(16), 8, STFT_OPTIONS],
  registerHook: () => [leaf(2), (grad: unknown) => void grad],
  qscheme: () => [torch.quantizePerTensor(ones(2), 0.1, 0, "quint8")],
  byte: () => [ones(2)],
  char: () => [ones(2)],
  cfloat: () => [ones(2)],
  cdouble: () => [ones(2)],
  requiresGrad_: () => [ones(2), true],
  retainGrad: () => [leaf(2).mul(2)],
  registerPostAccumulateGradHook: () => [leaf(2), () => {}],
  backward: () => [leaf(2).mul(2), ones(2), { retainGraph: true, createGraph: false, inputs: undefined }],
  size: () => [ones(2, 3), -1],
  stride: () => [ones(2, 3), -1],
  storageOffset: () => [ones(2)],
  dim: () => [ones(2)],
  numel: () => [ones(2)],
  isContiguous: () => [ones(2)],
  item: () => [ones(1)],
  itemAsync: () => [ones(1)],
  dataAsync: () => [ones(2)],
  tolist: () => [ones(2)],
  data: () => [ones(2)],
  untypedStorage: () => [ones(2)],
  to: () => [ones(2), "cpu", "float64", { copy: true, nonBlocking: false }],
  cpu: () => [ones(2)],
  float: () => [ones(2)],
  double: () => [ones(2)],
  half: () => [ones(2)],
  bfloat16: () => [ones(2)],
  long: () => [ones(2)],
  int: () => [ones(2)],
  short: () => [ones(2)],
  bool: () => [ones(2)],
  at: () => [ones(3, 3), torch.slice(1, 3), [0, 2], null],
  setAt: () => [ones(3, 3), torch.slice(1, 3), 0, 7],
  dispose: () => [ones(2)],
  mps: () => [ones(2, 2), { copy: true }],
  toString: () => [ones(2)],
};

export const tensorCalls: RightCalls = {
  ...under("torch", { ...creation, ...composed, ...session }),
  ...Object.fromEntries(Object.entries(ofTensor).map(([name, call]) => [`Tensor#${name}`, call])),
};
