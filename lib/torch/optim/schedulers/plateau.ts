// Lowers the learning rate when a metric stops improving.
import { checkNumber, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import {
  checkedLater,
  choice,
  integer,
  number,
  type OpenRules,
  readOptions,
} from "../../vocabulary/options.ts";
import type { OptionsAt } from "../../types/index.ts";
import { refuseInCapture } from "../../engine/captured_effects.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import {
  LRScheduler,
  optimizerFirst,
  perGroup,
  requireOptimizer,
  type Scheduled,
  type WithOptimizer,
} from "./scheduler.ts";

export interface PlateauOptions {
  /** Whether the metric shall fall ("min") or rise ("max"). Default: "min". */
  readonly mode?: "min" | "max";
  /** The factor of the rate. Default: 0.1. */
  readonly factor?: number;
  /** Epochs without improvement that are let pass. Default: 10. */
  readonly patience?: number;
  /** How much better counts as better. Default: 1e-4. */
  readonly threshold?: number;
  /** Whether the threshold is a share of the best ("rel") or an amount ("abs"). Default: "rel". */
  readonly thresholdMode?: "rel" | "abs";
  /** Epochs after a reduction that do not count. Default: 0. */
  readonly cooldown?: number;
  /** Least rate, for all groups or for each. Default: 0. */
  readonly minLr?: number | readonly number[];
  /** Least change of the rate that is made. Default: 1e-8. */
  readonly eps?: number;
}

const RULES = {
  mode: choice("min", ["min", "max"]),
  factor: number(0.1, { min: 0, max: 1, below: true }),
  patience: integer(10, 0),
  threshold: number(1e-4, { min: 0 }),
  thresholdMode: choice("rel", ["rel", "abs"]),
  cooldown: integer(0, 0),
  minLr: checkedLater<number | readonly number[]>(0),
  eps: number(1e-8, { min: 0 }),
} satisfies OpenRules<PlateauOptions>;

const PLACES = [
  "mode",
  "factor",
  "patience",
  "threshold",
  "thresholdMode",
  "cooldown",
  "minLr",
  "eps",
] as const;

/** `scheduler.step(validationLoss)` after each epoch. */
export class ReduceLROnPlateau extends LRScheduler {
  readonly mode: "min" | "max";
  readonly factor: number;
  readonly patience: number;
  readonly threshold: number;
  readonly thresholdMode: "rel" | "abs";
  readonly cooldown: number;
  readonly eps: number;
  protected minLrs: number[];
  /** The best metric so far. */
  best: number;
  numBadEpochs = 0;
  protected cooldownCounter = 0;

  constructor(optimizer: Scheduled, ...options: OptionsAt<PlateauOptions, typeof PLACES>);
  constructor(named: WithOptimizer<PlateauOptions>);
  constructor(optimizer: Scheduled, options?: PlateauOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    const call = "new optim.lrScheduler.ReduceLROnPlateau";
    requireOptimizer(call, optimizer);
    super(optimizer);
    const read = readOptions(call, optionsByPlace<PlateauOptions>(call, PLACES, placed), RULES);
    this.mode = read.mode;
    this.factor = read.factor;
    this.patience = read.patience;
    this.threshold = read.threshold;
    this.thresholdMode = read.thresholdMode;
    this.cooldown = read.cooldown;
    this.minLrs = perGroup(call, "minLr", optimizer, read.minLr, checkNumber);
    this.eps = read.eps;
    this.best = this.mode === "min" ? Infinity : -Infinity;
    this.lastEpoch = 0;
  }

  protected override get stateKeys() {
    return { baseLrs: null };
  }

  override step(metric?: number | Tensor): void {
    const call = "ReduceLROnPlateau.step";
    refuseInCapture(
      () => `${call} reads a metric on the host, which a replay does not: call it outside of the step.`,
    );
    const current = native.isTensor(metric) ? metric.item() : metric;
    if (typeof current !== "number")
      throw new TypeError(
        `${call}: expected the metric, a number or a tensor of one element, got ${describe(metric)}.`,
      );
    this.lastEpoch++;
    if (this.#isBetter(current)) {
      this.best = current;
      this.numBadEpochs = 0;
    } else this.numBadEpochs++;
    if (this.cooldownCounter > 0) {
      this.cooldownCounter--;
      this.numBadEpochs = 0;
    }
    if (this.numBadEpochs > this.patience) {
      this.cooldownCounter = this.cooldown;
      this.numBadEpochs = 0;
      this.set(this.nextRates());
    } else this.set(this.rates());
  }

  #isBetter(metric: number): boolean {
    const { threshold, best } = this;
    const sign = this.mode === "min" ? -1 : 1;
    const bound = this.thresholdMode === "rel" ? best * (1 + sign * threshold) : best + sign * threshold;
    return this.mode === "min" ? metric < bound : metric > bound;
  }

  protected override nextRates(): number[] {
    return this.rates().map((lr, i) => {
      const lower = Math.max(lr * this.factor, this.minLrs[i] ?? 0);
      return lr - lower > this.eps ? lower : lr;
    });
  }
}
