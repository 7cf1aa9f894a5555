// Every sample of Python in four documents about PyTorch on Apple silicon, translated by `%%python` and run as it is
// printed, on simulated Metal. Names that a sample takes from its reader's notebook are made by the cell above it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell, outcome, pythonCells } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start({ environment: { MPSLAB_METAL: "simulated" } });
});
afterAll(() => kernel.stop());

/** What a reader's notebook has: a model on the device, batches, a loss. */
const NOTEBOOK = `
import { data, functional as F, mps, nn, optim, torch, type Tensor } from "mpslab";
torch.manualSeed(0);
let [channels, hidden_size, num_epochs, accumulation_steps] = [3, 4, 1, 2];
let model = new nn.Sequential(new nn.Linear(4, 3)).to("mps");
let optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
let loss_fn = new nn.CrossEntropyLoss();
let criterion = new nn.CrossEntropyLoss();
let dataset = new data.TensorDataset(torch.randn([8, 4]), torch.randint(0, 3, [8]));
let loader = new data.DataLoader(dataset, { batchSize: 4 });
let dataloader = loader;
let train_loader = loader;
let inputs = torch.randn([4, 4]);
let targets = torch.randint(0, 3, [4]);
let input = torch.randn([4, 4], { device: "mps" });
let target = torch.randint(0, 3, [4], { device: "mps" });
let input_tensor = torch.randn([4, 4], { device: "mps" });
let large_input = input;
let tensor_mps = input;
let [x, y] = [torch.ones([2]), torch.ones([2])];
let unsupported_op = (of: Tensor) => of.mul(2);
let preprocess_on_cpu = (images: Tensor) => images.cpu();
let indices = torch.tensor([[0, 1], [1, 0]]);
let values = torch.tensor([0.5, 0.25]);
let size = [2, 2];
let dense = torch.eye(2, { device: "mps" });
torch.save({ weight: torch.zeros([2], { dtype: "float64" }) }, "model.pt");
`;

/** Cells above a sample that needs something else of its notebook. */
const ABOVE: Readonly<Record<string, string>> = {
  "optimize_mps 6": 'model = model.to("float16");',
  "mps_backend 4": `
    dataset = new data.TensorDataset(torch.randn([8, 784]), torch.randint(0, 10, [8]));
    train_loader = new data.DataLoader(dataset, { batchSize: 4 });`,
};

/** Places that `%%python` marks, by document and sample. All others are converted without a mark. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  "optimize_mps 7": ["line 5: a dictionary has no to(): its values are moved one by one"],
  "optimize_mps 10": [
    "line 1: PyTorch reads no PYTORCH_MPS_LOG_LEVEL: PYTORCH_MPS_LOG_PROFILE_INFO=31 logs operators and fallbacks",
  ],
  "optimize_mps 13": [
    "line 1: there is no torch.compile here: PyTorch's compiler reads Python's bytecode; the model runs as it is",
  ],
  "torch_2_8_on_mps 8": [
    "line 2: a context manager is a function here that takes a function: withCache(() => { ... })",
    "line 4: the decorator @contextlib.contextmanager is left out: call it on the function",
    "line 17: safe_mps_memory() is no function here that runs a block: the block runs without it",
  ],
  "torch_2_8_on_mps 9": [
    "line 13: PyTorch reads no PYTORCH_MPS_LOG_LEVEL: PYTORCH_MPS_LOG_PROFILE_INFO=31 logs operators and fallbacks",
  ],
  "torch_2_8_on_mps 11": [
    'line 1: numWorkers takes a dataset of a module, await data.workerDataset("./dataset.ts"): this loader makes its batches itself',
  ],
  "mps_backend 12": [
    'line 9: numWorkers takes a dataset of a module, await data.workerDataset("./dataset.ts"): this loader makes its batches itself',
  ],
  "mps_backend 17": ["line 7: a loader's workers are threads here: there is no start method"],
  "mps_backend 18": ["line 4: Node knows the version of Darwin: macOS 14 is Darwin 23"],
  "apple_silicon 10": [
    "line 5: this batch ends with its block, and the batch of an earlier cell stays: rename one of them",
  ],
};

/** What samples print, where it does not depend on the machine. */
const PRINTS: Readonly<Record<string, string>> = {
  "apple_silicon 1": `shape: [ 32, 128, 768 ]
one float32 batch: 12.0 MiB
training also keeps weights, activations, gradients, and optimizer state
`,
  "apple_silicon 3": "model and batch agree: true\nlogits shape: [ 32, 3 ]\n",
  "apple_silicon 4": "weights changed: true\nfinite loss: true\n",
  "apple_silicon 6": `host batch -> mps forward -> fallback op -> mps classifier -> host log
backend changes: 4
fix target: remove fallback from hot path
`,
  "apple_silicon 8": "reported loss: 2.5\n",
  "apple_silicon 9": "live tensor allocation increased: true\nrecommended limit reported: true\n",
  "apple_silicon 10": `baseline   : 100% of token positions
half batch : 50% of token positions
half length: 50% of token positions
`,
};

describe.each(["optimize_mps", "torch_2_8_on_mps", "mps_backend", "apple_silicon"])("%s", (name) => {
  const cells = pythonCells(new URL(`../../fixtures/python/documents/${name}.py`, import.meta.url));
  // The samples of one document follow each other in one notebook.
  const isSeries = name === "apple_silicon";

  it.each(cells.map((python, at) => [at + 1, python] as const))("sample %i", async (number, python) => {
    const key = `${name} ${number}`;
    const { client } = kernel;
    if (!isSeries || number === 1)
      expect(await outcome(client, `%reset -f\n${NOTEBOOK}`)).not.toContain("FAILED");
    if (ABOVE[key] !== undefined) await outcome(client, ABOVE[key]);
    // A product of matrices of ten thousand rows takes minutes on a processor.
    const { typescript, marks } = await convertCell(client, python.replaceAll("10000", "500"));
    const printed = await outcome(client, typescript);
    expect(printed).not.toContain("FAILED");
    expect(marks).toEqual(MARKS[key] ?? []);
    if (PRINTS[key] !== undefined) expect(printed).toBe(PRINTS[key]);
  });
});
