// The base of learning-rate schedules: initial rates, an epoch count, and the saved state. A schedule computes the
// next rates from the current ones, so schedules can be combined.
import { checkInteger, describe, isRecord } from "../../vocabulary/arguments.ts";
import { argumentsByName, neededByPlace } from "../../vocabulary/arguments_by_name.ts";
import { passInstead } from "../../vocabulary/nested_state.ts";
import { repeatedEffect } from "../../engine/captured_effects.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { snakeCase } from "../../vocabulary/spelling.ts";
import type { ByName } from "../../types/index.ts";
import { Optimizer } from "../optimizer.ts";
import { keptValues } from "../schedule_values.ts";

/** The values of a parameter group that schedules change. */
export interface ScheduledGroup {
  readonly params: Tensor[];
  lr: number;
  momentum?: number;
  betas?: readonly [number, number];
}

/** Any optimizer with a learning rate. */
export interface Scheduled {
  readonly paramGroups: readonly ScheduledGroup[];
}

/** What schedules take after their own arguments. */
export interface Resumption {
  /** The epoch after which it goes on, where the optimizer knows its first rates. Default: -1, for a new start. */
  readonly lastEpoch?: number;
}

/** The optimizer of a schedule and its options in one object. */
export type WithOptimizer<Options> = ByName & Options & { readonly optimizer: Scheduled };

/** The optimizer of a schedule, and what follows it, of which all may stand in one object. */
export const optimizerFirst = (given: readonly unknown[]): [optimizer: Scheduled, ...placed: unknown[]] =>
  neededByPlace<[Scheduled]>(["optimizer"], given);

/** The rate that a group had before its first schedule: all schedules of an optimizer start from it. */
export function initialRate(group: ScheduledGroup): number {
  return (keptValues(group).initialLr ??= group.lr);
}

export function requireOptimizer(call: string, optimizer: Scheduled): void {
  if (!((optimizer as unknown) instanceof Optimizer))
    throw new TypeError(`${call}: expected an optimizer, got ${describe(optimizer)}.`);
}

/** One value for every group, or one for each. */
export function perGroup<Value>(
  call: string,
  name: string,
  optimizer: Scheduled,
  given: Value | readonly Value[],
  check: (call: string, name: string, value: unknown) => Value,
): Value[] {
  const groups = optimizer.paramGroups.length;
  if (!Array.isArray(given)) return Array<Value>(groups).fill(check(call, name, given));
  if (given.length !== groups) {
    throw new RangeError(
      `${call}: ${name} takes one value or one for each of the ${groups} groups, got ${given.length}.`,
    );
  }
  return given.map((value, i) => check(call, `${name}[${i}]`, value));
}

/** Saved values are of the kind that the schedule has: a number, a list, a word. */
function checkLike(call: string, name: string, saved: unknown, own: unknown): void {
  if (own === null || own === undefined) return;
  if (saved === null || typeof saved !== typeof own || Array.isArray(saved) !== Array.isArray(own))
    throw new TypeError(`${call}: ${name} must be like ${describe(own)}, got ${describe(saved)}.`);
  if (Array.isArray(own))
    for (const [at, one] of own.entries()) checkLike(call, `${name}[${at}]`, (saved as unknown[])[at], one);
}

/** Plain data that `loadStateDict` takes back. */
export type SchedulerState = Record<string, unknown>;

/**
 * The base class of schedules, which change an optimizer's learning rates: `step()` after every epoch, behind the
 * optimizer's own (`torch/optim/lr_scheduler.py`).
 */
export abstract class LRScheduler {
  readonly optimizer: Scheduled;
  /** Steps made; 0 after construction. */
  lastEpoch = -1;
  /** The rates that schedules begin with. */
  protected baseLrs: number[];
  #lastLr: number[] = [];
  #starting = false;
  /** Whether the optimizer had a schedule before, or was loaded with the state of one that had. */
  readonly #isResumed: boolean;

  constructor(optimizer: Scheduled) {
    requireOptimizer(`new optim.lrScheduler.${new.target.name}`, optimizer);
    this.optimizer = optimizer;
    this.#isResumed = optimizer.paramGroups.every((group) => keptValues(group).initialLr !== undefined);
    this.baseLrs = optimizer.paramGroups.map(initialRate);
    this.#lastLr = this.rates();
  }

  /** A subclass's own arguments, by place or by name. Takes `lastEpoch`, which follows them. */
  protected given<Named extends object>(
    places: readonly (keyof Named & string)[],
    placed: readonly unknown[],
  ): Partial<Named> {
    const call = `new optim.lrScheduler.${this.constructor.name}`;
    const form = { first: "optimizer", places: [...places, "lastEpoch"] } as const;
    const { lastEpoch = -1, ...own } = argumentsByName<Named & Resumption>(call, form as never, placed);
    this.lastEpoch = checkInteger(call, "lastEpoch", lastEpoch, -1);
    if (lastEpoch >= 0 && !this.#isResumed)
      throw new TypeError(
        `${call}: lastEpoch must be -1, got ${lastEpoch}: the optimizer does not know its first rates; load its state first.`,
      );
    return own as Partial<Named>;
  }

  /** The rates of the epoch `lastEpoch`, where those of the one before are in force. */
  protected abstract nextRates(): number[];

  /** The rates of the epoch `lastEpoch`, independent of the current rates; null where a schedule has no closed form. */
  protected closedForm(): number[] | null {
    return null;
  }

  /** The rates in force. */
  protected rates(): number[] {
    return this.optimizer.paramGroups.map((group) => group.lr);
  }

  /** Whether this is the step that construction makes. */
  protected get starting(): boolean {
    return this.#starting;
  }

  /** The first step: a subclass's constructor ends with it. */
  start(): void {
    this.#starting = true;
    try {
      this.step();
    } finally {
      this.#starting = false;
    }
  }

  /** Call it after each epoch, or after each batch if the schedule counts batches. */
  step(): void {
    repeatedEffect(() => this.advance());
  }

  /** One step, for this schedule and those inside it. */
  protected advance(): void {
    this.lastEpoch++;
    this.set(this.nextRates());
  }

  /** Starts anew from the first rates, as a schedule that takes over. */
  restart(): void {
    this.lastEpoch = 0;
    this.set(this.closedForm() ?? this.nextRates());
  }

  /** Takes the step of construction back, for a combination that makes it itself. */
  undoStart(): void {
    this.lastEpoch--;
  }

  protected set(rates: readonly number[]): void {
    for (const [i, group] of this.optimizer.paramGroups.entries()) group.lr = rates[i] ?? group.lr;
    this.#lastLr = this.rates();
  }

  /** The rates that the last step set, one for each group. */
  getLastLr(): number[] {
    return [...this.#lastLr];
  }

  /**
   * Keys in PyTorch's state that are not a field's name in its spelling; null for what is no part of the state, since
   * it follows from the arguments.
   */
  protected get stateKeys(): Readonly<Record<string, string | null>> {
    return {};
  }

  /**
   * Everything but the optimizer and functions, under PyTorch's names: they are given anew to the schedule that loads it,
   * here or in PyTorch.
   */
  stateDict(): SchedulerState {
    const saved = this.#fields().map(({ name, key }) => [key, this.#field(name)]);
    return structuredClone({
      ...(Object.fromEntries(saved) as SchedulerState),
      _step_count: this.lastEpoch + 1,
      _last_lr: this.#lastLr,
    });
  }

  #fields(): { readonly name: string; readonly key: string }[] {
    return Object.keys(this).flatMap((name) => {
      const key = Object.hasOwn(this.stateKeys, name) ? this.stateKeys[name] : snakeCase(name);
      const isState = key != null && name !== "optimizer" && typeof this.#field(name) !== "function";
      return isState ? [{ name, key }] : [];
    });
  }

  #field(name: string): unknown {
    return (this as unknown as Record<string, unknown>)[name];
  }

  /** @throws TypeError for another schedule's state: nothing of it is taken */
  loadStateDict(state: SchedulerState): void {
    const call = `${this.constructor.name}.loadStateDict`;
    if (!isRecord(state))
      throw new TypeError(`${call}: expected the object that stateDict() gives, got ${describe(state)}.`);
    const fields = this.#fields();
    const missing = [...fields.map(({ key }) => key), "_last_lr"].find((key) => !Object.hasOwn(state, key));
    if (missing !== undefined) {
      const instead = passInstead(state, (value) => fields.every(({ key }) => Object.hasOwn(value, key)));
      throw new TypeError(`${call}: the state has no "${missing}"; it is another schedule's.${instead}`);
    }
    for (const { name, key } of fields) checkLike(call, key, state[key], this.#field(name));
    checkLike(call, "_last_lr", state["_last_lr"], this.#lastLr);
    Object.assign(
      this,
      structuredClone(Object.fromEntries(fields.map(({ name, key }) => [name, state[key]]))),
    );
    this.#lastLr = [...(state["_last_lr"] as number[])];
  }
}
