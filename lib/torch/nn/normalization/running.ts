// Parts that batch and instance norms share: a scale and a shift for each channel, and running statistics.
import { checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, number, type Rule, type Rules } from "../../vocabulary/options.ts";
import { filledBuffer, filledParameter, type FactoryOptions, readLayerOptions } from "../factory.ts";
import { constant_, ones_, zeros_ } from "../init/init.ts";
import { Module } from "../module/base.ts";
import type { Buffer, Parameter } from "../module/parameter.ts";
import type { Tensor } from "../../tensor/tensor.ts";

interface Structure {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number;
  /** Weight of the newest batch in the running statistics. Default: 0.1; null for the mean over all batches. */
  readonly momentum?: number | null;
  /** Learns a scale and a shift for each channel. Default: true of batch, false of instance normalization. */
  readonly affine?: boolean;
  /** Keeps running statistics, which `eval()` normalizes by. Default: true of batch, false of instance normalization. */
  readonly trackRunningStats?: boolean;
}

export interface RunningNormOptions extends Structure, FactoryOptions {}

const momentum: Rule<number | null> = {
  fallback: 0.1,
  check: (call, name, value) => (value === null ? null : checkNumber(call, name, value, { min: 0, max: 1 })),
};

/** @param learns the default of `affine` and of `trackRunningStats` */
const rulesOf = (learns: boolean): Rules<Structure> => ({
  eps: number(1e-5, { min: 0 }),
  momentum,
  affine: boolean(learns),
  trackRunningStats: boolean(learns),
});

/** The rules of batch norms and of lazy instance norms. */
export const LEARNING_RULES = rulesOf(true);
/** The rules of instance norms. */
export const PLAIN_RULES = rulesOf(false);

/** What follows the number of features, by place. */
export const RUNNING_PLACES = [
  "eps",
  "momentum",
  "affine",
  "trackRunningStats",
  "device",
  "dtype",
] as const satisfies readonly (keyof RunningNormOptions)[];

/** Norms that may keep running means and variances for `eval()`: what `BatchNorm` and `InstanceNorm` share. */
export abstract class RunningNorm extends Module {
  readonly numFeatures: number;
  eps: number;
  momentum: number | null;
  weight: Parameter | null;
  bias: Parameter | null;
  runningMean: Buffer | null;
  runningVar: Buffer | null;
  numBatchesTracked: Buffer | null;

  protected constructor(
    numFeatures: number,
    given: readonly unknown[],
    rules: Rules<Structure>,
    places: readonly (keyof RunningNormOptions)[] = RUNNING_PLACES,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<RunningNormOptions>(call, places, given);
    const { read, factory } = readLayerOptions<Structure>(call, options, rules);
    const { eps, affine: learns, trackRunningStats: tracks } = read;
    this.numFeatures = checkInteger(call, "numFeatures", numFeatures, 1);
    this.eps = eps;
    this.momentum = read.momentum;
    const size = [numFeatures];
    this.weight = learns ? filledParameter(size, 1, factory) : null;
    this.bias = learns ? filledParameter(size, 0, factory) : null;
    this.runningMean = tracks ? filledBuffer(size, 0, factory) : null;
    this.runningVar = tracks ? filledBuffer(size, 1, factory) : null;
    this.numBatchesTracked = tracks ? filledBuffer([], 0, { ...factory, dtype: "int64" }) : null;
  }

  protected abstract checkInput(input: Tensor): void;

  /** Forgets the batches seen. */
  resetRunningStats(): void {
    if (this.runningMean) zeros_(this.runningMean);
    if (this.runningVar) ones_(this.runningVar);
    if (this.numBatchesTracked) constant_(this.numBatchesTracked, 0);
  }

  /** Forgets the batches seen, and what was learnt. */
  resetParameters(): void {
    this.resetRunningStats();
    if (this.weight) ones_(this.weight);
    if (this.bias) zeros_(this.bias);
  }

  override extraRepr(): string {
    return (
      `${this.numFeatures}, eps=${this.eps}, momentum=${this.momentum}, affine=${this.weight !== null}, ` +
      `trackRunningStats=${this.runningMean !== null}`
    );
  }
}
