// Lists the operators whose declarations compute the result's shape, dtype and device, with the types of
// `lib/torch/types/` that do so. All other operators keep the open types of their schemas.
import { VIEW_RULES } from "./view_rules.ts";

/** Types for one overload: of the parameters that it names, by their public names, and of the result. */
export interface ShapeRule {
  /**
   * Type parameters besides `const A extends SomeTensor`, which is the tensor itself: a method's `this`, a function's
   * `input`. `const` has no meaning for a tensor, but without it the checker looks, for each argument, whether the
   * result's type mentions `A`.
   *
   * A problem of an argument is the default of a type parameter: `B & Unless<Problem>`. If the problem's type were
   * written in place of `Problem`, the checker would compute it for all `A` and `B` before it infers them, because it
   * hopes to infer from it.
   */
  readonly generics?: string;
  /** The rule applies to overloads that take a number in place of the tensor, and to no others: `pow(2, x)`. */
  readonly isNumberFirst?: boolean;
  /** The rule applies to an overload that has all of these. `"..."` stands for the options of a factory. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly result: string;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Operators whose result has the shape of the tensor, and: the same dtype; a floating-point dtype; the dtype bool. */
const LIKE = words(`
  abs absolute ceil clone contiguous conj conj_physical deg2rad detach detach_copy dropout elu fix flip floor frac
  gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu log_sigmoid mish neg negative positive prelu rad2deg relu
  relu6 resolve_conj resolve_neg roll rot90 round selu sgn sign silu softplus softshrink square tril triu trunc`);
const FLOATING = words(`
  acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh digamma erf erfc erfinv exp
  exp2 expm1 lgamma log log10 log1p log2 logit reciprocal rsqrt sigmoid sin sinc sinh sqrt tan tanh`);
const MASK = words("isfinite isinf isnan isneginf isposinf isreal logical_not signbit");

/** Operators that combine two tensors, or a tensor and a number, element by element. */
const ELEMENTWISE = words(`
  add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor fmax fmin fmod floor_divide maximum
  minimum mul multiply pow remainder sub subtract`);
const QUOTIENT = words(
  "arctan2 atan2 div divide hypot logaddexp special_xlog1py special_xlogy special_zeta true_divide xlogy",
);
const COMPARISON = words(
  "eq ge greater greater_equal gt le less less_equal logical_and logical_or logical_xor lt ne not_equal",
);

/** Factories that begin with a size. */
const SIZED = words("empty ones rand randn zeros");

/**
 * Result types are written in full, not as aliases, because the compiler shows a result by the name in its declaration.
 */
const LIKE_A = "Like<A>";
const MATMUL = "TensorOf<MatmulShape<A, B>, ProductDType<A, B>, CommonDevice<A, B>>";

const rules = new Map<string, readonly ShapeRule[]>();

for (const name of LIKE) rules.set(name, [{ parameters: {}, result: LIKE_A }]);
for (const name of FLOATING) rules.set(name, [{ parameters: {}, result: "Like<A, Floating<DTypeOf<A>>>" }]);
for (const name of MASK) rules.set(name, [{ parameters: {}, result: 'Like<A, "bool">' }]);

/** @param dtype the dtype of the result, of the types of the two operands */
function elementwise(name: string, dtype: (a: string, b: string) => string): ShapeRule[] {
  const other = /pow(er)?$/.test(name) ? "exponent" : "other";
  return [
    {
      generics: `const B extends SomeTensor | Scalar, Problem = ElementwiseProblem<"${name}", A, B>`,
      parameters: { [other]: "B & Unless<Problem>" },
      result: `TensorOf<BroadcastShape<A, B>, ${dtype("A", "B")}, CommonDevice<A, B>>`,
    },
    {
      isNumberFirst: true,
      generics: "A extends Scalar, const B extends SomeTensor",
      parameters: { input: "A", [other]: "B" },
      result: `Like<B, ${dtype("B", "A")}>`,
    },
  ];
}

const promoted = (a: string, b: string) => `Promoted<${a}, ${b}>`;

for (const name of ELEMENTWISE) rules.set(name, elementwise(name, promoted));
for (const name of COMPARISON)
  rules.set(
    name,
    elementwise(name, () => '"bool"'),
  );
for (const name of QUOTIENT) {
  // A quotient with a rounding mode has the tensors' own dtype.
  const rounded = elementwise(name, promoted).map((rule) => ({
    ...rule,
    parameters: { ...rule.parameters, roundingMode: "string | null" },
  }));
  rules.set(name, [...rounded, ...elementwise(name, (a, b) => `Floating<${promoted(a, b)}>`)]);
}
rules.set(
  "float_power",
  elementwise("float_power", (a, b) => `Doubled<${promoted(a, b)}>`),
);

/** The condition chooses between two operands, each a tensor or a number. */
rules.set("where", [
  {
    generics:
      'const B extends SomeTensor | Scalar, const C extends SomeTensor, Problem = ElementwiseProblem<"where", A, B>, Unmet = ElementwiseProblem<"where", A, C>',
    parameters: { condition: "C & Unless<Unmet>", other: "B & Unless<Problem>" },
    result: "TensorOf<Broadcast<ShapeOf<C>, BroadcastShape<A, B>>, Promoted<A, B>, CommonDevice<A, B>>",
  },
  {
    isNumberFirst: true,
    generics:
      'A extends Scalar, const B extends SomeTensor | Scalar, const C extends SomeTensor, Problem = ElementwiseProblem<"where", C, B>',
    parameters: { condition: "C", input: "A", other: "B & Unless<Problem>" },
    result: "TensorOf<BroadcastShape<C, B>, PromotedOperands<A, B>, CommonDevice<C, B>>",
  },
]);

for (const name of SIZED) {
  rules.set(name, [
    {
      generics:
        'const Sizes extends number | number[] | readonly number[], Type extends DType = "float32", Device extends DeviceText = DeviceName',
      parameters: { size: "Sizes", "...": "TensorOptions<Type, Device>" },
      result: "TensorOf<SizesOf<Sizes>, Type, Device>",
    },
  ]);
}

/** Makes the rule of a factory that does not begin with a size. */
const made = (
  sizes: string,
  dtype: string,
  parameters: Record<string, string>,
  result: string,
): ShapeRule => ({
  generics: `${sizes}, Type extends DType = ${dtype}, Device extends DeviceText = DeviceName`,
  parameters: { ...parameters, "...": "TensorOptions<Type, Device>" },
  result: `TensorOf<${result}, Type, Device>`,
});

rules.set("eye", [
  made("N extends number, M extends number", '"float32"', { n: "N", m: "M" }, "`${CountOf<N>}${CountOf<M>}`"),
  made("N extends number", '"float32"', { n: "N" }, "`${CountOf<N>}${CountOf<N>}`"),
]);
rules.set("randint", [
  made("const Sizes extends number[] | readonly number[]", '"int64"', { size: "Sizes" }, "SizesOf<Sizes>"),
]);
rules.set("randperm", [made("N extends number", '"int64"', { n: "N" }, "CountOf<N>")]);
rules.set("linspace", [made("Steps extends number", '"float32"', { steps: "Steps" }, "CountOf<Steps>")]);
rules.set("logspace", [made("Steps extends number", '"float32"', { steps: "Steps" }, "CountOf<Steps>")]);
rules.set("arange", [
  made("Start extends Scalar", "DType", { start: "Start" }, '"?,"'),
  made("End extends Scalar", "DType", { end: "End" }, "CountUpTo<End>"),
]);
for (const name of words("new_empty new_full new_ones new_zeros")) {
  rules.set(name, [
    {
      generics:
        "const Sizes extends number[] | readonly number[], Type extends DType = DTypeOf<A>, Device extends DeviceText = DeviceOf<A>",
      parameters: { size: "Sizes", "...": "TensorOptions<Type, Device>" },
      result: "TensorOf<SizesOf<Sizes>, Type, Device>",
    },
  ]);
}

for (const name of words("empty_like ones_like rand_like randn_like zeros_like full_like")) {
  rules.set(name, [
    {
      generics: "Type extends DType = DTypeOf<A>, Device extends DeviceText = DeviceOf<A>",
      parameters: { "...": "TensorOptions<Type, Device>" },
      result: "TensorOf<ShapeOf<A>, Type, Device>",
    },
  ]);
}

const product = (problem: string, parameter: string): ShapeRule => ({
  generics: `const B extends SomeTensor, Problem = ${problem}`,
  parameters: { [parameter]: "B & Unless<Problem>" },
  result: MATMUL,
});

rules.set("matmul", [product('MatmulProblem<"matmul", A, B>', "other")]);
rules.set("linalg_matmul", [product('MatmulProblem<"matmul", A, B>', "other")]);
rules.set("mm", [product('PlainProductProblem<"mm", "2", A, B>', "mat2")]);
rules.set("bmm", [product('PlainProductProblem<"bmm", "3", A, B>', "mat2")]);

/** Operators that change the tensor's own shape or dtype, so that they do not return its type from before. */
const RESHAPING = new Set(
  words(
    "as_strided_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_ sparse_resize_",
  ),
);

/** Returns the rules of an operator. An overload takes the first rule whose parameters it has. */
export function shapeRules(operator: string): readonly ShapeRule[] {
  const own = rules.get(operator) ?? VIEW_RULES[operator];
  if (own !== undefined || !operator.endsWith("_") || RESHAPING.has(operator)) return own ?? [];
  const plain = rules.get(operator.slice(0, -1)) ?? [{ parameters: {}, result: "A" }];
  // An in-place operator returns the tensor with its own type.
  return plain.map((rule) => ({ ...rule, result: "A" }));
}

/** The types of `lib/torch/types/` that rules use. */
const RULE_TYPES = words(`
  AxisProblem Broadcast BroadcastShape CatProblem CatShape CommonDevice CountOf CountUpTo DTypeOf DeviceOf Doubled ElementwiseProblem Exchanged Flattened
  Floating Inserted Like LinearProblem LinearShape MatmulProblem MatmulShape Permuted PermuteProblem PlainProductProblem
  ProductDType Promoted PromotedOperands Reduced ShapeOf SharedDType SharedDevice SizesOf SomeSizes SomeTensor Squeezed SqueezedAt StackProblem StackShape
  SumDType TensorOf Turned Unless UnlessAny UnlessAt ValuesAndIndices ValuesAndIndicesOf Viewed ViewProblem`);

/** Returns the types of rules that the declarations use and must import. */
export function ruleTypes(declarations: string): string[] {
  return RULE_TYPES.filter((name) => new RegExp(String.raw`\b${name}\b`).test(declarations));
}
