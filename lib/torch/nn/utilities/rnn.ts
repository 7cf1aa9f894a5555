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
  type UnpadOptions,
} from "../rnn/packed.ts";
