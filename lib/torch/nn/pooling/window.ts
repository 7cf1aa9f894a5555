// Reads, checks and prints the windows of pooling layers.
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { nullable, sizes } from "../../vocabulary/options.ts";

export function sizesText(sizes: readonly number[]): string {
  return sizes.every((size) => size === sizes[0]) ? `${sizes[0]}` : `[${sizes.join(", ")}]`;
}

/** libtorch refuses more padding than half a window, of which some would hold nothing but padding. */
export function checkPadding(call: string, padding: readonly number[], kernelSize: readonly number[]): void {
  if (padding.some((size, i) => size > kernelSize[i]! / 2)) {
    throw new RangeError(
      `${call}: padding must be at most half of kernelSize, got ${sizesText(padding)} and ${sizesText(kernelSize)}.`,
    );
  }
}

/** A window's strides, null for its own sizes, and the zeros around the input. */
export const windowRules = (spatial: number) => ({
  stride: nullable(sizes(spatial, 1, 1)),
  padding: sizes(spatial, 0, 0),
});

/** Refuses an input over which the window does not fit once. */
export function checkFits(
  layer: { toString(): string },
  shape: readonly number[],
  window: {
    readonly kernelSize: readonly number[];
    readonly padding?: readonly number[];
    readonly dilation?: readonly number[];
  },
): void {
  const { kernelSize, padding, dilation } = window;
  const spatial = shape.slice(shape.length - kernelSize.length);
  for (const [i, size] of spatial.entries()) {
    const span = (dilation?.[i] ?? 1) * (kernelSize[i]! - 1) + 1;
    if (span <= size + 2 * (padding?.[i] ?? 0)) continue;
    throw new RangeError(
      `${layer}: the window spans ${span} and the input has ${size} in shape [${shape.join(", ")}]; ` +
        `give a larger input or a smaller window.`,
    );
  }
}

/** Sizes of an output; null keeps the input's. */
export function readOutputSize(
  call: string,
  spatial: number,
  outputSize: number | null | readonly (number | null)[],
): (number | null)[] {
  const list = Array.isArray(outputSize)
    ? outputSize
    : Array<number | null>(spatial).fill(outputSize as number);
  if (list.length !== spatial) {
    throw new RangeError(
      `${call}: outputSize takes one number or ${spatial} of them, got ${describe(list)}.`,
    );
  }
  return list.map((size, i) => (size === null ? null : checkInteger(call, `outputSize[${i}]`, size, 1)));
}
