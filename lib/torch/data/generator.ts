// Draws random numbers for loaders and samplers, from the given `torch.Generator` or the session's, and returns them
// as JavaScript numbers.
import { describe } from "../vocabulary/arguments.ts";
import { Generator } from "../random/generator.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

export function checkGenerator(call: string, generator: unknown): Generator | undefined {
  if (generator === undefined) return undefined;
  if (!(generator instanceof Generator))
    throw new TypeError(`${call}: generator must be a torch.Generator, got ${describe(generator)}.`);
  if (generator.device !== "cpu")
    throw new TypeError(
      `${call}: indices are drawn on the CPU, and the generator is of ${generator.device}.`,
    );
  return generator;
}

/** Indices on the CPU, drawn by a generator or by the session's. */
export function indicesBy(generator: Generator | undefined) {
  return { dtype: "int64", device: "cpu", ...by(generator) } as const;
}

/** The option of an operator that draws. */
export function by(generator: Generator | undefined): { generator?: Generator } {
  return generator === undefined ? {} : { generator };
}

/** Integers of a tensor, which is freed. */
export function takeIntegers(drawn: Tensor): Float64Array {
  // float64 holds every index up to 2^53 without bigints.
  const values = new Float64Array(native.numel(drawn));
  const shared = native.shareTypedArray(values, [values.length], "float64");
  shared.copy_(drawn);
  native.dispose(shared);
  native.dispose(drawn);
  return values;
}

/** PyTorch's `torch.empty((), dtype=torch.int64).random_()`: 63 random bits, by which it seeds what is lent a seed. */
export function drawSeed(generator: Generator | undefined): bigint {
  const drawn = torchFunctions.empty([], { dtype: "int64", device: "cpu" }).random_(by(generator));
  const seed = BigInt(native.item(drawn) as number | bigint);
  native.dispose(drawn);
  return seed;
}
