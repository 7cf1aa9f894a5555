// Max pooling that gives the place of each maximum too, if asked. libtorch has an operator for each of the two.
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkBoolean, isRecord } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";

type Sizes = number | readonly number[];

export interface MaxPoolOptions<Indices extends boolean = boolean> {
  /** How far the window moves from one place to the next. Default: the kernel's size, as null. */
  readonly stride?: Sizes | null;
  /** Minus infinity on each side. Default: 0. */
  readonly padding?: Sizes;
  /** Distance between the window's elements. Default: 1. */
  readonly dilation?: Sizes;
  /** Gives `[output, indices]`, as MaxUnpool takes them. Default: false. */
  readonly returnIndices?: Indices;
  /** Rounds the output's size up, so that a last partial window counts. Default: false. */
  readonly ceilMode?: boolean;
}

export interface IndexedMaxPoolOptions extends MaxPoolOptions<true> {
  /** Gives `[output, indices]`. Default: false, for the output alone. */
  readonly returnIndices: true;
}

type Pair = [output: Tensor, indices: Tensor];

interface MaxPool {
  (input: Tensor, kernelSize: Sizes, options: IndexedMaxPoolOptions): Pair;
  (input: Tensor, kernelSize: Sizes, stride: Sizes | null, options: IndexedMaxPoolOptions): Pair;
  (
    input: Tensor,
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    options: IndexedMaxPoolOptions,
  ): Pair;
  (
    input: Tensor,
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    dilation: Sizes,
    ceilMode: boolean,
    returnIndices: true,
  ): Pair;
  (input: Tensor, options: MaxPoolOptions<false> & { readonly kernelSize: Sizes }): Tensor;
  (
    input: Tensor,
    kernelSize: Sizes,
    stride?: Sizes | null | MaxPoolOptions<false>,
    padding?: Sizes | MaxPoolOptions<false>,
    dilation?: Sizes | MaxPoolOptions<false>,
    ceilMode?: boolean | MaxPoolOptions<false>,
    returnIndices?: false,
  ): Tensor;
}

const PLACES = ["stride", "padding", "dilation", "ceilMode", "returnIndices"] as const;

type Pool<Result> = (input: Tensor, ...given: unknown[]) => Result;

function maxPool(call: string, pool: unknown, indexed: unknown): MaxPool {
  const [maxima, pairs] = [pool as Pool<Tensor>, indexed as Pool<Pair>];
  const pooled: Pool<Tensor | Pair> = (input, ...given) => {
    if (given.length < PLACES.length + 1 && !isRecord(given.at(-1))) return maxima(input, ...given);
    const [kernelSize, ...places] = neededByPlace<[Sizes]>(["kernelSize"], given);
    const { returnIndices = false, ...options } = optionsByPlace<MaxPoolOptions>(call, PLACES, places) ?? {};
    return (checkBoolean(call, "returnIndices", returnIndices) ? pairs : maxima)(input, kernelSize, options);
  };
  return pooled as MaxPool;
}

/** The largest of [..., length] in each window; with `returnIndices`, `[output, indices]`: where each stood, int64. */
export const maxPool1d = maxPool("maxPool1d", torchFunctions.maxPool1d, torchFunctions.maxPool1dWithIndices);

/** The same as `maxPool1d`, for [..., height, width]. An index counts in height * width. */
export const maxPool2d = maxPool("maxPool2d", torchFunctions.maxPool2d, nnFunctions.maxPool2dWithIndices);

/** The same as `maxPool1d`, for [..., depth, height, width]. An index counts in depth * height * width. */
export const maxPool3d = maxPool("maxPool3d", torchFunctions.maxPool3d, nnFunctions.maxPool3dWithIndices);
