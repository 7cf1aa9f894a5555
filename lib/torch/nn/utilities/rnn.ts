// Exports `nn.utils.rnn`: batches of sequences of different lengths.
export {
  PackedSequence,
  packPaddedSequence,
  packSequence,
  padPackedSequence,
  padSequence,
  unpackSequence,
  unpadSequence,
  type PackOptions,
  type PadOptions,
  type PadPackedOptions,
} from "../rnn/packed.ts";
