// Several results of an operator: an array that has them by name, too, and prints as PyTorch's named tuples.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { torch, type Tensor } from "../../../../lib/index.ts";

const x = torch.tensor([
  [1, 2],
  [4, 3],
]);
const floats = x.float();
const spd = floats.matmul(floats.T);

/** The names of results, in their order, and the call that gives them. */
const NAMED: readonly [names: string, call: () => readonly (Tensor | Tensor[])[]][] = [
  ["values indices", () => x.max(1)],
  ["values indices", () => torch.min(x, 0)],
  ["values indices", () => x.sort()],
  ["values indices", () => x.sort({ stable: true })],
  ["values indices", () => x.topk(1)],
  ["values indices", () => x.median(1)],
  ["values indices", () => floats.nanmedian(1)],
  ["values indices", () => x.mode()],
  ["values indices", () => x.kthvalue(1)],
  ["values indices", () => x.cummax(0)],
  ["values indices", () => x.cummin(0)],
  ["min max", () => x.aminmax()],
  ["mantissa exponent", () => floats.frexp()],
  ["sign logabsdet", () => floats.slogdet()],
  ["eigenvalues eigenvectors", () => torch.linalg.eigh(spd)],
  ["eigenvalues eigenvectors", () => torch.linalg.eig(floats)],
  ["sign logabsdet", () => torch.linalg.slogdet(floats)],
  ["U S Vh", () => torch.linalg.svd(floats)],
  ["U S V", () => floats.svd()],
  ["Q R", () => torch.linalg.qr(floats)],
  ["a tau", () => torch.geqrf(floats)],
  ["P L U", () => torch.linalg.lu(floats)],
  ["LU pivots", () => torch.linalg.luFactor(floats)],
  ["LU pivots info", () => torch.linalg.luFactorEx(floats)],
  ["L info", () => torch.linalg.choleskyEx(spd)],
  ["inverse info", () => torch.linalg.invEx(floats)],
  ["result info", () => torch.linalg.solveEx(floats, floats)],
  ["solution residuals rank singularValues", () => torch.linalg.lstsq(floats, floats)],
  ["hist binEdges", () => torch.histogram(floats, 2)],
  ["hist binEdges", () => torch.histogramdd(floats, [2, 2])],
];

describe("results have PyTorch's names", () => {
  it.each(NAMED.map(([names, call]) => [names, call.toString().slice(6), call] as const))(
    "%s: %s",
    (names, _, call) => {
      const results = call();
      const byName = results as unknown as Record<string, unknown>;
      expect(Array.isArray(results)).toBe(true);
      expect(Object.keys(results)).toEqual([...results.keys()].map(String));
      expect(results.length).toBe(names.split(" ").length);
      for (const [at, name] of names.split(" ").entries()) expect(byName[name]).toBe(results[at]);
    },
  );
});

it("they come by place and by name", () => {
  const [first, second] = x.max(1);
  const { values, indices } = x.max(1);
  expect([first, second, values, indices, x.topk(1).values].map((result) => result.tolist())).toEqual([
    [2, 4],
    [1, 0],
    [2, 4],
    [1, 0],
    [[2], [4]],
  ]);
});

it("they are a list: spread, iterated over, mapped to a plain one", () => {
  const results = x.max(1);
  const shapes = results.map((result) => result.shape);
  expect(shapes).toEqual([[2], [2]]);
  expect(Object.getPrototypeOf(shapes)).toBe(Array.prototype);
  expect([...results].map((result, at) => result === results[at])).toEqual([true, true]);
  expect([...results.entries()].map(([at]) => at)).toEqual([0, 1]);
  expect(torch.cat(x.sort()).shape).toEqual([4, 2]);
});

it("they are read only, as a named tuple's", () => {
  const results = x.max(1) as unknown as { values: number };
  expect(() => (results.values = 1)).toThrow(TypeError);
});

it("gradients flow through them", () => {
  const leaf = floats.clone().requiresGrad_();
  leaf.max(1).values.sum().backward();
  expect(leaf.grad!.tolist()).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

describe("tensors given for them, in one list as `out`", () => {
  const values = torch.empty([2], { dtype: "int64" });
  const indices = torch.empty([2], { dtype: "int64" });

  it("come back under the results' names", () => {
    const results = torch.max(x, 1, { out: [values, indices] });
    expect(results.values).toBe(values);
    expect(results.indices).toBe(indices);
    expect([values.tolist(), indices.tolist()]).toEqual([
      [2, 4],
      [1, 0],
    ]);
    const U = torch.empty([0]),
      S = torch.empty([0]),
      V = torch.empty([0]);
    expect(torch.svd(floats, { some: true, out: [U, S, V] }).S).toBe(S);
  });

  it("are not given where `out` is undefined", () => {
    expect(torch.max(x, 1, { out: undefined }).values.tolist()).toEqual([2, 4]);
    expect(torch.add(x, 1, { out: undefined }).tolist()).toEqual(x.add(1).tolist());
  });

  it.each([
    ["a lone tensor", values, "a Tensor (int64 [2])"],
    ["too few", [values], "an array of 1 (the first is a Tensor (int64 [2]))"],
    ["too many", [values, indices, values], "an array of 3 (the first is a Tensor (int64 [2]))"],
    ["what is no tensor", [values, "indices"], "an array of 2 (the first is a Tensor (int64 [2]))"],
    ["null", null, "null"],
    ["an object", { values, indices }, "an object"],
  ])("are refused as %s", (_, out, got) => {
    expect(() => torch.max(x, 1, { out } as never)).toThrow(
      new TypeError(
        `max(): option 'out' must be 2 tensors in a list, [values, indices], but got ${got}. ` +
          "Use max(self), max(self, other) or max(self, dim, keepdim?).",
      ),
    );
  });
});

it("tidy keeps them", () => {
  const { values, indices } = torch.tidy(() => x.max(1));
  expect([values.tolist(), indices.tolist()]).toEqual([
    [2, 4],
    [1, 0],
  ]);
});

describe("they print as PyTorch's", () => {
  it("one line a result", () => {
    const text = "torch.return_types.max(\nvalues=tensor([2, 4]),\nindices=tensor([1, 0]))";
    expect(inspect(x.max(1))).toBe(text);
    expect(String(x.max(1))).toBe(text);
  });

  it("by ATen's name for the operator", () => {
    expect(inspect(torch.linalg.slogdet(torch.eye(2)))).toBe(
      "torch.return_types.linalg_slogdet(\nsign=tensor(1.),\nlogabsdet=tensor(0.))",
    );
  });

  it("a list of tensors as a tuple, names as they are here", () => {
    expect(inspect(torch.histogramdd(torch.tensor([[0], [1]]).float(), [1]))).toBe(
      "torch.return_types.histogramdd(\nhist=tensor([2.]),\nbinEdges=(tensor([0., 1.]),))",
    );
  });
});

it("what has no names is a plain array", () => {
  for (const results of [
    torch.stdMean(floats),
    x.split(1),
    torch.ops.aten.native_layer_norm.default(floats, [2], null, null, 1e-5),
  ])
    expect(Object.getPrototypeOf(results)).toBe(Array.prototype);
});
