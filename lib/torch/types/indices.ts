// Declares the indices that `x.at(...)` and `x.setAt(...)` accept.
import type { Slice } from "../vocabulary/slice.ts";
import type { Tensor } from "./shown.ts";

/** Indices of elements, or a mask, as nested arrays. */
export type IndexList = readonly (number | bigint | boolean | IndexList)[];

/**
 * A number takes one element of a dimension, a slice part of it, `"..."` skips dimensions, null adds one of size 1;
 * a tensor or an array of whole numbers chooses elements, one of booleans keeps those that are true.
 */
export type Index =
  | number
  | bigint
  | Slice
  | "..."
  | null
  | boolean
  | Tensor
  | IndexList
  | BigInt64Array
  | Int32Array;
