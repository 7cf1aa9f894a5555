// Reads the options of `lab.benchmark` and `lab.compare`, with their defaults.
import { checkOptions } from "../../../torch/vocabulary/arguments.ts";
import {
  boolean,
  integer,
  nullable,
  number,
  readOptions,
  type Rules,
} from "../../../torch/vocabulary/options.ts";

export interface MeasureOptions {
  /** Calls before the measurement, in which caches fill and kernels compile. Default: 5. */
  readonly warmup?: number;
  /** Measurements, whose median and spread are reported. Default: 20. */
  readonly repeats?: number;
  /** Calls in one measurement, after which the device is waited for once. Default: as many as `repeatMs` needs. */
  readonly calls?: number | null;
  /**
   * The shortest length of one measurement in milliseconds: a clock tick and a wait must be negligible in comparison.
   * Default: 5.
   */
  readonly repeatMs?: number;
  /** Milliseconds after which no further measurement begins; the result holds those before. Default: 30000. */
  readonly deadlineMs?: number;
  /**
   * Times replays of the function by `torch.capture`; the warm-up has enough calls to capture it. Replays are not
   * checked against ordinary calls. Default: false.
   */
  readonly capture?: boolean;
}

export type MeasurePlan = Required<MeasureOptions>;

const RULES: Rules<MeasureOptions> = {
  warmup: integer(5, 0),
  repeats: integer(20, 1),
  calls: nullable(integer(1, 1)),
  repeatMs: number(5, { min: 0 }),
  deadlineMs: number(30_000, { min: 0 }),
  capture: boolean(false),
};

/** After this many calls a step has been captured and replayed once. */
const CAPTURING_CALLS = 4;

/** Separates the options of the measurement from the caller's other options. */
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
  const plan = readOptions(call, Object.fromEntries(entries.filter((entry) => !isOwn(entry))), RULES);
  return {
    plan: plan.capture ? { ...plan, warmup: Math.max(plan.warmup, CAPTURING_CALLS) } : plan,
    rest: Object.fromEntries(entries.filter(isOwn)) as Partial<Record<Own, unknown>>,
  };
}
