// A session and what cells have left in it, seen from the kernel: names with their types, and imports. The notebook has
// one. The processes of `%%ranks` share another, so that neither's names are seen in the other.
import { commit, NO_BINDINGS, type Bindings } from "../cell/analyze.ts";
import type { Compiled } from "../cell/compile.ts";
import { type ImportedName, importStatement } from "../cell/imported_names.ts";
import { magicScript } from "../cell/magics/magic_script.ts";
import type { MagicLine } from "../cell/magics/magics.ts";
import { type CellText, cellText, type Language, type MissedName } from "../language/service.ts";
import type { Header } from "../protocol/messages.ts";
import type { ExecuteRequest } from "../protocol/requests.ts";
import type { NotebookName } from "../session/channel.ts";
import type { Session } from "../session/supervisor.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { emptyRun } from "./empty_run.ts";
import { NotebookImports } from "./notebook_imports.ts";
import { CellStop } from "./prepare.ts";

/** A cell that is being prepared or run. */
export interface Run {
  readonly count: number;
  /** Whether the cell is stored in the history. */
  readonly stored: boolean;
  /** The name of its scripts in the session. */
  readonly script: string;
  stage: "preparing" | "interrupted" | "running";
  /**
   * Whether the cell's own code ran, and not only what comes before it. The session then reports when the cell is gone.
   */
  ran: boolean;
}

export class Namespace {
  readonly session: Session;
  readonly imports = new NotebookImports();
  readonly #dependencies: KernelDependencies;
  /** The cell that each name comes from. */
  readonly #origins = new Map<string, MissedName>();
  #language: Language;
  #bindings: Bindings = NO_BINDINGS;

  constructor(dependencies: KernelDependencies, session: Session) {
    this.session = session;
    this.#dependencies = dependencies;
    this.#language = dependencies.language();
  }

  get language(): Language {
    return this.#language;
  }

  get bindings(): Bindings {
    return this.#bindings;
  }

  /** The existing values with their types, and those that the cell, which is about to run, declares. */
  async names(cell: CellText | null = null): Promise<NotebookName[]> {
    const declared = cell?.declared ?? [];
    const types = await this.#language.types(cell);
    const all = new Set(declared.map(({ runtimeName }) => runtimeName));
    return [...commit(this.#bindings, declared, all).names.values()]
      .filter(({ typeOnly }) => !typeOnly)
      .map(({ name, runtimeName, kind }) => ({ name, runtimeName, kind, type: types.get(name) ?? null }));
  }

  /** The printed types of what earlier cells declared; `typeof Net` of a class. */
  async types(): Promise<ReadonlyMap<string, string>> {
    const types = await this.#language.types();
    const classes = [...this.#bindings.names.values()].filter(({ kind }) => kind === "class");
    return new Map([...classes.map(({ name }) => [name, `typeof ${name}`] as const), ...types]);
  }

  /** The variables, each with the cell that declares it. */
  get variables(): readonly MissedName[] {
    return [...this.#origins.values()].filter(({ isImport }) => !isImport);
  }

  /** A cell ran. @param initialised runtime names that hold a value @param rowTypes of those that hold a table */
  commit(
    compiled: Compiled,
    count: number,
    initialised: ReadonlySet<string>,
    rowTypes: Readonly<Record<string, string>> = {},
  ): void {
    this.#bindings = commit(this.#bindings, compiled.declared, initialised);
    const names = compiled.declared
      .filter(({ typeOnly, runtimeName }) => typeOnly || initialised.has(runtimeName))
      .map(({ name }) => name);
    this.imports.commit(compiled, names);
    for (const { name, kind } of compiled.declared) {
      if (names.includes(name)) this.#origins.set(name, { name, count, isImport: kind === "import" });
    }
    const rows = compiled.declared.flatMap(({ name, runtimeName }): [string, string][] => {
      const type = rowTypes[runtimeName];
      return type === undefined ? [] : [[name, type]];
    });
    this.#language.commit(cellText(compiled, count), new Set(names), new Map(rows));
  }

  /**
   * Imports names before a cell.
   *
   * @param tellsFailure whether a failed import ends the cell; if not, the cell that uses the name reports it
   * @throws CellStop if it is interrupted
   */
  async importAgain(
    names: readonly ImportedName[],
    request: ExecuteRequest,
    header: Header,
    run: Run,
    tellsFailure = false,
  ): Promise<void> {
    const { compile } = this.#dependencies;
    for (const each of names) {
      const text = importStatement(each);
      const typescript = await this.#language.typeScriptOptions(text);
      const script = `${run.script}.import.${each.name}`;
      const compiled = compile(text, this.#bindings, { script, flush: false, typescript });
      run.stage = "running";
      const { url, code, map, imports, importedNames } = compiled;
      const declares = runtimeNames(compiled);
      // The run has an id of its own: output of the module has been shown before, and the session will report this id
      // as gone.
      const id = { ...header, msg_id: `${header.msg_id}.import` };
      const quiet = emptyRun({ ...request, code: text, silent: true, storeHistory: false }, id, run.count);
      const { error, initialised } = await this.session.run({
        ...quiet,
        ...{ url, code, map, declares, imports, importedNames, typescript },
      });
      run.stage = "preparing";
      if (error !== undefined && (tellsFailure || error.ename === "KeyboardInterrupt"))
        throw new CellStop(error);
      this.commit(compiled, run.count, new Set(initialised));
    }
  }

  /** Runs a magic before the rest of its cell; afterwards all names are forgotten. @throws CellStop */
  async runAlone(magic: MagicLine, request: ExecuteRequest, header: Header, run: Run): Promise<void> {
    const script = magicScript(magic, `${run.script}.before`);
    const names = await this.names();
    run.stage = "running";
    const { error } = await this.session.run({
      ...emptyRun(request, header, run.count),
      ...script,
      continues: true,
      typescript: await this.#language.typeScriptOptions(),
      names,
    });
    if (error !== undefined) throw new CellStop(error);
    run.stage = "preparing";
  }

  /** The user has made the session forget everything. */
  forget(): void {
    this.imports.forget();
    this.#origins.clear();
    this.#forgetNames();
  }

  /** The process has ended, and with it the user's variables: later cells must not see their names. */
  sessionEnded(): void {
    this.imports.sessionEnded();
    this.#forgetNames();
    this.#language.namesLost([...this.#origins.values()]);
    this.#origins.clear();
  }

  async close(): Promise<void> {
    this.#language.close();
    await this.session.close();
  }

  #forgetNames(): void {
    this.#bindings = NO_BINDINGS;
    this.#language.close();
    this.#language = this.#dependencies.language();
  }
}

export function runtimeNames({ declared }: Compiled): string[] {
  return declared.filter(({ typeOnly }) => !typeOnly).map(({ runtimeName }) => runtimeName);
}
