// Reading ATen's operator declarations, and the TypeScript that is written from them.
import { describe, expect, it } from "vitest";
import { camelCase, isPublicFunction, isPublicMethod, publicName } from "../../../native/codegen/names.ts";
import { camelCase as spelling } from "../../../lib/torch/vocabulary/spelling.ts";
import { OPERATORS } from "../../../lib/torch/tensor/ops.generated.ts";
import { readOperator } from "../../../native/codegen/schema.ts";
import { arity, writeSignatures } from "../../../native/codegen/signatures.ts";

const both = { variants: "function, method" };
const sum = readOperator({
  func: "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  ...both,
});

it("the library spells names as the declarations do", () => {
  const operators = Object.values(OPERATORS).flatMap((table) =>
    table.split(" ").map((entry) => /(?:.*=)?(\w+):/.exec(entry)![1]!),
  );
  expect(operators.length).toBeGreaterThan(800);
  const names = [
    ...operators,
    "exp_avg_sq",
    "LU_pivots",
    "max__values",
    "_private",
    "trailing_",
    "beta2_decay",
    "a_1",
  ];
  expect(names.map(spelling)).toEqual(names.map(camelCase));
});

describe("a schema", () => {
  it("is read into name, overload, arguments and results", () => {
    expect(sum).toEqual({
      name: "sum",
      overload: "dim_IntList",
      arguments: [
        { name: "self", type: "Tensor", default: undefined, keywordOnly: false, written: false },
        { name: "dim", type: "int[1]?", default: undefined, keywordOnly: false, written: false },
        { name: "keepdim", type: "bool", default: "False", keywordOnly: false, written: false },
        { name: "dtype", type: "ScalarType?", default: "None", keywordOnly: true, written: false },
      ],
      results: [{ type: "Tensor", name: "" }],
      isMethod: true,
      isFunction: true,
      module: "",
    });
  });

  it("loses its alias marks, which say what is written", () => {
    const {
      arguments: [self, out],
      results,
    } = readOperator({
      func: "sort.values(Tensor(a -> *) self, *, Tensor(a!)[] out) -> (Tensor(a!) values, Tensor(b!) indices)",
    });
    expect(self).toMatchObject({ type: "Tensor", written: false });
    expect(out).toMatchObject({ type: "Tensor[]", written: true });
    expect(results).toEqual([
      { type: "Tensor", name: "values" },
      { type: "Tensor", name: "indices" },
    ]);
  });

  it("may hold commas in brackets and quotes", () => {
    const { arguments: read } = readOperator({ func: 'f(int[2] a=[0,1], str b=",", float c=1e-05) -> ()' });
    expect(read.map((argument) => argument.default)).toEqual(["[0,1]", '","', "1e-05"]);
  });

  it("that is none is refused with its text", () => {
    expect(() => readOperator({ func: "not a schema" })).toThrow(
      new SyntaxError("This is not an operator's schema: not a schema"),
    );
  });
});

describe("a signature", () => {
  const textOf = (...funcs: string[]) =>
    writeSignatures(
      funcs.map((func) => readOperator({ func, ...both })),
      { method: false },
    ).map(({ text }) => text);

  it("gives what has a default by position or by name", () => {
    expect(writeSignatures([sum], { method: true })).toEqual([
      {
        text: "(options: ByName & { dim: number | readonly number[] | null; keepdim?: boolean; dtype?: DType | null }): Tensor;",
        defaults: "keepdim = false",
      },
      {
        text: "(dim: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: DType | null }): Tensor;",
        defaults: "keepdim = false",
      },
      {
        text: "(dim: number | readonly number[] | null, options: { keepdim?: boolean; dtype?: DType | null }): Tensor;",
        defaults: "keepdim = false",
      },
    ]);
  });

  it("joins overloads that differ in one argument, and takes their out variant as an option", () => {
    expect(
      textOf(
        "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
        "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
      ),
    ).toEqual([
      "(input: Tensor, other: Tensor | Scalar, options?: { alpha?: Scalar; out?: Tensor }): Tensor;",
    ]);
  });

  it("names several results", () => {
    expect(textOf("frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)")).toEqual([
      "(input: Tensor): [mantissa: Tensor, exponent: Tensor] & { readonly mantissa: Tensor; readonly exponent: Tensor };",
    ]);
    expect(textOf("mode(Tensor self) -> (Tensor values, Tensor indices)")).toEqual([
      "(input: Tensor): ValuesAndIndices;",
    ]);
  });

  it("of a factory takes a size and the options of all factories", () => {
    expect(
      textOf(
        "zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      ),
    ).toEqual([
      "(size: Size, options?: TensorOptions): Tensor;",
      "(...size: [...size: readonly number[], options: TensorOptions]): Tensor;",
      "(...size: readonly number[]): Tensor;",
      "(...size: [...size: readonly number[], options: TensorOptions]): Tensor;",
      "(size: Size, options?: TensorOptions): Tensor;",
    ]);
  });

  it("of a method whose only argument is a list of integers takes its elements one by one too", () => {
    const method = (schema: string) =>
      writeSignatures([readOperator({ func: schema, variants: "method" })], { method: true }).map(
        ({ text }) => text,
      );
    expect(method("flip(Tensor self, int[] dims) -> Tensor")).toEqual([
      "(...dims: readonly number[] | [dims: readonly number[]]): Tensor;",
    ]);
    expect(method("amax(Tensor self, int[1] dim, bool keepdim) -> Tensor")).toEqual([
      "(options: ByName & { dim: number | readonly number[]; keepdim: boolean }): Tensor;",
      "(dim: number | readonly number[], options: ByName & { keepdim: boolean }): Tensor;",
      "(dim: number | readonly number[], keepdim: boolean): Tensor;",
    ]);
  });

  it("requires an option that has no default", () => {
    expect(textOf("div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor")).toEqual([
      '(input: Tensor, other: Tensor, options: { roundingMode: "trunc" | "floor" | null }): Tensor;',
    ]);
  });

  it("is not written where JavaScript has no value for an argument", () => {
    expect(textOf("record_stream(Tensor(a!) self, Stream s) -> ()")).toEqual([]);
  });

  it("counts the options object among the most arguments", () => {
    expect(arity([sum], { method: true })).toBe(3);
    expect(arity([sum], { method: false })).toBe(4);
  });
});

describe("a name", () => {
  it.each([
    ["index_select", "", "indexSelect"],
    ["nan_to_num_", "", "nanToNum_"],
    ["atleast_1d", "", "atleast1d"],
    ["add_", "", "add_"],
    ["linalg_lu_factor_ex", "linalg", "luFactorEx"],
    ["special_i0e", "special", "i0e"],
    ["fft_fft2", "fft", "fft2"],
  ])("%s of module '%s' is %s", (name, module, shown) => {
    expect(publicName(name, module)).toBe(shown);
  });

  it("keeps leading and trailing underscores", () => {
    expect(camelCase("_foreach_add_")).toBe("_foreachAdd_");
  });

  it.each(["_to_copy", "__and__", "relu_backward", "convolution_backward_overrideable", "cudnn_convolution"])(
    "%s is private",
    (name) => {
      expect(isPublicFunction(name)).toBe(false);
    },
  );

  it.each(["data", "item", "size", "to"])("%s is a method that tensor.ts writes itself", (name) => {
    expect(isPublicMethod(name)).toBe(false);
  });
});
