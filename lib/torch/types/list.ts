// What `tolist()` gives: numbers in as many arrays as the tensor has dimensions. Pure types.
import type { Complex, DType } from "../dtype.ts";
import type { NestedList } from "../values.ts";

/** "2,3,", "float32" -> `number[][]`; where the dimensions are not known, lists of lists of any depth. */
export type ListOf<Shape, Type> = Shape extends string ? Nested<Shape, ElementOf<Type>> : NestedList;

type Nested<Shape, Element> = Shape extends `${string},${infer Rest}` ? Nested<Rest, Element>[] : Element;

/** Of a dtype that is not known a number, as `item()` says too. */
type ElementOf<Type> = DType extends Type
  ? number
  : Type extends "int64"
    ? number | bigint
    : Type extends "bool"
      ? boolean
      : Type extends `complex${string}`
        ? Complex
        : number;
