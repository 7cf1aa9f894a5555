// Checks a loss's target against its input.
import type { Tensor as SomeTensor } from "./some_tensor.ts";
import type { ByName } from "./by_name.ts";
import type { Tensor } from "./shown.ts";
import type { DeviceProblem } from "./device_rules.ts";
import type { NoProblem, FirstOf, Unless } from "./refusal.ts";
import type { ShapeOf } from "./tensor_of.ts";
import type { AllMayEqual, Dimensioned, ShapeText } from "./arithmetic/text.ts";

/** A target has a class index for each item, or the input's own shape. */
export type Fit = "classes" | "same";

/**
 * A loss's options at their places, from the first on: values, or from the second place on all that follows by name. A
 * name that is none of the options is one that PyTorch has given up: null stands there.
 */
export type OptionsAt<Options, Names extends readonly string[]> = Names extends readonly [
  infer First,
  ...infer Rest extends readonly string[],
]
  ? [
      ValueOf<Options, First>,
      ...{ [At in keyof Rest]?: ValueOf<Options, Rest[At]> | Options },
      options?: Options,
    ]
  : [options?: Options];

type ValueOf<Options, Name> = Name extends keyof Options ? Options[Name] | null : null | undefined;

/** A loss as a function. */
export interface Judging<Name extends string, How extends Fit, Options, Names extends readonly string[]> {
  /** Computes the loss of an input and its target, with options by name: a tensor without dimensions unless `reduction` is "none". */
  <
    const A extends SomeTensor,
    const B extends SomeTensor,
    Problem = TargetProblem<Name, How, ShapeOf<A>, ShapeOf<B>, A, B>,
  >(
    input: A,
    target: B & Unless<Problem>,
    options?: Options,
  ): Tensor;
  /** Computes the loss of an input and its target, which stand in one object with the options. */
  <
    const A extends SomeTensor,
    const B extends SomeTensor,
    Problem = TargetProblem<Name, How, ShapeOf<A>, ShapeOf<B>, A, B>,
  >(
    named: ByName & Options & { readonly input: A; readonly target: B & Unless<Problem> },
  ): Tensor;
  /** Computes the loss of an input and its target, with options at their places. */
  <
    const A extends SomeTensor,
    const B extends SomeTensor,
    Problem = TargetProblem<Name, How, ShapeOf<A>, ShapeOf<B>, A, B>,
  >(
    input: A,
    target: B & Unless<Problem>,
    ...options: OptionsAt<Options, Names>
  ): Tensor;
  // The compiler explains the last form.
  <
    const A extends SomeTensor,
    const B extends SomeTensor,
    Problem = TargetProblem<Name, How, ShapeOf<A>, ShapeOf<B>, A, B>,
  >(
    input: A,
    target: B & Unless<Problem>,
    options?: Options,
  ): Tensor;
}

/** A loss as a layer. */
export interface Criterion<Name extends string, How extends Fit> {
  /** Computes the loss of an input and its target: a tensor without dimensions unless `reduction` is "none". */
  <
    const A extends SomeTensor,
    const B extends SomeTensor,
    Problem = TargetProblem<Name, How, ShapeOf<A>, ShapeOf<B>, A, B>,
  >(
    input: A,
    target: B & Unless<Problem>,
    ...others: OthersOf<this>
  ): Tensor;
}

/** Further parameters of `forward` in a class that inherits from a loss. */
type OthersOf<Called> = Called extends { forward(input: any, target: any, ...others: infer Others): any }
  ? Others
  : [];

type TargetProblem<Name extends string, How, S, T, A, B> = S extends Dimensioned
  ? T extends string
    ? FirstOf<
        How extends "same"
          ? ShapesProblem<Name, S, T, AllMayEqual<S, T>>
          : ClassesProblem<Name, S, T, Indices<S>>,
        DeviceProblem<Name, A, B>
      >
    : NoProblem
  : NoProblem;

/** `[64, 10]` -> `[64]`; `[64, 10, 28, 28]` -> `[64, 28, 28]`; `[10]` -> `[]` */
type Indices<S> = S extends `${infer Items},${string},${infer Rest}` ? `${Items},${Rest}` : "";

/** Probabilities, of the input's own shape, are a target too. */
type ClassesProblem<Name extends string, S, T, Wanted, May = AllMayEqual<Wanted, T>> = May extends true
  ? NoProblem
  : AllMayEqual<S, T> extends true
    ? NoProblem
    : `${Name}: an input of shape ${ShapeText<S>} takes class indices of shape ${ShapeText<Wanted>}, got ${ShapeText<T>}`;

type ShapesProblem<Name extends string, S, T, May> = May extends true
  ? NoProblem
  : `${Name}: input and target must have one shape, got ${ShapeText<S>} and ${ShapeText<T>}; reshape one of them`;
