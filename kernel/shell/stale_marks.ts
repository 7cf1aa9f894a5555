// Marks stale cells: one quiet line below each. The line of the cell that has just run is part of its output. Those of
// other cells appear when the kernel has come to rest, so that cells that run one after the other are not marked in
// between.
import type { Declared } from "../cell/analyze.ts";
import type { CellUses } from "../cell/uses.ts";
import type { Outputs } from "../iopub/outputs.ts";
import type { Header } from "../protocol/messages.ts";
import type { ExecuteRequest } from "../protocol/requests.ts";
import { CellGraph, MAX_CELLS, type StaleCell } from "../staleness/cell_graph.ts";
import { staleList, staleSentence } from "../staleness/stale_text.ts";

/** A front end that runs all cells sends the next one sooner than this after the last. */
const REST_MS = 300;

interface Mark {
  readonly header: Header;
  /** Empty for a cell that is not stale. Undefined if it has not been since it ran, and has no line to update. */
  text: string | undefined;
}

/** One cell that has run, stored in the history. */
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
  /** By cell: its latest run, and what stands below it. */
  readonly #marks = new Map<string, Mark>();
  #enabled = true;
  #rest: NodeJS.Timeout | undefined;

  constructor(outputs: Outputs) {
    this.#outputs = outputs;
  }

  /** A cell starts: marks wait until it has ended. @param deletedCells those that the front end has deleted since */
  starts(deletedCells: readonly string[]): void {
    clearTimeout(this.#rest);
    this.#graph.deleted(deletedCells);
  }

  /** A cell has ended, of whatever kind. @param enabled whether cells are marked from now on */
  ends(enabled: boolean): void {
    this.#enabled = enabled;
    this.#rest = setTimeout(() => this.#markOthers(), REST_MS).unref();
  }

  /** Records the run. Called before its reply. */
  ran({ request, header, count, uses, declared, initialised, failed }: EndedCell, enabled: boolean): void {
    // Without an id each run is a cell of its own.
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

  /** The variables are gone. */
  forget(): void {
    this.#graph.clear();
    this.#marks.clear();
  }

  /** Marks nothing any more. */
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
