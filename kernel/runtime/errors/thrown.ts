// Records where a cell last threw a value that is not an Error, because such a value has no stack of its own.
import { types } from "node:util";
import { type Frame, framesOf } from "./frames.ts";
import { isObject } from "../objects.ts";

interface Thrown {
  /** An object is held weakly, because it may hold tensors. */
  readonly value: unknown;
  readonly there: Error;
}

let last: Thrown | null = null;

/**
 * Records where a value is thrown. A `throw value;` is compiled to `throw __mpslab_thrown(value);`, unless the value is
 * an error that is made there.
 */
export function thrown(value: unknown): unknown {
  if (!isError(value)) {
    const there = new Error();
    Error.captureStackTrace(there, thrown);
    last = { value: isObject(value) ? new WeakRef(value) : value, there };
  }
  return value;
}

/** Empty if no cell threw the value: a rejection without `throw`, or one from a package. */
export function framesOfThrown(value: unknown): readonly Frame[] {
  if (last === null) return [];
  const known = last.value instanceof WeakRef && isObject(value) ? last.value.deref() : last.value;
  return Object.is(known, value) ? framesOf(last.there) : [];
}

/** True also for errors of another realm, such as one of `node:vm`. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || types.isNativeError(value);
  } catch {
    return false; // A revoked proxy throws when it is asked for its class.
  }
}
