// The same elements in another shape: view, reshape, flatten, squeeze. Pure types.
import type { Divide, Product, Times } from "./arithmetic.ts";
import type { Axis, Resized } from "./axis.ts";
import type { Ranked, ShapeText } from "./known.ts";
import type { Demand, Fine } from "./refusal.ts";
import type { MayEqual } from "./size.ts";

/** `[2, 6]` as `[3, -1]` -> `[3, 4]`; `[number, 28, 28]` as `[-1, 784]` -> `[number, 784]` */
export type Viewed<S, Sizes> = Sizes extends readonly number[]
  ? number extends Sizes["length"]
    ? number[]
    : Filled<Sizes, S extends Ranked ? Divide<Product<S>, Product<Others<Sizes>>>[0] : number>
  : number[];

/** The sizes that are said: all but -1. */
type Others<Sizes extends readonly unknown[]> = Sizes extends readonly [infer First, ...infer Rest]
  ? First extends -1
    ? Others<Rest>
    : [First, ...Others<Rest>]
  : [];

type Filled<Sizes extends readonly unknown[], Size> = Sizes extends readonly [infer First, ...infer Rest]
  ? [First extends -1 ? Size : First, ...Filled<Rest, Size>]
  : [];

/** `[2, 3]` as `[4]` -> "view: [2, 3] has 6 elements, and [4] holds 4" */
export type ViewProblem<Operator extends string, S, Sizes> = S extends Ranked
  ? Sizes extends readonly number[]
    ? number extends Sizes["length"]
      ? Fine
      : -1 extends Sizes[number]
        ? Demand<
            MayEqual<Divide<Product<S>, Product<Others<Sizes>>>[1], 0>,
            `${Operator}: ${ShapeText<S>} has ${Product<S> & number} elements, which ${Product<Others<Sizes>> & number} does not divide`
          >
        : Demand<
            MayEqual<Product<S>, Product<Sizes>>,
            `${Operator}: ${ShapeText<S>} has ${Product<S> & number} elements, and ${ShapeText<Sizes>} holds ${Product<Sizes> & number}`
          >
    : Fine
  : Fine;

/** `[8, 1, 28, 28]` from 1 -> `[8, 784]`; from 0 -> `[6272]`; `[]` -> `[1]` */
export type Flattened<S, Start = 0, End = -1> = S extends readonly []
  ? [1]
  : S extends Ranked
    ? number extends Axis<S, Start> | Axis<S, End>
      ? number[]
      : Joined<S, Axis<S, Start>, Axis<S, End>>
    : number[];

/** From left to right: before the start as they are, up to the end multiplied, then as they are. */
type Joined<
  S extends readonly unknown[],
  Start,
  End,
  At extends unknown[] = [],
  Done extends unknown[] = [],
  Open = null,
> = S extends readonly [infer First, ...infer Rest]
  ? [Open, At["length"]] extends [null, Start]
    ? Start extends End
      ? [...Done, First, ...Rest]
      : Joined<Rest, Start, End, [...At, 0], Done, First>
    : Open extends null
      ? Joined<Rest, Start, End, [...At, 0], [...Done, First]>
      : At["length"] extends End
        ? [...Done, Times<Open, First>, ...Rest]
        : Joined<Rest, Start, End, [...At, 0], Done, Times<Open, First>>
  : number[];

/** `[1, 3, 1]` -> `[3]`. A size that is not known may be 1. */
export type Squeezed<S> = S extends Ranked
  ? number extends S[number]
    ? number[]
    : WithoutOnes<S>
  : number[];

type WithoutOnes<S extends readonly unknown[]> = S extends readonly [infer First, ...infer Rest]
  ? First extends 1
    ? WithoutOnes<Rest>
    : [First, ...WithoutOnes<Rest>]
  : [];

/** `[1, 3]` at 0 -> `[3]`; `[2, 3]` at 0 -> `[2, 3]` */
export type SqueezedAt<S, Dim> = S extends Ranked
  ? [Dim] extends [number]
    ? SqueezedAxis<S, Dim>
    : number[]
  : number[];

type SqueezedAxis<S extends readonly unknown[], Dim> = number extends Dim
  ? number[]
  : Resized<S, Dim, "gone"> extends infer Marked
    ? number extends S[Axis<S, Dim> & keyof S]
      ? number[]
      : S[Axis<S, Dim> & keyof S] extends 1
        ? Unmarked<Marked>
        : S
    : number[];

type Unmarked<S> = S extends readonly [infer First, ...infer Rest]
  ? First extends "gone"
    ? Rest
    : [First, ...Unmarked<Rest>]
  : [];
