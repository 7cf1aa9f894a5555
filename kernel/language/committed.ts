// Makes what cells declared the notebook's names, with their types, after the cells ran. Each type is printed, which
// takes longer than a check, and most cells use little of what the last ones declared. So a cell is added ("folded") to
// the notebook only when another cell or an editor needs it, or when no cell has come for a moment.
import type { Declared } from "../cell/analyze.ts";
import { importedNames, importStatement } from "../cell/imported_names.ts";
import {
  type CellText,
  declaresGlobally,
  documentationOf,
  importedModules,
  isAlsoType,
  writtenType,
} from "./cell_text.ts";
import { isAssignable, isValue } from "./declarations.ts";
import { CELL_MODULE, type CellModule, EMPTY_TEXT, keptModule, type Notebook } from "./notebook.ts";
import { printTypes } from "./printed_types.ts";
import { openedTensors, Reshaping } from "./reshaping.ts";
import type { LanguageServer } from "./server/server.ts";
import { type UnfoldedCell, UnfoldedCells } from "./unfolded.ts";

/** After this long without a new cell, what the last ones declared is folded and published. */
const PUBLISH_WAIT_MS = 20;

/** What this file needs from the checks of cells. */
export interface Checks {
  /** Runs a task when those before it are done. */
  enqueue<T>(task: () => Promise<T>): Promise<T>;
  /** The module in which a cell is checked. */
  moduleOf(cell: CellText): CellModule;
  /** Gives the server the modules of the notebook's names. Returns whether one changed. */
  publish(): boolean;
  /** Waits until the server has put what changed into its program. */
  settle(): Promise<void>;
}

export class CommittedCells {
  readonly #server: LanguageServer;
  readonly #notebook: Notebook;
  readonly #checks: Checks;
  readonly #reshaping = new Reshaping();
  readonly #unfolded = new UnfoldedCells();
  /** The text of the cell that declared a name last. */
  readonly #texts = new Map<string, string>();
  #folding: Promise<unknown> = Promise.resolve();
  #printed: { readonly text: string; readonly types: Promise<ReadonlyMap<string, string>> } | null = null;
  /** Whether the types of a cell are printed while it runs, because the last one needed what was declared before it. */
  #printsAhead = true;
  /** Whether a cell's text was kept as a module since the names were published last. */
  #hasNewModule = false;
  #publishing: NodeJS.Timeout | undefined;
  /** Distinguishes cells with the same execution count: a silent cell does not raise the count. */
  #commits = 0;

  constructor(server: LanguageServer, notebook: Notebook, checks: Checks) {
    this.#server = server;
    this.#notebook = notebook;
    this.#checks = checks;
  }

  /** The text of the cell that declared the name last. */
  textOf(name: string): string | undefined {
    return this.#texts.get(name);
  }

  /** A cell is about to be checked: work that is done between cells can wait. */
  pause(): void {
    clearTimeout(this.#publishing);
  }

  /** A cell has been checked. Its types are printed ahead if it is about to run: the next cell does not wait for that. */
  checked(cell: CellText, runs: boolean): void {
    const types =
      runs && this.#printsAhead ? this.#checks.enqueue(() => this.#print(cell, cell.declared)) : null;
    this.#printed = types && { text: cell.text, types };
  }

  /** The types of what the cell declares, as they will be printed. */
  async typesOf(cell: CellText): Promise<ReadonlyMap<string, string>> {
    const types = new Map<string, string>();
    const printed = await this.#print(cell, cell.declared);
    for (const entry of cell.declared) {
      const type = printed.get(entry.name) ?? writtenType(cell.text, entry.name);
      if (type !== null) types.set(entry.name, openedTensors(type, isAssignable(entry)));
    }
    return types;
  }

  /** The cell ran, and `names` are those of its names that have a value, `rows` the types of rows of its tables. */
  add(cell: CellText, names: ReadonlySet<string>, rows: ReadonlyMap<string, string>): void {
    this.#notebook.missed.cellRan(cell.count, cell.text);
    const visible = cell.declared.filter(({ name }) => names.has(name));
    for (const { name, kind } of cell.declared) {
      if (names.has(name) || this.#notebook.get(name) !== undefined) continue;
      this.#notebook.missed.notReached({ name, count: cell.count, isImport: kind === "import" });
    }
    const printed = this.#printed?.text === cell.text ? this.#printed.types : null;
    this.#printed = null;
    if (this.#unfolded.mention(visible)) void this.foldAll();
    this.#unfolded.add({ cell, visible, printed, rows }, this.#notebook.mentioned(cell.text));
    if (concernsLaterCells(cell.text) || this.#reshaping.mayOpen(cell.text)) void this.foldAll();
    this.publishLater();
  }

  /** Folds and publishes while the user reads. A cell that comes meanwhile waits for at most one cell to be folded. */
  publishLater(): void {
    clearTimeout(this.#publishing);
    const publishing = setTimeout(async () => {
      while (this.#unfolded.size > 0 && this.#publishing === publishing)
        await this.#checks.enqueue(() => this.#fold(this.#unfolded.takeFirst()));
      if (this.#publishing === publishing) await this.#checks.enqueue(() => this.#publishNow());
    }, PUBLISH_WAIT_MS);
    publishing.unref();
    this.#publishing = publishing;
  }

  /** Resolves when the notebook has the names of all cells that ran. */
  foldAll(): Promise<unknown> {
    if (this.#unfolded.size > 0)
      this.#folding = this.#checks.enqueue(() => this.#fold(this.#unfolded.takeAll()));
    return this.#folding;
  }

  /**
   * Prepares the check of a cell: makes the names that it needs known, and widens the types of the tensors that it
   * reshapes.
   */
  async prepareFor({ text, declared }: CellText): Promise<void> {
    if (this.#unfolded.size > 0) {
      const needed = this.#reshaping.mayOpen(text)
        ? this.#unfolded.takeAll()
        : this.#unfolded.takeFor(this.#notebook.mentioned(text));
      this.#printsAhead = needed.length > 0;
      await this.#fold(needed);
    }
    this.#openReshaped(text);
    if (this.#notebook.needsDocuments(text, declared)) await this.#publishNow();
  }

  async #fold(cells: readonly UnfoldedCell[]): Promise<void> {
    for (const cell of cells) await this.#commit(cell);
  }

  async #publishNow(): Promise<void> {
    clearTimeout(this.#publishing);
    for (const dropped of this.#notebook.sweep(declaresGlobally)) this.#server.closeDocument(`${dropped}.ts`);
    // A new module makes the server rebuild the program. This rebuilds it now, and not in the next check.
    if (this.#hasNewModule)
      this.#server.setDocument(`${CELL_MODULE}.ts`, this.#notebook.cellModule(EMPTY_TEXT).text);
    this.#hasNewModule = false;
    if (this.#checks.publish()) await this.#checks.settle();
  }

  /** Widens the types of tensors that a cell reshapes, for this cell and later ones. */
  #openReshaped(text: string): void {
    for (const { declared, type } of this.#reshaping.opened(text, this.#notebook.names())) {
      const home = this.#notebook.get(declared.name)?.home;
      if (home !== undefined && "type" in home) this.#notebook.set(declared, { ...home, type });
    }
  }

  async #print(cell: CellText, wanted: readonly Declared[]): Promise<ReadonlyMap<string, string>> {
    const { text } = cell;
    const typed = wanted.filter(
      (entry) => isValue(entry) && !entry.typeOnly && !isAlsoType(text, entry.name),
    );
    // If the cell's text is kept anyway for other names, a function with a declared result type stays in it: it adds
    // nothing to later checks.
    const isKept = typed.length < wanted.length;
    const values = typed.filter(
      ({ name, kind }) => !(isKept && kind === "function" && writtenType(text, name) !== null),
    );
    if (values.length === 0) return new Map();
    const module = this.#checks.moduleOf(cell);
    try {
      // The server prints types from the document that it got last.
      if (this.#server.setDocument(`${CELL_MODULE}.ts`, module.text, module.isJsx))
        await this.#checks.settle();
      return await printTypes(this.#server, values, module.reads);
    } catch {
      return new Map(); // The names are then found in the cell's own text: slower, not wrong.
    }
  }

  async #commit({ cell, visible: all, printed: ahead, rows }: UnfoldedCell): Promise<void> {
    const { text } = cell;
    const pinned = declaresGlobally(text);
    for (const { name } of all) this.#texts.set(name, text);
    const imports = new Map(importedNames(cell.program).map((one) => [one.name, importStatement(one)]));
    const visible = all.filter((entry) => !this.#notebook.imports(entry, imports.get(entry.name)));
    this.#openReshaped(text); // A cell that was not checked has not been through `prepareFor`.
    this.#reshaping.learn(text, visible);
    this.#notebook.learnImports(text);
    if (visible.length === 0 && !pinned) return;
    const printed = await (ahead ?? this.#print(cell, visible));
    const types = new Map([...printed].filter(([name]) => visible.some((entry) => entry.name === name)));
    const kept = keptModule(cell.count, ++this.#commits);
    const isKept =
      pinned || types.size < visible.length || [...types.values()].some((type) => type.includes(FROM_CELL));
    if (isKept) this.#notebook.keep(kept, this.#notebook.keptText(cell));
    this.#hasNewModule ||= isKept;
    for (const entry of visible) {
      const own = types.get(entry.name)?.replaceAll(FROM_CELL, `import("./${kept}")`);
      const type =
        own &&
        (withRows(own, isAssignable(entry) ? null : rows.get(entry.name)) ??
          openedTensors(own, isAssignable(entry)));
      const home =
        type === undefined
          ? { keptIn: kept, written: writtenType(text, entry.name), imported: imports.get(entry.name) }
          : { type, documentation: documentationOf(text, entry.name) };
      this.#notebook.set(entry, home);
    }
    if (pinned) await this.#publishNow();
  }
}

/**
 * A table's type with its rows as they are. Null for any other type.
 *
 * @param row null for a `let`, which may get a table with other rows
 */
function withRows(type: string, row: string | null | undefined): string | null {
  const table = TABLE.exec(type)?.[1];
  if (table === undefined || row === undefined) return null;
  return row === null ? table : row.length <= LONGEST_ROW ? `${table}<${row}>` : null;
}

const TABLE = /^(import\("[^"]*"\)(?:\.\w+)*\.Table)<.*>$/s;
/** A table of hundreds of columns; a check would take longer with its type. */
const LONGEST_ROW = 10_000;

/** Whether the cell also affects later cells that mention none of its names. */
function concernsLaterCells(text: string): boolean {
  return declaresGlobally(text) || importedModules(text).length > 0;
}

const FROM_CELL = `import("./${CELL_MODULE}")`;
