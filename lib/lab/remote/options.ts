// Reads and checks the options of a sweep on remotes.
import { checkNumber, checkOptions, describe } from "../../torch/vocabulary/arguments.ts";
import type { RunEntry } from "../../records/logbook/entry.ts";
import type { RunGiven } from "../logbook/run.ts";
import { type PointsOptions, type PointsPlan, POINTS_NAMES, readPointsOptions } from "../sweep/options.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";
import { TOLERANCE } from "./result_drift.ts";

export interface RemoteSweepOptions extends PointsOptions {
  /**
   * The source of a cell that declares `setup`, a function as `lab.sweep` takes it, and whatever that needs. It is a
   * string: the text of another cell (`In[3]`) or of a file (`readFileSync("step.ts", "utf8")`, which this side may
   * import as well).
   */
  readonly setup: string;
  /**
   * The same sweep on this machine, or a run whose results hold it as `sweep`: the baseline for the comparison.
   * Default: none.
   */
  readonly against?: SweepResult | RunEntry;
  /** The relative change in throughput above which an explanation is asked for. Default: 0.1. */
  readonly tolerance?: number;
  /** Why the numbers changed: I/O path, background load, thermals. Default: none. */
  readonly explain?: string;
  /** Path of the data on the remote, whose mount type is reported. Default: none. */
  readonly dataPath?: string;
  /** Fields of the logbook that only a person knows, as for `lab.logbook.record`. Default: none. */
  readonly record?: Omit<RunGiven, "name" | "results" | "cachePath" | "networkRttMs">;
}

export interface RemotePlan extends PointsPlan {
  readonly setup: string;
  readonly against: { readonly sweep: SweepResult; readonly run: RunEntry | null } | null;
  readonly tolerance: number;
  readonly explanation: string | null;
  readonly given: RunGiven;
}

export function readRemoteSweepOptions(call: string, options: RemoteSweepOptions): RemotePlan {
  if (options === undefined)
    throw new TypeError(`${call} takes options, as ${call}({ setup: "function setup({ batch }) ..." }).`);
  const given = checkOptions<RemoteSweepOptions>(call, options, [
    "setup",
    "against",
    "tolerance",
    "explain",
    "dataPath",
    "record",
    ...POINTS_NAMES,
  ]);
  const { setup, against, tolerance, explain, dataPath, record = {}, ...points } = given;
  if (typeof setup === "function")
    throw new TypeError(
      `${call}: setup is a function, which cannot travel: give the source of a cell that declares it, as setup: In[3].`,
    );
  if (typeof setup !== "string" || setup.trim() === "")
    throw new TypeError(
      `${call}: setup must be the source of a cell that declares the function setup, got ${describe(setup)}.`,
    );
  if (explain !== undefined && (typeof explain !== "string" || explain.trim() === ""))
    throw new TypeError(`${call}: explain must be a sentence, got ${describe(explain)}.`);
  if (dataPath !== undefined && (typeof dataPath !== "string" || dataPath === ""))
    throw new TypeError(`${call}: dataPath must be a path on the remote, got ${describe(dataPath)}.`);
  if (typeof record !== "object" || record === null || Array.isArray(record))
    throw new TypeError(`${call}: record must be fields of the logbook, got ${describe(record)}.`);
  return {
    ...readPointsOptions(call, { name: "remote-sweep", ...points }),
    setup,
    against: against === undefined ? null : readAgainst(call, against),
    tolerance: checkNumber(call, "tolerance", tolerance ?? TOLERANCE, { min: 0 }),
    explanation: explain ?? null,
    given: { ...record, ...(dataPath === undefined ? {} : { cachePath: dataPath }) },
  };
}

function readAgainst(call: string, given: unknown): RemotePlan["against"] {
  const run = (given as Partial<RunEntry> | null)?.type === "run" ? (given as RunEntry) : null;
  const sweep = (run === null ? given : run.results["sweep"]) as Partial<SweepResult> | null | undefined;
  if (!Array.isArray(sweep?.points))
    throw new TypeError(
      `${call}: against must be a result of lab.sweep, or a run whose results hold one as { sweep }, got ${describe(given)}.`,
    );
  return { sweep: sweep as SweepResult, run };
}
