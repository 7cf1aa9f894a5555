// Defines when a profiler records: a function from a step's number to what happens during it, as
// `torch.profiler.schedule`. Pure functions.
import { checkInteger } from "../vocabulary/arguments.ts";
import { checkedLater, integer, type OpenRules, readOptions } from "../vocabulary/options.ts";

/** `warmup` records and discards; `recordAndSave` is the last step of those that are kept together. */
export type ProfilerAction = "none" | "warmup" | "record" | "recordAndSave";

export type Schedule = (step: number) => ProfilerAction;

export interface ScheduleOptions {
  /** Steps without recording, at the beginning of each cycle. Default: 0. */
  readonly wait?: number;
  /** Steps whose records are discarded, because the first ones fill caches. Default: 0. */
  readonly warmup?: number;
  /** Steps whose records are kept. */
  readonly active: number;
  /** Cycles; 0 for as long as the profiler runs. Default: 0. */
  readonly repeat?: number;
  /** Steps before the first cycle. Default: 0. */
  readonly skipFirst?: number;
}

const RULES = {
  wait: integer(0, 0),
  warmup: integer(0, 0),
  active: checkedLater<number | undefined>(undefined),
  repeat: integer(0, 0),
  skipFirst: integer(0, 0),
} satisfies OpenRules<ScheduleOptions>;

/** `schedule({ wait: 1, warmup: 1, active: 3, repeat: 2 })` */
export function schedule(options: ScheduleOptions): Schedule {
  const call = "profiler.schedule";
  const { wait, warmup, repeat, skipFirst, ...read } = readOptions(call, options, RULES);
  const active = checkInteger(call, "active", read.active, 1);
  const cycle = wait + warmup + active;
  return (step) => {
    const sinceFirst = step - skipFirst;
    if (sinceFirst < 0 || (repeat > 0 && sinceFirst >= repeat * cycle)) return "none";
    const at = sinceFirst % cycle;
    if (at < wait) return "none";
    if (at < wait + warmup) return "warmup";
    return at < cycle - 1 ? "record" : "recordAndSave";
  };
}
