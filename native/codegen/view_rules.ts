// The rules of `shape_rules.ts` for operators whose result has another shape: reductions, views, joins.
import type { ShapeRule } from "./shape_rules.ts";

const DIMS = "number | number[] | readonly number[] | null";
const axisProblem = (operator: string, dim: string) => `AxisProblem<"${operator}", ShapeOf<A>, ${dim}>`;

/** `sum(dim, keepdim)`, and `sum()` of everything. */
function reduction(operator: string, dtype: string, takesDType: boolean): ShapeRule[] {
  const generic = takesDType ? `Type extends DType = ${dtype}` : "";
  const type = takesDType ? "Type" : dtype;
  const given: Record<string, string> = takesDType ? { dtype: "Type | null" } : {};
  return [
    {
      generics: [
        `const Dim extends ${DIMS} = null, Keep extends boolean = false`,
        generic,
        `Problem = ${axisProblem(operator, "Dim")}`,
      ]
        .filter(Boolean)
        .join(", "),
      parameters: { dim: "Dim & UnlessAt<Problem>", keepdim: "Keep", ...given },
      result: `TensorOf<Reduced<ShapeOf<A>, Dim, Keep>, ${type}, DeviceOf<A>>`,
    },
    {
      ...(generic ? { generics: generic } : {}),
      parameters: given,
      result: `TensorOf<"", ${type}, DeviceOf<A>>`,
    },
  ];
}

/** `max(dim)` returns values and their indices. */
const extreme = (operator: string): ShapeRule[] => [
  {
    generics: `Dim extends number, Keep extends boolean = false, Problem = ${axisProblem(operator, "Dim")}`,
    parameters: { dim: "Dim & UnlessAt<Problem>", keepdim: "Keep" },
    // If the argument's type is any, it is not known which overload will run.
    result: "UnlessAny<Dim, ValuesAndIndicesOf<Reduced<ShapeOf<A>, Dim, Keep>, DTypeOf<A>, DeviceOf<A>>>",
  },
  {
    generics: `const B extends SomeTensor, Problem = ElementwiseProblem<"${operator}", A, B>`,
    parameters: { other: "B & Unless<Problem>" },
    result: "TensorOf<BroadcastShape<A, B>, Promoted<A, B>, CommonDevice<A, B>>",
  },
  { parameters: {}, result: 'TensorOf<"", DTypeOf<A>, DeviceOf<A>>' },
];

/** Operators along a dimension that keep the shape: `softmax(-1)`. */
const along = (operator: string, dtype: string): ShapeRule[] => [
  {
    generics: `Dim extends number, Type extends DType = ${dtype}, Problem = ${axisProblem(operator, "Dim")}`,
    parameters: { dim: "Dim & UnlessAt<Problem>", dtype: "Type | null" },
    result: "Like<A, Type>",
  },
];

const shaped = (shape: string) => `TensorOf<${shape}, DTypeOf<A>, DeviceOf<A>>`;

function twoAxes(
  operator: string,
  first: string,
  second: string,
  [firstDefault, secondDefault] = ["", ""],
): Pick<ShapeRule, "generics" | "parameters"> {
  return {
    generics: [
      `First extends number${firstDefault}, Second extends number${secondDefault}`,
      `FirstProblem = ${axisProblem(operator, "First")}`,
      `SecondProblem = ${axisProblem(operator, "Second")}`,
    ].join(", "),
    parameters: { [first]: "First & UnlessAt<FirstProblem>", [second]: "Second & UnlessAt<SecondProblem>" },
  };
}

function exchange(operator: string, first: string, second: string): ShapeRule[] {
  return [
    {
      ...twoAxes(operator, first, second),
      result: shaped("Exchanged<ShapeOf<A>, First, Second>"),
    },
  ];
}

function view(operator: string, parameter: string): ShapeRule[] {
  return [
    {
      generics: `const Sizes extends number[] | readonly number[], Problem = ViewProblem<"${operator}", ShapeOf<A>, Sizes>`,
      parameters: { [parameter]: "Sizes & Unless<Problem>" },
      result: shaped("Viewed<ShapeOf<A>, Sizes>"),
    },
  ];
}

function join(problem: string, shape: string): ShapeRule[] {
  return [
    {
      generics: `const Tensors extends readonly SomeTensor[], Dim extends number = 0, Problem = ${problem}`,
      parameters: { tensors: "Tensors & Unless<Problem>", dim: "Dim" },
      result: `TensorOf<${shape}<Tensors, Dim>, SharedDType<Tensors>, SharedDevice<Tensors>>`,
    },
  ];
}

export const VIEW_RULES: Readonly<Record<string, readonly ShapeRule[]>> = {
  sum: reduction("sum", "SumDType<A>", true),
  prod: reduction("prod", "SumDType<A>", true),
  mean: reduction("mean", "DTypeOf<A>", true),
  amax: reduction("amax", "DTypeOf<A>", false).slice(0, 1),
  amin: reduction("amin", "DTypeOf<A>", false).slice(0, 1),
  all: reduction("all", '"bool"', false),
  any: reduction("any", '"bool"', false),
  argmax: reduction("argmax", '"int64"', false),
  argmin: reduction("argmin", '"int64"', false),
  max: extreme("max"),
  min: extreme("min"),
  softmax: along("softmax", "DTypeOf<A>"),
  log_softmax: along("logSoftmax", "DTypeOf<A>"),
  cumsum: along("cumsum", "SumDType<A>"),
  cumprod: along("cumprod", "SumDType<A>"),
  unsqueeze: [
    {
      generics: "Dim extends number",
      parameters: { dim: "Dim" },
      result: shaped("Inserted<ShapeOf<A>, Dim>"),
    },
  ],
  squeeze: [
    {
      generics: "const Dim extends number | number[] | readonly number[]",
      parameters: { dim: "Dim" },
      result: shaped("SqueezedAt<ShapeOf<A>, Dim>"),
    },
    { parameters: {}, result: shaped("Squeezed<ShapeOf<A>>") },
  ],
  transpose: exchange("transpose", "dim0", "dim1"),
  swapdims: exchange("swapdims", "dim0", "dim1"),
  swapaxes: exchange("swapaxes", "axis0", "axis1"),
  t: [{ parameters: {}, result: shaped("Turned<ShapeOf<A>>") }],
  permute: [
    {
      generics:
        'const Dims extends number[] | readonly number[], Problem = PermuteProblem<"permute", ShapeOf<A>, Dims>',
      parameters: { dims: "Dims & Unless<Problem>" },
      result: shaped("Permuted<ShapeOf<A>, Dims>"),
    },
  ],
  flatten: [
    {
      ...twoAxes("flatten", "startDim", "endDim", [" = 0", " = -1"]),
      result: shaped("Flattened<ShapeOf<A>, First, Second>"),
    },
  ],
  view: view("view", "size"),
  reshape: view("reshape", "shape"),
  cat: join("CatProblem<Tensors, Dim>", "CatShape"),
  stack: join("StackProblem<Tensors>", "StackShape"),
  addmm: [
    {
      generics:
        'const B extends SomeTensor, const C extends SomeTensor, Problem = PlainProductProblem<"addmm", "2", B, C>',
      parameters: { mat1: "B", mat2: "C & Unless<Problem>" },
      result: "TensorOf<MatmulShape<B, C>, ProductDType<B, C>, CommonDevice<B, C>>",
    },
  ],
  linear: [
    {
      generics: "const B extends SomeTensor, Problem = LinearProblem<A, B>",
      parameters: { weight: "B & Unless<Problem>" },
      result: "TensorOf<LinearShape<ShapeOf<A>, ShapeOf<B>>, ProductDType<A, B>, CommonDevice<A, B>>",
    },
  ],
};
