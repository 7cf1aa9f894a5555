// What layers check of their input before libtorch sees it, so that an error names the layer and both sizes.
import { native } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { describe } from "../arguments.ts";

/** Anything that prints itself as the user wrote it: `Linear(inFeatures=784, ...)`. */
interface Printed {
  toString(): string;
}

export function inputShape(layer: Printed, input: Tensor): number[] {
  if (!native.isTensor(input))
    throw new TypeError(`${layer}: the input must be a tensor, got ${describe(input)}.`);
  return native.shape(input);
}

/** `[batch, channels, ...spatial]`, or the same without a batch. */
export function checkChannels(layer: Printed, input: Tensor, spatial: number, channels: number | null): void {
  const shape = inputShape(layer, input);
  const sizes = ["height", "width"].slice(2 - spatial);
  const names = spatial === 1 ? "length" : spatial === 3 ? "depth, height, width" : sizes.join(", ");
  if (shape.length !== spatial + 1 && shape.length !== spatial + 2) {
    throw new RangeError(
      `${layer}: the input must be [batch, channels, ${names}] or [channels, ${names}], got shape [${shape.join(", ")}].`,
    );
  }
  const given = shape[shape.length - spatial - 1];
  if (channels !== null && given !== channels) {
    throw new RangeError(
      `${layer}: the input must have ${channels} channels, got ${given} in shape [${shape.join(", ")}].`,
    );
  }
}
