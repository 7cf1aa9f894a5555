// Wrong arguments that end the process, or never end, inside libtorch: each is refused with a sentence. The table is in
// native/refusals.cc; without it each of these ends this process, or this suite's time.
import { describe, expect, it } from "vitest";
import { torch } from "../../lib/index.ts";

const { aten } = torch.ops;
const x = torch.ones([2, 2]);
const mkldnn = aten.to_mkldnn.default(x);
const quantized = torch.quantizePerTensor(x, 0.1, 0, "qint8");
const rows = torch.tensor([0, 1]);
const line = torch.ones([1, 2, 4]);
const plane = torch.ones([1, 1, 4, 4]);
const planeIndices = torch.zeros([1, 1, 4, 4], { dtype: "int64" });

describe("refused, and the session goes on:", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "reflection padding without widths",
      () => aten.reflection_pad1d_backward.default(line, line, []),
      /must be a list of 2, but it has 0 elements/,
    ],
    [
      "the same in two dimensions",
      () => aten.reflection_pad2d_backward.default(plane, plane, []),
      /must be a list of 4, but it has 0 elements/,
    ],
    [
      "fractional pooling without a kernel",
      () => aten.fractional_max_pool2d_backward.default(plane, plane, [], [1, 1], planeIndices),
      /must be a list of 2/,
    ],
    [
      "fractional pooling without an output size",
      () => aten.fractional_max_pool2d_backward.default(plane, plane, [2, 2], [], planeIndices),
      /must be a list of 2/,
    ],
    [
      "a quantized LSTM cell without a state",
      () => aten.quantized_lstm_cell.default(x, [], ...[x, x, x, x, x, x, x, x, 1, 1, 1, 1]),
      /must be a list of 2, but it has 0 elements/,
    ],
    [
      "an mkldnn tensor to be copied into another",
      () => aten.copy.out(mkldnn, x, false, { out: torch.empty([2, 2]) }),
      /a tensor of mkldnn's layout cannot be copied so: convert it with toDense\(\)/,
    ],
    [
      "an mkldnn tensor to be copied by index",
      () => aten.index_copy_.default(x, 0, rows, mkldnn),
      /every tensor must be strided, but one is Mkldnn: convert it with toDense\(\)/,
    ],
    [
      "a quantized tensor seen as another dtype",
      () => aten.view_copy.dtype(quantized, "int8"),
      /a quantized tensor has no such view: take intRepr\(\) or dequantize\(\)/,
    ],
    [
      "combinations of two thousand million",
      () => torch.combinations(torch.ones([4]), 2 ** 31 - 1),
      /r must be at most 64, but it is 2147483647/,
    ],
    [
      "a search without end for quantization parameters",
      () => torch.chooseQparamsOptimized(torch.randn([4]), 2, 8, 1e300, -7),
      /ratio must be from 0 to 1/,
    ],
  ])("%s", (_, call, message) => {
    expect(call).toThrow(message);
  });

  it("what is right in these operators is done as before", () => {
    expect(torch.combinations(torch.tensor([1, 2, 3])).tolist()).toEqual([
      [1, 2],
      [1, 3],
      [2, 3],
    ]);
    expect(aten.reflection_pad1d_backward.default(torch.ones([1, 2, 6]), line, [1, 1])).toMatchObject({
      shape: [1, 2, 4],
    });
    expect(torch.zeros([2, 2]).indexCopy(0, rows, x).tolist()).toEqual(x.tolist());
    expect(
      torch.chooseQparamsOptimized(torch.tensor([1, 2, 3, 4], { dtype: "float32" }), 4, 8, 0.5, 8),
    ).toHaveLength(2);
  });
});
