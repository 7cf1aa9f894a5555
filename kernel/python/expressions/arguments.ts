// Reads the arguments of a call, and puts them into the order and the last object that the library takes.
import { bound, type Code, code, keyText, LEVEL } from "../code.ts";
import { type Context, helper, mark } from "../context.ts";
import { holdsFloat, isList, isNumber, type Kind, mayHoldFloat } from "../kinds.ts";
import { floatScalar } from "./operators.ts";
import { nearestName } from "../../../lib/magics/nearest_name.ts";
import { tensorKind } from "../names/floats.ts";
import { type CallForm, camelCase, type Entry, wordFor } from "../names/names.ts";
import { type Node, parts } from "../source/syntax.ts";

export interface Arguments {
  readonly positional: readonly { readonly value: Code; readonly spread: boolean; readonly node: Node }[];
  readonly keywords: readonly { readonly name: string; readonly value: Code; readonly node: Node }[];
  /** `**options` */
  readonly spread: Code | null;
  /** A lone comprehension: `sum(x for x in xs)` */
  readonly comprehension: readonly Node[] | null;
}

export function readArguments(list: Node, context: Context): Arguments {
  const inner = list.children.filter(({ name }) => name !== "(" && name !== ")");
  if (inner.some(({ name }) => name === "for"))
    return { positional: [], keywords: [], spread: null, comprehension: inner };
  const positional: Arguments["positional"][number][] = [];
  const keywords: Arguments["keywords"][number][] = [];
  let spread: Code | null = null;
  for (const part of parts(inner)) {
    const node = part.at(-1)!;
    const value = context.expression(node);
    if (part[0]!.name === "**") spread = value;
    else if (part[1]?.name === "AssignOp" && part[1].text === "=")
      keywords.push({ name: part[0]!.text, value, node });
    else positional.push({ value, spread: part[0]!.name === "*", node });
  }
  return { positional, keywords, spread, comprehension: null };
}

export function written({ value, spread }: { value: Code; spread: boolean }): string {
  return `${spread ? "..." : ""}${bound(value, LEVEL.arrow)}`;
}

/** Sizes and dimensions stand one by one in Python, and in one list here; the number of arguments before them. */
const LISTED: Readonly<Record<string, number>> = Object.fromEntries([
  ..."zeros ones empty rand randn view reshape permute repeat expand flip tile newZeros newOnes newEmpty"
    .split(" ")
    .map((name) => [name, 0]),
  ..."meshgrid broadcastTensors blockDiag cartesianProd atleast1d".split(" ").map((name) => [name, 0]),
  ["einsum", 1],
]);

/** Other names of the same arguments; null where there is nothing to say here. */
const RENAMED: Readonly<Record<string, string | null>> = {
  axis: "dim",
  keepdims: "keepdim",
  data: "values",
  mapLocation: "device",
  weightsOnly: null,
  pickleModule: null,
  foreach: null,
  fused: null,
  capturable: null,
  differentiable: null,
  useReentrant: null,
  multiprocessingContext: null,
  pinMemoryDevice: null,
  inplace: null,
  checkStride: null,
};

export interface Arranged {
  readonly text: string;
  readonly gives: Kind;
}

interface Given {
  readonly name: string;
  readonly value: Code;
  readonly isKeyword: boolean;
}

/**
 * The arguments of a call of the library, and what it gives.
 *
 * @param call as the mark names it
 * @param run a function that goes last, in place of a with-statement's block
 * @param of the kind of the tensor whose method it is
 */
export function arrange(
  context: Context,
  node: Node,
  call: string,
  entry: Entry,
  { positional, keywords, spread }: Arguments,
  run?: string,
  of: Kind = "",
): Arranged {
  const name = call.replace(/^.*\./, "");
  const listed = withFloats(name, of, asList(name, positional, entry), context);
  const others = withReduction(keywords, entry).flatMap(({ name: key, value }): Given[] => {
    const renamed = renamedKey(camelCase(key), entry);
    const [bound_] = CLAMPING.has(name) ? boundsOf(operandKind(of, positional), [value], context) : [value];
    return renamed === null ? [] : [{ name: renamed, value: worded(bound_!), isKeyword: true }];
  });
  const fits = entry.calls.map((form) => fit(form, entry, listed, others));
  const best = fits.reduce<Fit | null>(
    (one, other) => (one === null || better(other, one) ? other : one),
    null,
  );
  if (best === null)
    return { text: [...listed.map(written), ...(run ? [run] : [])].join(", "), gives: entry.gives };
  for (const { name: key, isKeyword } of best.unfit) {
    if (!isKeyword) continue;
    const near = nearestName(
      key,
      entry.calls.flatMap(({ options, positional: all }) => [...options, ...all.map((one) => one.name)]),
    );
    mark(context, node, `${call} has no ${key} here${near === null ? "" : `; ${near} is there`}`);
  }
  const fields = best.options.map(({ name: key, value }) =>
    value.text === key ? key : `${keyText(key)}: ${bound(value, LEVEL.arrow)}`,
  );
  for (const { name: key, value, isKeyword } of best.unfit)
    if (isKeyword) fields.push(`${key}: ${bound(value, LEVEL.arrow)}`);
  if (spread !== null) {
    fields.push(`...${helper(context, "optionsOf")}(${spread.text})`);
    if (best.missing > 0) mark(context, node, `${call} takes its first arguments by place: write them there`);
  }
  const named = others
    .filter(({ name: key }) => key === "fillValue" || key === "data" || key === "values")
    .map(({ value }) => value);
  const float = floatDType(name, best, listed, named, context, node);
  if (float !== null) fields.push(float);
  const options =
    fields.length > 0 || (run !== undefined && OPTIONS_FIRST.has(name))
      ? [fields.length > 0 ? `{ ${fields.join(", ")} }` : "{}"]
      : [];
  const tail = run === undefined ? [] : [run];
  const dtype =
    best.options.find((one) => one.name === "dtype")?.value.text ?? float?.slice("dtype: ".length);
  const gives = tensorKind(best.form.gives, name, operandKind(of, positional), dtype);
  return { text: [...best.places, ...options, ...tail].join(", "), gives };
}

/** `size_average=False` and `reduce=False`, as losses were told before `reduction`. */
function withReduction(keywords: Arguments["keywords"], entry: Entry): Arguments["keywords"] {
  const old = keywords.filter(({ name }) => name === "size_average" || name === "reduce");
  const takes = entry.calls.some(({ options }) => options.includes("reduction"));
  if (!takes || old.length === 0 || !old.every(({ value }) => /^(true|false|null)$/.test(value.text)))
    return keywords;
  const isOff = (name: string): boolean => old.some((one) => one.name === name && one.value.text === "false");
  const word = isOff("reduce") ? "none" : isOff("size_average") ? "sum" : "mean";
  const reduction = { ...old[0]!, name: "reduction", value: code(JSON.stringify(word), "text") };
  return [...keywords.filter((one) => !old.includes(one)), reduction];
}

/** The kind of the tensor that a method or a function works on. */
const operandKind = (of: Kind, positional: Arguments["positional"]): Kind =>
  of === "" ? (positional[0]?.value.kind ?? "") : of;

/** Functions whose scalars have a say in the dtype: `torch.where(m, 1.0, 0.0)`, `x.mul(2.0)` */
const PROMOTING = new Set(
  "where resultType add sub subtract mul multiply pow remainder fmod floorDivide add_ sub_ mul_ pow_ remainder_ fmod_ floorDivide_".split(
    " ",
  ),
);

const CLAMPING = new Set(["clamp", "clip", "clampMin", "clampMax"]);

function withFloats(
  name: string,
  of: Kind,
  positional: Arguments["positional"],
  context: Context,
): Arguments["positional"] {
  if (CLAMPING.has(name)) {
    const bounds = boundsOf(
      of,
      positional.map(({ value }) => value),
      context,
    );
    return positional.map((one, at) => ({ ...one, value: bounds[at]! }));
  }
  const others = positional.map(({ value }) => value.kind);
  if (!PROMOTING.has(name) || [of, ...others].includes("tensor float")) return positional;
  return positional.map((one) => ({ ...one, value: floatScalar(one.value, context) }));
}

/** `x.clamp(0.0, 1.0)`: both bounds are tensors, or none. */
function boundsOf(of: Kind, values: readonly Code[], context: Context): readonly Code[] {
  const isWhole = values.some(({ kind }) => kind === "float") && !values.some(({ text }) => isFraction(text));
  if (!isWhole || [of, ...values.map(({ kind }) => kind)].includes("tensor float")) return values;
  return values.map((value) =>
    isNumber(value.kind) ? floatScalar({ ...value, kind: "float" }, context) : value,
  );
}

/** Functions that take their options before the function that they run. */
const OPTIONS_FIRST = new Set(["autocast", "profile"]);

function asList(name: string, positional: Arguments["positional"], entry: Entry): Arguments["positional"] {
  if (!Object.hasOwn(LISTED, name)) return positional;
  // `torch.permute(x, (1, 0))` takes its tensor first.
  const isFunction = entry.calls.every((form) => form.positional[0]?.name === "input");
  const before = LISTED[name]! + (isFunction ? 1 : 0);
  const rest = positional.slice(before);
  const first = rest[0];
  if (first === undefined || (rest.length === 1 && !first.spread && !isNumber(first.value.kind)))
    return positional;
  if (rest.length === 1 && !first.spread && isList(first.value.kind)) return positional;
  const value = code(`[${rest.map(written).join(", ")}]`, "list");
  return [...positional.slice(0, before), { value, spread: false, node: first.node }];
}

function renamedKey(key: string, entry: Entry): string | null {
  const has = (name: string) =>
    entry.calls.some(
      ({ options, positional }) => options.includes(name) || positional.some((one) => one.name === name),
    );
  // `T_max` -> `TMax` -> `tMax`
  const lowered = key.charAt(0).toLowerCase() + key.slice(1);
  if (!has(key) && has(lowered)) return lowered;
  return has(key) || !Object.hasOwn(RENAMED, key) ? key : (RENAMED[key] ?? null);
}

/** Texts of options are in camelCase: `"fan_out"` -> `"fanOut"` */
function worded(value: Code): Code {
  const inner = /^"([a-z]+(?:_[a-z]+)+)"$/.exec(value.text)?.[1];
  if (inner === undefined) return value;
  const word = COLUMNS[inner] ?? wordFor(inner);
  return word === null || word === undefined ? value : { ...value, text: JSON.stringify(word) };
}

/** Columns of the profiler's table. */
const COLUMNS: Readonly<Record<string, string>> = {
  cpu_time_total: "cpuTimeMs",
  cpu_time: "cpuTimeAverageMs",
  self_cpu_time_total: "selfCpuTimeMs",
  cuda_time_total: "deviceTimeMs",
  device_time_total: "deviceTimeMs",
  self_cuda_time_total: "selfDeviceTimeMs",
  self_device_time_total: "selfDeviceTimeMs",
  cpu_memory_usage: "cpuMemoryBytes",
  self_cpu_memory_usage: "selfCpuMemoryBytes",
};

interface Fit {
  readonly form: CallForm;
  readonly places: readonly string[];
  readonly options: readonly Given[];
  readonly unfit: readonly Given[];
  readonly missing: number;
}

const CALLBACKS = new Set(["run", "body"]);

function fit(
  form: CallForm,
  entry: Entry,
  positional: Arguments["positional"],
  keywords: readonly Given[],
): Fit {
  const takes = form.positional.filter(({ name }) => !CALLBACKS.has(name));
  const rest = takes.findIndex((one) => one.rest);
  const places: string[] = [];
  const given = new Map<string, Given>();
  const unfit: Given[] = [];
  positional.forEach((one, at) => {
    if (one.spread || (rest >= 0 && at >= rest)) return void places.push(written(one));
    const named = entry.order.length > 0 ? entry.order[at] : takes[at]?.name;
    const name = named === undefined ? undefined : same(named, form, at);
    if (name === undefined) unfit.push({ name: "", value: one.value, isKeyword: false });
    else given.set(name, { name, value: worded(one.value), isKeyword: false });
  });
  for (const one of keywords) {
    const name = byOrder(same(one.name, form, -1), form, entry);
    // What a function takes before the others, one by one, has PyTorch's name: `torch.norm(input=x)`.
    if (rest >= 0 && name !== undefined && entry.order[rest] === name && !form.options.includes(name)) {
      places.push(bound(one.value, LEVEL.arrow));
      continue;
    }
    // In `randint(0, high, size=(3,))` the place of `size` is taken where a form has it second.
    if (given.has(name)) unfit.push(one);
    else given.set(name, one);
  }
  const front: string[] = [];
  let missing = 0;
  for (const { name, optional, rest: isRest } of takes) {
    const one = given.get(name);
    // Sizes by their name are a list, which may stand where they stand one by one.
    if (isRest && one === undefined) break;
    if (one === undefined) {
      const isLeft = !optional && positional.every(({ spread }) => !spread);
      if (isLeft) missing++;
      break;
    }
    front.push(bound(one.value, LEVEL.arrow));
    given.delete(name);
  }
  const options: Given[] = [];
  for (const [name, one] of given) {
    const isKnown = form.options.includes(name);
    // A layer of Python may do its work in place; here none does.
    if (!isKnown && RENAMED[name] === null) continue;
    (isKnown ? options : unfit).push({ ...one, name });
  }
  const texts = unfit.filter(({ isKeyword }) => !isKeyword).map(({ value }) => bound(value, LEVEL.arrow));
  return { form, places: [...front, ...places, ...texts], options, unfit, missing };
}

/** PyTorch's and the library's names of a positional argument may differ; its place then says which one it is. */
function same(name: string, form: CallForm, at: number): string {
  if (form.options.includes(name) || form.positional.some((one) => one.name === name)) return name;
  const placed = form.positional[at]?.name;
  return at >= 0 && placed !== undefined && !CALLBACKS.has(placed) ? placed : name;
}

/** `split(tensor=x)`: the library's name of the argument that PyTorch has at the same place under another name. */
function byOrder(name: string, form: CallForm, { order }: Entry): string {
  if (form.options.includes(name) || form.positional.some((one) => one.name === name)) return name;
  const placed = form.positional[order.indexOf(name)];
  return placed === undefined || placed.rest || order.includes(placed.name) ? name : placed.name;
}

function better(one: Fit, other: Fit): boolean {
  const cost = ({ unfit, missing }: Fit) => unfit.length + missing;
  if (cost(one) !== cost(other)) return cost(one) < cost(other);
  const kept = ({ options }: Fit) => options.filter(({ isKeyword }) => isKeyword).length;
  return kept(one) > kept(other);
}

const MADE_OF_NUMBERS = new Set([
  "tensor",
  "full",
  "asTensor",
  "arange",
  "newTensor",
  "newFull",
  "scalarTensor",
]);

/**
 * `torch.tensor([1.0, 2.0])` is float32 in Python; of `[1.0, 2.0]` TypeScript sees whole numbers only. Where it is not known
 * whether numbers are floats, the place is marked.
 */
function floatDType(
  name: string,
  { options }: Fit,
  positional: Arguments["positional"],
  named: readonly Code[],
  context: Context,
  node: Node,
): string | null {
  if (!MADE_OF_NUMBERS.has(name) || name === "newFull" || options.some((one) => one.name === "dtype"))
    return null;
  const values =
    name === "arange" ? positional : positional.slice(name === "full" ? 1 : 0, name === "full" ? 2 : 1);
  const given = [...values.map(({ value }) => value), ...named];
  if (name === "scalarTensor") return null;
  const isFloat = given.some((value) => value.isFloat === true || holdsFloat(value.kind));
  if (!isFloat) {
    const open = given.find((value) => mayHoldFloat(value.kind) && value.text !== "[]" && !value.isCount);
    const isCast = CAST.test(context.text.slice(node.to));
    if (open !== undefined && name !== "arange" && !isCast)
      mark(
        context,
        node,
        `whole numbers are int64 here, floats or not: where ${open.text} holds floats of Python, add { dtype: "float32" }`,
      );
    return null;
  }
  return given.some((value) => isFraction(value.text)) ? null : 'dtype: "float32"';
}

/** What follows a tensor and gives it another dtype: `torch.tensor(ids).long()` */
const CAST = /^\s*\.(type\(|to\(torch\.[a-z]+\d|(long|float|double|half|int|bool)\(\))/;

/** Whether a text of numbers alone shows a fraction, which is float32 in TypeScript too. */
function isFraction(text: string): boolean {
  if (!/^[\s\d.,eE[\]+-]+$/.test(text)) return false;
  const numbers = text.match(/\d+(?:\.\d*)?(?:e[+-]?\d+)?/gi) ?? [];
  return numbers.some((number) => !Number.isInteger(Number(number)));
}
