// Dimensions by number, negative ones from the end, and what taking out, putting in and exchanging them makes of a
// shape. Pure types. A dimension that is not known makes the whole shape unknown.
import type { Ranked, ShapeText } from "./known.ts";
import type { Demand, Fine } from "./refusal.ts";

/** `-1` of `[2, 3]` -> `1`; `number` -> `number`; out of range never */
export type Axis<S extends readonly unknown[], Dim> = number extends Dim
  ? number
  : `${Dim & number}` extends `-${infer Behind}`
    ? FromEnd<S, Behind>
    : `${Dim & number}` extends keyof S
      ? Dim
      : never;

type FromEnd<S extends readonly unknown[], Behind, Passed extends unknown[] = [0]> = S extends readonly [
  ...infer Before,
  unknown,
]
  ? `${Passed["length"]}` extends Behind
    ? Before["length"]
    : FromEnd<Before, Behind, [...Passed, 0]>
  : never;

/** `2` of `[4, 5]` -> "sum: dim 2 is none of the 2 dimensions of [4, 5]"; a tensor without dimensions takes 0 and -1 */
export type AxisProblem<Operator extends string, S, Dim> = S extends readonly [number, ...number[]]
  ? Dim extends number
    ? Demand<
        IsAxis<S, Dim>,
        `${Operator}: dim ${Dim} is none of the ${S["length"]} dimensions of ${ShapeText<S>}`
      >
    : Fine
  : Fine;

type IsAxis<S extends readonly unknown[], Dim> = [Axis<S, Dim>] extends [never] ? false : true;

/** `unsqueeze` and `stack` count the dimension that they add: `-1` of `[2, 3]` -> `2` */
export type NewAxis<S extends readonly unknown[], Dim> = Axis<[...S, 1], Dim>;

/** The sizes before a dimension and those from it on: `1` of `[2, 3, 4]` -> `[[2], [3, 4]]` */
type SplitAt<S extends readonly unknown[], At, Before extends unknown[] = []> = Before["length"] extends At
  ? [Before, S]
  : S extends readonly [infer First, ...infer Rest]
    ? SplitAt<Rest, At, [...Before, First]>
    : never;

/** `[2, 3]`, `1`, `1` -> `[2, 1, 3]` */
export type Inserted<S, Dim, Size = 1> = S extends Ranked
  ? number extends NewAxis<S, Dim>
    ? number[]
    : SplitAt<S, NewAxis<S, Dim>> extends [infer Before extends unknown[], infer After extends unknown[]]
      ? [...Before, Size, ...After]
      : number[]
  : number[];

/** `[2, 3, 4]`, `1`, `7` -> `[2, 7, 4]` */
export type Resized<S, Dim, Size> = S extends Ranked
  ? number extends Axis<S, Dim>
    ? number[]
    : SplitAt<S, Axis<S, Dim>> extends [infer Before extends unknown[], [unknown, ...infer After]]
      ? [...Before, Size, ...After]
      : number[]
  : number[];

/** `[2, 3, 4]`, `0` -> `2` */
export type SizeAt<S, Dim> = S extends Ranked
  ? number extends Axis<S, Dim>
    ? number
    : SplitAt<S, Axis<S, Dim>> extends [unknown, [infer Size, ...unknown[]]]
      ? Size
      : number
  : number;

/** `[2, 3, 4]`, `0`, `-1` -> `[4, 3, 2]` */
export type Exchanged<S, A, B> = S extends readonly []
  ? []
  : Resized<Resized<S, A, SizeAt<S, B>>, B, SizeAt<S, A>>;

/** `[2, 3]` -> `[3, 2]`; of other ranks than 2 `t()` is refused or does nothing */
export type Turned<S> = S extends readonly [infer Rows, infer Columns]
  ? [Columns, Rows]
  : S extends Ranked
    ? S
    : number[];

/** `[2, 3, 4]`, `[2, 0, 1]` -> `[4, 2, 3]` */
export type Permuted<S, Dims> = S extends Ranked
  ? Dims extends readonly [infer First, ...infer Rest]
    ? Rest extends readonly []
      ? [SizeAt<S, First>]
      : Permuted<S, Rest> extends infer Others extends unknown[]
        ? [SizeAt<S, First>, ...Others]
        : number[]
    : number[]
  : number[];

/** `[2, 3]`, `[0, 1, 2]` -> a sentence: every dimension is named once */
export type PermuteProblem<Operator extends string, S, Dims> = S extends readonly [number, ...number[]]
  ? Dims extends readonly [number, ...number[]]
    ? Demand<
        Dims["length"] extends S["length"] ? true : false,
        `${Operator}: ${ShapeText<S>} has ${S["length"]} dimensions, and ${Dims["length"]} are named`
      >
    : Fine
  : Fine;
