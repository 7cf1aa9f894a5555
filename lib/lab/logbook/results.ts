// Checks the results of a run, and refuses what JSON would lose or change.
import { isPlainObject } from "../../plain_object.ts";
import { describe, isRecord, isThenable } from "../../torch/vocabulary/arguments.ts";
import { native } from "../../torch/engine/native.ts";
import { storedProfile } from "./profile.ts";
import { kindOfResult } from "../../records/logbook/result_kinds.ts";

/**
 * The results as the logbook keeps them.
 *
 * @throws TypeError for what would be lost: promises, tensors, functions, maps, and results that have no name
 */
export function storedResults(call: string, results: unknown): Record<string, unknown> {
  if (
    !isRecord(results) ||
    isThenable(results) ||
    storedProfile(results) !== null ||
    kindOfResult(results) !== null
  )
    throw new TypeError(
      `${call}: results must be named, as { sweep }, got ${nameOfResult(results)}${isThenable(results) ? "; await it" : ""}.`,
    );
  return Object.fromEntries(
    Object.entries(results).map(([name, result]) => {
      const profile = storedProfile(result);
      if (profile === null) checkKept(call, `results.${name}`, result, []);
      return [name, profile ?? result];
    }),
  );
}

const nameOfResult = (result: unknown): string => {
  const kind = storedProfile(result) !== null ? "profile" : kindOfResult(result);
  return kind === null ? describe(result) : `the result of a ${kind} itself`;
};

/** @throws TypeError for what JSON would lose or change */
export function checkKept(call: string, path: string, value: unknown, around: readonly object[]): void {
  const refuse = (what: string, wayOut: string): never => {
    throw new TypeError(`${call}: ${path} is ${what}, which the logbook's JSON cannot keep: ${wayOut}.`);
  };
  if (native.isTensor(value)) refuse("a tensor", "give its numbers, with item() or tolist()");
  if (isThenable(value)) refuse("a promise", "await it");
  if (typeof value === "function" || typeof value === "symbol")
    refuse(describe(value), "give what it returns, or its name");
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Error) refuse("an error", "give its message");
  if (around.includes(value)) refuse("part of itself", "leave the reference out");
  const inner = [...around, value];
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) checkKept(call, `${path}[${at}]`, one, inner);
    return;
  }
  // The object serializes itself, as a Date does.
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return;
  if (!isPlain(value))
    refuse(describe(value), "give plain data, as numbers, texts, lists and objects of them");
  for (const [key, one] of Object.entries(value)) checkKept(call, `${path}.${key}`, one, inner);
}

/** Whether JSON keeps the object. It loses or changes maps, errors, buffers and objects with private fields. */
function isPlain(value: object): boolean {
  if (isPlainObject(value)) return true;
  // A cell's object may come from another realm than this module's.
  return Object.getPrototypeOf(Object.getPrototypeOf(value)) === null;
}
