// One point of a sweep: a copy of the notebook with its parameters, run in a kernel of its own and written beside the
// others. What goes wrong in it is its record.
import { dirname, join } from "node:path";
import { mayFail, NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { FIRST_MINOR_WITH_IDS, repairIds, writeNotebook } from "../notebook/file.ts";
import { type CodeCell, clearOutputs, hasTag, isProgram, type Notebook } from "../notebook/format.ts";
import { jsonValue, parseYaml, type Point } from "./grid.ts";
import type { PointRecord } from "./journal.ts";
import { insertErrorMarkers, noteCell, noteRun, removeErrorMarkers } from "./papermill_metadata.ts";
import { injectParameters } from "./parameters.ts";

/** A cell's tag: what it shows goes into the table, `{ loss: 0.25 }` as a column `loss`. */
const RESULT_TAG = "result";

export interface PointOptions {
  /** The notebook that is swept. */
  readonly source: string;
  /** The folder for the notebooks of the points. */
  readonly output: string;
  /** Seconds that a cell may take. */
  readonly timeout: number | undefined;
}

/** @throws UnfinishedRun after a signal */
export async function runPoint(
  swept: Notebook,
  point: Point,
  name: string,
  { source, output, timeout }: PointOptions,
): Promise<PointRecord> {
  const beganMs = performance.now();
  const file = join(output, `${name}.ipynb`);
  const notebook = parameterized(swept, point);
  const parameters = Object.fromEntries(Object.entries(point).map(([key, value]) => [key, jsonValue(value)]));
  const timing = noteRun(notebook, { parameters, input_path: source, output_path: file });
  timing.start();
  let outcome: Pick<PointRecord, "status" | "error"> = { status: "ok", error: null };
  let failed: CodeCell | null = null;
  try {
    failed = await runCells(notebook, file, { source, timeout });
    if (failed !== null) outcome = { status: "failed", error: errorText(failed) };
  } catch (error) {
    if (!(error instanceof UnfinishedRun) || error.reason === "interrupted") throw error;
    const status = error.reason === "timeout" ? "timeout" : "died";
    outcome = { status, error: error.sentence(timeout, null) };
  } finally {
    timing.end(failed === null ? null : true);
    if (failed !== null) insertErrorMarkers(notebook, failed);
    writeNotebook(notebook, file);
  }
  const wallSeconds = (performance.now() - beganMs) / 1000;
  return { point, ...outcome, wallSeconds, file: `${name}.ipynb`, results: resultsOf(notebook) };
}

function parameterized(swept: Notebook, point: Point): Notebook {
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

/** Resolves with the cell that failed and may not; the notebook is on the disk after each cell. */
async function runCells(
  notebook: Notebook,
  file: string,
  { source, timeout }: Pick<PointOptions, "source" | "timeout">,
): Promise<CodeCell | null> {
  // All points write to the logbook that the notebook has in JupyterLab.
  const run = await NotebookRun.start(dirname(source), { JPY_SESSION_NAME: source });
  try {
    let failed: CodeCell | null = null;
    for (const cell of notebook.cells) {
      const isFailed = await noteCell(cell, async () => {
        if (!isProgram(cell)) return false;
        const reply = await run.runCell(cell, { timeout });
        return reply !== null && reply.status !== "ok" && !mayFail(cell);
      });
      writeNotebook(notebook, file);
      if (!isFailed) continue;
      failed = cell as CodeCell;
      break;
    }
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
function resultsOf(notebook: Notebook): Record<string, unknown> {
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

/** An object as Node prints it is YAML, where its values are numbers, words or texts. */
function valueOf(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return text;
  }
}
