// Reads the rows of sparse gradients, as `Embedding` with `sparse` makes them, and makes tensors with other values in
// the same rows.
import { makeOperator } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

const coalesce = makeOperator("coalesce") as (tensor: Tensor) => Tensor;
const indicesOf = makeOperator("_indices") as (tensor: Tensor) => Tensor;
const valuesOf = makeOperator("_values") as (tensor: Tensor) => Tensor;
const makeSparse = makeOperator("_sparse_coo_tensor_unsafe") as (
  indices: Tensor,
  values: Tensor,
  size: readonly number[],
) => Tensor;

/** A gradient with each row once, since updates are no linear functions of it. */
export function sparseParts(gradient: Tensor): { readonly grad: Tensor; readonly values: Tensor } {
  const grad = coalesce(gradient);
  return { grad, values: valuesOf(grad) };
}

export function sparseLike(grad: Tensor, values: Tensor): Tensor {
  return makeSparse(indicesOf(grad), values, grad.shape);
}
