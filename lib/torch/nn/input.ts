// Checks layers' inputs before libtorch sees them, so that an error names the layer and both sizes.
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { describe } from "../vocabulary/arguments.ts";

/** Anything that prints itself as the user wrote it: `Linear(inFeatures=784, ...)`. */
interface Printed {
  toString(): string;
}

/** A layer on one line, without the layers inside it. */
export function title(layer: Printed): string {
  const { extraRepr } = layer as { extraRepr?: () => string };
  return extraRepr ? `${layer.constructor.name}(${extraRepr.call(layer)})` : String(layer);
}

export function inputShape(layer: Printed, input: Tensor): number[] {
  if (!native.isTensor(input))
    throw new TypeError(`${title(layer)}: the input must be a tensor, got ${describe(input)}.`);
  return native.shape(input);
}

const SPATIAL = ["", "length", "height, width", "depth, height, width"];

/** `[batch, channels, ...spatial]`, or, unless a batch is needed, the same without it. */
export function checkChannels(
  layer: Printed,
  input: Tensor,
  spatial: number,
  channels: number | null,
  needsBatch = false,
): void {
  const shape = inputShape(layer, input);
  const unbatched = shape.length === spatial + 1;
  if (shape.length !== spatial + 2 && (needsBatch || !unbatched)) {
    const batched = `[batch, channels, ${SPATIAL[spatial]}]`;
    throw new RangeError(
      `${layer}: the input must be ${needsBatch ? batched : `${batched} or [channels, ${SPATIAL[spatial]}]`}, ` +
        `got shape [${shape.join(", ")}].`,
    );
  }
  const given = shape[unbatched ? 0 : 1];
  if (channels !== null && given !== channels) {
    throw new RangeError(
      `${layer}: the input must have ${channels} channels, got ${given} in shape [${shape.join(", ")}].`,
    );
  }
}

/** Refuses edges that reflect or wrap more than there is: `edges` as `pad` takes them, the last dimension first. */
export function checkReflection(layer: Printed, input: Tensor, edges: readonly number[], mode: string): void {
  if (mode !== "reflect" && mode !== "circular") return;
  const shape = native.shape(input);
  for (const [i, edge] of edges.entries()) {
    const size = shape[shape.length - 1 - Math.floor(i / 2)]!;
    const max = mode === "reflect" ? size - 1 : size;
    if (edge <= max) continue;
    throw new RangeError(
      `${layer}: "${mode}" padding of a dimension of size ${size} must be at most ${max}, got ${edge}.`,
    );
  }
}
