// Describes live values for an editor: a line about the value, its keys, its members. Runs no code of the user: no
// getter, no proxy trap, no `inspect` method. Never waits for a device, so a tensor is described without its elements.
import { inspect, types } from "node:util";
import { isIdentifier } from "../../lib/typescript/identifiers.ts";
import type { Inspection, LiveName, Question } from "../session/channel.ts";
import { classOf, isNamed, isTensor, type TensorLike } from "../tensor_like.ts";
import type { Evaluator } from "./evaluate.ts";
import { isObject } from "./objects.ts";

const MAX_NAMES = 500;
/** How many keys of a Map are looked at to find MAX_NAMES names. */
const MAX_KEYS = 10_000;
const MAX_ENTRIES = 10;
const MAX_TEXT = 2_000;
/**
 * An object with more keys is treated as a table, of which only the first entries are shown: Node's `inspect` would
 * print all of them.
 */
const TABLE_KEYS = 200;
/** In longer arrays, properties with names are not looked for: V8 would list every index as well. */
const LONG_ARRAY = 1_000;

/** Null if there is no such value, or if reading it would run code. */
export function inspectValue(evaluator: Evaluator, { path, about }: Question): Inspection | null {
  const [root, ...keys] = path;
  if (typeof root !== "string" || !isIdentifier(root)) return null;
  const found = evaluator.peek(root, { allowSideEffects: false });
  return found === undefined ? null : inspectFound(found.value, keys, about);
}

/** Describes a value that was found in another way, such as a variable of a paused function. */
export function inspectFound(
  root: unknown,
  keys: Question["path"],
  about: Question["about"],
): Inspection | null {
  let value = root;
  for (const key of keys) {
    const property = propertyOf(value, String(key));
    if (property === null) return null;
    value = property.value;
  }
  if (about === "value") return { text: describe(value), names: [] };
  if (about === "variable") return { text: lineOf(value), names: [] };
  return { text: "", names: about === "keys" ? keysOf(value) : membersOf(value) };
}

/** A property as it is stored, or for a tensor as the tensor reports it. */
function propertyOf(holder: unknown, key: string): { readonly value: unknown } | null {
  if (types.isProxy(holder)) return null;
  if (isTensor(holder)) {
    return Object.hasOwn(Object.getPrototypeOf(holder) as object, key)
      ? { value: Reflect.get(holder, key) }
      : null;
  }
  for (let at: unknown = isObject(holder) ? holder : null; isObject(at); at = Object.getPrototypeOf(at)) {
    const property = Object.getOwnPropertyDescriptor(at, key);
    if (property !== undefined) return "value" in property ? { value: property.value } : null;
  }
  return null;
}

/** One line, or a few: `Tensor [2, 3] float32 on cpu, 24 bytes, requires grad`. */
function describe(value: unknown): string {
  if (isTensor(value)) return describeTensor(value);
  if (isModule(value)) return describeModule(value);
  if (value === null || value === undefined) return String(value);
  if (!isObject(value)) return `${typeof value}: ${preview(value)}`;
  if (types.isProxy(value)) return "Proxy";
  // For these values the type says more than the printed text.
  if (typeof value === "function" || types.isModuleNamespaceObject(value) || isLibrary(value)) return "";
  const [name, text] = [classOf(value), summary(value)];
  // The text of such a value already names its class: `Model { size: 3 }`.
  return (text.startsWith(`${name} {`) ? text : `${name}: ${text}`).slice(0, MAX_TEXT);
}

/** One line with only the value, for a table that has the type in another column: `[ 1, 2, 3 ]`. */
export function lineOf(value: unknown): string {
  if (isTensor(value)) return describeTensor(value);
  if (isModule(value)) return describeModule(value);
  if (types.isProxy(value)) return "Proxy";
  const isPlain = isObject(value) && typeof value !== "function";
  if (isPlain && (types.isModuleNamespaceObject(value) || isLibrary(value))) return "";
  const text = isPlain ? summary(value) : preview(value, 0);
  return text.replace(/\s*\n\s*/g, " ").slice(0, MAX_TEXT);
}

/** Whether it is an object of functions, such as `torch`. */
function isLibrary(value: object): boolean {
  if (isIndexed(value) || types.isMap(value) || types.isSet(value)) return false;
  const names = Object.getOwnPropertyNames(value);
  return (
    names.length > MAX_ENTRIES &&
    names.slice(0, MAX_ENTRIES).every((name) => typeof dataOf(value, name) === "function")
  );
}

/** Whether the value's members have numbers as keys. */
const isIndexed = (value: object): boolean => Array.isArray(value) || ArrayBuffer.isView(value);

const dataOf = (value: object, key: PropertyKey): unknown =>
  Object.getOwnPropertyDescriptor(value, key)?.value;

/** Names of the properties that the value itself has. An array's indices are left out if there are many. */
export const ownNames = (value: object): string[] =>
  isLong(value) ? ["length"] : Object.getOwnPropertyNames(value);

export const enumerableNames = (value: object): string[] => (isLong(value) ? [] : Object.keys(value));

const isLong = (value: object): boolean =>
  isIndexed(value) && ((value as { readonly length?: number }).length ?? 0) > LONG_ARRAY;

function isTable(value: unknown): value is object {
  if (!isObject(value) || typeof value === "function" || types.isProxy(value) || isIndexed(value))
    return false;
  return !types.isModuleNamespaceObject(value) && Object.keys(value).length > TABLE_KEYS;
}

/** Prints the first entries. A tensor among them is shown by its shape. */
function summary(value: object): string {
  if (value instanceof Map)
    return listed(
      "{",
      [...take(Map.prototype.entries.call(value))].map(([k, v]) => `${preview(k)} => ${brief(v)}`),
      value.size,
      "}",
    );
  if (value instanceof Set)
    return listed("{", [...take(Set.prototype.values.call(value))].map(brief), value.size, "}");
  if (Array.isArray(value)) return listed("[", value.slice(0, MAX_ENTRIES).map(brief), value.length, "]");
  if (isIndexed(value)) return preview(value);
  const keys = Object.keys(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  const hasTable = keys.length > TABLE_KEYS || keys.some((key) => isTable(dataOf(value, key)));
  if (!isPlain && !hasTable) return preview(value);
  const shown = keys.slice(0, MAX_ENTRIES).map((key) => {
    const property = Object.getOwnPropertyDescriptor(value, key) ?? {};
    return `${isIdentifier(key) ? key : preview(key)}: ${"value" in property ? brief(property.value) : "[Getter]"}`;
  });
  return listed(isPlain ? "{" : `${classOf(value)} {`, shown, keys.length, "}");
}

function listed(open: string, entries: readonly string[], count: number, close: string): string {
  const left = count - entries.length;
  const all = left > 0 ? [...entries, `... ${left.toLocaleString("en-US")} more`] : entries;
  const line = `${open} ${all.join(", ")} ${close}`;
  if (all.length === 0) return open + close;
  return line.length <= 100 ? line : `${open}\n${all.map((entry) => `  ${entry},\n`).join("")}${close}`;
}

function* take<Item>(items: Iterable<Item>): Generator<Item> {
  let left = MAX_ENTRIES;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

function brief(value: unknown): string {
  if (isTensor(value)) return describeTensor(value);
  if (isModule(value)) return describeModule(value);
  if (isTable(value)) return `${classOf(value)} of ${Object.keys(value).length.toLocaleString("en-US")} keys`;
  return preview(value, 0);
}

/**
 * Node prints a layer as a function, because it can be called: `[Function: undefined] Linear {`. Its class name says
 * enough.
 */
const CALLABLE = /\[Function: undefined\] (?=\w+ \{)/g;

function preview(value: unknown, depth = 1): string {
  const text = inspect(value, {
    depth,
    customInspect: false,
    showProxy: true,
    getters: false,
    maxArrayLength: MAX_ENTRIES,
    maxStringLength: 200,
  });
  return text.replace(CALLABLE, "");
}

function describeTensor(tensor: TensorLike): string {
  if (tensor.isDisposed) return "Tensor, disposed";
  const { shape, dtype, device, nbytes, requiresGrad } = tensor;
  const size = `${nbytes.toLocaleString("en-US")} bytes`;
  return `Tensor [${shape.join(", ")}] ${dtype} on ${device}, ${size}${requiresGrad ? ", requires grad" : ""}`;
}

interface ModuleLike {
  parameters(): readonly TensorLike[];
}

/** Whether the value is a module. Modules are functions; their base class is recognized by its name and its methods. */
export function isModule(value: unknown): value is ModuleLike {
  if (typeof value !== "function" || types.isProxy(value)) return false;
  for (let at: unknown = Object.getPrototypeOf(value); isObject(at); at = Object.getPrototypeOf(at)) {
    if (types.isProxy(at)) return false;
    if (isNamed(at, "Module") && Object.hasOwn(at, "namedParameters")) return true;
  }
  return false;
}

/** `Sequential: 1,234 parameters in 4 tensors, 4,936 bytes on cpu; 200 of them frozen` */
function describeModule(module: ModuleLike): string {
  const parameters = module.parameters().filter((parameter) => !parameter.isDisposed);
  const elements = (tensor: TensorLike) => tensor.shape.reduce((product, size) => product * size, 1);
  const sum = (of: (tensor: TensorLike) => number) =>
    parameters.reduce((total, tensor) => total + of(tensor), 0).toLocaleString("en-US");
  const devices = [...new Set(parameters.map(({ device }) => device))].join(" and ");
  const frozen = parameters.filter(({ requiresGrad }) => !requiresGrad);
  const total = `${classOf(module)}: ${sum(elements)} parameters in ${parameters.length} tensors`;
  if (parameters.length === 0) return total;
  const frozenElements = frozen
    .reduce((count, tensor) => count + elements(tensor), 0)
    .toLocaleString("en-US");
  const note = frozen.length === 0 ? "" : `; ${frozenElements} of them frozen`;
  return `${total}, ${sum(({ nbytes }) => nbytes)} bytes on ${devices}${note}`;
}

/** Returns the keys that may be written in `value["..."]`, or in `value.get("...")` of a Map. */
function keysOf(value: unknown): LiveName[] {
  if (!isObject(value) || types.isProxy(value) || Array.isArray(value) || ArrayBuffer.isView(value))
    return [];
  if (isTensor(value)) return [];
  const keys: Iterable<unknown> =
    value instanceof Map
      ? Map.prototype.keys.call(value)
      : value instanceof Set
        ? Set.prototype.values.call(value)
        : Object.keys(value);
  const names: LiveName[] = [];
  let looked = 0;
  for (const text of keys) {
    if (names.length === MAX_NAMES || looked++ === MAX_KEYS) break;
    if (typeof text === "string") names.push({ text, kind: "field" });
  }
  return names;
}

/** Returns the names that may be written after `value.`: own properties, then those of its classes. */
function membersOf(value: unknown): LiveName[] {
  const names = new Map<string, LiveName>();
  for (let at: unknown = isObject(value) ? value : null; isObject(at); at = Object.getPrototypeOf(at)) {
    if (types.isProxy(at) || at === Object.prototype || at === Function.prototype || names.size >= MAX_NAMES)
      break;
    for (const name of ownNames(at)) {
      if (name === "constructor" || !isIdentifier(name) || names.has(name)) continue;
      if (names.size === MAX_NAMES) break;
      names.set(name, { text: name, kind: typeof dataOf(at, name) === "function" ? "method" : "field" });
    }
  }
  return [...names.values()];
}
