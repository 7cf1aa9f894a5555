// Computes the shape of a part of a tensor, as `x.at(0, null, torch.slice(1, 3))` takes it.
import type { Slice } from "../vocabulary/slice.ts";

/**
 * `[2, 3, 4]` at `0` -> `[3, 4]`; at `(slice, null)` -> `[number, 1, 3, 4]`; at a tensor, an array, or more than four
 * indices: not known
 */
export type PartShape<S, Indices> = Indices extends readonly [infer A]
  ? Whole<Step<Start<S>, A>>
  : Indices extends readonly [infer A, infer B]
    ? Whole<Step<Step<Start<S>, A>, B>>
    : Indices extends readonly [infer A, infer B, infer C]
      ? Whole<Step<Step<Step<Start<S>, A>, B>, C>>
      : Indices extends readonly [infer A, infer B, infer C, infer D]
        ? Whole<Step<Step<Step<Step<Start<S>, A>, B>, C>, D>>
        : Indices extends readonly []
          ? S
          : null;

/** The result's dimensions so far, then the dimensions that are still to be indexed: "1,|28,28," */
type Start<S> = S extends string ? `|${S}` : null;

/** After "..." there is no more to be indexed: "1,28,28,!" */
type Step<State, Index> = State extends `${infer Done}|${infer Rest}`
  ? Index extends null
    ? `${Done}1,|${Rest}`
    : Index extends "..."
      ? `${Done}${Rest}!`
      : Rest extends `${string},${infer More}`
        ? Index extends number | bigint
          ? `${Done}|${More}`
          : Index extends Slice
            ? `${Done}?,|${More}`
            : null
        : null
  : null;

type Whole<State> = State extends `${infer Done}|${infer Rest}`
  ? `${Done}${Rest}`
  : State extends `${infer Done}!`
    ? Done
    : null;
