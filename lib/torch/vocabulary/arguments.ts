// Checks arguments of nn, optim and data. Each function returns the checked value, or throws an error that names the
// call that the user wrote.

/**
 * Describes a value for a message: `"abc"`, `[1, 2]`, `a Tensor`-like objects by their class. Lists within
 * lists are looked into once: one that holds itself has no innermost.
 */
export function describe(value: unknown, levels = 2): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") {
    // A module is a function; it prints itself by its own method.
    if (value.toString !== Function.prototype.toString) return String(value);
    return value.name ? `the function ${value.name}` : "a function";
  }
  if (Array.isArray(value)) {
    if (levels === 0) return `a list of ${value.length}`;
    const shown = Array.from(value.slice(0, 6), (element) => describe(element, levels - 1));
    return `[${shown.join(", ")}${value.length > 6 ? ", ..." : ""}]`;
  }
  if (typeof value === "object") {
    const kind = value.constructor?.name ?? "Object";
    return kind === "Object" ? "an object" : `a ${kind}`;
  }
  return typeof value === "bigint" ? `${value}n` : String(value);
}

/** `[2, 3]` */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

/** Whether `await` would wait for it: a promise of any library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/**
 * Returns the given options without undefined values, `{}` for none. Refuses unknown names: `{ leaningRate: 1 }` throws
 * with the name and the list of options.
 *
 * Checks names only: right where options are handed on whole to a call that checks their values, or are checked against
 * each other; elsewhere `readOptions` (options.ts) checks values too and fills in defaults.
 */
export function checkOptions<T extends object>(
  call: string,
  given: T | undefined,
  known: readonly (keyof T & string)[],
): Partial<T> {
  if (given === undefined) return {};
  if (!isRecord(given)) {
    throw new TypeError(
      `${call}: the options must be an object like { ${known[0]}: ... }, got ${describe(given)}.`,
    );
  }
  for (const name of Object.keys(given)) {
    if (!(known as readonly string[]).includes(name)) {
      throw new TypeError(`${call}: unknown option "${name}"; it takes ${known.join(", ")}.`);
    }
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A property of every tensor: `engine/wrapper.ts` sets it. */
export const TENSOR_MARK = "[[tensor]]";

/**
 * Whether an object's names are its options: a `Date` or a tensor in the position of options has no names of the
 * user's.
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (TENSOR_MARK in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.keys(value).length > 0;
}

export function checkInteger(call: string, name: string, value: unknown, min: number): number {
  if (typeof value !== "number")
    throw new TypeError(`${call}: ${name} must be an integer, got ${describe(value)}.`);
  if (!Number.isSafeInteger(value) || value < min) {
    const bound = min === -Infinity ? "" : ` of at least ${min}`;
    throw new RangeError(`${call}: ${name} must be an integer${bound}, got ${value}.`);
  }
  return value;
}

/** Bounds of a number. */
export interface Interval {
  readonly min?: number;
  readonly max?: number;
  /** Whether `max` itself is excluded. */
  readonly below?: boolean;
}

export function checkNumber(call: string, name: string, value: unknown, within: Interval = {}): number {
  if (typeof value !== "number")
    throw new TypeError(`${call}: ${name} must be a number, got ${describe(value)}.`);
  const { min = -Infinity, max = Infinity, below = false } = within;
  if (Number.isNaN(value)) throw new RangeError(`${call}: ${name} must be a number, got NaN.`);
  if (value < min || value > max || (below && value === max)) {
    const upper = max === Infinity ? "" : ` and ${below ? "below" : "at most"} ${max}`;
    throw new RangeError(`${call}: ${name} must be at least ${min}${upper}, got ${value}.`);
  }
  return value;
}

export function checkBoolean(call: string, name: string, value: unknown): boolean {
  if (typeof value !== "boolean")
    throw new TypeError(`${call}: ${name} must be true or false, got ${describe(value)}.`);
  return value;
}

export function checkText(call: string, name: string, value: unknown): string {
  if (typeof value !== "string")
    throw new TypeError(`${call}: ${name} must be a string, got ${describe(value)}.`);
  return value;
}

export function checkFunction<Checked>(call: string, name: string, value: Checked): Checked {
  if (typeof value !== "function")
    throw new TypeError(`${call}: ${name} must be a function, got ${describe(value)}.`);
  return value;
}

/** Checks the only argument of a call, a function, which needs no name in the message. */
export function requireFunction(call: string, value: unknown): void {
  if (typeof value !== "function")
    throw new TypeError(`${call}: expected a function, got ${describe(value)}.`);
}

export function checkList<Element>(
  call: string,
  name: string,
  value: readonly Element[],
): readonly Element[] {
  if (!Array.isArray(value)) throw new TypeError(`${call}: ${name} must be a list, got ${describe(value)}.`);
  return value;
}

export function checkChoice<const T extends string>(
  call: string,
  name: string,
  value: unknown,
  choices: readonly T[],
): T {
  if (!(choices as readonly unknown[]).includes(value)) {
    throw new TypeError(
      `${call}: ${name} must be one of ${choices.map((c) => JSON.stringify(c)).join(", ")}, got ${describe(value)}.`,
    );
  }
  return value as T;
}

/** One size for every dimension, or one a dimension: `3` -> `[3, 3]`. */
export function checkSizes(
  call: string,
  name: string,
  value: unknown,
  dimensions: number,
  min: number,
): number[] {
  if (!Array.isArray(value)) return Array(dimensions).fill(checkInteger(call, name, value, min));
  if (value.length !== dimensions) {
    throw new RangeError(
      `${call}: ${name} takes one number or ${dimensions} of them, got ${describe(value)}.`,
    );
  }
  return value.map((size, i) => checkInteger(call, `${name}[${i}]`, size, min));
}
