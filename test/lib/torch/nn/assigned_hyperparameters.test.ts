// Hyperparameters that are assigned after a layer was made: the layer then computes what one made with them computes.
import { expect, it } from "vitest";
import { nn, type Tensor, torch } from "../../../../lib/index.ts";

const image = () => torch.randn([2, 4, 5, 5]);

type Case = [name: string, assigned: () => nn.Module, made: () => nn.Module, input?: () => Tensor];

/** Assigns to a layer that is typed: each line is a test of the type too. */
function withAssigned<Layer extends nn.Module>(layer: Layer, assign: (layer: Layer) => void): Layer {
  assign(layer);
  return layer;
}

const cases: Case[] = [
  [
    "LayerNorm.eps",
    () => withAssigned(new nn.LayerNorm(5), (l) => (l.eps = 0.5)),
    () => new nn.LayerNorm(5, { eps: 0.5 }),
  ],
  [
    "RMSNorm.eps",
    () => withAssigned(new nn.RMSNorm(5), (l) => (l.eps = 0.5)),
    () => new nn.RMSNorm(5, { eps: 0.5 }),
  ],
  [
    "GroupNorm.eps",
    () => withAssigned(new nn.GroupNorm(2, 4), (l) => (l.eps = 0.5)),
    () => new nn.GroupNorm(2, 4, { eps: 0.5 }),
  ],
  [
    "BatchNorm2d.eps and momentum",
    () => withAssigned(new nn.BatchNorm2d(4), (l) => ((l.eps = 0.5), (l.momentum = 0.9))),
    () => new nn.BatchNorm2d(4, { eps: 0.5, momentum: 0.9 }),
  ],
  [
    "InstanceNorm2d.eps",
    () => withAssigned(new nn.InstanceNorm2d(4), (l) => (l.eps = 0.5)),
    () => new nn.InstanceNorm2d(4, { eps: 0.5 }),
  ],
  [
    "LocalResponseNorm.alpha, beta, k and size",
    () =>
      withAssigned(new nn.LocalResponseNorm(2), (l) =>
        Object.assign(l, { alpha: 1, beta: 0.5, k: 2, size: 3 }),
      ),
    () => new nn.LocalResponseNorm(3, 1, 0.5, 2),
  ],
  ["Dropout.p", () => withAssigned(new nn.Dropout(0.9), (l) => (l.p = 0.2)), () => new nn.Dropout(0.2)],
  ["Dropout2d.p", () => withAssigned(new nn.Dropout2d(0.9), (l) => (l.p = 0.2)), () => new nn.Dropout2d(0.2)],
  [
    "LeakyReLU.negativeSlope",
    () => withAssigned(new nn.LeakyReLU(), (l) => (l.negativeSlope = 0.5)),
    () => new nn.LeakyReLU(0.5),
  ],
  ["ELU.alpha", () => withAssigned(new nn.ELU(), (l) => (l.alpha = 0.5)), () => new nn.ELU(0.5)],
  ["Softplus.beta", () => withAssigned(new nn.Softplus(), (l) => (l.beta = 2)), () => new nn.Softplus(2)],
  [
    "Hardtanh.minVal and maxVal",
    () => withAssigned(new nn.Hardtanh(), (l) => ((l.minVal = -0.1), (l.maxVal = 0.2))),
    () => new nn.Hardtanh(-0.1, 0.2),
  ],
  [
    "GELU.approximate",
    () => withAssigned(new nn.GELU(), (l) => (l.approximate = "tanh")),
    () => new nn.GELU({ approximate: "tanh" }),
  ],
  ["Softmax.dim", () => withAssigned(new nn.Softmax(0), (l) => (l.dim = 1)), () => new nn.Softmax(1)],
  [
    "MaxPool2d.ceilMode",
    () => withAssigned(new nn.MaxPool2d(2), (l) => (l.ceilMode = true)),
    () => new nn.MaxPool2d(2, { ceilMode: true }),
  ],
  [
    "AvgPool2d.countIncludePad and divisorOverride",
    () =>
      withAssigned(
        new nn.AvgPool2d(2, { padding: 1 }),
        (l) => ((l.countIncludePad = false), (l.divisorOverride = 3)),
      ),
    () => new nn.AvgPool2d(2, { padding: 1, countIncludePad: false, divisorOverride: 3 }),
  ],
  [
    "ConstantPad2d.value",
    () => withAssigned(new nn.ConstantPad2d(1, 0), (l) => (l.value = 7)),
    () => new nn.ConstantPad2d(1, 7),
  ],
  [
    "GRU.dropout and batchFirst",
    () => withAssigned(new nn.GRU(5, 3, { numLayers: 2 }), (l) => ((l.dropout = 0.5), (l.batchFirst = true))),
    () => new nn.GRU(5, 3, { numLayers: 2, dropout: 0.5, batchFirst: true }),
    () => torch.randn([2, 4, 5]),
  ],
  [
    "Embedding.maxNorm",
    () => withAssigned(new nn.Embedding(9, 3), (l) => (l.maxNorm = 0.1)),
    () => new nn.Embedding(9, 3, { maxNorm: 0.1 }),
    () => torch.randint(9, [4]),
  ],
];

it.each(cases.map((one) => [one[0], one] as const))("%s", (_, [, assigned, made, input = image]) => {
  const outcome = (make: Case[1]) => {
    torch.manualSeed(4);
    const layer = make();
    const first: Tensor | readonly Tensor[] = layer(input());
    return [...(Array.isArray(first) ? first : [first])].map((one: Tensor) => one.tolist());
  };
  expect(outcome(assigned)).toEqual(outcome(made));
});

it("losses", () => {
  const [logits, target] = [torch.randn([4, 3]), torch.tensor([0, 2, 1, 1])];
  const loss = new nn.CrossEntropyLoss();
  loss.labelSmoothing = 0.3;
  loss.reduction = "sum";
  const made = new nn.CrossEntropyLoss({ labelSmoothing: 0.3, reduction: "sum" });
  expect(loss(logits, target).item()).toBe(made(logits, target).item());
});

it("one that no layer can have is refused where it is used", () => {
  const dropout = new nn.Dropout();
  dropout.p = 5;
  expect(() => dropout(image())).toThrow(/dropout probability has to be between 0 and 1, but got 5/);
});
