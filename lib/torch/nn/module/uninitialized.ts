// Parameters and buffers without a shape yet. Each exists from the start, empty, so that an optimizer or a state dict
// finds it; the same tensor gets its shape later.
import { native } from "../../engine/native.ts";
import { ops, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";

const shapeless = new WeakSet<Tensor>();

export function isUninitialized(tensor: Tensor): boolean {
  return shapeless.has(tensor);
}

function setShape(tensor: Tensor, shape: readonly number[]): void {
  const kind = { dtype: native.dtype(tensor), device: native.device(tensor) };
  const empty = torchFunctions.empty(shape, kind);
  ops.aten.set_data.default(tensor, empty);
  native.dispose(empty);
}

/** Takes a tensor's shape away until `materialize`. */
export function makeUninitialized(tensor: Tensor): void {
  setShape(tensor, [0]);
  shapeless.add(tensor);
}

/** Gives it a shape; its values are whatever the memory holds. */
export function materialize(tensor: Tensor, shape: readonly number[]): void {
  setShape(tensor, shape);
  shapeless.delete(tensor);
}
