// torch.fft, linalg, special and sparse, complex numbers and quantization: the numbers and gradients are PyTorch's
// (test/fixtures/namespaces.py).
import { describe, expect, it } from "vitest";
import { torch, type Tensor } from "../../../lib/index.ts";
import { readFixture, reviveArgument, reviveTensor, type StoredTensor } from "./fixtures.ts";

type StoredResult =
  | number
  | boolean
  | StoredTensor
  | readonly StoredResult[]
  | { readonly quantized: StoredTensor; readonly values: StoredTensor }
  | { readonly layout: string; readonly dense: StoredTensor };

interface Case {
  /** `fft.rfft`, or `.angle` for a method of the first argument. */
  readonly name: string;
  /** Called on the matrix of the fixture in this layout. */
  readonly sparse?: "coo" | "csr";
  readonly arguments: readonly unknown[];
  readonly result: StoredResult;
  readonly grad?: StoredTensor;
}

const cases = readFixture<Case[]>("namespaces.json");

const coo = torch.sparseCooTensor(
  [
    [0, 1, 1, 0],
    [2, 0, 2, 2],
  ],
  [3, 4, 5, 1],
  [2, 3],
  { dtype: "float64" },
);
const SPARSE = {
  coo,
  csr: torch.sparseCsrTensor([0, 1, 3], [2, 0, 2], [4, 4, 5], [2, 3], { dtype: "float64" }),
};

type Call = (this: unknown, ...args: unknown[]) => unknown;

function callOf(name: string, self: unknown): Call {
  const path = name.replace(/^\./, "").split(".");
  const owner = name.startsWith(".") ? self : torch;
  return path.reduce<unknown>((held, part) => (held as Record<string, unknown>)[part], owner) as Call;
}

function expectResult(actual: unknown, stored: StoredResult): void {
  if (Array.isArray(stored)) {
    expect(actual).toHaveLength(stored.length);
    for (const [at, part] of stored.entries()) expectResult((actual as unknown[])[at], part);
    return;
  }
  if (typeof stored !== "object") {
    expect(actual).toBe(stored);
    return;
  }
  const x = actual as Tensor;
  if ("quantized" in stored) {
    expectResult(x.intRepr(), stored.quantized);
    expectResult(x.dequantize(), stored.values);
  } else if ("layout" in stored) {
    expect(x.layout).toBe(stored.layout);
    expectResult(x.toDense(), stored.dense);
  } else {
    const { shape, dtype } = stored as StoredTensor;
    expect([x.shape, x.dtype]).toEqual([shape, dtype]);
    const expected = reviveTensor(stored as StoredTensor);
    const tolerance = dtype === "float32" ? 1e-6 : 1e-9;
    const near = dtype === "bool" ? x.equal(expected) : x.detach().allclose(expected, tolerance, 1e-10, true);
    if (!near) expect(x.tolist()).toEqual(expected.tolist());
  }
}

const title = ({ name, sparse, arguments: given }: Case) =>
  `${sparse ?? ""}${name}(${given.map((one) => JSON.stringify(one).slice(0, 30)).join(", ")})`;

describe("as PyTorch computes", () => {
  it.each(cases.map((one) => [title(one), one] as const))("%s", (_, one) => {
    const given = one.arguments.map(reviveArgument);
    const self = one.sparse ? SPARSE[one.sparse] : given[0];
    if (one.grad !== undefined) (self as Tensor).requiresGrad_();
    const isMethod = one.name.startsWith(".");
    const args =
      one.sparse && !isMethod ? [self, ...given] : isMethod && !one.sparse ? given.slice(1) : given;
    const result = callOf(one.name, self).apply(self, args);
    expectResult(result, one.result);
    if (one.grad === undefined) return;
    const first = (Array.isArray(result) ? result[0] : result) as Tensor;
    (first.isComplex() ? first.abs() : first).sum().backward();
    expectResult((self as Tensor).grad, one.grad);
  });
});
