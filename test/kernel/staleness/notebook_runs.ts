// Runs of a notebook's cells for tests of stale cells: compiled as the kernel compiles them, and not evaluated.
import { commit, NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { CellGraph } from "../../../kernel/staleness/cell_graph.ts";
import { staleList } from "../../../kernel/staleness/stale_text.ts";

export class NotebookRuns {
  readonly graph = new CellGraph();
  readonly #texts = new Map<string, string>();
  #bindings = NO_BINDINGS;
  #count = 0;

  /**
   * Runs a cell, with its text of before if none is given. Returns whether the cell itself is stale then.
   *
   * @param reached the names that a failing cell initialised; undefined for a cell that succeeds
   */
  run(cell: string, text = this.#texts.get(cell) as string, reached?: readonly string[]): boolean {
    this.#texts.set(cell, text);
    const { declared, uses } = compile(text, this.#bindings, { script: String(++this.#count), flush: true });
    const names = declared
      .filter(({ name, typeOnly }) => !typeOnly && (reached?.includes(name) ?? true))
      .map(({ name }) => name);
    this.#bindings = commit(this.#bindings, declared, new Set(names));
    this.graph.ran({
      cell,
      count: this.#count,
      title: text.split("\n")[0] as string,
      uses: uses(),
      declared: names,
      failed: reached !== undefined,
    });
    return this.graph.staleCell(cell) !== null;
  }

  /** Runs new cells from top to bottom. */
  runAll(cells: Readonly<Record<string, string>>): void {
    for (const [cell, text] of Object.entries(cells)) this.run(cell, text);
  }

  /** The stale cells in their order. */
  get stale(): string[] {
    return this.graph.staleCells().map(({ cell }) => cell);
  }

  get list(): string {
    return staleList(this.graph.staleCells(), this.graph.outdatedReads());
  }
}
