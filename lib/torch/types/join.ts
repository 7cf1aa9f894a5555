// Several tensors made one: cat and stack. Pure types. An array, whose length is not known, gives an unknown size.
import type { DeviceName, DType } from "../native.ts";
import type { Plus } from "./arithmetic.ts";
import type { Inserted, Resized, SizeAt } from "./axis.ts";
import type { Ranked, ShapeText } from "./known.ts";
import type { Demand, Fine, FirstOf } from "./refusal.ts";
import type { MayEqual } from "./size.ts";
import type { DeviceOf, DTypeOf, ShapeOf } from "./tensor_of.ts";

/** `[2, 3]` and `[4, 3]` along 0 -> `[6, 3]` */
export type CatShape<Tensors, Dim> = Tensors extends readonly [infer First, ...infer Rest]
  ? Rest extends readonly []
    ? Skipped<ShapeOf<First>>
    : CatShape<Rest, Dim> extends infer Others
      ? [Skipped<ShapeOf<First>>, Others] extends [Ranked, Ranked]
        ? Resized<ShapeOf<First>, Dim, Plus<SizeAt<ShapeOf<First>, Dim>, SizeAt<Others, Dim>>>
        : number[]
      : number[]
  : number[];

/** Each with the one after it: their sizes must be the same, but along the dimension. PyTorch skips those of `[0]`. */
export type CatProblem<Tensors, Dim> = Tensors extends readonly [infer First, infer Second, ...infer Rest]
  ? FirstOf<
      PairProblem<Skipped<ShapeOf<First>>, Skipped<ShapeOf<Second>>, Dim>,
      CatProblem<[Second, ...Rest], Dim>
    >
  : Fine;

type Skipped<S> = S extends readonly [0] ? number[] : S;

type PairProblem<S, T, Dim> = S extends readonly [number, ...number[]]
  ? T extends readonly [number, ...number[]]
    ? number extends Dim
      ? Fine
      : Demand<
          AllMayEqual<Resized<S, Dim, 0>, Resized<T, Dim, 0>>,
          `cat: ${ShapeText<S>} and ${ShapeText<T>} differ elsewhere than in dim ${Dim & number}`
        >
    : Fine
  : Fine;

type AllMayEqual<S, T> = S extends readonly [infer First, ...infer Rest]
  ? T extends readonly [infer Other, ...infer Others]
    ? MayEqual<First, Other> extends true
      ? AllMayEqual<Rest, Others>
      : false
    : false
  : T extends readonly [unknown, ...unknown[]]
    ? false
    : true;

/** Two of `[2, 3]` along 0 -> `[2, 2, 3]` */
export type StackShape<Tensors, Dim> = Tensors extends readonly [infer First, ...unknown[]]
  ? Inserted<ShapeOf<First>, Dim, Tensors extends readonly unknown[] ? Tensors["length"] : number>
  : number[];

/** Like `cat`'s, with all sizes the same. */
export type StackProblem<Tensors> = Tensors extends readonly [infer First, infer Second, ...infer Rest]
  ? FirstOf<EqualProblem<ShapeOf<First>, ShapeOf<Second>>, StackProblem<[Second, ...Rest]>>
  : Fine;

type EqualProblem<S, T> = S extends Ranked
  ? T extends Ranked
    ? Demand<AllMayEqual<S, T>, `stack: ${ShapeText<S>} and ${ShapeText<T>} are not the same shape`>
    : Fine
  : Fine;

/** What all have in common, and else everything. */
export type SharedDType<Tensors> = Tensors extends readonly (infer Each)[]
  ? Alike<DTypeOf<Each>, DType>
  : DType;
export type SharedDevice<Tensors> = Tensors extends readonly (infer Each)[]
  ? Alike<DeviceOf<Each>, DeviceName>
  : DeviceName;

/** One name, and of several everything: `"float32"` -> `"float32"`; `"float32" | "int64"` -> `DType` */
type Alike<Names, All, Each = Names> = Each extends unknown ? ([Names] extends [Each] ? Names : All) : never;
