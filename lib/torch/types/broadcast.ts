// Computes the shape of an element-wise operator's result (https://pytorch.org/docs/stable/notes/broadcasting.html).
import type { ElementwiseDeviceProblem } from "./device_rules.ts";
import type { NoProblem, FirstOf } from "./refusal.ts";
import type { OperandShapeOf, ShapeOf } from "./tensor_of.ts";
import type { MayEqual, Reversed, ShapeText } from "./arithmetic/text.ts";

/** `[2, 3]` and `[3]` -> `[2, 3]`; `[2, 1]` and `[1, 4]` -> `[2, 4]`; `[number, 3]` and `[3]` -> `[number, 3]` */
export type Broadcast<S, T> = S extends T ? S : T extends "" ? S : Aligned<Reversed<S>, Reversed<T>>;

/** Aligns shapes from the last dimension to the first. */
type Aligned<S, T, Done extends string = ""> = S extends `${infer A},${infer SRest}`
  ? T extends `${infer B},${infer TRest}`
    ? Aligned<SRest, TRest, `${Stretched<A, B>},${Done}`>
    : T extends ""
      ? `${Reversed<S>}${Done}`
      : null
  : S extends ""
    ? T extends string
      ? `${Reversed<T>}${Done}`
      : null
    : null;

/** "1" and "4" -> "4"; "?" and "4" -> "4", which it must be if it is not 1; "?" and "1" -> "?" */
type Stretched<A extends string, B extends string> = A extends "1"
  ? B
  : B extends "1"
    ? A
    : A extends "?"
      ? B
      : A;

/** `[2, 3]` and `[4]` -> "add: [2, 3] and [4] do not broadcast: 3 is neither 1 nor 4" */
export type BroadcastProblem<Operator extends string, S, T> = S extends string
  ? T extends string
    ? S extends T | ""
      ? NoProblem
      : T extends ""
        ? NoProblem
        : Unstretched<Operator, S, T, Reversed<S>, Reversed<T>>
    : NoProblem
  : NoProblem;

/** Compares from the last dimension to the first, as long as both shapes have one. */
type Unstretched<Operator extends string, S, T, SBack, TBack> = SBack extends `${infer A},${infer SRest}`
  ? TBack extends `${infer B},${infer TRest}`
    ? MayStretch<A, B> extends true
      ? Unstretched<Operator, S, T, SRest, TRest>
      : `${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not broadcast: ${A} is neither 1 nor ${B}`
    : NoProblem
  : NoProblem;

type MayStretch<A, B> = A extends "1" ? true : B extends "1" ? true : MayEqual<A, B>;

/** Why `a + b` is refused, or "". A number goes with every tensor. */
export type ElementwiseProblem<Operator extends string, A, B> = FirstOf<
  BroadcastProblem<Operator, ShapeOf<A>, OperandShapeOf<B>>,
  ElementwiseDeviceProblem<Operator, A, B>
>;

/** The shape of `a + b`. */
export type BroadcastShape<A, B> = Broadcast<ShapeOf<A>, OperandShapeOf<B>>;
