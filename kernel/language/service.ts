// Provides diagnostics, completion and hover for one cell, given the cells before it. Offsets are 0-based UTF-16
// positions in the cell's text.
import { pathToFileURL } from "node:url";
import type { Declared } from "../cell/analyze.ts";
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../cell/names.ts";
import {
  type CellText,
  declaresGlobally,
  documentationOf,
  importsTslab,
  isAlsoType,
  refusesChecks,
} from "./cell_text.ts";
import { CONDITION_DECLARATION, type Conditions, withConditions } from "./conditions.ts";
import type { Completions } from "./editor/completion.ts";
import type { Hover } from "./editor/hover.ts";
import { TextLines } from "./server/positions.ts";
import { sourceAt } from "./editor/source.ts";
import { CONFIGURATION_NAME, configurationFor, verifyConfiguration } from "./server/configuration.ts";
import { type Diagnostic, type ServerDiagnostic, cellDiagnostics } from "./diagnostics.ts";
import { type FileDiagnostic, LocalFiles } from "./local_files.ts";
import { EditorQueries, START_WAIT_MS } from "./editor/editor_queries.ts";
import type { MissedName } from "./missed_names.ts";
import { printerDocuments, printTypes } from "./printed_types.ts";
import { FolderFiles } from "./server/folder_files.ts";
import { type OpenModule, openModule } from "./open_module.ts";
import { RETYPED_VAR } from "./retyped_vars.ts";
import { openedTensors, Reshaping } from "./reshaping.ts";
import {
  CELL_MODULE,
  CONDITIONS_MODULE,
  type CellModule,
  NAMES_MODULE,
  Notebook,
  isAssignable,
  isValue,
  keptModule,
} from "./notebook.ts";
import { RequestTimeoutError, LanguageServer } from "./server/server.ts";
import { libraryNames } from "./server/library.ts";
import { LanguageServerError } from "./server/server_process.ts";

export type { CellText } from "./cell_text.ts";
export type { Completion, Completions } from "./editor/completion.ts";
export type { Hover } from "./editor/hover.ts";
export type { Diagnostic } from "./diagnostics.ts";
export type { MissedName } from "./missed_names.ts";
export type { FileDiagnostic } from "./local_files.ts";

/** The service as its users see it: `Pick` leaves the private members of the class behind. */
export type Language = Pick<LanguageService, keyof LanguageService>;

export class LanguageService {
  readonly #directory: string;
  readonly #server: LanguageServer;
  readonly #notebook = new Notebook();
  /** The text of the cell that declared a name last. */
  readonly #texts = new Map<string, string>();
  readonly #files: FolderFiles;
  readonly #localFiles: LocalFiles;
  readonly #editorQueries: EditorQueries;
  readonly #reshaping = new Reshaping();
  /** Checks and commits, one after the other: a cell is checked with the names of all cells before it. */
  #work: Promise<unknown>;
  #typescript: TypeScriptOptions = TYPESCRIPT_DEFAULTS;
  /** A folder's tsconfig overrides this value. */
  #implicitAny = true;
  /** Whether a cell has imported tslab. */
  #tslab = false;
  #note: string | null = null;
  /** The text of a cell that declares a `var` again with another type. */
  #retyped: string | null = null;
  #printed: { readonly text: string; readonly types: Promise<ReadonlyMap<string, string>> } | null = null;
  /** Tells cells of one execution count apart: a silent one leaves it as it was. */
  #commits = 0;

  /** Starts the compiler's own process at once; calls wait for it. `directory` is the notebook's folder. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#server = new LanguageServer({ directory, configurationName: CONFIGURATION_NAME });
    this.#files = new FolderFiles(directory, this.#server);
    this.#localFiles = new LocalFiles(directory);
    this.#editorQueries = new EditorQueries(this.#server, this.#notebook);
    this.#work = this.#configure().catch(() => undefined); // Tried again by the first check, which says why.
    this.#editorQueries.awaitNames(this.#work, START_WAIT_MS);
  }

  /**
   * Returns the errors in a cell's types, then those in the types of the local files that it imports.
   *
   * @throws LanguageServerError if the checker does not answer in time or dies twice; ConfigurationError where the
   *   folder's tsconfig cannot be read. Nothing is known about the cell then, and the message says why.
   */
  async check(cell: CellText): Promise<readonly (Diagnostic | FileDiagnostic)[]> {
    const found = await this.#enqueue(() => this.#twice(() => this.#check(cell)));
    if (found.every(({ category }) => category !== "error")) this.#printAhead(cell);
    return found;
  }

  /** The cell ran: from now on later cells see `names` of it, with their types. */
  commit(cell: CellText, names: ReadonlySet<string>): void {
    const visible = cell.declared.filter(({ name }) => names.has(name));
    this.#editorQueries.awaitNames(this.#enqueue(() => this.#commit(cell, visible)));
  }

  /** A cell ended before any of it ran: what it declares is missing for that. */
  cellDidNotRun(count: number, text: string): void {
    void this.#enqueue(async () => this.#notebook.missed.cellDidNotRun(count, text));
  }

  /** Names that a session took with it when it ended. */
  namesLost(names: readonly MissedName[]): void {
    void this.#enqueue(async () => names.forEach((name) => this.#notebook.missed.lost(name)));
  }

  /** A newer call supersedes an older one, which then offers nothing. */
  complete(text: string, offset: number): Promise<Completions> {
    return this.#editorQueries.complete(text, offset);
  }

  hover(text: string, offset: number): Promise<Hover | null> {
    return this.#editorQueries.hover(text, offset);
  }

  /** Returns the signatures of the call of the name at `called`, with the parameter at the offset marked. */
  signature(text: string, offset: number, called: number): Promise<Hover | null> {
    return this.#editorQueries.signature(text, offset, called);
  }

  /** The text in which the name at the offset is declared: by a cell, a file, or the declarations of a package. */
  async source(text: string, offset: number): Promise<string | null> {
    const location = await this.#editorQueries.definition(text, offset);
    if (location === null) return null;
    return await sourceAt(location, { server: this.#server, cells: this.#texts });
  }

  /** Types of the values that cells left behind, as they are printed; those too long to print are left out. */
  types(): Promise<ReadonlyMap<string, string>> {
    return this.#enqueue(async () => this.#notebook.printedTypes());
  }

  /**
   * Returns the options of the folder's tsconfig as it is now, or without one those of the notebook, which a cell that
   * imports tslab makes tslab's. A tsconfig that cannot be read changes nothing.
   *
   * @param code the cell that is about to be compiled
   */
  async typeScriptOptions(code = ""): Promise<TypeScriptOptions> {
    const isFirstOfTslab = !this.#tslab && importsTslab(code);
    this.#tslab ||= isFirstOfTslab;
    if (isFirstOfTslab || this.#files.configurationChanged())
      await this.#enqueue(() => this.#readConfiguration(isFirstOfTslab)).catch(() => undefined); // The check says why.
    return this.#typescript;
  }

  /** Returns what a reader should know about how cells are checked now. Null if it was said before. */
  takeNote(): string | null {
    const note = this.#note;
    this.#note = null;
    return note;
  }

  close(): void {
    this.#server.close();
  }

  /** Id of the compiler's process: its memory is part of the kernel's. */
  pid(): Promise<number> {
    return this.#server.pid();
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#work.then(task);
    this.#work = result.catch(() => undefined);
    return result;
  }

  /** A checker that died has been started again with every document: it deserves a second try. */
  async #twice<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof LanguageServerError) || error instanceof RequestTimeoutError) throw error;
      return await task();
    }
  }

  async #configure(): Promise<void> {
    const configuration = await configurationFor(this.#directory, this.#server, { tslab: this.#tslab });
    const { text, extends: file, typescript } = configuration;
    this.#typescript = typescript;
    this.#implicitAny = file === null;
    this.#notebook.useJsx(configuration.jsx);
    this.#server.setDocument(CONFIGURATION_NAME, text);
    for (const [module, content] of printerDocuments()) this.#server.setDocument(`${module}.ts`, content);
    this.#publish();
    for (const module of [CELL_MODULE, CONDITIONS_MODULE]) this.#emptyCell(module);
    this.#editorQueries.open();
    // The first check loads 2 MB of declarations; done now, it has been done when the first cell comes.
    await this.#diagnostics();
    if (file !== null) await verifyConfiguration(this.#server);
    this.#notebook.learnLibrary(libraryNames());
    this.#files.watch(file, typescript.paths);
  }

  /** Puts the module in its state between two cells. */
  #emptyCell(module: string): void {
    this.#server.setDocument(`${module}.ts`, this.#notebook.cellModule("", []).text);
  }

  /** Gives the server the modules of the notebook's names. Returns whether one changed: the others are not sent. */
  #publish(): boolean {
    let changed = false;
    for (const [module, text, isJsx] of this.#notebook.documents()) {
      if (this.#server.setDocument(`${module}.ts`, text, isJsx)) changed = true;
    }
    return changed;
  }

  /** One changed module is put into the program as it is (1 ms); two at once rebuild it (5 ms), in the next check. */
  async #settle(): Promise<void> {
    const textDocument = { uri: this.#server.uri(`${NAMES_MODULE}.ts`) };
    await this.#server.request("textDocument/foldingRange", { textDocument }).catch(() => undefined);
  }

  /** Does nothing while the folder's tsconfig is as it was, unless the notebook has just become one of tslab. */
  async #readConfiguration(isFirstOfTslab = false): Promise<void> {
    const hasOwn = !this.#implicitAny;
    if (!this.#files.configurationChanged() && (hasOwn || !isFirstOfTslab)) return;
    if (isFirstOfTslab) this.#note = TSLAB_NOTE;
    this.#server.restart();
    this.#localFiles.forget();
    await this.#configure();
  }

  async #check(cell: CellText): Promise<readonly (Diagnostic | FileDiagnostic)[]> {
    if (refusesChecks(cell.text)) return [];
    await this.#readConfiguration();
    this.#files.tellChanges();
    if (this.#openReshaped(cell.text) && this.#publish()) await this.#settle();
    const conditions = await this.#askConditions(cell);
    let { module, original } = this.#openModule(cell.text, cell.declared);
    this.#server.setDocument(`${CELL_MODULE}.ts`, module.text, module.isJsx);
    let found = await this.#diagnostics();
    if (this.#files.installedSince(found)) {
      this.#server.restart();
      this.#localFiles.forget();
      found = await this.#diagnostics();
    }
    if (found.some(({ code }) => code === RETYPED_VAR)) {
      this.#retyped = cell.text;
      ({ module, original } = this.#openModule(cell.text, cell.declared));
      this.#server.setDocument(`${CELL_MODULE}.ts`, module.text, module.isJsx);
      found = await this.#diagnostics();
    }
    const imported = await this.#files.learn(cell.text);
    const checked = { module, text: cell.text, original, implicitAny: this.#implicitAny };
    const problems = cellDiagnostics(found, checked, this.#notebook);
    const tensors = conditions === null ? [] : await this.#tensorConditions(conditions);
    const own = [...problems, ...tensors].toSorted((a, b) => a.start - b.start);
    const options = { notebook: this.#notebook, implicitAny: this.#implicitAny };
    const ask = (file: string) => this.#diagnosticsAt(pathToFileURL(file).href);
    return [...own, ...(await this.#localFiles.problems(imported, ask, options))];
  }

  /**
   * The cell with its conditions as questions, in a module of its own: in one program with the cell's, it finds the
   * types of all expressions worked out. What declares something for all modules would do so twice, and takes the
   * cell's place afterwards. Asked of a cell that has conditions, and something of the library in it.
   */
  async #askConditions({ text, declared }: CellText): Promise<AskedConditions | null> {
    const conditions = this.#notebook.usesLibrary(text) ? withConditions(text) : null;
    if (conditions === null) return null;
    const module = this.#notebook.cellModule(conditions.text, declared, CONDITION_DECLARATION);
    if (declaresGlobally(text)) return { conditions, module, place: CELL_MODULE };
    if (this.#server.setDocument(`${CONDITIONS_MODULE}.ts`, module.text, module.isJsx)) await this.#settle();
    return { conditions, module, place: CONDITIONS_MODULE };
  }

  /** Conditions that are tensors. */
  async #tensorConditions({ conditions, module, place }: AskedConditions): Promise<readonly Diagnostic[]> {
    this.#server.setDocument(`${place}.ts`, module.text, module.isJsx);
    const lines = new TextLines(module.text);
    return (await this.#diagnostics(place)).flatMap(({ code = 0, message, range }) => {
      const found = conditions.problem(message, lines.offset(range.start) - module.cellStart);
      return found === null ? [] : [{ ...found, code }];
    });
  }

  /**
   * Widens the types of tensors that a cell reshapes, in this cell and from then on. Returns whether there were any.
   */
  #openReshaped(text: string): boolean {
    const opened = this.#reshaping.opened(text, this.#notebook.names());
    for (const { declared, type } of opened) {
      const home = this.#notebook.get(declared.name)?.home;
      if (home !== undefined && "type" in home) this.#notebook.set(declared, { ...home, type });
    }
    return opened.length > 0;
  }

  #openModule(text: string, declared: readonly Declared[]): OpenModule {
    return openModule(this.#notebook, { text, declared, isRetyped: this.#retyped === text });
  }

  #diagnostics(module = CELL_MODULE): Promise<readonly ServerDiagnostic[]> {
    return this.#diagnosticsAt(this.#server.uri(`${module}.ts`));
  }

  async #diagnosticsAt(uri: string): Promise<readonly ServerDiagnostic[]> {
    const { items } = await this.#server.request<{ items: readonly ServerDiagnostic[] }>(
      "textDocument/diagnostic",
      { textDocument: { uri } },
    );
    return items;
  }

  /** Prints the types of a cell that is about to run: done while it runs, it costs the next cell nothing. */
  #printAhead(cell: CellText): void {
    this.#printed = { text: cell.text, types: this.#enqueue(() => this.#print(cell, cell.declared)) };
  }

  async #print(
    { text, declared }: CellText,
    wanted: readonly Declared[],
  ): Promise<ReadonlyMap<string, string>> {
    const values = wanted.filter(
      (entry) => isValue(entry) && !entry.typeOnly && !isAlsoType(text, entry.name),
    );
    if (values.length === 0) return new Map();
    const { module } = this.#openModule(text, declared);
    // Types are printed of what was checked last.
    if (this.#server.setDocument(`${CELL_MODULE}.ts`, module.text, module.isJsx)) await this.#diagnostics();
    try {
      return await printTypes(this.#server, values, module.reads);
    } catch {
      return new Map(); // The names are then found in the cell's own text: slower, not wrong.
    }
  }

  async #commit(cell: CellText, visible: readonly Declared[]): Promise<void> {
    const { text, declared } = cell;
    const pinned = declaresGlobally(text);
    const opened = this.#openReshaped(text); // A cell that was not checked has not been asked.
    this.#reshaping.learn(text, visible);
    this.#notebook.learnImports(text);
    for (const entry of declared) {
      if (visible.includes(entry) || this.#notebook.get(entry.name) !== undefined) continue;
      const isImport = entry.kind === "import";
      this.#notebook.missed.notReached({ name: entry.name, count: cell.count, isImport });
    }
    if (visible.length === 0 && !pinned) {
      if (opened && this.#publish()) await this.#settle();
      return;
    }
    const printed =
      this.#printed?.text === text ? await this.#printed.types : await this.#print(cell, visible);
    const types = new Map([...printed].filter(([name]) => visible.some((entry) => entry.name === name)));
    const kept = keptModule(cell.count, ++this.#commits);
    const isKept =
      pinned || types.size < visible.length || [...types.values()].some((type) => type.includes(FROM_CELL));
    if (isKept) this.#notebook.keep(kept, this.#notebook.keptText(text, declared));
    for (const entry of visible) {
      this.#texts.set(entry.name, text);
      const own = types.get(entry.name)?.replaceAll(FROM_CELL, `import("./${kept}")`);
      const type = own && openedTensors(own, isAssignable(entry));
      const home =
        type === undefined ? { keptIn: kept } : { type, documentation: documentationOf(text, entry.name) };
      this.#notebook.set(entry, home);
    }
    for (const dropped of this.#notebook.sweep(declaresGlobally)) this.#server.closeDocument(`${dropped}.ts`);
    // A new module makes the server build the program again. It is built here once, and not in the next check.
    if (isKept) this.#emptyCell(CELL_MODULE);
    if (this.#publish()) await this.#settle();
  }
}

const TSLAB_NOTE = "This notebook imports tslab: its cells are checked as loosely as in tslab from here on.";

interface AskedConditions {
  readonly conditions: Conditions;
  readonly module: CellModule;
  /** Name of the document. */
  readonly place: string;
}

const FROM_CELL = `import("./${CELL_MODULE}")`;
