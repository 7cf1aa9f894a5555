// Initialisers against PyTorch: values, and how many random numbers each draws.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { expectClose, fixtures } from "./recorded.ts";
import { refuses } from "../misuse.ts";

const { init } = nn;

const INITIALISERS: Record<string, (tensor: Tensor) => Tensor> = {
  uniform_: (t) => init.uniform_(t, -2, 3),
  normal_: (t) => init.normal_(t, 1, 2),
  kaimingUniform_: (t) => init.kaimingUniform_(t, 0, "fanIn", "relu"),
  "kaimingUniform_ fanOut": (t) => init.kaimingUniform_(t, 0.2, "fanOut"),
  kaimingNormal_: (t) => init.kaimingNormal_(t, 0, "fanIn", "relu"),
  xavierUniform_: (t) => init.xavierUniform_(t, 1.5),
  xavierNormal_: (t) => init.xavierNormal_(t),
  orthogonal_: (t) => init.orthogonal_(t, 2),
  truncNormal_: (t) => init.truncNormal_(t, 0.5, 1, -1, 1.5),
  "truncNormal_ tail": (t) => init.truncNormal_(t, 0, 1, 2, 4),
  sparse_: (t) => init.sparse_(t.flatten(1), 0.4),
};

describe("init", () => {
  it("has its numbers in the fixtures, each of them tested here", () => {
    expect(Object.keys(INITIALISERS)).toEqual(Object.keys(fixtures.initialisers));
  });

  for (const [name, fill] of Object.entries(INITIALISERS)) {
    it(`${name} draws PyTorch's numbers in PyTorch's order`, () => {
      torch.manualSeed(7);
      const [first, second] = fixtures.initialisers[name]!;
      expectClose(fill(torch.empty([3, 5])), first);
      expectClose(fill(torch.empty([4, 2, 3])), second);
    });
  }

  it("fills in place, unseen by autograd, and gives the tensor back", () => {
    const weight = torch.empty([2, 2], { requiresGrad: true });
    expect(init.constant_(weight, 0.5)).toBe(weight);
    expect(weight.tolist()).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
    expect(weight.isLeaf).toBe(true);
    expect(init.zeros_(weight).tolist()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(init.ones_(weight).tolist()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(init.eye_(torch.empty([2, 3])).tolist()).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  it("makes convolutions that pass channels on", () => {
    const conv = new nn.Conv1d(2, 4, 3, { padding: 1, bias: false });
    init.dirac_(conv.weight, 2);
    const x = torch.randn([1, 2, 5]);
    expect(conv(x).tolist()).toEqual(torch.cat([x, x], 1).tolist());
  });

  it("counts fan in and fan out through the receptive field", () => {
    expect(init.calculateFanInAndFanOut(torch.empty([8, 3, 5, 5]))).toEqual({ fanIn: 75, fanOut: 200 });
  });

  it("knows PyTorch's gains", () => {
    expect(init.calculateGain("linear")).toBe(1);
    expect(init.calculateGain("tanh")).toBe(5 / 3);
    expect(init.calculateGain("relu")).toBe(Math.SQRT2);
    expect(init.calculateGain("leakyRelu", 0.2)).toBe(Math.sqrt(2 / 1.04));
    expect(init.calculateGain("selu")).toBe(0.75);
  });

  refuses([
    [
      "no tensor",
      () => init.uniform_([1] as never),
      "TypeError",
      "init.uniform_: expected a tensor, got [1].",
    ],
    [
      "a vector's fan",
      () => init.kaimingUniform_(torch.empty([3])),
      "RangeError",
      "init: fan in and fan out need at least 2 dimensions, got shape [3].",
    ],
    [
      "a negative std",
      () => init.normal_(torch.empty([3]), 0, -1),
      "RangeError",
      "init.normal_: std must be at least 0, got -1.",
    ],
    [
      "an unknown mode",
      () => init.kaimingNormal_(torch.empty([2, 2]), 0, "fan_in" as never),
      "TypeError",
      'init.kaimingNormal_: mode must be one of "fanIn", "fanOut", got "fan_in".',
    ],
    [
      "an unknown nonlinearity",
      () => init.calculateGain("gelu" as never),
      "TypeError",
      'init.calculateGain: unknown nonlinearity "gelu"; use "linear", "conv1d", "conv2d", "conv3d", "sigmoid", "tanh", "relu", "leakyRelu" or "selu".',
    ],
    [
      "a cube for eye_",
      () => init.eye_(torch.empty([2, 2, 2])),
      "RangeError",
      "init.eye_: expected a tensor of 2 dimensions, got shape [2, 2, 2].",
    ],
    [
      "a vector for orthogonal_",
      () => init.orthogonal_(torch.empty([2])),
      "RangeError",
      "init.orthogonal_: expected at least 2 dimensions, got shape [2].",
    ],
  ]);
});
