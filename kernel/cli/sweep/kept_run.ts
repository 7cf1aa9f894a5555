// Keeps in a point's notebook what its run depended on and measured: a logbook entry. The session itself fills it in,
// so that it describes the machine on which the point ran. `mpslab report` reads it.
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import type { NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import type { CodeCell, JsonObject, Notebook } from "../notebook/format.ts";

export interface KeptRun {
  readonly run: RunEntry;
  /** The most bytes of live tensors that the session has seen. */
  readonly peakBytes: number;
}

/** The verdict on memory of the session's last epoch loop. */
export interface RunMemory {
  readonly verdict: string;
  /** `growing, tensors 1 MiB to 6 MiB in 5 epochs, +490% in ten`, or what is missing for a verdict. */
  readonly text: string;
}

/** A session that has not answered by then is still busy with work that its cells started. */
const DEADLINE_SECONDS = 60;
/** Stands before the answer: work that a cell left behind may print as well. */
const BEGIN = "mpslab-kept-run ";

/** In a session without the library this prints null, and does not load the library. */
const program = (name: string): string =>
  `console.log(${JSON.stringify(BEGIN)} + ((globalThis as any)[Symbol.for("mpslab.sessionRun")]?.(${JSON.stringify(name)}) ?? "null"));`;

/**
 * Asks the session in a cell that the notebook does not keep. A session that cannot answer, or has not imported the
 * library, leaves the notebook without a run: the point's own outcome stands.
 *
 * @throws UnfinishedRun after a signal
 */
export async function keepRun(notebook: Notebook, session: NotebookRun, name: string): Promise<void> {
  const { run: _, peakBytes: _bytes, ...others } = (notebook.metadata["mpslab"] ?? {}) as JsonObject;
  const asked = await askedRun(session, name);
  if (asked !== null) Object.assign(others, { run: asked.run, peakBytes: asked.peakBytes });
  notebook.metadata["mpslab"] = others;
}

/**
 * The session's answer about its run; null if it cannot answer, or has not imported the library.
 *
 * @throws UnfinishedRun after a signal
 */
export async function askedRun(
  session: NotebookRun,
  name: string,
): Promise<(KeptRun & { readonly memory: RunMemory }) | null> {
  const cell: CodeCell = {
    cell_type: "code",
    source: program(name),
    metadata: {},
    outputs: [],
    execution_count: null,
  };
  try {
    await session.runCell(cell, { storesHistory: false, timeout: DEADLINE_SECONDS });
  } catch (error) {
    if (!(error instanceof UnfinishedRun) || error.reason === "interrupted") throw error;
  }
  const printed = cell.outputs.flatMap((output) => (output.output_type === "stream" ? output.text : []));
  const line = printed
    .join("")
    .split("\n")
    .find((text) => text.startsWith(BEGIN));
  try {
    return JSON.parse(line?.slice(BEGIN.length) ?? "null") as
      | (KeptRun & { readonly memory: RunMemory })
      | null;
  } catch {
    // Something else printed into the same line.
    return null;
  }
}

/** What `keepRun` has put into a notebook's metadata; null if there is nothing. */
export function keptRunOf({ metadata }: { readonly metadata: JsonObject }): KeptRun | null {
  const { run, peakBytes } = (metadata["mpslab"] ?? {}) as Partial<KeptRun>;
  const isRun = typeof run?.id === "string" && typeof run.fields === "object" && run.fields !== null;
  return isRun && typeof peakBytes === "number" ? { run, peakBytes } : null;
}
