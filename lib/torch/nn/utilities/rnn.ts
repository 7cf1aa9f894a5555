// What `nn.utils.rnn` offers: sequences of several lengths in one batch.
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
