// Finds where a stored notebook depends on an order of its cells that is not the one in which they are written: from
// what cells declare and read, and from the numbers with which they ran. Runs nothing.
import { listed } from "../../../lib/words.ts";
import { type Declared, NO_BINDINGS } from "../../cell/analyze.ts";
import { compile } from "../../cell/compile.ts";
import { GLOBAL_NAMES } from "../../cell/transform/globals.ts";
import type { CellUses } from "../../cell/uses.ts";
import { isProgram, type CodeCell, type Notebook } from "../notebook/format.ts";

interface ReadCell {
  /** From 1, as elsewhere in a replay. */
  readonly number: number;
  /** The number with which it ran. Null if it did not, or the notebook does not say. */
  readonly count: number | null;
  readonly uses: CellUses;
  /** The names that it declares or assigns. */
  readonly defines: ReadonlySet<string>;
  readonly imports: ReadonlySet<string>;
}

const SESSION_GLOBALS = "display clearOutput prompt confirm In Out _ require __dirname __filename arguments";
const KNOWN_NAMES = new Set([
  ...SESSION_GLOBALS.split(" "),
  ...GLOBAL_NAMES,
  ...Object.getOwnPropertyNames(globalThis),
]);

/** One sentence for each thing that a reader of the notebook cannot see. Empty for a notebook that runs as written. */
export function hiddenOrder(notebook: Notebook): string[] {
  const programs = notebook.cells.filter(isProgram);
  const cells = programs.map((cell, at) => readCell(cell, at + 1)).filter((cell) => cell !== null);
  // A cell that cannot be read, and a snapshot, may declare any name.
  const mayMiss =
    cells.length < programs.length || programs.some(({ source }) => source.includes("%restore"));
  const found = new Map<string, string[]>();
  for (const cell of cells) {
    for (const name of readsOf(cell, cells)) {
      const sentence = aboutRead(cell, name, cells, mayMiss);
      if (sentence !== null) found.set(sentence, [...(found.get(sentence) ?? []), name]);
    }
  }
  const sentences = [...found].map(([sentence, names]) => sentence.replace(NAMES, () => listed(names)));
  return sentences.length > 0 ? sentences : otherOrder(cells);
}

/** Stands in a sentence for the names that it is about. */
const NAMES = "NAMES";

/** Null for a cell that does not compile: running it reports why. */
function readCell({ source, execution_count: count }: CodeCell, number: number): ReadCell | null {
  try {
    const { declared, uses: usesOf } = compile(source, NO_BINDINGS, { script: String(number), flush: true });
    const uses = usesOf();
    const values = declared.filter(({ typeOnly }) => !typeOnly);
    const namesOf = (entries: readonly Declared[]) => entries.map(({ name }) => name);
    return {
      number,
      count,
      uses,
      defines: new Set([...namesOf(values), ...uses.assigns]),
      imports: new Set(namesOf(values.filter(({ kind }) => kind === "import"))),
    };
  } catch {
    return null;
  }
}

/** The names of other cells that a cell reads, including those that are read by the functions it calls. */
function readsOf(cell: ReadCell, cells: readonly ReadCell[]): Set<string> {
  const names = new Set(cell.uses.reads);
  for (const name of names) {
    const { above, below } = definersOf(name, cell, cells);
    const definer = above.at(-1) ?? below[0];
    for (const later of definer?.uses.late.get(name) ?? []) if (!cell.defines.has(later)) names.add(later);
  }
  return names;
}

function definersOf(name: string, cell: ReadCell, cells: readonly ReadCell[]) {
  const definers = cells.filter((other) => other !== cell && other.defines.has(name));
  const [above, below] = [true, false].map((isAbove) =>
    definers.filter(({ number }) => number < cell.number === isAbove),
  ) as [ReadCell[], ReadCell[]];
  return { definers, above, below };
}

/** What a reader cannot see about one name that the cell reads. `NAMES` stands for the name. */
function aboutRead(
  cell: ReadCell,
  name: string,
  cells: readonly ReadCell[],
  mayMiss: boolean,
): string | null {
  const { definers, above, below } = definersOf(name, cell, cells);
  const reader = `${labelOf(cell)} reads ${NAMES}`;
  if (definers.length === 0) {
    return mayMiss || KNOWN_NAMES.has(name) ? null : `${reader}, which no cell declares.`;
  }
  const written = above.at(-1);
  if (written === undefined) {
    const only = `${reader}, which ${labelOf(below[0] as ReadCell, "cell")} declares further below`;
    return cell.count === null
      ? `${only}.`
      : `${only}: the notebook was run in another order than it is written.`;
  }
  // An import gives the same value when it runs again.
  if (definers.every(({ imports }) => imports.has(name))) return null;
  const { count } = cell;
  if (count === null || definers.some((other) => other.count === null)) return null;
  const ran = definers
    .filter((other) => (other.count as number) < count)
    .reduce<ReadCell | null>(
      (last, other) => (last !== null && last.count! > other.count! ? last : other),
      null,
    );
  if (ran === written) return null;
  if (ran === null) {
    return `${reader}, which ${labelOf(written, "cell")} declared again after it ran: its outputs are of an earlier run.`;
  }
  return `${reader}, which ${labelOf(ran, "cell")} had defined last when it ran; from top to bottom that is ${labelOf(written, "cell")}.`;
}

/** The sentence about cells that ran in another order than they are written, if no value depends on it. */
function otherOrder(cells: readonly ReadCell[]): string[] {
  const ran = cells.filter(({ count }) => count !== null);
  const at = ran.findIndex(({ count }, index) => index > 0 && count! < ran[index - 1]!.count!);
  if (at < 1) return [];
  const [earlier, later] = [ran[at] as ReadCell, ran[at - 1] as ReadCell];
  return [
    `${labelOf(earlier)} ran before ${labelOf(later, "cell")}; no cell reads a name that this order would change.`,
  ];
}

/** `Cell 4 ([12])` */
function labelOf({ number, count }: ReadCell, word = "Cell"): string {
  return `${word} ${number}${count === null ? "" : ` ([${count}])`}`;
}
