// Walks over the tensors in arrays and plain objects, however deep. Other objects, as models, are left alone.
import { isPlainObject } from "../../plain_object.ts";
import { native } from "../engine/native.ts";
import { describe } from "../vocabulary/arguments.ts";
import type { Tensor } from "./tensor.ts";

/**
 * The same arrays and plain objects, with what `map` makes of each tensor in its place.
 *
 * @throws TypeError where a list or an object holds itself
 */
export function mapTensors(
  value: unknown,
  map: (tensor: Tensor) => unknown,
  around: readonly unknown[] = [],
): unknown {
  if (native.isTensor(value)) return map(value);
  if (typeof value !== "object" || value === null) return value;
  if (around.includes(value)) throw new TypeError(`A value of tensors holds itself: ${describe(value)}.`);
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((element) => mapTensors(element, map, inside));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, mapTensors(held, map, inside)]),
  );
}

/** The tensors, from left to right. */
export function tensorsIn(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  mapTensors(value, (tensor) => found.push(tensor));
  return found;
}
