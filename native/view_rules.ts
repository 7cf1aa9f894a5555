// Rules for operators that change a shape: reductions, views, joins. As `shape_rules.ts` says, in words of
// `lib/torch/types/`.
import type { ShapeRule } from "./shape_rules.ts";

const DIMS = "number | number[] | readonly number[] | null";
const axis = (operator: string, dim: string) =>
  `${dim} & UnlessAt<AxisProblem<"${operator}", ShapeOf<A>, ${dim}>>`;

/** `sum(dim, keepdim)`, and `sum()` of everything. */
function reduction(operator: string, dtype: string, takesDType: boolean): ShapeRule[] {
  const generic = takesDType ? `Type extends DType = ${dtype}` : "";
  const type = takesDType ? "Type" : dtype;
  const given: Record<string, string> = takesDType ? { dtype: "Type | null" } : {};
  return [
    {
      generics: [`const Dim extends ${DIMS} = null, Keep extends boolean = false`, generic]
        .filter(Boolean)
        .join(", "),
      parameters: { dim: axis(operator, "Dim"), keepdim: "Keep", ...given },
      result: `TensorOf<Reduced<ShapeOf<A>, Dim, Keep>, ${type}, DeviceOf<A>>`,
    },
    {
      ...(generic ? { generics: generic } : {}),
      parameters: given,
      result: `TensorOf<"", ${type}, DeviceOf<A>>`,
    },
  ];
}

/** `max(dim)` gives values and where they are. */
const extreme = (operator: string): ShapeRule[] => [
  {
    generics: "Dim extends number, Keep extends boolean = false",
    parameters: { dim: axis(operator, "Dim"), keepdim: "Keep" },
    result: "ValuesAndIndices<TupleOf<Reduced<ShapeOf<A>, Dim, Keep>>, DTypeOf<A>, DeviceOf<A>>",
  },
  {
    generics: "const B extends SomeTensor",
    parameters: { other: `B & Unless<ElementwiseProblem<"${operator}", A, B>>` },
    result: "TensorOf<BroadcastShape<A, B>, Promoted<A, B>, CommonDevice<A, B>>",
  },
  { parameters: {}, result: 'TensorOf<"", DTypeOf<A>, DeviceOf<A>>' },
];

/** Along a dimension, which stays: `softmax(-1)`. */
const along = (operator: string, dtype: string): ShapeRule[] => [
  {
    generics: `Dim extends number, Type extends DType = ${dtype}`,
    parameters: { dim: axis(operator, "Dim"), dtype: "Type | null" },
    result: "TensorOf<ShapeOf<A>, Type, DeviceOf<A>>",
  },
];

const shaped = (shape: string) => `TensorOf<${shape}, DTypeOf<A>, DeviceOf<A>>`;

function exchange(operator: string, first: string, second: string): ShapeRule[] {
  return [
    {
      generics: "First extends number, Second extends number",
      parameters: { [first]: axis(operator, "First"), [second]: axis(operator, "Second") },
      result: shaped("Exchanged<ShapeOf<A>, First, Second>"),
    },
  ];
}

function view(operator: string, parameter: string): ShapeRule[] {
  return [
    {
      generics: "const Sizes extends number[] | readonly number[]",
      parameters: { [parameter]: `Sizes & Unless<ViewProblem<"${operator}", ShapeOf<A>, Sizes>>` },
      result: shaped("Viewed<ShapeOf<A>, Sizes>"),
    },
  ];
}

function join(problem: string, shape: string): ShapeRule[] {
  return [
    {
      generics: "const Tensors extends readonly SomeTensor[], Dim extends number = 0",
      parameters: { tensors: `Tensors & Unless<${problem}>`, dim: "Dim" },
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
      generics: "Dim extends number | readonly number[]",
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
      generics: "const Dims extends number[] | readonly number[]",
      parameters: { dims: 'Dims & Unless<PermuteProblem<"permute", ShapeOf<A>, Dims>>' },
      result: shaped("Permuted<ShapeOf<A>, Dims>"),
    },
  ],
  flatten: [
    {
      generics: "Start extends number = 0, End extends number = -1",
      parameters: { startDim: axis("flatten", "Start"), endDim: axis("flatten", "End") },
      result: shaped("Flattened<ShapeOf<A>, Start, End>"),
    },
  ],
  view: view("view", "size"),
  reshape: view("reshape", "shape"),
  cat: join("CatProblem<Tensors, Dim>", "CatShape"),
  stack: join("StackProblem<Tensors>", "StackShape"),
  addmm: [
    {
      generics: "const B extends SomeTensor, const C extends SomeTensor",
      parameters: { mat1: "B", mat2: 'C & Unless<PlainProductProblem<"addmm", "2", B, C>>' },
      result: "TensorOf<MatmulShape<B, C>, ProductDType<B, C>, CommonDevice<B, C>>",
    },
  ],
  linear: [
    {
      generics: "const B extends SomeTensor",
      parameters: { weight: "B & Unless<LinearProblem<ShapeOf<A>, ShapeOf<B>>>" },
      result: "TensorOf<LinearShape<ShapeOf<A>, ShapeOf<B>>, ProductDType<A, B>, CommonDevice<A, B>>",
    },
  ],
};
