// Tests what %who reports of values whose code it must not run.
import { expect, it } from "vitest";
import { measure } from "../../../kernel/magics/who.ts";

/** A class whose properties are on the prototype, as in the library's own class. */
class Tensor {
  readonly isFreed: boolean;
  constructor(isFreed: boolean) {
    this.isFreed = isFreed;
  }
  get shape(): number[] {
    if (this.isFreed) throw new Error("disposed in Cell [3]");
    return [2, 3];
  }
  get dtype(): string {
    return "float32";
  }
  get device(): string {
    return "mps:0";
  }
  get nbytes(): number {
    return 24;
  }
  get requiresGrad(): boolean {
    return false;
  }
  get isDisposed(): boolean {
    return this.isFreed;
  }
}

const lookalike = {
  get shape(): number[] {
    throw new Error("a getter of the user's ran");
  },
};
const trapped = new Proxy([1, 2], {
  get() {
    throw new Error("a proxy's trap ran");
  },
});

it.each([
  ["a number", 1, "", null],
  ["text", "abc", "3 characters", null],
  ["an array", [1], "1 element", null],
  ["a map", new Map([[1, 2]]), "1 entry", null],
  ["a set", new Set([1, 2]), "2 entries", null],
  ["a typed array", new Float64Array(1000), "1,000 elements", 8000],
  ["a buffer", new ArrayBuffer(16), "", 16],
  ["a tensor", new Tensor(false), "[2, 3] float32 on mps:0", 24],
  ["a tensor that was disposed of", new Tensor(true), "", null],
  ["an object with getters", lookalike, "", null],
  ["a proxy", trapped, "", null],
  ["null", null, "", null],
])("%s", (_, value, size, bytes) => expect(measure(value)).toEqual({ size, bytes }));
