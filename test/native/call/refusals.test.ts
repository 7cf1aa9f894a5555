// Wrong arguments that end the process, or never end, inside libtorch: each is refused with a sentence. The table is in
// native/call/refusals/refusals.cc; without it each of these ends this process, or this suite's time.
import { describe, expect, it } from "vitest";
import { torch } from "../../../lib/index.ts";

const { aten } = torch.ops;
const x = torch.ones([2, 2]);
const mkldnn = aten.to_mkldnn.default(x);
const quantized = torch.quantizePerTensor(x, 0.1, 0, "qint8");
const rows = torch.tensor([0, 1]);
const line = torch.ones([1, 2, 4]);
const plane = torch.ones([1, 1, 4, 4]);
const one = torch.tensor([1], { dtype: "int64" });
const none = torch.ones([0]);
const ctcBackward = (lengths: number[], blank: number) => {
  const targets = torch.tensor([[1], [1]], { dtype: "int64" });
  const [loss, probabilities] = [torch.ones([2]), torch.ones([3, 2, 4])];
  const alpha = torch.ones([2, 3, 3]);
  return aten._ctc_loss_backward.default(loss, probabilities, targets, lengths, [1, 1], loss, alpha, blank);
};
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
    [
      "a convolution's backward pass without strides",
      () => aten._slow_conv2d_backward.output_mask(plane, plane, plane, [2, 2], [], [], [true, true, true]),
      /must be a list of 2, but it has 0 elements/,
    ],
    [
      "a convolution of NNPACK with steps of nothing",
      () => aten._nnpack_spatial_convolution.default(plane, plane, null, [0, 0], [0, 0]),
      /a stride must be above 0, but one is 0/,
    ],
    [
      "tensors to be copied into fewer",
      () => aten._foreach_copy.default([], [x]),
      /both lists must have as many tensors, but they have 0 and 1/,
    ],
    [
      "a list of mkldnn tensors to be copied into",
      () => aten._foreach_copy.default([mkldnn], [x]),
      /a tensor of layout Mkldnn cannot be copied so/,
    ],
    [
      "a norm of weights for none of them",
      () => aten._weight_norm_interface.default(plane, torch.zeros([0, 3])),
      /there must be 1 norms, but there are 0/,
    ],
    [
      "the gradient of a maximum in mkldnn's layout",
      () => aten.cummaxmin_backward.default(mkldnn, x, torch.zeros([0, 3]), 1),
      /every tensor must be strided, but one is Mkldnn/,
    ],
    [
      "a sparse tensor of another layout to be copied",
      () => aten.copy.out(x.toSparse(), aten.to_sparse_csr.default(x), { out: torch.empty([2, 2]) }),
      /a tensor of layout SparseCsr cannot be copied so/,
    ],
    [
      "a weight without dimensions",
      () => aten.mkldnn_linear.default(mkldnn, torch.tensor(2, { dtype: "float32" })),
      /argument 1 must have 2 dimensions, but it has 0/,
    ],
    [
      "an index beyond the rows",
      () => aten._convert_indices_from_coo_to_csr.default(torch.tensor([0, 9], { dtype: "int64" }), 3),
      /indices must be from 0 to 2, but one is not/,
    ],
    ["no tensors to be stacked", () => aten._stack.default([]), /a list of at least one tensor/],
    [
      "no tensors to be put together in a quantized one",
      () => aten.cat.out([], 0, { out: quantized }),
      /a list of at least one tensor/,
    ],
    [
      "a transform over a dimension that is not there",
      () => aten._fft_r2c.default(x, [64], 0, true),
      /a dimension must be from 0 to 1, but one is 64/,
    ],
    [
      "a batch's dimension beyond the last",
      () => aten._remove_batch_dim.default(x, 1, 2, 2 ** 31 - 1),
      /outDim must be from 0 to 2, but it is 2147483647/,
    ],
    [
      "a number cut into chunks",
      () => aten._chunk_cat.default([torch.tensor(3)], -1, 3),
      /every tensor must have dimension -1, but one has 0 dimensions/,
    ],
    [
      "pooling of thousands of millions of nothing",
      () => aten.adaptive_max_pool3d.default(torch.ones([1, 1, 2, 4, 4]), [2 ** 31 - 1, 64, 0]),
      /beside a size of 0 none may be above 65536/,
    ],
    [
      "gates that are no three",
      () => aten._thnn_differentiable_gru_cell_backward.default(x, x, x, x, null, null),
      /must be a multiple of 3, but they are \[2, 2\]/,
    ],
    [
      "gates that are no four",
      () => aten._thnn_differentiable_lstm_cell_backward.default(null, x, x, x, null, null, x, x),
      /must be a multiple of 4, but they are \[2, 2\]/,
    ],
    [
      "equations for a smaller matrix",
      () => aten._cholesky_solve_helper.default(torch.ones([3, 2]), x, false),
      /A must be square, with as many rows/,
    ],
    [
      "a sequence of nothing",
      () => aten._pad_packed_sequence.default(x, rows, false, 0, -1),
      /batchSizes must be above 0/,
    ],
    [
      "averages of an observer without a place",
      () => aten.fused_moving_avg_obs_fake_quant.default(x, one, one, none, none, none, none, 0.1, 0, 255, 0),
      /argument 3 must have 1 elements, but it has 0/,
    ],
    [
      "fewer of them than channels",
      () => {
        const few = torch.ones([1]);
        const channels = [0.1, 0, 255, 0, true];
        aten.fused_moving_avg_obs_fake_quant.default(x, one, one, few, few, few, one.int(), ...channels);
      },
      /argument 3 must have 2 elements, but it has 1/,
    ],
    [
      "a target that is no label",
      () => torch.ctcLoss(torch.ones([3, 2, 4]), torch.tensor([[1], [9_999_999]]), [3, 3], [1, 1]),
      /targets must be labels from 0 to 3, but one is not/,
    ],
    [
      "another blank than the loss was made with",
      () => ctcBackward([3, 3], 2 ** 31 - 1),
      /blank must be from 0 to 3, but it is 2147483647/,
    ],
    [
      "longer sequences than the loss was made with",
      () => ctcBackward([30_000, 3], 0),
      /the lengths are not those that logAlpha was made for/,
    ],
    [
      "attention with no heads",
      () => aten._transform_bias_rescale_qkv.default(torch.ones([1, 1, 6]), torch.ones([6]), 0),
      /must be above 0, but it is 0/,
    ],
    [
      "weights in blocks of nothing",
      () => aten._dyn_quant_matmul_4bit.default(x, rows, 0, 1, 3),
      /must be above 0, but it is 0/,
    ],
    [
      "a batch's statistics of nothing",
      () => {
        const empty = torch.zeros([0, 3]);
        const all = [true, true, true];
        aten.native_batch_norm_backward.default(empty, empty, null, null, null, null, null, true, 0, all);
      },
      /must have elements/,
    ],
    [
      "a compressed sparse tensor to be copied into",
      () => aten.copy.default(aten.to_sparse_csr.default(x), x),
      /a tensor of layout SparseCsr cannot be copied so: convert it with toDense\(\)/,
    ],
    [
      "a quantized tensor turned about",
      () => aten._neg_view_copy.default(quantized),
      /a quantized tensor has no such view/,
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
    // Elements behind a row's length are not read.
    const padded = torch.tensor(
      [
        [1, -1],
        [2, 3],
      ],
      { dtype: "int64" },
    );
    expect(
      torch
        .ctcLoss(torch.ones([3, 2, 4]), padded, [3, 3], [1, 2])
        .isfinite()
        .item(),
    ).toBe(true);
    expect(ctcBackward([3, 3], 0)).toMatchObject({ shape: [3, 2, 4] });
    expect(torch.zeros([2, 2]).indexCopy(0, rows, x).tolist()).toEqual(x.tolist());
    expect(
      torch.chooseQparamsOptimized(torch.tensor([1, 2, 3, 4], { dtype: "float32" }), 4, 8, 0.5, 8),
    ).toHaveLength(2);
  });
});
