// Puts methods and properties on the prototype of all tensors. A folder that adds members declares their types beside
// them (`declare module "../types/tensor.ts"`).
import { describe } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { Wrapper } from "../engine/wrapper.ts";
import type { Tensor } from "./tensor.ts";

/**
 * Defines each property of `members` on tensors; none is enumerable, as a class's own methods are not. None can be assigned
 * to, which would hide it on one tensor and change nothing else.
 */
export function installMembers(members: object): void {
  for (const name of Reflect.ownKeys(members)) {
    const described = Object.getOwnPropertyDescriptor(members, name);
    const fixed = described?.value === undefined ? {} : { writable: false };
    Object.defineProperty(Wrapper.prototype, name, { ...described, ...fixed, enumerable: false });
  }
}

/**
 * What the method inherits: a tensor's members, read from the method as from PyTorch's property, `w.data.float()`, are told
 * apart from names that nobody has.
 */
function readAsTensor(name: string): object {
  return new Proxy(Function.prototype, {
    get(target, key, receiver) {
      if (!(key in target) && typeof key === "string" && key !== "toJSON" && key in Wrapper.prototype)
        throw new TypeError(
          `${name}() is a method, which gives a typed array and has no ${key}: in place of PyTorch's x.${name}.${key} write x.detach().${key}.`,
        );
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

/** Defines a method that PyTorch has as a property, which may be assigned: `w.data = x`. */
export function installAssignable(
  name: string,
  method: (this: Tensor) => unknown,
  assign: (tensor: Tensor, given: Tensor) => void,
): void {
  Object.setPrototypeOf(method, readAsTensor(name));
  Object.defineProperty(Wrapper.prototype, name, {
    get: () => method,
    set(this: Tensor, given: unknown) {
      if (!native.isTensor(given))
        throw new TypeError(
          `${name} is assigned a tensor, as w.${name} = w.detach().double(), got ${describe(given)}.`,
        );
      assign(this, given);
    },
    enumerable: false,
    configurable: true,
  });
}
