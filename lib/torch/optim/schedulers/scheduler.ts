// The base of learning-rate schedules: the first rates, a count of epochs, and the state that is saved. A schedule says
// the next rates from the present ones, so that schedules can be combined.
import { describe, isRecord } from "../../arguments.ts";
import type { Tensor } from "../../tensor.ts";
import { Optimizer } from "../optimizer.ts";

/** What schedules change in a parameter group. */
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

/** The rate that each group had before its first schedule: all schedules of an optimizer start from it. */
const initialRates = new WeakMap<ScheduledGroup, number>();

export function initialRate(group: ScheduledGroup): number {
  const known = initialRates.get(group);
  if (known !== undefined) return known;
  initialRates.set(group, group.lr);
  return group.lr;
}

export function setInitialRate(group: ScheduledGroup, lr: number): void {
  initialRates.set(group, lr);
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

export abstract class LRScheduler {
  readonly optimizer: Scheduled;
  /** Steps made; 0 after construction. */
  lastEpoch = -1;
  /** The rates that schedules begin with. */
  protected baseLrs: number[];
  #lastLr: number[] = [];
  #starting = false;

  constructor(optimizer: Scheduled) {
    requireOptimizer(`new optim.lrScheduler.${new.target.name}`, optimizer);
    this.optimizer = optimizer;
    this.baseLrs = optimizer.paramGroups.map(initialRate);
    this.#lastLr = this.rates();
  }

  /** The rates of the epoch `lastEpoch`, where those of the one before are in force. */
  protected abstract nextRates(): number[];

  /** The rates of the epoch `lastEpoch`, whatever is in force; null where a schedule knows no such form. */
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

  /** To be called after each epoch, or each batch where a schedule counts batches. */
  step(): void {
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

  /** Everything but the optimizer and functions: they are given anew to the schedule that loads it. */
  stateDict(): SchedulerState {
    return structuredClone({ ...this.#fields(), lastLr: this.#lastLr });
  }

  #fields(): Record<string, unknown> {
    const saved = Object.entries(this).filter(
      ([name, value]) => name !== "optimizer" && typeof value !== "function",
    );
    return Object.fromEntries(saved);
  }

  loadStateDict(state: SchedulerState): void {
    const call = `${this.constructor.name}.loadStateDict`;
    if (!isRecord(state))
      throw new TypeError(`${call}: expected the object that stateDict() gives, got ${describe(state)}.`);
    const fields = Object.keys(this.#fields());
    const missing = [...fields, "lastLr"].find((name) => !Object.hasOwn(state, name));
    if (missing !== undefined)
      throw new TypeError(`${call}: the state has no "${missing}"; it is another schedule's.`);
    const own: Record<string, unknown> = { ...this.#fields(), lastLr: this.#lastLr };
    for (const [name, value] of Object.entries(own)) checkLike(call, name, state[name], value);
    Object.assign(this, structuredClone(Object.fromEntries(fields.map((name) => [name, state[name]]))));
    this.#lastLr = [...(state["lastLr"] as number[])];
  }
}
