// Normalization by the statistics of a batch, of a layer's features, or of groups of channels.
import { checkBoolean, checkInteger, checkNumber, checkOptions } from "../arguments.ts";
import { noGrad } from "../autograd.ts";
import { native } from "../native.ts";
import { torchFunctions } from "../operators.ts";
import type { Tensor } from "../tensor.ts";
import { checkChannels, inputShape } from "./input.ts";
import { filledBuffer, filledParameter, type FactoryOptions } from "./factory.ts";
import { Module } from "./module.ts";
import type { Buffer, Parameter } from "./parameter.ts";
import { keepNothing } from "./transient.ts";

export interface BatchNormOptions extends FactoryOptions {
  /** Added to the variance, 1e-5 unless given. */
  readonly eps?: number;
  /** Weight of the newest batch in the running statistics, 0.1 unless given; null for the mean over all batches. */
  readonly momentum?: number | null;
  /** Learns a scale and a shift for each channel; true unless given. */
  readonly affine?: boolean;
  /** Keeps running statistics, which `eval()` normalizes by; true unless given. */
  readonly trackRunningStats?: boolean;
}

const BATCH_NORM_OPTIONS = ["eps", "momentum", "affine", "trackRunningStats", "device", "dtype"] as const;

abstract class BatchNorm extends Module {
  readonly numFeatures: number;
  readonly eps: number;
  readonly momentum: number | null;
  weight: Parameter | null;
  bias: Parameter | null;
  runningMean: Buffer | null;
  runningVar: Buffer | null;
  numBatchesTracked: Buffer | null;

  constructor(numFeatures: number, options?: BatchNormOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const {
      eps = 1e-5,
      momentum = 0.1,
      affine = true,
      trackRunningStats = true,
      ...factory
    } = checkOptions<BatchNormOptions>(call, options, BATCH_NORM_OPTIONS);
    this.numFeatures = checkInteger(call, "numFeatures", numFeatures, 1);
    this.eps = checkNumber(call, "eps", eps, { least: 0 });
    this.momentum = momentum === null ? null : checkNumber(call, "momentum", momentum, { least: 0, most: 1 });
    const size = [numFeatures];
    const learns = checkBoolean(call, "affine", affine);
    this.weight = learns ? filledParameter(size, 1, factory) : null;
    this.bias = learns ? filledParameter(size, 0, factory) : null;
    const tracks = checkBoolean(call, "trackRunningStats", trackRunningStats);
    this.runningMean = tracks ? filledBuffer(size, 0, factory) : null;
    this.runningVar = tracks ? filledBuffer(size, 1, factory) : null;
    this.numBatchesTracked = tracks ? filledBuffer([], 0, { ...factory, dtype: "int64" }) : null;
  }

  protected abstract checkInput(input: Tensor): void;

  /** Counts the batch. Returns its weight in the running statistics. */
  #countBatch(): number {
    if (!this.training || !this.numBatchesTracked) return this.momentum ?? 0;
    const counted = this.numBatchesTracked;
    noGrad(() => counted.add_(1));
    return this.momentum ?? 1 / Number(native.item(counted));
  }

  override forward(input: Tensor): Tensor {
    this.checkInput(input);
    const momentum = this.#countBatch();
    const { weight, bias, runningMean, runningVar, eps } = this;
    const usesBatch = this.training || !runningMean;
    return torchFunctions.batchNorm(
      input,
      weight,
      bias,
      runningMean,
      runningVar,
      usesBatch,
      momentum,
      eps,
      true,
    );
  }

  override extraRepr(): string {
    return (
      `${this.numFeatures}, eps=${this.eps}, momentum=${this.momentum}, affine=${this.weight !== null}, ` +
      `trackRunningStats=${this.runningMean !== null}`
    );
  }
}

/** Over [batch, channels] or [batch, channels, length]. */
export class BatchNorm1d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    const shape = inputShape(this, input);
    if ((shape.length === 2 || shape.length === 3) && shape[1] === this.numFeatures) return;
    throw new RangeError(
      `${this}: the input must be [batch, ${this.numFeatures}] or [batch, ${this.numFeatures}, length], got shape [${shape.join(", ")}].`,
    );
  }
}

/** Over [batch, channels, height, width]. */
export class BatchNorm2d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 2, this.numFeatures, true);
  }
}

/** Over [batch, channels, depth, height, width]. */
export class BatchNorm3d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 3, this.numFeatures, true);
  }
}

export interface LayerNormOptions extends FactoryOptions {
  readonly eps?: number;
  /** Learns a scale and a shift for each element; true unless given. */
  readonly elementwiseAffine?: boolean;
  readonly bias?: boolean;
}

function checkNormalizedShape(layer: Module, input: Tensor, normalized: readonly number[]): void {
  const shape = inputShape(layer, input);
  if (shape.slice(-normalized.length).join() !== normalized.join()) {
    throw new RangeError(
      `${layer}: the input's last dimensions must be [${normalized.join(", ")}], got shape [${shape.join(", ")}].`,
    );
  }
}

function checkedShape(call: string, normalizedShape: number | readonly number[]): number[] {
  const shape = typeof normalizedShape === "number" ? [normalizedShape] : [...normalizedShape];
  if (shape.length === 0)
    throw new RangeError(`${call}: normalizedShape must name at least one dimension, got [].`);
  return shape.map((size, i) => checkInteger(call, `normalizedShape[${i}]`, size, 1));
}

/** Over the last dimensions of each item. */
export class LayerNorm extends Module {
  readonly normalizedShape: readonly number[];
  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(normalizedShape: number | readonly number[], options?: LayerNormOptions) {
    super();
    const call = "new nn.LayerNorm";
    const {
      eps = 1e-5,
      elementwiseAffine = true,
      bias = true,
      ...factory
    } = checkOptions<LayerNormOptions>(call, options, [
      "eps",
      "elementwiseAffine",
      "bias",
      "device",
      "dtype",
    ]);
    this.normalizedShape = checkedShape(call, normalizedShape);
    this.eps = checkNumber(call, "eps", eps, { least: 0 });
    const learns = checkBoolean(call, "elementwiseAffine", elementwiseAffine);
    const shifts = checkBoolean(call, "bias", bias) && learns;
    this.weight = learns ? filledParameter(this.normalizedShape, 1, factory) : null;
    this.bias = shifts ? filledParameter(this.normalizedShape, 0, factory) : null;
  }

  override forward(input: Tensor): Tensor {
    checkNormalizedShape(this, input, this.normalizedShape);
    return torchFunctions.layerNorm(input, this.normalizedShape, this.weight, this.bias, this.eps);
  }

  override extraRepr(): string {
    return (
      `[${this.normalizedShape.join(", ")}], eps=${this.eps}, elementwiseAffine=${this.weight !== null}, ` +
      `bias=${this.bias !== null}`
    );
  }
}

/** Over the last dimensions of each item, by their root mean square alone. */
export class RMSNorm extends Module {
  readonly normalizedShape: readonly number[];
  readonly eps: number | null;
  weight: Parameter | null;

  constructor(
    normalizedShape: number | readonly number[],
    options?: FactoryOptions & { readonly eps?: number | null; readonly elementwiseAffine?: boolean },
  ) {
    super();
    const call = "new nn.RMSNorm";
    const known = ["eps", "elementwiseAffine", "device", "dtype"] as const;
    const { eps = null, elementwiseAffine = true, ...factory } = checkOptions(call, options, known);
    this.normalizedShape = checkedShape(call, normalizedShape);
    this.eps = eps === null ? null : checkNumber(call, "eps", eps, { least: 0 });
    const learns = checkBoolean(call, "elementwiseAffine", elementwiseAffine);
    this.weight = learns ? filledParameter(this.normalizedShape, 1, factory) : null;
  }

  override forward(input: Tensor): Tensor {
    checkNormalizedShape(this, input, this.normalizedShape);
    return torchFunctions.rmsNorm(input, this.normalizedShape, this.weight, this.eps);
  }

  override extraRepr(): string {
    return `[${this.normalizedShape.join(", ")}], eps=${this.eps}, elementwiseAffine=${this.weight !== null}`;
  }
}

/** Over groups of channels of each item. */
export class GroupNorm extends Module {
  readonly numGroups: number;
  readonly numChannels: number;
  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    numGroups: number,
    numChannels: number,
    options?: FactoryOptions & { readonly eps?: number; readonly affine?: boolean },
  ) {
    super();
    const call = "new nn.GroupNorm";
    const {
      eps = 1e-5,
      affine = true,
      ...factory
    } = checkOptions(call, options, ["eps", "affine", "device", "dtype"]);
    this.numGroups = checkInteger(call, "numGroups", numGroups, 1);
    this.numChannels = checkInteger(call, "numChannels", numChannels, 1);
    if (numChannels % numGroups !== 0) {
      throw new RangeError(
        `${call}: numChannels must be a multiple of numGroups, got ${numChannels} and ${numGroups}.`,
      );
    }
    this.eps = checkNumber(call, "eps", eps, { least: 0 });
    const learns = checkBoolean(call, "affine", affine);
    this.weight = learns ? filledParameter([numChannels], 1, factory) : null;
    this.bias = learns ? filledParameter([numChannels], 0, factory) : null;
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    if (shape[1] !== this.numChannels) {
      throw new RangeError(
        `${this}: the input must be [batch, ${this.numChannels}, ...], got shape [${shape.join(", ")}].`,
      );
    }
    return torchFunctions.groupNorm(input, this.numGroups, this.weight, this.bias, this.eps);
  }

  override extraRepr(): string {
    return `${this.numGroups}, ${this.numChannels}, eps=${this.eps}, affine=${this.weight !== null}`;
  }
}

keepNothing(BatchNorm, LayerNorm, RMSNorm, GroupNorm);
