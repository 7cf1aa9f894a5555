// The cells that have run and whose types have not been printed yet. Printing takes longer than checking, and most
// cells do not use what the one before them declared. So types are printed when a cell or an editor needs them, or when
// nothing runs.
import type { Declared } from "../cell/analyze.ts";
import type { CellText } from "./cell_text.ts";

export interface UnfoldedCell {
  readonly cell: CellText;
  /** The names that later cells see. */
  readonly visible: readonly Declared[];
  /** The types, if they were printed while the cell ran. */
  readonly printed: Promise<ReadonlyMap<string, string>> | null;
  /** The types of the rows of its tables. */
  readonly rows: ReadonlyMap<string, string>;
}

interface Entry extends UnfoldedCell {
  readonly mentioned: ReadonlySet<string>;
}

/** The cells in the order in which they ran. No cell mentions a name that a later one in this list declares. */
export class UnfoldedCells {
  #entries: readonly Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** @param mentioned the names that the cell may refer to */
  add(cell: UnfoldedCell, mentioned: ReadonlySet<string>): void {
    this.#entries = [...this.#entries, { ...cell, mentioned }];
  }

  /** Whether the types of a cell here may depend on what these names meant until now. */
  mention(names: readonly Declared[]): boolean {
    return this.#entries.some(({ mentioned }) => names.some(({ name }) => mentioned.has(name)));
  }

  /** Removes and returns the cells that declare these names, with the cells that those need, oldest first. */
  takeFor(names: ReadonlySet<string>): readonly UnfoldedCell[] {
    const needed = new Set(names);
    const taken: Entry[] = [];
    for (const entry of this.#entries.toReversed()) {
      if (!entry.visible.some(({ name }) => needed.has(name))) continue;
      taken.unshift(entry);
      for (const name of entry.mentioned) needed.add(name);
    }
    this.#entries = this.#entries.filter((entry) => !taken.includes(entry));
    return taken;
  }

  takeAll(): readonly UnfoldedCell[] {
    const taken = this.#entries;
    this.#entries = [];
    return taken;
  }

  takeFirst(): readonly UnfoldedCell[] {
    const taken = this.#entries.slice(0, 1);
    this.#entries = this.#entries.slice(1);
    return taken;
  }
}
