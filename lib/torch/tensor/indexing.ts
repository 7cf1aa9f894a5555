// Implements `x.at(...)` and `x.setAt(...)`, with everything that Python allows between the brackets of `x[...]`.
import { Slice } from "../vocabulary/slice.ts";
import type { Index } from "../types/indices.ts";
import type { Tensor } from "../types/index.ts";
import { describe, shapeText } from "../vocabulary/arguments.ts";
import { type DType, isComplexDType, isIntegralDType, type Scalar } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";
import { flatten, isList, packElements, scalarsDType } from "./values.ts";

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

const promoteTypes = makeOperator("promote_types", "") as (one: DType, other: DType) => DType;

/** A converted index: a list has become a tensor, and an integer tensor without dimensions a number. */
type Part = number | Slice | "..." | null | boolean | Tensor;

const INDEX_DTYPES: ReadonlySet<DType> = new Set(["int64", "int32"]);

function readPart(index: unknown, like: Tensor): Part {
  if (index === null || index === "..." || index instanceof Slice || typeof index === "boolean") return index;
  if (typeof index === "number" || typeof index === "bigint") return readNumber(index);
  const part = isList(index) ? listToTensor(index, like) : index;
  if (!native.isTensor(part)) {
    throw new TypeError(
      `An index is a number, a slice, "...", null, a boolean, a tensor or an array, not ${describe(index)}.`,
    );
  }
  const { dtype } = part;
  if (dtype === "bool") return part;
  if (!INDEX_DTYPES.has(dtype)) {
    const ways = isIntegralDType(dtype)
      ? ".long() chooses elements, .bool() masks them"
      : "convert it with .long()";
    throw new TypeError(
      `A tensor that indexes is of int64, int32 or bool, and this one is ${dtype}: ${ways}.`,
    );
  }
  return part.ndim === 0 ? readNumber(part.item<number | bigint>()) : part;
}

function readNumber(index: number | bigint): number {
  if (typeof index === "number" && !Number.isInteger(index))
    throw new TypeError(`An index is a whole number, not ${index}.`);
  return Number(index);
}

/** A list is no tuple, and typed arrays of other kinds are refused as tensors of their dtypes are. */
function listToTensor(list: ArrayLike<unknown>, like: Tensor): Tensor {
  if (Array.isArray(list)) requireOneIndex(list);
  else if (!(list instanceof BigInt64Array || list instanceof Int32Array)) {
    throw new TypeError(
      `A typed array that indexes is a BigInt64Array or an Int32Array, not ${describe(list)}: Array.from(a) chooses elements, Array.from(a, Boolean) masks them.`,
    );
  }
  return toTensor(list, like);
}

function requireOneIndex(list: readonly unknown[]): void {
  const other = list.find(
    (one) => one === null || one === "..." || one instanceof Slice || native.isTensor(one),
  );
  if (other === undefined) return;
  throw new TypeError(
    `A list is one index, of whole numbers or booleans, and this one holds ${describe(other)}: give several indices one after the other, as in x.at(0, torch.slice(1, 3)) and x.setAt(0, torch.slice(1, 3), 7).`,
  );
}

function toTensor(list: ArrayLike<unknown>, like: Tensor): Tensor {
  const { elements, shape } = flatten(list);
  // -0 is 0 as an index.
  const inferred =
    elements.length === 0 ? "int64" : scalarsDType(elements.map((one) => (one === 0 ? 0 : one)));
  if (inferred !== "int64" && inferred !== "bool")
    throw new TypeError(`A list of indices holds whole numbers or booleans, not ${inferred} values.`);
  const { data, dtype } = packElements(elements, inferred);
  return native.fromTypedArray(data, shape, dtype).to({ device: like.device });
}

/** The number of dimensions that an index consumes. */
function consumed(part: Part): number {
  if (part === null || part === "..." || typeof part === "boolean") return 0;
  return native.isTensor(part) && part.dtype === "bool" ? part.ndim : 1;
}

interface Selection {
  /** A view: numbers, slices and new dimensions applied. */
  readonly view: Tensor;
  /** Tensors that choose along the view's dimensions, null for those that stay whole; empty where none chooses. */
  readonly chosen: (Tensor | null)[];
}

/**
 * PyTorch's rule for where chosen elements go (`torch/csrc/autograd/python_variable_indexing.cpp`): numbers and slices
 * are applied first, as views; what tensors choose then takes the place of their dimensions where those stand side by
 * side, and the front where another one lies between.
 */
function choose(tensor: Tensor, indices: readonly Index[]): Selection {
  native.shape(tensor); // Refuses what is no tensor.
  const parts = Array.from(indices, (index) => readPart(index, tensor));
  const used = parts.reduce<number>((sum, part) => sum + consumed(part), 0);
  if (used > tensor.ndim) {
    throw new RangeError(
      `There are ${used} indices for a tensor of ${tensor.ndim} dimensions (shape ${shapeText(tensor.shape)}).`,
    );
  }
  if (parts.filter((part) => part === "...").length > 1)
    throw new RangeError('An index has at most one "...".');
  let view = tensor;
  let dim = 0;
  const chosen: (Tensor | null)[] = [];
  const keep = (count: number) => {
    for (let left = count; left > 0; left--) chosen.push(null);
    dim += count;
  };
  for (const part of parts) {
    if (typeof part === "number") view = selectOne(view, dim, part, tensor);
    else if (part === "...") keep(tensor.ndim - used);
    else if (part === null) {
      view = view.unsqueeze(dim);
      keep(1);
    } else if (typeof part === "boolean") {
      view = view.unsqueeze(dim++);
      chosen.push(toTensor(part ? [0] : [], tensor));
    } else if (part instanceof Slice) {
      if (!part.isWhole) view = sliceDim(view, dim, part.start, part.stop, part.step);
      keep(1);
    } else if (part.ndim === 0) {
      view = view.unsqueeze(dim++);
      chosen.push(part.unsqueeze(0));
    } else {
      requireMaskShape(part, view, dim);
      chosen.push(part);
      dim += consumed(part);
    }
  }
  return { view, chosen: chosen.every((one) => one === null) ? [] : chosen };
}

function selectOne(view: Tensor, dim: number, index: number, tensor: Tensor): Tensor {
  const size = view.size(dim);
  if (index < -size || index >= size) {
    throw new RangeError(
      `Index ${index} is out of range for a dimension of size ${size} (the tensor has shape ${shapeText(tensor.shape)}).`,
    );
  }
  return select(view, dim, index);
}

function requireMaskShape(mask: Tensor, view: Tensor, dim: number): void {
  if (mask.dtype !== "bool") return;
  const covered = view.shape.slice(dim, dim + mask.ndim);
  if (shapeText(covered) === shapeText(mask.shape)) return;
  throw new RangeError(
    `The mask has shape ${shapeText(mask.shape)}, and what it masks has shape ${shapeText(covered)}.`,
  );
}

export function at(tensor: Tensor, indices: readonly Index[]): Tensor {
  const { view, chosen } = choose(tensor, indices);
  if (chosen.length > 0) return indexBy(view, chosen);
  return view === tensor ? view.alias() : view;
}

/** @param indicesAndValue the indices as `at` takes them, one or several, and the value last */
export function setAt(tensor: Tensor, indicesAndValue: readonly unknown[]): Tensor {
  if (indicesAndValue.length < 2)
    throw new TypeError(
      `setAt takes an index or several, and the value last, as in x.setAt(0, 7) and x.setAt(0, 2, 7); it got ${indicesAndValue.length} ${indicesAndValue.length === 1 ? "argument" : "arguments"}. fill_() and copy_() write all elements.`,
    );
  const value = indicesAndValue.at(-1) as Tensor | Scalar;
  const { view, chosen } = choose(tensor, indicesAndValue.slice(0, -1) as Index[]);
  if (native.isTensor(value)) requireCast(value, tensor.dtype, chosen);
  if (chosen.length > 0) indexPut(view, chosen, readValue(tensor, value));
  else if (!native.isTensor(value)) view.fill_(requireScalar(value));
  else if (value.ndim === 0) view.copy_(value);
  else view.copy_(withoutLeadingOnes(value, view));
  return tensor;
}

/**
 * PyTorch converts what it copies into a view, and one value where a mask is true; at chosen elements it refuses values of
 * another dtype. Those that promote to the tensor's are converted here: JavaScript's [1, 2] may be meant as floating.
 */
function requireCast(value: Tensor, dtype: DType, chosen: readonly (Tensor | null)[]): void {
  const isFilled = chosen.every((one) => one === null || one.dtype === "bool") && value.numel() === 1;
  const isCopied = (chosen.length === 0 || isFilled) && !isComplexDType(value.dtype);
  if (isCopied || promoteTypes(value.dtype, dtype) === dtype) return;
  throw new TypeError(
    `Values of ${value.dtype} do not go into a tensor of ${dtype} without loss: value.to("${dtype}") converts them.`,
  );
}

/** Converts a value for `index_put_`, which takes the tensor's own dtype only. */
function readValue(tensor: Tensor, value: Tensor | Scalar): Tensor {
  if (!native.isTensor(value)) return tensor.newEmpty([]).fill_(requireScalar(value));
  const { dtype, device } = tensor;
  return value.ndim === 0 ? value.to({ dtype, device }) : withoutLeadingOnes(value).to({ dtype });
}

/** `[1, 1, 3]` fits a part of shape `[3]`, as in PyTorch, though it does not broadcast to it. */
function withoutLeadingOnes(value: Tensor, part?: Tensor): Tensor {
  const { shape } = value;
  const first = shape.findIndex((size) => size !== 1);
  const sizes = first < 0 ? [] : shape.slice(first);
  if (part !== undefined && !broadcasts(sizes, part.shape)) {
    throw new RangeError(
      `A value of shape ${shapeText(shape)} does not fit a part of shape ${shapeText(part.shape)}.`,
    );
  }
  return first === 0 ? value : value.reshape(sizes);
}

function broadcasts(sizes: readonly number[], target: readonly number[]): boolean {
  const skipped = target.length - sizes.length;
  return skipped >= 0 && sizes.every((size, at) => size === 1 || size === target[skipped + at]);
}

function requireScalar(value: unknown): Scalar {
  const complex = typeof value === "object" && value !== null && "re" in value && "im" in value;
  if (complex || ["number", "bigint", "boolean"].includes(typeof value)) return value as Scalar;
  const way = isList(value) ? ": torch.tensor() makes one of an array" : "";
  throw new TypeError(
    `What is written is a tensor, a number, a boolean, a bigint or { re, im }, not ${describe(value)}${way}.`,
  );
}
