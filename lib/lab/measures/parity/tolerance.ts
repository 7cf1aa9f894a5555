// Defines how far two devices may differ, by dtype and by group of tensors, as data that a user can replace.

import type { DType } from "../../../torch/vocabulary/dtype.ts";
export interface Tolerance {
  /** |a - b| <= absolute + relative * |b|, where b is from the reference device. */
  readonly relative: number;
  readonly absolute: number;
  /**
   * What `relative` refers to: each element of b, or the largest element of the tensor. The latter suits results whose
   * small elements are differences of large rounded ones. Default: "element".
   */
  readonly relativeTo?: "element" | "largest element";
}

/** PyTorch's own: `torch/testing/_comparison.py`, `_DTYPE_PRECISIONS`. */
export const TOLERANCES: Partial<Readonly<Record<DType, Tolerance>>> = {
  float64: { relative: 1e-7, absolute: 1e-7 },
  float32: { relative: 1.3e-6, absolute: 1e-5 },
  float16: { relative: 1e-3, absolute: 1e-5 },
  bfloat16: { relative: 1.6e-2, absolute: 1e-5 },
};

export const GROUPS = [
  "convolution weights",
  "norm statistics",
  "other weights",
  "gradients",
  "reductions",
] as const;
/** `reductions` are the losses: sums over a whole batch. */
export type ParityGroup = (typeof GROUPS)[number];

/**
 * By how many times a dtype's tolerance a group may differ, because orders of summation differ, and errors add up over
 * steps.
 */
export const FACTORS: Readonly<Record<ParityGroup, number>> = {
  "convolution weights": 10,
  "norm statistics": 10,
  "other weights": 10,
  gradients: 10,
  reductions: 10,
};
