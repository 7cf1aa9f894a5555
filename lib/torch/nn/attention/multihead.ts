// MultiheadAttention: the learnt projections, batch order, and the fused inference kernel where PyTorch takes it. The
// attention itself is `functional/attention.ts`.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe, isRecord } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { native } from "../../engine/native.ts";
import { makeOperator } from "../../tensor/operators.ts";
import { boolean, integer, nullable, number, readOptions, type Rules } from "../../vocabulary/options.ts";
import { emptyParameter, type FactoryOptions, readLayerOptions } from "../factory.ts";
import { additiveMask, multiHeadAttentionForward, type AttentionMasks } from "../functional/attention.ts";
import * as init from "../init/init.ts";
import { inputShape, title } from "../input.ts";
import { Linear } from "../linear.ts";
import { Module } from "../module/module.ts";
import type { Parameter } from "../module/parameter.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName } from "../../types/index.ts";

interface Structure {
  /** Probability to drop an attention weight while training. Default: 0. */
  readonly dropout?: number;
  /** Whether the projections have biases. Default: true. */
  readonly bias?: boolean;
  /** Adds a learnt key and value. Default: false. */
  readonly addBiasKv?: boolean;
  /** Adds a key and a value of zeros. Default: false. */
  readonly addZeroAttn?: boolean;
  /** Size of the keys. Default: embedDim. */
  readonly kdim?: number | null;
  /** Size of the values. Default: embedDim. */
  readonly vdim?: number | null;
  /** Whether tensors are [batch, length, size] and not [length, batch, size]. Default: false. */
  readonly batchFirst?: boolean;
}

export interface MultiheadAttentionOptions extends Structure, FactoryOptions {}

const RULES: Rules<Structure> = {
  dropout: number(0, { min: 0, max: 1 }),
  bias: boolean(true),
  addBiasKv: boolean(false),
  addZeroAttn: boolean(false),
  kdim: nullable(integer(1, 1)),
  vdim: nullable(integer(1, 1)),
  batchFirst: boolean(false),
};

const PLACES = [
  "dropout",
  "bias",
  "addBiasKv",
  "addZeroAttn",
  "kdim",
  "vdim",
  "batchFirst",
  "device",
  "dtype",
] as const satisfies readonly (keyof MultiheadAttentionOptions)[];

/** Passed between layers when no code sees in which order the output lies in memory (`functional/attention.ts`). */
export const IN_ANY_ORDER = Symbol("inAnyOrder");

export interface AttentionOptions<Needs extends boolean = boolean> extends AttentionMasks {
  /** Whether to give the weights too, which the fused operator cannot. Default: true. */
  readonly needWeights?: Needs;
  /** Gives the mean of the heads' weights, and not each. Default: true. */
  readonly averageAttnWeights?: boolean;
  /** @internal */
  readonly [IN_ANY_ORDER]?: boolean;
}

const CALL_RULES: Rules<Omit<AttentionOptions, "keyPaddingMask" | "attnMask" | typeof IN_ANY_ORDER>> = {
  isCausal: boolean(false),
  needWeights: boolean(true),
  averageAttnWeights: boolean(true),
};

/** What follows the value, at PyTorch's places; the others may follow by name. */
export type AttentionPlaces<Needs extends boolean> = [
  keyPaddingMask?: Tensor | null | AttentionOptions<Needs>,
  needWeights?: Needs | AttentionOptions<Needs>,
  attnMask?: Tensor | null | AttentionOptions<Needs>,
  averageAttnWeights?: boolean | AttentionOptions<Needs>,
  isCausal?: boolean,
];

const CALL_PLACES = ["keyPaddingMask", "needWeights", "attnMask", "averageAttnWeights", "isCausal"] as const;

type Attended<Needs extends boolean> = [output: Tensor, weights: Needs extends false ? null : Tensor];

const nativeAttention = makeOperator("_native_multi_head_attention") as (
  ...args: unknown[]
) => [Tensor, Tensor | null];

// Merging an interface is the way to give a class's instances a generic call signature, as in `Module`.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface MultiheadAttention {
  <Needs extends boolean = true>(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    ...given: AttentionPlaces<Needs>
  ): Attended<Needs>;
  <Needs extends boolean = true>(
    named: ByName & { query: Tensor; key: Tensor; value: Tensor } & AttentionOptions<Needs>,
  ): Attended<Needs>;
}

/**
 * `attention(query, key, value)` -> `[output, weights]`: query [target, batch, embedDim], key and value [source, batch,
 * ...], without the batch too. With `{ needWeights: false }` it runs as one fused operator.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class MultiheadAttention extends Module {
  readonly embedDim: number;
  readonly numHeads: number;
  readonly headDim: number;
  readonly kdim: number;
  readonly vdim: number;
  dropout: number;
  batchFirst: boolean;
  addZeroAttn: boolean;
  qProjWeight: Parameter | null;
  kProjWeight: Parameter | null;
  vProjWeight: Parameter | null;
  /** [3 * embedDim, embedDim], for keys and values of that size. */
  inProjWeight: Parameter | null;
  inProjBias: Parameter | null;
  biasK: Parameter | null;
  biasV: Parameter | null;
  readonly outProj: Linear;

  constructor(
    embedDim: number,
    numHeads: number,
    dropout?: number | MultiheadAttentionOptions,
    bias?: boolean | MultiheadAttentionOptions,
    addBiasKv?: boolean | MultiheadAttentionOptions,
    addZeroAttn?: boolean | MultiheadAttentionOptions,
    kdim?: number | null | MultiheadAttentionOptions,
    vdim?: number | null | MultiheadAttentionOptions,
    batchFirst?: boolean | MultiheadAttentionOptions,
    device?: DeviceText | null | MultiheadAttentionOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { embedDim: number; numHeads: number } & MultiheadAttentionOptions);
  constructor(embedDim: number, named: ByName & { numHeads: number } & MultiheadAttentionOptions);
  constructor(embedDim: number, numHeads: number);
  constructor(...all: unknown[]) {
    const [embedDim, numHeads, ...given] = neededByPlace<[embedDim: number, numHeads: number]>(
      ["embedDim", "numHeads"],
      all,
    );
    super();
    const call = "new nn.MultiheadAttention";
    const options = optionsByPlace<MultiheadAttentionOptions>(call, PLACES, given);
    const { read, factory } = readLayerOptions<Structure>(call, options, RULES);
    this.embedDim = checkInteger(call, "embedDim", embedDim, 1);
    this.numHeads = checkInteger(call, "numHeads", numHeads, 1);
    if (embedDim % numHeads !== 0) {
      throw new RangeError(
        `${call}: embedDim must be a multiple of numHeads, got ${embedDim} and ${numHeads}.`,
      );
    }
    this.headDim = embedDim / numHeads;
    this.kdim = read.kdim ?? embedDim;
    this.vdim = read.vdim ?? embedDim;
    this.dropout = read.dropout;
    this.batchFirst = read.batchFirst;
    this.addZeroAttn = read.addZeroAttn;
    const parameter = (...size: number[]) => emptyParameter(size, factory);
    const packed = this.kdim === embedDim && this.vdim === embedDim;
    this.qProjWeight = packed ? null : parameter(embedDim, embedDim);
    this.kProjWeight = packed ? null : parameter(embedDim, this.kdim);
    this.vProjWeight = packed ? null : parameter(embedDim, this.vdim);
    this.inProjWeight = packed ? parameter(3 * embedDim, embedDim) : null;
    this.inProjBias = read.bias ? parameter(3 * embedDim) : null;
    this.outProj = new Linear(embedDim, embedDim, { bias: read.bias, ...factory });
    this.biasK = read.addBiasKv ? parameter(1, 1, embedDim) : null;
    this.biasV = read.addBiasKv ? parameter(1, 1, embedDim) : null;
    this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: projections by Xavier's uniform distribution, biases 0. */
  resetParameters(): void {
    for (const weight of [this.inProjWeight, this.qProjWeight, this.kProjWeight, this.vProjWeight]) {
      if (weight) init.xavierUniform_(weight);
    }
    for (const bias of [this.inProjBias, this.inProjBias && this.outProj.bias]) {
      if (bias) init.constant_(bias, 0);
    }
    for (const bias of [this.biasK, this.biasV]) if (bias) init.xavierNormal_(bias);
  }

  override forward<Needs extends boolean = true>(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    ...others: AttentionPlaces<Needs>
  ): Attended<Needs>;
  override forward<Needs extends boolean = true>(...all: unknown[]): Attended<Needs> {
    const [query, key, value, ...given] = neededByPlace<[query: Tensor, key: Tensor, value: Tensor]>(
      ["query", "key", "value"],
      all,
    );
    const options = optionsByPlace<AttentionOptions<Needs>>(title(this), CALL_PLACES, given);
    if (options !== undefined && !isRecord(options))
      throw new TypeError(
        `${title(this)}: the options must be an object like { attnMask: ... }, got ${describe(options)}.`,
      );
    const {
      keyPaddingMask = null,
      attnMask = null,
      [IN_ANY_ORDER]: inAnyOrder = false,
      ...others
    }: AttentionOptions = options ?? {};
    const read = readOptions(title(this), others as object, CALL_RULES);
    const batched = this._checkInputs(query, key, value);
    if (batched && this._canRunFused(query, key, value)) {
      return this._runFused(query, keyPaddingMask, attnMask, read) as Attended<Needs>;
    }
    const reorder = batched
      ? (x: Tensor) => (this.batchFirst ? x.transpose(0, 1) : x)
      : (x: Tensor) => x.unsqueeze(1);
    // One tensor stays one, so that its projections are one product.
    const q = reorder(query);
    const k = key === query ? q : reorder(key);
    const v = value === key ? k : value === query ? q : reorder(value);
    const { outProj } = this;
    const [output, weights] = multiHeadAttentionForward(
      title(this),
      q,
      k,
      v,
      {
        inProjWeight: this.inProjWeight,
        qProjWeight: this.qProjWeight,
        kProjWeight: this.kProjWeight,
        vProjWeight: this.vProjWeight,
        inProjBias: this.inProjBias,
        biasK: this.biasK,
        biasV: this.biasV,
        outProjWeight: outProj.weight,
        outProjBias: outProj.bias,
      },
      {
        ...read,
        keyPaddingMask: batched || keyPaddingMask === null ? keyPaddingMask : keyPaddingMask.unsqueeze(0),
        attnMask,
        numHeads: this.numHeads,
        addZeroAttn: this.addZeroAttn,
        dropout: this.dropout,
        training: this.training,
        inAnyOrder,
      },
    );
    if (!batched) return [output.squeeze(1), weights && weights.squeeze(0)] as Attended<Needs>;
    return [this.batchFirst ? output.transpose(0, 1) : output, weights] as Attended<Needs>;
  }

  /** Whether there is a batch. */
  private _checkInputs(query: Tensor, key: Tensor, value: Tensor): boolean {
    const shapes = [query, key, value].map((input) => inputShape(this, input));
    const sizes = [this.embedDim, this.kdim, this.vdim];
    const dimensions = shapes[0]!.length;
    const fits =
      (dimensions === 2 || dimensions === 3) &&
      shapes.every((shape, i) => shape.length === dimensions && shape.at(-1) === sizes[i]) &&
      shapes[1]!.slice(0, -1).join() === shapes[2]!.slice(0, -1).join() &&
      (dimensions === 2 || shapes[0]![this.batchFirst ? 0 : 1] === shapes[1]![this.batchFirst ? 0 : 1]);
    if (fits) return dimensions === 3;
    const order = this.batchFirst ? ["batch, target", "batch, source"] : ["target, batch", "source, batch"];
    throw new RangeError(
      `${title(this)}: query, key and value must be [${order[0]}, ${sizes[0]}], [${order[1]}, ${sizes[1]}] and [${order[1]}, ${sizes[2]}], ` +
        `got shapes ${shapes.map((shape) => `[${shape.join(", ")}]`).join(", ")}.`,
    );
  }

  /** PyTorch's conditions for its inference kernel, but for devices: `mps` has none. */
  private _canRunFused(query: Tensor, key: Tensor, value: Tensor): boolean {
    if (this.training || query !== key || key !== value || !this.batchFirst || this.numHeads % 2 !== 0)
      return false;
    if (!this.inProjWeight || !this.inProjBias || this.biasK || this.addZeroAttn) return false;
    if (native.dtype(query) !== native.dtype(this.inProjWeight) || native.device(query).startsWith("mps"))
      return false;
    if (!native.gradEnabled()) return true;
    return ![query, ...this.parameters()].some((tensor) => native.requiresGrad(tensor));
  }

  private _runFused(
    query: Tensor,
    keyPaddingMask: Tensor | null,
    attnMask: Tensor | null,
    { needWeights, averageAttnWeights }: { needWeights: boolean; averageAttnWeights: boolean },
  ): [Tensor, Tensor | null] {
    const [mask, maskType] = this.mergeMasks(query, keyPaddingMask, attnMask);
    const [output, weights] = nativeAttention(
      query,
      query,
      query,
      this.embedDim,
      this.numHeads,
      this.inProjWeight,
      this.inProjBias,
      this.outProj.weight,
      this.outProj.bias,
      mask,
      needWeights,
      averageAttnWeights,
      maskType,
    );
    return [output, needWeights ? weights : null];
  }

  /** The masks as the fused kernels take them: the mask, and 1 for padding only, 2 for [batch, heads, ...]. */
  mergeMasks(
    query: Tensor,
    keyPaddingMask: Tensor | null,
    attnMask: Tensor | null,
  ): [mask: Tensor | null, type: 1 | 2 | null] {
    const dtype = native.dtype(query);
    const padding = additiveMask(title(this), "keyPaddingMask", keyPaddingMask, dtype);
    const attention = additiveMask(title(this), "attnMask", attnMask, dtype);
    if (!attention) return [padding, padding ? 1 : null];
    const [batch, length] = native.shape(query) as [number, number];
    const shape = native.shape(attention);
    if (
      shape.join() !== `${length},${length}` &&
      shape.join() !== `${batch * this.numHeads},${length},${length}`
    ) {
      throw new RangeError(
        `${title(this)}: attnMask must be [${length}, ${length}] or [${batch * this.numHeads}, ${length}, ${length}], got ${describe(shape)}.`,
      );
    }
    const wide =
      shape.length === 3
        ? attention.view([batch, -1, length, length])
        : attention.view([1, 1, length, length]).expand([batch, this.numHeads, -1, -1]);
    if (!padding) return [wide, 2];
    return [wide.add(padding.view([batch, 1, 1, length]).expand([-1, this.numHeads, -1, -1])), 2];
  }

  override extraRepr(): string {
    const parts = [`${this.embedDim}, ${this.numHeads}`];
    if (this.dropout !== 0) parts.push(`dropout=${this.dropout}`);
    if (this.kdim !== this.embedDim) parts.push(`kdim=${this.kdim}`);
    if (this.vdim !== this.embedDim) parts.push(`vdim=${this.vdim}`);
    if (this.batchFirst) parts.push("batchFirst=true");
    return parts.join(", ");
  }
}

keepNothing(MultiheadAttention);
