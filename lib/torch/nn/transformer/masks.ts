// Makes causal masks and recognises them: the fused attention need not read a mask that it recognises.
import { checkInteger, checkOptions, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { FactoryOptions } from "../factory.ts";

/** [length, length]: 0 on and below the diagonal, -Infinity above, so that no position sees a later one. */
export function generateSquareSubsequentMask(length: number, options: FactoryOptions = {}): Tensor {
  const call = "generateSquareSubsequentMask";
  checkInteger(call, "length", length, 1);
  return torchFunctions
    .zeros([length, length], checkOptions(call, options, ["device", "dtype"]))
    .fill_(-Infinity)
    .triu(1);
}

/**
 * Returns the masks of a call, given at PyTorch's places, by name in a last object, or the first by place.
 *
 * @throws TypeError where a mask is neither a tensor nor null, or what says that it is causal is no boolean
 */
export function readMasks<Masks extends object>(
  call: string,
  places: readonly (keyof Masks & string)[],
  given: readonly unknown[],
): Partial<Masks> {
  const masks = checkOptions<Masks>(call, optionsByPlace<Masks>(call, places, given), places);
  for (const [name, value] of Object.entries(masks)) {
    const isMask = /mask$/i.test(name);
    const fits = value === null || (isMask ? native.isTensor(value) : typeof value === "boolean");
    if (!fits)
      throw new TypeError(
        `${call}: ${name} must be ${isMask ? "a tensor" : "true, false"} or null, got ${describe(value)}.`,
      );
  }
  return masks;
}

/** Returns the user's value, or if there is none whether the mask is the causal one of that length. */
export function isCausalMask(mask: Tensor | null, said: boolean | null, length: number): boolean {
  if (said !== null || mask === null) return said ?? false;
  if (native.shape(mask).join() !== `${length},${length}`) return false;
  const device = native.device(mask);
  const dtype = native.dtype(mask);
  const causal =
    dtype === "bool"
      ? torchFunctions.ones([length, length], { dtype, device }).triu(1)
      : generateSquareSubsequentMask(length, { dtype, device });
  return torchFunctions.equal(mask, causal) as unknown as boolean;
}
