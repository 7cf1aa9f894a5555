// Adaptive pooling functions with what libtorch's operators lack: null keeps the input's size, and max pooling
// returns indices only on request.
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";

/** One size for every spatial dimension, or one for each; null keeps the input's. */
type OutputSize = number | null | readonly (number | null)[];

function sizesFor(call: string, input: Tensor, outputSize: OutputSize, spatial: number): number[] {
  if (!native.isTensor(input))
    throw new TypeError(`${call}: input must be a Tensor, got ${describe(input)}.`);
  const wished = Array.isArray(outputSize)
    ? (outputSize as readonly (number | null)[])
    : Array<number | null>(spatial).fill(outputSize as number | null);
  const shape = native.shape(input);
  if (wished.length !== spatial || shape.length < spatial)
    throw new RangeError(
      `${call}: outputSize takes one size or ${spatial} of them for an input of ${spatial} spatial dimensions, ` +
        `got ${describe(outputSize)} for shape [${shape.join(", ")}].`,
    );
  return wished.map((size, at) =>
    size === null ? shape.at(at - spatial)! : checkInteger(call, `outputSize[${at}]`, size, 0),
  );
}

type Pair = [output: Tensor, indices: Tensor];

function withoutIndices([output, indices]: Pair): Tensor {
  indices.dispose();
  return output;
}

/**
 * Means of [..., height, width] over as many windows as `outputSize` says, which share the input evenly: a number for
 * both, or one for each, null for the input's own. [..., *outputSize]
 *
 * @throws RangeError where the sizes do not go with the input's dimensions
 */
export function adaptiveAvgPool2d(input: Tensor, outputSize: OutputSize): Tensor {
  return nnFunctions.adaptiveAvgPool2d(input, sizesFor("adaptiveAvgPool2d", input, outputSize, 2));
}

/** The same as `adaptiveAvgPool2d`, for [..., depth, height, width]. */
export function adaptiveAvgPool3d(input: Tensor, outputSize: OutputSize): Tensor {
  return nnFunctions.adaptiveAvgPool3d(input, sizesFor("adaptiveAvgPool3d", input, outputSize, 3));
}

/** `adaptiveMaxPool1d`, and the index along the length at which each stood, int64. */
export function adaptiveMaxPool1dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return torchFunctions.adaptiveMaxPool1d(input, sizesFor("adaptiveMaxPool1d", input, outputSize, 1));
}

/** `adaptiveMaxPool2d`, and the index in height * width at which each stood, int64. */
export function adaptiveMaxPool2dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return nnFunctions.adaptiveMaxPool2d(input, sizesFor("adaptiveMaxPool2d", input, outputSize, 2));
}

/** `adaptiveMaxPool3d`, and the index in depth * height * width at which each stood, int64. */
export function adaptiveMaxPool3dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return nnFunctions.adaptiveMaxPool3d(input, sizesFor("adaptiveMaxPool3d", input, outputSize, 3));
}

export interface AdaptiveMaxPoolOptions<Indices extends boolean = boolean> {
  /** Gives `[output, indices]`, as MaxUnpool takes them. Default: false. */
  readonly returnIndices?: Indices;
}

interface AdaptiveMaxPool {
  (input: Tensor, outputSize: OutputSize, returnIndices: true | Required<AdaptiveMaxPoolOptions<true>>): Pair;
  (input: Tensor, outputSize: OutputSize, returnIndices?: false | AdaptiveMaxPoolOptions<false>): Tensor;
}

function adaptiveMaxPool(
  call: string,
  pool: (input: Tensor, outputSize: OutputSize) => Pair,
): AdaptiveMaxPool {
  const read = (input: Tensor, outputSize: OutputSize, ...given: unknown[]): Tensor | Pair => {
    const options = optionsByPlace<AdaptiveMaxPoolOptions>(call, ["returnIndices"], given);
    const { returnIndices } = readOptions(call, options, { returnIndices: boolean(false) });
    const pair = pool(input, outputSize);
    return returnIndices ? pair : withoutIndices(pair);
  };
  return read as AdaptiveMaxPool;
}

/**
 * The largest of [..., length] in each window: as many as `outputSize`, which share the input evenly. With `returnIndices`,
 * `[output, indices]`.
 */
export const adaptiveMaxPool1d = adaptiveMaxPool("adaptiveMaxPool1d", adaptiveMaxPool1dWithIndices);

/**
 * The same as `adaptiveMaxPool1d`, for [..., height, width]. `outputSize` is a number for both sizes, or one for each,
 * null for the input's own.
 */
export const adaptiveMaxPool2d = adaptiveMaxPool("adaptiveMaxPool2d", adaptiveMaxPool2dWithIndices);

/** The same as `adaptiveMaxPool2d`, for [..., depth, height, width]. */
export const adaptiveMaxPool3d = adaptiveMaxPool("adaptiveMaxPool3d", adaptiveMaxPool3dWithIndices);
