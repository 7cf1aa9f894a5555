// Losses against PyTorch, as functions and as layers; targets that cannot be meant are told in words.
import { describe, expect, it } from "vitest";
import { functional as F, nn, torch, type Tensor } from "../../../../lib/index.ts";
import { expectClose, fixtures, fromRecord } from "./recorded.ts";
import { refuses } from "../tensor/misuse.ts";

const weight = () => torch.tensor([0.5, 1, 2, 0.25]);

const LOSSES: Record<string, (input: Tensor, target: Tensor) => Tensor> = {
  crossEntropy: (x, t) => F.crossEntropy(x, t),
  "crossEntropy sum": (x, t) => F.crossEntropy(x, t, { reduction: "sum" }),
  "crossEntropy none": (x, t) => F.crossEntropy(x, t, { reduction: "none" }),
  "crossEntropy weight": (x, t) => F.crossEntropy(x, t, { weight: weight() }),
  "crossEntropy ignoreIndex": (x, t) => F.crossEntropy(x, t, { ignoreIndex: 2 }),
  "crossEntropy labelSmoothing": (x, t) => F.crossEntropy(x, t, { labelSmoothing: 0.1 }),
  "crossEntropy probabilities": (x, t) => F.crossEntropy(x, t),
  "crossEntropy images": (x, t) => F.crossEntropy(x, t),
  nllLoss: (x, t) => F.nllLoss(x, t, { weight: weight() }),
  mseLoss: (x, t) => F.mseLoss(x, t),
  "mseLoss sum": (x, t) => F.mseLoss(x, t, { reduction: "sum" }),
  "mseLoss none": (x, t) => F.mseLoss(x, t, { reduction: "none" }),
  l1Loss: (x, t) => F.l1Loss(x, t),
  smoothL1Loss: (x, t) => F.smoothL1Loss(x, t, { beta: 0.5 }),
  huberLoss: (x, t) => F.huberLoss(x, t, { delta: 0.7 }),
  binaryCrossEntropy: (x, t) => F.binaryCrossEntropy(x, t),
  binaryCrossEntropyWithLogits: (x, t) =>
    F.binaryCrossEntropyWithLogits(x, t, { posWeight: torch.tensor([1, 2, 3], { dtype: "float32" }) }),
  klDiv: (x, t) => F.klDiv(x, t, { reduction: "batchmean" }),
};

const LAYERS: Record<string, () => nn.Module & ((input: Tensor, target: Tensor) => Tensor)> = {
  crossEntropy: () => new nn.CrossEntropyLoss(),
  "crossEntropy weight": () => new nn.CrossEntropyLoss({ weight: weight() }),
  "crossEntropy labelSmoothing": () => new nn.CrossEntropyLoss({ labelSmoothing: 0.1 }),
  nllLoss: () => new nn.NLLLoss({ weight: weight() }),
  mseLoss: () => new nn.MSELoss(),
  "mseLoss sum": () => new nn.MSELoss({ reduction: "sum" }),
  l1Loss: () => new nn.L1Loss(),
  smoothL1Loss: () => new nn.SmoothL1Loss({ beta: 0.5 }),
  binaryCrossEntropyWithLogits: () =>
    new nn.BCEWithLogitsLoss({ posWeight: torch.tensor([1, 2, 3], { dtype: "float32" }) }),
};

function check(name: string, loss: (input: Tensor, target: Tensor) => Tensor): void {
  const record = fixtures.losses[name]!;
  const input = fromRecord(record.input).requiresGrad_();
  const value = loss(input, fromRecord(record.target));
  expectClose(value, record.value);
  value.sum().backward();
  expectClose(input.grad, record.inputGrad);
}

describe("a loss", () => {
  it("has its numbers in the fixtures, each of them tested here", () => {
    expect(Object.keys(LOSSES)).toEqual(Object.keys(fixtures.losses));
  });

  for (const [name, loss] of Object.entries(LOSSES)) {
    it(`${name} gives PyTorch's value and gradient`, () => check(name, loss));
  }
  for (const [name, build] of Object.entries(LAYERS)) {
    it(`${name} gives them as a layer too`, () => check(name, build()));
  }

  it("keeps its weight as a buffer, which moves with it", () => {
    const loss = new nn.CrossEntropyLoss({ weight: weight() });
    expect(Object.keys(loss.stateDict())).toEqual(["weight"]);
    expect(loss.to("float64").weight!.dtype).toBe("float64");
  });

  it("takes one item's class index as [1], and one score alone, in multiMarginLoss", () => {
    const scores = torch.tensor([0.1, 0.2, 0.4, 0.8]);
    const index = torch.tensor([3]);
    expect(F.multiMarginLoss(scores, index).item()).toBeCloseTo(0.325, 6);
    expect(F.multiMarginLoss(scores, index.squeeze(0)).item()).toBeCloseTo(0.325, 6);
    expect(F.multiMarginLoss(scores, index, { reduction: "none" }).shape).toEqual([1]);
    expect(F.multiMarginLoss(torch.tensor(0.5), torch.tensor(0)).item()).toBe(0);
  });

  const logits = torch.zeros([4, 3]);
  const labels = torch.zeros([4], { dtype: "int64" });
  refuses([
    [
      "class indices as floats",
      () => F.crossEntropy(logits, torch.zeros([4])),
      "TypeError",
      'crossEntropy: class indices must be int64, got float32; convert them with target.to("int64").',
    ],
    [
      "class indices as int32",
      () => F.crossEntropy(logits, labels.to("int32")),
      "TypeError",
      'crossEntropy: class indices must be int64, got int32; convert them with target.to("int64").',
    ],
    [
      "too few labels",
      () => F.crossEntropy(logits, labels.narrow(0, 0, 2)),
      "RangeError",
      "crossEntropy: an input of shape [4, 3] takes class indices of shape [4] or probabilities of shape [4, 3], got int64 of shape [2].",
    ],
    [
      "labels with a dimension too many",
      () => F.crossEntropy(logits, labels.unsqueeze(1) as Tensor),
      "RangeError",
      "crossEntropy: an input of shape [4, 3] takes class indices of shape [4] or probabilities of shape [4, 3], got int64 of shape [4, 1].",
    ],
    [
      "a scalar as logits",
      () => F.crossEntropy(torch.zeros([]), labels),
      "RangeError",
      "crossEntropy: the input must be [classes] or [batch, classes, ...], got shape [].",
    ],
    [
      "numbers as logits",
      () => F.crossEntropy([1, 2] as unknown as Tensor, labels),
      "TypeError",
      "crossEntropy: input must be a tensor, got [1, 2].",
    ],
    [
      "numbers as labels",
      () => F.crossEntropy(logits, 3 as never),
      "TypeError",
      "crossEntropy: target must be a tensor, got 3.",
    ],
    [
      "an unknown reduction",
      () => F.crossEntropy(logits, labels, { reduction: "average" as never }),
      "TypeError",
      'crossEntropy: reduction must be one of "mean", "sum", "none", got "average".',
    ],
    [
      "an unknown option",
      () => F.crossEntropy(logits, labels, { smoothing: 0.1 } as never),
      "TypeError",
      'crossEntropy: unknown option "smoothing"; it takes reduction, weight, ignoreIndex, labelSmoothing.',
    ],
    [
      "label smoothing above 1",
      () => F.crossEntropy(logits, labels, { labelSmoothing: 1.5 }),
      "RangeError",
      "crossEntropy: labelSmoothing must be at least 0 and at most 1, got 1.5.",
    ],
    [
      "a fraction to ignore",
      () => F.crossEntropy(logits, labels, { ignoreIndex: 0.5 }),
      "RangeError",
      "crossEntropy: ignoreIndex must be an integer, got 0.5.",
    ],
    [
      "a label outside the classes",
      () => F.crossEntropy(logits, labels.add(7)),
      "RangeError",
      "crossEntropy(): Target 7 is out of bounds (got self float32 [4, 3], target int64 [4]).",
    ],
    [
      "probabilities for nllLoss",
      () => F.nllLoss(logits, logits),
      "RangeError",
      "nllLoss: an input of shape [4, 3] takes class indices of shape [4], got float32 of shape [4, 3].",
    ],
    [
      "a column against a row for mseLoss",
      () => F.mseLoss(torch.zeros([4]), torch.zeros([4, 1]) as Tensor),
      "RangeError",
      "mseLoss: input and target must have one shape, got [4] and [4, 1]; reshape one of them.",
    ],
    [
      "a number for l1Loss",
      () => F.l1Loss(1 as unknown as Tensor, logits),
      "TypeError",
      "l1Loss: input must be a tensor, got 1.",
    ],
    [
      "a negative beta",
      () => F.smoothL1Loss(logits, logits, { beta: -1 }),
      "RangeError",
      "smoothL1Loss: beta must be at least 0, got -1.",
    ],
    [
      "batchmean without a batch",
      () => F.klDiv(torch.zeros([]), torch.zeros([]), { reduction: "batchmean" }),
      "RangeError",
      'klDiv: "batchmean" needs a batch dimension, got shape [].',
    ],
  ]);
});

describe("functional dropout", () => {
  it("scales what it keeps, and does nothing when not training", () => {
    torch.manualSeed(0);
    const values = new Set((F.dropout(torch.ones([100]), 0.75) as Tensor).tolist() as number[]);
    expect([...values].sort()).toEqual([0, 4]);
    expect(F.dropout(torch.ones([3]), 0.75, false).tolist()).toEqual([1, 1, 1]);
  });

  refuses([
    [
      "a probability above 1",
      () => F.dropout(torch.ones([1]), 2),
      "RangeError",
      "dropout: p must be at least 0 and at most 1, got 2.",
    ],
    [
      "a number for training",
      () => F.dropout(torch.ones([1]), 0.5, 1 as never),
      "TypeError",
      "dropout: training must be true or false, got 1.",
    ],
  ]);
});
