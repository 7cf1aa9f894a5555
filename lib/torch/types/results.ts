// Types the results of an operator that returns `values` and `indices`: a list of both that also has them by name.
// Results of other names are a tuple and an object at once; `native/codegen/signatures.ts` writes these. Here that
// would fail: arrays have a method `values`, and an intersection would make a tensor of it that is also a method.
import type { Tensor as AnyTensor } from "./shown.ts";
import type { Tensor as TensorInterface } from "./tensor.ts";

/** Declares the methods that return the list itself again. */
interface ListOfTensors extends Omit<
  AnyTensor[],
  "length" | "values" | "copyWithin" | "fill" | "reverse" | "sort"
> {
  copyWithin(target: number, start: number, end?: number): this;
  fill(value: AnyTensor, start?: number, end?: number): this;
  reverse(): this;
  sort(compare?: (a: AnyTensor, b: AnyTensor) => number): this;
}

/**
 * `x.max(1)`: a list, `const [values, indices] = x.max(1)`, that has its elements by name, `x.max(1).values`, as
 * PyTorch's named tuples.
 */
export interface ValuesAndIndices<out Shape = any, out Type = any, out Device = any> extends ListOfTensors {
  readonly 0: AnyTensor<Shape, Type, Device>;
  readonly 1: AnyTensor<Shape, "int64", Device>;
  readonly length: 2;
  readonly values: Tensor<Shape, Type, Device>;
  readonly indices: AnyTensor<Shape, "int64", Device>;
}

/**
 * Declares a method that lists have. The compiler takes a type with such a method for a list, and so destructures it by
 * position. A call of the method does not compile, because `this` would have to be that text.
 */
interface NoMethod {
  (this: "values is a tensor here, not the method that lists have"): never;
}

/** Has the name by which users know a tensor; apart from that it is the interface in `tensor.ts`. */
export interface Tensor<out Shape, out Type, out Device>
  extends TensorInterface<Shape, Type, Device>, NoMethod {}
