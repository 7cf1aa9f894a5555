// Quantized tensors: how they say what their integers stand for. Their numbers are in namespaces.test.ts.
import { expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";

it("a quantized tensor names its scheme and its parameters", () => {
  const x = torch.quantizePerTensor(torch.tensor([0, 0.5, 1]), 0.5, 1, "quint8");
  expect([x.qscheme(), x.qScale(), x.qZeroPoint()]).toEqual(["per_tensor_affine", 0.5, 1]);
  expect([x.dtype, x.itemsize, x.intRepr().tolist(), x.dequantize().tolist()]).toEqual([
    "quint8",
    1,
    [1, 2, 3],
    [0, 0.5, 1],
  ]);
  expect([x.tolist(), x.at(2).item()]).toEqual([[0, 0.5, 1], 1]);
});

it("by channel, with a scale for each", () => {
  const scales = torch.tensor([0.5, 0.25], { dtype: "float64" });
  const x = torch.quantizePerChannel(torch.ones([2, 2]), scales, torch.tensor([0, 1]), 0, "qint8");
  expect([x.qscheme(), x.qPerChannelAxis(), x.qPerChannelScales().tolist()]).toEqual([
    "per_channel_affine",
    0,
    [0.5, 0.25],
  ]);
  expect(x.intRepr().tolist()).toEqual([
    [2, 2],
    [5, 5],
  ]);
});

it("other tensors have no scheme", () => {
  expect(() => torch.ones([1]).qscheme()).toThrow(
    new TypeError(
      "qscheme() is of quantized tensors, and this one is float32: torch.quantizePerTensor() makes one.",
    ),
  );
});
