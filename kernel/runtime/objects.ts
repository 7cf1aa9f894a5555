// Tests whether a value is an object in the language's sense: it has an identity and can be held weakly.
import { types } from "node:util";
import { isPlainObject as isPlain } from "../../lib/plain_object.ts";

/** Functions and classes are objects too. */
export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Whether an object has no class of its own. Looking at a proxy would run its traps, so that none is one. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return !types.isProxy(value) && isPlain(value);
}
