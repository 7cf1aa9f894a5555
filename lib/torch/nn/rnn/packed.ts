// Batches sequences of different lengths: padded to one length, or packed step by step without padding, as the
// recurrent layers take them.
import { checkLengths, checkOptionalTensor, checkTensor } from "../../tensor/tensor_arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import {
  boolean,
  checkedLater,
  choice,
  number,
  type OpenRules,
  readOptions,
  type Rules,
} from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { makeOperator, nnFunctions, torchFunctions } from "../../tensor/operators.ts";

/**
 * A batch of sequences without padding: the first step of all, then the second of those that have one, and so on,
 * the longest sequence first. Made by `packPaddedSequence` and `packSequence`.
 */
export class PackedSequence {
  constructor(
    /** [sum of the lengths, ...] */
    readonly data: Tensor,
    /** How many sequences have a first step, a second, ...: int64 on the CPU. */
    readonly batchSizes: Tensor,
    /** The position of each sequence before they were sorted by length. Null if they came sorted. */
    readonly sortedIndices: Tensor | null = null,
    /** The position of each sequence after sorting. */
    readonly unsortedIndices: Tensor | null = sortedIndices &&
      inverse(checkTensor("new PackedSequence", "sortedIndices", sortedIndices)),
  ) {
    const call = "new PackedSequence";
    checkTensor(call, "data", data);
    checkTensor(call, "batchSizes", batchSizes);
    checkOptionalTensor(call, "sortedIndices", sortedIndices);
    checkOptionalTensor(call, "unsortedIndices", unsortedIndices);
  }

  /** Returns a sequence with the same lengths and other values. */
  withData(data: Tensor): PackedSequence {
    return new PackedSequence(data, this.batchSizes, this.sortedIndices, this.unsortedIndices);
  }
}

/** `[2, 0, 1]` -> `[1, 2, 0]` */
function inverse(permutation: Tensor): Tensor {
  const count = native.numel(permutation);
  const places = torchFunctions.arange(0, count, 1, { dtype: "int64", device: native.device(permutation) });
  return torchFunctions.emptyLike(permutation).scatter_(0, permutation, places);
}

type Pack = (input: Tensor, lengths: Tensor, batchFirst: boolean) => [data: Tensor, batchSizes: Tensor];
type Unpack = (
  data: Tensor,
  batchSizes: Tensor,
  batchFirst: boolean,
  paddingValue: number,
  totalLength: number,
) => [padded: Tensor, lengths: Tensor];

const pack = makeOperator("_pack_padded_sequence") as Pack;
const unpack = makeOperator("_pad_packed_sequence") as Unpack;

export interface PackOptions {
  /** Whether the input is [batch, time, ...] and not [time, batch, ...]. Default: false. */
  readonly batchFirst?: boolean;
  /** Whether the sequences must come with the longest first. Default: true. */
  readonly enforceSorted?: boolean;
}

const PACK_RULES: Rules<PackOptions> = { batchFirst: boolean(false), enforceSorted: boolean(true) };

function lengthTensor(call: string, lengths: Tensor | readonly number[]): Tensor {
  return checkLengths(call, "lengths", lengths, 1).to("cpu", "int64");
}

function lengthList(call: string, lengths: Tensor | readonly number[], batch: number): number[] {
  const tensor = lengthTensor(call, lengths);
  if (native.dim(tensor) !== 1 || native.numel(tensor) !== batch) {
    throw new RangeError(
      `${call}: a batch of ${batch} sequences needs as many lengths, got ${native.shape(tensor).join(" x ") || "one number"}.`,
    );
  }
  return tensor.tolist() as number[];
}

/** Packs a padded batch, [time, batch, ...] with a length for each sequence. */
export function packPaddedSequence(
  input: Tensor,
  lengths: Tensor | readonly number[],
  options?: PackOptions,
): PackedSequence {
  const call = "packPaddedSequence";
  const { batchFirst, enforceSorted } = readOptions<PackOptions>(call, options, PACK_RULES);
  if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  const shape = native.shape(input);
  if (shape.length < 2)
    throw new RangeError(`${call}: the input must be [time, batch, ...], got shape [${shape.join(", ")}].`);
  const sizes = lengthTensor(call, lengths);
  const [time, batch] = batchFirst ? [shape[1]!, shape[0]!] : [shape[0]!, shape[1]!];
  const numbers = lengthList(call, sizes, batch);
  for (const length of numbers) {
    if (length < 1 || length > time)
      throw new RangeError(
        `${call}: each length must be from 1 to the ${time} steps of the input, got ${length}.`,
      );
  }
  if (!enforceSorted) {
    const [sorted, order] = sizes.sort(-1, true) as [Tensor, Tensor];
    const places = order.to(native.device(input));
    return new PackedSequence(
      ...pack(input.indexSelect(batchFirst ? 0 : 1, places), sorted, batchFirst),
      places,
    );
  }
  if (numbers.some((length, i) => i > 0 && length > numbers[i - 1]!)) {
    throw new RangeError(
      `${call}: the lengths must fall, got [${numbers.join(", ")}]; sort the sequences, or pass { enforceSorted: false }.`,
    );
  }
  return new PackedSequence(...pack(input, sizes, batchFirst));
}

export interface PadPackedOptions {
  /** [batch, time, ...] and not [time, batch, ...]. Default: false. */
  readonly batchFirst?: boolean;
  /** The value after the end of the shorter sequences. Default: 0. */
  readonly paddingValue?: number;
  /** Pads to this many steps. Default: as many as the longest sequence has. */
  readonly totalLength?: number | null;
}

const PAD_PACKED_RULES = {
  batchFirst: boolean(false),
  paddingValue: number(0),
  totalLength: checkedLater<number | null>(null),
} satisfies OpenRules<PadPackedOptions>;

/** The padded batch of a packed one, and the lengths of its sequences. */
export function padPackedSequence(
  sequence: PackedSequence,
  options?: PadPackedOptions,
): [padded: Tensor, lengths: Tensor] {
  const call = "padPackedSequence";
  const { batchFirst, paddingValue, totalLength } = readOptions(call, options, PAD_PACKED_RULES);
  if (!(sequence instanceof PackedSequence))
    throw new TypeError(`${call}: expected a PackedSequence, got ${describe(sequence)}.`);
  const longest = native.numel(sequence.batchSizes);
  const total = totalLength === null ? longest : checkInteger(call, "totalLength", totalLength, longest);
  const [padded, lengths] = unpack(sequence.data, sequence.batchSizes, batchFirst, paddingValue, total);
  const { unsortedIndices } = sequence;
  if (!unsortedIndices) return [padded, lengths];
  return [
    padded.indexSelect(batchFirst ? 0 : 1, unsortedIndices),
    lengths.indexSelect(0, unsortedIndices.cpu()),
  ];
}

export interface PadOptions {
  /** [batch, time, ...] and not [time, batch, ...]. Default: false. */
  readonly batchFirst?: boolean;
  /** The value behind the end of a shorter sequence. Default: 0. */
  readonly paddingValue?: number;
  /** The side on which padding is added. Default: "right". */
  readonly paddingSide?: "left" | "right";
}

const PAD_RULES: Rules<PadOptions> = {
  batchFirst: boolean(false),
  paddingValue: number(0),
  paddingSide: choice("right", ["left", "right"]),
};

/** Sequences [length, ...] of several lengths as one padded tensor, [time, batch, ...]. */
export function padSequence(sequences: readonly Tensor[], options?: PadOptions): Tensor {
  const call = "padSequence";
  const { batchFirst, paddingValue, paddingSide } = readOptions<PadOptions>(call, options, PAD_RULES);
  if (
    !Array.isArray(sequences) ||
    sequences.length === 0 ||
    !sequences.every((one) => native.isTensor(one))
  ) {
    throw new TypeError(`${call}: expected a list of tensors, got ${describe(sequences)}.`);
  }
  const rest = native.shape(sequences[0]!).slice(1).join(", ");
  for (const [i, one] of sequences.entries()) {
    const shape = native.shape(one);
    if (shape.length > 0 && shape.slice(1).join(", ") === rest) continue;
    throw new RangeError(
      `${call}: the sequences must be [length, ${rest}], got shape [${shape.join(", ")}] at ${i}.`,
    );
  }
  return nnFunctions.padSequence(sequences, batchFirst, paddingValue, paddingSide);
}

export interface UnpadOptions {
  /** Whether the input is [batch, time, ...] and not [time, batch, ...]. Default: false. */
  readonly batchFirst?: boolean;
}

const UNPAD_RULES: Rules<UnpadOptions> = { batchFirst: boolean(false) };

/** The sequences of a padded tensor, [time, batch, ...], cut to their lengths. */
export function unpadSequence(
  padded: Tensor,
  lengths: Tensor | readonly number[],
  options?: UnpadOptions,
): Tensor[] {
  const call = "unpadSequence";
  const { batchFirst } = readOptions<UnpadOptions>(call, options, UNPAD_RULES);
  if (native.dim(checkTensor(call, "padded", padded)) < 2)
    throw new RangeError(
      `${call}: the padded sequences must be [time, batch, ...], got shape [${native.shape(padded).join(", ")}].`,
    );
  const rows = (batchFirst ? padded : padded.transpose(0, 1)).unbind(0);
  const numbers = lengthList(call, lengths, rows.length);
  return numbers.map((length, i) => rows[i]!.narrow(0, 0, length));
}

/** Packs sequences [length, ...] of several lengths. */
export function packSequence(
  sequences: readonly Tensor[],
  options?: Pick<PackOptions, "enforceSorted">,
): PackedSequence {
  const { enforceSorted } = readOptions("packSequence", options, { enforceSorted: PACK_RULES.enforceSorted });
  const padded = padSequence(sequences);
  const lengths = sequences.map((sequence) => native.shape(sequence)[0]!);
  return packPaddedSequence(padded, lengths, { enforceSorted });
}

/** The sequences of a packed batch, in the order in which they were given. */
export function unpackSequence(sequence: PackedSequence): Tensor[] {
  const [padded, lengths] = padPackedSequence(sequence, { batchFirst: true });
  return unpadSequence(padded, lengths, { batchFirst: true });
}
