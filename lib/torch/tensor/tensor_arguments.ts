// Checks arguments that are tensors; `vocabulary/arguments.ts` checks all others.
import type { Rule } from "../vocabulary/options.ts";
import type { Tensor } from "../types/index.ts";
import { checkInteger, describe } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";

export function checkTensor(call: string, name: string, value: unknown): Tensor {
  if (!native.isTensor(value))
    throw new TypeError(`${call}: ${name} must be a tensor, got ${describe(value)}.`);
  native.dim(value); // Refuses one that was disposed.
  return value;
}

export function checkOptionalTensor(call: string, name: string, value: unknown): Tensor | null {
  return value === null || value === undefined ? null : checkTensor(call, name, value);
}

/** A list of tensors, or any other iterable of them; one alone stands for a list of it. */
export function checkTensors(call: string, name: string, value: unknown): Tensor[] {
  if (native.isTensor(value)) return [checkTensor(call, name, value)];
  const iterable = typeof value === "object" && value !== null && Symbol.iterator in value;
  if (!iterable)
    throw new TypeError(`${call}: ${name} must be a tensor or a list of tensors, got ${describe(value)}.`);
  return Array.from(value as Iterable<unknown>, (element, at) =>
    checkTensor(call, `${name}[${at}]`, element),
  );
}

/** Accepts anything iterable except a string, where letters are hardly meant, and a tensor, whose rows are tensors. */
export function checkIterable<T extends Iterable<unknown>>(call: string, name: string, value: T): T {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || !(Symbol.iterator in value) || native.isTensor(value))
    throw new TypeError(`${call}: ${name} must be a list, or iterable, got ${describe(value)}.`);
  return value;
}

/** Lengths of sequences, as a tensor of them or as plain numbers of at least `min`: int64 on the CPU, then. */
export function checkLengths(call: string, name: string, lengths: unknown, min: number): Tensor {
  if (native.isTensor(lengths)) return lengths;
  if (!Array.isArray(lengths))
    throw new TypeError(
      `${call}: ${name} must be a tensor or a list of whole numbers, got ${describe(lengths)}.`,
    );
  const whole = Array.from(lengths, (length, i) => BigInt(checkInteger(call, `${name}[${i}]`, length, min)));
  return native.fromTypedArray(BigInt64Array.from(whole), [whole.length], "int64");
}

/** The rule of an option that is a tensor or null (`vocabulary/options.ts`). */
export const optionalTensor: Rule<Tensor | null> = {
  fallback: null,
  check(call, name, value) {
    if (value === null || native.isTensor(value)) return value;
    throw new TypeError(`${call}: ${name} must be a tensor or null, got ${describe(value)}.`);
  },
};
