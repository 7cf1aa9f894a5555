// How parameters and gradients lie in memory. The kernels of optimizers walk through both side by side, element by element
// as they lie, and do not look at strides.
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** Whether the elements fill a piece of memory, in whatever order of dimensions. */
export function isDense(tensor: Tensor): boolean {
  if (native.layout(tensor) !== "strided" || native.isContiguous(tensor)) return true;
  const strides = native.stride(tensor);
  const dimensions = native
    .shape(tensor)
    .map((size, dim) => ({ size, stride: strides[dim]! }))
    .filter(({ size }) => size > 1)
    .toSorted((a, b) => a.stride - b.stride);
  let filled = 1;
  for (const { size, stride } of dimensions) {
    if (stride !== filled) return false;
    filled *= size;
  }
  return true;
}

/** Whether backward would lay the gradient so: it does, but a user may set another. */
function liesAs(gradient: Tensor, parameter: Tensor): boolean {
  if (native.isContiguous(parameter) && native.isContiguous(gradient)) return true;
  const [own, other] = [native.stride(gradient), native.stride(parameter)];
  return native.shape(parameter).every((size, dim) => size === 1 || own[dim] === other[dim]);
}

/** The gradient, or a copy of it that lies as the dense parameter does. The copy takes its place. */
export function laidAs(parameter: Tensor, gradient: Tensor): Tensor {
  if (native.layout(gradient) !== "strided" || liesAs(gradient, parameter)) return gradient;
  const copy = parameter.detach().clone().copy_(gradient);
  native.dispose(gradient);
  return copy;
}
