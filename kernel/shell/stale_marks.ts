// Marks stale cells: one quiet line below each. For the cell that has just run, the line is shown with its output.
// Other cells are marked only when the kernel has been idle for a moment, so that cells which run one after the other
// are not marked in between.
import type { Declared } from "../cell/analyze.ts";
import type { CellUses } from "../cell/uses.ts";
import type { Outputs } from "../iopub/outputs.ts";
import type { Header } from "../protocol/messages.ts";
import type { ExecuteRequest } from "../protocol/requests.ts";
import { CellGraph, MAX_CELLS, type StaleCell } from "../staleness/cell_graph.ts";
import { staleList, staleSentence } from "../staleness/stale_text.ts";

/** How long the kernel must be idle: a front end that runs all cells sends the next one sooner than this. */
const REST_MS = 300;

interface Mark {
  readonly header: Header;
  /**
   * The text below the cell; empty if the cell is not stale now. Undefined if it has not been stale since it ran, so
   * that there is no line to update.
   */
  text: string | undefined;
}

/** A cell that has run and is stored in the history. */
export interface EndedCell {
  readonly request: ExecuteRequest;
  readonly header: Header;
  readonly count: number;
  readonly uses: CellUses;
  readonly declared: readonly Declared[];
  /** Runtime names that hold a value. */
  readonly initialised: ReadonlySet<string>;
  readonly failed: boolean;
}

export class StaleMarks {
  readonly #outputs: Outputs;
  readonly #graph = new CellGraph();
  /** The latest run of each cell, and the text below it. */
  readonly #marks = new Map<string, Mark>();
  #enabled = true;
  #rest: NodeJS.Timeout | undefined;

  constructor(outputs: Outputs) {
    this.#outputs = outputs;
  }

  /**
   * A cell starts: other cells are not marked until it has ended. @param deletedCells cells that the front end has
   * deleted since the last request
   */
  starts(deletedCells: readonly string[]): void {
    clearTimeout(this.#rest);
    this.#graph.deleted(deletedCells);
  }

  /** A cell has ended, whether it was stored or not. @param enabled whether cells are marked from now on */
  ends(enabled: boolean): void {
    this.#enabled = enabled;
    this.#rest = setTimeout(() => this.#markOthers(), REST_MS).unref();
  }

  /** Records the run. Called before its reply. */
  ran({ request, header, count, uses, declared, initialised, failed }: EndedCell, enabled: boolean): void {
    // Without an id, each run counts as a cell of its own.
    const cell = request.cellId ?? header.msg_id;
    const names = declared.filter(({ typeOnly, runtimeName }) => !typeOnly && initialised.has(runtimeName));
    const title = request.code.trim().split("\n", 1)[0] as string;
    this.#graph.ran({ cell, count, title, uses, declared: names.map(({ name }) => name), failed });
    const mark: Mark = { header, text: undefined };
    this.#marks.delete(cell);
    if (request.cellId !== null) this.#marks.set(cell, mark);
    if (this.#marks.size > MAX_CELLS) this.#marks.delete(this.#marks.keys().next().value as string);
    const stale = enabled ? this.#graph.staleCell(cell) : null;
    if (stale !== null) this.#show(mark, stale);
  }

  /** The answer of `%stale`. */
  staleList(): string {
    return staleList(this.#graph.staleCells(), this.#graph.outdatedReads());
  }

  /** The variables are lost. */
  forget(): void {
    this.#graph.clear();
    this.#marks.clear();
  }

  /** From now on nothing is marked. */
  close(): void {
    clearTimeout(this.#rest);
    this.forget();
  }

  #markOthers(): void {
    const stale = new Map(this.#enabled ? this.#graph.staleCells().map((cell) => [cell.cell, cell]) : []);
    for (const [cell, mark] of this.#marks) this.#show(mark, stale.get(cell) ?? null);
  }

  #show(mark: Mark, stale: StaleCell | null): void {
    const text = stale === null ? "" : staleSentence(stale);
    if (text === (mark.text ?? "")) return;
    this.#outputs.mark(mark.header, text, mark.text !== undefined);
    mark.text = text;
  }
}
