// Implements the properties of a tensor, such as `x.shape` and `x.T`. `members.ts` documents them beside the methods.
import type { Tensor } from "../types/index.ts";
import { bytesOf } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";

/** A view that ATen makes without arguments. */
const view = (operator: string) => makeOperator(operator) as (tensor: Tensor) => Tensor;
const transposed = view("numpy_T");
const matrixTransposed = view("mT");
const conjugateTransposed = view("matrix_H");
const matrixConjugateTransposed = view("mH");
const realPart = view("real");
const imaginaryPart = view("imag");

type Described =
  | "shape"
  | "dtype"
  | "device"
  | "layout"
  | "ndim"
  | "length"
  | "itemsize"
  | "nbytes"
  | "isDisposed";
type View = "T" | "mT" | "H" | "mH" | "real" | "imag";

export const properties: Pick<Tensor, Described | View> & ThisType<Tensor> = {
  get shape() {
    return native.shape(this);
  },
  get dtype() {
    return native.dtype(this);
  },
  get device() {
    return native.device(this);
  },
  get layout() {
    return native.layout(this);
  },
  get ndim() {
    return native.dim(this);
  },
  get length() {
    const [first] = native.shape(this);
    if (first === undefined)
      throw new TypeError("A tensor without dimensions has no length; item() reads its value.");
    return first;
  },
  get itemsize() {
    return bytesOf(native.dtype(this));
  },
  get nbytes() {
    return native.numel(this) * bytesOf(native.dtype(this));
  },
  get T() {
    return transposed(this);
  },
  get mT() {
    return matrixTransposed(this);
  },
  get H() {
    return conjugateTransposed(this);
  },
  get mH() {
    return matrixConjugateTransposed(this);
  },
  get real() {
    return realPart(this);
  },
  get imag() {
    return imaginaryPart(this);
  },
  get isDisposed() {
    return native.isDisposed(this);
  },
};
