// Holds the session's records of epochs, and shows them as tables.
import type { EpochRecord, MemoryMark, SkippedStepRecord } from "../../records/epochs.ts";
import { shownLedger } from "./ledger_view.ts";

export class Ledger {
  readonly epochs: EpochRecord[] = [];
  readonly marks: MemoryMark[] = [];
  readonly skippedSteps: SkippedStepRecord[] = [];
  /**
   * The variables that hold growing memory, by loop, the largest first. A loop for which none was found has no entry.
   */
  readonly holders = new Map<number, readonly string[]>();

  setHolders(loop: number, holders: readonly string[]): void {
    if (holders.length > 0) this.holders.set(loop, holders);
  }

  /** Replaces the earlier record of the same epoch, unless that was cleared. */
  replace(earlier: EpochRecord, record: EpochRecord): void {
    const at = this.epochs.lastIndexOf(earlier);
    if (at >= 0) this.epochs[at] = record;
  }

  /** Clears the records. Numbering of loops continues, so that records before and after are not confused. */
  clear(): void {
    this.epochs.length = 0;
    this.marks.length = 0;
    this.skippedSteps.length = 0;
    this.holders.clear();
  }
}

/** The session's ledger. */
export const ledger = shownLedger(new Ledger());
