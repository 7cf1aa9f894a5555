// Chooses the cells of a notebook whose outputs a replay compares, and says why the others are not. Reads what this
// program keeps in a notebook's metadata.
import { hasTag, isProgram, type JsonObject, type Notebook, type Output } from "../notebook/format.ts";
import type { NotebookLock } from "../notebook/lock.ts";
import type { ComparedCell } from "./agreement.ts";
import { SKIPPED_TAG } from "./output_difference.ts";
import type { StoredFingerprint } from "./fingerprint.ts";

/** The metadata that this program keeps in a notebook or in a cell. */
export interface OwnMetadata extends JsonObject {
  replay?: StoredFingerprint;
  replaySkip?: string;
  lock?: NotebookLock;
}

export function ownMetadata(metadata: JsonObject): OwnMetadata {
  return (metadata["mpslab"] ?? {}) as OwnMetadata;
}

/** The cells of two runs of one notebook whose outputs are compared. */
export function comparedCells(stored: Notebook, now: Notebook): ComparedCell[] {
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

/** The kernel put such a line below a stale cell after that cell had ended. */
function isMark(output: Output): boolean {
  const own = "metadata" in output ? (output.metadata["mpslab"] as JsonObject | undefined) : undefined;
  return own?.["mark"] === true;
}

/** Lists what was not compared, one item on each line. */
export function notComparedCells(stored: Notebook): string[] {
  return stored.cells.filter(isProgram).flatMap((cell, at) => {
    const reason = ownMetadata(cell.metadata).replaySkip ?? "without a reason";
    return hasTag(cell, SKIPPED_TAG) ? [`not compared: cell ${at + 1}, ${reason}`] : [];
  });
}
