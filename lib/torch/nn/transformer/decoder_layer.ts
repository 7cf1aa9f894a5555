// One layer of a transformer's decoder: self-attention, attention to the encoder's output, and a feed-forward block,
// each with its norm and a way around it.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { MultiheadAttention } from "../attention/multihead.ts";
import { Dropout } from "../dropout.ts";
import { inputShape } from "../input.ts";
import { Linear } from "../linear.ts";
import { Module } from "../module/module.ts";
import { LayerNorm } from "../normalization/layer.ts";
import {
  activationFunction,
  freeingBetween,
  LAYER_PLACES,
  readStructure,
  type Activation,
  type TransformerLayerOptions,
} from "./settings.ts";
import type { ByName } from "../../types/index.ts";
import { readMasks } from "./masks.ts";

export interface DecoderMasks {
  /** [target, target] or [batch * heads, target, target]. */
  readonly tgtMask?: Tensor | null;
  /** [target, source] or [batch * heads, target, source]. */
  readonly memoryMask?: Tensor | null;
  /** [batch, target]: true for positions that no query attends to. */
  readonly tgtKeyPaddingMask?: Tensor | null;
  /** [batch, source]: true for positions of the encoder's output that no query attends to. */
  readonly memoryKeyPaddingMask?: Tensor | null;
  /** Says that `tgtMask` is the causal one. */
  readonly tgtIsCausal?: boolean;
  /** Says that `memoryMask` is the causal one. */
  readonly memoryIsCausal?: boolean;
}

export const DECODER_MASKS = [
  "tgtMask",
  "memoryMask",
  "tgtKeyPaddingMask",
  "memoryKeyPaddingMask",
  "tgtIsCausal",
  "memoryIsCausal",
] as const;

/** The same at PyTorch's places; the others may follow by name. */
export type DecoderMaskPlaces = [
  tgtMask?: Tensor | null | DecoderMasks,
  memoryMask?: Tensor | null | DecoderMasks,
  tgtKeyPaddingMask?: Tensor | null | DecoderMasks,
  memoryKeyPaddingMask?: Tensor | null | DecoderMasks,
  tgtIsCausal?: boolean | DecoderMasks,
  memoryIsCausal?: boolean,
];

/** Target [length, batch, dModel] and the encoder's output [source, batch, dModel] -> the target's shape. */
export class TransformerDecoderLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  readonly multiheadAttn: MultiheadAttention;
  readonly linear1: Linear;
  readonly dropout: Dropout;
  readonly linear2: Linear;
  normFirst: boolean;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly norm3: LayerNorm;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  readonly dropout3: Dropout;
  readonly activation: Activation;

  constructor(
    dModel: number,
    nhead: number,
    dimFeedforward?: number | TransformerLayerOptions,
    dropout?: number | TransformerLayerOptions,
    activation?: Activation | TransformerLayerOptions,
    layerNormEps?: number | TransformerLayerOptions,
    batchFirst?: boolean | TransformerLayerOptions,
    normFirst?: boolean | TransformerLayerOptions,
    bias?: boolean | TransformerLayerOptions,
    device?: DeviceText | null | TransformerLayerOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { dModel: number; nhead: number } & TransformerLayerOptions);
  constructor(dModel: number, named: ByName & { nhead: number } & TransformerLayerOptions);
  constructor(dModel: number, nhead: number);
  constructor(...all: unknown[]) {
    const [dModel, nhead, ...given] = neededByPlace<[dModel: number, nhead: number]>(
      ["dModel", "nhead"],
      all,
    );
    super();
    const call = `new nn.${this.constructor.name}`;
    checkInteger(call, "dModel", dModel, 1);
    checkInteger(call, "nhead", nhead, 1);
    const options = optionsByPlace<TransformerLayerOptions>(call, LAYER_PLACES, given);
    const read = readStructure(call, options);
    const { dimFeedforward, dropout, layerNormEps: eps, batchFirst, bias, factory } = read;
    this.selfAttn = new MultiheadAttention(dModel, nhead, { dropout, bias, batchFirst, ...factory });
    this.multiheadAttn = new MultiheadAttention(dModel, nhead, { dropout, bias, batchFirst, ...factory });
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, ...factory });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, ...factory });
    this.normFirst = read.normFirst;
    this.norm1 = new LayerNorm(dModel, { eps, bias, ...factory });
    this.norm2 = new LayerNorm(dModel, { eps, bias, ...factory });
    this.norm3 = new LayerNorm(dModel, { eps, bias, ...factory });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    this.dropout3 = new Dropout(dropout);
    this.activation = read.activation;
  }

  override forward(tgt: Tensor, memory: Tensor, ...given: DecoderMaskPlaces): Tensor {
    inputShape(this, tgt);
    inputShape(this, memory);
    const masks = readMasks<DecoderMasks>(this.constructor.name, DECODER_MASKS, given);
    return freeingBetween(this, () => this._runInParts(tgt, memory, masks));
  }

  private _runInParts(tgt: Tensor, memory: Tensor, masks: DecoderMasks): Tensor {
    if (this.normFirst) {
      const own = tgt.add(this._attendSelf(this.norm1(tgt), masks));
      const both = own.add(this._attendMemory(this.norm2(own), memory, masks));
      return both.add(this._feedForward(this.norm3(both)));
    }
    const own = this.norm1(tgt.add(this._attendSelf(tgt, masks)));
    const both = this.norm2(own.add(this._attendMemory(own, memory, masks)));
    return this.norm3(both.add(this._feedForward(both)));
  }

  private _attendSelf(x: Tensor, masks: DecoderMasks): Tensor {
    const [output] = this.selfAttn(x, x, x, {
      attnMask: masks.tgtMask ?? null,
      keyPaddingMask: masks.tgtKeyPaddingMask ?? null,
      isCausal: masks.tgtIsCausal ?? false,
      needWeights: false,
    });
    return this.dropout1(output);
  }

  private _attendMemory(x: Tensor, memory: Tensor, masks: DecoderMasks): Tensor {
    const [output] = this.multiheadAttn(x, memory, memory, {
      attnMask: masks.memoryMask ?? null,
      keyPaddingMask: masks.memoryKeyPaddingMask ?? null,
      isCausal: masks.memoryIsCausal ?? false,
      needWeights: false,
    });
    return this.dropout2(output);
  }

  private _feedForward(x: Tensor): Tensor {
    return this.dropout3(this.linear2(this.dropout(activationFunction(this.activation)(this.linear1(x)))));
  }
}
