// Normalization of each item over groups of channels.
import { checkInteger } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { boolean, number, type Rules } from "../../vocabulary/options.ts";
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

interface GroupNormStructure {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number;
  /** Learns a scale and a shift for each channel. Default: true. */
  readonly affine?: boolean;
}

export interface GroupNormOptions extends GroupNormStructure, FactoryOptions {}

const RULES: Rules<GroupNormStructure> = { eps: number(1e-5, { min: 0 }), affine: boolean(true) };

export interface GroupNorm extends LayerCall<""> {}

/** Normalizes groups of channels of each item. */
export class GroupNorm extends Module {
  readonly numGroups: number;
  readonly numChannels: number;
  eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    numGroups: number,
    numChannels: number,
    eps?: number | GroupNormOptions,
    affine?: boolean | GroupNormOptions,
    device?: DeviceText | null | GroupNormOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { numGroups: number; numChannels: number } & GroupNormOptions);
  constructor(numGroups: number, named: ByName & { numChannels: number } & GroupNormOptions);
  constructor(numGroups: number, numChannels: number);
  constructor(...all: unknown[]) {
    const [numGroups, numChannels, ...given] = neededByPlace<[numGroups: number, numChannels: number]>(
      ["numGroups", "numChannels"],
      all,
    );
    super();
    const call = "new nn.GroupNorm";
    const places = ["eps", "affine", "device", "dtype"] as const;
    const options = optionsByPlace<GroupNormOptions>(call, places, given);
    const { read, factory } = readLayerOptions<GroupNormStructure>(call, options, RULES);
    this.numGroups = checkInteger(call, "numGroups", numGroups, 1);
    this.numChannels = checkInteger(call, "numChannels", numChannels, 1);
    if (numChannels % numGroups !== 0) {
      throw new RangeError(
        `${call}: numChannels must be a multiple of numGroups, got ${numChannels} and ${numGroups}.`,
      );
    }
    this.eps = read.eps;
    this.weight = read.affine ? filledParameter([numChannels], 1, factory) : null;
    this.bias = read.affine ? filledParameter([numChannels], 0, factory) : null;
  }

  /** Sets the scale to 1 and the shift to 0. */
  resetParameters(): void {
    if (this.weight) ones_(this.weight);
    if (this.bias) zeros_(this.bias);
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

keepNothing(GroupNorm);
