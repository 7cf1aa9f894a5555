// Rows by index: which dtypes are indices, and the shape that comes of them. Pure types.
import type { Ranked } from "./known.ts";
import type { Float } from "./promote.ts";
import type { Fine } from "./refusal.ts";
import type { DTypeOf, ShapeOf } from "./tensor_of.ts";

/** `"float32"` -> a sentence. Of a tensor of unknown shape nothing is said: see `refusal.ts`. */
export type IndexProblem<Operator extends string, A> = FloatingProblem<Operator, ShapeOf<A>, DTypeOf<A>>;

type FloatingProblem<Operator extends string, S, Type> = S extends Ranked
  ? [Type] extends [Float]
    ? `${Operator}: indices are int64 or int32, not ${Type}; .long() converts them`
    : Fine
  : Fine;

/** Indices of `[2, 5]` into rows of `[100, 16]` -> `[2, 5, 16]` */
export type RowsShape<Indices, Weight> =
  ShapeOf<Indices> extends infer S extends unknown[]
    ? ShapeOf<Weight> extends [number, infer Size]
      ? number extends S["length"]
        ? number[]
        : [...S, Size]
      : number[]
    : number[];
