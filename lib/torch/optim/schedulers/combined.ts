// Schedules made from other schedules: one after the other, or all at once.
import { checkInteger, describe, isRecord } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import { ReduceLROnPlateau } from "./plateau.ts";
import {
  initialRate,
  LRScheduler,
  optimizerFirst,
  type Scheduled,
  type SchedulerState,
  type WithOptimizer,
} from "./scheduler.ts";

function checkSchedulers(call: string, schedulers: readonly LRScheduler[], optimizer?: Scheduled): Scheduled {
  if (!Array.isArray(schedulers) || schedulers.length === 0)
    throw new TypeError(`${call}: expected a list of schedules, got ${describe(schedulers)}.`);
  const owner = optimizer ?? (schedulers[0] as LRScheduler | undefined)?.optimizer;
  for (const [i, scheduler] of schedulers.entries()) {
    if (!(scheduler instanceof LRScheduler))
      throw new TypeError(`${call}: schedule ${i} must be one, got ${describe(scheduler)}.`);
    if (scheduler instanceof ReduceLROnPlateau)
      throw new TypeError(
        `${call}: schedule ${i} is a ReduceLROnPlateau, which needs a metric; step it yourself.`,
      );
    if (scheduler.optimizer !== owner)
      throw new TypeError(
        `${call}: schedule ${i} belongs to another optimizer than the one given, ${describe(owner)}.`,
      );
  }
  return owner!;
}

abstract class CombinedSchedule extends LRScheduler {
  readonly #schedulers: readonly LRScheduler[];

  protected constructor(optimizer: Scheduled, schedulers: readonly LRScheduler[]) {
    super(optimizer);
    this.#schedulers = [...schedulers];
  }

  protected get schedulers(): readonly LRScheduler[] {
    return this.#schedulers;
  }

  protected override nextRates(): number[] {
    return this.rates();
  }

  override stateDict(): SchedulerState {
    return { ...super.stateDict(), _schedulers: this.#schedulers.map((scheduler) => scheduler.stateDict()) };
  }

  override loadStateDict(state: SchedulerState): void {
    const saved = state?.["_schedulers"];
    if (!Array.isArray(saved) || saved.length !== this.#schedulers.length) {
      throw new TypeError(
        `${this.constructor.name}.loadStateDict: expected the states of ${this.#schedulers.length} schedules, got ${describe(saved ?? state)}.`,
      );
    }
    super.loadStateDict(state);
    for (const [i, scheduler] of this.#schedulers.entries())
      scheduler.loadStateDict(saved[i] as SchedulerState);
  }
}

export interface SequentialLrOptions {
  /** Schedules of one optimizer. */
  readonly schedulers: readonly LRScheduler[];
  /** Epochs at which the next takes over, one fewer than there are schedules. */
  readonly milestones: readonly number[];
}

/** One schedule after the other: the next takes over, from the first rates, at each of the epochs `milestones`. */
export class SequentialLR extends CombinedSchedule {
  readonly milestones: readonly number[];

  protected override get stateKeys() {
    return { baseLrs: null, milestones: "_milestones" };
  }

  constructor(optimizer: Scheduled, schedulers: readonly LRScheduler[], milestones: readonly number[]);
  constructor(
    optimizer: Scheduled,
    schedulers: readonly LRScheduler[],
    options: Pick<SequentialLrOptions, "milestones">,
  );
  constructor(named: WithOptimizer<SequentialLrOptions>);
  constructor(optimizer: Scheduled, options: SequentialLrOptions);
  constructor(...all: unknown[]) {
    const [optimizer, ...placed] = optimizerFirst(all);
    const call = "new optim.lrScheduler.SequentialLR";
    const form = { first: "optimizer", places: ["schedulers", "milestones"] } as const;
    const given = argumentsByName<SequentialLrOptions>(call, form, placed);
    const { schedulers, milestones } = given as SequentialLrOptions;
    checkSchedulers(call, schedulers, optimizer);
    if (!Array.isArray(milestones) || milestones.length !== schedulers.length - 1) {
      throw new RangeError(
        `${call}: ${schedulers.length} schedules need ${schedulers.length - 1} milestones, got ${describe(milestones)}.`,
      );
    }
    super(optimizer, schedulers);
    this.milestones = milestones.map((epoch, i) => checkInteger(call, `milestones[${i}]`, epoch, 1));
    this.set(optimizer.paramGroups.map(initialRate));
    for (const scheduler of schedulers) scheduler.undoStart();
    this.lastEpoch = 0;
    schedulers[0]!.start();
    this.set(this.rates());
  }

  override undoStart(): void {
    for (const scheduler of this.schedulers) scheduler.undoStart();
  }

  protected override advance(): void {
    this.lastEpoch++;
    const place = this.milestones.filter((epoch) => epoch <= this.lastEpoch).length;
    const scheduler = this.schedulers[place]!;
    if (place > 0 && this.milestones[place - 1] === this.lastEpoch) scheduler.restart();
    else scheduler.step();
    this.set(this.rates());
  }
}

export interface ChainedSchedulerOptions {
  /** Schedules of one optimizer. */
  readonly schedulers: readonly LRScheduler[];
  /** The optimizer of all schedules. Default: the first schedule's. */
  readonly optimizer?: Scheduled;
}

/** Several schedules at once: each changes what the others left. */
export class ChainedScheduler extends CombinedSchedule {
  constructor(schedulers: readonly LRScheduler[], optimizer?: Scheduled);
  constructor(schedulers: readonly LRScheduler[], options: Pick<ChainedSchedulerOptions, "optimizer">);
  constructor(options: ChainedSchedulerOptions);
  constructor(...placed: unknown[]) {
    const call = "new optim.lrScheduler.ChainedScheduler";
    const given = argumentsByName<ChainedSchedulerOptions>(
      call,
      { places: ["schedulers", "optimizer"], isValue: (value) => isRecord(value) && "paramGroups" in value },
      placed,
    );
    const { schedulers, optimizer } = given as ChainedSchedulerOptions;
    super(checkSchedulers(call, schedulers, optimizer), schedulers);
    this.lastEpoch = 0;
  }

  protected override get stateKeys() {
    return { baseLrs: null, lastEpoch: null };
  }

  override loadStateDict(state: SchedulerState): void {
    super.loadStateDict(state);
    this.lastEpoch = this.schedulers[0]!.lastEpoch;
  }

  override undoStart(): void {
    for (const scheduler of this.schedulers) scheduler.undoStart();
  }

  protected override advance(): void {
    this.lastEpoch++;
    for (const scheduler of this.schedulers) scheduler.step();
    this.set(this.rates());
  }
}
