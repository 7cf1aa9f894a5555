// The transformer and its parts.
export { TransformerDecoderLayer, type DecoderMasks } from "./decoder_layer.ts";
export { TransformerEncoderLayer, type EncoderMasks } from "./encoder_layer.ts";
export type { TransformerLayerOptions } from "./settings.ts";
export {
  TransformerDecoder,
  TransformerEncoder,
  type EncoderStackMasks,
  type StackOptions,
} from "./stack.ts";
export { Transformer, type TransformerMasks, type TransformerOptions } from "./transformer.ts";
