// Gives a tensor another one's memory, shape and dtype, and lets autograd see it.
import { ops } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

/**
 * The tensor stays the same object, with other elements. For autograd this counts as a write, which `set_data` alone
 * does not: otherwise the backward of a graph that saved the tensor would use elements that its forward never saw. For
 * use under `noGrad`.
 */
export function replaceData(tensor: Tensor, given: Tensor): void {
  ops.aten.set_data.default(tensor, given);
  // Writes nothing, but increments the version counter.
  tensor.transpose_(0, 0);
}
