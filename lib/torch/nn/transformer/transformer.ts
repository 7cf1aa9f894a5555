// The whole transformer of "Attention Is All You Need" (Vaswani et al., arXiv:1706.03762): encoder and decoder.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkOptions, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { native } from "../../engine/native.ts";
import * as init from "../init/init.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { LayerNorm } from "../normalization/layer.ts";
import { TransformerDecoderLayer, type DecoderMasks } from "./decoder_layer.ts";
import { TransformerEncoderLayer } from "./encoder_layer.ts";
import { generateSquareSubsequentMask, readMasks } from "./masks.ts";
import { readStructure, type Activation, type TransformerLayerOptions } from "./settings.ts";
import { TransformerDecoder, TransformerEncoder } from "./stack.ts";

export interface TransformerOptions extends TransformerLayerOptions {
  /** Size of every position. Default: 512. */
  readonly dModel?: number;
  /** Heads of each attention. Default: 8. */
  readonly nhead?: number;
  /** Layers of the encoder. Default: 6. */
  readonly numEncoderLayers?: number;
  /** Layers of the decoder. Default: 6. */
  readonly numDecoderLayers?: number;
  /** Replaces the encoder that the layer would make. Default: none. */
  readonly customEncoder?: TransformerEncoder | null;
  /** Replaces the decoder that the layer would make. Default: none. */
  readonly customDecoder?: TransformerDecoder | null;
}

const PLACES = [
  "dModel",
  "nhead",
  "numEncoderLayers",
  "numDecoderLayers",
  "dimFeedforward",
  "dropout",
  "activation",
  "customEncoder",
  "customDecoder",
  "layerNormEps",
  "batchFirst",
  "normFirst",
  "bias",
  "device",
  "dtype",
] as const satisfies readonly (keyof TransformerOptions)[];

export interface TransformerMasks extends DecoderMasks {
  readonly srcMask?: Tensor | null;
  readonly srcKeyPaddingMask?: Tensor | null;
  /** Says that `srcMask` is the causal one. */
  readonly srcIsCausal?: boolean;
}

const MASKS = [
  "srcMask",
  "tgtMask",
  "memoryMask",
  "srcKeyPaddingMask",
  "tgtKeyPaddingMask",
  "memoryKeyPaddingMask",
  "srcIsCausal",
  "tgtIsCausal",
  "memoryIsCausal",
] as const;

/** `model(source, target)` -> [target, batch, dModel]. */
export class Transformer extends Module {
  readonly encoder: TransformerEncoder;
  readonly decoder: TransformerDecoder;
  readonly dModel: number;
  readonly nhead: number;
  readonly batchFirst: boolean;

  /** [length, length]: 0 on and below the diagonal, -Infinity above, so that no position sees a later one. */
  static readonly generateSquareSubsequentMask = generateSquareSubsequentMask;

  constructor(
    dModel?: number | TransformerOptions,
    nhead?: number | TransformerOptions,
    numEncoderLayers?: number | TransformerOptions,
    numDecoderLayers?: number | TransformerOptions,
    dimFeedforward?: number | TransformerOptions,
    dropout?: number | TransformerOptions,
    activation?: Activation | TransformerOptions,
    customEncoder?: TransformerEncoder | null | TransformerOptions,
    customDecoder?: TransformerDecoder | null | TransformerOptions,
    layerNormEps?: number | TransformerOptions,
    batchFirst?: boolean | TransformerOptions,
    normFirst?: boolean | TransformerOptions,
    bias?: boolean | TransformerOptions,
    device?: DeviceText | null | TransformerOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super();
    const call = "new nn.Transformer";
    const {
      dModel = 512,
      nhead = 8,
      numEncoderLayers = 6,
      numDecoderLayers = 6,
      customEncoder = null,
      customDecoder = null,
      ...layer
    } = checkOptions<TransformerOptions>(
      call,
      optionsByPlace<TransformerOptions>(call, PLACES, given),
      PLACES,
    );
    const { layerNormEps: eps, batchFirst, bias, factory } = readStructure(call, layer);
    this.dModel = checkInteger(call, "dModel", dModel, 1);
    this.nhead = checkInteger(call, "nhead", nhead, 1);
    this.batchFirst = batchFirst;
    for (const [name, custom] of Object.entries({ customEncoder, customDecoder }))
      if (custom !== null && !((custom as unknown) instanceof Module))
        throw new TypeError(`${call}: ${name} must be a layer or null, got ${describe(custom)}.`);
    const norm = () => new LayerNorm(dModel, { eps, bias, ...factory });
    this.encoder =
      customEncoder ??
      new TransformerEncoder(new TransformerEncoderLayer(dModel, nhead, layer), numEncoderLayers, {
        norm: norm(),
      });
    this.decoder =
      customDecoder ??
      new TransformerDecoder(new TransformerDecoderLayer(dModel, nhead, layer), numDecoderLayers, {
        norm: norm(),
      });
    for (const parameter of this.parameters()) if (native.dim(parameter) > 1) init.xavierUniform_(parameter);
  }

  override forward(
    src: Tensor,
    tgt: Tensor,
    ...given: [
      srcMask?: Tensor | null | TransformerMasks,
      tgtMask?: Tensor | null | TransformerMasks,
      memoryMask?: Tensor | null | TransformerMasks,
      srcKeyPaddingMask?: Tensor | null | TransformerMasks,
      tgtKeyPaddingMask?: Tensor | null | TransformerMasks,
      memoryKeyPaddingMask?: Tensor | null | TransformerMasks,
      srcIsCausal?: boolean | null | TransformerMasks,
      tgtIsCausal?: boolean | null | TransformerMasks,
      memoryIsCausal?: boolean,
    ]
  ): Tensor {
    const [source, target] = [inputShape(this, src), inputShape(this, tgt)];
    const batchDim = this.batchFirst ? 0 : 1;
    const fits =
      source.length === target.length &&
      source.at(-1) === this.dModel &&
      target.at(-1) === this.dModel &&
      (source.length === 2 || (source.length === 3 && source[batchDim] === target[batchDim]));
    if (!fits) {
      const order = this.batchFirst ? "batch, length" : "length, batch";
      throw new RangeError(
        `Transformer: source and target must be [${order}, ${this.dModel}], got shapes [${source.join(", ")}] and [${target.join(", ")}].`,
      );
    }
    const { srcMask, srcKeyPaddingMask, srcIsCausal, ...masks } = readMasks<TransformerMasks>(
      "Transformer",
      MASKS,
      given,
    );
    const memory = this.encoder(src, {
      mask: srcMask ?? null,
      srcKeyPaddingMask: srcKeyPaddingMask ?? null,
      ...(srcIsCausal === undefined ? {} : { isCausal: srcIsCausal }),
    });
    return this.decoder(tgt, memory, masks);
  }
}
