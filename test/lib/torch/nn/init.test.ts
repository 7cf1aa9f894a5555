// Initialisers against PyTorch: values, and how many random numbers each draws.
import { describe, expect, it } from "vitest";
import { type Generator, nn, torch, type Tensor } from "../../../../lib/index.ts";
import { expectClose, fixtures } from "./recorded.ts";
import { refuses } from "../tensor/misuse.ts";

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

  it.each([
    ["uniform_", (t) => init.uniform_(t, { a: -2, b: 3 }), (t) => init.uniform_(t, -2, 3)],
    ["normal_", (t) => init.normal_(t, { std: 2 }), (t) => init.normal_(t, 0, 2)],
    ["truncNormal_", (t) => init.truncNormal_(t, { std: 0.02 }), (t) => init.truncNormal_(t, 0, 0.02)],
    ["sparse_", (t) => init.sparse_(t, 0.5, { std: 1 }), (t) => init.sparse_(t, 0.5, 1)],
    [
      "kaimingNormal_",
      (t) => init.kaimingNormal_(t, { mode: "fanOut", nonlinearity: "relu" }),
      (t) => init.kaimingNormal_(t, 0, "fanOut", "relu"),
    ],
    ["kaimingUniform_", (t) => init.kaimingUniform_(t, { a: 0.5 }), (t) => init.kaimingUniform_(t, 0.5)],
    ["xavierUniform_", (t) => init.xavierUniform_(t, { gain: 2 }), (t) => init.xavierUniform_(t, 2)],
    ["xavierNormal_", (t) => init.xavierNormal_(t, { gain: 2 }), (t) => init.xavierNormal_(t, 2)],
    ["orthogonal_", (t) => init.orthogonal_(t, { gain: 2 }), (t) => init.orthogonal_(t, 2)],
  ] satisfies [string, (t: Tensor) => Tensor, (t: Tensor) => Tensor][])(
    "%s takes its numbers by name as by place",
    (_, byName, byPlace) => {
      torch.manualSeed(1);
      const named = byName(torch.empty([3, 4]));
      torch.manualSeed(1);
      expect(byPlace(torch.empty([3, 4])).equal(named)).toBe(true);
    },
  );

  it.each([
    ["uniform_", (t, d) => init.uniform_(t, 0, 1, d), (t) => init.uniform_(t)],
    ["normal_", (t, d) => init.normal_(t, d), (t) => init.normal_(t)],
    ["truncNormal_", (t, d) => init.truncNormal_(t, d), (t) => init.truncNormal_(t)],
    [
      "truncNormal_ tail",
      (t, d) => init.truncNormal_(t, 0, 1, 2, 4, d),
      (t) => init.truncNormal_(t, 0, 1, 2, 4),
    ],
    ["kaimingNormal_", (t, d) => init.kaimingNormal_(t, d), (t) => init.kaimingNormal_(t)],
    [
      "kaimingUniform_",
      (t, d) => init.kaimingUniform_(t, 1, "fanIn", "relu", d),
      (t) => init.kaimingUniform_(t, 1, "fanIn", "relu"),
    ],
    ["xavierUniform_", (t, d) => init.xavierUniform_(t, 1, d), (t) => init.xavierUniform_(t)],
    ["xavierNormal_", (t, d) => init.xavierNormal_(t, d), (t) => init.xavierNormal_(t)],
    ["orthogonal_", (t, d) => init.orthogonal_(t, d), (t) => init.orthogonal_(t)],
  ] satisfies [string, (t: Tensor, drawing: { generator: Generator }) => Tensor, (t: Tensor) => Tensor][])(
    "%s draws from a generator, and leaves the session's alone",
    (_, drawn, plain) => {
      torch.manualSeed(5);
      const state = torch.getRngState();
      const generator = new torch.Generator(torch.getDefaultDevice()).manualSeed(8);
      const filled = drawn(torch.empty([3, 4]), { generator });
      expect(torch.getRngState().equal(state)).toBe(true);
      torch.manualSeed(8);
      expect(plain(torch.empty([3, 4])).equal(filled)).toBe(true);
    },
  );

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
      "a name that it does not know",
      () => init.kaimingNormal_(torch.empty([2, 2]), { fan: "fanOut" } as never),
      "TypeError",
      'init.kaimingNormal_: unknown option "fan"; it takes a, mode, nonlinearity, generator.',
    ],
    [
      "PyTorch's spelling of a mode",
      () => init.kaimingNormal_(torch.empty([2, 2]), { mode: "fan_out" as never }),
      "TypeError",
      'init.kaimingNormal_: mode must be one of "fanIn", "fanOut", got "fan_out".',
    ],
    [
      "a number by place and by name",
      () => init.normal_(torch.empty([2, 2]), 0, { mean: 1 } as never),
      "TypeError",
      "init.normal_: mean is given twice, by place and by name; leave one out.",
    ],
    [
      "a seed for a generator",
      () => init.normal_(torch.empty([2, 2]), { generator: 3 as never }),
      "TypeError",
      "init.normal_: generator must be made by new torch.Generator(), got 3.",
    ],
    [
      "more arguments than there are",
      () => init.xavierNormal_(torch.empty([2, 2]), ...([1, {}, {}] as never as [number])),
      "TypeError",
      "init.xavierNormal_ takes at most 2 arguments and options, and got 4: (tensor, gain, { generator }).",
    ],
    [
      "a generator that is in no options",
      () => init.xavierNormal_(torch.empty([2, 2]), new torch.Generator() as never),
      "TypeError",
      "init.xavierNormal_: gain must be a number, got a Generator.",
    ],
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
