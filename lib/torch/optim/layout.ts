// How parameters, gradients and state lie in memory. The kernels of optimizers walk through them side by side, element by
// element as they lie, and do not look at strides.
import { noteMadeState } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { shapeText } from "../vocabulary/arguments.ts";

/** Whether the elements fill a piece of memory, in whatever order of dimensions. */
function isDense(tensor: Tensor): boolean {
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

/** @throws TypeError where kernels would walk through elements that are not the parameter's */
export function requireDense(call: string, index: number, parameter: Tensor): void {
  if (isDense(parameter)) return;
  throw new TypeError(
    `${call}: parameter ${index} is a part of a tensor, with strides ${native.stride(parameter).join(", ")} for shape ${shapeText(native.shape(parameter))}, and the kernels of optimizers take whole pieces of memory: optimize the tensor that it is a part of, or a contiguous() copy.`,
  );
}

const described = (tensor: Tensor): string =>
  `${native.dtype(tensor)} ${shapeText(native.shape(tensor))} on ${native.device(tensor)}`;

/**
 * A copy with the parameter's layout.
 *
 * @throws RangeError for another shape, TypeError for another dtype or device
 */
function copyLaidAs(call: string, index: number, parameter: Tensor, name: string, tensor: Tensor): Tensor {
  requireDense(call, index, parameter);
  const [own, other] = [described(parameter), described(tensor)];
  if (own === other) return parameter.detach().clone().copy_(tensor);
  const isResized = native.shape(parameter).join() !== native.shape(tensor).join();
  const message = `${call}: parameter ${index} is ${own}, and its ${name} is ${other}: it was ${isResized ? "resized" : "converted"} since that was made. ${name === "gradient" ? "Call zeroGrad() and backward() once more before step()." : `Make a new optimizer of it${isResized ? "" : ", or load this one's own state, which converts it: o.loadStateDict(o.stateDict())"}.`}`;
  throw isResized ? new RangeError(message) : new TypeError(message);
}

/** Parameters of a group that are stepped together. */
interface Stepped {
  /** Opens messages: `Adam.step`. */
  readonly call: string;
  /** All parameters of the group, by whose order messages number them. */
  readonly all: readonly Tensor[];
  readonly params: readonly Tensor[];
}

/** Puts copies that lie as their parameters do in place of gradients that do not. Sparse gradients stay. */
export function alignGradients({ call, all, params }: Stepped, grads: Tensor[]): void {
  if (native.lieAlike(params, grads)) return;
  for (const [i, parameter] of params.entries()) {
    const grad = grads[i]!;
    if (native.layout(grad) !== "strided" || native.lieAlike([parameter], [grad])) continue;
    grads[i] = copyLaidAs(call, all.indexOf(parameter), parameter, "gradient", grad);
    native.dispose(grad);
  }
}

/**
 * Puts copies that lie as their parameters do in place of state that does not: a model was converted to another memory
 * format, or the state was loaded. `replace` takes each new tensor. `lists` are changed too.
 */
export function alignState(
  { call, all, params }: Stepped,
  lists: Readonly<Record<string, Tensor[]>>,
  replace: (parameter: Tensor, name: string, tensor: Tensor) => void,
): void {
  if (native.lieAlike(params, ...Object.values(lists))) return;
  noteMadeState(
    () =>
      `${call}() met a state that does not lie as its parameter does where the step's graph was captured: call reset().`,
  );
  for (const [name, tensors] of Object.entries(lists)) {
    for (const [i, parameter] of params.entries()) {
      if (native.lieAlike([parameter], [tensors[i]!])) continue;
      tensors[i] = copyLaidAs(call, all.indexOf(parameter), parameter, name, tensors[i]!);
      native.keep(tensors[i]!);
      replace(parameter, name, tensors[i]!);
    }
  }
}
