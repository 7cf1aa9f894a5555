// One point of a sweep: a copy of the notebook with its parameters, and its run in a kernel of its own. An error in a
// cell is the point's outcome. It runs on the user's machine, or on a node of a cluster.
import { basename, extname } from "node:path";
import { mayFail, NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { FIRST_MINOR_WITH_IDS, repairIds } from "../notebook/file.ts";
import {
  type CodeCell,
  clearOutputs,
  hasTag,
  isProgram,
  type JsonObject,
  type Notebook,
} from "../notebook/format.ts";
import { parseYaml } from "./grid.ts";
import { jsonValue, type Point } from "../../../lib/records/parameters.ts";
import type { PointRecord } from "./journal.ts";
import { keepRun } from "./kept_run.ts";
import { insertErrorMarkers, noteCell, noteRun, removeErrorMarkers } from "./papermill_metadata.ts";
import { injectParameters } from "./parameters.ts";

/** The tag of a cell whose value goes into the table: `{ loss: 0.25 }` becomes a column `loss`. */
const RESULT_TAG = "result";

/** What papermill notes of a run beside its times. */
export interface PointNote extends JsonObject {
  readonly parameters: JsonObject;
  /** The notebook that is swept. */
  readonly input_path: string;
  readonly output_path: string;
}

export interface PointOptions {
  /** The folder in which the cells run. */
  readonly folder: string;
  /** The path that the session uses as its notebook's path. */
  readonly session: string;
  /** Seconds that a cell may take. */
  readonly timeout: number | undefined;
  readonly environment?: Readonly<NodeJS.ProcessEnv>;
  /** Called after each cell, and at the end. */
  save(notebook: Notebook): void;
}

export type PointOutcome = Pick<PointRecord, "status" | "error" | "wallSeconds">;

/** A copy with the point's values in it, and without outputs. */
export function parameterized(swept: Notebook, point: Point): Notebook {
  const notebook = structuredClone(swept);
  removeErrorMarkers(notebook);
  if (notebook.nbformat_minor < FIRST_MINOR_WITH_IDS) {
    notebook.nbformat_minor = FIRST_MINOR_WITH_IDS;
    repairIds(notebook.cells);
  }
  injectParameters(notebook, point);
  clearOutputs(notebook);
  return notebook;
}

/** @param file the notebook of the point, in the sweep's folder */
export function noteOf(point: Point, source: string, file: string): PointNote {
  const parameters = Object.fromEntries(Object.entries(point).map(([key, value]) => [key, jsonValue(value)]));
  return { parameters, input_path: source, output_path: file };
}

/**
 * Runs the cells until one fails that may not, and leaves what they show in the notebook.
 *
 * @throws UnfinishedRun after a signal
 */
export async function runPoint(
  notebook: Notebook,
  note: JsonObject,
  options: PointOptions,
): Promise<PointOutcome> {
  const beganMs = performance.now();
  const timing = noteRun(notebook, note);
  timing.start();
  let outcome: Pick<PointRecord, "status" | "error"> = { status: "ok", error: null };
  let failed: CodeCell | null = null;
  try {
    failed = await runCells(notebook, options);
    if (failed !== null) outcome = { status: "failed", error: errorText(failed) };
  } catch (error) {
    if (!(error instanceof UnfinishedRun) || error.reason === "interrupted") throw error;
    const status = error.reason === "timeout" ? "timeout" : "died";
    outcome = { status, error: error.sentence(options.timeout, null) };
  } finally {
    timing.end(failed === null ? null : true);
    if (failed !== null) insertErrorMarkers(notebook, failed);
    options.save(notebook);
  }
  return { ...outcome, wallSeconds: (performance.now() - beganMs) / 1000 };
}

/** Resolves with the cell that failed and may not. */
async function runCells(
  notebook: Notebook,
  { folder, session, timeout, environment, save }: PointOptions,
): Promise<CodeCell | null> {
  const run = await NotebookRun.start(folder, { JPY_SESSION_NAME: session, ...environment });
  try {
    let failed: CodeCell | null = null;
    for (const cell of notebook.cells) {
      const isFailed = await noteCell(cell, async () => {
        if (!isProgram(cell)) return false;
        const reply = await run.runCell(cell, { timeout });
        return reply !== null && reply.status !== "ok" && !mayFail(cell);
      });
      save(notebook);
      if (!isFailed) continue;
      failed = cell as CodeCell;
      break;
    }
    // This is done after an error as well: readers ask most about points that failed.
    await keepRun(notebook, run, basename(session, extname(session)));
    await run.describe(notebook);
    return failed;
  } finally {
    await run.stop();
  }
}

function errorText(cell: CodeCell): string {
  const error = cell.outputs.find((output) => output.output_type === "error");
  return error ? `${error.ename}: ${error.evalue}` : "A cell failed and showed no error.";
}

/** Returns the values that the cells tagged `result` show, by name. A value without names is under `result`. */
export function resultsOf(notebook: Notebook): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const cell of notebook.cells) {
    if (cell.cell_type !== "code" || !hasTag(cell, RESULT_TAG)) continue;
    for (const output of cell.outputs) {
      if (output.output_type === "error") continue;
      const shown =
        output.output_type === "stream"
          ? output.text
          : (output.data["application/json"] ?? output.data["text/plain"] ?? "");
      const value = typeof shown === "string" ? valueOf(shown) : shown;
      const isNamed = typeof value === "object" && value !== null && !Array.isArray(value);
      Object.assign(found, isNamed ? value : { [RESULT_TAG]: value });
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}

/** An object that Node prints is valid YAML if its values are numbers, words or strings. */
function valueOf(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return text;
  }
}
