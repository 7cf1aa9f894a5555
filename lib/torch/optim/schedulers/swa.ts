// The schedule of stochastic weight averaging (Izmailov et al., arXiv:1803.05407): moves to a constant rate, at which
// weights are averaged.
import { checkChoice, checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { OptionsAt } from "../../types/index.ts";
import { keptValues } from "../schedule_values.ts";
import {
  LRScheduler,
  optimizerFirst,
  perGroup,
  requireOptimizer,
  type Scheduled,
  type WithOptimizer,
} from "./scheduler.ts";

export interface SwaLrOptions {
  /** Epochs until the rate is `swaLr`. Default: 10. */
  readonly annealEpochs?: number;
  /** How the rate moves there. Default: "cos". */
  readonly annealStrategy?: "cos" | "linear";
}

/** The required option. */
export interface SwaRate {
  /** The rate to which it goes, one for all groups or one for each. */
  readonly swaLr: number | readonly number[];
}

const OPTIONS = ["annealEpochs", "annealStrategy"] as const;

const atLeast0 = (call: string, name: string, value: unknown) => checkNumber(call, name, value, { min: 0 });

/** Moves the rate in force to `swaLr`, one for all groups or one for each (`torch/optim/swa_utils.py`). */
export class SWALR extends LRScheduler {
  readonly annealEpochs: number;
  readonly annealStrategy: "cos" | "linear";

  constructor(optimizer: Scheduled, swaLr: number | readonly number[], options?: SwaLrOptions);
  constructor(
    optimizer: Scheduled,
    swaLr: number | readonly number[],
    ...options: OptionsAt<SwaLrOptions, typeof OPTIONS>
  );
  constructor(named: WithOptimizer<SwaLrOptions & SwaRate>);
  constructor(optimizer: Scheduled, options: SwaLrOptions & SwaRate);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    const call = "new optim.SWALR";
    requireOptimizer(call, optimizer);
    const given = argumentsByName<SwaLrOptions & SwaRate>(
      call,
      { first: "optimizer", places: ["swaLr", ...OPTIONS] },
      placed,
    );
    const rates = perGroup(call, "swaLr", optimizer, (given as SwaRate).swaLr, atLeast0);
    const annealEpochs = checkInteger(call, "annealEpochs", given.annealEpochs ?? 10, 0);
    const annealStrategy = checkChoice(call, "annealStrategy", given.annealStrategy ?? "cos", [
      "cos",
      "linear",
    ]);
    super(optimizer);
    this.annealEpochs = annealEpochs;
    this.annealStrategy = annealStrategy;
    for (const [i, group] of optimizer.paramGroups.entries()) keptValues(group).swaLr = rates[i]!;
    this.start();
  }

  protected override get stateKeys() {
    return { annealStrategy: "_anneal_strategy" };
  }

  /** Share of `swaLr` in the rate after so many steps. */
  #share(step: number): number {
    const passed = Math.max(0, Math.min(1, step / Math.max(1, this.annealEpochs)));
    return this.annealStrategy === "linear" ? passed : (1 - Math.cos(Math.PI * passed)) / 2;
  }

  protected override nextRates(): number[] {
    const step = this.annealEpochs === 0 ? Math.max(1, this.lastEpoch) : this.lastEpoch;
    const [before, now] = [this.#share(step - 1), this.#share(step)];
    return this.optimizer.paramGroups.map((group) => {
      const swaLr = keptValues(group).swaLr ?? group.lr; // a group that came later stays as it is
      const first = before === 1 ? swaLr : (group.lr - before * swaLr) / (1 - before);
      return swaLr * now + first * (1 - now);
    });
  }
}
