// Computes the result of `cat` and `stack`. Looks at up to six tensors; the result of more, or of an array of unknown
// length, is unknown.
import type { DType } from "../vocabulary/dtype.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { Plus } from "./arithmetic/arithmetic.ts";
import type { Inserted, Resized, SizeAt } from "./axis.ts";
import type { NoProblem, FirstOf } from "./refusal.ts";
import type { DeviceOf, DTypeOf, ShapeOf } from "./tensor_of.ts";
import type { AllMayEqual, Dimensioned, ShapeText } from "./arithmetic/text.ts";

/** The shapes of a list: `[2, 3]` and `[4, 3]` -> "2,3,;4,3,;". One unknown shape makes the list unknown. */
type ShapesOf<Tensors> = Tensors extends readonly [infer A, infer B]
  ? Listed<ShapeOf<A>, Listed<ShapeOf<B>>>
  : Tensors extends readonly [infer A, infer B, infer C]
    ? Listed<ShapeOf<A>, Listed<ShapeOf<B>, Listed<ShapeOf<C>>>>
    : Tensors extends readonly [infer A]
      ? Listed<ShapeOf<A>>
      : Tensors extends readonly [infer A, infer B, infer C, infer D]
        ? Listed<ShapeOf<A>, Listed<ShapeOf<B>, Listed<ShapeOf<C>, Listed<ShapeOf<D>>>>>
        : Tensors extends readonly [infer A, infer B, infer C, infer D, infer E]
          ? Listed<ShapeOf<A>, Listed<ShapeOf<B>, ShapesOf<readonly [C, D, E]>>>
          : Tensors extends readonly [infer A, infer B, infer C, infer D, infer E, infer F]
            ? Listed<ShapeOf<A>, Listed<ShapeOf<B>, ShapesOf<readonly [C, D, E, F]>>>
            : null;

type Listed<S, Others = ""> = Others extends string ? `${S extends string ? S : "unknown"};${Others}` : null;

/** `[2, 3]` and `[4, 3]` along 0 -> `[6, 3]` */
export type CatShape<Tensors, Dim> = Together<ShapesOf<Tensors>, Dim>;

/**
 * The first shape grows by the second, and so on. PyTorch skips tensors of shape `[0]`, so the result is unknown if
 * there is one.
 */
type Together<Shapes, Dim> = Shapes extends `${infer First};${infer Rest}`
  ? Rest extends `${infer Second};${infer Others}`
    ? Together<Listed<Resized<Skipped<First>, Dim, Sum<First, Skipped<Second>, Dim>>, Others>, Dim>
    : Known<First>
  : null;

type Known<S> = S extends "unknown" ? null : S;

type Sum<S, T, Dim> = T extends string ? Plus<SizeAt<S, Dim>, SizeAt<T, Dim>> : "?";

type Skipped<S> = S extends "0," | "unknown" ? null : S;

/** Compares each shape with the next: their sizes must be equal except along the dimension. */
export type CatProblem<Tensors, Dim> = number extends Dim
  ? NoProblem
  : NeighboursProblem<ShapesOf<Tensors>, Dim>;

type NeighboursProblem<Shapes, Dim> = Shapes extends `${infer First};${infer Second};${infer Rest}`
  ? FirstOf<PairProblem<Skipped<First>, Skipped<Second>, Dim>, NeighboursProblem<`${Second};${Rest}`, Dim>>
  : NoProblem;

type PairProblem<S, T, Dim> = S extends Dimensioned
  ? T extends Dimensioned
    ? ElsewhereProblem<S, T, Dim, AllMayEqual<Resized<S, Dim, "0">, Resized<T, Dim, "0">>>
    : NoProblem
  : NoProblem;

type ElsewhereProblem<S, T, Dim, May> = May extends true
  ? NoProblem
  : `cat: ${ShapeText<S>} and ${ShapeText<T>} differ elsewhere than in dim ${Dim & number}`;

/** Two of `[2, 3]` along 0 -> `[2, 2, 3]` */
export type StackShape<Tensors, Dim> = Stacked<ShapesOf<Tensors>, Dim>;

type Stacked<Shapes, Dim> = Shapes extends `${infer First};${infer Rest}`
  ? Inserted<Known<First>, Dim, More<Rest>>
  : null;

/** The number of shapes in the list, plus one. */
type More<Shapes, Count extends string = "1"> = Shapes extends `${string};${infer Rest}`
  ? More<Rest, Plus<Count, "1">>
  : Count;

/** The same as for `cat`, with all sizes equal. */
export type StackProblem<Tensors> = SameProblem<ShapesOf<Tensors>>;

type SameProblem<Shapes> = Shapes extends `${infer First};${infer Second};${infer Rest}`
  ? FirstOf<EqualProblem<First, Second>, SameProblem<`${Second};${Rest}`>>
  : NoProblem;

type EqualProblem<S, T> = S extends "unknown"
  ? NoProblem
  : T extends "unknown"
    ? NoProblem
    : DifferentProblem<S, T, AllMayEqual<S, T>>;

type DifferentProblem<S, T, May> = May extends true
  ? NoProblem
  : `stack: ${ShapeText<S>} and ${ShapeText<T>} are not the same shape`;

/** The dtype that all tensors share, otherwise every dtype; `SharedDevice` likewise. */
export type SharedDType<Tensors> = Tensors extends readonly (infer Each)[]
  ? Alike<DTypeOf<Each>, DType>
  : DType;
export type SharedDevice<Tensors> = Tensors extends readonly (infer Each)[]
  ? Alike<DeviceOf<Each>, DeviceName>
  : DeviceName;

/** One name stays; several become the whole type: `"float32"` -> `"float32"`; `"float32" | "int64"` -> `DType` */
type Alike<Names, All, Each = Names> = Each extends unknown ? ([Names] extends [Each] ? Names : All) : never;
