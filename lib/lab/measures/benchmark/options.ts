// Reads the options of `lab.benchmark` and `lab.compare`, with their defaults.
import { checkOptions } from "../../../torch/vocabulary/arguments.ts";
import { integer, nullable, number, readOptions, type Rules } from "../../../torch/vocabulary/options.ts";

export interface MeasureOptions {
  /** Calls before anything counts: caches fill, kernels compile. 5 unless given. */
  readonly warmup?: number;
  /** Measurements, of which median and spread are told. 20 unless given. */
  readonly repeats?: number;
  /** Calls in one measurement, then one wait for the device; by `repeatMs` unless given. */
  readonly calls?: number | null;
  /** How long one measurement shall last, 5 ms unless given: a clock's tick and a wait must not count in it. */
  readonly repeatMs?: number;
  /** After so long no further measurement is begun; what was measured by then is the result. 30000 unless given. */
  readonly deadlineMs?: number;
}

export type MeasurePlan = Required<MeasureOptions>;

const RULES: Rules<MeasureOptions> = {
  warmup: integer(5, 0),
  repeats: integer(20, 1),
  calls: nullable(integer(1, 1)),
  repeatMs: number(5, { least: 0 }),
  deadlineMs: number(30_000, { least: 0 }),
};

/** Takes the plan out of options that have other names beside it. */
export function readPlan<Own extends string>(
  call: string,
  given: (MeasureOptions & Partial<Record<Own, unknown>>) | undefined,
  own: readonly Own[],
): { readonly plan: MeasurePlan; readonly rest: Partial<Record<Own, unknown>> } {
  const names = [...Object.keys(RULES), ...own] as (string & keyof (MeasureOptions & Record<Own, unknown>))[];
  const known: Record<string, unknown> = checkOptions(
    call,
    given as (MeasureOptions & Record<Own, unknown>) | undefined,
    names,
  );
  const isOwn = ([name]: [string, unknown]) => (own as readonly string[]).includes(name);
  const entries = Object.entries(known);
  return {
    plan: readOptions(call, Object.fromEntries(entries.filter((entry) => !isOwn(entry))), RULES),
    rest: Object.fromEntries(entries.filter(isOwn)) as Partial<Record<Own, unknown>>,
  };
}
