// `mpslab replay`: runs a notebook in a fresh kernel and compares what comes out with what is stored in it, or stores it.
// Prints the first difference, and before that where the notebook depends on another order of its cells. How results are compared is in `agreement.ts`.
import { dirname } from "node:path";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import {
  clearOutputs,
  hasTag,
  isProgram,
  type JsonObject,
  type Notebook,
  type Output,
} from "../notebook/format.ts";
import { type Agreement, type ComparedCell, compareRuns } from "./agreement.ts";
import { type Fingerprint, fingerprintText, type StoredFingerprint } from "./fingerprint.ts";
import { hiddenOrder } from "./hidden_order.ts";
import { NoFingerprint, ReplayedNotebook, SKIPPED_TAG } from "./replayed_notebook.ts";

export interface ReplayOptions {
  /** The notebook's file. */
  readonly file: string;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** How far numbers may be apart, as a share. */
  readonly tolerance?: number | undefined;
  /** Keeps this run's outputs, checksums and byte counts in the notebook instead of comparing them. */
  readonly store?: boolean | undefined;
}

const EXIT_STATUS = { same: 0, different: 1, "cannot tell": 2 } as const satisfies Record<
  Agreement["verdict"],
  number
>;

/** The metadata that this program keeps in a notebook or in a cell. */
interface OwnMetadata extends JsonObject {
  replay?: StoredFingerprint;
  replaySkip?: string;
}

/** Resolves with the exit status. */
export async function replay({ file, timeout, tolerance, store }: ReplayOptions): Promise<number> {
  const stored = readNotebook(file);
  const ran = stored.cells.filter((cell) => cell.cell_type === "code" && cell.execution_count !== null);
  if (ran.length === 0 && !store) {
    process.stdout.write(
      `${file} holds no outputs to compare with: mpslab replay --store keeps this run's.\n`,
    );
    return 1;
  }
  for (const sentence of hiddenOrder(stored)) process.stderr.write(`${sentence}\n`);
  const notebook = structuredClone(stored);
  clearOutputs(notebook);
  const run = new ReplayedNotebook(notebook, dirname(file), timeout);
  let now: Fingerprint;
  try {
    now = await run.fingerprint();
  } catch (error) {
    if (error instanceof NoFingerprint) {
      process.stderr.write(`${error.message}\nThe session could not tell its tensors: run mpslab doctor.\n`);
      return 1;
    }
    if (!(error instanceof UnfinishedRun)) throw error;
    process.stderr.write(`${error.sentence(timeout, run.number)}\n`);
    return error.exitStatus;
  }
  if (store) {
    notebook.metadata["mpslab"] = { ...ownMetadata(notebook.metadata), replay: now };
    writeNotebook(notebook, file);
    process.stdout.write(`stored in ${file}: ${fingerprintText(now)}\n`);
    return 0;
  }
  const kept = ownMetadata(stored.metadata).replay ?? null;
  const { verdict, text } = compareRuns(comparedCells(stored, notebook), kept, now, tolerance);
  const notes = verdict === "same" ? notesOf(stored, kept) : [];
  process.stdout.write([text, ...notes, ""].join("\n"));
  return EXIT_STATUS[verdict];
}

function ownMetadata(metadata: JsonObject): OwnMetadata {
  return (metadata["mpslab"] ?? {}) as OwnMetadata;
}

function comparedCells(stored: Notebook, now: Notebook): ComparedCell[] {
  const after = now.cells.filter(isProgram);
  return stored.cells
    .filter(isProgram)
    .map((cell, at) => ({
      cell,
      number: at + 1,
      stored: cell.outputs.filter((output) => !isMark(output)),
      now: (after[at]?.outputs ?? []).filter((output) => !isMark(output)),
    }))
    .filter(({ cell }) => cell.execution_count !== null && !hasTag(cell, SKIPPED_TAG));
}

/** A line that the kernel put below a stale cell after it had ended. */
function isMark(output: Output): boolean {
  const own = "metadata" in output ? (output.metadata["mpslab"] as JsonObject | undefined) : undefined;
  return own?.["mark"] === true;
}

/** Lists what was not compared, one item on each line. */
function notesOf(stored: Notebook, kept: StoredFingerprint | null): string[] {
  const notes = stored.cells.filter(isProgram).flatMap((cell, at) => {
    const reason = ownMetadata(cell.metadata).replaySkip ?? "without a reason";
    return hasTag(cell, SKIPPED_TAG) ? [`not compared: cell ${at + 1}, ${reason}`] : [];
  });
  return kept ? notes : [...notes, "no tensors are stored: mpslab replay --store keeps their checksums."];
}
