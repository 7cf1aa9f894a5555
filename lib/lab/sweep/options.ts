// Reads the options of a sweep into a plan.
import type { DeviceName } from "../../torch/vocabulary/device_name.ts";
import { checkInteger, checkOptions, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import {
  boolean,
  checkedLater,
  integer,
  number,
  type OpenRules,
  optional,
  readOptions,
} from "../../torch/vocabulary/options.ts";
import { Module } from "../../torch/nn/module/module.ts";
import type { ParameterValue, Point } from "../../records/batch_sweeps/point.ts";
import type { BatchRange } from "./search.ts";

/** The parts of a step; those that are left out are not measured. */
export interface SweepWork<Batch = unknown> {
  /** Makes one batch. Its time is reported separately; making batches is also measured on its own. */
  data?(): Batch;
  /** A forward pass only; it is measured on its own after the steps. */
  forward?(batch: Batch): unknown;
  /** One whole step. If it returns a loss, a number or a tensor, this is read once a window, outside of the timing. */
  step(batch: Batch): unknown;
}

/** Values of the parameters beside the batch: `{ width: [64, 256], dtype: ["float32", "bfloat16"] }`. */
export type Grid = Readonly<Record<string, readonly ParameterValue[]>>;

/**
 * The type of a grid's points: `{ width: [64, 256] }` -> `{ batch: number; width: number }`. Strings keep their literal
 * types.
 */
export type PointOf<Parameters extends Grid> = Point & {
  readonly [Name in keyof Parameters]: Parameters[Name][number] extends number
    ? number
    : Parameters[Name][number];
};

export interface SweepOptions<Batch = unknown, Parameters extends Grid = Grid> {
  /** Sets up a point: returns the step, or its parts. What it allocates is freed before the next point. */
  readonly setup: (
    point: PointOf<Parameters>,
  ) => SweepWork<Batch> | (() => unknown) | Promise<SweepWork<Batch> | (() => unknown)>;
  /**
   * Batches to measure: doubled from `from` until nearly out of memory, or up to `to`; or a list of batches, in a
   * random order. Default: `{ from: 1 }`.
   */
  readonly batch?: { readonly from?: number; readonly to?: number } | readonly number[];
  /**
   * Other parameters, each with its values: `{ numWorkers: [0, 2], dtype: ["float32", "bfloat16"] }`. Default: none.
   */
  readonly grid?: Parameters;
  /** Number of samples in the dataset; no batch is larger. Default: not known. */
  readonly samples?: number;
  /** The model, which identifies the sweep in the journal. Default: none. */
  readonly model?: Module;
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
  /** Steps before the measurement; the first one is reported separately. Default: 3. */
  readonly warmupSteps?: number;
  /**
   * Replays the step and the forward pass by `torch.capture`; the warm-up then has at least four steps. Replays are not
   * checked against ordinary steps. Default: false.
   */
  readonly capture?: boolean;
  /** How many steady windows are measured. Default: 5. */
  readonly windows?: number;
  /** Shortest length of a window in milliseconds. Default: 300. */
  readonly windowMs?: number;
  /** Milliseconds that one point may take. Default: 60000. */
  readonly deadlineMs?: number;
  /** The fraction of the device's recommended memory that a point may reach. Default: 0.9. */
  readonly memoryShare?: number;
  /** Fixes the order of points. Default: 0. */
  readonly seed?: number;
  /** Names the journal and the charts. Default: "sweep". */
  readonly name?: string;
  /** The journal's file; null for none. Default: `<name>.sweep.jsonl` beside the notebook, none outside a notebook. */
  readonly journal?: string | null;
  /** Starts a new sweep even if the journal holds an unfinished one. Default: false. */
  readonly restart?: boolean;
  /** Shows progress and charts in the cell's output. Default: true. */
  readonly show?: boolean;
}

export interface SweepPlan {
  readonly setup: SweepOptions["setup"];
  readonly batch: BatchRange | readonly number[];
  readonly grid: Grid;
  readonly samples: number | null;
  readonly model: Module | null;
  readonly device: DeviceName | null;
  readonly warmupSteps: number;
  readonly capture: boolean;
  readonly windows: number;
  readonly windowMs: number;
  readonly deadlineMs: number;
  readonly memoryShare: number;
  readonly seed: number;
  readonly name: string;
  /** Undefined if the option was not given. */
  readonly journal: string | null | undefined;
  readonly restart: boolean;
  readonly show: boolean;
}

/** Options that do not depend on where the points run. */
export type PointsOptions = Omit<SweepOptions, "setup" | "model">;
export type PointsPlan = Omit<SweepPlan, "setup" | "model">;

const CALL = "lab.sweep";
const POINTS_RULES = {
  batch: checkedLater<unknown>({}),
  grid: { fallback: {}, check: readGrid },
  samples: optional((call, name, value) => checkInteger(call, name, value, 1)),
  device: checkedLater<DeviceName | null>(null),
  warmupSteps: integer(3, 1),
  capture: boolean(false),
  windows: integer(5, 1),
  windowMs: number(300, { min: 0 }),
  deadlineMs: number(60_000, { min: 1 }),
  memoryShare: number(0.9, { min: 0.01, max: 1 }),
  seed: integer(0, 0),
  name: { fallback: "sweep", check: checkName },
  journal: optional(checkJournal),
  restart: boolean(false),
  show: boolean(true),
} satisfies OpenRules<PointsOptions>;

export const POINTS_NAMES = Object.keys(POINTS_RULES) as readonly (keyof PointsOptions)[];

export function readSweepOptions(options: SweepOptions): SweepPlan {
  if (options === undefined)
    throw new TypeError(`${CALL} takes options, as lab.sweep({ setup: ({ batch }) => ... }).`);
  const given = checkOptions<SweepOptions>(CALL, options, ["setup", "model", ...POINTS_NAMES]);
  const { setup, model = null, ...points } = given;
  if (typeof setup !== "function")
    throw new TypeError(
      `${CALL}: setup must be a function of a point, as ({ batch }) => ({ data, step }), got ${describe(setup)}.`,
    );
  if (model !== null && !(model instanceof Module))
    throw new TypeError(`${CALL}: model must be an nn.Module, got ${describe(model)}.`);
  return { ...readPointsOptions(CALL, points), setup: setup as SweepOptions["setup"], model };
}

/**
 * @param given contains only options of `POINTS_NAMES`
 */
export function readPointsOptions(call: string, given: PointsOptions): PointsPlan {
  const read = readOptions(call, given, POINTS_RULES);
  const samples = read.samples ?? null;
  return { ...read, batch: readBatch(call, read.batch, samples), samples };
}

export function checkName(call: string, option: string, name: unknown): string {
  if (typeof name === "string" && /^[\w. -]+$/.test(name)) return name;
  throw new TypeError(
    `${call}: ${option} must be of letters, digits, spaces, dots, - and _, got ${describe(name)}.`,
  );
}

export function checkJournal(call: string, option: string, journal: unknown): string | null {
  if (journal === null || typeof journal === "string") return journal;
  throw new TypeError(`${call}: ${option} must be a file's path or null, got ${describe(journal)}.`);
}

function readBatch(call: string, given: unknown, samples: number | null): SweepPlan["batch"] {
  if (Array.isArray(given)) {
    if (given.length === 0) throw new RangeError(`${call}: batch is a list without any batch.`);
    const batches = given.map((batch, at) => checkInteger(call, `batch[${at}]`, batch, 1));
    const twice = batches.find((batch, at) => batches.indexOf(batch) !== at);
    if (twice !== undefined) throw new RangeError(`${call}: batch ${twice} is given twice.`);
    return batches;
  }
  const range = checkOptions(`${call}: batch`, given as { from?: number; to?: number }, ["from", "to"]);
  const from = checkInteger(call, "batch.from", range.from ?? 1, 1);
  const to = range.to === undefined ? null : checkInteger(call, "batch.to", range.to, 1);
  if (to !== null && to < from)
    throw new RangeError(`${call}: batch.to, ${to}, must not be below batch.from, ${from}.`);
  return { from, to, samples };
}

function readGrid(call: string, _name: string, given: unknown): SweepPlan["grid"] {
  if (!isRecord(given))
    throw new TypeError(
      `${call}: grid must be an object of lists, as { dtype: ["float32"] }, got ${describe(given)}.`,
    );
  for (const [name, values] of Object.entries(given)) {
    if (name === "batch")
      throw new TypeError(`${call}: the batch stands beside the grid, as batch: [16, 32].`);
    if (!Array.isArray(values) || values.length === 0)
      throw new TypeError(`${call}: grid.${name} must be a list of values, got ${describe(values)}.`);
    for (const value of values) {
      if (value !== null && !["string", "number", "boolean"].includes(typeof value))
        throw new TypeError(
          `${call}: grid.${name} holds ${describe(value)}; texts, numbers, booleans and null can be written down.`,
        );
    }
  }
  return given as SweepPlan["grid"];
}
