// Defines when a profiler records: a function from a step's number to what happens during it, as
// `torch.profiler.schedule`. Pure functions.
import { checkInteger, checkOptions } from "../vocabulary/arguments.ts";

/** `warmup` records and throws away; `recordAndSave` is the last step of what is kept together. */
export type ProfilerAction = "none" | "warmup" | "record" | "recordAndSave";

export type Schedule = (step: number) => ProfilerAction;

export interface ScheduleOptions {
  /** Steps without recording, at the beginning of each cycle. Default: 0. */
  readonly wait?: number;
  /** Steps whose records are thrown away: the first ones fill caches. Default: 0. */
  readonly warmup?: number;
  /** Steps whose records are kept. */
  readonly active: number;
  /** Cycles; 0 for as long as the profiler runs. Default: 0. */
  readonly repeat?: number;
  /** Steps before the first cycle. Default: 0. */
  readonly skipFirst?: number;
}

/** `schedule({ wait: 1, warmup: 1, active: 3, repeat: 2 })` */
export function schedule(options: ScheduleOptions): Schedule {
  const call = "profiler.schedule";
  const names = ["wait", "warmup", "active", "repeat", "skipFirst"] as const;
  const given = {
    wait: 0,
    warmup: 0,
    repeat: 0,
    skipFirst: 0,
    ...checkOptions<ScheduleOptions>(call, options, names),
  };
  for (const name of names) checkInteger(call, name, given[name], name === "active" ? 1 : 0);
  const { wait, warmup, active, repeat, skipFirst } = given as Required<ScheduleOptions>;
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
