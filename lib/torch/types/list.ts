// Computes the type of `tolist()`: numbers in as many arrays as the tensor has dimensions.
import type { Complex, DType } from "../vocabulary/dtype.ts";

/** "2,3,", "float32" -> `number[][]`; where the dimensions are not known, `any`. */
export type ListOf<Shape, Type> = Shape extends string ? Nested<Shape, ElementOf<Type>> : any;

type Nested<Shape, Element> = Shape extends `${string},${infer Rest}` ? Nested<Rest, Element>[] : Element;

/** Of int64, and of a dtype that is not known, a number, as `item()` says too. */
type ElementOf<Type> = DType extends Type
  ? number
  : Type extends "bool"
    ? boolean
    : Type extends `complex${string}`
      ? Complex
      : number;
