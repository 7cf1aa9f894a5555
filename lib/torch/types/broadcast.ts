// Shapes that an element-wise operator makes one of (https://pytorch.org/docs/stable/notes/broadcasting.html). Pure
// types.
import type { Ranked, ShapeText, SizeText } from "./known.ts";
import type { ElementwiseDeviceProblem } from "./place.ts";
import type { ShapeOf } from "./tensor_of.ts";
import type { Demand, Fine, FirstOf } from "./refusal.ts";
import type { MayEqual } from "./size.ts";

/** `[2, 3]` and `[3]` -> `[2, 3]`; `[2, 1]` and `[1, 4]` -> `[2, 4]`; `[number, 3]` and `[3]` -> `[number, 3]` */
export type Broadcast<S, T> = S extends Ranked ? (T extends Ranked ? Aligned<S, T> : number[]) : number[];

/** From the last dimension to the first. */
type Aligned<
  S extends readonly unknown[],
  T extends readonly unknown[],
  Done extends readonly unknown[] = [],
> = S extends readonly [...infer SRest, infer SLast]
  ? T extends readonly [...infer TRest, infer TLast]
    ? Aligned<SRest, TRest, [Stretched<SLast, TLast>, ...Done]>
    : [...S, ...Done]
  : [...T, ...Done];

/** `1` and `4` -> `4`; `number` and `4` -> `4`, which it must be if it is not 1; `number` and `1` -> `number` */
type Stretched<A, B> = A extends 1 ? B : B extends 1 ? A : number extends A ? B : A;

/** `[2, 3]` and `[4]` -> "add: [2, 3] and [4] do not broadcast: 3 is neither 1 nor 4" */
export type BroadcastProblem<Operator extends string, S, T> = S extends Ranked
  ? T extends Ranked
    ? Unstretched<`${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not broadcast`, S, T>
    : Fine
  : Fine;

/** From the last dimension to the first, as long as both have one. */
type Unstretched<Sentence extends string, S, T> = S extends readonly [...infer SRest, infer SLast]
  ? T extends readonly [...infer TRest, infer TLast]
    ? FirstOf<
        Demand<
          MayStretch<SLast, TLast>,
          `${Sentence}: ${SizeText<SLast>} is neither 1 nor ${SizeText<TLast>}`
        >,
        Unstretched<Sentence, SRest, TRest>
      >
    : Fine
  : Fine;

type MayStretch<A, B> = A extends 1 ? true : B extends 1 ? true : MayEqual<A, B>;

/** Why `a + b` is refused, or "". A number goes with every tensor. */
export type ElementwiseProblem<Operator extends string, A, B> = FirstOf<
  BroadcastProblem<Operator, ShapeOf<A>, ShapeOf<B>>,
  ElementwiseDeviceProblem<Operator, A, B>
>;

/** The shape of `a + b`. */
export type BroadcastShape<A, B> = Broadcast<ShapeOf<A>, ShapeOf<B>>;
