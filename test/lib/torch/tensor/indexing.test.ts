// at() and setAt() are Python's x[...], with everything that may stand between the brackets.
import type { Index } from "../../../../lib/torch/types/indices.ts";
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";

const { slice } = torch;
const x = torch.arange(24).reshape([2, 3, 4]);

describe("at", () => {
  it.each<[string, Index[], unknown]>([
    ["x[1, 2, 3]", [1, 2, 3], 23],
    ["x[-1, -1, -1]", [-1, -1, -1], 23],
    ["x[1, 0]", [1, 0], [12, 13, 14, 15]],
    ["x[0, 1:3, 0]", [0, slice(1, 3), 0], [4, 8]],
    ["x[0, 0, ::2]", [0, 0, slice(null, null, 2)], [0, 2]],
    ["x[0, 0, -2:]", [0, 0, slice(-2, null)], [2, 3]],
    ["x[0, 0, :2]", [0, 0, slice(2)], [0, 1]],
    ["x[0, 0, 5:9]", [0, 0, slice(5, 9)], []],
    [
      "x[..., 0]",
      ["...", 0],
      [
        [0, 4, 8],
        [12, 16, 20],
      ],
    ],
    ["x[1, ..., 0]", [1, "...", 0], [12, 16, 20]],
    ["x[0, 0, [3, 0]]", [0, 0, [3, 0]], [3, 0]],
    [
      "x[[1, 0], [2, 0]]",
      [
        [1, 0],
        [2, 0],
      ],
      [
        [20, 21, 22, 23],
        [0, 1, 2, 3],
      ],
    ],
    ["x[0, 0, [True, False, False, True]]", [0, 0, [true, false, false, true]], [0, 3]],
    ["x[x > 20]", [x.gt(20)], [21, 22, 23]],
    ["x[0][x[0] % 5 == 0]", [0, x.at(0).remainder(5).eq(0)], [0, 5, 10]],
    [
      "x[:, :, torch.tensor([1])][..., 0]",
      [slice(null), slice(null), torch.tensor([1])],
      [
        [[1], [5], [9]],
        [[13], [17], [21]],
      ],
    ],
    ["x[torch.tensor(1), 0]", [torch.tensor(1), 0], [12, 13, 14, 15]],
  ])("%s", (_, indices, values) => {
    expect(x.at(...indices).tolist()).toEqual(values);
  });

  it.each<[string, Index[], number[]]>([
    ["x[None]", [null], [1, 2, 3, 4]],
    ["x[:, None]", [slice(null), null], [2, 1, 3, 4]],
    ["x[..., None]", ["...", null], [2, 3, 4, 1]],
    ["x[0, None, :, None]", [0, null, slice(null), null], [1, 3, 1, 4]],
    ["x[True]", [true], [1, 2, 3, 4]],
    ["x[False]", [false], [0, 2, 3, 4]],
    [
      "x[mask of the first two dimensions, 1:]",
      [torch.ones([2, 3], { dtype: "bool" }), slice(1, null)],
      [6, 3],
    ],
    ["x[[0, 1], :, [0, 1]]", [[0, 1], slice(null), [0, 1]], [2, 3]],
    ["x[:, [0, 1], [0, 1]]", [slice(null), [0, 1], [0, 1]], [2, 2]],
    ["x[[]]", [[]], [0, 3, 4]],
  ])("%s has the shape that it has in Python", (_, indices, shape) => {
    expect(x.at(...indices).shape).toEqual(shape);
  });

  it("gives views, but for chosen elements", () => {
    const y = torch.zeros([2, 2]);
    y.at(0).fill_(1);
    y.at("...").at(slice(null), 1).fill_(2);
    y.at([0]).fill_(9);
    expect(y.tolist()).toEqual([
      [1, 2],
      [0, 2],
    ]);
  });

  it("lets gradients through", () => {
    const y = torch.ones([3], { requiresGrad: true });
    y.at(slice(2))
      .sum()
      .add(y.at([0]).sum())
      .backward();
    expect(y.grad?.tolist()).toEqual([2, 1, 0]);
  });
});

describe("setAt", () => {
  it("writes a value into a part", () => {
    const y = torch.zeros([2, 3]);
    expect(y.setAt(0, slice(1, 3), 7)).toBe(y);
    y.setAt(1, torch.tensor([1, 2, 3]));
    expect(y.tolist()).toEqual([
      [0, 7, 7],
      [1, 2, 3],
    ]);
  });

  it("reads a list as one index, as at() does: rows, or a mask", () => {
    const y = torch.zeros([3, 2]);
    y.setAt([0, 2], 5);
    expect(y.tolist()).toEqual([
      [5, 5],
      [0, 0],
      [5, 5],
    ]);
    expect(torch.zeros([3]).setAt([true, false, true], 1).tolist()).toEqual([1, 0, 1]);
  });

  it("takes several indices one after the other, as at() does", () => {
    expect(torch.zeros([2, 2]).setAt(0, 1, 5).tolist()).toEqual([
      [0, 5],
      [0, 0],
    ]);
  });

  it.each<[string, unknown[], string]>([
    ["a slice", [0, slice(1, 3)], "a Slice"],
    ["null", [null, 0], "null"],
    ['"..."', ["...", 0], '"..."'],
    ["a tensor", [torch.tensor([0]), 0], "a Tensor"],
  ])("refuses a list that holds %s: it would be several indices", (_, list, held) => {
    const y = torch.zeros([2, 3]);
    for (const use of [() => y.setAt(list as never, 7), () => y.at(list as never)])
      expect(use).toThrow(
        new TypeError(
          `A list is one index, of whole numbers or booleans, and this one holds ${held}: give several indices one after the other, as in x.at(0, torch.slice(1, 3)) and x.setAt(0, torch.slice(1, 3), 7).`,
        ),
      );
    expect(y.sum().item()).toBe(0);
  });

  it("refuses an index without a value", () => {
    expect(() => (torch.zeros([2]) as unknown as { setAt(index: number): void }).setAt(0)).toThrow(
      new TypeError(
        "setAt takes an index or several, and the value last, as in x.setAt(0, 7) and x.setAt(0, 2, 7); it got 1 argument. fill_() and copy_() write all elements.",
      ),
    );
  });

  it("refuses fractions where chosen elements are whole numbers, as PyTorch does, and cuts off none", () => {
    const y = torch.zeros([2], { dtype: "int64" });
    expect(() => y.setAt([0], torch.tensor([1.5]))).toThrow(
      new TypeError(
        'Values of float32 do not go into a tensor of int64 without loss: value.to("int64") converts them.',
      ),
    );
    expect(() => y.to("uint8").setAt([0], torch.tensor([300]))).toThrow(
      /int64 do not go into a tensor of uint8/,
    );
    expect(() => y.float().setAt(0, torch.tensor([{ re: 1, im: 2 }]))).toThrow(
      /complex64 do not go into a tensor of float32/,
    );
    expect(y.tolist()).toEqual([0, 0]);
  });

  it("gives gradients to what is written and to what is kept", () => {
    const kept = torch.ones([3], { requiresGrad: true });
    const written = torch.ones([2], { requiresGrad: true });
    kept.mul(2).setAt([0, 2], written.mul(3)).sum().backward();
    expect([kept.grad?.tolist(), written.grad?.tolist()]).toEqual([
      [0, 2, 0],
      [3, 3],
    ]);
  });

  it("refuses a leaf that requires gradients, wherever it is written", () => {
    const leaf = torch.ones([3], { requiresGrad: true });
    for (const i of [0, [0], slice(null), [], leaf.gt(0)])
      expect(() => leaf.setAt(i, 2)).toThrow(
        /leaf tensor that requires gradients cannot be changed in place/,
      );
    torch.noGrad(() => leaf.setAt([0], 2));
    expect(leaf.tolist()).toEqual([2, 1, 1]);
  });

  it("writes where a mask is true, and at chosen indices", () => {
    const y = torch.arange(5, { dtype: "float32" });
    y.setAt(y.gt(2), -1);
    y.setAt([0, 1], torch.tensor([10, 11]));
    expect(y.tolist()).toEqual([10, 11, 2, -1, -1]);
  });
});

describe("JavaScript's own kinds", () => {
  it("bigints and typed arrays of integers are indices", () => {
    expect(x.at(1n, 0, 0).item()).toBe(12);
    expect(
      torch
        .arange(5)
        .at(new Int32Array([3, 1]))
        .tolist(),
    ).toEqual([3, 1]);
    expect(
      torch
        .arange(5)
        .at(new BigInt64Array([3n, 1n]))
        .tolist(),
    ).toEqual([3, 1]);
  });

  it("bigints, booleans and complex numbers are written as they are", () => {
    expect(
      torch
        .zeros([2], { dtype: "int64" })
        .setAt(0, 2n ** 62n)
        .tolist(),
    ).toEqual([2n ** 62n, 0]);
    expect(torch.zeros([2], { dtype: "bool" }).setAt(0, true).tolist()).toEqual([true, false]);
    const z = torch.zeros([1], { dtype: "complex64" }).setAt([0], { re: 1, im: 2 });
    expect(z.tolist()).toEqual([{ re: 1, im: 2 }]);
  });

  it("whole numbers go into floating tensors, as JavaScript cannot tell 1 from 1.0", () => {
    expect(
      torch
        .zeros([2])
        .setAt(torch.tensor([true, false]), torch.tensor([3]))
        .tolist(),
    ).toEqual([3, 0]);
  });
});

describe("a value that does not fit", () => {
  const y = torch.zeros([2, 3]);
  it.each<[string, () => unknown, new (message: string) => Error, string]>([
    [
      "of another shape",
      () => y.setAt(0, torch.ones([2])),
      RangeError,
      "A value of shape [2] does not fit a part of shape [3].",
    ],
    [
      "of more elements than are chosen",
      () => y.setAt(y.eq(0), torch.ones([2])),
      RangeError,
      "indexPut_(): shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [6] (got self float32 [2, 3], indices [bool [2, 3]], values float32 [2]).",
    ],
    [
      "an array",
      () => y.setAt(0, [1, 2, 3] as never),
      TypeError,
      "What is written is a tensor, a number, a boolean, a bigint or { re, im }, not [1, 2, 3]: torch.tensor() makes one of an array.",
    ],
    [
      "nothing",
      () => y.setAt(0, undefined as never),
      TypeError,
      "What is written is a tensor, a number, a boolean, a bigint or { re, im }, not undefined.",
    ],
  ])("%s is refused", (_, act, kind, message) => {
    expect(act).toThrow(new kind(message));
    expect(y.sum().item()).toBe(0);
  });
});

describe("an index that does not fit", () => {
  it.each<[string, Index[], new (message: string) => Error, string]>([
    [
      "out of range",
      [2],
      RangeError,
      "Index 2 is out of range for a dimension of size 2 (the tensor has shape [2, 3, 4]).",
    ],
    [
      "out of range from the end",
      [0, -4],
      RangeError,
      "Index -4 is out of range for a dimension of size 3 (the tensor has shape [2, 3, 4]).",
    ],
    [
      "too many",
      [0, 0, 0, 0],
      RangeError,
      "There are 4 indices for a tensor of 3 dimensions (shape [2, 3, 4]).",
    ],
    ["a fraction", [0.5], TypeError, "An index is a whole number, not 0.5."],
    ["NaN", [NaN], TypeError, "An index is a whole number, not NaN."],
    [
      "a word",
      ["a" as never],
      TypeError,
      'An index is a number, a slice, "...", null, a boolean, a tensor or an array, not "a".',
    ],
    [
      "what data() gives of a mask",
      [torch.tensor([true, false]).data() as never],
      TypeError,
      "A typed array that indexes is a BigInt64Array or an Int32Array, not a Uint8Array: Array.from(a) chooses elements, Array.from(a, Boolean) masks them.",
    ],
    ["two ellipses", ["...", "..."], RangeError, 'An index has at most one "...".'],
    [
      "a floating tensor",
      [torch.ones([2])],
      TypeError,
      "A tensor that indexes is of int64, int32 or bool, and this one is float32: convert it with .long().",
    ],
    [
      "a tensor of bytes, which is a mask in old PyTorch and indices elsewhere",
      [torch.ones([2], { dtype: "uint8" })],
      TypeError,
      "A tensor that indexes is of int64, int32 or bool, and this one is uint8: .long() chooses elements, .bool() masks them.",
    ],
    [
      "a list with an index out of range",
      [[0, 2]],
      RangeError,
      "index(): index 2 is out of bounds for dimension 0 with size 2 (got self int64 [2, 3, 4], indices [int64 [2]]).",
    ],
    [
      "a list of fractions",
      [[0.5]],
      TypeError,
      "A list of indices holds whole numbers or booleans, not float32 values.",
    ],
    [
      "a mask of another shape",
      [torch.ones([3, 2], { dtype: "bool" })],
      RangeError,
      "The mask has shape [3, 2], and what it masks has shape [2, 3].",
    ],
  ])("%s is refused", (_, indices, kind, message) => {
    expect(() => x.at(...indices)).toThrow(new kind(message));
  });

  it("a slice goes forward", () => {
    expect(() => slice(3, 0, -1)).toThrow(
      new RangeError("The step of a slice is a whole number above 0, not -1; flip() reverses a tensor."),
    );
    expect(() => slice(0.5)).toThrow(
      new TypeError("The ends of a slice are whole numbers or null, not 0.5."),
    );
  });
});
