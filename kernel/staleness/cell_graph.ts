// Records which cell defined each name and which definitions each cell read, and says which cells are stale.
//
// A cell is stale if it read a name whose cell has run again and redefined it since, or if it read a name of a stale
// cell. When a second cell defines the same name, this by itself makes no cell stale, because notebooks often reuse
// names: after one run from top to bottom, no cell is stale.
//
// But a cell that runs again may mix the two definitions: it may read a new model from another cell, and an optimizer
// that was made for the old model. Then the cell that made the optimizer is stale.
//
// Changes in place (`losses.push(1)`, `count += 1`) are not followed. Plain data; prints nothing.
import type { CellUses } from "../cell/uses.ts";

/** One run of a cell. */
export interface RanCell {
  /** Identifies the cell across its runs. */
  readonly cell: string;
  readonly count: number;
  /** The cell's first line, for a list. */
  readonly title: string;
  readonly uses: CellUses;
  /** The names that the run has declared and initialised. */
  readonly declared: readonly string[];
  readonly failed: boolean;
}

/** Why a cell is stale. */
export interface StaleReason {
  readonly name: string;
  /** The number of the cell that redefined the name, or of the stale cell from which the name comes. */
  readonly by: number;
  readonly kind: "redefined" | "from stale";
}

export interface StaleCell {
  readonly cell: string;
  readonly count: number;
  readonly title: string;
  readonly reasons: readonly StaleReason[];
}

/** A read of a name that another cell has defined since, where that does not make the reading cell stale. */
export interface OutdatedRead {
  readonly name: string;
  /** The numbers of the cells that read the name, that it came from, and that has defined it since. */
  readonly count: number;
  readonly from: number;
  readonly by: number;
}

/** A run that defined a name. Runs are numbered as they end. */
interface Definition {
  readonly cell: string;
  readonly run: number;
  readonly count: number;
  /** The text of the declaration, if it gives the same value whenever it runs. */
  readonly steady: string | undefined;
  /** The names that a function reads when it is called. */
  readonly late: ReadonlySet<string> | undefined;
}

/** The latest run of a cell. */
interface Node {
  readonly cell: string;
  readonly run: number;
  readonly firstRun: number;
  readonly count: number;
  readonly title: string;
  readonly failed: boolean;
  readonly declared: ReadonlySet<string>;
  readonly reads: ReadonlyMap<string, Definition>;
  /** A later definition of a name. Another cell has used it together with what this cell made from the earlier one. */
  mixedWith: { readonly name: string; readonly definition: Definition } | null;
}

/** Limits the graph: each run of a cell without an id counts as a new cell, and would be kept for ever. */
export const MAX_CELLS = 2000;
/** How many of the cells that a reader depends on are searched for a mixture. */
const MAX_SEARCHED = 200;

export class CellGraph {
  readonly #nodes = new Map<string, Node>();
  /** The latest definition of each name. */
  readonly #current = new Map<string, Definition>();
  /** The latest definition of each name in each cell. */
  readonly #definitions = new Map<string, Map<string, Definition>>();
  readonly #deleted = new Set<string>();
  #runs = 0;

  /** Records a run when it has ended. */
  ran({ cell, count, title, uses, declared, failed }: RanCell): void {
    const run = ++this.#runs;
    const reads = this.#readsOf(cell, uses);
    const previous = this.#nodes.get(cell);
    const firstRun = previous?.firstRun ?? run;
    const names = new Set(declared);
    const node: Node = { cell, run, firstRun, count, title, failed, declared: names, reads, mixedWith: null };
    // The oldest cell comes first in the map: it is forgotten first.
    this.#nodes.delete(cell);
    this.#nodes.set(cell, node);
    this.#deleted.delete(cell);
    for (const name of declared) {
      this.#define(name, { cell, run, count, steady: uses.steady.get(name), late: uses.late.get(name) });
    }
    if (!failed) {
      for (const name of uses.assigns) {
        if (this.#current.has(name))
          this.#define(name, { cell, run, count, steady: undefined, late: undefined });
      }
    }
    if (previous !== undefined && !failed) this.#findMixtures(node, previous);
    this.#forgetOldest();
  }

  /** These cells are no longer in the notebook, but their values still exist. */
  deleted(cells: readonly string[]): void {
    for (const cell of cells) this.#deleted.add(cell);
  }

  /** No name has a value any more, because the session has ended or was reset. */
  clear(): void {
    this.#nodes.clear();
    this.#current.clear();
    this.#definitions.clear();
    this.#deleted.clear();
  }

  /** Null for a cell that is not stale. */
  staleCell(cell: string): StaleCell | null {
    const node = this.#nodes.get(cell);
    return node === undefined || node.failed ? null : this.#stale(node, new Map());
  }

  /**
   * The stale cells in the order in which to run them: a cell comes after those that it reads from, else in the order
   * of first runs.
   */
  staleCells(): StaleCell[] {
    const known = new Map<Node, StaleCell | null>();
    const stale = [...this.#nodes.values()]
      .filter((node) => !node.failed && !this.#deleted.has(node.cell) && this.#stale(node, known) !== null)
      .sort((one, other) => one.firstRun - other.firstRun);
    const waiting = new Set(stale);
    const ordered: StaleCell[] = [];
    while (waiting.size > 0) {
      const cells = new Set([...waiting].map(({ cell }) => cell));
      const isReady = ({ cell, reads }: Node) =>
        [...reads.values()].every((from) => from.cell === cell || !cells.has(from.cell));
      // If two cells read from each other, the one that ran first goes first.
      const next = [...waiting].find(isReady) ?? ([...waiting][0] as Node);
      waiting.delete(next);
      ordered.push(known.get(next) as StaleCell);
    }
    return ordered;
  }

  /**
   * Reads of names that another cell has defined since. It is not known whether the reading cells should use the new
   * definition.
   */
  outdatedReads(): OutdatedRead[] {
    return [...this.#nodes.values()].flatMap((node) => {
      if (node.failed || this.#deleted.has(node.cell)) return [];
      return [...node.reads].flatMap(([name, from]) => {
        const current = this.#current.get(name);
        if (current === undefined || !this.#outdates(current, from, node)) return [];
        if (this.#laterDefinition(node, name, from) !== null) return [];
        return [{ name, count: node.count, from: from.count, by: current.count }];
      });
    });
  }

  /** The definitions that a run has read, including those that the functions it could call have read. */
  #readsOf(cell: string, { reads }: CellUses): Map<string, Definition> {
    const found = new Map<string, Definition>();
    const names = new Set(reads);
    for (const name of names) {
      const definition = this.#current.get(name);
      if (definition === undefined) continue;
      for (const later of definition.late ?? []) names.add(later);
      if (definition.cell !== cell) found.set(name, definition);
    }
    return found;
  }

  #define(name: string, definition: Definition): void {
    const current = this.#current.get(name);
    if (current !== undefined && isSame(definition, current)) return;
    this.#current.set(name, definition);
    const own = this.#definitions.get(definition.cell);
    if (own === undefined) this.#definitions.set(definition.cell, new Map([[name, definition]]));
    else own.set(name, definition);
  }

  /** @param known the results for other cells; a cell that is still being examined counts as fresh */
  #stale(node: Node, known: Map<Node, StaleCell | null>): StaleCell | null {
    const before = known.get(node);
    if (before !== undefined) return before;
    known.set(node, null);
    const reasons: StaleReason[] = [];
    for (const [name, from] of node.reads) {
      const later = this.#laterDefinition(node, name, from);
      if (later !== null) reasons.push({ name, by: later.count, kind: "redefined" });
      else if (from.steady === undefined) {
        const source = this.#nodes.get(from.cell);
        if (source?.run === from.run && this.#stale(source, known) !== null) {
          reasons.push({ name, by: source.count, kind: "from stale" });
        }
      }
    }
    if (reasons.length === 0) return null;
    const { cell, count, title } = node;
    const stale = { cell, count, title, reasons };
    known.set(node, stale);
    return stale;
  }

  #laterDefinition(node: Node, name: string, from: Definition): Definition | null {
    const again = this.#definitions.get(from.cell)?.get(name);
    if (again !== undefined && again.run > from.run && !isSame(again, from)) return again;
    const current = this.#current.get(name);
    if (current === undefined || current.run <= from.run || current.cell === node.cell) return null;
    if (isSame(current, from)) return null;
    const source = this.#nodes.get(from.cell);
    const isMoved = source !== undefined && !source.failed && !source.declared.has(name);
    // The definition was moved into another cell.
    if (this.#deleted.has(from.cell) || isMoved) return current;
    return node.mixedWith?.name === name && node.mixedWith.definition === current ? current : null;
  }

  /**
   * Finds names that `reader` read from one cell in its previous run, and from another cell now. Cells that it depends
   * on, and that used the earlier definition, become stale.
   */
  #findMixtures(reader: Node, previous: Node): void {
    for (const [name, read] of reader.reads) {
      const before = previous.reads.get(name);
      if (before === undefined || before.cell === read.cell) continue;
      for (const source of this.#sourcesOf(reader)) {
        const from = source.reads.get(name);
        if (from?.cell === before.cell && this.#outdates(read, from, source)) {
          source.mixedWith = { name, definition: read };
        }
      }
    }
  }

  /**
   * Whether `later`, from another cell than `from`, replaces what `node` has read, and does not itself depend on
   * `node`.
   */
  #outdates(later: Definition, from: Definition, node: Node): boolean {
    if (later.cell === from.cell || later.cell === node.cell || later.run <= node.run) return false;
    // After `x = normalize(x, mean)`, the cell of `mean` has read the old x, but the new x depends on that mean: it is
    // up to date.
    const definer = this.#nodes.get(later.cell);
    return !isSame(later, from) && (definer === undefined || !this.#sourcesOf(definer).has(node));
  }

  /** The cells on whose values `reader` depends, directly or through other cells. */
  #sourcesOf(reader: Node): Set<Node> {
    const found = new Set<Node>();
    const waiting = [reader];
    for (let node = waiting.pop(); node !== undefined && found.size < MAX_SEARCHED; node = waiting.pop()) {
      for (const from of node.reads.values()) {
        const source = this.#nodes.get(from.cell);
        if (from.steady !== undefined || source?.run !== from.run || source === reader || found.has(source))
          continue;
        found.add(source);
        waiting.push(source);
      }
    }
    return found;
  }

  #forgetOldest(): void {
    if (this.#nodes.size <= MAX_CELLS) return;
    const [oldest] = this.#nodes.keys();
    this.#nodes.delete(oldest as string);
    this.#definitions.delete(oldest as string);
  }
}

/** Whether two definitions give the same value, because they are the same text. */
function isSame(one: Definition, other: Definition): boolean {
  return one.steady !== undefined && one.steady === other.steady;
}
