// Writes the metadata that papermill writes into a notebook that it runs: parameters, times, and how each cell ended.
// Tools that read papermill's notebooks read it.
import { newCellId } from "../notebook/file.ts";
import { type Cell, hasTag, type JsonObject, type Notebook, type TextCell } from "../notebook/format.ts";

const ERROR_MARKER_TAG = "papermill-error-cell-tag";
const ERROR_STYLE =
  'style="color:red; font-family:Helvetica Neue, Helvetica, Arial, sans-serif; font-size:2em;"';

type Status = "pending" | "running" | "completed" | "failed";

/** The times of a notebook or a cell: start, end and duration. */
class Timing {
  readonly #note: JsonObject;
  #startedMs = Date.now();

  constructor(note: JsonObject) {
    this.#note = note;
    Object.assign(note, { start_time: null, end_time: null, duration: null, exception: null });
  }

  start(): void {
    this.#startedMs = Date.now();
    Object.assign(this.#note, { start_time: isoTime(this.#startedMs), exception: null });
  }

  end(exception: boolean | null): void {
    const now = Date.now();
    Object.assign(this.#note, {
      end_time: isoTime(now),
      duration: (now - this.#startedMs) / 1000,
      exception,
    });
  }
}

/** Returns the time in ISO format with microseconds and zone, as Python writes it. */
function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000+00:00");
}

/** Begins a new note about the whole run. `more` is what it holds besides the times. */
export function noteRun(notebook: Notebook, more: JsonObject): Timing {
  const note: JsonObject = { default_parameters: {}, environment_variables: {}, ...more };
  notebook.metadata["papermill"] = note;
  for (const cell of notebook.cells) {
    cell.metadata.tags ??= [];
    cell.metadata["papermill"] = { status: "pending" satisfies Status };
  }
  return new Timing(note);
}

/** Runs a cell through `work` and notes how it ended. Resolves with whether the cell failed. */
export async function noteCell(cell: Cell, work: () => Promise<boolean>): Promise<boolean> {
  const note = cell.metadata["papermill"] as JsonObject;
  const timing = new Timing(note);
  timing.start();
  note["status"] = "running" satisfies Status;
  const failed = await work();
  timing.end(failed);
  note["status"] = (failed ? "failed" : "completed") satisfies Status;
  return failed;
}

/** Removes the cells about an error that an earlier run added. */
export function removeErrorMarkers(notebook: Notebook): void {
  notebook.cells = notebook.cells.filter((cell) => !hasTag(cell, ERROR_MARKER_TAG));
}

/** Adds a sentence at the top, with a link to a second one above the cell that failed. */
export function insertErrorMarkers(notebook: Notebook, failed: Cell): void {
  const number = failed.cell_type === "code" ? failed.execution_count : null;
  const anchor = `<span id="papermill-error-cell" ${ERROR_STYLE}>Execution using papermill encountered an exception here and stopped:</span>`;
  const top = `<span ${ERROR_STYLE}>An Exception was encountered at '<a href="#papermill-error-cell">In [${number ?? "None"}]</a>'.</span>`;
  notebook.cells.splice(notebook.cells.indexOf(failed), 0, marker(anchor));
  notebook.cells.unshift(marker(top));
}

function marker(source: string): TextCell {
  return { cell_type: "markdown", id: newCellId(), source, metadata: { tags: [ERROR_MARKER_TAG] } };
}
