// A trial of calls as PyTorch's documentation and scripts write them, with arguments by place and by name: each runs and
// passes the kernel's check, or is refused in words that say what to write.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { autograd, data, functional as F, nn, optim, torch } from "../../../lib/index.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-trial-"));
const file = path.join(folder, "x.pt");

const RUN = `
new nn.Conv2d(1, 32, 3, 1)
new nn.Conv2d(16, 33, [3, 5], [2, 1], [4, 2], [3, 1])
new nn.ConvTranspose2d(16, 33, 3, 2)
new nn.MaxPool2d(2, 2)
new nn.MaxPool2d([3, 2], [2, 1])
new nn.AvgPool2d(3, 2)
new nn.LSTM(8, 16, 2)
new nn.GRU(10, 20, 2, { batchFirst: true })
new nn.Linear(2, 3, false)
new nn.Linear(2, 3, { bias: false })
new nn.Linear({ inFeatures: 2, outFeatures: 3 })
new nn.Linear(2, { outFeatures: 3, bias: false })
new nn.Conv2d({ inChannels: 1, outChannels: 32, kernelSize: 3 })
new nn.Conv2d(1, 32, { kernelSize: 3, padding: 1 })
new nn.ReLU(true)
new nn.LeakyReLU(0.2, true)
new nn.Dropout(0.2)
new nn.Softmax(1)
new nn.BatchNorm2d(100, { affine: false })
new nn.GroupNorm(3, 6)
new nn.LayerNorm([5, 10, 10])
new nn.Embedding(10, 3, 0)
new nn.TransformerEncoderLayer(512, 8, { batchFirst: true })
new nn.MultiheadAttention(16, 4)
new nn.Upsample({ scaleFactor: 2, mode: "nearest" })
new nn.Identity(54)
new nn.CrossEntropyLoss({ labelSmoothing: 0.1 })
new nn.CrossEntropyLoss(torch.ones(3))
new nn.CrossEntropyLoss(torch.ones(3), { labelSmoothing: 0.1 })
new nn.NLLLoss(torch.ones(3), null, -100)
new nn.TripletMarginLoss(1, 2)
F.crossEntropy(x, torch.tensor([0, 1]), torch.ones(3))
F.nllLoss(x, torch.tensor([0, 1]), null, null, 1)
F.tripletMarginLoss(x, x, x, 1, 2, 1e-6, true)
F.huberLoss(x, x, "sum", 2)
new data.DataLoader(dataset, 4, true)
new optim.SGD([w], 0.1, 0.9)
new optim.SGD([w], { lr: 0.1, momentum: 0.9, foreach: true, fused: false })
new optim.SGD({ params: [w], lr: 0.1 })
new optim.SGD({ params: [{ params: [w], lr: 1 }], lr: 0.1, momentum: 0.9 })
new optim.Adam({ params: [w], betas: [0.9, 0.999], fused: true })
new optim.Adam([w], 1e-3, [0.9, 0.999])
new optim.LBFGS({ params: [w], maxIter: 4 })
new optim.RMSprop({ params: [w], alpha: 0.9 })
new optim.lrScheduler.StepLR(new optim.SGD([w], 0.1), 30, 0.1)
F.unfold(image, 2)
F.fold(torch.ones(1, 8, 9), [4, 4], 2)
F.dropout(x, { training: true })
F.dropout(x, 0.5, true)
F.softmax(x, 1)
F.logSoftmax(x, 1)
F.maxPool2d(image, 2)
F.pad(x, [1, 1], "constant", 0)
F.interpolate(image, { scaleFactor: 2, mode: "bilinear", alignCorners: false })
F.oneHot(torch.arange(3), 5)
F.crossEntropy(x, torch.tensor([0, 1]), { reduction: "sum" })
F.crossEntropy({ input: x, target: torch.tensor([0, 1]), labelSmoothing: 0.1 })
F.mseLoss({ input: x, target: x, reduction: "none" })
F.tripletMarginLoss({ anchor: x, positive: x, negative: x, margin: 2 })
F.gaussianNllLoss({ input: x, target: x, var: x })
F.fractionalMaxPool2d(image, 2, 3)
F.fractionalMaxPool2d(image, 2, [3, 3])
F.fractionalMaxPool2d(image, 2, null, 0.5)
F.fractionalMaxPool2d(image, 2, { outputRatio: [0.5, 0.75] })
x.argmax(1, { keepdim: true })
x.argmax(1, true)
x.amax(1, { keepdim: true })
x.std(1, { keepdim: true })
x.sum(1, { keepdim: true })
x.quantile(0.5, 1, { keepdim: true })
x.max(1)
x.view(-1)
x.view(2, -1)
x.permute(1, 0)
x.repeat(2, 1)
x.expand(2, 2, 3)
x.flip(0, 1)
x.transpose(0, 1)
x.unsqueeze(0)
x.topk(2, 1)
x.topk(2, { largest: false })
x.sort(1, true)
x.split(1, 1)
x.chunk(3, 1)
x.clamp(0, 1)
x.clamp({ min: 0 })
x.scatter(1, torch.zeros([2, 1]).long(), 1.5)
x.gather(1, torch.zeros([2, 1]).long())
x.maskedFill(x.gt(2), 0)
torch.zeros(2, 3)
torch.ones(2, 3, { dtype: "float64" })
torch.randn(2, 3, { requiresGrad: true })
torch.full([2, 3], 1.5)
torch.full({ size: [2, 3], fillValue: 1.5 })
torch.full([2, 3], { fillValue: 1, dtype: "float64" })
torch.zeros(...[2, 3])
torch.zeros(...x.shape)
torch.tensordot(x, x, { dims: [[0, 1], [0, 1]] })
torch.tensordot({ a: x, b: x, dims: 2 })
torch.cdist(x, x, { p: 1 })
torch.cdist({ x1: x, x2: x })
torch.randint(0, 10, [2, 2])
torch.randint(10, [2, 2])
torch.arange(0, 1, 0.25)
torch.linspace(-10, 10, 5)
torch.eye(3)
torch.cat([x, x], 1)
torch.stack([x, x], 0)
torch.where(x.gt(2), x, 0)
torch.chainMatmul(x, x.t(), x)
torch.atleast3d(x, x)
torch.meshgrid(torch.arange(2), torch.arange(3), { indexing: "ij" })
torch.einsum("bi,bj->ij", x, x)
torch.addmm(torch.zeros(2, 2), x, x.t(), { beta: 0.5, alpha: 2 })
torch.allclose(x, x, 1e-5, 1e-8)
torch.norm(x, 2, 1)
torch.cumsum(x, 1)
torch.diag(torch.ones(3), 1)
torch.triu(torch.ones(3, 3), 1)
torch.load(file, { mapLocation: "cpu", weightsOnly: true })
torch.load(file, "cpu")
autograd.grad(w.mul(x).sum(), w, { retainGraph: true })
autograd.grad(w.mul(x), w, { gradOutputs: x })
autograd.grad(w.mul(x), { inputs: w, gradOutputs: x })
autograd.grad({ outputs: [w.mul(x).sum()], inputs: [w], createGraph: true })[0].shape
autograd.backward({ tensors: w.mul(x), gradTensors: x, retainGraph: true })
autograd.backward([w.mul(x)], [x], true)
new nn.Linear(3, 1).zeroGrad({ setToNone: true })
nn.utils.clipGradNorm_([w], 1, 2)
nn.init.normal_(torch.empty(3, 5), 0, 0.1)
nn.init.kaimingUniform_(torch.empty(3, 5), { mode: "fanIn", nonlinearity: "relu" })
torch.autocast("cpu", () => x.matmul(x.t()))
new nn.EmbeddingBag(10, 3, { mode: "sum" })(torch.tensor([[1, 2]]), null, torch.ones(1, 2))
new nn.EmbeddingBag(10, 3, { mode: "sum" })(torch.tensor([[1, 2]]), { perSampleWeights: torch.ones(1, 2) })
new nn.Identity(54, { unused: 0.1 })
`
  .trim()
  .split("\n");

const values = {
  F,
  autograd,
  data,
  nn,
  optim,
  torch,
  file,
  x: torch.arange(6).float().view(2, 3),
  w: torch.ones(2, 3, { requiresGrad: true }),
  image: torch.randn(1, 2, 4, 4),
  dataset: new data.TensorDataset(torch.arange(10)),
};

/** Calls that PyTorch takes and this library refuses, with what the error says at run time. */
const REFUSED: Readonly<Record<string, string>> = {
  "torch.zeros()": "argument 'size' is missing",
  'torch.rand({ dtype: "float64" })': "argument 'size' is missing",
  "torch.add(2, 3)": "argument 'self' must be a Tensor",
  "new optim.SGD({ lr: 0.1 })": "expected a list of parameters as model.parameters() gives, got an object",
  "F.crossEntropy({ input: x })": "target must be a tensor, got undefined",
  "new nn.Linear({ inFeatures: 2 })": "outFeatures must be an integer, got undefined",
  "new nn.NLLLoss(torch.ones(3), true)":
    "sizeAverage must be null, got true: PyTorch has given it up for reduction",
};

const evaluate = (text: string): unknown =>
  new Function(...Object.keys(values), `return ${text}`)(...Object.values(values));

let notebook: NotebookSession;
beforeAll(async () => {
  torch.save({ x: values.x }, file);
  notebook = new NotebookSession();
  await notebook.run('import { autograd, data, functional as F, nn, optim, torch } from "mpslab";');
});
afterAll(() => {
  notebook.close();
  rmSync(folder, { recursive: true });
});

it.each(RUN)("%s runs", (text) => {
  expect(() => evaluate(text)).not.toThrow();
});

it.each(Object.entries(REFUSED))("%s says what it takes", (text, words) => {
  expect(() => evaluate(text)).toThrow(words);
});

it("the check accepts what runs, and refuses the others", async () => {
  const setup =
    'const file = "x.pt", x = torch.zeros(2, 3), w = torch.ones(2, 3), image = torch.randn(1, 2, 4, 4), dataset = new data.TensorDataset(torch.arange(10));';
  expect(await notebook.problems([setup, ...RUN.map((text) => `${text};`)].join("\n"))).toEqual([]);
  const refused = Object.keys(REFUSED);
  const found = await notebook.problems([setup, ...refused.map((text) => `${text};`)].join("\n"));
  expect(found.map((problem) => Number(/^\d+/.exec(problem)?.[0]))).toEqual(refused.map((_, at) => at + 2));
});
