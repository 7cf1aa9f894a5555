// Functions that are composed of operators, against PyTorch's numbers from equal seeds, and their misuse.
import { describe, expect, it } from "vitest";
import { functional as F, nn, torch, type Tensor } from "../../../../lib/index.ts";
import { expectClose, functions } from "./layers/recorded.ts";
import { refuses } from "../tensor/misuse.ts";

const randn = (...shape: number[]) => torch.randn(shape);
const image = () => randn(2, 4, 6, 6);
const flat = () => randn(3, 4);

const COMPUTED: Record<string, () => Tensor> = {
  gridSample: () => F.gridSample(image(), randn(2, 3, 3, 2), { alignCorners: true }),
  "gridSample border": () =>
    F.gridSample(image(), randn(2, 3, 3, 2), { mode: "nearest", paddingMode: "border" }),
  affineGrid: () => F.affineGrid(randn(2, 2, 3), [2, 1, 3, 4]),
  normalize: () => F.normalize(flat(), 3, 0),
  gumbelSoftmax: () => F.gumbelSoftmax(flat(), { tau: 0.5 }),
  "gumbelSoftmax hard": () => F.gumbelSoftmax(flat(), { hard: true }),
  "interpolate antialias": () => F.interpolate(image(), { size: [3, 4], mode: "bilinear", antialias: true }),
  localResponseNorm: () => F.localResponseNorm(image(), 2),
  batchNorm: () => F.batchNorm(randn(2, 4, 6), torch.zeros([4]), torch.ones([4]), { training: true }),
  instanceNorm: () => F.instanceNorm(randn(2, 4, 6)),
  "l1Loss weighted": () => F.l1Loss(flat(), flat(), { weight: torch.rand([3, 4]) }),
  "mseLoss weighted": () => F.mseLoss(flat(), flat(), { weight: torch.rand([3, 4]) }),
  "huberLoss weighted": () => F.huberLoss(flat(), flat(), { weight: torch.rand([3, 4]) }),
};

it("every function that PyTorch recorded is tested here, and no other", () => {
  expect(Object.keys(COMPUTED).sort()).toEqual(Object.keys(functions).sort());
});

it.each(Object.entries(COMPUTED))("%s gives PyTorch's numbers", (name, compute) => {
  torch.manualSeed(0);
  expectClose(name, compute(), functions[name]!);
});

it("adaptive max pooling gives the maxima, and their places under the name that says so", () => {
  const x = torch.tensor([[1, 5, 2, 4]]).float();
  expect(F.adaptiveMaxPool1d(x, 2).tolist()).toEqual([[5, 4]]);
  expect(F.adaptiveMaxPool1dWithIndices(x, 2)[1].tolist()).toEqual([[1, 3]]);
  expect(F.adaptiveMaxPool2d(x.view([1, 2, 2]), 1).tolist()).toEqual([[[5]]]);
  expect(F.adaptiveMaxPool3d(x.view([1, 1, 2, 2]), 1).tolist()).toEqual([[[[5]]]]);
});

describe("an embedding of rows that are given", () => {
  it("keeps them, and trains them only where it is told to", () => {
    const rows = torch.arange(6).float().view([3, 2]);
    const layer = nn.Embedding.fromPretrained(rows);
    expect(layer(torch.tensor([2])).tolist()).toEqual([[4, 5]]);
    expect(layer.weight.requiresGrad).toBe(false);
    expect(nn.Embedding.fromPretrained(rows, { freeze: false }).weight.requiresGrad).toBe(true);
    const bag = nn.EmbeddingBag.fromPretrained(rows, { mode: "sum" });
    expect(bag(torch.tensor([[0, 2]])).tolist()).toEqual([[4, 6]]);
  });
});

describe("an adaptive softmax", () => {
  it("predicts the class that its probabilities, which sum to 1, hold for the likeliest", () => {
    const layer = new nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 6]);
    const x = torch.randn([5, 8]);
    const probabilities = layer.logProb(x).exp();
    for (const sum of probabilities.sum(1).tolist() as number[]) expect(sum).toBeCloseTo(1, 5);
    expect(layer.predict(x).tolist()).toEqual(probabilities.argmax(1).tolist());
  });
});

const grid = () => torch.zeros([1, 2, 2, 2]);

describe("a composed function", () => {
  refuses([
    [
      "a random pool of no size",
      () => F.fractionalMaxPool(torch.zeros([1, 1, 4, 4]), [2, 2], {}),
      "TypeError",
      "fractionalMaxPool: give one of outputSize and outputRatio, got none.",
    ],
    [
      "a share of the input that is all of it",
      () => F.fractionalMaxPool(torch.zeros([1, 1, 4, 4]), [2, 2], { outputRatio: 1 }),
      "RangeError",
      "fractionalMaxPool: outputRatio[0] must be at least 5e-324 and below 1, got 1.",
    ],
    [
      "a power mean of four dimensions",
      () => F.lpPool(torch.zeros([1, 1, 2, 2, 2, 2]), 2, 2),
      "RangeError",
      "lpPool: windows have 1 to 3 dimensions, got 4; give as many sizes.",
    ],
    [
      "a misspelt option of a lookup",
      () => F.embedding(torch.zeros([1], { dtype: "int64" }), torch.zeros([2, 2]), { padding: 0 } as never),
      "TypeError",
      'embedding: unknown option "padding"; it takes paddingIdx, maxNorm, normType, scaleGradByFreq, sparse.',
    ],
    [
      "a grid of another batch",
      () => F.gridSample(torch.zeros([2, 1, 4, 4]), grid()),
      "RangeError",
      'gridSample: "bilinear" takes an input [batch, channels, ...spatial] and a grid [batch, ...sizes, 2], got shapes [2, 1, 4, 4] and [1, 2, 2, 2].',
    ],
    [
      "a grid that is no tensor",
      () => F.gridSample(torch.zeros([1, 1, 4, 4]), [] as never),
      "TypeError",
      "gridSample: grid must be a tensor, got [].",
    ],
    [
      "an unknown mode",
      () => F.gridSample(torch.zeros([1, 1, 4, 4]), grid(), { mode: "linear" as never }),
      "TypeError",
      'gridSample: mode must be one of "bilinear", "nearest", "bicubic", got "linear".',
    ],
    [
      "maps of another size",
      () => F.affineGrid(torch.zeros([1, 2, 3]), [2, 1, 3, 4]),
      "RangeError",
      "affineGrid: a size of 4 numbers needs maps [2, 2, 3], got shape [1, 2, 3].",
    ],
    [
      "a temperature of 0",
      () => F.gumbelSoftmax(torch.zeros([2]), { tau: 0 }),
      "RangeError",
      "gumbelSoftmax: tau must be at least 5e-324, got 0.",
    ],
    [
      "a size and a scale",
      () => F.interpolate(torch.zeros([1, 1, 4]), { size: 2, scaleFactor: 2 }),
      "TypeError",
      "interpolate: give one of size and scaleFactor, got both.",
    ],
    [
      "aligned corners of nearest neighbours",
      () => F.interpolate(torch.zeros([1, 1, 4]), { size: 2, alignCorners: true }),
      "TypeError",
      'interpolate: alignCorners is for linear, bilinear, bicubic and trilinear, not for "nearest".',
    ],
    [
      "indices of another shape",
      () => F.maxUnpool(torch.zeros([1, 1, 2]), torch.zeros([1, 1, 3], { dtype: "int64" }), 2),
      "RangeError",
      "maxUnpool: indices must be of the input's shape [1, 1, 2], got shape [1, 1, 3].",
    ],
    [
      "a norm of 0",
      () => F.lpPool(torch.zeros([1, 1, 4]), 0, 2),
      "RangeError",
      "lpPool: normType must not be 0.",
    ],
    [
      "negative variances",
      () => F.gaussianNllLoss(torch.zeros([2]), torch.zeros([2]), torch.tensor([1, -1])),
      "RangeError",
      "gaussianNllLoss: a variance is negative; the layer that predicts it may end in Softplus.",
    ],
    [
      "a blank that is no class",
      () =>
        F.ctcLoss(torch.zeros([2, 1, 3]), torch.zeros([1, 1], { dtype: "int64" }), [2], [1], { blank: 3 }),
      "RangeError",
      "ctcLoss: blank must be below the 3 classes, got 3.",
    ],
    [
      "weights of another shape",
      () => F.mseLoss(torch.zeros([2]), torch.zeros([2]), { weight: torch.zeros([3]) }),
      "RangeError",
      "mseLoss: input and weight must have one shape, got [2] and [3]; reshape one of them.",
    ],
    [
      "class weights of another number",
      () =>
        F.crossEntropy(torch.zeros([2, 3]), torch.zeros([2], { dtype: "int64" }), {
          weight: torch.ones([4]),
        }),
      "RangeError",
      "crossEntropy: weight must be one number for each of the 3 classes, got shape [4].",
    ],
    [
      "weights in a bag's mean",
      () =>
        F.embeddingBag(torch.zeros([1, 2], { dtype: "int64" }), torch.zeros([3, 1]), {
          perSampleWeights: torch.ones([1, 2]),
        }),
      "TypeError",
      'embeddingBag: perSampleWeights need mode "sum", got "mean".',
    ],
  ]);
});
