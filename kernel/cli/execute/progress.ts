// Prints the progress of `mpslab execute`: a line for each code cell, with its number, its first line and how long it
// took, and the traceback of the first error.
import { stripVTControlCharacters } from "node:util";
import { mayFail, type CellReply } from "../client/notebook_run.ts";
import type { CodeCell } from "../notebook/format.ts";
import { coloured, visible } from "../../../lib/visible.ts";
import { say } from "../terminal.ts";

const LONGEST_TITLE = 60;

export class Progress {
  readonly #cells: number;
  #failed = 0;
  /** The number of the running cell, from 1. It is 0 before the first. */
  #number = 0;
  #startedMs = 0;

  constructor(cells: number) {
    this.#cells = cells;
  }

  get number(): number {
    return this.#number;
  }

  starts(cell: CodeCell): void {
    this.#number += 1;
    const [title = ""] = cell.source.trim().split("\n");
    say(`[${this.#number}/${this.#cells}] ${[...title].slice(0, LONGEST_TITLE).join("").trimEnd()}`);
    this.#startedMs = performance.now();
  }

  /** Returns whether the cell failed. A cell that is tagged to fail does not count. */
  ended(cell: CodeCell, reply: CellReply | null): boolean {
    const seconds = ((performance.now() - this.#startedMs) / 1000).toFixed(1);
    const failed = reply !== null && reply.status !== "ok";
    const isMeant = failed && mayFail(cell);
    const verdict = isMeant ? " failed, as its tag says" : failed ? " failed" : "";
    say(reply === null ? "\n" : `  ${seconds} s${verdict}\n`);
    if (!failed || isMeant) return false;
    this.#failed += 1;
    if (this.#failed === 1) tellError(reply);
    return true;
  }

  /** Prints how many cells failed, if any did. */
  tellFailures(): void {
    if (this.#failed > 0) say(`${this.#failed} of ${this.#cells} cells failed.\n`);
  }
}

function tellError({ traceback = [], evalue = "" }: CellReply): void {
  const text = traceback.length > 0 ? traceback.join("\n") : evalue;
  process.stderr.write(
    `${process.stderr.isTTY ? coloured(text) : visible(stripVTControlCharacters(text))}\n`,
  );
}
