// A collate function for sequences of different lengths. Pads tensors; `collate.ts` batches everything else.
import { describe } from "../vocabulary/arguments.ts";
import { choice, number, readOptions, type Rules } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import { nnFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { defaultCollate } from "./collate.ts";

export interface PadOptions {
  /** The value behind the end of a shorter sequence. Default: 0. */
  readonly paddingValue?: number;
  /** The side on which padding is added. Default: "right". */
  readonly paddingSide?: "left" | "right";
}

const RULES: Rules<PadOptions> = {
  paddingValue: number(0),
  paddingSide: choice("right", ["left", "right"]),
};

/**
 * `collateFn: data.padCollate({ paddingValue: 0 })`. Items are sequences [length, ...], or tuples with one first, as
 * `[tokens, label]`. The batch begins with the padded sequences [batch, longest, ...] and their lengths (int64
 * [batch]), followed by the tuple's other fields.
 */
export function padCollate(options?: PadOptions): (items: readonly unknown[]) => Tensor[] {
  const call = "data.padCollate";
  if (Array.isArray(options))
    throw new TypeError(`${call}: it makes the function to collate with: collateFn: data.padCollate().`);
  const { paddingValue, paddingSide } = readOptions<PadOptions>(call, options, RULES);
  return (items) => {
    const tuples = items.map((item) => (Array.isArray(item) ? (item as unknown[]) : [item]));
    const sequences = tuples.map(([sequence]) => {
      if (native.isTensor(sequence) && native.dim(sequence) > 0) return sequence;
      throw new TypeError(
        `${call}: each item must be a tensor [length, ...] or a tuple that begins with one, got ${describe(sequence)}.`,
      );
    });
    const rests = tuples.map((tuple) => tuple.slice(1));
    const padded = nnFunctions.padSequence(sequences, true, paddingValue, paddingSide);
    const lengths = defaultCollate(sequences.map((sequence) => native.shape(sequence)[0]!));
    return [padded, lengths, ...(defaultCollate(rests) as Tensor[])];
  };
}
