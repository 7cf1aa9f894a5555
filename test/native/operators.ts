// Operators as the tests of the addon call them: straight through `native.call`, without the library's own methods.
import { native } from "../../lib/torch/engine/native.ts";
import type { Tensor } from "../../lib/torch/tensor/tensor.ts";

export type Operator = (...args: unknown[]) => Tensor;

/** All overloads of `aten::name`. */
export function operator(name: string): Operator {
  const id = native.operator(name);
  return (...args) => native.call(id, ...args) as Tensor;
}

/** A float32 tensor with these elements. */
export function float32(elements: readonly number[], shape: readonly number[] = [elements.length]): Tensor {
  return native.fromTypedArray(Float32Array.from(elements), shape, "float32");
}

/** Elements of a contiguous CPU tensor. */
export function elements(tensor: Tensor): (number | bigint)[] {
  return native.withTypedArray(tensor, (array) => [...array]);
}

/** Class and message of the error that a call throws. */
export function failure(call: () => unknown): { name: string; message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return { name: error.constructor.name, message: error.message };
  }
  throw new Error("The call was expected to throw an Error.");
}
