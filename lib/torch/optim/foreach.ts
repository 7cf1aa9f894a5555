// libtorch's kernels over lists of tensors under readable names: one call for all parameters of a device and dtype.
// Names that end in `_` write into their first list; the others return new lists, which the step's scope frees.
import { ops } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

export type List = readonly Tensor[];
/** One number for all, or one for each. */
export type Numbers = number | readonly number[];

const { aten } = ops;

export const add = (a: List, b: List, alpha = 1) => aten._foreach_add.List<Tensor[]>(a, b, { alpha });
export const add_ = (a: List, b: List, alpha = 1) => aten._foreach_add_.List(a, b, { alpha });
export const addNumber = (a: List, b: number) => aten._foreach_add.Scalar<Tensor[]>(a, b);
export const addNumber_ = (a: List, b: number) => aten._foreach_add_.Scalar(a, b);
/** a += value * b / c */
export const addcdiv_ = (a: List, b: List, c: List, value: Numbers) =>
  typeof value === "number"
    ? aten._foreach_addcdiv_.Scalar(a, b, c, value)
    : aten._foreach_addcdiv_.ScalarList(a, b, c, value);
/** a + value * b * c */
export const addcmul = (a: List, b: List, c: List, value: number) =>
  aten._foreach_addcmul.Scalar<Tensor[]>(a, b, c, value);
/** a += value * b * c */
export const addcmul_ = (a: List, b: List, c: List, value: number) =>
  aten._foreach_addcmul_.Scalar(a, b, c, value);
export const abs = (a: List) => aten._foreach_abs.default<Tensor[]>(a);
export const clamp_ = (a: List, min: number, max: number) => {
  aten._foreach_clamp_min_.Scalar(a, min);
  aten._foreach_clamp_max_.Scalar(a, max);
};
export const copy_ = (a: List, b: List) => aten._foreach_copy_.default(a, b);
export const div_ = (a: List, b: List) => aten._foreach_div_.List(a, b);
export const divNumbers = (a: List, b: readonly number[]) => aten._foreach_div.ScalarList<Tensor[]>(a, b);
/** a += weight * (b - a) */
export const lerp_ = (a: List, b: List, weight: number) => aten._foreach_lerp_.Scalar(a, b, weight);
export const maximum_ = (a: List, b: List) => aten._foreach_maximum_.List(a, b);
export const mul = (a: List, b: List) => aten._foreach_mul.List<Tensor[]>(a, b);
export const mul_ = (a: List, b: List) => aten._foreach_mul_.List(a, b);
export const mulNumber_ = (a: List, b: Numbers) =>
  typeof b === "number" ? aten._foreach_mul_.Scalar(a, b) : aten._foreach_mul_.ScalarList(a, b);
export const neg = (a: List) => aten._foreach_neg.default<Tensor[]>(a);
export const sign = (a: List) => aten._foreach_sign.default<Tensor[]>(a);
export const sqrt = (a: List) => aten._foreach_sqrt.default<Tensor[]>(a);
export const sqrt_ = (a: List) => aten._foreach_sqrt_.default(a);
