// The functions that a converted cell brings along where TypeScript's own operators mean something else than Python's, or
// where the kind of a value is known only when it runs. They know nothing of the converter.

import { COLLECTION_HELPERS } from "./standard/collection_semantics.ts";
import { FORMAT_HELPERS } from "./standard/format_semantics.ts";
import { OPERATOR_HELPERS } from "./expressions/operator_semantics.ts";
import { TEXT_HELPERS } from "./standard/text_semantics.ts";

interface Helper {
  readonly text: string;
  /** Other helpers that it calls. */
  readonly uses?: readonly string[];
  /** Whether it makes a tensor. */
  readonly needsTorch?: boolean;
}

export const HELPERS: Readonly<Record<string, Helper>> = {
  ...COLLECTION_HELPERS,
  ...TEXT_HELPERS,
  ...FORMAT_HELPERS,
  ...OPERATOR_HELPERS,
  itemAt: {
    text: `
/** What of[key] is in Python: an element, a value or a part of a tensor; an error where there is none. */
function itemAt(of: any, key: any): any {
  if (typeof of.setAt === "function") return of.at(key);
  const isCounted = typeof of === "string" || Array.isArray(of) || ArrayBuffer.isView(of);
  if (isCounted) {
    if (typeof key?.setAt === "function") key = key.item();
    const { length } = of as any;
    if (!Number.isInteger(key) || key >= length || key < -length)
      throw new RangeError(\`There is no index \${key} in \${length} elements.\`);
    return (of as any).at(key);
  }
  if (typeof of.get === "function") return of.get(key);
  if (typeof of.at === "function" && Number.isInteger(key)) return of.at(key);
  const isThere = of.constructor === Object ? Object.hasOwn(of, key) : key in of;
  if (!isThere) throw new RangeError(\`There is no key \${String(key)}.\`);
  return of[key];
}`,
  },
  arrayOf: {
    needsTorch: true,
    text: `
/** Numbers as numpy takes them: fractions are float64; a tensor is the array already. */
function arrayOf(values: any): any {
  if (typeof values?.setAt === "function") return values;
  const made = torch.tensor(values);
  return made.isFloatingPoint() ? torch.tensor(values, { dtype: "float64" }) : made;
}`,
  },
  setItem: {
    text: `
/** What of[key] = value does in Python, with a list, an object or a tensor. */
function setItem(of: any, key: any, value: any): void {
  if (typeof of.setAt === "function") of.setAt(key, value);
  else if (Array.isArray(of) || ArrayBuffer.isView(of)) {
    const list = of as any;
    if (typeof key?.setAt === "function") key = key.item();
    const at = key < 0 ? key + list.length : key;
    if (!(at >= 0 && at < list.length))
      throw new RangeError(\`There is no index \${key} in \${list.length} elements.\`);
    list[at] = value;
  } else if (of instanceof Map) of.set(key, value);
  else of[key] = value;
}`,
  },
  deleteItem: {
    text: `
/** What del of[key] does in Python, with a list or an object. */
function deleteItem(of: any, key: any): void {
  if (Array.isArray(of)) {
    if (!(key >= -of.length && key < of.length))
      throw new RangeError(\`There is no index \${key} in \${of.length} elements.\`);
    of.splice(key, 1);
  } else if (of instanceof Map || of instanceof Set ? !of.delete(key) : !(key in of)) throw new RangeError(\`There is no key \${key}.\`);
  else delete of[key];
}`,
  },
  lengthOf: {
    text: `
/** What len(value) is in Python. */
function lengthOf(value: any): number {
  if (value instanceof Set || value instanceof Map) return value.size;
  if (typeof value === "string") return [...value].length;
  return value.constructor === Object ? Object.keys(value).length : value.length;
}`,
  },
  modulo: {
    text: `
/** What a % b is in Python, of floats: it has the sign of b. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}`,
  },
  productModulo: {
    text: `
/** (a * b) % m of whole numbers, also if the product is past 2 ** 53. */
function productModulo(a: any, b: any, m: any): any {
  if (typeof a?.setAt === "function") return a.mul(b).remainder(m);
  const product = a * b;
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER || ![a, b, m].every(Number.isInteger)) return ((product % m) + m) % m;
  return Number(((BigInt(a) * BigInt(b)) % BigInt(m) + BigInt(m)) % BigInt(m));
}`,
  },
  floorDivide: {
    uses: ["modulo"],
    text: `
/** What a // b is in Python, of floats. */
function floorDivide(a: number, b: number): number {
  return Math.round((a - modulo(a, b)) / b);
}`,
  },
  general: {
    text: `
/** Python's format g: a number with so many digits that mean something; without a letter a float keeps its point. */
function general(value: number, digits: number, isFloat = false): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const exponent = Number(value.toExponential(Math.max(digits, 1) - 1).split("e")[1]);
  if (value !== 0 && (exponent < -4 || exponent >= Math.max(digits, 1) - (isFloat ? 1 : 0))) {
    const [front, power] = value.toExponential(Math.max(digits, 1) - 1).split("e") as [string, string];
    const short = front.includes(".") ? front.replace(/\\.?0+$/, "") : front;
    return short + "e" + power.replace(/^([+-])(\\d)$/, "$10$2");
  }
  const fixed = value.toFixed(Math.max(digits, 1) - 1 - (value === 0 ? 0 : exponent));
  const short = fixed.includes(".") ? fixed.replace(/\\.?0+$/, "") : fixed;
  return isFloat && !short.includes(".") ? short + ".0" : short;
}`,
  },
  popItem: {
    text: `
/** What of.pop(key) is in Python, of a list, an object or a set; an error where there is none and nothing stands for it. */
function popItem(of: any, ...given: any[]): any {
  const [key, otherwise] = given;
  if (Array.isArray(of)) {
    const at = key ?? -1;
    if (!(at >= -of.length && at < of.length))
      throw new RangeError(\`There is no index \${at} in \${of.length} elements.\`);
    return of.splice(at, 1)[0];
  }
  if (!Object.hasOwn(of, key)) {
    if (given.length < 2) throw new RangeError(\`There is no key \${key}.\`);
    return otherwise;
  }
  const value = of[key];
  delete of[key];
  return value;
}`,
  },
  valueOr: {
    text: `
/** The value of a key that is there, null too, or what stands for it. */
function valueOr(of: any, key: any, otherwise: any = null): any {
  if (of instanceof Map) return of.has(key) ? of.get(key) : otherwise;
  return Object.hasOwn(of, key) ? of[key] : otherwise;
}`,
  },
  partialOf: {
    text: `
/** A function that has its first arguments already. */
function partialOf(of: any, ...first: any[]): any {
  return (...rest: any[]) => of(...first, ...rest);
}`,
  },
  valuesOf: {
    text: `
/** What of.values() is in Python, of an object, or of a sparse tensor. */
function valuesOf(of: any): any {
  return typeof of.values === "function" ? of.values() : Object.values(of);
}`,
  },
  placedArguments: {
    text: `
/** The arguments of a function of these parameters, of which some are given by name: what is given to neither is undefined. */
function placedArguments(given: any, named: any, parameters: string[]): any[] {
  const places = Array.isArray(given) ? [...given] : [given];
  for (const [name, value] of Object.entries(named ?? {})) {
    if (!parameters.includes(name)) throw new TypeError(\`The function has no parameter \${name}.\`);
    places[parameters.indexOf(name)] = value;
  }
  return Array.from(places);
}`,
  },
  setDefault: {
    text: `
/** The value of a key, which is put there where it is missing. */
function setDefault(of: any, key: any, value: any = null): any {
  if (!Object.hasOwn(of, key)) of[key] = value;
  return of[key];
}`,
  },
  indexIn: {
    uses: ["isEqual"],
    text: `
/** Where an element or a part of a text is first; an error where it is not. */
function indexIn(whole: any, element: any, start = 0): number {
  const at =
    typeof whole === "string"
      ? whole.indexOf(element, start)
      : Array.from(whole).findIndex((one, i) => i >= start && isEqual(one, element));
  if (at < 0) throw new RangeError(\`\${String(element)} is not there.\`);
  return at;
}`,
  },
  nextOf: {
    text: `
/** The next value of an iterator; at its end an error, or what stands for it. */
function nextOf(iterator: any, ...otherwise: any[]): any {
  const { done, value } = iterator.next();
  if (!done) return value;
  if (otherwise.length === 0) throw new RangeError("The iterator has no further value.");
  return otherwise[0];
}`,
  },
  sliceOf: {
    needsTorch: true,
    text: `
/** What of[start:stop:step] is in Python, of a list, a text, a tensor or a dataset of tensors. */
function sliceOf(of: any, start: number | null, stop: number | null, step = 1): any {
  if (typeof of.setAt === "function") return of.at(torch.slice(start, stop, step));
  // A data.TensorDataset gives the rows of each of its tensors.
  if (Array.isArray(of.tensors)) return of.tensors.map((one: any) => one.at(torch.slice(start, stop, step)));
  if (step === 1) return of.slice(start ?? 0, stop ?? undefined);
  const all = Array.from(of);
  const clamped = (at: number, low: number, high: number) =>
    Math.min(Math.max(at < 0 ? at + all.length : at, low), high);
  const [low, high] = step < 0 ? [-1, all.length - 1] : [0, all.length];
  const from = start === null ? (step < 0 ? high : low) : clamped(start, low, high);
  const to = stop === null ? (step < 0 ? low : high) : clamped(stop, low, high);
  const count = Math.max(0, Math.ceil((to - from) / step));
  const found = Array.from({ length: count }, (_, i) => all[from + i * step]);
  return typeof of === "string" ? found.join("") : found;
}`,
  },
  negativeOf: {
    text: `
/** What -value is in Python, of a number or of a tensor. */
function negativeOf(value: any): any {
  return typeof value?.neg === "function" ? value.neg() : -value;
}`,
  },
  invertedOf: {
    text: `
/** What ~value is in Python, of a whole number or of a tensor. */
function invertedOf(value: any): any {
  return typeof value?.bitwiseNot === "function" ? value.bitwiseNot() : -value - 1;
}`,
  },
  isTruthy: {
    text: `
/** Whether Python takes a value as true: an empty list, text or object and a tensor of zero are not. */
function isTruthy(value: any): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  if (typeof value.setAt === "function") {
    if (value.numel() !== 1)
      throw new TypeError("A tensor with several elements is neither true nor false: use any() or all().");
    return Boolean(value.item());
  }
  if (value instanceof Set || value instanceof Map) return value.size > 0;
  if (value.constructor === Object) return Object.keys(value).length > 0;
  return value.length !== 0;
}`,
  },
  isEqual: {
    text: `
/** What == is in Python: of lists, sets and objects by what they hold, of tensors for each element. */
function isEqual(a: any, b: any): any {
  if (a === b) return true;
  if (typeof a?.setAt === "function" && b !== null && b !== undefined) return a.eq(b);
  if (typeof b?.setAt === "function" && a !== null && a !== undefined) return b.eq(a);
  const isFlag = typeof a === "boolean" || typeof b === "boolean";
  if (isFlag && typeof a !== "string" && typeof b !== "string" && a !== null && b !== null)
    return Number(a) === Number(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, i) => isEqual(one, b[i]));
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((one) => b.has(one));
  if (a.constructor !== Object || b.constructor !== Object) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}`,
  },
  orderOf: {
    text: `
/** Below zero where Python has a < b, above where a > b: lists by their first difference, texts by code points. */
function orderOf(a: any, b: any): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const one = orderOf(a[i], b[i]);
      if (one !== 0) return one;
    }
    return a.length - b.length;
  }
  if (typeof a === "string" && typeof b === "string") {
    const [left, right] = [[...a], [...b]].map((text) => text.map((sign) => sign.codePointAt(0)));
    return /[\\ud800-\\udfff]/.test(a + b) ? orderOf(left, right) : a < b ? -1 : a > b ? 1 : 0;
  }
  const isCounted = (value: any) => typeof value === "number" || typeof value === "boolean";
  if (!isCounted(a) || !isCounted(b)) {
    if (typeof a?.item !== "function" && typeof b?.item !== "function")
      throw new TypeError(\`\${typeof a} and \${typeof b} have no order.\`);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}`,
  },
  isIn: {
    uses: ["isEqual"],
    text: `
/** What element in whole is in Python. */
function isIn(element: any, whole: any): boolean {
  if (typeof whole === "string") return whole.includes(element);
  if (whole instanceof Set || whole instanceof Map) return whole.has(element);
  if (whole.constructor === Object) return Object.hasOwn(whole, element);
  if (typeof whole.setAt === "function") return Boolean(whole.eq(element).any().item());
  if (typeof whole[Symbol.iterator] !== "function") return element in whole;
  for (const one of whole) if (isEqual(one, element)) return true;
  return false;
}`,
  },
  orElse: {
    uses: ["isTruthy"],
    text: `
/** What value or otherwise is in Python. */
function orElse(value: any, otherwise: () => any): any {
  return isTruthy(value) ? value : otherwise();
}`,
  },
  andThen: {
    uses: ["isTruthy"],
    text: `
/** What value and next is in Python. */
function andThen(value: any, next: () => any): any {
  return isTruthy(value) ? next() : value;
}`,
  },
  repeatList: {
    text: `
/** list * times, with the same elements again. */
function repeatList(list: any[], times: number): any[] {
  return Array.from({ length: Math.max(0, times) }, () => list).flat();
}`,
  },
  roundHalfEven: {
    text: `
/** Rounds half to even, as Python does. */
function roundHalfEven(value: any, digits?: number | null): any {
  if (typeof value.setAt === "function") return value.round(digits ? { decimals: digits } : {});
  if (!Number.isFinite(value)) return value;
  if ((digits ?? 0) < 0) {
    const unit = 10 ** -digits!;
    return roundHalfEven(value / unit) * unit;
  }
  const exact = value.toFixed(Math.min(100, (digits ?? 0) + 40));
  const rest = exact.slice(exact.indexOf(".") + 1 + (digits ?? 0));
  if (!/^50*$/.test(rest)) return Number(value.toFixed(digits ?? 0));
  const below = exact.slice(0, exact.length - rest.length).replace(/\\.$/, "");
  const isEven = /[02468]$/.test(below);
  const step = 10 ** -(digits ?? 0);
  return Number((isEven ? Number(below) : Number(below) + Math.sign(value) * step).toFixed(digits ?? 0));
}`,
  },
  sumOf: {
    text: `
/** What sum(values, start) is in Python, of numbers and of tensors. */
function sumOf(values: Iterable<any>, start: any = 0): any {
  let total = start;
  for (const one of values)
    total = typeof one?.setAt === "function" ? one.add(total) : typeof total?.setAt === "function" ? total.add(one) : total + one;
  return total;
}`,
  },
  floatOf: {
    needsTorch: true,
    text: `
/** A float as an operand of a tensor: a whole one makes float32 of whole numbers, as in Python. */
function floatOf(value: number): any {
  return Number.isInteger(value) ? torch.scalarTensor(value) : value;
}`,
  },
};

/** The texts of helpers, and of those that they call. @param torch the name of torch in the cell */
export function helperLines(names: ReadonlySet<string>, torch: string): string[] {
  const all = new Set<string>();
  const add = (name: string): void => {
    for (const other of HELPERS[name]?.uses ?? []) add(other);
    all.add(name);
  };
  for (const name of names) add(name);
  return [...all].flatMap((name) =>
    HELPERS[name]!.text.trimStart()
      .replace(/\btorch\./g, `${torch}.`)
      .split("\n"),
  );
}
