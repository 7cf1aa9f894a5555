// The cells that the kernel has acknowledged, as its history must hold them: each once, in order, with its text.
import { createHash } from "node:crypto";
import { holds } from "../violation.ts";

/** A row of the history file. */
export interface HistoryRow {
  readonly line: number;
  readonly text: string;
}

export class AcknowledgedCells {
  #count = 0;
  /** What the file has not been compared with yet. The rest is a checksum, so that a day of cells takes no memory. */
  #unseen: HistoryRow[] = [];
  #seenUpTo = 0;
  readonly #checksum = createHash("sha256");

  get count(): number {
    return this.#count;
  }

  /** The last line that `compare` has seen; it wants the rows after it. */
  get seenUpTo(): number {
    return this.#seenUpTo;
  }

  /** A cell that was stored got this number. @throws Violation if it is not the next one */
  acknowledged(count: number, text: string): void {
    holds(count === this.#count + 1, `A cell got the number ${count} after the number ${this.#count}.`);
    this.#count = count;
    this.#unseen.push({ line: count, text });
  }

  /** Whether these rows, those after `seenUpTo`, are as many as must be there. */
  areComplete(rows: readonly HistoryRow[]): boolean {
    return rows.length >= this.#unseen.length;
  }

  /** @param rows of the file, those after `seenUpTo`, in the order of their lines. @throws Violation */
  compare(rows: readonly HistoryRow[]): void {
    for (const [index, { line, text }] of this.#unseen.entries()) {
      const row = rows[index];
      holds(row !== undefined, `Cell [${line}] was acknowledged and is not in the history: ${text}`);
      holds(
        row.line === line && row.text === text,
        `Cell [${line}] was acknowledged as ${JSON.stringify(text)}, and the history has [${row.line}] ${JSON.stringify(row.text)}.`,
      );
      this.#checksum.update(checkedText(row));
    }
    holds(
      rows.length === this.#unseen.length,
      `The history has ${rows.length - this.#unseen.length} cells more than were acknowledged.`,
    );
    this.#seenUpTo = this.#count;
    this.#unseen = [];
  }

  /** At the end: what was there once is there still. @throws Violation */
  compareWhole(rows: Iterable<HistoryRow>): void {
    const checksum = createHash("sha256");
    let count = 0;
    for (const row of rows) {
      checksum.update(checkedText(row));
      count++;
    }
    holds(count === this.#count, `The history has ${count} cells, and ${this.#count} were acknowledged.`);
    holds(
      checksum.digest("hex") === this.#checksum.copy().digest("hex"),
      "A cell of the history is not what it was when it was first compared.",
    );
  }
}

const checkedText = ({ line, text }: HistoryRow): string => `${line}\n${text}\n`;
