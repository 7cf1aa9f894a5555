// Sparse tensors from arrays and tensors, what they say of themselves, and indices that cannot be.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const dense = [
  [0, 0, 3],
  [4, 0, 5],
];

describe("a sparse tensor is made", () => {
  it.each([
    [
      "coo",
      () =>
        torch.sparseCooTensor(
          [
            [0, 1, 1],
            [2, 0, 2],
          ],
          [3, 4, 5],
          [2, 3],
        ),
    ],
    [
      "coo, of the least size that holds its indices",
      () =>
        torch.sparseCooTensor(
          [
            [0, 1, 1],
            [2, 0, 2],
          ],
          [3, 4, 5],
        ),
    ],
    [
      "coo, from tensors",
      () =>
        torch.sparseCooTensor(
          torch.tensor([
            [0, 1, 1],
            [2, 0, 2],
          ]),
          torch.tensor([3, 4, 5]),
        ),
    ],
    [
      "coo, one index twice",
      () =>
        torch.sparseCooTensor(
          [
            [0, 1, 1, 1],
            [2, 0, 2, 2],
          ],
          [3, 4, 2, 3],
        ),
    ],
    ["csr", () => torch.sparseCsrTensor([0, 1, 3], [2, 0, 2], [3, 4, 5], [2, 3])],
    ["csr, of the least size", () => torch.sparseCsrTensor([0, 1, 3], [2, 0, 2], [3, 4, 5])],
    ["csc", () => torch.sparseCscTensor([0, 1, 1, 3], [1, 0, 1], [4, 3, 5], [2, 3])],
    [
      "bsr",
      () =>
        torch
          .sparseBsrTensor([0, 1, 2], [2, 0], [[[3]], [[4]]], [2, 3])
          .toDense()
          .add(
            torch.tensor([
              [0, 0, 0],
              [0, 0, 5],
            ]),
          )
          .toSparse(),
    ],
    [
      "any compressed layout",
      () => torch.sparseCompressedTensor([0, 1, 3], [2, 0, 2], [3, 4, 5], [2, 3], { layout: "sparse_csr" }),
    ],
  ])("%s", (_, make) => {
    expect([make().dtype, make().toDense().tolist()]).toEqual(["int64", dense]);
  });

  it("with the dtype of its values, or another", () => {
    expect(torch.sparseCooTensor([[0]], [1.5]).dtype).toBe("float32");
    expect(torch.sparseCooTensor([[0]], [1.5], { dtype: "float64" }).dtype).toBe("float64");
    expect(torch.sparseCsrTensor([0, 1], [0], [1], { dtype: "complex64" }).dtype).toBe("complex64");
  });

  it("without elements", () => {
    expect(torch.sparseCooTensor([2, 3]).toDense().tolist()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(torch.sparseCooTensor([[], []], [], [2, 3]).shape).toEqual([2, 3]);
    expect(torch.sparseCsrTensor([0, 0, 0], [], [], [2, 3]).toDense().sum().item()).toBe(0);
  });

  it("that autograd records", () => {
    const x = torch.sparseCooTensor([[0, 1]], [2, 3], [2], { dtype: "float32", requiresGrad: true });
    x.toDense()
      .mul(torch.tensor([10, 100]))
      .sum()
      .backward();
    expect(x.grad?.toDense().tolist()).toEqual([10, 100]);
  });
});

it("coalescing adds up what has one index, and sorts", () => {
  const x = torch.sparseCooTensor([[1, 0, 1]], [1, 2, 3], [2]);
  expect([x.isCoalesced(), x.coalesce().isCoalesced()]).toEqual([false, true]);
  expect([x.coalesce().indices().tolist(), x.coalesce().values().tolist()]).toEqual([[[0, 1]], [2, 4]]);
});

it("torch.sparse multiplies without making it dense", () => {
  const x = torch.sparseCsrTensor([0, 1, 3], [2, 0, 2], [3, 4, 5], [2, 3], { dtype: "float32" });
  expect(torch.sparse.mm(x, torch.ones([3, 1])).tolist()).toEqual([[3], [9]]);
  expect(torch.sparse.mm(x, torch.ones([3, 1]), "mean").tolist()).toEqual([[3], [4.5]]);
  const sampled = torch.sparse.sampledAddmm(x, torch.ones([2, 1]), torch.ones([1, 3]), { beta: 0 });
  expect(sampled.toDense().tolist()).toEqual([
    [0, 0, 1],
    [1, 0, 1],
  ]);
  const added = torch.sparse.addmm(torch.ones([2, 1]), x, torch.ones([3, 1]), { beta: 10 });
  expect(added.tolist()).toEqual([[13], [19]]);
  const diagonals = torch.sparse.spdiags(torch.ones([1, 2]), torch.tensor([1]), [2, 2]);
  expect(diagonals.toDense().tolist()).toEqual([
    [0, 1],
    [0, 0],
  ]);
});

describe("indices that cannot be", () => {
  const coo = "torch.sparseCooTensor:";
  const csr = "torch.sparseCsrTensor:";
  refuses([
    [
      "an index outside",
      () => torch.sparseCooTensor([[0, 5]], [1, 2], [2]),
      "RangeError",
      `${coo} size is inconsistent with indices: for dim 0, size is 2 but found index 5.`,
    ],
    [
      "a fraction",
      () => torch.sparseCooTensor([[0.5]], [1]),
      "TypeError",
      `${coo} indices must be of int64 or int32, got float32.`,
    ],
    [
      "a column outside",
      () => torch.sparseCsrTensor([0, 1], [7], [1], [1, 3]),
      "RangeError",
      `${csr} \`0 <= col_indices < ncols\` is not satisfied.`,
    ],
    [
      "a row's end beyond the values",
      () => torch.sparseCsrTensor([0, 9], [0], [1], [1, 3]),
      "RangeError",
      `${csr} \`crow_indices[..., -1] == nnz\` is not satisfied.`,
    ],
    [
      "a row's end beyond the values, without a size",
      () => torch.sparseCsrTensor([0, 9], [0], [1]),
      "RangeError",
      `${csr} \`crow_indices[..., -1] == nnz\` is not satisfied.`,
    ],
    [
      "a size that is a number",
      () => torch.sparseCsrTensor([0, 1], [0], [1], 3 as never),
      "TypeError",
      `${csr} size must be an array of integers, got 3.`,
    ],
    [
      "an unknown option",
      () => torch.sparseCooTensor([[0]], [1], [1], { dtyp: "int8" } as never),
      "TypeError",
      `${coo} unknown option "dtyp"; it takes dtype, device, requiresGrad, checkInvariants, isCoalesced.`,
    ],
    [
      "a layout of no such tensor",
      () => torch.sparseCompressedTensor([0], [0], [0], null, { layout: "strided" as never }),
      "TypeError",
      'torch.sparseCompressedTensor: layout must be one of "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", got "strided".',
    ],
    [
      "no matrix",
      () => (torch.sparse.mm as () => unknown)(),
      "TypeError",
      "sparse.mm(): argument 'sparse' is missing: it must be a Tensor. Use ...",
    ],
  ]);
});
