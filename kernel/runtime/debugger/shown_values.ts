// Describes values for the debugger's panel, in the main thread: a variable's line, what is inside it, its rich view.
// The adapter in the kernel process calls these functions through `RUNTIME.debugger`, even while the thread is paused.
// Answers are JSON texts, because the inspector would describe objects in its own way.
//
// Showing a tensor prints its first elements, which waits for the device. The user's getters do not run.
import { types } from "node:util";
import { isIdentifier } from "../../../lib/typescript/identifiers.ts";
import { metadataOf } from "../../../lib/display.ts";
import type { MimeBundle, Question } from "../../session/channel.ts";
import { classOf, isTensor, type TensorLike } from "../../tensor_like.ts";
import { enumerableNames, inspectFound, isModule, lineOf, ownNames } from "../inspect.ts";
import { KeyboardInterrupt } from "../interrupt/interrupt.ts";
import { isObject } from "../objects.ts";
import { checkedBundle, shownAlone } from "../output/display.ts";

/** A line of the panel. */
export interface ShownValue {
  readonly value: string;
  readonly type: string;
  /** Whether the value has parts. */
  readonly expandable: boolean;
}

export interface ShownVariable extends ShownValue {
  readonly name: string;
  /**
   * The text that leads from the parent's expression to this one, such as `.bias` or `[0]`. Null if no expression does.
   */
  readonly access: string | null;
}

interface Part {
  readonly name: string;
  readonly access: string | null;
  readonly value: unknown;
}

const MAX_PARTS = 200;
const MAX_TENSOR_TEXT = 300;
/** How many characters of a string are shown beside its name, and in each of its pieces. */
const MAX_TEXT = 200;
const PIECE_TEXT = 5_000;
/** A panel could not show more. */
const MAX_BUNDLE_TEXT = 5_000_000;
const NOT_INITIALISED: ShownValue = { value: "not initialised", type: "", expandable: false };

function shownValue(value: unknown): ShownValue {
  if (isTensor(value)) return { value: tensorLine(value), type: "Tensor", expandable: !value.isDisposed };
  if (typeof value === "string") return shownText(value);
  if (value instanceof Rest)
    return { value: `${value.count.toLocaleString("en-US")} more`, type: "", expandable: true };
  const expandable = isModule(value) || (isObject(value) && typeof value !== "function" && hasParts(value));
  return { value: lineOf(value), type: typeOf(value), expandable };
}

/** `'xxx'… 50,000,000 characters`: the rest is shown as parts. */
function shownText(text: string): ShownValue {
  if (text.length <= MAX_TEXT) return { value: lineOf(text), type: "string", expandable: false };
  const count = text.length.toLocaleString("en-US");
  return {
    value: `${lineOf(text.slice(0, MAX_TEXT))}… ${count} characters`,
    type: "string",
    expandable: true,
  };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (!isObject(value) || types.isProxy(value)) return typeof value;
  return typeof value === "function" && !isModule(value) ? "function" : classOf(value);
}

/** `Tensor [2, 3] float32 on cpu, requires grad: [[0.1, 0.2, 0.3], ...` */
function tensorLine(tensor: TensorLike): string {
  if (tensor.isDisposed) return "Tensor, disposed";
  const { shape, dtype, device, requiresGrad } = tensor;
  const head = `Tensor [${shape.join(", ")}] ${dtype} on ${device}${requiresGrad ? ", requires grad" : ""}`;
  const elements = String(tensor)
    .replace(/^\w+\(/, "")
    .replace(/,\s*(?:dtype|device|requiresGrad|requires_grad|gradFn|grad_fn|size)=?[\s\S]*$/, "")
    .replace(/\)$/, "")
    .replace(/\s+/g, " ");
  const cut = elements.length > MAX_TENSOR_TEXT ? `${elements.slice(0, MAX_TENSOR_TEXT)} ...` : elements;
  return `${head}: ${cut}`;
}

function hasParts(value: object): boolean {
  if (types.isProxy(value) || types.isModuleNamespaceObject(value)) return false;
  return partsOf(value).length > 0;
}

/**
 * The parts of a value, starting at one of them. If there are many, only some are listed, and the last line opens the
 * next ones.
 */
function partsOf(value: unknown, from = 0): Part[] {
  if (value instanceof Rest) return partsOf(value.of, value.from);
  if (typeof value === "string") return piecesOf(value, from);
  if (isTensor(value)) return partsOfTensor(value);
  if (isModule(value)) return partsOfModule(value as unknown as ModuleLike);
  if (!isObject(value) || types.isProxy(value)) return [];
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
    return [
      ...elementsOf(value as ArrayLike<unknown>, from),
      ...(from > 0 ? [] : propertiesOf(value, 0, isNoIndex)),
    ];
  if (value instanceof Map)
    return some(value, Map.prototype.entries.call(value), from, ([key, held]) => ({
      name: lineOf(key),
      access: isPrimitive(key) ? `.get(${literal(key)})` : null,
      value: held,
    }));
  if (value instanceof Set)
    return some(value, Set.prototype.values.call(value), from, (held, index) => ({
      name: String(index),
      access: null,
      value: held,
    }));
  return propertiesOf(value, from, () => true);
}

/** The parts of a value that are not listed yet. */
class Rest {
  constructor(
    readonly of: unknown,
    readonly from: number,
    readonly count: number,
  ) {}
}

function piecesOf(text: string, from: number): Part[] {
  const end = Math.min(text.length, from + MAX_PARTS * PIECE_TEXT);
  const parts: Part[] = [];
  for (let at = from; at < end; at += PIECE_TEXT) {
    const to = Math.min(text.length, at + PIECE_TEXT);
    const name = `${at.toLocaleString("en-US")} to ${(to - 1).toLocaleString("en-US")}`;
    parts.push({ name, access: `.slice(${at}, ${to})`, value: new ShownText(text.slice(at, to)) });
  }
  return withRest(parts, text, end, text.length);
}

interface ModuleLike {
  readonly training: boolean;
  namedChildren(): Iterable<[string, unknown]>;
  namedParameters(options: { readonly recurse: boolean }): Iterable<[string, unknown]>;
  namedBuffers(options: { readonly recurse: boolean }): Iterable<[string, unknown]>;
}

/** The tree of a module: its own tensors, then the modules inside. */
function partsOfModule(module: ModuleLike): Part[] {
  const own = { recurse: false };
  const members = [
    ...module.namedParameters(own),
    ...module.namedBuffers(own),
    ...module.namedChildren(),
  ] as [string, unknown][];
  const parts = members.map(([name, value]) => ({ name, access: accessOf(name), value }));
  return [...parts, { name: "training", access: ".training", value: module.training }];
}

const TENSOR_PROPERTIES = ["shape", "dtype", "device", "nbytes", "requiresGrad", "grad"] as const;

function partsOfTensor(tensor: TensorLike): Part[] {
  if (tensor.isDisposed) return [];
  const held = tensor as unknown as Readonly<Record<string, unknown>>;
  const properties = TENSOR_PROPERTIES.map((name) => ({ name, access: `.${name}`, value: held[name] }));
  return [
    ...properties,
    { name: "values", access: null, value: new ShownText(String(tensor).replace(/\s+/g, " ")) },
  ];
}

/** A text that is shown as it is. */
class ShownText {
  constructor(readonly text: string) {}
}

function elementsOf(values: ArrayLike<unknown>, from: number): Part[] {
  const end = Math.min(values.length, from + MAX_PARTS);
  const parts = Array.from({ length: end - from }, (_, index) => ({
    name: String(from + index),
    access: `[${from + index}]`,
    value: values[from + index],
  }));
  return withRest(parts, values, end, values.length);
}

function some<Item>(
  of: { readonly size: number },
  items: Iterable<Item>,
  from: number,
  part: (item: Item, index: number) => Part,
): Part[] {
  const parts: Part[] = [];
  let index = 0;
  for (const item of items) {
    if (index === from + MAX_PARTS) break;
    if (index >= from) parts.push(part(item, index));
    index += 1;
  }
  return withRest(parts, of, index, of.size);
}

function withRest(parts: Part[], of: unknown, end: number, count: number): Part[] {
  return end >= count
    ? parts
    : [...parts, { name: "...", access: null, value: new Rest(of, end, count - end) }];
}

const isNoIndex = (key: string): boolean => !/^(?:\d+|length)$/.test(key);

const GETTER = Symbol("getter");

function propertiesOf(value: object, from: number, wanted: (key: string) => boolean): Part[] {
  const isFailure = types.isNativeError(value);
  const isShown = (key: string): boolean =>
    Object.prototype.propertyIsEnumerable.call(value, key) || ["message", "cause"].includes(key);
  const enumerable = isFailure ? ownNames(value).filter(isShown) : enumerableNames(value);
  const keys = enumerable.filter(wanted);
  const end = Math.min(keys.length, from + MAX_PARTS);
  const parts = keys.slice(from, end).map((key) => {
    const property = Object.getOwnPropertyDescriptor(value, key) ?? {};
    return {
      name: key,
      access: accessOf(key),
      value: "value" in property ? (property.value as unknown) : GETTER,
    };
  });
  return withRest(parts, value, end, keys.length);
}

function accessOf(key: string): string {
  return isIdentifier(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

const isPrimitive = (key: unknown): boolean => ["string", "number", "boolean"].includes(typeof key);
const literal = (key: unknown): string => (typeof key === "string" ? JSON.stringify(key) : String(key));

function shownPart({ name, access, value }: Part): ShownVariable {
  if (value instanceof ShownText) return { name, access, value: value.text, type: "", expandable: false };
  if (value === GETTER) return { name, access, value: "[Getter]", type: "", expandable: false };
  return { name, access, ...shownValue(value) };
}

export type NamedReader = readonly [name: string, read: () => unknown];

export function shownVariable([name, read]: NamedReader): ShownVariable {
  try {
    return { name, access: name, ...shownValue(read()) };
  } catch (error) {
    // A name before its declaration, or a variable that V8 has optimized away.
    const shown =
      error instanceof ReferenceError ? NOT_INITIALISED : { ...NOT_INITIALISED, value: String(error) };
    return { name, access: name, ...shown };
  }
}

/** The MIME bundle of a value, if the value shows itself at once; its text if a picture takes longer to draw. */
function richBundle(value: unknown): MimeBundle {
  if (isModule(value)) return moduleBundle(value as unknown as ModuleLike);
  if (!isObject(value)) return { "text/plain": shownValue(value).value };
  const bundle = shownAlone(value);
  if (bundle instanceof Promise) return { "text/plain": lineOf(value) };
  const checked = checkedBundle(bundle);
  const length = JSON.stringify(checked).length;
  if (length <= MAX_BUNDLE_TEXT) return checked;
  return {
    "text/plain": `${lineOf(value)}\nIts view has ${length.toLocaleString("en-US")} characters: display it in a cell.`,
  };
}

/** A module as it prints, and the table of its tensors. */
function moduleBundle(module: ModuleLike): MimeBundle {
  const tensors = [
    ...(module.namedParameters({ recurse: true }) as Iterable<[string, TensorLike]>),
    ...(module.namedBuffers({ recurse: true }) as Iterable<[string, TensorLike]>),
  ];
  const rows = tensors.map(
    ([name, { shape, dtype, device, nbytes, requiresGrad }]) =>
      `| ${name} | [${shape.join(", ")}] | ${dtype} | ${device} | ${nbytes.toLocaleString("en-US")} | ${requiresGrad ? "yes" : "no"} |`,
  );
  const table = [
    "| tensor | shape | dtype | device | bytes | trained |",
    "| --- | --- | --- | --- | ---: | --- |",
  ];
  const text = String(module);
  return {
    "text/plain": text,
    "text/markdown": `\`\`\`\n${text}\n\`\`\`\n\n${[...table, ...rows].join("\n")}`,
  };
}

/** How often each breakpoint with a hit count was reached. */
const hits = new Map<string, number>();

/** What compiled breakpoints and the adapter call. */
export const debuggerValues = {
  list: (readers: readonly NamedReader[]) => JSON.stringify(readers.map(shownVariable)),
  describe: (value: unknown) => JSON.stringify(shownValue(value)),
  parts: (value: unknown) => JSON.stringify(partsOf(value).map(shownPart)),
  part: (value: unknown, index: number) => partsOf(value)[index]?.value,
  rich: (value: unknown) => {
    const data = richBundle(value);
    return JSON.stringify({ data, metadata: metadataOf(data) });
  },
  inspect: (value: unknown, keys: Question["path"], about: Question["about"]) =>
    JSON.stringify(inspectFound(value, keys, about)),
  /** @returns how often this breakpoint has been reached, this time included */
  hit: (breakpoint: string): number => {
    const count = (hits.get(breakpoint) ?? 0) + 1;
    hits.set(breakpoint, count);
    return count;
  },
  /** Prints a log point's message. @returns false, so that the code is not paused */
  log: (message: () => string): false => {
    try {
      console.log(message());
    } catch (error) {
      if (error instanceof KeyboardInterrupt) throw error;
      console.log(`A log point's message fails: ${String(error)}`);
    }
    return false;
  },
} as const;
