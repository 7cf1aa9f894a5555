// Finds dimensions by number, negative ones from the end, and computes shapes with a dimension removed, inserted or
// exchanged. An unknown dimension makes the whole shape unknown.
import type { GivenSizes } from "./create.ts";
import type { NoProblem } from "./refusal.ts";
import type { Dimensioned, Rank, Reversed, ShapeText } from "./arithmetic/text.ts";

/**
 * Splits a shape at a dimension: `1` of "2,3,4," -> `["2,", "3", "4,"]`, the sizes before, its size, the sizes after.
 * "none" if there is no such dimension, null if the shape or the dimension is not known.
 */
export type Cut<S, Dim> = CutText<S, Dim extends number ? (number extends Dim ? "?" : `${Dim}`) : "?">;

type CutText<S, Dim> = Dim extends "?"
  ? null
  : Dim extends `-${infer Behind}`
    ? CutBehind<Reversed<S>, Behind>
    : CutBefore<S, Dim>;

type CutBefore<S, Dim, Before extends string = ""> = S extends `${infer First},${infer Rest}`
  ? Dim extends "0"
    ? [Before, First, Rest]
    : CutBefore<Rest, Dim extends keyof Less ? Less[Dim] : null, `${Before}${First},`>
  : S extends ""
    ? "none"
    : null;

type CutBehind<S, Dim, Behind extends string = ""> = S extends `${infer Last},${infer Rest}`
  ? Dim extends "1"
    ? [Reversed<Rest>, Last, Behind]
    : CutBehind<Rest, Dim extends keyof Less ? Less[Dim] : null, `${Last},${Behind}`>
  : S extends ""
    ? "none"
    : null;

interface Less {
  "1": "0";
  "2": "1";
  "3": "2";
  "4": "3";
  "5": "4";
  "6": "5";
  "7": "6";
  "8": "7";
  "9": "8";
}

/** `2` of `[4, 5]` -> "sum: dim 2 is none of the 2 dimensions of [4, 5]"; a tensor without dimensions takes 0 and -1 */
export type AxisProblem<Operator extends string, S, Dim> = S extends Dimensioned
  ? Dim extends 0 | -1
    ? NoProblem
    : Dim extends number
      ? NoAxisProblem<Operator, S, Dim, Cut<S, Dim>>
      : NoProblem
  : NoProblem;

type NoAxisProblem<Operator extends string, S, Dim extends number, Found> = Found extends "none"
  ? `${Operator}: dim ${Dim} is none of the ${Rank<S>} dimensions of ${ShapeText<S>}`
  : NoProblem;

/** `[2, 3]`, `1`, `1` -> `[2, 1, 3]`. The dimension that is added counts: `-1` -> `[2, 3, 1]` */
export type Inserted<S, Dim, Added extends string = "1"> = S extends string
  ? Cut<`${S}1,`, Dim> extends [
      infer Before extends string,
      infer At extends string,
      infer Behind extends string,
    ]
    ? `${At},${Behind}` extends `${infer Kept}1,`
      ? `${Before}${Added},${Kept}`
      : null
    : null
  : null;

/** `[2, 3, 4]`, `1`, "7" -> `[2, 7, 4]` */
export type Resized<S, Dim, To extends string> = Put<Cut<S, Dim>, `${To},`>;

/** `[2, 3, 4]`, `1` -> `[2, 4]` */
export type Without<S, Dim> = Put<Cut<S, Dim>, "">;

type Put<Found, What extends string> = Found extends [
  infer Before extends string,
  unknown,
  infer Behind extends string,
]
  ? `${Before}${What}${Behind}`
  : null;

/** `[2, 3, 4]`, `0` -> "2" */
export type SizeAt<S, Dim> = SizeOf<Cut<S, Dim>>;

type SizeOf<Found> = Found extends [string, infer At extends string, string] ? At : "?";

/** `[2, 3, 4]`, `0`, `-1` -> `[4, 3, 2]` */
export type Exchanged<S, A, B> = S extends "" ? "" : Resized<Resized<S, A, SizeAt<S, B>>, B, SizeAt<S, A>>;

/** `[2, 3]` -> `[3, 2]`; of other ranks than 2 `t()` is refused or does nothing */
export type Turned<S> = S extends `${infer Rows},${infer Columns},${infer Rest}`
  ? Rest extends ""
    ? `${Columns},${Rows},`
    : S
  : S;

/** `[2, 3, 4]`, `[2, 0, 1]` -> `[4, 2, 3]` */
export type Permuted<S, Dims> = PermutedBy<S, GivenSizes<Dims>>;

type PermutedBy<S, Dims, Done extends string = ""> = S extends string
  ? Dims extends `${infer Dim},${infer Rest}`
    ? PermutedBy<S, Rest, `${Done}${SizeOf<CutText<S, Dim>>},`>
    : Dims extends ""
      ? Done
      : null
  : null;

/** `[2, 3]`, `[0, 1, 2]` -> a sentence: every dimension is named once */
export type PermuteProblem<Operator extends string, S, Dims> = S extends Dimensioned
  ? RanksProblem<Operator, S, GivenSizes<Dims>>
  : NoProblem;

type RanksProblem<Operator extends string, S, Dims> = Dims extends Dimensioned
  ? UnequalRanksProblem<Operator, S, Rank<S>, Rank<Dims>>
  : NoProblem;

type UnequalRanksProblem<
  Operator extends string,
  S,
  Has extends string,
  Named extends string,
> = Has extends Named
  ? NoProblem
  : `${Operator}: ${ShapeText<S>} has ${Has} dimensions, and ${Named} are named`;
