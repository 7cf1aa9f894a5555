// Defines the class of the objects that represent tensors, and their slots. JavaScript creates both, and the addon
// fills them (`native/tensor/tensor.cc`). `tensor/tensor.ts` puts the methods on the prototype. Exists before
// libtorch is loaded.
import { TENSOR_MARK } from "../vocabulary/arguments.ts";

/**
 * Holds a tensor's number. When V8 collects a slot, it calls the addon, which takes as long as a small operator. So the
 * slot of a disposed tensor is reused for the next tensor, in another wrapper.
 */
export class Slot {
  number: number;

  constructor(number: number) {
    this.number = number;
  }
}

/** The slot of wrappers that the addon fills. */
const NO_SLOT = new Slot(0);

/**
 * Because of this property `structuredClone`, `postMessage` and `v8.serialize` refuse a tensor. They copy an object's
 * enumerable properties and drop private fields, so they would silently make an empty object of it. They refuse a
 * symbol, and their error shows its text.
 */
const CANNOT_BE_CLONED = Symbol(
  "A tensor cannot leave its thread: send x.data() and x.shape, and make it there with torch.tensor(data).reshape(shape). The tensor",
);

/**
 * Represents a tensor. An object costs V8 a few nanoseconds where compiled JavaScript makes it, and 170 where an addon
 * does. The wrapper refers to its tensor by a number, through Node-API, or both. The number is in a private field, so
 * that user code cannot forge it. Node-API takes V8 four times as long.
 */
export class Wrapper {
  #slot: Slot;
  /** Must be enumerable and the object's own: cloning looks at no other property. */
  [TENSOR_MARK]: symbol;

  constructor(slot = NO_SLOT) {
    this.#slot = slot;
    this[TENSOR_MARK] = CANNOT_BE_CLONED;
  }

  /** 0 if it has none yet, and for any other value. */
  static number(value: unknown): number {
    return Wrapper.slot(value).number;
  }

  static slot(value: unknown): Slot {
    return typeof value === "object" && value !== null && #slot in value ? value.#slot : NO_SLOT;
  }

  static setSlot(wrapper: Wrapper, slot: Slot): void {
    wrapper.#slot = slot;
  }
}
