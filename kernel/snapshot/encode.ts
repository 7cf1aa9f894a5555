// Encodes values of a notebook as JSON and decodes them. JSON's own values stay as they are; everything else is an
// object under the key "$":
//
//     NaN, Infinity, -0    { "$": "number", "text": "NaN" }        undefined   { "$": "undefined" }
//     10n                  { "$": "bigint", "text": "10" }         Date        { "$": "Date", "ms": 0 }
//     Map                  { "$": "Map", "entries": [[key, value]] }   Set     { "$": "Set", "values": [...] }
//     Float32Array, ...    { "$": "Float32Array", "base64": "..." }    a tensor    { "$": "tensor", "key": "w", ... }
//     an object with a key "$"   { "$": "object", "entries": [[key, value]] }
//
// The caller recognizes and describes tensors, so that this file does not depend on the library.

/** The elements of a tensor are in a safetensors file; this describes the rest of it. */
export interface TensorReference {
  readonly $: "tensor";
  /** The tensor's name in that file. */
  readonly key: string;
  readonly device: string;
  readonly requiresGrad: boolean;
  readonly isParameter: boolean;
}

export type Encoded =
  | null
  | boolean
  | number
  | string
  | TensorReference
  | readonly Encoded[]
  | { readonly [key: string]: Encoded };

/** A value that a snapshot cannot hold. The message names it, with its place in the variable. */
export class NotSavable extends Error {}

const ARRAYS = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
};

/**
 * @param refer describes a tensor, and returns null for any other value
 * @param path the value's name, for messages and for tensors' keys
 * @throws NotSavable
 */
export function encode(
  value: unknown,
  path: string,
  refer: (value: object, path: string) => TensorReference | null,
): Encoded {
  const open = new Set<object>();
  return visit(value, path);

  function visit(each: unknown, where: string): Encoded {
    switch (typeof each) {
      case "string":
      case "boolean":
        return each;
      case "number":
        return Number.isFinite(each) && !Object.is(each, -0)
          ? each
          : { $: "number", text: Object.is(each, -0) ? "-0" : String(each) };
      case "bigint":
        return { $: "bigint", text: String(each) };
      case "undefined":
        return { $: "undefined" };
      case "object":
        if (each === null) return null;
        break;
      default:
        throw new NotSavable(`${where} is a ${typeof each}`);
    }
    const reference = refer(each, where);
    if (reference !== null) return reference;
    if (open.has(each)) throw new NotSavable(`${where} contains itself`);
    open.add(each);
    const encoded = visitObject(each, where);
    open.delete(each);
    return encoded;
  }

  function visitObject(each: object, where: string): Encoded {
    const className = nameOfClass(each);
    const array = ARRAYS[className as keyof typeof ARRAYS];
    if (Array.isArray(each) && className === "Array")
      return Array.from(each, (item, index) => asItIs(item) ?? visit(item, `${where}.${index}`));
    if (array !== undefined && each instanceof array) {
      return {
        $: className,
        base64: Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString("base64"),
      };
    }
    if (each instanceof Date) {
      const ms = each.getTime();
      return { $: "Date", ms: Number.isNaN(ms) ? null : ms };
    }
    if (each instanceof Map && className === "Map") {
      const entries = [...each].map(([key, item], index) => [
        visit(key, `${where}.key ${index}`),
        visit(item, `${where}.${typeof key === "string" ? key : index}`),
      ]);
      return { $: "Map", entries };
    }
    if (each instanceof Set && className === "Set")
      return { $: "Set", values: [...each].map((item, index) => visit(item, `${where}.${index}`)) };
    if (className !== "Object") throw new NotSavable(`${where} is an instance of ${className}`);
    if (Object.getOwnPropertySymbols(each).length > 0)
      throw new NotSavable(`${where} has a symbol for a key`);
    const entries = Object.entries(each).map(([key, item]): [string, Encoded] => [
      key,
      asItIs(item) ?? visit(item, `${where}.${key}`),
    ]);
    return Object.hasOwn(each, "$") ? { $: "object", entries } : Object.fromEntries(entries);
  }
}

/**
 * Encodes values that JSON has too. They need no path for messages: making one for each of a million numbers would take
 * longer than the rest.
 */
const asItIs = (item: unknown): number | string | null =>
  typeof item === "string" || (typeof item === "number" && Number.isFinite(item) && !Object.is(item, -0))
    ? item
    : null;

/**
 * @param tensorOf returns the tensor for a reference
 * @throws RangeError for anything that `encode` does not write
 */
export function decode(encoded: Encoded, tensorOf: (reference: TensorReference) => unknown): unknown {
  const visit = (each: Encoded): unknown => {
    if (typeof each !== "object" || each === null) return each;
    if (isList(each)) return each.map(visit);
    if (!Object.hasOwn(each, "$"))
      return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, visit(item)]));
    const { $: tag, text, ms, entries, values, base64 } = each as Record<string, Encoded>;
    const pairs = () =>
      (entries as [Encoded, Encoded][]).map(([key, item]) => [visit(key), visit(item)] as const);
    switch (tag) {
      case "number":
        return Number(text);
      case "bigint":
        return BigInt(text as string);
      case "undefined":
        return undefined;
      case "Date":
        return new Date((ms ?? NaN) as number);
      case "Map":
        return new Map(pairs());
      case "Set":
        return new Set((values as Encoded[]).map(visit));
      case "object":
        return Object.fromEntries(pairs());
      case "tensor":
        return tensorOf(each as unknown as TensorReference);
    }
    const array = ARRAYS[arrayName(tag)];
    return new array(new Uint8Array(Buffer.from(base64 as string, "base64")).buffer);
  };
  return visit(encoded);
}

/** The type of a value, as TypeScript writes it; `any` if the value does not determine it. */
export function typeOf(encoded: Encoded, depth = 0): string {
  if (encoded === null) return "any";
  if (typeof encoded !== "object") return typeof encoded;
  if (depth > MAX_DEPTH) return "any";
  if (isList(encoded)) return `${united(encoded, depth)}[]`;
  if (!Object.hasOwn(encoded, "$")) return typeOfObject(Object.entries(encoded), depth);
  const { $: tag, entries, values, isParameter } = encoded as Record<string, Encoded>;
  switch (tag) {
    case "number":
    case "bigint":
    case "Date":
      return tag;
    case "undefined":
      return "any";
    case "tensor":
      return isParameter ? 'import("mpslab").nn.Parameter' : 'import("mpslab").Tensor';
    case "Map": {
      const pairs = entries as [Encoded, Encoded][];
      return `Map<${united(
        pairs.map(([key]) => key),
        depth,
      )}, ${united(
        pairs.map(([, item]) => item),
        depth,
      )}>`;
    }
    case "Set":
      return `Set<${united(values as Encoded[], depth)}>`;
    case "object":
      return typeOfObject(entries as [string, Encoded][], depth);
    default:
      return arrayName(tag);
  }
}

/** @throws RangeError for a name that is no typed array's, because the name becomes code */
function arrayName(tag: Encoded | undefined): keyof typeof ARRAYS {
  if (typeof tag === "string" && Object.hasOwn(ARRAYS, tag)) return tag as keyof typeof ARRAYS;
  throw new RangeError(`it holds a ${JSON.stringify(tag)}, which this version does not know`);
}

const MAX_DEPTH = 6;
const MAX_KEYS = 100;
const MAX_KINDS = 5;

function typeOfObject(entries: readonly (readonly [string, Encoded])[], depth: number): string {
  if (entries.length > MAX_KEYS)
    return `Record<string, ${united(
      entries.map(([, item]) => item),
      depth,
    )}>`;
  const fields = entries.map(([key, item]) => `${JSON.stringify(key)}: ${typeOf(item, depth + 1)}`);
  return `{ ${fields.join("; ")} }`;
}

function united(items: readonly Encoded[], depth: number): string {
  const types = new Set(items.map((item) => typeOf(item, depth + 1)));
  if (types.size === 0 || types.size > MAX_KINDS || types.has("any")) return "any";
  const text = [...types].join(" | ");
  return types.size === 1 ? text : `(${text})`;
}

function isList(encoded: Encoded): encoded is readonly Encoded[] {
  return Array.isArray(encoded);
}

function nameOfClass(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return "Object";
  const { constructor } = value;
  return typeof constructor === "function" && constructor.name !== ""
    ? constructor.name
    : "a class without a name";
}
