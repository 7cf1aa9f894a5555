// Normalization of each item over groups of channels.
import { checkBoolean, checkInteger, checkNumber, checkOptions } from "../../vocabulary/arguments.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { inputShape } from "../input.ts";
import { filledParameter, type FactoryOptions } from "../factory.ts";
import { ones_, zeros_ } from "../init/init.ts";
import { Module } from "../module/base.ts";
import type { Parameter } from "../module/parameter.ts";
import { keepNothing } from "../module/transient.ts";
import type { LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface GroupNorm extends LayerCall<""> {}

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
