// Cyclic learning rates (Smith, arXiv:1506.01186): up and down between two rates, with every batch.
import {
  checkBoolean,
  checkChoice,
  checkInteger,
  checkNumber,
  describe,
} from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { OptionsAt } from "../../types/index.ts";
import { momentumRange, setMomentum, type MomentumRange } from "./momentum.ts";
import {
  LRScheduler,
  optimizerFirst,
  perGroup,
  requireOptimizer,
  type Scheduled,
  type SchedulerState,
  type WithOptimizer,
} from "./scheduler.ts";

export interface CyclicOptions {
  /** Steps up. Default: 2000. */
  readonly stepSizeUp?: number;
  /** Steps down. Default: as many as up. */
  readonly stepSizeDown?: number | null;
  /**
   * Cycles of one height, of half the height each time, or of a height that falls by `gamma` each step. Default:
   * "triangular".
   */
  readonly mode?: "triangular" | "triangular2" | "expRange";
  /** The height's factor each step in mode "expRange". Default: 1. */
  readonly gamma?: number;
  /**
   * The height's factor, in place of a mode's: a function of the cycle, or of the steps, as `scaleMode` says. Default:
   * none.
   */
  readonly scaleFn?: ((x: number) => number) | null;
  /** The argument of `scaleFn`. Default: "cycle". */
  readonly scaleMode?: "cycle" | "iterations";
  /** Moves the momentum against the rate. Default: true. */
  readonly cycleMomentum?: boolean;
  /** The least momentum, where the rate is highest. Default: 0.8. */
  readonly baseMomentum?: number | readonly number[];
  /** The greatest momentum, where the rate is lowest. Default: 0.9. */
  readonly maxMomentum?: number | readonly number[];
}

/** The required options. */
export interface CyclicRates {
  /** The lowest rate, one for all groups or one for each. */
  readonly baseLr: number | readonly number[];
  /** The highest, likewise. */
  readonly maxLr: number | readonly number[];
}

const OPTIONS = [
  "stepSizeUp",
  "stepSizeDown",
  "mode",
  "gamma",
  "scaleFn",
  "scaleMode",
  "cycleMomentum",
  "baseMomentum",
  "maxMomentum",
] as const;

const checkRate = (call: string, name: string, value: unknown) => checkNumber(call, name, value, { min: 0 });

/** Moves the rate in cycles. Call `step()` after every batch. */
export class CyclicLR extends LRScheduler {
  protected maxLrs: number[];
  protected totalSize: number;
  protected stepRatio: number;
  protected scaleMode: "cycle" | "iterations";
  protected momentums: MomentumRange | null;
  readonly #scale: (x: number) => number;

  constructor(
    optimizer: Scheduled,
    baseLr: number | readonly number[],
    maxLr: number | readonly number[],
    options?: CyclicOptions,
  );
  constructor(
    optimizer: Scheduled,
    baseLr: number | readonly number[],
    maxLr: number | readonly number[],
    ...options: OptionsAt<CyclicOptions, typeof OPTIONS>
  );
  constructor(
    optimizer: Scheduled,
    baseLr: number | readonly number[],
    options: CyclicOptions & Pick<CyclicRates, "maxLr">,
  );
  constructor(named: WithOptimizer<CyclicOptions & CyclicRates>);
  constructor(optimizer: Scheduled, options: CyclicOptions & CyclicRates);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    const call = "new optim.lrScheduler.CyclicLR";
    requireOptimizer(call, optimizer);
    const form = { first: "optimizer", places: ["baseLr", "maxLr", ...OPTIONS] } as const;
    const given = argumentsByName<CyclicOptions & CyclicRates>(call, form, placed);
    const { baseLr, maxLr } = given as CyclicRates;
    const { stepSizeUp = 2000, mode = "triangular", gamma = 1, scaleFn = null, scaleMode = "cycle" } = given;
    const base = perGroup(call, "baseLr", optimizer, baseLr, checkRate);
    super(optimizer);
    this.baseLrs = base;
    this.maxLrs = perGroup(call, "maxLr", optimizer, maxLr, checkRate);
    const up = checkInteger(call, "stepSizeUp", stepSizeUp, 1);
    const down = checkInteger(call, "stepSizeDown", given.stepSizeDown ?? up, 1);
    this.totalSize = up + down;
    this.stepRatio = up / this.totalSize;
    checkNumber(call, "gamma", gamma);
    checkChoice(call, "mode", mode, ["triangular", "triangular2", "expRange"]);
    if (scaleFn !== null && typeof scaleFn !== "function")
      throw new TypeError(`${call}: scaleFn must be a function, got ${describe(scaleFn)}.`);
    const scales = {
      triangular: () => 1,
      triangular2: (cycle: number) => 1 / 2 ** (cycle - 1),
      expRange: (step: number) => gamma ** step,
    };
    this.#scale = scaleFn ?? scales[mode];
    checkChoice(call, "scaleMode", scaleMode, ["cycle", "iterations"]);
    this.scaleMode = scaleFn ? scaleMode : mode === "expRange" ? "iterations" : "cycle";
    const { cycleMomentum = true, baseMomentum = 0.8, maxMomentum = 0.9 } = given;
    this.momentums = checkBoolean(call, "cycleMomentum", cycleMomentum)
      ? momentumRange(call, optimizer, baseMomentum, maxMomentum)
      : null;
    this.start();
  }

  protected override get stateKeys() {
    return { momentums: null };
  }

  override stateDict(): SchedulerState {
    return { ...super.stateDict(), _scale_fn_custom: null };
  }

  protected override nextRates(): number[] {
    const cycle = Math.floor(1 + this.lastEpoch / this.totalSize);
    const x = 1 + this.lastEpoch / this.totalSize - cycle;
    const height = x <= this.stepRatio ? x / this.stepRatio : (x - 1) / (this.stepRatio - 1);
    const scale = this.#scale(this.scaleMode === "cycle" ? cycle : this.lastEpoch);
    if (this.momentums) {
      const { base, max } = this.momentums;
      for (const [i, group] of this.optimizer.paramGroups.entries())
        setMomentum(group, max[i]! - (max[i]! - base[i]!) * height * scale);
    }
    return this.baseLrs.map((lr, i) => lr + (this.maxLrs[i]! - lr) * height * scale);
  }
}
