// Normalization of each item over its last dimensions: by mean and variance, or by the root mean square alone.
import { checkInteger } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { boolean, nullable, number, type Rules } from "../../vocabulary/options.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { inputShape } from "../input.ts";
import { filledParameter, readLayerOptions, type FactoryOptions } from "../factory.ts";
import { ones_, zeros_ } from "../init/init.ts";
import { Module } from "../module/base.ts";
import type { Parameter } from "../module/parameter.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

interface LayerNormStructure {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number;
  /** Learns a scale and a shift for each element. Default: true. */
  readonly elementwiseAffine?: boolean;
  /** Whether it learns a shift beside the scale. Default: true. */
  readonly bias?: boolean;
}

export interface LayerNormOptions extends LayerNormStructure, FactoryOptions {}

const LAYER_RULES: Rules<LayerNormStructure> = {
  eps: number(1e-5, { min: 0 }),
  elementwiseAffine: boolean(true),
  bias: boolean(true),
};

/** Refuses an input of other last dimensions. */
export function checkNormalizedShape(layer: Module, input: Tensor, normalized: readonly number[]): void {
  const shape = inputShape(layer, input);
  if (shape.slice(-normalized.length).join() !== normalized.join()) {
    throw new RangeError(
      `${layer}: the input's last dimensions must be [${normalized.join(", ")}], got shape [${shape.join(", ")}].`,
    );
  }
}

function checkedShape(call: string, normalizedShape: number | readonly number[]): number[] {
  const shape = Array.isArray(normalizedShape) ? [...normalizedShape] : [normalizedShape];
  if (shape.length === 0)
    throw new RangeError(`${call}: normalizedShape must name at least one dimension, got [].`);
  return shape.map((size, i) => checkInteger(call, `normalizedShape[${i}]`, size, 1));
}

export interface LayerNorm extends LayerCall<""> {}

/** Normalizes the last dimensions of each item. */
export class LayerNorm extends Module {
  readonly normalizedShape: readonly number[];
  eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    normalizedShape: number | readonly number[],
    eps?: number | LayerNormOptions,
    elementwiseAffine?: boolean | LayerNormOptions,
    bias?: boolean | LayerNormOptions,
    device?: DeviceText | null | LayerNormOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { normalizedShape: number | readonly number[] } & LayerNormOptions);
  constructor(normalizedShape: number | readonly number[]);
  constructor(...all: unknown[]) {
    const [normalizedShape, ...given] = neededByPlace<[normalizedShape: number | readonly number[]]>(
      ["normalizedShape"],
      all,
    );
    super();
    const call = "new nn.LayerNorm";
    const places = ["eps", "elementwiseAffine", "bias", "device", "dtype"] as const;
    const options = optionsByPlace<LayerNormOptions>(call, places, given);
    const { read, factory } = readLayerOptions<LayerNormStructure>(call, options, LAYER_RULES);
    this.normalizedShape = checkedShape(call, normalizedShape);
    this.eps = read.eps;
    const shifts = read.bias && read.elementwiseAffine;
    this.weight = read.elementwiseAffine ? filledParameter(this.normalizedShape, 1, factory) : null;
    this.bias = shifts ? filledParameter(this.normalizedShape, 0, factory) : null;
  }

  /** Sets the scale to 1 and the shift to 0. */
  resetParameters(): void {
    if (this.weight) ones_(this.weight);
    if (this.bias) zeros_(this.bias);
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

interface RMSNormStructure {
  /** Added to the mean of the squares. Default: the dtype's smallest step at 1, as null. */
  readonly eps?: number | null;
  /** Learns a scale for each element. Default: true. */
  readonly elementwiseAffine?: boolean;
}

export interface RMSNormOptions extends RMSNormStructure, FactoryOptions {}

const RMS_RULES: Rules<RMSNormStructure> = {
  eps: nullable(number(0, { min: 0 })),
  elementwiseAffine: boolean(true),
};

export interface RMSNorm extends LayerCall<""> {}

/** Normalizes the last dimensions of each item by their root mean square alone. */
export class RMSNorm extends Module {
  readonly normalizedShape: readonly number[];
  eps: number | null;
  weight: Parameter | null;

  constructor(
    normalizedShape: number | readonly number[],
    eps?: number | null | RMSNormOptions,
    elementwiseAffine?: boolean | RMSNormOptions,
    device?: DeviceText | null | RMSNormOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { normalizedShape: number | readonly number[] } & RMSNormOptions);
  constructor(normalizedShape: number | readonly number[]);
  constructor(...all: unknown[]) {
    const [normalizedShape, ...given] = neededByPlace<[normalizedShape: number | readonly number[]]>(
      ["normalizedShape"],
      all,
    );
    super();
    const call = "new nn.RMSNorm";
    const places = ["eps", "elementwiseAffine", "device", "dtype"] as const;
    const options = optionsByPlace<RMSNormOptions>(call, places, given);
    const { read, factory } = readLayerOptions<RMSNormStructure>(call, options, RMS_RULES);
    this.normalizedShape = checkedShape(call, normalizedShape);
    this.eps = read.eps;
    this.weight = read.elementwiseAffine ? filledParameter(this.normalizedShape, 1, factory) : null;
  }

  /** Sets the scale to 1. */
  resetParameters(): void {
    if (this.weight) ones_(this.weight);
  }

  override forward(input: Tensor): Tensor {
    checkNormalizedShape(this, input, this.normalizedShape);
    return torchFunctions.rmsNorm(input, this.normalizedShape, this.weight, this.eps);
  }

  override extraRepr(): string {
    return `[${this.normalizedShape.join(", ")}], eps=${this.eps}, elementwiseAffine=${this.weight !== null}`;
  }
}

keepNothing(LayerNorm, RMSNorm);
