// Refuses floating-point indices of rows, and computes the shape of the selected rows.
import type { Float } from "./promote.ts";
import type { NoProblem } from "./refusal.ts";
import type { DTypeOf, ShapeOf } from "./tensor_of.ts";

/** `"float32"` -> a sentence. A tensor of unknown shape has no problem: see `refusal.ts`. */
export type IndexProblem<Operator extends string, A> = IndexSentence<Operator, ShapeOf<A>, DTypeOf<A>>;

export type IndexSentence<Operator extends string, S, Type> = S extends string
  ? Type extends Float
    ? `${Operator}: indices are int64 or int32, not ${Type}; .long() converts them`
    : NoProblem
  : NoProblem;

/** Indices of `[2, 5]` into rows of `[100, 16]` -> `[2, 5, 16]` */
export type RowsShape<Indices, Weight> = Rows<ShapeOf<Indices>, ShapeOf<Weight>>;

type Rows<S, W> = S extends string ? (W extends `${string},${infer Size}` ? `${S}${Size}` : null) : null;
