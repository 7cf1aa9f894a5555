// libtorch's kernels over lists of tensors under readable names: one call for all parameters of a device and dtype. Those
// whose name ends in `_` write into their first list; the others make lists that the step's scope frees.
import { ops } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

export type List = readonly Tensor[];
/** One number for all, or one for each. */
export type Numbers = number | readonly number[];

const { aten } = ops;
const kernel = (name: string) => aten[`_foreach_${name}`]!;
const names = {
  add: kernel("add"),
  add_: kernel("add_"),
  addcdiv_: kernel("addcdiv_"),
  addcmul: kernel("addcmul"),
  addcmul_: kernel("addcmul_"),
  clampMax_: kernel("clamp_max_"),
  clampMin_: kernel("clamp_min_"),
  copy_: kernel("copy_"),
  abs: kernel("abs"),
  div: kernel("div"),
  div_: kernel("div_"),
  lerp_: kernel("lerp_"),
  maximum_: kernel("maximum_"),
  mul: kernel("mul"),
  mul_: kernel("mul_"),
  neg: kernel("neg"),
  sign: kernel("sign"),
  sqrt: kernel("sqrt"),
  sqrt_: kernel("sqrt_"),
};

export const add = (a: List, b: List, alpha = 1) => names.add["List"]!<Tensor[]>(a, b, { alpha });
export const add_ = (a: List, b: List, alpha = 1) => names.add_["List"]!(a, b, { alpha });
export const addNumber = (a: List, b: number) => names.add["Scalar"]!<Tensor[]>(a, b);
export const addNumber_ = (a: List, b: number) => names.add_["Scalar"]!(a, b);
/** a += value * b / c */
export const addcdiv_ = (a: List, b: List, c: List, value: Numbers) =>
  typeof value === "number"
    ? names.addcdiv_["Scalar"]!(a, b, c, value)
    : names.addcdiv_["ScalarList"]!(a, b, c, value);
/** a + value * b * c */
export const addcmul = (a: List, b: List, c: List, value: number) =>
  names.addcmul["Scalar"]!<Tensor[]>(a, b, c, value);
/** a += value * b * c */
export const addcmul_ = (a: List, b: List, c: List, value: number) =>
  names.addcmul_["Scalar"]!(a, b, c, value);
export const abs = (a: List) => names.abs["default"]!<Tensor[]>(a);
export const clamp_ = (a: List, least: number, most: number) => {
  names.clampMin_["Scalar"]!(a, least);
  names.clampMax_["Scalar"]!(a, most);
};
export const copy_ = (a: List, b: List) => names.copy_["default"]!(a, b);
export const div_ = (a: List, b: List) => names.div_["List"]!(a, b);
export const divNumbers = (a: List, b: readonly number[]) => names.div["ScalarList"]!<Tensor[]>(a, b);
/** a += weight * (b - a) */
export const lerp_ = (a: List, b: List, weight: number) => names.lerp_["Scalar"]!(a, b, weight);
export const maximum_ = (a: List, b: List) => names.maximum_["List"]!(a, b);
export const mul = (a: List, b: List) => names.mul["List"]!<Tensor[]>(a, b);
export const mul_ = (a: List, b: List) => names.mul_["List"]!(a, b);
export const mulNumber_ = (a: List, b: Numbers) =>
  typeof b === "number" ? names.mul_["Scalar"]!(a, b) : names.mul_["ScalarList"]!(a, b);
export const neg = (a: List) => names.neg["default"]!<Tensor[]>(a);
export const sign = (a: List) => names.sign["default"]!<Tensor[]>(a);
export const sqrt = (a: List) => names.sqrt["default"]!<Tensor[]>(a);
export const sqrt_ = (a: List) => names.sqrt_["default"]!(a);
