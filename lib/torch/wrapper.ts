// The class of the objects that stand for tensors: JavaScript makes them, the addon fills them (`native/tensor.cc`).
// What they can do is put onto the prototype by `tensor.ts`. A leaf, there before libtorch is loaded.

/**
 * An object costs V8 a few nanoseconds where compiled JavaScript makes it, and 170 where an addon asks for it. It has
 * its tensor's number in a private field, which nobody can forge, or its tensor through Node-API, which takes V8 four
 * times as long, or both.
 */
export class Wrapper {
  #number = 0;

  /** 0 where it has none yet, and for anything else. */
  static number(value: unknown): number {
    return typeof value === "object" && value !== null && #number in value ? value.#number : 0;
  }

  static setNumber(wrapper: Wrapper, number: number): void {
    wrapper.#number = number;
  }
}
