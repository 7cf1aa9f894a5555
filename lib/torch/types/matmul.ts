// Products of matrices: which shapes fit, and what comes of them (`torch.matmul` and its like). Pure types.
import type { DType } from "../native.ts";
import type { Broadcast, BroadcastProblem } from "./broadcast.ts";
import type { Ranked, ShapeText, SizeText } from "./known.ts";
import type { DeviceProblem } from "./place.ts";
import type { Demand, Fine, FirstOf } from "./refusal.ts";
import type { MayEqual } from "./size.ts";
import type { DTypeOf, ShapeOf } from "./tensor_of.ts";

/** A product promotes nothing: `float32` and `float32` -> `float32`. Autocast may make one of two, so two refuse nothing. */
export type ProductDType<A, B> =
  DTypeOf<A> extends DTypeOf<B> ? DTypeOf<A> : DTypeOf<B> extends DTypeOf<A> ? DTypeOf<B> : DType;

/** The size that is summed over: the last of the first, the last but one of the second, or its only one. */
type Inner<S> = S extends readonly [...unknown[], infer Last] ? Last : number;
type Rows<T> = T extends readonly [infer Only]
  ? Only
  : T extends readonly [...unknown[], infer Row, unknown]
    ? Row
    : number;

/** Dimensions before the matrix. */
type Batch<S> = S extends readonly [...infer Leading extends number[], number, number] ? Leading : [];

/** Why `a.matmul(b)` is refused, or "". Shapes that are not known refuse nothing, devices included. */
export type MatmulProblem<Operator extends string, A, B> = ProductProblem<
  Operator,
  ShapeOf<A>,
  ShapeOf<B>,
  A,
  B
>;

type ProductProblem<Operator extends string, S, T, A, B> = S extends Ranked
  ? T extends Ranked
    ? FirstOf<
        LoneValueProblem<Operator, S>,
        FirstOf<
          LoneValueProblem<Operator, T>,
          FirstOf<
            InnerProblem<Operator, S, T>,
            FirstOf<BroadcastProblem<Operator, Batch<S>, Batch<T>>, DeviceProblem<Operator, A, B>>
          >
        >
      >
    : Fine
  : Fine;

type LoneValueProblem<Operator extends string, S> = S extends readonly []
  ? `${Operator}: a tensor without dimensions is no matrix; mul() multiplies by a value`
  : Fine;

/** `[2, 3]` and `[5, 4]` -> a sentence; `[2, 3]` and `[3, 4]` -> "" */
type InnerProblem<Operator extends string, S, T> = Demand<
  MayEqual<Inner<S>, Rows<T>>,
  `${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not fit: ${SizeText<Inner<S>>} columns meet ${SizeText<Rows<T>>} rows`
>;

/** `[2, 3]` and `[3, 4]` -> `[2, 4]`; `[3]` and `[3]` -> `[]`; `[8, 1, 2, 3]` and `[5, 3, 4]` -> `[8, 5, 2, 4]` */
type ProductShape<S, T> = S extends Ranked
  ? T extends Ranked
    ? S extends readonly [number]
      ? T extends readonly [number]
        ? []
        : T extends readonly [...infer Leading, number, infer Columns]
          ? [...Leading, Columns]
          : number[]
      : T extends readonly [number]
        ? S extends readonly [...infer Leading, number]
          ? Leading
          : number[]
        : [S, T] extends [
              readonly [...unknown[], infer Row, number],
              readonly [...unknown[], number, infer Columns],
            ]
          ? Broadcast<Batch<S>, Batch<T>> extends infer Leading extends readonly unknown[]
            ? [...Leading, Row, Columns]
            : number[]
          : number[]
    : number[]
  : number[];

export type MatmulShape<A, B> = ProductShape<ShapeOf<A>, ShapeOf<B>>;

/** `mm` and `bmm` take tensors of so many dimensions and no others. */
type RankProblem<Operator extends string, S, Wanted extends number> = S extends Ranked
  ? Demand<
      MayEqual<S["length"], Wanted>,
      `${Operator}: ${ShapeText<S>} has ${S["length"]} dimensions, not ${Wanted}; matmul() takes any number`
    >
  : Fine;

/** `a.mm(b)` with 2 dimensions, `a.bmm(b)` with 3, whose batches are equal. */
export type PlainProductProblem<Operator extends string, Rank extends number, A, B> = FirstOf<
  RankProblem<Operator, ShapeOf<A>, Rank>,
  FirstOf<
    RankProblem<Operator, ShapeOf<B>, Rank>,
    FirstOf<BatchProblem<Operator, ShapeOf<A>, ShapeOf<B>>, MatmulProblem<Operator, A, B>>
  >
>;

type BatchProblem<Operator extends string, S, T> = S extends readonly [infer BatchOfS, number, number]
  ? T extends readonly [infer BatchOfT, number, number]
    ? Demand<
        MayEqual<BatchOfS, BatchOfT>,
        `${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not fit: batches of ${SizeText<BatchOfS>} and ${SizeText<BatchOfT>}`
      >
    : Fine
  : Fine;

/** `F.linear(x, weight)`: x of `[..., in]`, the weight of `[out, in]`. */
export type LinearProblem<S, W> = S extends readonly [...unknown[], infer Features]
  ? W extends readonly [number, infer In]
    ? Demand<
        MayEqual<Features, In>,
        `linear: ${ShapeText<S>} and a weight of ${ShapeText<W>} do not fit: ${SizeText<Features>} features meet ${SizeText<In>}`
      >
    : Fine
  : Fine;

/** `[64, 784]` by `[10, 784]` -> `[64, 10]` */
export type LinearShape<S, W> = S extends readonly [...infer Leading, number]
  ? W extends readonly [infer Out, number]
    ? [...Leading, Out]
    : number[]
  : number[];
