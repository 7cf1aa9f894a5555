// Checks the shapes of matrix products, and computes their results (`torch.matmul` and similar functions).
import type { DType } from "../vocabulary/dtype.ts";
import type { Broadcast, BroadcastProblem } from "./broadcast.ts";
import type { DeviceProblem } from "./device_rules.ts";
import type { Integer } from "./promote.ts";
import type { NoProblem, FirstOf } from "./refusal.ts";
import type { DTypeOf, ShapeOf } from "./tensor_of.ts";
import type { Dimensioned, MayEqual, Rank, Reversed, ShapeText } from "./arithmetic/text.ts";

/** A product promotes nothing: `float32` and `float32` -> `float32`. */
export type ProductDType<A, B> =
  DTypeOf<A> extends DTypeOf<B> ? DTypeOf<A> : DTypeOf<B> extends DTypeOf<A> ? DTypeOf<B> : DType;

/** Why `a.matmul(b)` is refused, or "". Shapes that are not known refuse nothing, devices included. */
export type MatmulProblem<Operator extends string, A, B> = ProductProblem<
  Operator,
  ShapeOf<A>,
  ShapeOf<B>,
  A,
  B
>;

type ProductProblem<Operator extends string, S, T, A, B> = S extends string
  ? T extends string
    ? "" extends S | T
      ? `${Operator}: a tensor without dimensions is no matrix; mul() multiplies by a value`
      : FirstOf<
          FactorsProblem<Operator, S, T, Reversed<S>, Reversed<T>>,
          FirstOf<DeviceProblem<Operator, A, B>, DTypesProblem<Operator, DTypeOf<A>, DTypeOf<B>>>
        >
    : NoProblem
  : NoProblem;

/** Different dtypes cannot be multiplied. For float32, float16 and bfloat16 autocast may make them equal. */
type DTypesProblem<
  Operator extends string,
  T,
  U,
  AreOne = DType extends T ? true : DType extends U ? true : T extends U ? true : false,
> = AreOne extends true
  ? NoProblem
  : T extends Castable
    ? U extends Castable
      ? NoProblem
      : DTypesSentence<Operator, T, U>
    : DTypesSentence<Operator, T, U>;

type Castable = "float32" | "float16" | "bfloat16";

type DTypesSentence<
  Operator extends string,
  T,
  U,
> = `${Operator}: one tensor is ${T & string}, the other ${U & string}; ${ToFloating<T, U>}`;

/** `int64` and `float32` -> the way that the first becomes the second */
type ToFloating<T, U> = T extends Integer | "bool"
  ? `.to("${U & string}") converts the first`
  : `.to("${T & string}") converts the second`;

/** Compares the summed dimensions, then the dimensions before the matrices: `[2, 3]` and `[5, 4]` -> a sentence. */
type FactorsProblem<
  Operator extends string,
  S,
  T,
  SBack,
  TBack,
> = SBack extends `${infer Inner},${infer SRest}`
  ? TBack extends `${infer Columns},${infer TRest}`
    ? MayEqual<Inner, FirstSize<TRest, Columns>> extends true
      ? BroadcastProblem<Operator, Batch<SRest>, Batch<TRest>>
      : `${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not fit: ${Inner} columns meet ${FirstSize<TRest, Columns>} rows`
    : NoProblem
  : NoProblem;

type FirstSize<S, Otherwise extends string> = S extends `${infer First},${string}` ? First : Otherwise;

/** Dimensions before the matrix, of a shape that is reversed and has lost its columns: "2,8,4," -> "4,8," */
type Batch<Back> = Back extends `${string},${infer Rest}` ? Reversed<Rest> : "";

/** `[2, 3]` and `[3, 4]` -> `[2, 4]`; `[3]` and `[3]` -> `[]`; `[8, 1, 2, 3]` and `[5, 3, 4]` -> `[8, 5, 2, 4]` */
type ProductShape<SBack, TBack> = SBack extends `${string},${infer SRest}`
  ? TBack extends `${infer Columns},${infer TRest}`
    ? TRest extends ""
      ? Reversed<SRest>
      : SRest extends `${infer Rows},${string}`
        ? `${Broadcast<Batch<SRest>, Batch<TRest>> & string}${Rows},${Columns},`
        : `${Batch<TRest> & string}${Columns},`
    : null
  : null;

export type MatmulShape<A, B> = ProductShape<Reversed<ShapeOf<A>>, Reversed<ShapeOf<B>>>;

/** `mm` and `bmm` take tensors of exactly this number of dimensions. */
type RankProblem<Operator extends string, S, Wanted extends string> = S extends string
  ? WrongRankProblem<Operator, S, Rank<S>, Wanted>
  : NoProblem;

type WrongRankProblem<
  Operator extends string,
  S,
  Has extends string,
  Wanted extends string,
> = Has extends Wanted
  ? NoProblem
  : `${Operator}: ${ShapeText<S>} has ${Has} dimensions, not ${Wanted}; matmul() takes any number`;

/** `a.mm(b)` with 2 dimensions, `a.bmm(b)` with 3, whose batches are equal. */
export type PlainProductProblem<Operator extends string, Dims extends string, A, B> = FirstOf<
  RankProblem<Operator, ShapeOf<A>, Dims>,
  FirstOf<
    RankProblem<Operator, ShapeOf<B>, Dims>,
    FirstOf<BatchProblem<Operator, ShapeOf<A>, ShapeOf<B>>, MatmulProblem<Operator, A, B>>
  >
>;

type BatchProblem<Operator extends string, S, T> = S extends `${infer BatchOfS},${string},${string},`
  ? T extends `${infer BatchOfT},${string},${string},`
    ? UnequalProblem<Operator, S, T, BatchOfS, BatchOfT>
    : NoProblem
  : NoProblem;

type UnequalProblem<
  Operator extends string,
  S,
  T,
  A extends string,
  B extends string,
  May = MayEqual<A, B>,
> = May extends true
  ? NoProblem
  : `${Operator}: ${ShapeText<S>} and ${ShapeText<T>} do not fit: batches of ${A} and ${B}`;

/** `F.linear(x, weight)`: x of `[..., in]`, the weight of `[out, in]`. */
export type LinearProblem<A, W> = WeightProblem<ShapeOf<A>, ShapeOf<W>, DTypeOf<A>, DTypeOf<W>>;

type WeightProblem<S, W, T, U> = S extends Dimensioned
  ? W extends `${string},${infer In},${infer More}`
    ? More extends ""
      ? FirstOf<FeaturesProblem<S, W, FirstSize<Reversed<S>, "?">, In>, DTypesProblem<"linear", T, U>>
      : NoProblem
    : NoProblem
  : NoProblem;

type FeaturesProblem<
  S,
  W,
  Features extends string,
  In extends string,
  May = MayEqual<Features, In>,
> = May extends true
  ? NoProblem
  : `linear: ${ShapeText<S>} and a weight of ${ShapeText<W>} do not fit: ${Features} features meet ${In}`;

/** `[64, 784]` by `[10, 784]` -> `[64, 10]` */
export type LinearShape<S, W> =
  Reversed<S> extends `${string},${infer Leading}`
    ? W extends `${infer Out},${string}`
      ? `${Reversed<Leading> & string}${Out},`
      : null
    : null;
