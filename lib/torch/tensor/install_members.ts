// Puts methods and properties on the prototype of all tensors. A folder that adds members declares their types beside
// them (`declare module "../types/tensor.ts"`).
import { Wrapper } from "../engine/wrapper.ts";

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
