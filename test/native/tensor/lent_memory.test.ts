// Memory that an array shares with a tensor: whatever replaces or resizes a storage leaves it alone, or is refused before the
// tensor's shape changes.
import { describe, expect, it } from "vitest";
import { type Tensor, torch } from "../../../lib/index.ts";

const REFUSED = /the tensor's memory cannot be resized while an array shares it.*Resize a clone\(\) of it\.$/;

const lent = () => {
  const tensor = torch.arange(4, { dtype: "float32" });
  return { tensor, array: tensor.data() as Float32Array };
};

describe("a tensor whose data() somebody has", () => {
  const larger = torch.zeros([5_000]);
  it.each<[string, (tensor: Tensor) => unknown]>([
    ["resize_", (tensor) => tensor.resize_([50_000_000])],
    ["resizeAs_", (tensor) => tensor.resizeAs_(larger)],
    ["out of an addition", (tensor) => torch.add(larger, 1, { out: tensor })],
    ["out of cat", (tensor) => torch.cat([larger, larger], { out: tensor })],
    ["the raw resize", (tensor) => torch.ops.aten.resize_.default(tensor, [5_000])],
    ["resize_ of a view", (tensor) => tensor.view([2, 2]).resize_([5_000])],
    ["resize_ of a detached one", (tensor) => tensor.detach().resize_([5_000])],
    [
      "growing set_ of a storage",
      (tensor) => torch.ops.aten.set_.source_Tensor_storage_offset(larger, tensor, 0, [9_000], [1]),
    ],
  ])("is not resized by %s, and keeps its shape", (_, resize) => {
    const { tensor, array } = lent();
    expect(() => resize(tensor)).toThrow(REFUSED);
    expect(tensor.shape).toEqual([4]);
    expect(tensor.tolist()).toEqual([0, 1, 2, 3]);
    array.fill(9);
    expect(tensor.tolist()).toEqual([9, 9, 9, 9]);
    expect(larger.shape).toEqual([5_000]);
  });

  it("may become smaller: that frees nothing", () => {
    const { tensor, array } = lent();
    expect(tensor.resize_([2]).tolist()).toEqual([0, 1]);
    array.fill(9);
    expect(tensor.tolist()).toEqual([9, 9]);
  });

  it("may take another storage: the array keeps the first one", () => {
    const { tensor, array } = lent();
    torch.ops.aten.set_.source_Tensor(tensor, torch.tensor([7, 7], { dtype: "float32" }));
    array.fill(9);
    expect(tensor.tolist()).toEqual([7, 7]);
    expect([...array]).toEqual([9, 9, 9, 9]);
  });

  it("may be disposed: the array keeps the memory", () => {
    const { tensor, array } = lent();
    tensor.dispose();
    array.fill(9);
    expect([...array]).toEqual([9, 9, 9, 9]);
  });

  it("of a sparse tensor's values is not resized either", () => {
    const sparse = torch
      .sparseCooTensor(torch.tensor([[0, 1]]), torch.tensor([1, 2], { dtype: "float32" }), [4])
      .coalesce();
    const array = sparse.values().detach().data() as Float32Array;
    expect(() => sparse.values().detach().resize_([5_000])).toThrow(REFUSED);
    array.fill(9);
    expect(sparse.values().tolist()).toEqual([9, 9]);
  });
});

it("a tensor over an array of the user's keeps its shape where it cannot grow", () => {
  const array = new Float32Array(4);
  const tensor = torch.fromTypedArray(array);
  expect(() => tensor.resize_([5_000])).toThrow(REFUSED);
  expect(tensor.shape).toEqual([4]);
  expect(() => torch.add(torch.zeros([5_000]), 1, { out: tensor })).toThrow(REFUSED);
  expect(tensor.shape).toEqual([4]);
});

it("a tensor that was only read, by tolist() or printing, is resized as before", () => {
  const tensor = torch.zeros([4]);
  tensor.tolist();
  String(tensor);
  expect(tensor.resize_([5_000]).shape).toEqual([5_000]);
});
