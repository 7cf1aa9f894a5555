// Wrong calls: each gets the right class and a sentence with the values, and the way out.
import { describe, expect, it } from "vitest";
import { native } from "../../../lib/torch/engine/native.ts";
import { Wrapper } from "../../../lib/torch/engine/wrapper.ts";
import { failure, float32, operator } from "../operators.ts";

const x = float32([1, 2, 3, 4, 5, 6], [2, 3]);
const add = operator("add");
const zeros = operator("zeros");
const WAY_OUT = "Use add(self, other, { alpha? }) or add(self, other, alpha?).";

describe("arguments of the wrong kind", () => {
  it.each([
    [() => add(x, "x"), `argument 'other' must be a Tensor or a number, but got string "x". ${WAY_OUT}`],
    [() => add(x), `argument 'other' is missing: it must be a Tensor or a number. ${WAY_OUT}`],
    [() => add(1, x), `argument 'self' must be a Tensor, but got number 1. ${WAY_OUT}`],
    [() => add({ shape: [1] }, x), `argument 'self' must be a Tensor, but got an object. ${WAY_OUT}`],
    [() => add(null, x), `argument 'self' must be a Tensor, but got null. ${WAY_OUT}`],
    [() => add(x, x, { alpa: 2 }), `unknown option 'alpa'; did you mean 'alpha'? ${WAY_OUT}`],
    [() => add(x, x, { other: x }), `argument 'other' was given twice, by place and by name. ${WAY_OUT}`],
  ])("%s", (call, message) => {
    expect(failure(call)).toEqual({ name: "TypeError", message: `add(): ${message}` });
  });

  it("an object of another addon or of the same prototype is no tensor", () => {
    const counterfeit = Object.create(Wrapper.prototype) as never;
    expect(native.isTensor(counterfeit)).toBe(false);
    expect(failure(() => add(counterfeit, 1)).name).toBe("TypeError");
    expect(failure(() => native.shape(counterfeit)).name).toBe("TypeError");
  });

  it("an element of a list is named", () => {
    expect(failure(() => operator("cat")([x, 1])).message).toMatch(
      /cat\(\): argument 'tensors' must be an array of Tensors, but element 1 is number 1\./,
    );
  });
});

describe("integers", () => {
  it.each([
    [0.5, "number 0.5"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [2 ** 63, "number 9223372036854776000"],
  ])("%s is a RangeError", (start, shown) => {
    expect(failure(() => operator("narrow")(x, 0, start, 1))).toEqual({
      name: "RangeError",
      message: `narrow(): argument 'start' must be an integer, but got ${shown}.`,
    });
  });

  it("so is a bigint of more than 64 bits", () => {
    expect(failure(() => operator("narrow")(x, 0, 2n ** 70n, 1)).name).toBe("RangeError");
  });
});

describe("what libtorch refuses", () => {
  it.each([
    ["RangeError", () => operator("view")(x, [7])],
    ["RangeError", () => operator("matmul")(x, x)],
    ["RangeError", () => operator("sum")(x, 9)],
    ["RangeError", () => zeros([2, -1])],
    ["TypeError", () => operator("embedding")(x, x)],
    ["RangeError", () => zeros([2], { device: "cuda:7" })],
    ["OutOfMemoryError", () => zeros([1e15])],
    ["OutOfMemoryError", () => zeros([1e7, 1e7])],
    ["RangeError", () => zeros([2 ** 40, 2 ** 40])],
    ["RangeError", () => native.item(x)],
    ["DeviceMismatchError", () => add(x, zeros([2, 3], { device: "meta" }))],
  ])("%s: %s", (name, call) => {
    const { name: actual, message } = failure(call);
    expect(message).not.toMatch(/INTERNAL ASSERT|report a bug|Exception raised|\.cpp/);
    expect(actual).toBe(name);
  });

  it("shapes that do not fit are in the message", () => {
    expect(failure(() => add(x, float32([1, 2]))).message).toBe(
      "add(): The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1 (got self float32 [2, 3], other float32 [2]).",
    );
  });
});

describe("a message is a sentence with the values, whatever grammar libtorch's has", () => {
  it.each([
    [
      () => operator("bernoulli")(float32([3, 3])),
      "bernoulli(): the probabilities must lie between 0 and 1 (got self float32 [2]).",
    ],
    [
      () => operator("permute")(x, [0]),
      "permute(): the order must name every dimension of the tensor once (got self float32 [2, 3], dims [0]).",
    ],
    [
      () => operator("permute")(x, [0, 0]),
      "permute(): the order must name every dimension of the tensor once (got self float32 [2, 3], dims [0, 0]).",
    ],
    [
      () => operator("einsum")("ij,kl", [x]),
      "einsum(): fewer operands were provided than specified in the equation " +
        '(got equation "ij,kl", tensors [float32 [2, 3]]). Give one tensor for each group of letters before the arrow.',
    ],
    [
      () => operator("linalg_cholesky")(x),
      "linalg.cholesky(): the matrices must be square, but they are 2 by 3 (got self float32 [2, 3]).",
    ],
    [
      () => operator("linalg_cholesky")(zeros([2, 2])),
      "linalg.cholesky(): The factorization could not be completed because the input is not positive-definite (the " +
        "leading minor of order 1 is not positive-definite) (got self float32 [2, 2]). A small multiple of " +
        "torch.eye() makes a nearly singular one positive-definite.",
    ],
    [
      () => operator("matmul")(x, x),
      "matmul(): mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3) (got self float32 [2, 3], other float32 [2, 3]).",
    ],
    [
      () => operator("stack")([x, float32([1])]),
      "stack() expects each tensor to be equal size, but got [2, 3] at entry 0 and [1] at entry 1 " +
        "(got tensors [float32 [2, 3], float32 [1]]).",
    ],
    [
      () => operator("topk")(x, 9),
      "topk(): k must lie between 0 and the size of the dimension (got self float32 [2, 3], k 9).",
    ],
    [
      () => operator("clamp")(x),
      "clamp(): At least one of 'min' or 'max' must not be null (got self float32 [2, 3]).",
    ],
  ])("%s", (call, message) => {
    expect(failure(call)).toEqual({ name: "RangeError", message });
  });

  it.each([
    [
      "UnsupportedOperatorError",
      () => operator("bincount")(x),
      "bincount(): there is no kernel for float32 (got self float32 [2, 3]). Convert it to another dtype with x.to(...).",
    ],
    [
      "TypeError",
      () => operator("embedding")(x, x),
      "embedding(): Expected the argument 'indices' to have one of the following scalar types: int64, int32; but got " +
        "float32 instead (got weight float32 [2, 3], indices float32 [2, 3]).",
    ],
    [
      "TypeError",
      () => operator("masked_fill")(x, x, 1),
      "maskedFill(): masked_fill_ only supports boolean masks, but got mask with dtype float32 " +
        "(got self float32 [2, 3], mask float32 [2, 3], value 1).",
    ],
  ])("%s: %s", (name, call, message) => {
    expect(failure(call)).toEqual({ name, message });
  });
});

describe("devices by name", () => {
  it("one that does not work here says so", () => {
    expect(failure(() => native.memoryStats("mps"))).toEqual({
      name: "RangeError",
      message: expect.stringMatching(
        /^memoryStats\(\): the device mps is not available here; cpu.* (is|are)\.$/,
      ),
    });
  });

  it("one that is none is a TypeError", () => {
    expect(failure(() => native.synchronize("gpu" as "cpu")).name).toBe("TypeError");
  });
});

describe("typed arrays", () => {
  it.each([
    ["RangeError", () => native.fromTypedArray(Float32Array.of(1, 2), [3], "float32")],
    ["RangeError", () => native.fromTypedArray(Float32Array.of(1, 2), [-2], "float32")],
    ["TypeError", () => native.fromTypedArray(Float64Array.of(1, 2), [2], "float32")],
    ["TypeError", () => native.fromTypedArray([1, 2] as never, [2], "float32")],
    ["TypeError", () => native.fromTypedArray(Float32Array.of(1), [1], "float33" as "float32")],
    ["TypeError", () => native.typedArray(operator("t")(x))],
  ])("%s: %s", (name, call) => {
    expect(failure(call).name).toBe(name);
  });
});

describe("random state and threads", () => {
  it.each([
    ["RangeError", () => native.manualSeed(1.5)],
    ["RangeError", () => native.manualSeed(2n ** 70n)],
    ["RangeError", () => native.setRngState("cpu", new Uint8Array(3))],
    ["TypeError", () => native.setRngState("cpu", "x" as never)],
    ["RangeError", () => native.setNumThreads(0)],
    ["RangeError", () => native.setHostLimits({ highWatermark: Number.NaN })],
  ])("%s: %s", (name, call) => {
    expect(failure(call).name).toBe(name);
  });
});
