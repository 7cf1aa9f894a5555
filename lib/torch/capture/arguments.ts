// Takes the tensors out of a step's arguments and results, which may be lists and plain objects, and puts other tensors
// in their places.
import { isPlainObject } from "../../plain_object.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** The placeholder of a tensor in a pattern. */
const TENSOR = Symbol("tensor");

/** A value with its tensors taken out. */
export type Pattern = typeof TENSOR | readonly Pattern[] | { readonly [key: string]: Pattern } | Primitive;
type Primitive = string | number | bigint | boolean | symbol | null | undefined | object;

/** Returns the pattern of a value, and adds the value's tensors to `tensors`, from left to right. */
export function takeTensors(value: unknown, tensors: Tensor[]): Pattern {
  if (typeof value !== "object" || value === null) return value as Primitive;
  if (native.isTensor(value)) {
    tensors.push(value);
    return TENSOR;
  }
  if (Array.isArray(value)) return value.map((element) => takeTensors(element, tensors));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, takeTensors(inner, tensors)]));
}

/**
 * The objects in a value that a pattern holds by reference only, such as a model or a typed array: their fields are not
 * part of the pattern.
 */
export function objectsIn(value: unknown): object[] {
  if (typeof value === "function") return [value];
  if (typeof value !== "object" || value === null || native.isTensor(value)) return [];
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isPlainObject(value) ? Object.values(value).flatMap(objectsIn) : [value];
}

/** Whether a value has the pattern. Its tensors are added to `tensors`, even if it does not. */
export function hasPattern(pattern: Pattern, value: unknown, tensors: Tensor[]): boolean {
  if (pattern === TENSOR) {
    if (!native.isTensor(value)) return false;
    tensors.push(value);
    return true;
  }
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((inner: Pattern, index) => hasPattern(inner, value[index], tensors))
    );
  }
  if (typeof pattern !== "object" || pattern === null || !isPlainObject(pattern))
    return Object.is(pattern, value);
  if (typeof value !== "object" || value === null || native.isTensor(value) || !isPlainObject(value))
    return false;
  const keys = Object.keys(pattern);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) =>
      hasPattern((pattern as Record<string, Pattern>)[key], (value as Record<string, unknown>)[key], tensors),
    )
  );
}

/** Builds a value of the pattern with the next of the given tensors in each place. */
export function putTensors(pattern: Pattern, tensors: Iterator<Tensor>): unknown {
  if (pattern === TENSOR) return tensors.next().value;
  if (Array.isArray(pattern)) return pattern.map((inner: Pattern) => putTensors(inner, tensors));
  if (typeof pattern !== "object" || pattern === null || !isPlainObject(pattern)) return pattern;
  return Object.fromEntries(
    Object.entries(pattern).map(([key, inner]) => [key, putTensors(inner as Pattern, tensors)]),
  );
}
