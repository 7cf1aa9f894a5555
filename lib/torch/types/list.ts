// Computes the type of `tolist()`: numbers in as many arrays as the tensor has dimensions.
import type { Complex, DType } from "../vocabulary/dtype.ts";

/** "2,3,", "float32" -> `number[][]`; where the dimensions are not known, `any`. */
export type ListOf<Shape, Type> = Shape extends string ? Nested<Shape, ElementOf<Type>> : any;

type Nested<Shape, Element> = Shape extends `${string},${infer Rest}` ? Nested<Rest, Element>[] : Element;

/** int64 and an unknown dtype give `number`, as `item()` does. */
type ElementOf<Type> = DType extends Type
  ? number
  : Type extends "bool"
    ? boolean
    : Type extends `complex${string}`
      ? Complex
      : number;
