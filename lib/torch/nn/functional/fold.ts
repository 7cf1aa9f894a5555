// Windows of images as columns, and back (`unfold`, `fold`): libtorch's own need every argument.
import { nnFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";

type Sizes = number | readonly number[];

/** How a window moves over an image; one number for both dimensions, or one for each. */
export interface FoldWindow {
  /** Distance between the window's elements. Default: 1. */
  readonly dilation?: Sizes;
  /** Zeros on each side. Default: 0. */
  readonly padding?: Sizes;
  /** Steps of the window. Default: 1. */
  readonly stride?: Sizes;
}

function windowOf(call: string, first: string, given: readonly unknown[]): [Sizes, Sizes, Sizes] {
  const form = { first, places: ["dilation", "padding", "stride"] as const };
  const { dilation = 1, padding = 0, stride = 1 } = argumentsByName<FoldWindow>(call, form, given);
  return [dilation, padding, stride];
}

/** [batch, channels, height, width] -> [batch, channels * window, windows]. */
export function unfold(
  input: Tensor,
  kernelSize: Sizes,
  dilation?: Sizes | FoldWindow,
  padding?: Sizes | FoldWindow,
  stride?: Sizes | FoldWindow,
): Tensor;
export function unfold(input: Tensor, kernelSize: Sizes, ...given: unknown[]): Tensor {
  return nnFunctions.im2col(input, kernelSize, ...windowOf("unfold", "input", given));
}

/** [batch, channels * window, windows] -> [batch, channels, ...outputSize]; where windows overlap, values add up. */
export function fold(
  input: Tensor,
  outputSize: Sizes,
  kernelSize: Sizes,
  dilation?: Sizes | FoldWindow,
  padding?: Sizes | FoldWindow,
  stride?: Sizes | FoldWindow,
): Tensor;
export function fold(input: Tensor, outputSize: Sizes, kernelSize: Sizes, ...given: unknown[]): Tensor {
  return nnFunctions.col2im(input, outputSize, kernelSize, ...windowOf("fold", "input", given));
}
