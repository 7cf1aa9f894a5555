// How `call` reads arguments: overloads, defaults, options, scalars, lists, and what comes back.
import { describe, expect, it } from "vitest";
import { native } from "../../../lib/torch/engine/native.ts";
import { elements, float32, operator } from "../operators.ts";

const add = operator("add");
const x = float32([1, 2, 3, 4], [2, 2]);

describe("an overload is chosen by the kinds of its arguments", () => {
  it("a tensor or a number may stand for 'other'", () => {
    expect(elements(add(x, x))).toEqual([2, 4, 6, 8]);
    expect(elements(add(x, 1))).toEqual([2, 3, 4, 5]);
  });

  it("sum() takes all elements, one dimension, or several", () => {
    const sum = operator("sum");
    expect(native.item(sum(x))).toBe(10);
    expect(elements(sum(x, 0))).toEqual([4, 6]);
    expect(elements(sum(x, [0, 1], true))).toEqual([10]);
  });

  it("split() takes one size or a list of sizes", () => {
    const split = operator("split");
    expect((split(float32([1, 2, 3]), 2) as unknown as unknown[]).length).toBe(2);
    expect((split(float32([1, 2, 3]), [1, 1, 1]) as unknown as unknown[]).length).toBe(3);
  });

  it("one overload can be named", () => {
    const id = native.overload("add", "Tensor");
    expect(native.schemas(id)).toEqual([
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    ]);
    expect(elements(native.call(id, x, x) as never)).toEqual([2, 4, 6, 8]);
  });

  it("a name that libtorch does not have is -1", () => {
    expect(native.operator("ad")).toBe(-1);
    expect(native.overload("add", "Tonsor")).toBe(-1);
  });
});

describe("the last plain object holds options", () => {
  it("by their camelCase names", () => {
    expect(elements(add(x, x, { alpha: 10 }))).toEqual([11, 22, 33, 44]);
  });

  it("by the schema's names", () => {
    const images = operator("zeros")([1, 2, 3, 3], { dtype: "float32" });
    const last = operator("contiguous")(images, { memory_format: "channels_last" });
    expect(native.stride(last)).toEqual([18, 1, 6, 2]);
  });

  it("positional arguments too", () => {
    expect(native.shape(operator("sum")(x, { dim: [1], keepdim: true }))).toEqual([2, 1]);
  });

  it("undefined leaves the default", () => {
    expect(elements(add(x, x, { alpha: undefined }))).toEqual([2, 4, 6, 8]);
  });

  it("factories take dtype, device and requiresGrad", () => {
    const made = operator("zeros")([2], { dtype: "float64", device: "cpu", requiresGrad: true });
    expect([native.dtype(made), native.device(made), native.requiresGrad(made)]).toEqual([
      "float64",
      "cpu",
      true,
    ]);
  });
});

describe("numbers", () => {
  const integers = native.fromTypedArray(BigInt64Array.of(1n, 2n), [2], "int64");

  it("integral ones leave an integer tensor integer, others do not", () => {
    expect(native.dtype(add(integers, 1))).toBe("int64");
    expect(native.dtype(add(integers, 1.5))).toBe("float32");
  });

  it("a bigint is an int64", () => {
    expect(elements(add(integers, 2n ** 60n))).toEqual([2n ** 60n + 1n, 2n ** 60n + 2n]);
  });

  it("{ re, im } is a complex number", () => {
    expect(native.dtype(operator("mul")(x, { re: 0, im: 1 }))).toBe("complex64");
  });

  it("minus zero keeps its sign", () => {
    expect(elements(operator("full")([1], -0))).toEqual([-0]);
  });

  it("one number stands for a list where the schema repeats it", () => {
    const pool = operator("max_pool2d");
    const image = float32([1, 2, 3, 4], [1, 1, 2, 2]);
    expect(elements(pool(image, 2))).toEqual(elements(pool(image, [2, 2])));
  });
});

describe("results", () => {
  it("several come back as an array", () => {
    const [values, indices] = operator("max")(x, 1) as unknown as [never, never];
    expect([elements(values), elements(indices)]).toEqual([[2, 4], [1n, 3n].map(() => 1n)]);
  });

  it("an in-place operator gives back the very tensor that it was given", () => {
    const y = float32([1]);
    expect(operator("add_")(y, 1)).toBe(y);
  });

  it("so does out=", () => {
    const out = float32([0, 0, 0, 0], [2, 2]);
    expect(add(x, x, { out })).toBe(out);
    expect(elements(out)).toEqual([2, 4, 6, 8]);
  });

  it("a view shares its base's storage", () => {
    const row = operator("select")(x, 0, 1);
    expect(native.storage(row).address).toBe(native.storage(x).address);
    expect(native.storageOffset(row)).toBe(2);
  });

  it("item() is a number, a bigint beyond 2^53, a boolean or { re, im }", () => {
    const one = (array: never, dtype: string) =>
      native.item(native.fromTypedArray(array, [], dtype as "int64"));
    expect(one(BigInt64Array.of(7n) as never, "int64")).toBe(7);
    expect(one(BigInt64Array.of(2n ** 60n) as never, "int64")).toBe(2n ** 60n);
    expect(one(Uint8Array.of(1) as never, "bool")).toBe(true);
    expect(one(Float32Array.of(1, -2) as never, "complex64")).toEqual({ re: 1, im: -2 });
  });
});

it("the stop flag stops the next operator, and the session's interruption is what is thrown", () => {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  class Interruption extends Error {}
  native.setStopFlag(flag, () => {
    flag[0] = 0;
    throw new Interruption("stopped");
  });
  flag[0] = 1;
  expect(() => add(x, x)).toThrow(Interruption);
  expect(elements(add(x, x))).toEqual([2, 4, 6, 8]);
});
