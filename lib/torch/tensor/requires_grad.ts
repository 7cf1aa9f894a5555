// Sets whether autograd records what is computed from a tensor, for factories and for `x.requiresGrad`.
import { native } from "../engine/native.ts";
import type { Tensor } from "../types/index.ts";
import { checkBoolean } from "../vocabulary/arguments.ts";
import { type DType, floatingWay, isComplexDType, isFloatingDType } from "../vocabulary/dtype.ts";

/** @throws TypeError for a dtype that has no gradients */
export function checkDifferentiable(dtype: DType): void {
  if (isFloatingDType(dtype) || isComplexDType(dtype)) return;
  throw new TypeError(
    `Only floating and complex tensors can require gradients, and this one is ${dtype}: ${floatingWay(dtype)}.`,
  );
}

export function setRequiresGrad(tensor: Tensor, value: boolean): void {
  checkBoolean("requiresGrad", "the value", value);
  if (value) checkDifferentiable(native.dtype(tensor));
  if (!value && !native.isLeaf(tensor)) {
    throw new TypeError(
      "A tensor that a recorded operation made cannot stop requiring gradients: use x.detach().",
    );
  }
  native.setRequiresGrad(tensor, value);
}
