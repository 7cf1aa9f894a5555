// torch.norm and x.norm(): orders in numbers and words, dimensions left out, and what is refused.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import { refuses } from "./misuse.ts";

const x = torch.tensor(
  [
    [3, 4],
    [0, 0],
  ],
  { dtype: "float32" },
);

describe("norm", () => {
  it("is the root of the sum of squares unless told otherwise", () => {
    expect([x.norm().item(), torch.norm(x).item(), x.norm("fro").item(), x.norm(null).item()]).toEqual([
      5, 5, 5, 5,
    ]);
  });

  it("takes other orders, dimensions and their names", () => {
    expect(x.norm(1).item()).toBe(7);
    expect(x.norm(Infinity, 1).tolist()).toEqual([4, 0]);
    expect(x.norm(2, null, true).shape).toEqual([1, 1]);
    expect(x.norm(2, [0], { keepdim: true }).tolist()).toEqual([[3, 4]]);
    expect(torch.norm(x, { p: 1, dim: 0 }).tolist()).toEqual([3, 4]);
    expect(torch.norm(x, 2, { dtype: "float64" }).dtype).toBe("float64");
  });

  it("writes to a tensor that is given", () => {
    const out = torch.zeros([2]);
    expect(torch.norm(x, 2, 1, false, { out })).toBe(out);
    expect(out.tolist()).toEqual([5, 0]);
  });

  it("sums singular values of a matrix, or of each matrix in a batch", () => {
    expect(x.norm("nuc").item()).toBeCloseTo(5, 5);
    expect(torch.eye(3).expand([2, 3, 3]).norm("nuc", [1, 2]).tolist()).toEqual([3, 3]);
  });

  it("is that of the elements that a sparse tensor has", () => {
    expect(x.toSparse().norm().item()).toBe(5);
  });

  it("gives gradients", () => {
    const leaf = torch.tensor([3, 4], { dtype: "float32", requiresGrad: true });
    leaf.norm().backward();
    expect(leaf.grad!.data()).toEqual(new Float32Array([0.6, 0.8]));
  });

  refuses([
    [
      "whole numbers",
      () => torch.tensor([3, 4]).norm(),
      "TypeError",
      'norm: the input must be of floating or complex numbers, got int64; whole numbers make int64, so write { dtype: "float32" } where they become a tensor, or convert it with x.float().',
    ],
    [
      "a word that is no order",
      () => x.norm("max" as never),
      "TypeError",
      'norm: p must be a number, "fro" or "nuc", got "max".',
    ],
    [
      "an order that is given twice",
      () => x.norm(1, { p: 2 } as never),
      "TypeError",
      "norm: p is given twice, by its place and by its name.",
    ],
    [
      "the nuclear norm of a vector",
      () => torch.ones([3]).norm("nuc"),
      "RangeError",
      'norm: "nuc" is of a matrix: give the two dimensions of one, got a tensor of shape [3].',
    ],
    [
      "three dimensions of a matrix' norm",
      () => torch.ones([2, 2, 2]).norm("fro", [0, 1, 2]),
      "RangeError",
      'norm: "fro" is of at most two dimensions, got dim [0, 1, 2].',
    ],
  ]);
});
