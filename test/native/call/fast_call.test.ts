// The short way of calls, by numbers in shared memory: the same results, errors and lifetimes as the long way, and no
// way in for objects that are no tensors.
import { describe, expect, it } from "vitest";
import type { OperatorId } from "../../../lib/torch/engine/fast_call.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { Wrapper } from "../../../lib/torch/engine/wrapper.ts";
import type { Tensor } from "../../../lib/torch/tensor/tensor.ts";
import { elements, failure, float32 } from "../operators.ts";
import { collectedBytes } from "../../helpers/memory.ts";

interface Raw {
  readonly exchange: Float64Array;
  fastCall(slot: unknown): unknown;
  callInto(operator: OperatorId, wrapper: unknown, ...args: readonly unknown[]): unknown;
  numberOf(value: unknown): number;
}
const raw = native as unknown as Raw;

const id = (name: string) => native.operator(name);
const callLong = (operator: OperatorId, args: readonly unknown[]) =>
  raw.callInto(operator, new Wrapper(), ...args);

function callShort(operator: OperatorId, args: readonly unknown[]): unknown {
  if (args.length === 1) return native.call1(operator, args[0]);
  if (args.length === 2) return native.call2(operator, args[0], args[1]);
  if (args.length === 3) return native.call3(operator, args[0], args[1], args[2]);
  return native.call(operator, ...args);
}

function shown(value: unknown): unknown {
  if (native.isTensor(value)) return { shape: native.shape(value), elements: elements(value) };
  return Array.isArray(value) ? value.map(shown) : value;
}

const x = float32([1, 2, 3, 4, 5, 6], [2, 3]);
const y = float32([6, 5, 4, 3, 2, 1], [2, 3]);

describe("both ways give the same", () => {
  it.each<[string, ...unknown[]]>([
    ["relu", x],
    ["add", x, y],
    ["add", x, 2],
    ["add", x, true],
    ["mul", 3, y],
    ["clamp", x, null, 4],
    ["clamp", x, 2],
    ["sum", x],
    ["sum", x, 1],
    ["sum", x, 1, true],
    ["sum", x, [0, 1]],
    ["sum", x, []],
    ["view", x, [3, -1]],
    ["reshape", x, [6]],
    ["transpose", x, 0, 1],
    ["select", x, 1, 2],
    ["max", x],
    ["max", x, 1],
    ["unbind", x],
    ["where", float32([1, 0, 1]), x, y],
    ["equal", x, y],
    ["isNonzero", float32([1])],
    ["linear", x, y],
    ["gelu", x, { approximate: "tanh" }],
    ["softmax", x, -1, "float32"],
    ["cat", [x, y], 1],
    ["stack", [x, y, x]],
    ["cat", []],
    ["layerNorm", x, [3], float32([1, 2, 3]), null, 1e-5],
    ["slice", x, 1, 0, null, 2],
    ["addmm", x, x, float32([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])],
    ["index", x, [null, native.call(id("argmax"), x, 0)]],
  ])("%s", (name, ...args) => {
    // A view has no elements of its own to be read here.
    const contiguous = (value: unknown) =>
      native.isTensor(value) ? callLong(id("contiguous"), [value]) : value;
    const outcome = (run: () => unknown) => {
      try {
        return shown(contiguous(run()));
      } catch {
        return failure(run);
      }
    };
    expect(outcome(() => callShort(id(name), args))).toEqual(outcome(() => callLong(id(name), args)));
  });

  it.each<[string, string, ...unknown[]]>([
    ["a shape that does not fit", "view", x, [4, 2]],
    ["a fraction for a size", "view", x, [1.5, 4]],
    ["NaN for a size", "view", x, [Number.NaN]],
    ["a fraction for a dimension", "sum", x, 0.5],
    ["a dimension out of range", "sum", x, 7],
    ["a tensor in the place of a list", "view", x, y],
    ["an argument too many", "relu", x, 1],
    ["a missing argument", "mm", x],
    ["null for a tensor", "mm", x, null],
    ["matrices that do not fit", "mm", x, y],
    ["words in a list", "view", x, ["six"]],
    ["a number among tensors", "cat", [x, 1]],
    ["a tensor among numbers", "view", x, [3, x]],
    ["a list within a list", "view", x, [[6]]],
    ["too many arguments", "sum", x, 1, 2, 3, 4, 5, 6, 7],
    ["a foreign object", "add", x, {}],
  ])("error for %s", (_, name, ...args) => {
    expect(failure(() => callShort(id(name), args))).toEqual(failure(() => callLong(id(name), args)));
  });
});

describe("wrappers", () => {
  it("are returned as they are by operators that write them", () => {
    const z = float32([1, 2]);
    expect(native.call2(id("add_"), z, 1)).toBe(z);
    expect(elements(z)).toEqual([2, 3]);
  });

  it("work everywhere, whichever way they were made", () => {
    const sum = native.call2(id("add"), x, y) as Tensor;
    expect(native.isTensor(sum)).toBe(true);
    expect(native.shape(sum)).toEqual([2, 3]);
    expect(shown(callLong(id("add"), [sum, sum]))).toEqual(shown(native.call2(id("add"), sum, sum)));
    native.dispose(sum);
    expect(native.isDisposed(sum)).toBe(true);
    expect(failure(() => native.call2(id("add"), sum, 1)).name).toBe("UseAfterDisposeError");
  });

  it("belong to the tidy scope in which they were made", () => {
    const scope = native.beginScope();
    const kept = native.call2(id("add"), x, y) as Tensor;
    const temporary = native.call1(id("relu"), x) as Tensor;
    native.endScope(scope, [kept]);
    expect([native.isDisposed(kept), native.isDisposed(temporary)]).toEqual([false, true]);
  });

  it("cannot be forged", () => {
    const made = native.call2(id("add"), x, y) as Tensor;
    const forged = [Object.create(Wrapper.prototype), { ...made }, new Proxy(made, {}), Object.create(made)];
    for (const object of forged) {
      expect(native.isTensor(object)).toBe(false);
      expect(failure(() => native.call2(id("mul"), object, x)).name).toBe("TypeError");
    }
  });

  it("give their memory back to the collector, also after both ways used them", () => {
    const before = collectedBytes();
    for (let i = 0; i < 20_000; i++) {
      const made = native.call2(id("add"), x, y) as Tensor;
      if (i % 3 === 0) native.shape(made);
    }
    expect(collectedBytes() - before).toBeLessThan(64 * 10);
  });
});

describe("numbers that are no tensor's", () => {
  const { exchange, fastCall } = raw;
  const TENSOR = 1;

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])("%s is declined", (number) => {
    exchange.set([id("relu"), TENSOR, 5, 0, number]);
    expect(fastCall({})).toBeUndefined();
    expect(exchange[0]).toBe(-100);
  });

  it.each([-1, 1e9, Number.NaN])("operator %s is declined", (operator) => {
    exchange.set([operator, 0, 4, 0]);
    expect(fastCall({})).toBeUndefined();
    expect(exchange[0]).toBe(-100);
  });

  it("a list longer than the array, and more arguments than places, are declined", () => {
    exchange.set([id("view"), 0x6, 5, 0, 1e6]);
    fastCall({});
    expect(exchange[0]).toBe(-100);
    exchange.set([id("view"), Number.NaN, Number.NaN, 0, 1]);
    fastCall({});
    expect(exchange[0]).toBe(-100);
    exchange.set([id("view"), 0xffff_ffff, Number.NaN, 0, 1]);
    fastCall({});
    expect(exchange[0]).toBe(-100);
  });

  it("what is no object cannot become a slot", () => {
    exchange.set([id("relu"), TENSOR, 5, 0, raw.numberOf(x)]);
    expect(() => fastCall(5)).toThrow(TypeError);
  });

  it.each([-1, 0.5, Number.NaN, 1e9, raw.numberOf(x)])(
    "a slot that holds %s, no disposed tensor's, is filled as a fresh one",
    (number) => {
      const slot = {};
      exchange.set([id("relu"), TENSOR, 5, number, raw.numberOf(x)]);
      fastCall(slot);
      expect(exchange[0]).toBeGreaterThan(0);
      expect(exchange[0]).not.toBe(number);
      expect(elements(x)).toEqual([1, 2, 3, 4, 5, 6]);
    },
  );
});

it("long lists go the long way", () => {
  const ones = Array<number>(70).fill(1);
  expect(native.shape(native.call2(id("view"), x, [...ones, 6]) as Tensor)).toEqual([...ones, 6]);
});

it("temporaries of one expression live as long as the operators that read them", () => {
  const { call1, call2 } = native;
  const [add, mul, relu] = [id("add"), id("mul"), id("relu")];
  let wrong = 0;
  for (let i = 0; i < 30_000; i++) {
    const result = call1(relu, call2(add, call2(mul, x, i % 7), call2(mul, y, 2))) as Tensor;
    if (i % 1000 === 0 && native.typedArray(result)[0] !== (i % 7) + 12) wrong++;
  }
  expect(wrong).toBe(0);
});
