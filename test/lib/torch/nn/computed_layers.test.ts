// Lazy layers, layers with computed weights, SyncBatchNorm, and functions of attention and loss with the caller's weights:
// PyTorch's numbers from PyTorch's seeds (test/fixtures/computed_layers.py), and misuse.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";
import { refuses } from "../tensor/misuse.ts";
import { fromRecord, type Recorded } from "./recorded.ts";

interface Trained {
  readonly shape: number[];
  readonly outputs: Recorded[];
  readonly initial: Record<string, Recorded>;
  readonly trained: Record<string, Recorded>;
  readonly name: string;
  readonly next: number;
}

const fixture = readFixture<{
  lazy: Record<string, Trained>;
  computed: Record<string, Trained>;
  attention: Record<string, Recorded>;
}>("computed_layers.json");

const { orthogonal, spectralNorm, weightNorm } = nn.utils.parametrizations;

const LAZY: Record<string, () => nn.Layer> = {
  LazyLinear: () => new nn.LazyLinear(3),
  "LazyLinear, no bias": () => new nn.LazyLinear(3, { bias: false }),
  LazyConv1d: () => new nn.LazyConv1d(4, 3),
  LazyConv2d: () => new nn.LazyConv2d(4, 3, { groups: 2, padding: 1 }),
  LazyConv3d: () => new nn.LazyConv3d(2, 2),
  LazyConvTranspose1d: () => new nn.LazyConvTranspose1d(4, 3),
  LazyConvTranspose2d: () => new nn.LazyConvTranspose2d(4, 3, { groups: 2 }),
  LazyConvTranspose3d: () => new nn.LazyConvTranspose3d(2, 2),
  LazyBatchNorm1d: () => new nn.LazyBatchNorm1d(),
  LazyBatchNorm2d: () => new nn.LazyBatchNorm2d(),
  LazyBatchNorm3d: () => new nn.LazyBatchNorm3d(),
  LazyInstanceNorm1d: () => new nn.LazyInstanceNorm1d({ affine: true }),
  LazyInstanceNorm2d: () => new nn.LazyInstanceNorm2d(),
  LazyInstanceNorm3d: () => new nn.LazyInstanceNorm3d(),
};

const COMPUTED: Record<string, () => nn.Layer> = {
  weightNorm: () => weightNorm(new nn.Linear(5, 3)),
  "weightNorm, dim null": () => weightNorm(new nn.Linear(5, 3), "weight", null),
  "weightNorm of a convolution": () => weightNorm(new nn.Conv2d(2, 3, 3)),
  spectralNorm: () => spectralNorm(new nn.Linear(5, 3)),
  "spectralNorm, 3 steps": () => spectralNorm(new nn.Conv2d(2, 3, 3), "weight", { nPowerIterations: 3 }),
  "spectralNorm, transposed": () => spectralNorm(new nn.ConvTranspose1d(2, 3, 3)),
  "spectralNorm of a vector": () => spectralNorm(new nn.LayerNorm(5)),
  orthogonal: () => orthogonal(new nn.Linear(4, 4)),
  "orthogonal, tall": () => orthogonal(new nn.Linear(3, 5)),
  "orthogonal, wide, cayley": () => orthogonal(new nn.Linear(5, 3), "weight", { orthogonalMap: "cayley" }),
  "orthogonal, householder alone": () =>
    orthogonal(new nn.Linear(3, 5), "weight", { useTrivialization: false }),
};

/** Steps of 0.1 let some of these grow to thousands, of which a float32 keeps seven digits. */
function expectNear(tensor: Tensor, recorded: Recorded): void {
  expect([tensor.shape, tensor.dtype]).toEqual([recorded.shape, recorded.dtype]);
  const largest = (x: Tensor) => (x.numel() === 0 ? 0 : Number(x.abs().max().item()));
  const expected = fromRecord(recorded).to("cpu", "float64");
  const distance = largest(tensor.detach().to("cpu", "float64").sub(expected));
  expect(distance).toBeLessThan(Math.max(2e-4, 2e-6 * largest(expected)));
}

for (const [kind, makers] of Object.entries({ lazy: LAZY, computed: COMPUTED }) as [
  "lazy" | "computed",
  Record<string, () => nn.Layer>,
][]) {
  describe(`a ${kind} layer`, () => {
    it("is tested for every one that PyTorch recorded", () => {
      expect(Object.keys(makers)).toEqual(Object.keys(fixture[kind]));
    });

    for (const [name, make] of Object.entries(makers)) {
      it(`${name} has PyTorch's values, outputs, and state after training, the optimizer made before the first input`, () => {
        const record = fixture[kind][name]!;
        torch.manualSeed(1);
        const layer = make();
        const parameters = layer.parameters();
        const optimizer = parameters.length > 0 ? new optim.SGD(parameters, { lr: 0.1 }) : null;
        const count = record.shape.reduce((product, size) => product * size, 1);
        const x = torch.linspace(-2, 3, count).reshape(record.shape).cos();
        for (const [step, expected] of record.outputs.entries()) {
          const output = layer(x);
          expectNear(output, expected);
          if (step === 0) {
            expect(Object.keys(layer.stateDict())).toEqual(Object.keys(record.initial));
            for (const [key, value] of Object.entries(record.initial))
              expectNear(layer.stateDict()[key]!, value);
          }
          optimizer?.zeroGrad();
          if (optimizer) output.mul(output).sum().backward();
          optimizer?.step();
        }
        for (const [key, value] of Object.entries(record.trained)) expectNear(layer.stateDict()[key]!, value);
        expect(layer.constructor.name).toBe(record.name);
        expect(torch.rand([]).item()).toBe(Math.fround(record.next));
      });
    }
  });
}

describe("a lazy layer", () => {
  it("says what it does not know yet, and is an ordinary layer afterwards", () => {
    const layer = new nn.LazyLinear(3);
    expect(String(layer)).toBe("LazyLinear(inFeatures=0, outFeatures=3, bias=true)");
    layer(torch.ones([2, 5]));
    expect([String(layer), layer instanceof nn.LazyLinear]).toEqual([
      "Linear(inFeatures=5, outFeatures=3, bias=true)",
      false,
    ]);
    expect(() => layer(torch.ones([2, 6]))).toThrow(
      "the input's last dimension must be 5, got shape [2, 6].",
    );
  });

  it("takes its shape from a state that it loads, and initialises nothing then", () => {
    const layer = new nn.LazyLinear(3);
    layer.loadStateDict({ weight: torch.full([3, 4], 2), bias: torch.zeros([3]) });
    expect(layer(torch.ones([1, 4])).tolist()).toEqual([[8, 8, 8]]);
  });

  // Metal has no float64.
  it.skipIf(torch.getDefaultDevice() === "mps")("moves to another dtype before its first input", () => {
    const layer = new nn.LazyLinear(3).to("float64");
    expect(layer(torch.ones([1, 4], { dtype: "float64" })).dtype).toBe("float64");
  });

  refuses([
    [
      "channels that groups do not divide",
      () => new nn.LazyConv1d(4, 1, { groups: 2 })(torch.ones([1, 3, 5])),
      "RangeError",
      "LazyConv1d(0, 4, kernelSize=[1], stride=[1], groups=2): the input's channels must be a multiple of groups, got 3 and 2.",
    ],
    ["no tensor for its first input", () => new nn.LazyLinear(4)(3 as never), "TypeError", "LazyLinear..."],
  ]);
});

describe("a parametrization", () => {
  const { isParametrized, registerParametrization, removeParametrizations } = nn.utils.parametrize;

  class Symmetric extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.triu().add(x.triu(1).t());
    }

    rightInverse(x: Tensor): Tensor {
      return x.triu();
    }
  }

  class Doubled extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.mul(2);
    }
  }

  it("makes a tensor of another, under PyTorch's keys, and steps follow one another", () => {
    const layer = new nn.Linear(3, 3, { bias: false });
    layer.weight.detach().copy_(torch.arange(9, { dtype: "float32" }).view([3, 3]));
    registerParametrization(layer, "weight", new Symmetric());
    expect(Object.keys(layer.stateDict())).toEqual(["parametrizations.weight.original"]);
    expect(layer.weight.tolist()).toEqual([
      [0, 1, 2],
      [1, 4, 5],
      [2, 5, 8],
    ]);
    registerParametrization(layer, "weight", new Doubled());
    expect(layer.weight.at(0).tolist()).toEqual([0, 2, 4]);
    layer(torch.ones([1, 3]))
      .sum()
      .backward();
    expect(layer.parameters()[0]!.grad!.tolist()).toEqual([
      [2, 4, 4],
      [0, 2, 4],
      [0, 0, 2],
    ]);
  });

  it("takes an assignment by its inverse", () => {
    const layer = registerParametrization(new nn.Linear(2, 2), "weight", new Symmetric()) as nn.Linear;
    const value = torch.tensor([
      [1, 2],
      [2, 3],
    ]);
    layer.weight = value as nn.Parameter;
    expect(layer.weight.equal(value)).toBe(true);
  });

  it("is removed again, with the value that was computed or with the original", () => {
    const layer = weightNorm(new nn.Linear(4, 2));
    const before = layer.weight.detach().clone();
    expect([isParametrized(layer), isParametrized(layer, "bias")]).toEqual([true, false]);
    removeParametrizations(layer, "weight");
    expect([isParametrized(layer), layer.weight.allclose(before)]).toEqual([false, true]);
    expect(Object.keys(layer.stateDict()).toSorted()).toEqual(["bias", "weight"]);
    const doubled = registerParametrization(new nn.Linear(2, 2), "weight", new Doubled()) as nn.Linear;
    const original = doubled.weight.detach().div(2);
    removeParametrizations(doubled, "weight", { leaveParametrized: false });
    expect(doubled.weight.equal(original)).toBe(true);
  });

  it("keeps a spectral norm of one, in training and in eval", () => {
    torch.manualSeed(0);
    const layer = spectralNorm(new nn.Linear(6, 4));
    for (let i = 0; i < 20; i++) layer(torch.ones([1, 6]));
    layer.eval();
    const { weight } = layer;
    expect(torch.linalg.matrixNorm(weight, 2).item()).toBeCloseTo(1, 4);
    expect(layer.weight.equal(weight)).toBe(true);
  });

  it("keeps a weight orthogonal while it is trained", () => {
    const layer = orthogonal(new nn.Linear(6, 4, { bias: false }));
    const optimizer = new optim.SGD(layer.parameters(), { lr: 0.1 });
    for (let step = 0; step < 5; step++) {
      optimizer.zeroGrad();
      layer(torch.ones([1, 6]))
        .square()
        .sum()
        .backward();
      optimizer.step();
    }
    const product = layer.weight.detach().matmul(layer.weight.detach().t());
    expect(product.allclose(torch.eye(4), 1e-4, 1e-5)).toBe(true);
    const plain = orthogonal(new nn.Linear(4, 4), "weight", {
      orthogonalMap: "cayley",
      useTrivialization: false,
    });
    expect(plain.weight.detach().matmul(plain.weight.detach().t()).allclose(torch.eye(4), 1e-4, 1e-5)).toBe(
      true,
    );
  });

  class Flat extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.flatten();
    }
  }
  refuses([
    [
      "a name that is no tensor's",
      () => registerParametrization(new nn.Linear(2, 2), "weights", new Doubled()),
      "TypeError",
      'registerParametrization: Linear has no parameter or buffer "weights".',
    ],
    [
      "a function for a module",
      () => registerParametrization(new nn.Linear(2, 2), "weight", ((x: Tensor) => x) as never),
      "TypeError",
      "registerParametrization: the parametrization must be a module, got a function.",
    ],
    [
      "another shape",
      () => registerParametrization(new nn.Linear(2, 3), "weight", new Flat()),
      "RangeError",
      'registerParametrization: Flat makes [6] of "weight", which is [3, 2]; the shape must stay.',
    ],
    [
      "an assignment without an inverse",
      () =>
        ((registerParametrization(new nn.Linear(2, 2), "weight", new Doubled()) as nn.Linear).weight =
          torch.ones([2, 2]) as never),
      "TypeError",
      "Doubled has no rightInverse, so its tensor cannot be assigned to.",
    ],
    [
      "removing what is not there",
      () => removeParametrizations(new nn.Linear(2, 2), "weight"),
      "TypeError",
      "removeParametrizations: Linear.weight is not parametrized.",
    ],
    [
      "removing one of two originals",
      () => removeParametrizations(weightNorm(new nn.Linear(2, 2)), "weight", { leaveParametrized: false }),
      "TypeError",
      "removeParametrizations: Linear.weight is made of 2 tensors; leave out leaveParametrized: false.",
    ],
    [
      "no power iterations",
      () => spectralNorm(new nn.Linear(2, 2), "weight", { nPowerIterations: 0 }),
      "RangeError",
      "spectralNorm: nPowerIterations must be an integer of at least 1, got 0.",
    ],
    [
      "a dimension that is not there",
      () => spectralNorm(new nn.Linear(2, 2), "weight", { dim: 2 }),
      "RangeError",
      "spectralNorm: dim must be below the 2 dimensions of weight, got 2.",
    ],
    [
      "an orthogonal vector",
      () => orthogonal(new nn.LayerNorm(3)),
      "RangeError",
      "orthogonal: weight must be a matrix or a batch of them, got [3].",
    ],
    [
      "an unknown map",
      () => orthogonal(new nn.Linear(2, 2), "weight", { orthogonalMap: "qr" as never }),
      "TypeError",
      'orthogonal: orthogonalMap must be one of "matrix_exp", "cayley", "householder", got "qr".',
    ],
    [
      "a weight that is not there",
      () => weightNorm(new nn.ReLU()),
      "TypeError",
      'registerParametrization: ReLU has no parameter or buffer "weight".',
    ],
  ]);
});

describe("SyncBatchNorm", () => {
  it("is BatchNorm in one process, of any number of dimensions", () => {
    const x = torch.randn([4, 3, 5]);
    const [sync, plain] = [new nn.SyncBatchNorm(3), new nn.BatchNorm1d(3)];
    expect(sync(x).equal(plain(x))).toBe(true);
    expect(Object.keys(sync.stateDict())).toEqual(Object.keys(plain.stateDict()));
    expect(new nn.SyncBatchNorm(3)(torch.randn([2, 3, 2, 2, 2])).shape).toEqual([2, 3, 2, 2, 2]);
    expect(() => sync(torch.ones([4, 2]))).toThrow("the input must be [batch, 3, ...], got shape [4, 2].");
  });
});

describe("functions with the caller's weights", () => {
  const { query, key, weight, bias, outWeight, outBias, output, weights } = Object.fromEntries(
    Object.entries(fixture.attention).map(([name, recorded]) => [name, fromRecord(recorded)]),
  ) as Record<string, Tensor>;
  const own = { inProjWeight: weight!, inProjBias: bias!, outProjWeight: outWeight!, outProjBias: outBias! };

  it("attend as PyTorch's multi_head_attention_forward", () => {
    const [attended, given] = F.multiHeadAttentionForward(query!, key!, key!, 2, own);
    expect(attended.allclose(output!, 1e-4, 1e-5)).toBe(true);
    expect(given!.allclose(weights!, 1e-4, 1e-5)).toBe(true);
    const [fused, none] = F.multiHeadAttentionForward(query!, key!, key!, 2, own, { needWeights: false });
    expect([fused.allclose(output!, 1e-4, 1e-5), none]).toEqual([true, null]);
  });

  it("drop whole channels, and pool without indices", () => {
    torch.manualSeed(0);
    const dropped = F.dropout1d(torch.ones([2, 8, 4]), 0.5);
    expect(dropped.std(2).max().item()).toBe(0);
    expect(F.dropout1d(torch.ones([8, 4]), 0.5).shape).toEqual([8, 4]);
    const volumes = [F.dropout3d(torch.ones([64, 2, 2, 2])), new nn.Dropout3d()(torch.ones([64, 2, 2, 2]))];
    expect(volumes.map((one) => one.flatten(1).std(1).max().item())).toEqual([0, 0]);
    expect(F.fractionalMaxPool2d(torch.ones([1, 1, 6, 6]), [2, 2], { outputSize: [3, 3] }).shape).toEqual([
      1, 1, 3, 3,
    ]);
  });

  it("drop of [batch, features] what PyTorch drops, whose own script does so, and warn once", () => {
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warnings.mockRestore());
    const layer = new nn.Dropout2d(0.5);
    const dropped = (layer: (x: Tensor) => Tensor): Tensor => {
      torch.manualSeed(0);
      return layer(torch.ones([4, 6]));
    };
    expect(dropped(layer).equal(dropped((x) => F.featureDropout(x, 0.5)))).toBe(true);
    dropped(layer);
    expect(warnings.mock.calls).toEqual([
      [
        "Dropout2d: an input of 2 dimensions is read as [batch, channels]: each element is dropped alone, as Dropout does.",
      ],
    ]);
  });

  refuses([
    [
      "attention without weights",
      () => F.multiHeadAttentionForward(query!, key!, key!, 2, { outProjWeight: outWeight! }),
      "TypeError",
      "multiHeadAttentionForward: the weights must have outProjWeight, and inProjWeight or qProjWeight, kProjWeight and vProjWeight.",
    ],
    [
      "attention of matrices",
      () => F.multiHeadAttentionForward(query!.select(1, 0), key!, key!, 2, own),
      "RangeError",
      "multiHeadAttentionForward: query, key and value must be [length, batch, size], got shapes [3, 8], [4, 2, 8], [4, 2, 8].",
    ],
    [
      "three heads of eight numbers",
      () => F.multiHeadAttentionForward(query!, key!, key!, 3, own),
      "RangeError",
      "multiHeadAttentionForward: the query's size must be a multiple of numHeads, got 8 and 3.",
    ],
  ]);
});
