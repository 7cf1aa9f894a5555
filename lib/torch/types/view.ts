// Computes the shapes of view, reshape, flatten and squeeze: the same elements in another shape.
import type { Product, Quotient, Remainder } from "./arithmetic/arithmetic.ts";
import type { Cut } from "./axis.ts";
import type { NoProblem } from "./refusal.ts";
import type { GivenSizes } from "./create.ts";
import type { MayEqual, ShapeText } from "./arithmetic/text.ts";

/** `[2, 6]` as `[3, -1]` -> `[3, 4]`; `[number, 28, 28]` as `[-1, 784]` -> `[number, 784]` */
export type Viewed<S, Sizes> = Filled<GivenSizes<Sizes>, S>;

/** Replaces -1 by the size that is left for it. */
type Filled<Sizes, S> = Sizes extends `-1,${infer Rest}`
  ? `${Left<S, Rest>},${Rest}`
  : Sizes extends `${infer Before},-1,${infer Rest}`
    ? `${Before},${Left<S, `${Before},${Rest}`>},${Rest}`
    : Sizes;

type Left<S, Said> = S extends string ? Quotient<Product<S>, Product<Said>> : "?";

/** `[2, 3]` as `[4]` -> "view: [2, 3] has 6 elements, and [4] holds 4" */
export type ViewProblem<Operator extends string, S, Sizes> = S extends string
  ? ElementsProblem<Operator, S, GivenSizes<Sizes>>
  : NoProblem;

type ElementsProblem<Operator extends string, S, Sizes> = Sizes extends `-1,${infer Rest}`
  ? RestProblem<Operator, S, Product<S>, Product<Rest>>
  : Sizes extends `${infer Before},-1,${infer Rest}`
    ? RestProblem<Operator, S, Product<S>, Product<`${Before},${Rest}`>>
    : Sizes extends string
      ? CountProblem<Operator, S, Sizes, Product<S>, Product<Sizes>>
      : NoProblem;

type RestProblem<
  Operator extends string,
  S,
  Has extends string,
  Said extends string,
  May = MayEqual<Remainder<Has, Said>, "0">,
> = May extends true
  ? NoProblem
  : `${Operator}: ${ShapeText<S>} has ${Has} elements, which ${Said} does not divide`;

type CountProblem<
  Operator extends string,
  S,
  Sizes,
  Has extends string,
  Holds extends string,
  May = MayEqual<Has, Holds>,
> = May extends true
  ? NoProblem
  : `${Operator}: ${ShapeText<S>} has ${Has} elements, and ${ShapeText<Sizes>} holds ${Holds}`;

/** `[8, 1, 28, 28]` from 1 -> `[8, 784]`; from 0 -> `[6272]`; `[]` -> `[1]` */
export type Flattened<S, Start = 0, End = -1> = S extends "" ? "1," : Joined<S, Cut<S, Start>, Cut<S, End>>;

/** Joins the sizes before the start, the product up to the end, and the sizes behind it. */
type Joined<S, First, Last> = First extends [infer Before extends string, unknown, unknown]
  ? Last extends [unknown, unknown, infer Behind extends string]
    ? S extends `${Before}${infer Middle}${Behind}`
      ? `${Before}${Product<Middle>},${Behind}`
      : null
    : null
  : null;

/** `[1, 3, 1]` -> `[3]`. A size that is not known may be 1. */
export type Squeezed<S, Done extends string = ""> = S extends `${infer First},${infer Rest}`
  ? First extends "?"
    ? null
    : Squeezed<Rest, First extends "1" ? Done : `${Done}${First},`>
  : S extends ""
    ? Done
    : null;

/** `[1, 3]` at 0 -> `[3]`; `[2, 3]` at 0 -> `[2, 3]` */
export type SqueezedAt<S, Dim> = S extends "" ? "" : SqueezedCut<S, Cut<S, Dim>>;

type SqueezedCut<S, Found> = Found extends [
  infer Before extends string,
  infer At,
  infer Behind extends string,
]
  ? At extends "1"
    ? `${Before}${Behind}`
    : At extends "?"
      ? null
      : S
  : null;
