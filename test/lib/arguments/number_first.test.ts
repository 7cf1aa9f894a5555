// A number before the tensor, where libtorch has an overload that begins so: it runs, the kernel's check accepts it, and the
// result has the tensor's shape.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { torch } from "../../../lib/index.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { OPERATORS } from "../../../lib/torch/tensor/ops.generated.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";

/** Each call, and the type of its result. `x` is [2, 3] of float32, `n` [3] of int64, `c` [2, 3] of bool. */
const CALLS: Readonly<Record<string, string>> = {
  "torch.pow(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.add(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.add(2, x, { alpha: 3 })": 'Tensor<[2, 3], "float32">',
  "torch.sub(2, n)": 'Tensor<[3], "float32" | "int64">',
  "torch.subtract(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.mul(2n, n)": 'Tensor<[3], "int64">',
  "torch.multiply(true, c)": 'Tensor<[2, 3], "bool">',
  "torch.div(2, n)": 'Tensor<[3], "float32">',
  'torch.div(7n, n, { roundingMode: "floor" })': 'Tensor<[3], "int64">',
  "torch.divide(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.trueDivide(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.floorDivide(7n, n)": 'Tensor<[3], "int64">',
  "torch.pow(x, 2)": 'Tensor<[2, 3], "float32">',
  "torch.pow(2, n)": 'Tensor<[3], "float32" | "int64">',
  "torch.pow(2, x, { out: x.clone() })": 'Tensor<[2, 3], "float32">',
  "torch.floatPower(2, x)": 'Tensor<[2, 3], "float64">',
  "torch.floatPower(n, 2)": 'Tensor<[3], "float64">',
  "torch.floatPower(x, n)": 'Tensor<[2, 3], "float64">',
  "torch.remainder(5, x)": 'Tensor<[2, 3], "float32">',
  "torch.bitwiseAnd(6, n)": 'Tensor<[3], "float32" | "int64">',
  "torch.bitwiseAnd(true, c)": 'Tensor<[2, 3], "bool">',
  "torch.bitwiseOr(6n, n)": 'Tensor<[3], "int64">',
  "torch.bitwiseXor(6n, n)": 'Tensor<[3], "int64">',
  "torch.bitwiseLeftShift(1n, n)": 'Tensor<[3], "int64">',
  "torch.bitwiseRightShift(8n, n)": 'Tensor<[3], "int64">',
  "torch.bucketize(2, n)": "Tensor",
  "torch.isin(2, n)": "Tensor",
  "torch.xlogy(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.special.xlogy(2, n)": 'Tensor<[3], "float32">',
  "torch.special.xlog1py(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.special.zeta(2, x)": 'Tensor<[2, 3], "float32">',
  "torch.where(c, 1, x)": 'Tensor<[2, 3], "float32">',
  "torch.where(c, x, 1)": 'Tensor<[2, 3], "float32">',
  "torch.where(c, x, x.sum(0))": 'Tensor<[2, 3], "float32">',
  "torch.where(c, 1, 0)": "Tensor<[2, 3]>",
  "x.where(c, 1)": 'Tensor<[2, 3], "float32">',
  "torch.special.chebyshevPolynomialT(2, x)": "Tensor",
  "torch.special.chebyshevPolynomialU(2, x)": "Tensor",
  "torch.special.chebyshevPolynomialV(2, x)": "Tensor",
  "torch.special.chebyshevPolynomialW(2, x)": "Tensor",
  "torch.special.hermitePolynomialH(2, x)": "Tensor",
  "torch.special.hermitePolynomialHe(2, x)": "Tensor",
  "torch.special.laguerrePolynomialL(2, x)": "Tensor",
  "torch.special.legendrePolynomialP(2, x)": "Tensor",
  "torch.special.shiftedChebyshevPolynomialT(2, x)": "Tensor",
  "torch.special.shiftedChebyshevPolynomialU(2, x)": "Tensor",
  "torch.special.shiftedChebyshevPolynomialV(2, x)": "Tensor",
  "torch.special.shiftedChebyshevPolynomialW(2, x)": "Tensor",
};

/** What PyTorch refuses too, and the words of the check. */
const REFUSED: Readonly<Record<string, string>> = {
  "torch.pow(2, 3)": "is not assignable to",
  "torch.eq(2, x)": "is not assignable to",
  "torch.add(2, 3)": "is not assignable to",
  "torch.fmod(2, x)": "is not assignable to",
  "torch.maximum(2, x)": "is not assignable to",
  'torch.pow("2", x)': "A number has no quotes: write 2.",
  "torch.pow(x, torch.zeros([5]))": "pow: [2, 3] and [5] do not broadcast",
  "torch.where(c, 1, torch.zeros([5]))": "No overload matches this call",
  "torch.where(c, x, torch.zeros([5]))": "where: [2, 3] and [5] do not broadcast",
};

const tensors = {
  x: torch
    .tensor([
      [1, 2, 3],
      [4, 5, 6],
    ])
    .float(),
  n: torch.tensor([1, 2, 3]),
  c: torch.tensor([
    [true, false, true],
    [false, true, false],
  ]),
};
const evaluate = (text: string): typeof tensors.x =>
  new Function("torch", ...Object.keys(tensors), `return ${text}`)(
    torch,
    ...Object.values(tensors),
  ) as typeof tensors.x;

it("the trial has every operator that takes a number first", () => {
  const names = Object.entries(OPERATORS).flatMap(([module, table]) =>
    table.split(" ").flatMap((entry) => {
      const [, name = "", operator = name, functions] = /^(\w+)(?:=(\w+))?:(.)/.exec(entry)!;
      if (functions === "-") return [];
      const takesNumber = native
        .schemas(native.operator(operator))
        .some((schema) => /\((Tensor condition, )?Scalar (self|x|element),/.test(schema));
      return takesNumber ? [`torch.${module && `${module}.`}${name}(`] : [];
    }),
  );
  expect(names.filter((name) => !Object.keys(CALLS).some((call) => call.startsWith(name)))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});

describe("a number first", () => {
  let notebook: NotebookSession;
  beforeAll(async () => {
    notebook = new NotebookSession();
    await notebook.run(
      'import { torch } from "mpslab"; const x = torch.zeros([2, 3]), n = torch.zeros([3], { dtype: "int64" }), c = x.gt(0);',
    );
  });
  afterAll(() => notebook.close());

  it.each(Object.entries(CALLS))("%s is a %s", async (text, type) => {
    const result = evaluate(text);
    const shown = await notebook.typeOf(text);
    expect(shown).toBe(type);
    if (type !== "Tensor") expect(type).toContain(`[${result.shape.join(", ")}]`);
    if (type.includes('"')) expect(type).toContain(`"${result.dtype}"`);
  });

  it("computes what its tensor would", () => {
    expect(evaluate("torch.pow(2, x)").tolist()).toEqual([
      [2, 4, 8],
      [16, 32, 64],
    ]);
    expect(evaluate("torch.remainder(5, n)").tolist()).toEqual([0, 1, 2]);
    expect(evaluate("torch.where(c, 9, x)").tolist()).toEqual([
      [9, 2, 9],
      [4, 9, 6],
    ]);
  });

  it("a number has the dtype that PyTorch gives it beside a tensor with dimensions and without", () => {
    const dtypes = (["uint8", "int32", "float16", "float32", "complex64"] as const).flatMap((dtype) =>
      [torch.ones([2], { dtype }), torch.ones([], { dtype })].flatMap((other) =>
        [2, 2.5, true, { re: 0, im: 1 }].map((number) => torch.mul(number, other).dtype),
      ),
    );
    // Printed by PyTorch 2.15: [torch.mul(v, torch.ones(s, dtype=t)).dtype for t for s in ([2], []) for v in (2, 2.5, True, 1j)]
    expect(dtypes.join(" ")).toBe(
      "uint8 float32 uint8 complex64 uint8 float32 uint8 complex64 int32 float32 int32 complex64 int32 float32 int32 complex64 float16 float16 float16 complex32 float16 float16 float16 complex32 float32 float32 float32 complex64 float32 float32 float32 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64",
    );
    expect(torch.sub(-1, torch.tensor([1, 2], { dtype: "uint8" })).tolist()).toEqual([254, 253]);
    expect(torch.add(2, torch.tensor([1]), { alpha: 3 }).tolist()).toEqual([5]);
  });

  it.each(Object.entries(REFUSED))("%s is refused", async (text, words) => {
    expect((await notebook.problems(text)).join()).toContain(words);
    expect(() => evaluate(text)).toThrow();
  });
});
