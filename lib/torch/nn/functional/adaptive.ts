// Pooling to a given size as functions: null keeps the input's size, and the largest come without their places unless
// the name asks for them. Libtorch's operators know neither.
import { checkInteger, describe } from "../../arguments.ts";
import { native } from "../../native.ts";
import { nnFunctions, torchFunctions } from "../../operators.ts";
import type { Tensor } from "../../tensor.ts";

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

/** Means of [..., height, width], each over a window of its own. */
export function adaptiveAvgPool2d(input: Tensor, outputSize: OutputSize): Tensor {
  return nnFunctions.adaptiveAvgPool2d(input, sizesFor("adaptiveAvgPool2d", input, outputSize, 2));
}

/** Means of [..., depth, height, width]. */
export function adaptiveAvgPool3d(input: Tensor, outputSize: OutputSize): Tensor {
  return nnFunctions.adaptiveAvgPool3d(input, sizesFor("adaptiveAvgPool3d", input, outputSize, 3));
}

/** The largest of [..., length], and where they stood. */
export function adaptiveMaxPool1dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return torchFunctions.adaptiveMaxPool1d(input, sizesFor("adaptiveMaxPool1d", input, outputSize, 1));
}

/** The largest of [..., height, width], and where they stood. */
export function adaptiveMaxPool2dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return nnFunctions.adaptiveMaxPool2d(input, sizesFor("adaptiveMaxPool2d", input, outputSize, 2));
}

/** The largest of [..., depth, height, width], and where they stood. */
export function adaptiveMaxPool3dWithIndices(input: Tensor, outputSize: OutputSize): Pair {
  return nnFunctions.adaptiveMaxPool3d(input, sizesFor("adaptiveMaxPool3d", input, outputSize, 3));
}

/** The largest of [..., length]. */
export function adaptiveMaxPool1d(input: Tensor, outputSize: OutputSize): Tensor {
  return withoutIndices(adaptiveMaxPool1dWithIndices(input, outputSize));
}

/** The largest of [..., height, width]. */
export function adaptiveMaxPool2d(input: Tensor, outputSize: OutputSize): Tensor {
  return withoutIndices(adaptiveMaxPool2dWithIndices(input, outputSize));
}

/** The largest of [..., depth, height, width]. */
export function adaptiveMaxPool3d(input: Tensor, outputSize: OutputSize): Tensor {
  return withoutIndices(adaptiveMaxPool3dWithIndices(input, outputSize));
}
