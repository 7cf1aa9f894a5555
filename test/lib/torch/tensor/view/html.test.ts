// A tensor's HTML: what it says of the tensor and its values, and what it must never hold.
import { describe, expect, it } from "vitest";
import { torch, type Tensor } from "../../../../../lib/index.ts";
import { native } from "../../../../../lib/torch/engine/native.ts";
import { tensorHtml } from "../../../../../lib/torch/tensor/view/html.ts";

/** Its text, as a person reads it. */
const seen = (x: Tensor) =>
  (tensorHtml(x) ?? "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/[ \n]+/g, " ")
    .trim();

describe("facts", () => {
  it.each<[string, () => Tensor, string]>([
    [
      "numbers",
      () => torch.tensor([0, 1, 2, 3]),
      "Tensor [4] dtype int64 device cpu size 32 B range 0 to 3 mean 1.5 std 1.291 zeros 25% tensor([0, 1, 2, 3])",
    ],
    [
      "what is no number",
      () => torch.tensor([NaN, Infinity, -Infinity, 2.5]),
      "Tensor [4] dtype float32 device cpu size 16 B range 2.5 to 2.5 mean 2.5 NaN 1 inf 2 tensor([ nan, inf, -inf, 2.5000])",
    ],
    [
      "nothing but NaN",
      () => torch.full([2], NaN),
      "Tensor [2] dtype float32 device cpu size 8 B NaN 2 tensor([nan, nan])",
    ],
    [
      "booleans",
      () => torch.tensor([true, false, true]),
      "Tensor [3] dtype bool device cpu size 3 B true 66.7% tensor([ True, False, True])",
    ],
    [
      "complex numbers, by magnitude",
      () =>
        torch.tensor([
          { re: 3, im: 4 },
          { re: 0, im: 0 },
        ]),
      "Tensor [2] dtype complex64 device cpu size 16 B magnitude 0 to 5 mean 2.5 std 3.5355 zeros 50% tensor([3.+4.j, 0.+0.j])",
    ],
    [
      "a leaf that requires gradients",
      () => torch.ones([2], { requiresGrad: true }),
      "Tensor [2] dtype float32 device cpu size 8 B requiresGrad true range 1 to 1 mean 1 std 0 tensor([1., 1.], requires_grad=True)",
    ],
    [
      "the result of an operation",
      () => torch.ones([2], { requiresGrad: true }).mul(2),
      "Tensor [2] dtype float32 device cpu size 8 B gradFn MulBackward0 range 2 to 2 mean 2 std 0 tensor([2., 2.], grad_fn=&lt;MulBackward0&gt;)",
    ],
    [
      "a sparse tensor",
      () => torch.eye(2).toSparse(),
      "Tensor [2, 2] dtype float32 device cpu layout sparse_coo tensor(indices=tensor([[0, 1], [0, 1]]), values=tensor([1., 1.]), size=(2, 2), nnz=2, layout=torch.sparse_coo)",
    ],
    [
      "a tensor without memory",
      () => torch.empty([2, 3], { device: "meta" }),
      "Tensor [2, 3] dtype float32 device meta size 24 B tensor(..., device='meta', size=(2, 3))",
    ],
  ])("of %s", (_, make, text) => {
    expect(seen(make())).toBe(text);
  });

  it("of one value, none and a disposed tensor are left to the text", () => {
    const disposed = torch.ones([5]);
    disposed.dispose();
    expect([torch.tensor(1), torch.ones([1, 1]), torch.zeros([0, 3]), disposed].map(tensorHtml)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it.each([
    "float16",
    "bfloat16",
    "float64",
    "int8",
    "int16",
    "int32",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "complex32",
    "complex128",
    "float8_e4m3fn",
    "float8_e5m2",
  ] as const)("of %s", (dtype) => {
    expect(seen(torch.ones([30, 30]).to(dtype))).toContain(`dtype ${dtype}`);
  });

  it("of a quantized tensor are those of the numbers that it stands for", () => {
    const x = torch.quantizePerTensor(torch.tensor([0, 1.5]), 0.5, 0, "quint8");
    expect(seen(x)).toContain("dtype quint8 device cpu size 2 B range 0 to 1.5 mean 0.75");
  });
});

describe("values", () => {
  it("of more than a hundred elements are a table of both ends", () => {
    const x = torch.arange(200, { dtype: "float64" }).div(8).reshape([100, 2]);
    expect(seen(x)).toContain("0 0.125 0.25 0.375 0.5 0.625 0.75 0.875 … … 24 24.125 24.25 24.375");
    const row = torch.arange(200);
    expect(seen(row)).toMatch(/ 0 1 2 3 … 196 197 198 199$/);
  });

  it("of more than two dimensions are those of the first matrix, and it says so", () => {
    expect(seen(torch.zeros([2, 3, 20, 2]))).toContain("[0, 0, :, :], the first of 6");
  });
});

describe("a large tensor", () => {
  it("is sampled, and it says so", () => {
    // A gigabyte by its shape, four bytes of memory.
    const x = torch.tensor([2.5]).expand([16384, 16384]);
    expect(seen(x)).toContain(
      "1 GiB sampled 262,144 of 268,435,456 elements range 2.5 to 2.5 mean 2.5 std 0",
    );
  });

  it("shows as it is, whatever its strides", () => {
    const x = torch
      .arange(2 ** 20, { dtype: "float32" })
      .reshape([1024, 1024])
      .t();
    expect(seen(x)).toContain("sampled 262,144 of 1,048,576 elements");
    expect(seen(x)).toContain("0 1024 2048 3072 … 1044480");
  });
});

describe("what stands in a notebook", () => {
  const shown = [torch.randn([100]), torch.rand([3, 16, 16]), torch.eye(3).toSparse()].map((x) =>
    tensorHtml(x)!,
  );

  it("runs no script and styles nothing but itself", () => {
    for (const html of shown) expect(html).not.toMatch(/<script|<style|onload|onerror|javascript:/i);
  });

  it("has the theme's colours", () => {
    expect(shown[0]).toContain("var(--jp-ui-font-color1, currentColor)");
    expect(shown[0]).toContain("var(--jp-brand-color1, #2196f3)");
  });
});

it("making it waits for no device where there is none", () => {
  const before = native.waited().waits;
  tensorHtml(torch.randn([1000]));
  expect(native.waited().waits).toBe(before);
});
