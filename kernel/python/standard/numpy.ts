// Converts calls of numpy: an array is a tensor here, of numpy's dtype. It does not know a function that torch names alike
// and means otherwise; such a call is marked where it is converted.
import type { Arguments } from "../expressions/arguments.ts";
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper, library, mark } from "../context.ts";
import { elementOf, holdsFloat, isList, isNumber, isTensor, type Kind } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

type Convert = (given: Arguments, context: Context, node: Node) => Code | null;

const DRAWN = "numpy's generator draws other numbers than torch's";
const ROUNDED = "torch adds in another order than numpy, so that the last digits may differ";

/** An argument by its place or its name. */
function argument({ positional, keywords }: Arguments, at: number, ...names: string[]): Code | undefined {
  return positional[at]?.value ?? keywords.find(({ name }) => names.includes(name))?.value;
}

const hasOnly = ({ keywords, spread }: Arguments, ...names: string[]): boolean =>
  spread === null && keywords.every(({ name }) => names.includes(name));

const double = (dtype: Code | undefined): string => `{ dtype: ${dtype?.text ?? '"float64"'} }`;

/** Numbers as a tensor of numpy's dtype: fractions are float64. */
function arrayText(value: Code, context: Context): string {
  if (isTensor(value.kind)) return receiver(value);
  const torch = `${library(context, "torch")}.tensor`;
  if (isList(value.kind) && holdsFloat(value.kind)) return `${torch}(${value.text}, { dtype: "float64" })`;
  if (/^(list )+int$/.test(value.kind)) return `${torch}(${value.text})`;
  return `${helper(context, "arrayOf")}(${value.text})`;
}

const array: Convert = (given, context) => {
  const [values, dtype] = [argument(given, 0, "object", "a"), argument(given, 1, "dtype")];
  if (values === undefined || !hasOnly(given, "dtype", "copy")) return null;
  if (isTensor(values.kind))
    return code(
      dtype === undefined ? `${receiver(values)}.clone()` : `${receiver(values)}.to(${dtype.text})`,
      "tensor",
    );
  if (dtype === undefined) return code(arrayText(values, context), "tensor");
  return code(`${library(context, "torch")}.tensor(${values.text}, ${double(dtype)})`, "tensor");
};

/** `np.zeros((2, 3), dtype=np.int32)` */
const filled =
  (name: string): Convert =>
  (given, context) => {
    const shape = argument(given, 0, "shape", "N");
    if (shape === undefined || given.positional.length > 2 || !hasOnly(given, "shape", "dtype")) return null;
    const sizes = isList(shape.kind) || shape.kind === "" || name === "eye" ? shape.text : `[${shape.text}]`;
    const text = `${library(context, "torch")}.${name}(${sizes}, ${double(argument(given, 1, "dtype"))})`;
    return code(text, "tensor");
  };

const full: Convert = (given, context) => {
  const [shape, value, dtype] = [
    argument(given, 0, "shape"),
    argument(given, 1, "fill_value"),
    argument(given, 2, "dtype"),
  ];
  if (
    shape === undefined ||
    value === undefined ||
    !(dtype || value.kind === "float" || value.kind === "int")
  )
    return null;
  const sizes = isNumber(shape.kind) ? `[${shape.text}]` : shape.text;
  const options = dtype === undefined && value.kind === "int" ? "" : `, ${double(dtype)}`;
  return code(`${library(context, "torch")}.full(${sizes}, ${value.text}${options})`, "tensor");
};

const linspace: Convert = (given, context) => {
  const [start, end, count] = [
    argument(given, 0, "start"),
    argument(given, 1, "stop"),
    argument(given, 2, "num"),
  ];
  if (start === undefined || end === undefined || !hasOnly(given, "start", "stop", "num")) return null;
  const texts = [start.text, end.text, count?.text ?? "50"].join(", ");
  return code(`${library(context, "torch")}.linspace(${texts}, { dtype: "float64" })`, "tensor");
};

const arange: Convert = (given, context) => {
  const kinds = given.positional.map(({ value }) => value.kind);
  const dtype = argument(given, 3, "dtype");
  if (!kinds.every(isNumber) || !hasOnly(given, "dtype") || kinds.includes("number")) return null;
  const options = dtype !== undefined || kinds.includes("float") ? `, ${double(dtype)}` : "";
  const texts = given.positional.slice(0, 3).map(({ value }) => value.text);
  return code(`${library(context, "torch")}.arange(${texts.join(", ")}${options})`, "tensor");
};

/** `np.random.rand(2, 3)`, `np.random.randn()` */
const drawn =
  (name: string): Convert =>
  (given, context, node) => {
    if (!hasOnly(given) || !given.positional.every(({ value, spread }) => spread || isNumber(value.kind)))
      return null;
    mark(context, node, DRAWN);
    const sizes = given.positional.map(({ value, spread }) => `${spread ? "..." : ""}${value.text}`);
    const text = `${library(context, "torch")}.${name}([${sizes.join(", ")}], { dtype: "float64" })`;
    return sizes.length === 0 ? code(`${text}.item()`, "float") : code(text, "tensor");
  };

/** Of a number it is a number: `np.sqrt(2)` */
const unary =
  (name: string, ofNumber: string = name): Convert =>
  (given, context) => {
    const [of] = given.positional;
    if (of === undefined || given.positional.length > 1 || !hasOnly(given)) return null;
    if (isNumber(of.value.kind)) return code(`Math.${ofNumber}(${of.value.text})`, "float");
    if (!isTensor(of.value.kind) && !isList(of.value.kind)) return null;
    return code(`${arrayText(of.value, context)}.${name}()`, "tensor");
  };

const binary =
  (name: string): Convert =>
  (given, context) => {
    const [a, b] = given.positional.map(({ value }) => value);
    const out = argument(given, 2, "out");
    if (a === undefined || b === undefined || !hasOnly(given, "out")) return null;
    const isKnown = (one: Code): boolean => isTensor(one.kind) || isList(one.kind);
    if (!isKnown(a) || !(isKnown(b) || isNumber(b.kind))) return null;
    const other = isNumber(b.kind) ? bound(b, LEVEL.arrow) : arrayText(b, context);
    if (out === undefined) return code(`${arrayText(a, context)}.${name}(${other})`, "tensor");
    return code(
      `${library(context, "torch")}.${name}(${arrayText(a, context)}, ${other}, { out: ${out.text} })`,
      "tensor",
    );
  };

interface Reduction {
  readonly name: string;
  /** With an axis, where that has another name. */
  readonly along?: string;
  readonly gives: Kind;
  readonly isRounded?: boolean;
  /** Of whole numbers torch computes it only as fractions. */
  readonly ofFractions?: boolean;
  readonly options?: (given: Arguments) => string[];
}

/** Without an axis numpy gives a number. */
const reduction =
  ({ name, along = name, gives, isRounded, ofFractions, options }: Reduction): Convert =>
  (given, context, node) => {
    const [of, axis, keepdims] = [
      argument(given, 0, "a"),
      argument(given, 1, "axis"),
      argument(given, 9, "keepdims"),
    ];
    const isKnown = of !== undefined && (isTensor(of.kind) || isList(of.kind) || of.kind === "");
    if (!isKnown || given.positional.length > 2 || !hasOnly(given, "axis", "keepdims", "ddof")) return null;
    // A row of tensors is no array of numbers.
    if (isTensor(elementOf(of.kind)) && isList(of.kind)) return null;
    if (isRounded === true) mark(context, node, ROUNDED);
    const from = `${arrayText(of, context)}${ofFractions === true && !isTensor(of.kind) ? ".double()" : ""}`;
    const named = [
      ...(options?.(given) ?? []),
      ...(keepdims === undefined ? [] : [`keepdim: ${keepdims.text}`]),
    ];
    const last = named.length === 0 ? [] : [`{ ${named.join(", ")} }`];
    if (axis === undefined || axis.kind === "none") {
      const all = name === "std" || name === "var" ? ["null", ...last] : last;
      return keepdims === undefined ? code(`${from}.${name}(${all.join(", ")}).item()`, gives) : null;
    }
    return code(`${from}.${along}(${[axis.text, ...last].join(", ")})`, "tensor");
  };

/** numpy divides by n where torch divides by n - 1. */
const correction = (given: Arguments): string[] => [`correction: ${argument(given, 9, "ddof")?.text ?? "0"}`];

/** `np.transpose(image, (1, 2, 0))` */
const transpose: Convert = (given, context) => {
  const [of, axes] = [argument(given, 0, "a"), argument(given, 1, "axes")];
  if (of === undefined || !(isTensor(of.kind) || of.kind === "")) return null;
  const order = axes?.text ?? `Array.from({ length: ${receiver(of)}.dim() }, (_, i) => -1 - i)`;
  return code(`${arrayText(of, context)}.permute(${order})`, "tensor");
};

const clip: Convert = (given, context) => {
  const [of, low, high] = given.positional.map(({ value }) => value);
  if (of === undefined || low === undefined || high === undefined || !(isTensor(of.kind) || isList(of.kind)))
    return null;
  return code(`${arrayText(of, context)}.clamp(${low.text}, ${high.text})`, "tensor");
};

/** Of tensors alone: `np.concatenate([a, b], axis=1)` */
const joined =
  (name: string): Convert =>
  (given, context) => {
    const [list, axis] = [argument(given, 0), argument(given, 1, "axis")];
    if (list === undefined || !isTensor(elementOf(list.kind)) || !hasOnly(given, "axis")) return null;
    return code(
      `${library(context, "torch")}.${name}(${[list.text, ...(axis ? [axis.text] : [])].join(", ")})`,
      "tensor",
    );
  };

const named = (names: string, convert: (name: string) => Convert): Record<string, Convert> =>
  Object.fromEntries(names.split(" ").map((name) => [name, convert(name)]));

const CALLS: Readonly<Record<string, Convert>> = {
  array,
  asarray: (given, context, node) => {
    const of = given.positional[0]?.value;
    return of !== undefined && isTensor(of.kind) && given.keywords.length === 0
      ? of
      : array(given, context, node);
  },
  ...named("ones zeros empty eye", filled),
  full,
  linspace,
  arange,
  "random.rand": drawn("rand"),
  "random.randn": drawn("randn"),
  ...named("sqrt exp log log2 log10 log1p expm1 sin cos tan tanh sinh cosh floor ceil abs sign", unary),
  absolute: unary("abs"),
  square: (given, context, node) => {
    const of = given.positional[0]?.value;
    return of !== undefined && isNumber(of.kind)
      ? code(`${receiver(of)} ** 2`, of.kind, LEVEL.power)
      : unary("square")(given, context, node);
  },
  add: binary("add"),
  subtract: binary("sub"),
  multiply: binary("mul"),
  divide: binary("div"),
  sum: reduction({ name: "sum", gives: "number", isRounded: true }),
  prod: reduction({ name: "prod", gives: "number", isRounded: true }),
  mean: reduction({ name: "mean", gives: "float", isRounded: true, ofFractions: true }),
  std: reduction({ name: "std", gives: "float", isRounded: true, ofFractions: true, options: correction }),
  var: reduction({ name: "var", gives: "float", isRounded: true, ofFractions: true, options: correction }),
  max: reduction({ name: "max", along: "amax", gives: "number" }),
  min: reduction({ name: "min", along: "amin", gives: "number" }),
  argmax: reduction({ name: "argmax", gives: "int" }),
  argmin: reduction({ name: "argmin", gives: "int" }),
  transpose,
  clip,
  concatenate: joined("cat"),
  stack: joined("stack"),
};

/** A call of numpy that has a twin of the same meaning, or null. */
export function numpyCall(path: string, given: Arguments, context: Context, node: Node): Code | null {
  const name = path.slice("numpy.".length);
  return path.startsWith("numpy.") && Object.hasOwn(CALLS, name) ? CALLS[name]!(given, context, node) : null;
}

/** Functions of numpy that torch has under the same name with another meaning. */
const OTHERWISE: Readonly<Record<string, string>> = {
  std: "numpy divides by n, torch by n - 1 without { correction: 0 }",
  var: "numpy divides by n, torch by n - 1 without { correction: 0 }",
  median: "numpy takes the mean of the middle two, torch the lower of them; quantile(0.5) takes the mean",
  max: "torch.amax is numpy's max along an axis",
  min: "torch.amin is numpy's min along an axis",
  sort: "torch.sort gives the values and where they were",
  repeat: "torch.repeatInterleave is numpy's repeat",
  split: "numpy is given the number of parts, torch their size: torch.tensorSplit takes the number",
  transpose: "torch.permute is numpy's transpose",
  size: "numel() is numpy's size",
  meshgrid: 'numpy\'s grid has { indexing: "xy" }',
};

/** What a call is marked with that is converted by its name alone. */
export const alikeMessage = (last: string, twin: string): string =>
  Object.hasOwn(OTHERWISE, last)
    ? `there is no numpy here, and torch.${twin} means something else: ${OTHERWISE[last]}`
    : `there is no numpy here; torch.${twin} does the same to tensors`;
