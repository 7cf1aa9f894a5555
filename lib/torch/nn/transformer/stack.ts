// The encoder and the decoder: stacks of layers, optionally with a norm at the end.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { readOptions, type Rules } from "../../vocabulary/options.ts";
import { inputShape } from "../input.ts";
import { Module, type Layer } from "../module/module.ts";
import {
  DECODER_MASKS,
  type DecoderMaskPlaces,
  type DecoderMasks,
  type TransformerDecoderLayer,
} from "./decoder_layer.ts";
import type { EncoderMasks, TransformerEncoderLayer } from "./encoder_layer.ts";
import { isCausalMask, readMasks } from "./masks.ts";
import { stackOf } from "./settings.ts";
import type { ByName } from "../../types/index.ts";

export interface StackOptions {
  /** Applied to the last layer's output. Default: none. */
  readonly norm?: Layer | null;
}

function checkNorm(call: string, name: string, norm: unknown): Layer | null {
  if (norm === null || norm instanceof Module) return norm as Layer | null;
  throw new TypeError(`${call}: ${name} must be a layer or null, got ${describe(norm)}.`);
}

const RULES: Rules<StackOptions> = { norm: { fallback: null, check: checkNorm } };

/** The length of [length, batch, size], [batch, length, size] or [length, size]. */
function lengthOf(shape: readonly number[], batchFirst: boolean): number {
  return shape[shape.length === 3 && batchFirst ? 1 : 0]!;
}

export interface EncoderStackMasks extends Omit<EncoderMasks, "srcMask"> {
  readonly mask?: Tensor | null;
}

/** `new TransformerEncoder(new TransformerEncoderLayer(512, 8), 6)`: six copies of a layer, each with its own weights. */
export class TransformerEncoder extends Module {
  readonly layers: TransformerEncoderLayer[];
  readonly numLayers: number;
  readonly norm: Layer | null;

  constructor(
    encoderLayer: TransformerEncoderLayer | (() => TransformerEncoderLayer),
    numLayers: number,
    norm?: Layer | null | StackOptions,
  );
  constructor(
    named: ByName & {
      encoderLayer: TransformerEncoderLayer | (() => TransformerEncoderLayer);
      numLayers: number;
    } & StackOptions,
  );
  constructor(
    encoderLayer: TransformerEncoderLayer | (() => TransformerEncoderLayer),
    named: ByName & { numLayers: number } & StackOptions,
  );
  constructor(encoderLayer: TransformerEncoderLayer | (() => TransformerEncoderLayer), numLayers: number);
  constructor(...all: unknown[]) {
    const [layer, numLayers, ...given] = neededByPlace<
      [layer: TransformerEncoderLayer | (() => TransformerEncoderLayer), numLayers: number]
    >(["encoderLayer", "numLayers"], all);
    super();
    const call = "new nn.TransformerEncoder";
    const options = optionsByPlace<StackOptions>(call, ["norm"], given);
    this.numLayers = checkInteger(call, "numLayers", numLayers, 1);
    this.layers = stackOf<TransformerEncoderLayer>(call, "encoderLayer", layer, numLayers);
    this.norm = readOptions<StackOptions>(call, options, RULES).norm;
  }

  /** Recognises a causal mask unless `isCausal` says. */
  override forward(
    src: Tensor,
    ...given: [
      mask?: Tensor | null | EncoderStackMasks,
      srcKeyPaddingMask?: Tensor | null | EncoderStackMasks,
      isCausal?: boolean | null,
    ]
  ): Tensor {
    const shape = inputShape(this, src);
    const places = ["mask", "srcKeyPaddingMask", "isCausal"] as const;
    const masks = readMasks<EncoderStackMasks>("TransformerEncoder", places, given);
    const { mask: srcMask = null, srcKeyPaddingMask = null } = masks;
    const length = lengthOf(shape, this.layers[0]!.selfAttn?.batchFirst ?? false);
    const isCausal = isCausalMask(srcMask, masks.isCausal ?? null, length);
    let output = src;
    for (const layer of this.layers) output = layer(output, { srcMask, srcKeyPaddingMask, isCausal });
    return this.norm ? this.norm(output) : output;
  }
}

/** `new TransformerDecoder(new TransformerDecoderLayer(512, 8), 6)`: six copies of a layer, each with its own weights. */
export class TransformerDecoder extends Module {
  readonly layers: TransformerDecoderLayer[];
  readonly numLayers: number;
  readonly norm: Layer | null;

  constructor(
    decoderLayer: TransformerDecoderLayer | (() => TransformerDecoderLayer),
    numLayers: number,
    norm?: Layer | null | StackOptions,
  );
  constructor(
    named: ByName & {
      decoderLayer: TransformerDecoderLayer | (() => TransformerDecoderLayer);
      numLayers: number;
    } & StackOptions,
  );
  constructor(
    decoderLayer: TransformerDecoderLayer | (() => TransformerDecoderLayer),
    named: ByName & { numLayers: number } & StackOptions,
  );
  constructor(decoderLayer: TransformerDecoderLayer | (() => TransformerDecoderLayer), numLayers: number);
  constructor(...all: unknown[]) {
    const [layer, numLayers, ...given] = neededByPlace<
      [layer: TransformerDecoderLayer | (() => TransformerDecoderLayer), numLayers: number]
    >(["decoderLayer", "numLayers"], all);
    super();
    const call = "new nn.TransformerDecoder";
    const options = optionsByPlace<StackOptions>(call, ["norm"], given);
    this.numLayers = checkInteger(call, "numLayers", numLayers, 1);
    this.layers = stackOf<TransformerDecoderLayer>(call, "decoderLayer", layer, numLayers);
    this.norm = readOptions<StackOptions>(call, options, RULES).norm;
  }

  /** Recognises a causal mask of the target unless `tgtIsCausal` says. */
  override forward(tgt: Tensor, memory: Tensor, ...given: DecoderMaskPlaces): Tensor {
    const shape = inputShape(this, tgt);
    const masks = readMasks<DecoderMasks>("TransformerDecoder", DECODER_MASKS, given);
    const length = lengthOf(shape, this.layers[0]!.selfAttn?.batchFirst ?? false);
    const tgtIsCausal = isCausalMask(masks.tgtMask ?? null, masks.tgtIsCausal ?? null, length);
    let output = tgt;
    for (const layer of this.layers) output = layer(output, memory, { ...masks, tgtIsCausal });
    return this.norm ? this.norm(output) : output;
  }
}
