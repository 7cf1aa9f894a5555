// Computes the shapes that `sum(1)`, `mean([0, 2], true)` and similar reductions return, and the dtypes of sums.
import type { DType } from "../vocabulary/dtype.ts";
import type { Resized, Without } from "./axis.ts";
import type { Integer } from "./promote.ts";
import type { DTypeOf } from "./tensor_of.ts";
import type { TextOf } from "./arithmetic/text.ts";

/** `[2, 3, 4]` by `1` -> `[2, 4]`, with keepdim `[2, 1, 4]`; by `[0, -1]` -> `[3]`; by null -> `[]` */
export type Reduced<S, Dim, Keep = false> = number extends Dim
  ? null
  : boolean extends Keep
    ? null
    : Dim extends null | undefined
      ? Keep extends false
        ? ""
        : null
      : Dim extends number
        ? ByOne<S, Dim, Keep>
        : ByEach<S, TextOf<Dim>, Keep>;

type ByOne<S, Dim, Keep> = S extends "" ? "" : Keep extends true ? Resized<S, Dim, "1"> : Without<S, Dim>;

/** Each dimension is marked before any is removed, so that the others keep their numbers. */
type ByEach<S, Dims, Keep> = Dims extends `${infer Dim extends number},${infer Rest}`
  ? ByEach<Resized<S, Dim, "gone">, Rest, Keep>
  : Dims extends ""
    ? Unmarked<S, Keep extends true ? "1," : "">
    : null;

type Unmarked<S, As extends string, Done extends string = ""> = S extends `${infer First},${infer Rest}`
  ? Unmarked<Rest, As, First extends "gone" ? `${Done}${As}` : `${Done}${First},`>
  : S extends ""
    ? Done
    : null;

/** The dtype of a sum or product: masks and integers add up as int64. */
export type SumDType<A> =
  DType extends DTypeOf<A> ? DType : DTypeOf<A> extends Integer | "bool" ? "int64" : DTypeOf<A>;
