// Remembers the names that cells did not define as written, so that an error about such a name leads to its cell.
import { declaredBy } from "../cell/analyze.ts";
import { parseTypeScript } from "../../lib/typescript/parse.ts";
import { namesOf as namesIn, walk } from "../../lib/typescript/walk.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";
import { draftDeclarations, importedInDraft } from "./cell_text.ts";

export interface MissedName {
  readonly name: string;
  readonly count: number;
  /** Whether the cell imports it. Default: it declares it. */
  readonly isImport: boolean;
}

/** So many of the last cells are looked through for a name that a block has for itself. */
const MOST_CELLS = 100;

export class MissedNames {
  readonly #sentences = new Map<string, string>();
  /** The cells that ran, the last one first. */
  #ran: readonly { readonly count: number; readonly text: string }[] = [];

  cellRan(count: number, text: string): void {
    this.#ran = [{ count, text }, ...this.#ran].slice(0, MOST_CELLS);
  }

  /** None of the cell ran. Its text may contain any mistake. */
  cellDidNotRun(count: number, text: string): void {
    for (const declared of namesOf(text)) this.#tell({ ...declared, count }, "did not run");
  }

  /** The cell failed before it reached the name. */
  notReached(missed: MissedName): void {
    this.#tell(missed, "failed before it got there");
  }

  /** The session has ended, and the name with it. */
  lost(missed: MissedName): void {
    this.#tell(missed, "ran in a session that has ended: run it again");
  }

  /**
   * The name exists, but not in the session in which this cell runs. @param how what is said of the cell that declares
   * it
   */
  elsewhere(missed: MissedName, how: string): void {
    this.#tell(missed, how);
  }

  found(name: string): void {
    this.#sentences.delete(name);
  }

  /** `Cell [1], which imports it, did not run.` Null for a name that no cell has missed. */
  sentence(name: string): string | null {
    return this.#sentences.get(name) ?? null;
  }

  /** What is said of a name that a block of a cell has for itself. */
  inBlock(name: string): string | null {
    const cell = this.#ran.find(({ text }) => text.includes(name) && variablesOf(text).has(name));
    return cell === undefined
      ? null
      : `Cell [${cell.count}] declares it inside a block, where it ends: declare it above the block.`;
  }

  #tell({ name, count, isImport }: MissedName, how: string): void {
    const verb = isImport ? "imports" : "declares";
    this.#sentences.set(name, `Cell [${count}], which ${verb} it, ${how}.`);
  }
}

/** The variables that a text declares anywhere. Those outside of blocks are names of the notebook. */
function variablesOf(text: string): Set<string> {
  const names = new Set<string>();
  walk(parseTypeScript(text).program, (node) => {
    if (node.type === "VariableDeclarator") for (const name of namesIn(node.id)) names.add(name);
  });
  return names;
}

/** The names that a text declares. If it does not parse, the names that its lines show. */
function namesOf(text: string): Omit<MissedName, "count">[] {
  try {
    const { program, problem } = parseTypeScript(text);
    if (problem === null)
      return declaredBy(program).map(({ name, kind }) => ({ name, isImport: kind === "import" }));
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
  }
  const imported = new Set(importedInDraft(text));
  return draftDeclarations(text).map((name) => ({ name, isImport: imported.has(name) }));
}
