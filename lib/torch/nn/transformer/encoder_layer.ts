// One layer of a transformer's encoder: self-attention and a feed-forward block, each with its norm and a way around it.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { native } from "../../engine/native.ts";
import { makeOperator } from "../../tensor/operators.ts";
import { IN_ANY_ORDER, MultiheadAttention } from "../attention/multihead.ts";
import { Dropout } from "../dropout.ts";
import { hasHooks } from "../module/hooks.ts";
import { inputShape } from "../input.ts";
import { Linear } from "../linear.ts";
import { Module } from "../module/module.ts";
import { LayerNorm } from "../normalization/layer.ts";
import {
  activationFunction,
  freeingBetween,
  fusedActivation,
  LAYER_PLACES,
  readStructure,
  type Activation,
  type TransformerLayerOptions,
} from "./settings.ts";
import type { ByName } from "../../types/index.ts";
import { readMasks } from "./masks.ts";

export interface EncoderMasks {
  /** [length, length] or [batch * heads, length, length], as MultiheadAttention takes it. */
  readonly srcMask?: Tensor | null;
  /** [batch, length]: true for positions that no query attends to. */
  readonly srcKeyPaddingMask?: Tensor | null;
  /** Says that `srcMask` is the causal one. */
  readonly isCausal?: boolean;
}

const fusedLayer = makeOperator("_transformer_encoder_layer_fwd") as (...args: unknown[]) => Tensor;

/** [length, batch, dModel] -> the same shape. In evaluation without gradients it is one fused operator. */
export class TransformerEncoderLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  readonly linear1: Linear;
  readonly dropout: Dropout;
  readonly linear2: Linear;
  normFirst: boolean;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
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
    const { dimFeedforward, dropout, layerNormEps, batchFirst, bias, factory } = read;
    this.selfAttn = new MultiheadAttention(dModel, nhead, { dropout, bias, batchFirst, ...factory });
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, ...factory });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, ...factory });
    this.normFirst = read.normFirst;
    this.norm1 = new LayerNorm(dModel, { eps: layerNormEps, bias, ...factory });
    this.norm2 = new LayerNorm(dModel, { eps: layerNormEps, bias, ...factory });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    this.activation = read.activation;
  }

  override forward(
    src: Tensor,
    ...given: [
      srcMask?: Tensor | null | EncoderMasks,
      srcKeyPaddingMask?: Tensor | null | EncoderMasks,
      isCausal?: boolean,
    ]
  ): Tensor {
    inputShape(this, src);
    const places = ["srcMask", "srcKeyPaddingMask", "isCausal"] as const;
    const masks = readMasks<EncoderMasks>(this.constructor.name, places, given);
    if (this._canRunFused(src)) return this._runFused(src, masks);
    return freeingBetween(this, () => this._runInParts(src, masks));
  }

  private _runInParts(src: Tensor, masks: EncoderMasks): Tensor {
    if (this.normFirst) {
      const attended = src.add(this._attend(this.norm1(src), masks));
      return attended.add(this._feedForward(this.norm2(attended)));
    }
    const attended = this.norm1(src.add(this._attend(src, masks)));
    return this.norm2(attended.add(this._feedForward(attended)));
  }

  private _attend(
    x: Tensor,
    { srcMask = null, srcKeyPaddingMask = null, isCausal = false }: EncoderMasks,
  ): Tensor {
    const [output] = this.selfAttn(x, x, x, {
      attnMask: srcMask,
      keyPaddingMask: srcKeyPaddingMask,
      needWeights: false,
      isCausal,
      // It is added to `x` at once; a dropout would draw over it first.
      [IN_ANY_ORDER]: this.dropout1.p === 0 || !this.dropout1.training,
    });
    return this.dropout1(output);
  }

  private _feedForward(x: Tensor): Tensor {
    return this.dropout2(this.linear2(this.dropout(activationFunction(this.activation)(this.linear1(x)))));
  }

  /** PyTorch's conditions for its fused layer, but for devices: `mps` has none. */
  private _canRunFused(src: Tensor): boolean {
    if (this.training || native.dim(src) !== 3) return false;
    const { selfAttn, norm1, norm2 } = this;
    if (
      !selfAttn.batchFirst ||
      selfAttn.numHeads % 2 !== 0 ||
      !selfAttn.inProjBias ||
      norm1.eps !== norm2.eps
    )
      return false;
    if (fusedActivation(this.activation) === null || native.device(src).startsWith("mps")) return false;
    if (native.dtype(src) !== native.dtype(selfAttn.inProjBias) || hasHooks(this.modules())) return false;
    return (
      !native.gradEnabled() || ![src, ...this.parameters()].some((tensor) => native.requiresGrad(tensor))
    );
  }

  private _runFused(src: Tensor, { srcMask = null, srcKeyPaddingMask = null }: EncoderMasks): Tensor {
    const { selfAttn, norm1, norm2, linear1, linear2 } = this;
    const [mask, maskType] = selfAttn.mergeMasks(src, srcKeyPaddingMask, srcMask);
    return fusedLayer(
      src,
      selfAttn.embedDim,
      selfAttn.numHeads,
      selfAttn.inProjWeight,
      selfAttn.inProjBias,
      selfAttn.outProj.weight,
      selfAttn.outProj.bias,
      fusedActivation(this.activation) === "gelu",
      this.normFirst,
      norm1.eps,
      norm1.weight,
      norm1.bias,
      norm2.weight,
      norm2.bias,
      linear1.weight,
      linear1.bias,
      linear2.weight,
      linear2.bias,
      mask,
      maskType,
    );
  }
}
