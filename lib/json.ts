// Checks that a user's data can travel as JSON in comms, widgets and MIME bundles, where the data is passed in, so
// that the error names the place. JSON.stringify itself drops functions and symbols, turns a Map into {}, and for a
// bigint does not say where it is.
import { inspect } from "node:util";

/** Keys and indices that lead to a place in a value. */
export type Path = readonly (string | number)[];

/** Readers in other languages give up at a thousand. */
const MAX_DEPTH = 500;

/**
 * Undefined may stand where JSON leaves it out; objects with a `toJSON` are what it gives.
 *
 * @param name what the value is to the user: `data` of `data.losses[2]`
 * @throws TypeError for what JSON cannot hold, RangeError for what is nested too deep
 */
export function requireJson(value: unknown, name: string): void {
  const path: (string | number)[] = [];
  const around: unknown[] = [];
  const visit = (given: unknown): void => {
    const part = hasToJson(given) ? asItGives(given, name, path) : given;
    const fault = faultOf(part, around);
    if (fault !== null) throw new TypeError(`${placeIn(name, path)} ${fault}`);
    if (typeof part !== "object" || part === null) return;
    if (around.length === MAX_DEPTH) {
      throw new RangeError(`${name} is nested more than ${MAX_DEPTH} deep: send a flat list of its parts.`);
    }
    around.push(part);
    const entries: Iterable<[string | number, unknown]> = Array.isArray(part)
      ? part.entries()
      : Object.entries(part);
    for (const [key, item] of entries) {
      path.push(key);
      visit(item);
      path.pop();
    }
    around.pop();
  };
  visit(value);
}

/**
 * What JSON cannot hold of a value itself, its members aside, with the way out; null where it can.
 *
 * @param around the objects in which the value lies
 */
export function faultOf(value: unknown, around: readonly unknown[]): string | null {
  if (typeof value === "bigint")
    return "is a bigint, which JSON cannot hold: convert it with Number() or String().";
  if (typeof value === "function") return "is a function, which JSON cannot hold: leave it out, or call it.";
  if (typeof value === "symbol") return "is a symbol, which JSON cannot hold: use its description.";
  if (typeof value !== "object" || value === null) return null;
  if (around.includes(value))
    return "contains itself, which JSON cannot express: leave one of the two references out.";
  if (value instanceof Map) return "is a Map, which JSON cannot hold: convert it with Object.fromEntries().";
  if (value instanceof Set) return "is a Set, which JSON cannot hold: convert it with Array.from().";
  if (value instanceof Promise) return "is a promise, which JSON cannot hold: await it first.";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return `is a ${value.constructor.name}, which JSON cannot hold: convert it with Array.from().`;
  }
  return null;
}

/** `data.losses[2]["a b"]` */
export function placeIn(name: string, path: Path): string {
  const steps = path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${inspect(key)}]`;
  });
  return name + steps.join("");
}

/** A tensor's `toJSON` refuses, as others may; the place is ours to tell. */
function asItGives(value: { toJSON(key: string): unknown }, name: string, path: Path): unknown {
  try {
    return value.toJSON(String(path.at(-1) ?? ""));
  } catch (cause) {
    throw new TypeError(`${placeIn(name, path)}: ${String((cause as Error)?.message ?? cause)}`, { cause });
  }
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    value !== null && value !== undefined && typeof (value as { toJSON?: unknown }).toJSON === "function"
  );
}
