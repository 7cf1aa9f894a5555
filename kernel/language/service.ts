// Provides diagnostics, completion and hover for one cell, given the cells before it. Offsets are 0-based UTF-16
// positions in the cell's text.
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../cell/names.ts";
import { type CellText, importedStyles, refusesChecks, type Style } from "./cell_text.ts";
import { CommittedCells } from "./committed.ts";
import type { Candidate } from "./advice/advice.ts";
import { type Adviser, CellChecks, type SyntaxProblem } from "./cell_checks.ts";
import type { Completions } from "./editor/completion.ts";
import type { Hover } from "./editor/hover.ts";
import { sourceAt } from "./editor/source.ts";
import { CONFIGURATION_NAME, configurationFor, verifyConfiguration } from "./server/configuration.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { type FileDiagnostic, LocalFiles } from "./local_files.ts";
import { EditorQueries } from "./editor/editor_queries.ts";
import type { MissedName } from "./missed_names.ts";
import { printerDocuments } from "./printed_types.ts";
import { FolderFiles } from "./server/folder_files.ts";
import { parseTypeScript } from "../../lib/typescript/parse.ts";
import { CELL_MODULE, EMPTY_TEXT, NAMES_MODULE, Notebook, QUESTIONS_MODULE } from "./notebook.ts";
import { RequestTimeoutError, LanguageServer } from "./server/server.ts";
import { libraryNames } from "./server/library.ts";
import { LanguageServerError, withResolvers } from "./server/server_process.ts";
import type { ServerProcess } from "./server/spawn.ts";

export { type CellText, cellText } from "./cell_text.ts";
export type { Completion, Completions } from "./editor/completion.ts";
export type { Hover } from "./editor/hover.ts";
export type { Diagnostic } from "./diagnostics.ts";
export type { Adviser } from "./cell_checks.ts";
export type { MissedName } from "./missed_names.ts";
export type { FileDiagnostic } from "./local_files.ts";

/** The public members of the class, for users of the service: `Pick` leaves the private ones out. */
export type Language = Pick<LanguageService, keyof LanguageService>;

export class LanguageService {
  readonly #directory: string;
  readonly #server: LanguageServer;
  readonly #notebook = new Notebook();
  readonly #files: FolderFiles;
  readonly #localFiles: LocalFiles;
  readonly #editorQueries: EditorQueries;
  readonly #committed: CommittedCells;
  /** Checks and commits, one after the other: a cell is checked with the names of all cells before it. */
  #work: Promise<unknown>;
  #typescript: TypeScriptOptions = TYPESCRIPT_DEFAULTS;
  readonly #optionsRead = withResolvers<void>();
  /** A folder's tsconfig overrides this value. */
  #implicitAny = true;
  readonly #styles = new Set<Style>();
  #note: string | null = null;
  readonly #checks: CellChecks;

  /**
   * Starts the compiler's own process at once, unless it was `started` already; calls wait for it.
   *
   * @param directory the notebook's folder
   */
  constructor(directory: string, started: ServerProcess | null = null) {
    this.#directory = directory;
    this.#server = new LanguageServer({ directory, configurationName: CONFIGURATION_NAME, started });
    this.#files = new FolderFiles(directory, this.#server);
    this.#localFiles = new LocalFiles(directory);
    this.#checks = new CellChecks(this.#server, this.#notebook);
    this.#committed = new CommittedCells(this.#server, this.#notebook, {
      enqueue: (task) => this.#enqueue(task),
      moduleOf: (cell) => this.#checks.openModule(cell).module,
      publish: () => this.#publish(),
      settle: () => this.#checks.settle(NAMES_MODULE),
    });
    this.#editorQueries = new EditorQueries(this.#server, this.#notebook, {
      fold: () => this.#committed.foldAll(),
      publish: () => this.#publish(),
    });
    this.#work = this.#configure().catch(() => undefined); // The first check tries again, and reports the error.
    this.#editorQueries.awaitStart(this.#work);
  }

  /**
   * Returns the errors in a cell's types, then those in the types of the local files that it imports. Each error of the
   * cell has the advice that mends it, if one does.
   *
   * @param adviser offers advices besides those of the language room; the checker tries them alike
   * @throws LanguageServerError if the checker does not answer in time or dies twice; ConfigurationError where the
   *   folder's tsconfig cannot be read. Nothing is known about the cell then, and the message says why.
   */
  async check(
    cell: CellText,
    adviser: Adviser | null = null,
  ): Promise<readonly (Diagnostic | FileDiagnostic)[]> {
    this.#committed.pause();
    const found = await this.#enqueue(() => this.#withRetry(() => this.#check(cell, adviser)));
    this.#committed.publishLater();
    this.#committed.checked(
      cell,
      found.every(({ category }) => category !== "error"),
    );
    return found;
  }

  /**
   * The error of a text that cannot be parsed, with the advice that mends it, if one does.
   *
   * @param offers besides those of the language room; the checker tries them alike
   */
  repair(text: string, error: SyntaxProblem, offers: readonly Candidate[]): Promise<SyntaxProblem> {
    this.#committed.pause();
    return this.#enqueue(() => this.#checks.repaired(text, error, offers, this.#implicitAny));
  }

  /**
   * The cell ran: from now on later cells see `names` of it, with their types.
   *
   * @param rows the types of the rows of tables, as the session found them
   */
  commit(cell: CellText, names: ReadonlySet<string>, rows: ReadonlyMap<string, string> = new Map()): void {
    this.#committed.add(cell, names, rows);
  }

  /** A cell ended before any of it ran, so what it declares is missing. */
  cellDidNotRun(count: number, text: string): void {
    this.#notebook.missed.cellDidNotRun(count, text);
  }

  /** Names that were lost when a session ended. */
  namesLost(names: readonly MissedName[]): void {
    for (const name of names) this.#notebook.missed.lost(name);
  }

  /** Names that only another session has. @param how what is said of their cells: `ran on the ranks` */
  namesElsewhere(names: readonly MissedName[], how: string): void {
    for (const name of names)
      if (this.#notebook.get(name.name) === undefined) this.#notebook.missed.elsewhere(name, how);
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
    const textOf = (name: string) => this.#committed.textOf(name);
    return await sourceAt(location, { server: this.#server, textOf });
  }

  /**
   * Types of the values that cells left behind, as they are printed; those too long to print are left out.
   *
   * @param cell the one that is about to run: its own names are among them
   */
  types(cell: CellText | null = null): Promise<ReadonlyMap<string, string>> {
    void this.#committed.foldAll();
    return this.#enqueue(async () => {
      const own = cell === null ? [] : await this.#committed.typesOf(cell);
      return new Map([...this.#notebook.printedTypes(), ...own]);
    });
  }

  /**
   * Returns the present options of the folder's tsconfig. Without a tsconfig, returns the notebook's options, which
   * change when a cell imports tslab or React. A tsconfig that cannot be read changes nothing.
   *
   * @param code the cell that is about to be compiled
   */
  async typeScriptOptions(code = ""): Promise<TypeScriptOptions> {
    await Promise.race([this.#optionsRead.promise, this.#work]);
    const added = importedStyles(code).filter((style) => !this.#styles.has(style));
    for (const style of added) this.#styles.add(style);
    if (added.length > 0 || this.#files.configurationChanged())
      await this.#enqueue(() => this.#readConfiguration(added)).catch(() => undefined); // The check says why.
    return this.#typescript;
  }

  /** Returns a note on how cells are checked from now on. Null if there is no new one. */
  takeNote(): string | null {
    const note = this.#note;
    this.#note = null;
    return note;
  }

  close(): void {
    this.#committed.pause();
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
  async #withRetry<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof LanguageServerError) || error instanceof RequestTimeoutError) throw error;
      return await task();
    }
  }

  async #configure(): Promise<void> {
    const configuration = await configurationFor(this.#directory, this.#server, this.#styles);
    const { text, extends: file, typescript } = configuration;
    this.#typescript = typescript;
    this.#implicitAny = file === null;
    this.#notebook.useJsx(configuration.jsx);
    // From here on cells can be compiled. The folder's tsconfig, if there is one, is watched only after it has been
    // verified.
    if (file === null) this.#files.watch(file, typescript.paths);
    this.#optionsRead.resolve();
    this.#server.setDocument(CONFIGURATION_NAME, text);
    for (const [module, content] of printerDocuments()) this.#server.setDocument(`${module}.ts`, content);
    this.#publish();
    for (const module of [CELL_MODULE, QUESTIONS_MODULE])
      this.#server.setDocument(`${module}.ts`, this.#notebook.cellModule(EMPTY_TEXT).text);
    this.#editorQueries.open();
    // The first check loads 2 MB of declarations. It is done here, before the first cell comes.
    await this.#checks.problems({ ...parseTypeScript(""), declared: [], implicitAny: true });
    this.#notebook.learnLibrary(libraryNames());
    if (file === null) return;
    await verifyConfiguration(this.#server);
    this.#files.watch(file, typescript.paths);
  }

  /** Gives the server those modules of the notebook's names that have changed. Returns whether there were any. */
  #publish(): boolean {
    let changed = false;
    for (const [module, text, isJsx] of this.#notebook.documents()) {
      if (this.#server.setDocument(`${module}.ts`, text, isJsx)) changed = true;
    }
    return changed;
  }

  /**
   * Does nothing if the folder's tsconfig is unchanged, unless a cell has just imported a package with a style of its
   * own.
   */
  async #readConfiguration(added: readonly Style[] = []): Promise<void> {
    const hasOwn = !this.#implicitAny;
    if (!this.#files.configurationChanged() && (hasOwn || added.length === 0)) return;
    if (added.length > 0) this.#note = added.map((style) => STYLE_NOTES[style]).join("\n");
    this.#server.restart();
    this.#localFiles.forget();
    await this.#configure();
  }

  async #check(cell: CellText, adviser: Adviser | null): Promise<readonly (Diagnostic | FileDiagnostic)[]> {
    const { text } = cell;
    if (refusesChecks(text)) return [];
    await this.#readConfiguration();
    this.#files.tellChanges();
    await this.#committed.prepareFor(cell);
    this.#notebook.constructorFields.learn(cell);
    const checked = { ...cell, implicitAny: this.#implicitAny };
    const problems = await this.#checks.problems(checked, (found) => {
      if (!this.#files.installedSince(found)) return false;
      this.#server.restart();
      this.#localFiles.forget();
      return true;
    });
    const imported = await this.#files.learn(text);
    const types = async () =>
      new Map([...this.#notebook.printedTypes(), ...(await this.#committed.typesOf(cell))]);
    const own =
      problems.length === 0 ? problems : await this.#checks.advised(checked, problems, types, adviser);
    const options = { notebook: this.#notebook, implicitAny: this.#implicitAny };
    const asking = this.#checks.aboutFiles(this.#directory);
    return [...own, ...(await this.#localFiles.problems(imported, asking, options))];
  }
}

const STYLE_NOTES: Readonly<Record<Style, string>> = {
  tslab: "This notebook imports tslab: its cells are checked as loosely as in tslab from here on.",
  react: "This notebook imports React: its JSX makes React's elements from here on.",
};
