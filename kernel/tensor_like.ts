// Reads a live value's class, and whether it is a tensor, without running code of the user. Recognizes tensors by the
// properties of their class, so that the library need not be loaded.
import { types } from "node:util";

export interface TensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly device: string;
  readonly nbytes: number;
  readonly requiresGrad: boolean;
  readonly isDisposed: boolean;
}

/**
 * Checks the properties of the object's class. A user's object that looks like a tensor may have getters, which must
 * not run.
 */
export function isTensor(value: unknown): value is TensorLike {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null || types.isProxy(prototype)) return false;
  return (
    isNamed(prototype, "Tensor") &&
    ["requiresGrad", "isDisposed", "nbytes"].every((key) => Object.hasOwn(prototype, key))
  );
}

/** Whether an object is the prototype of a class with that name. */
export function isNamed(prototype: object, name: string): boolean {
  return constructorName(prototype) === name;
}

/** The name of a value's class; `Object` if it has none. */
export function classOf(value: object): string {
  if (types.isProxy(value)) return "Proxy";
  const prototype: unknown = Object.getPrototypeOf(value);
  const isReadable = typeof prototype === "object" && prototype !== null && !types.isProxy(prototype);
  return (isReadable ? constructorName(prototype) : null) ?? "Object";
}

function constructorName(prototype: object): string | null {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof constructor !== "function" || types.isProxy(constructor)) return null;
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
  return typeof name === "string" ? name : null;
}
