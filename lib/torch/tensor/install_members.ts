// Puts methods and properties on the prototype of all tensors. A folder that adds members declares their types beside
// them (`declare module "../types/tensor.ts"`).
import { Wrapper } from "../engine/wrapper.ts";

/** Defines each property of `members` on tensors; none is enumerable, as a class's own methods are not. */
export function installMembers(members: object): void {
  for (const name of Reflect.ownKeys(members)) {
    const described = Object.getOwnPropertyDescriptor(members, name);
    Object.defineProperty(Wrapper.prototype, name, { ...described, enumerable: false });
  }
}
