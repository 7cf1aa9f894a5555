// Gradients through the addon: backward, hooks on the JavaScript thread, modes.
import { describe, expect, it } from "vitest";
import { native } from "../../../lib/torch/engine/native.ts";
import type { Tensor } from "../../../lib/torch/tensor/tensor.ts";
import { elements, failure, float32, operator } from "../operators.ts";

const mul = operator("mul");
const sum = operator("sum");

function leaf(values: readonly number[]): Tensor {
  const x = float32(values);
  native.setRequiresGrad(x, true);
  return x;
}

const backward = (loss: Tensor) => native.backward([loss], [], false, false, []);

it("d(x^2)/dx is 2x", () => {
  const x = leaf([1, 2]);
  const loss = sum(mul(x, x));
  expect([native.isLeaf(x), native.isLeaf(loss), native.gradFnName(loss)]).toEqual([
    true,
    false,
    "SumBackward0",
  ]);
  backward(loss);
  expect(elements(native.grad(x)!)).toEqual([2, 4]);
});

it("gradients() gives them back instead of keeping them, null where an input was not used", () => {
  const [x, unused] = [leaf([3]), leaf([4])];
  const [first, second] = native.gradients([mul(x, x)], [x, unused], [], false, false, true);
  expect([elements(first!), second, native.grad(x)]).toEqual([[6], null, null]);
});

it("retainGrad keeps the gradient of what is no leaf", () => {
  const middle = mul(leaf([3]), 2);
  native.retainGrad(middle);
  backward(mul(middle, middle));
  expect(elements(native.grad(middle)!)).toEqual([12]);
});

describe("a hook", () => {
  it("sees the gradient and may replace it", () => {
    const x = leaf([1]);
    const seen: unknown[] = [];
    const number = native.registerHook(x, (grad) => {
      seen.push(elements(grad));
      return mul(grad, 10);
    });
    backward(mul(x, 3));
    native.removeHook(x, number);
    backward(mul(x, 3));
    expect([seen, elements(native.grad(x)!)]).toEqual([[[3]], [33]]);
  });

  it("that throws ends backward with its own error", () => {
    const x = leaf([1]);
    const reason = new Error("from the hook");
    native.registerHook(x, () => {
      throw reason;
    });
    expect(() => backward(mul(x, 3))).toThrow(reason);
    expect(elements(mul(float32([2]), 2))).toEqual([4]);
  });
});

describe("modes", () => {
  it("without grad nothing is recorded", () => {
    native.setGradEnabled(false);
    const y = mul(leaf([1]), 2);
    native.setGradEnabled(true);
    expect([native.requiresGrad(y), native.gradEnabled()]).toEqual([false, true]);
  });

  it("inference mode goes on and off, and on again", () => {
    for (const on of [true, true, false, false, true, false]) {
      native.setInferenceMode(on);
      expect([native.inferenceMode(), native.gradEnabled()]).toEqual([on, !on]);
    }
  });
});

describe("misuse", () => {
  const x = leaf([1, 2]);
  const integers = native.fromTypedArray(Int32Array.of(1), [1], "int32");

  it.each([
    ["TypeError", /does not require grad/, () => backward(float32([1]))],
    ["RangeError", /shape \[2\]: reduce it/, () => backward(mul(x, 1))],
    ["RangeError", /as many gradients/, () => native.backward([sum(x)], [null, null], false, false, [])],
    ["TypeError", /floating point/, () => native.setRequiresGrad(integers, true)],
    ["TypeError", /leaf/, () => native.setRequiresGrad(mul(x, 1), false)],
    ["RangeError", /shape \[2\], but got \[1\]/, () => native.setGrad(x, float32([1]))],
    ["TypeError", /dtype float32, but got int32/, () => native.setGrad(leaf([1]), integers)],
    ["TypeError", /no gradient ever reaches/, () => native.registerHook(float32([1]), () => undefined)],
    ["TypeError", /must be a function/, () => native.registerHook(x, 1 as never)],
  ])("%s %s", (name, message, call) => {
    expect(failure(call)).toEqual({ name, message: expect.stringMatching(message) });
  });

  it("a graph that was used up says so without C++ words", () => {
    const loss = sum(mul(x, x));
    backward(loss);
    expect(failure(() => backward(loss)).message).toMatch(
      /freed by the first backward\(\)\. .*retainGraph: true/,
    );
  });
});
