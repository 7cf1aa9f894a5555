// Normalization of each channel by the statistics of the batch, or by running ones under `eval()`.
import { neededByPlace } from "../../vocabulary/arguments_by_name.ts";
import { noGrad } from "../../autograd/autograd.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChannels, inputShape } from "../input.ts";
import { keepNothing } from "../module/transient.ts";
import { LEARNING_RULES, RunningNorm, type RunningNormOptions } from "./running.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface BatchNormOptions extends RunningNormOptions {}

export interface BatchNorm extends LayerCall<""> {}

/** The base class of the layers that normalize over batches. */
export abstract class BatchNorm extends RunningNorm {
  /** `affine` and `trackRunningStats` are true by default. */
  constructor(named: ByName & { numFeatures: number } & BatchNormOptions);
  constructor(
    numFeatures: number,
    eps?: number | BatchNormOptions,
    momentum?: number | null | BatchNormOptions,
    affine?: boolean | BatchNormOptions,
    trackRunningStats?: boolean | BatchNormOptions,
    device?: DeviceText | null | BatchNormOptions,
    dtype?: DType | null,
  );
  constructor(...all: unknown[]) {
    const [numFeatures, ...given] = neededByPlace<[numFeatures: number]>(["numFeatures"], all);
    super(numFeatures, given, LEARNING_RULES);
  }

  /** Counts the batch. Returns its weight in the running statistics. */
  private _countBatch(): number {
    if (!this.training || !this.numBatchesTracked) return this.momentum ?? 0;
    const counted = this.numBatchesTracked;
    noGrad(() => counted.add_(1));
    return this.momentum ?? 1 / Number(native.item(counted));
  }

  override forward(input: Tensor): Tensor {
    this.checkInput(input);
    const { weight, bias, runningMean, runningVar, eps } = this;
    const usesBatch = this.training || !runningMean;
    if (usesBatch && native.numel(input) === this.numFeatures && native.shape(input)[0] === 1) {
      throw new RangeError(
        `${this}: one value a channel has no variance, got shape [${input.shape.join(", ")}]; ` +
          `give a larger batch, or call eval().`,
      );
    }
    const momentum = this._countBatch();
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
}

/** Normalizes [batch, channels] or [batch, channels, length]. */
export class BatchNorm1d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    const shape = inputShape(this, input);
    if ((shape.length === 2 || shape.length === 3) && shape[1] === this.numFeatures) return;
    throw new RangeError(
      `${this}: the input must be [batch, ${this.numFeatures}] or [batch, ${this.numFeatures}, length], got shape [${shape.join(", ")}].`,
    );
  }
}

/** Normalizes [batch, channels, height, width]. */
export class BatchNorm2d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 2, this.numFeatures, true);
  }
}

/** Normalizes [batch, channels, depth, height, width]. */
export class BatchNorm3d extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 3, this.numFeatures, true);
  }
}

/**
 * BatchNorm over the batches of all processes, [batch, channels, ...]. There is one process here, so its batch is the
 * whole one: the same numbers as BatchNorm, and the same keys.
 */
export class SyncBatchNorm extends BatchNorm {
  protected override checkInput(input: Tensor): void {
    const shape = inputShape(this, input);
    if (shape.length >= 2 && shape[1] === this.numFeatures) return;
    throw new RangeError(
      `${this}: the input must be [batch, ${this.numFeatures}, ...], got shape [${shape.join(", ")}].`,
    );
  }
}

keepNothing(BatchNorm);
