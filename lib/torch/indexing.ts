// Indexing: `x.at(...)` and `x.setAt(...)` with everything that stands between the brackets of `x[...]` in Python.
import { isIntegralDType, type Scalar } from "./dtype.ts";
import { native } from "./native.ts";
import { makeOperator } from "./operators.ts";
import type { Tensor } from "./tensor.ts";
import { flatten, inferDType, packElements } from "./values.ts";

/** Part of a dimension, as `start:stop:step`. Negative ends count from the end; null is an open end. */
export class Slice {
  constructor(
    readonly start: number | null,
    readonly stop: number | null,
    readonly step: number,
  ) {}
}

/** `slice(stop)`, `slice(start, stop)` or `slice(start, stop, step)`, as in Python. */
export function slice(
  ...ends: [stop: number | null] | [start: number | null, stop: number | null, step?: number]
): Slice {
  const [start, stop] = ends.length === 1 ? [null, ends[0]] : [ends[0], ends[1]];
  const step = ends[2] ?? 1;
  for (const end of [start, stop]) {
    if (end !== null && !Number.isInteger(end))
      throw new TypeError(`The ends of a slice are whole numbers or null, not ${String(end)}.`);
  }
  if (!Number.isInteger(step) || step < 1)
    throw new RangeError(
      `The step of a slice is a whole number above 0, not ${String(step)}; flip() reverses a tensor.`,
    );
  return new Slice(start, stop, step);
}

/**
 * A number takes one element of a dimension, a slice part of it, `"..."` skips dimensions, null adds one of size 1;
 * a tensor or an array of whole numbers chooses elements, one of booleans keeps those that are true.
 */
export type Index = number | Slice | "..." | null | boolean | Tensor | readonly number[] | readonly boolean[];

const select = makeOperator("select", "int") as (tensor: Tensor, dim: number, index: number) => Tensor;
const sliceDim = makeOperator("slice", "Tensor") as (
  tensor: Tensor,
  dim: number,
  ...ends: (number | null)[]
) => Tensor;
const indexBy = makeOperator("index", "Tensor") as (
  tensor: Tensor,
  chosen: readonly (Tensor | null)[],
) => Tensor;
const indexPut = makeOperator("index_put_", "") as (
  tensor: Tensor,
  chosen: readonly (Tensor | null)[],
  values: Tensor,
) => Tensor;

const text = (shape: readonly number[]) => `[${shape.join(", ")}]`;

function toTensor(list: readonly unknown[], like: Tensor): Tensor {
  const { elements, shape } = flatten(list);
  const inferred = elements.length === 0 ? "int64" : inferDType(elements);
  if (inferred !== "int64" && inferred !== "bool")
    throw new TypeError(`A list of indices holds whole numbers or booleans, not ${inferred} values.`);
  const { data, dtype } = packElements(elements, inferred);
  return native.fromTypedArray(data, shape, dtype).to({ device: like.device });
}

/** How many dimensions an index uses up. */
function consumed(index: Index): number {
  if (index === null || index === "..." || typeof index === "boolean") return 0;
  return native.isTensor(index) && index.dtype === "bool" ? index.ndim : 1;
}

interface Selection {
  /** A view: numbers, slices and new dimensions applied. */
  readonly view: Tensor;
  /** Tensors that choose along the view's dimensions, null for those that stay whole; empty where none chooses. */
  readonly chosen: (Tensor | null)[];
}

function choose(tensor: Tensor, indices: readonly Index[]): Selection {
  const listed = indices.map((index) =>
    Array.isArray(index) ? toTensor(index, tensor) : (index as Exclude<Index, readonly unknown[]>),
  );
  const used = listed.reduce<number>((sum, index) => sum + consumed(index), 0);
  if (used > tensor.ndim) {
    throw new RangeError(
      `There are ${used} indices for a tensor of ${tensor.ndim} dimensions (shape ${text(tensor.shape)}).`,
    );
  }
  if (listed.filter((index) => index === "...").length > 1)
    throw new RangeError('An index has at most one "...".');
  let view = tensor;
  let dim = 0;
  const chosen: (Tensor | null)[] = [];
  const keep = (count: number) => {
    for (let left = count; left > 0; left--) chosen.push(null);
    dim += count;
  };
  for (const index of listed) {
    if (typeof index === "number") view = selectOne(view, dim, index, tensor);
    else if (index === "...") keep(tensor.ndim - used);
    else if (index === null) {
      view = view.unsqueeze(dim);
      keep(1);
    } else if (typeof index === "boolean") {
      view = view.unsqueeze(dim++);
      chosen.push(toTensor([index], tensor));
    } else if (index instanceof Slice) {
      view = sliceDim(view, dim, index.start, index.stop, index.step);
      keep(1);
    } else if (native.isTensor(index)) {
      if (index.ndim === 0 && isIntegralDType(index.dtype)) view = selectOne(view, dim, index.item(), tensor);
      else {
        requireIndexDType(index);
        requireMaskShape(index, view, dim);
        chosen.push(index);
        dim += consumed(index);
      }
    } else {
      throw new TypeError(
        `An index is a number, a slice, "...", null, a boolean, a tensor or an array, not ${typeof index === "string" ? JSON.stringify(index) : typeof index}.`,
      );
    }
  }
  return { view, chosen: chosen.every((one) => one === null) ? [] : chosen };
}

function selectOne(view: Tensor, dim: number, index: number, tensor: Tensor): Tensor {
  const size = view.size(dim);
  if (!Number.isInteger(index)) throw new TypeError(`An index is a whole number, not ${index}.`);
  if (index < -size || index >= size) {
    throw new RangeError(
      `Index ${index} is out of range for a dimension of size ${size} (the tensor has shape ${text(tensor.shape)}).`,
    );
  }
  return select(view, dim, index);
}

function requireIndexDType(index: Tensor): void {
  if (index.dtype === "bool" || isIntegralDType(index.dtype)) return;
  throw new TypeError(
    `A tensor that indexes is of whole numbers or booleans, and this one is ${index.dtype}: convert it with .long().`,
  );
}

function requireMaskShape(mask: Tensor, view: Tensor, dim: number): void {
  if (mask.dtype !== "bool") return;
  const covered = view.shape.slice(dim, dim + mask.ndim);
  if (text(covered) === text(mask.shape)) return;
  throw new RangeError(
    `The mask has shape ${text(mask.shape)}, and what it masks has shape ${text(covered)}.`,
  );
}

export function at(tensor: Tensor, indices: readonly Index[]): Tensor {
  const { view, chosen } = choose(tensor, indices);
  if (chosen.length > 0) return indexBy(view, chosen);
  return view === tensor ? view.alias() : view;
}

export function setAt(tensor: Tensor, indices: Index | readonly Index[], value: Tensor | Scalar): Tensor {
  const { view, chosen } = choose(tensor, Array.isArray(indices) ? indices : [indices as Index]);
  if (chosen.length > 0) {
    const values = native.isTensor(value)
      ? value.to({ dtype: tensor.dtype, device: tensor.device })
      : scalarLike(tensor, value);
    indexPut(view, chosen, values);
  } else if (native.isTensor(value)) view.copy_(value);
  else view.fill_(value);
  return tensor;
}

function scalarLike(tensor: Tensor, value: Scalar): Tensor {
  return tensor.newEmpty([]).fill_(value);
}
