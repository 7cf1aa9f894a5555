// `mpslab replay`: runs a notebook in a fresh kernel and compares what comes out with what is stored in it, or stores it.
// Prints the first difference, and before that where the notebook depends on another order of its cells. How results are compared is in `agreement.ts`.
import { dirname } from "node:path";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import { notebookLock } from "../notebook/lock.ts";
import { compareRuns, EXIT_STATUS } from "./agreement.ts";
import { comparedCells, notComparedCells, ownMetadata } from "./compared_cells.ts";
import { fingerprintText } from "./fingerprint.ts";
import { hiddenOrder } from "./hidden_order.ts";
import { fingerprintOf } from "./replayed_notebook.ts";
import { complain, say } from "../terminal.ts";

export interface ReplayOptions {
  /** The notebook's file. */
  readonly file: string;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** The relative tolerance for numbers. */
  readonly tolerance?: number | undefined;
  /** Keeps this run's outputs, checksums and byte counts in the notebook instead of comparing them. */
  readonly store?: boolean | undefined;
}

/** Resolves with the exit status. */
export async function replay({ file, timeout, tolerance, store }: ReplayOptions): Promise<number> {
  const stored = readNotebook(file);
  const ran = stored.cells.filter((cell) => cell.cell_type === "code" && cell.execution_count !== null);
  if (ran.length === 0 && !store) {
    say(`${file} holds no outputs to compare with: mpslab replay --store keeps this run's.\n`);
    return 1;
  }
  for (const sentence of hiddenOrder(stored)) complain(`${sentence}\n`);
  const notebook = structuredClone(stored);
  const now = await fingerprintOf(notebook, dirname(file), { timeout });
  if (typeof now === "number") return now;
  if (store) {
    const lock = notebookLock(notebook, dirname(file));
    notebook.metadata["mpslab"] = { ...ownMetadata(notebook.metadata), replay: now, lock };
    writeNotebook(notebook, file, "followed");
    say(`stored in ${file}: ${fingerprintText(now)}\n`);
    return 0;
  }
  const kept = ownMetadata(stored.metadata).replay ?? null;
  const { verdict, text } = compareRuns(comparedCells(stored, notebook), kept, now, tolerance);
  const notes = verdict === "same" ? notComparedCells(stored) : [];
  if (verdict === "same" && kept === null)
    notes.push("no tensors are stored: mpslab replay --store keeps their checksums.");
  say([text, ...notes, ""].join("\n"));
  return EXIT_STATUS[verdict];
}
