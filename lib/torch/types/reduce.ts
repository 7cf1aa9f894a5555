// Reductions: what `sum(1)`, `mean([0, 2], true)` and their like leave of a shape, and the dtypes of sums. Pure types.
import type { DType } from "../native.ts";
import type { Axis } from "./axis.ts";
import type { Ranked } from "./known.ts";
import type { Integer } from "./promote.ts";
import type { DTypeOf } from "./tensor_of.ts";

/** `[2, 3, 4]` by `1` -> `[2, 4]`, with keepdim `[2, 1, 4]`; by `[0, -1]` -> `[3]`; by null -> `[]` */
export type Reduced<S, Dim, Keep = false> = [Dim] extends [null | undefined]
  ? Keep extends false
    ? []
    : number[]
  : S extends Ranked
    ? boolean extends Keep
      ? number[]
      : Without<S, AxesOf<S, Dim>, Keep>
    : number[];

type AxesOf<S extends Ranked, Dim> = Dim extends number
  ? Axis<S, Dim>
  : Dim extends readonly (infer Each)[]
    ? EachAxis<S, Each>
    : number;

type EachAxis<S extends Ranked, Dim> = Dim extends number ? Axis<S, Dim> : never;

type Without<S extends readonly unknown[], Axes, Keep> = [Axes] extends [never]
  ? S extends readonly []
    ? []
    : number[]
  : number extends Axes
    ? number[]
    : Left<S, Axes, Keep>;

type Left<S, Axes, Keep, At extends unknown[] = [], Done extends unknown[] = []> = S extends readonly [
  infer First,
  ...infer Rest,
]
  ? At["length"] extends Axes
    ? Left<Rest, Axes, Keep, [...At, 0], Keep extends true ? [...Done, 1] : Done>
    : Left<Rest, Axes, Keep, [...At, 0], [...Done, First]>
  : Done;

/** Of a sum, a product: masks and integers add up as int64. */
export type SumDType<A> =
  DType extends DTypeOf<A> ? DType : DTypeOf<A> extends Integer | "bool" ? "int64" : DTypeOf<A>;
