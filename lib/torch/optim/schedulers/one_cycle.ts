// The one-cycle policy (Smith and Topin, arXiv:1708.07120): up to a large rate and down to a tiny one, once.
import { checkBoolean, checkChoice, checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { OptionsAt } from "../../types/index.ts";
import { keptValues } from "../schedule_values.ts";
import { momentumRange, setMomentum, type MomentumRange } from "./momentum.ts";
import {
  LRScheduler,
  optimizerFirst,
  perGroup,
  requireOptimizer,
  type Scheduled,
  type WithOptimizer,
} from "./scheduler.ts";

export interface OneCycleOptions {
  /** Steps of the whole cycle; this, or `epochs` and `stepsPerEpoch`. Default: none. */
  readonly totalSteps?: number | null;
  /** The number of epochs; given with `stepsPerEpoch` instead of `totalSteps`. Default: none. */
  readonly epochs?: number | null;
  /** The number of steps in an epoch; given with `epochs` instead of `totalSteps`. Default: none. */
  readonly stepsPerEpoch?: number | null;
  /** Share of the steps that rise. Default: 0.3. */
  readonly pctStart?: number;
  /** How rates move from one level to the next. Default: "cos". */
  readonly annealStrategy?: "cos" | "linear";
  /** Moves the momentum against the rate. Default: true. */
  readonly cycleMomentum?: boolean;
  /** The least momentum, where the rate is highest. Default: 0.85. */
  readonly baseMomentum?: number | readonly number[];
  /** The greatest momentum, where the rate is lowest. Default: 0.95. */
  readonly maxMomentum?: number | readonly number[];
  /** The first rate is the largest divided by this. Default: 25. */
  readonly divFactor?: number;
  /** The last rate is the first divided by this. Default: 1e4. */
  readonly finalDivFactor?: number;
  /** Goes down as long as it went up, and to the last rate in a third phase. Default: false. */
  readonly threePhase?: boolean;
}

/** The required option. */
export interface OneCycleRate {
  /** The highest rate, one for all groups or one for each. */
  readonly maxLr: number | readonly number[];
}

const OPTIONS = [
  "totalSteps",
  "epochs",
  "stepsPerEpoch",
  "pctStart",
  "annealStrategy",
  "cycleMomentum",
  "baseMomentum",
  "maxMomentum",
  "divFactor",
  "finalDivFactor",
  "threePhase",
] as const;

type Level = "initial" | "max" | "min";

interface Phase {
  readonly end: number;
  readonly from: Level;
  readonly to: Level;
  readonly momentum: readonly [from: "max" | "base", to: "max" | "base"];
}

const above0 = { min: Number.MIN_VALUE };

/** Moves the rate through one cycle. Call `step()` after every batch. */
export class OneCycleLR extends LRScheduler {
  readonly totalSteps: number;
  readonly annealStrategy: "cos" | "linear";
  protected phases: readonly Phase[];
  protected levels: Readonly<Record<Level, number>>[];
  protected momentums: MomentumRange | null;

  constructor(optimizer: Scheduled, maxLr: number | readonly number[], options: OneCycleOptions);
  constructor(
    optimizer: Scheduled,
    maxLr: number | readonly number[],
    ...options: OptionsAt<OneCycleOptions, typeof OPTIONS>
  );
  constructor(named: WithOptimizer<OneCycleOptions & OneCycleRate>);
  constructor(optimizer: Scheduled, options: OneCycleOptions & OneCycleRate);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    const call = "new optim.lrScheduler.OneCycleLR";
    requireOptimizer(call, optimizer);
    const form = { first: "optimizer", places: ["maxLr", ...OPTIONS] } as const;
    const given = argumentsByName<OneCycleOptions & OneCycleRate>(
      call,
      form,
      placed.map((one) => one ?? undefined),
    );
    const { maxLr } = given as OneCycleRate;
    const { pctStart = 0.3, annealStrategy = "cos", divFactor = 25, finalDivFactor = 1e4 } = given;
    checkNumber(call, "divFactor", divFactor, above0);
    checkNumber(call, "finalDivFactor", finalDivFactor, above0);
    const largest = perGroup(call, "maxLr", optimizer, maxLr, (at, name, value) =>
      checkNumber(at, name, value, above0),
    );
    for (const [i, group] of optimizer.paramGroups.entries()) {
      const initialLr = largest[i]! / divFactor;
      Object.assign(keptValues(group), { initialLr, maxLr: largest[i]!, minLr: initialLr / finalDivFactor });
    }
    super(optimizer);
    this.totalSteps = readTotal(call, given);
    this.annealStrategy = checkChoice(call, "annealStrategy", annealStrategy, ["cos", "linear"]);
    checkNumber(call, "pctStart", pctStart, { min: 0, max: 1 });
    const rise = pctStart * this.totalSteps - 1;
    const end = this.totalSteps - 1;
    const up: Phase = { end: rise, from: "initial", to: "max", momentum: ["max", "base"] };
    this.phases = checkBoolean(call, "threePhase", given.threePhase ?? false)
      ? [
          up,
          { end: 2 * rise, from: "max", to: "initial", momentum: ["base", "max"] },
          { end, from: "initial", to: "min", momentum: ["max", "max"] },
        ]
      : [up, { end, from: "max", to: "min", momentum: ["base", "max"] }];
    this.levels = largest.map((max) => ({
      initial: max / divFactor,
      max,
      min: max / divFactor / finalDivFactor,
    }));
    const { baseMomentum = 0.85, maxMomentum = 0.95, cycleMomentum = true } = given;
    this.momentums = checkBoolean(call, "cycleMomentum", cycleMomentum)
      ? momentumRange(call, optimizer, baseMomentum, maxMomentum)
      : null;
    this.start();
  }

  protected override get stateKeys() {
    return { annealStrategy: "_anneal_func_type", phases: null, levels: null, momentums: null };
  }

  #between(from: number, to: number, share: number): number {
    if (this.annealStrategy === "linear") return (to - from) * share + from;
    return to + ((from - to) / 2) * (Math.cos(Math.PI * share) + 1);
  }

  protected override nextRates(): number[] {
    const step = this.lastEpoch;
    if (step > this.totalSteps) {
      throw new RangeError(
        `OneCycleLR.step: the cycle has ${this.totalSteps} steps, and this would be step ${step}; make it longer.`,
      );
    }
    const place = this.phases.findIndex(({ end }) => step <= end);
    const phase = this.phases.at(place)!; // -1, past the end, is the last
    const begin = phase === this.phases[0] ? 0 : this.phases[this.phases.indexOf(phase) - 1]!.end;
    const share = (step - begin) / (phase.end - begin);
    if (this.momentums) {
      const [from, to] = phase.momentum;
      for (const [i, group] of this.optimizer.paramGroups.entries())
        setMomentum(group, this.#between(this.momentums[from][i]!, this.momentums[to][i]!, share));
    }
    return this.levels.map((level) => this.#between(level[phase.from], level[phase.to], share));
  }
}

function readTotal(call: string, { totalSteps, epochs, stepsPerEpoch }: OneCycleOptions): number {
  if (totalSteps !== undefined && totalSteps !== null) return checkInteger(call, "totalSteps", totalSteps, 1);
  if ((epochs ?? null) === null || (stepsPerEpoch ?? null) === null)
    throw new TypeError(`${call}: give totalSteps, or epochs and stepsPerEpoch.`);
  return checkInteger(call, "epochs", epochs, 1) * checkInteger(call, "stepsPerEpoch", stepsPerEpoch, 1);
}
