// Sets whether autograd records what is computed from a tensor, for factories and for `x.requiresGrad`.
import { native } from "../engine/native.ts";
import type { Tensor } from "../types/index.ts";
import { checkBoolean } from "../vocabulary/arguments.ts";
import { isComplexDType, isFloatingDType } from "../vocabulary/dtype.ts";

export function setRequiresGrad(tensor: Tensor, value: boolean): void {
  checkBoolean("requiresGrad", "the value", value);
  const dtype = native.dtype(tensor);
  if (value && !isFloatingDType(dtype) && !isComplexDType(dtype)) {
    throw new TypeError(
      `Only floating and complex tensors can require gradients, and this one is ${dtype}: convert it with .float() first.`,
    );
  }
  if (!value && !native.isLeaf(tensor)) {
    throw new TypeError(
      "A tensor that a recorded operation made cannot stop requiring gradients: use x.detach().",
    );
  }
  native.setRequiresGrad(tensor, value);
}
