// Normalization of each channel of each item by its own statistics (Ulyanov et al., arXiv:1607.08022).
import { neededByPlace } from "../../vocabulary/arguments_by_name.ts";
import { native } from "../../engine/native.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChannels } from "../input.ts";
import { keepNothing } from "../module/transient.ts";
import { PLAIN_RULES, RunningNorm, type RunningNormOptions } from "./running.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface InstanceNormOptions extends RunningNormOptions {}

interface InstanceNorm extends LayerCall<""> {}

abstract class InstanceNorm extends RunningNorm {
  protected abstract get spatial(): number;

  /** `affine` and `trackRunningStats` are false by default. */
  constructor(named: ByName & { numFeatures: number } & InstanceNormOptions);
  constructor(
    numFeatures: number,
    eps?: number | InstanceNormOptions,
    momentum?: number | null | InstanceNormOptions,
    affine?: boolean | InstanceNormOptions,
    trackRunningStats?: boolean | InstanceNormOptions,
    device?: DeviceText | null | InstanceNormOptions,
    dtype?: DType | null,
  );
  constructor(...all: unknown[]) {
    const [numFeatures, ...given] = neededByPlace<[numFeatures: number]>(["numFeatures"], all);
    super(numFeatures, given, PLAIN_RULES);
  }

  protected override checkInput(input: Tensor): void {
    // Without a scale any number of channels is allowed, as in PyTorch.
    const channels = this.weight || this.runningMean ? this.numFeatures : null;
    checkChannels(this, input, this.spatial, channels);
    const values = native.shape(input).slice(-this.spatial);
    if (this.training || !this.runningMean) {
      if (values.reduce((product, size) => product * size, 1) !== 1) return;
      throw new RangeError(
        `${this}: one value a channel has no variance, got shape [${input.shape.join(", ")}].`,
      );
    }
  }

  override forward(input: Tensor): Tensor {
    this.checkInput(input);
    const batched = native.dim(input) === this.spatial + 2 ? input : input.unsqueeze(0);
    const { weight, bias, runningMean, runningVar, eps } = this;
    const usesInput = this.training || !runningMean;
    const output = torchFunctions.instanceNorm(
      batched,
      weight,
      bias,
      runningMean,
      runningVar,
      usesInput,
      this.momentum ?? 0,
      eps,
      true,
    );
    return batched === input ? output : output.squeeze(0);
  }
}

/** Normalizes [batch, channels, length] or [channels, length]. */
export class InstanceNorm1d extends InstanceNorm {
  protected override get spatial(): number {
    return 1;
  }
}

/** Normalizes [batch, channels, height, width] or [channels, height, width]. */
export class InstanceNorm2d extends InstanceNorm {
  protected override get spatial(): number {
    return 2;
  }
}

/** Normalizes [batch, channels, depth, height, width] or [channels, depth, height, width]. */
export class InstanceNorm3d extends InstanceNorm {
  protected override get spatial(): number {
    return 3;
  }
}

keepNothing(InstanceNorm);
