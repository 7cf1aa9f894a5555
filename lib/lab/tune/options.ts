// Reads the options of `lab.tune` into a plan.
import type { AutocastDType } from "../../torch/amp/autocast.ts";
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import type { DType } from "../../torch/vocabulary/dtype.ts";
import { checkChoice, checkInteger, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import {
  boolean,
  checkedLater,
  integer,
  number,
  type OpenRules,
  optional,
  type Read,
  readOptions,
} from "../../torch/vocabulary/options.ts";
import type { Tolerance } from "../measures/parity/tolerance.ts";
import { checkJournal, checkName } from "../sweep/options.ts";
import { KNOBS, type TuneKnob } from "./settings.ts";

export interface TuneOptions {
  /** The batch with which you train now: what the others are compared with. Default: 32. */
  readonly batch?: number;
  /** No larger batch is tried. Default: none. */
  readonly maxBatch?: number;
  /**
   * The bytes of tensors that the largest batch may take. Default: `memoryShare` of the device's memory; on the CPU
   * there is no default.
   */
  readonly memoryBytes?: number;
  /** The fraction of the device's recommended memory that the largest batch may take. Default: 0.9. */
  readonly memoryShare?: number;
  /** The knobs to try. Default: all. */
  readonly only?: readonly TuneKnob[];
  /** Numbers of threads to try. Default: 1, half of the processors, and all. */
  readonly threads?: readonly number[];
  /** Numbers of workers to try. Default: 1, 2 and 4, and no more than processors. */
  readonly numWorkers?: readonly number[];
  /** Dtypes to try. Default: `["bfloat16"]`; float16 needs a `GradScaler` in the step. */
  readonly autocast?: readonly AutocastDType[];
  /** Replaces the tolerances of the comparison of results, by dtype, as in `lab.parity`. Default: PyTorch's. */
  readonly tolerances?: Partial<Readonly<Record<DType, Tolerance>>>;
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
  /** How often each value is measured, in turns with the others. Default: 2. */
  readonly rounds?: number;
  /** Steps before each measurement. Default: 3; a captured step takes four. */
  readonly warmupSteps?: number;
  /** Steady windows of each measurement. Default: 5. */
  readonly windows?: number;
  /** Shortest length of a window in milliseconds. Default: 100. */
  readonly windowMs?: number;
  /** Milliseconds that one measurement may take. Default: 60000. */
  readonly deadlineMs?: number;
  /** Fixes the order of the knobs, and seeds every training. Default: 0. */
  readonly seed?: number;
  /** Names the journal and the charts. Default: "tune". */
  readonly name?: string;
  /** The journal's file; null for none. Default: `<name>.sweep.jsonl` beside the notebook, none outside a notebook. */
  readonly journal?: string | null;
  /** Starts anew even if the journal holds an unfinished run. Default: false. */
  readonly restart?: boolean;
  /** Shows progress and charts in the cell's output. Default: true. */
  readonly show?: boolean;
}

const RULES = {
  batch: integer(32, 1),
  maxBatch: optional((call, name, value) => checkInteger(call, name, value, 1)),
  memoryBytes: optional((call, name, value) => checkInteger(call, name, value, 1)),
  memoryShare: number(0.9, { min: 0.01, max: 1 }),
  only: { fallback: KNOBS, check: listOf((call, name, value) => checkChoice(call, name, value, KNOBS)) },
  threads: optional(listOf((call, name, value) => checkInteger(call, name, value, 1))),
  numWorkers: optional(listOf((call, name, value) => checkInteger(call, name, value, 0))),
  autocast: {
    fallback: ["bfloat16"] as readonly AutocastDType[],
    check: listOf((call, name, value) => checkChoice(call, name, value, ["bfloat16", "float16"])),
  },
  tolerances: { fallback: {}, check: checkTolerances },
  device: checkedLater<DeviceName | undefined>(undefined),
  rounds: integer(2, 1),
  warmupSteps: integer(3, 1),
  windows: integer(5, 1),
  windowMs: number(100, { min: 0 }),
  deadlineMs: number(60_000, { min: 1 }),
  seed: integer(0, 0),
  name: { fallback: "tune", check: checkName },
  journal: optional(checkJournal),
  restart: boolean(false),
  show: boolean(true),
} satisfies OpenRules<TuneOptions>;

export type TunePlan = Read<typeof RULES>;

export function readTuneOptions(call: string, options: TuneOptions | undefined): TunePlan {
  const plan = readOptions(call, options, RULES);
  if (plan.maxBatch !== undefined && plan.maxBatch < plan.batch)
    throw new RangeError(`${call}: maxBatch, ${plan.maxBatch}, must not be below batch, ${plan.batch}.`);
  return plan;
}

function listOf<Value>(check: (call: string, name: string, value: unknown) => Value) {
  return (call: string, name: string, value: unknown): readonly Value[] => {
    if (!Array.isArray(value) || value.length === 0)
      throw new TypeError(`${call}: ${name} must be a list of values, got ${describe(value)}.`);
    return value.map((one, at) => check(call, `${name}[${at}]`, one));
  };
}

function checkTolerances(call: string, name: string, value: unknown): NonNullable<TuneOptions["tolerances"]> {
  if (isRecord(value)) return value;
  throw new TypeError(`${call}: ${name} must be an object by dtype, got ${describe(value)}.`);
}
