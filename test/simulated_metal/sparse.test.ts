// Sparse COO tensors on simulated Metal, queued: what the CPU computes of them comes out, on the device, and what PyTorch
// has no kernel of for sparse tensors of Metal is refused.
import { describe, expect, it } from "vitest";
import { mps, nn, type Tensor, torch, UnsupportedOperatorError } from "../../lib/index.ts";

mps.simulate({ memory: "4GB" });

type Device = "cpu" | "mps";
/** Not coalesced: the place [1, 0] stands twice. */
const sparse = (device: Device) =>
  torch
    .sparseCooTensor(
      [
        [0, 1, 1, 1],
        [2, 0, 3, 0],
      ],
      [3, 4, 5, 6],
      [2, 4],
      { dtype: "float32" },
    )
    .to(device);
const dense = (device: Device, shape: number[]) =>
  torch
    .arange(
      shape.reduce((product, size) => product * size, 1),
      { dtype: "float32" },
    )
    .reshape(shape)
    .to(device);

describe("an operator on sparse tensors", () => {
  it.each<[string, (device: Device) => Tensor]>([
    ["toDense", (device) => sparse(device).toDense()],
    ["coalesce", (device) => sparse(device).coalesce()],
    ["values", (device) => sparse(device).coalesce().values()],
    ["indices", (device) => sparse(device).coalesce().indices()],
    ["toSparse", (device) => dense(device, [2, 3]).toSparse()],
    ["toSparse of rows", (device) => dense(device, [2, 3]).toSparse(1)],
    ["clone", (device) => sparse(device).clone()],
    ["sin", (device) => sparse(device).coalesce().sin()],
    ["neg in place", (device) => sparse(device).coalesce().neg_()],
    ["add", (device) => sparse(device).add(sparse(device), { alpha: 2 })],
    ["add in place", (device) => sparse(device).add_(sparse(device))],
    ["add to a dense one", (device) => dense(device, [2, 4]).add(sparse(device))],
    ["mul", (device) => sparse(device).mul(sparse(device))],
    ["mul by a number", (device) => sparse(device).mul(3)],
    ["sum", (device) => sparse(device).sum()],
    ["sum of rows", (device) => torch.sparse.sum(sparse(device), [0])],
    ["softmax", (device) => torch.sparse.softmax(sparse(device).coalesce(), 1)],
    ["transpose", (device) => sparse(device).t()],
    ["cat", (device) => torch.cat([sparse(device), sparse(device)])],
    ["indexSelect", (device) => sparse(device).indexSelect(0, torch.tensor([1]).to(device))],
    ["product with a dense one", (device) => sparse(device).matmul(dense(device, [4, 3]))],
    ["product with a vector", (device) => sparse(device).mv(dense(device, [4]))],
    ["product of two", (device) => sparse(device).matmul(sparse(device).t())],
    [
      "addmm",
      (device) => torch.addmm(dense(device, [2, 3]), sparse(device), dense(device, [4, 3]), { alpha: 2 }),
    ],
    ["sparseMask", (device) => dense(device, [2, 4]).sparseMask(sparse(device).coalesce())],
  ])("%s gives on mps what it gives on the CPU, and of the same layout", (_, run) => {
    const [expected, found] = [run("cpu"), run("mps")];
    expect([found.device, found.layout, found.shape]).toEqual(["mps", expected.layout, expected.shape]);
    const [a, b] = [expected, found].map((tensor) =>
      (tensor.layout === "sparse_coo" ? tensor.toDense() : tensor).cpu().tolist(),
    );
    expect(b).toEqual(a);
    expect(mps.fallbacks()).toEqual([]);
  });
});

describe("gradients", () => {
  it("go through a product with a sparse matrix", () => {
    const [a, b] = (["cpu", "mps"] as const).map((device) => {
      const weight = dense(device, [4, 3]).requiresGrad_();
      sparse(device).matmul(weight).square().sum().backward();
      return weight.grad!.cpu().tolist();
    });
    expect(b).toEqual(a);
  });

  it("of an embedding are sparse where it says so", () => {
    const table = new nn.Embedding(4, 2, { sparse: true }).to("mps");
    table(torch.tensor([1, 2, 1]).to("mps"))
      .sum()
      .backward();
    const grad = table.weight.grad!;
    expect([grad.device, grad.layout]).toEqual(["mps", "sparse_coo"]);
    expect(grad.toDense().tolist()).toEqual([
      [0, 0],
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
  });
});

it("what PyTorch has no kernel of is refused with its words, as on a Mac", () => {
  expect(() => sparse("mps").cosh()).toThrow(UnsupportedOperatorError);
  expect(() => sparse("mps").cosh()).toThrow(
    "Could not run 'aten::cosh' with arguments from the 'SparseMPS' backend",
  );
});
