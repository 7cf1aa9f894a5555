// How long tensors live: disposal, tidy scopes, memory shared with typed arrays.
import { describe, expect, it } from "vitest";
import type { TypedArray } from "../../../lib/torch/vocabulary/dtype.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { allocatedBytes, collectedBytes } from "../../helpers/memory.ts";
import { elements, failure, float32, operator } from "../operators.ts";

const add = operator("add");

describe("dispose", () => {
  it("frees at once, and again does nothing", () => {
    const before = collectedBytes();
    const x = operator("zeros")([1000]);
    expect(allocatedBytes()).toBe(before + 4000);
    native.dispose(x);
    native.dispose(x);
    expect(allocatedBytes()).toBe(before);
    expect(native.isDisposed(x)).toBe(true);
  });

  it("a later use names the cell that made the tensor", () => {
    native.setOrigin("Cell [3]");
    const x = float32([1]);
    native.setOrigin("");
    native.dispose(x);
    expect(failure(() => add(x, 1))).toEqual({
      name: "UseAfterDisposeError",
      message: expect.stringMatching(/^This tensor, made in Cell \[3\], was disposed/),
    });
    expect(failure(() => native.shape(x)).name).toBe("UseAfterDisposeError");
  });

  it("leaves views of the same storage alone", () => {
    const x = float32([1, 2, 3]);
    const view = operator("narrow")(x, 0, 1, 2);
    native.dispose(x);
    expect(elements(view)).toEqual([2, 3]);
  });
});

describe("a tidy scope", () => {
  it("disposes what it made, except what is kept", () => {
    const scope = native.beginScope();
    const lost = float32([1]);
    const kept = add(lost, 1);
    native.endScope(scope, [kept]);
    expect([native.isDisposed(lost), native.isDisposed(kept)]).toEqual([true, false]);
  });

  it("hands what it keeps to the scope around it", () => {
    const outer = native.beginScope();
    const inner = native.beginScope();
    const x = float32([1]);
    native.endScope(inner, [x]);
    expect(native.isDisposed(x)).toBe(false);
    native.endScope(outer, []);
    expect(native.isDisposed(x)).toBe(true);
  });

  it("ends with the scope around it when nobody ended it", () => {
    const outer = native.beginScope();
    native.beginScope();
    const x = float32([1]);
    native.endScope(outer, []);
    expect(native.isDisposed(x)).toBe(true);
    expect(failure(() => native.endScope(outer, [])).name).toBe("RangeError");
  });

  it("does not touch tensors from outside", () => {
    const x = float32([1]);
    const scope = native.beginScope();
    operator("add_")(x, 1);
    native.endScope(scope, []);
    expect(elements(x)).toEqual([2]);
  });
});

describe("typed arrays", () => {
  it("from a tensor share its memory, and hold it when the tensor is gone", () => {
    const x = float32([1, 2]);
    const array = native.typedArray(x);
    array[0] = 5;
    expect(elements(x)).toEqual([5, 2]);
    expect(native.typedArray(x)).toEqual(array);
    native.dispose(x);
    expect([...array]).toEqual([5, 2]);
  });

  it("that are lent are empty afterwards, and hold nothing: the memory goes with the tensor", () => {
    const before = collectedBytes();
    const x = float32([1, 2]);
    const lent: TypedArray[] = [];
    const sum = native.withTypedArray(x, (array) => {
      lent.push(array);
      return Number(array[0]) + Number(array[1]);
    });
    expect([sum, lent[0]?.length]).toEqual([3, 0]);
    native.dispose(x);
    expect(allocatedBytes()).toBe(before);
  });

  it("that are lent come back where reading them throws", () => {
    const before = collectedBytes();
    const x = float32([1, 2]);
    const read = () => {
      throw new RangeError("no such value");
    };
    expect(() => native.withTypedArray(x, read)).toThrow(new RangeError("no such value"));
    expect(elements(x)).toEqual([1, 2]);
    native.dispose(x);
    expect(allocatedBytes()).toBe(before);
  });

  it("become a tensor without a copy where that is asked for", () => {
    const array = Float32Array.of(1, 2);
    const shared = native.shareTypedArray(array, [2], "float32");
    const copied = native.fromTypedArray(array, [2], "float32");
    array[1] = 7;
    expect([elements(shared), elements(copied)]).toEqual([
      [1, 7],
      [1, 2],
    ]);
  });

  it.each([
    ["float16", Uint16Array.of(0x3c00)],
    ["bfloat16", Uint16Array.of(0x3f80)],
    ["bool", Uint8Array.of(1)],
    ["int8", Int8Array.of(-1)],
    ["int64", BigInt64Array.of(-1n)],
    ["float64", Float64Array.of(0.1)],
  ] as const)("%s keeps its bits both ways", (dtype, array) => {
    expect(native.typedArray(native.fromTypedArray(array, [1], dtype))).toEqual(array);
  });

  it("an empty one is a tensor of no elements", () => {
    expect(native.typedArray(native.fromTypedArray(new Float32Array(), [0, 3], "float32"))).toEqual(
      new Float32Array(),
    );
  });
});

describe("random state", () => {
  it("a seed repeats the numbers, and a saved state goes on from where it was", () => {
    const rand = operator("rand");
    native.manualSeed(7);
    const first = elements(rand([3]));
    const state = native.getRngState("cpu");
    const second = elements(rand([3]));
    native.setRngState("cpu", state);
    expect(elements(rand([3]))).toEqual(second);
    native.manualSeed(7n, "cpu");
    expect(elements(rand([3]))).toEqual(first);
  });
});
