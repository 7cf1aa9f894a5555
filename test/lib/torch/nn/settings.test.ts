// A layer computes with the settings that its fields have when it is called, as PyTorch's layers do.
import { expect, it } from "vitest";
import { type Tensor, nn, torch } from "../../../../lib/index.ts";

type Unary = nn.Module & ((x: Tensor) => Tensor);

const x = torch.tensor([-2, -0.5, 0.25, 3], { dtype: "float32" });
const rounded = (values: unknown) => (values as number[]).map((value) => Number(value.toFixed(4)));

// The values are PyTorch's, of a layer whose attribute was set.
it.each<[string, () => Unary, Readonly<Record<string, number>>, readonly number[]]>([
  ["LeakyReLU", () => new nn.LeakyReLU(), { negativeSlope: 0.5 }, [-1, -0.25, 0.25, 3]],
  ["ELU", () => new nn.ELU(), { alpha: 2 }, [-1.7293, -0.7869, 0.25, 3]],
  ["CELU", () => new nn.CELU(), { alpha: 2 }, [-1.2642, -0.4424, 0.25, 3]],
  ["Softplus", () => new nn.Softplus(), { beta: 2, threshold: 1 }, [0.0091, 0.1566, 0.487, 3]],
  ["Hardshrink", () => new nn.Hardshrink(), { lambda: 0.3 }, [-2, -0.5, 0, 3]],
  ["Softshrink", () => new nn.Softshrink(), { lambda: 0.25 }, [-1.75, -0.25, 0, 2.75]],
  ["Threshold", () => new nn.Threshold(0, 0), { threshold: -1, value: 7 }, [7, -0.5, 0.25, 3]],
  ["Hardtanh", () => new nn.Hardtanh(), { minVal: -0.25, maxVal: 2 }, [-0.25, -0.25, 0.25, 2]],
])("%s", (_, make, settings, expected) => {
  const layer = make();
  Object.assign(layer, settings);
  expect(rounded(layer(x).tolist())).toEqual(expected);
});

it("inplace of an activation and of a dropout", () => {
  for (const layer of [new nn.ReLU(), new nn.Dropout(0)]) {
    Object.assign(layer, { inplace: true });
    const input = x.clone();
    expect((layer as Unary)(input).isSetTo(input)).toBe(true);
  }
});

it("AvgPool2d", () => {
  const layer = new nn.AvgPool2d(2);
  Object.assign(layer, { stride: [1, 1], padding: [1, 1], countIncludePad: false });
  const image = torch.arange(4).float().view([1, 1, 2, 2]);
  expect((layer as Unary)(image).tolist()).toEqual([
    [
      [
        [0, 0.5, 1],
        [1, 1.5, 2],
        [2, 2.5, 3],
      ],
    ],
  ]);
  Object.assign(layer, { divisorOverride: 2 });
  expect((layer as Unary)(image).tolist()).toEqual([
    [
      [
        [0, 0.5, 0.5],
        [1, 3, 2],
        [1, 2.5, 1.5],
      ],
    ],
  ]);
});

it("the activation of a transformer's layer", () => {
  const layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0 });
  const other = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0, activation: "gelu" });
  other.loadStateDict(layer.stateDict());
  Object.assign(layer, { activation: "gelu" });
  const source = torch.rand([3, 2, 4]);
  expect(layer(source).tolist()).toEqual(other(source).tolist());
});
