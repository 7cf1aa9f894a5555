// Prepares, runs and commits each cell. Keeps what cells leave behind on the kernel's side, and reaches clients only
// through `Outputs`.
import type { Session } from "../session/supervisor.ts";
import type { CellText, Language, MissedName } from "../language/service.ts";
import { commit, isVariable, NO_BINDINGS, type Bindings } from "../cell/analyze.ts";
import type { Compiled } from "../cell/compile.ts";
import { type HelpQuery, parseHelpQuery } from "../cell/magics/help_query.ts";
import { magicScript } from "../cell/magics/magic_script.ts";
import { importStatement } from "../cell/imported_names.ts";
import type { MagicLine } from "../cell/magics/magics.ts";
import { Comms } from "../comms/comms.ts";
import { complete, inspect, type Sources } from "../editor/editor.ts";
import type { History } from "../history/history.ts";
import { CellDebugger } from "./cell_debugger.ts";
import { emptyRun } from "./empty_run.ts";
import { forgettingMagic, readsNames, wantsTypes } from "./kernel_magics.ts";
import type { InputQuestion } from "./input.ts";
import type { VariableSources } from "../editor/variables.ts";
import { LiveValues } from "../editor/live_values.ts";
import type { Switches } from "../magics/kernel_side.ts";
import type { Outputs } from "../iopub/outputs.ts";
import { asksForOutputs } from "./outputs_query.ts";
import { CellStop, checkTypes, compileCell, compileExpressions, restoring } from "./prepare.ts";
import type { Header, Json } from "../protocol/messages.ts";
import type { CursorRequest, ExecuteRequest, HistoryRequest, InspectRequest } from "../protocol/requests.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { NotebookImports } from "./notebook_imports.ts";
import { restoredImports } from "../snapshot/restored_cell.ts";
import type {
  ErrorContent,
  FromSession,
  NotebookName,
  Question,
  UserExpressionResult,
} from "../session/channel.ts";
import { StaleMarks } from "./stale_marks.ts";
import { usage } from "./usage.ts";

export interface CellEnd {
  readonly count: number;
  readonly error?: ErrorContent;
  readonly userExpressions: Readonly<Record<string, UserExpressionResult>>;
  /** Texts for new cells below this one. */
  readonly nextInputs: readonly string[];
  /** The content for a pager: the answer to `name?`. */
  readonly page: Json | null;
}

const NO_TYPES: ReadonlyMap<string, string> = new Map();

/** A cell on its way. */
interface Run {
  readonly count: number;
  /** Whether it is stored in the history. */
  readonly stored: boolean;
  stage: "preparing" | "interrupted" | "running";
  /** Whether its code ran, and not only what comes before: the session then says when the cell is gone. */
  ran: boolean;
}

export class Cells {
  readonly comms: Comms;
  readonly #history: History;
  readonly #dependencies: KernelDependencies;
  readonly #outputs: Outputs;
  readonly #session: Session;
  readonly #live: LiveValues;
  readonly #debugger: CellDebugger;
  readonly #marks: StaleMarks;
  #language: Language;
  #sessionPid: number | null = null;
  #lastCell: string | null = null;
  #bindings: Bindings = NO_BINDINGS;
  readonly #imports = new NotebookImports();
  /** The cells that the names are from. */
  readonly #origins = new Map<string, MissedName>();
  #switches: Switches = { check: "error", flush: true, pdb: false, stale: true };
  #count = 0;
  /** How many cells were to run, stored or not. */
  #started = 0;
  /** Cells on their way, by the id of their request: one of each subshell at most. */
  readonly #runs = new Map<string, Run>();

  /** @param ask puts a question of the running cell to its user; the answer comes through `answer` */
  constructor(dependencies: KernelDependencies, outputs: Outputs, ask: (question: InputQuestion) => void) {
    this.#dependencies = dependencies;
    this.#outputs = outputs;
    this.#session = dependencies.session({
      message: (message) => this.#report(message, ask),
      died: (reason, lost) => this.#forget(reason, lost),
    });
    this.#live = new LiveValues(this.#session);
    this.#marks = new StaleMarks(outputs);
    this.#debugger = new CellDebugger({
      ...{ session: this.#session, compile: dependencies.compile, outputs },
      sources: () => this.#variableSources(),
      bindings: () => this.#bindings,
      declared: (compiled) => this.#commit(compiled, this.#count, new Set(runtimeNames(compiled))),
    });
    this.#language = dependencies.language();
    this.#history = dependencies.history();
    this.comms = new Comms(outputs, (message) => this.#session.send(message));
  }

  /** Never rejects for anything that a cell can do. */
  async execute(request: ExecuteRequest, header: Header): Promise<CellEnd> {
    if (request.storeHistory) this.#count++;
    const count = this.#count;
    const run: Run = { count, stored: request.storeHistory, stage: "preparing", ran: false };
    this.#runs.set(header.msg_id, run);
    this.#marks.starts(request.deletedCells);
    const kept = request.storeHistory && !asksForOutputs(request.code);
    this.#outputs.begin(header, request.code, count, { silent: request.silent, kept });
    if (run.stored) this.#history.add(count, request.code);
    try {
      return { count, ...(await this.#run(request, header, run)) };
    } catch (error) {
      if (!(error instanceof CellStop)) throw error;
      if (run.stored && !run.ran) this.#language.cellDidNotRun(count, request.code);
      this.#outputs.error(header.msg_id, error.content);
      return { ...NO_END, count, error: error.content };
    } finally {
      this.#runs.delete(header.msg_id);
      this.#outputs.end(header.msg_id);
      if (this.#runs.size === 0) this.#marks.ends(this.#switches.stale);
      if (!run.ran) this.#outputs.forget(header.msg_id);
    }
  }

  /** Stops every cell wherever it is; between cells a timer that loops. Harmless where nothing runs. */
  interrupt(): void {
    const runs = [...this.#runs.values()];
    const preparing = runs.filter(({ stage }) => stage !== "running");
    for (const run of preparing) run.stage = "interrupted";
    if (runs.length === 0 || preparing.length < runs.length) this.#session.interrupt();
  }

  /** Whether clients are behind with what was put out. */
  hold(held: boolean): void {
    this.#session.hold(held);
  }

  /** @param value null if no client can be asked */
  answer(value: string | null): void {
    this.#session.send({ type: "inputReply", value });
  }

  complete(request: CursorRequest): Promise<Json> {
    return complete(request, this.#sources());
  }

  inspect(request: InspectRequest): Promise<Json> {
    return inspect(request, this.#sources());
  }

  debug(content: Json, header: Header): Promise<Json> {
    return this.#debugger.answer(content, header);
  }

  completeness(code: string): Json {
    return { ...this.#dependencies.isComplete(code) };
  }

  history(request: HistoryRequest): Json {
    return { status: "ok", history: this.#history.query(request) };
  }

  /** Memory and processor time of the kernel with all its processes. */
  async usage(): Promise<Json> {
    const languagePid = await this.#language.pid().catch(() => null);
    return await usage([process.pid, this.#sessionPid, languagePid].filter((pid) => pid !== null));
  }

  async close(): Promise<void> {
    this.comms.closeAll();
    this.#marks.close();
    this.#language.close();
    await this.#session.close();
    this.#history.close();
  }

  #sources(): Sources {
    const { directory } = this.#dependencies;
    const liveValue = async (question: Question) =>
      (await this.#debugger.inspect(question)) ??
      (await this.#live.ask(question, this.#bindings, this.#isRunning()));
    return { language: this.#language, directory, liveValue };
  }

  #variableSources(): VariableSources {
    return { ...this.#sources(), names: () => this.#names({ count: this.#count, text: "", declared: [] }) };
  }

  /** Whether a cell is in the session, and not on its way there: `losses?` never gets there. */
  #isRunning(): boolean {
    return [...this.#runs.values()].some(({ stage }) => stage === "running");
  }

  /** @throws CellStop */
  async #run(request: ExecuteRequest, header: Header, run: Run): Promise<Omit<CellEnd, "count">> {
    const cell = header.msg_id;
    const question = parseHelpQuery(request.code);
    if (question !== null) return { ...NO_END, page: await this.#page(question) };
    const { count } = run;
    const { compile, directory } = this.#dependencies;
    const source = { code: restoring(request.code, directory), count, script: String(++this.#started) };
    await this.#importAgain(request, header, run);
    const typescript = await this.#language.typeScriptOptions(source.code);
    const keptOutputs = () => this.#outputs.keptNumbers();
    const staleList = () => this.#marks.staleList();
    const types = wantsTypes(request.code)
      ? await this.#language.types({ count, text: "", declared: [] })
      : NO_TYPES;
    const state = { switches: this.#switches, directory, typescript, types, keptOutputs, staleList };
    const compiledNow = () => compileCell(source, compile, this.#bindings, state);
    let prepared = await compiledNow();
    const forgetting = forgettingMagic(prepared.compiled.magics);
    if (forgetting !== null && !prepared.showsCompiled) {
      await this.#runAlone(forgetting, request, header, run);
      this.#imports.forget();
      this.#origins.clear();
      this.#forgetNames();
      prepared = await compiledNow();
    }
    const { compiled, switches, ...asked } = prepared;
    this.#switches = switches;
    if (request.storeHistory) this.#history.setSource(compiled.code);
    this.#outputs.text(cell, "stdout", asked.printed);
    const { nextInputs } = asked;
    for (const number of asked.showsOutputs) await this.#outputs.showKept(number, header);
    if (asksForOutputs(request.code)) return NO_END;
    if (asked.showsCompiled) {
      this.#outputs.text(cell, "stdout", `${compiled.code}\n`);
      return { ...NO_END, nextInputs };
    }
    const isKnown = (name: string) =>
      this.#bindings.names.has(name) || compiled.declared.some((one) => one.name === name);
    this.#outputs.text(cell, "stderr", await checkTypes(source, compiled, this.#language, switches, isKnown));
    const text = { count, text: compiled.typescript, declared: compiled.declared };
    const names = readsNames(compiled.magics) ? await this.#names(text) : [];
    await this.#debugger.cellStarts(compiled, request.code, count, switches.pdb);
    if (run.stage === "interrupted") {
      throw CellStop.because("KeyboardInterrupt", "The cell was interrupted before it ran.");
    }
    run.stage = "running";
    run.ran = true;
    this.#lastCell = cell;
    const { declared, url, code, map } = compiled;
    const { userExpressions } = request;
    const expressions = compileExpressions(userExpressions, compile, this.#bindings, declared, source.script);
    const running = this.#session.run({
      ...emptyRun(request, header, count),
      url,
      code,
      map,
      declares: runtimeNames(compiled),
      variables: declared.filter(isVariable).map(({ runtimeName }) => runtimeName),
      epochLoops: compiled.epochLoops,
      imports: compiled.imports,
      importedNames: compiled.importedNames,
      typescript,
      names,
      flush: switches.flush,
      userExpressions: expressions.compiled,
    });
    // While the session runs the cell.
    const uses = run.stored ? compiled.uses() : null;
    const done = await running;
    this.#debugger.cellEnded();
    const initialised = new Set(done.initialised);
    this.#commit(compiled, count, initialised);
    if (uses !== null) {
      const failed = done.error !== undefined;
      const ended = { request, header, count, uses, declared, initialised, failed };
      this.#marks.ran(ended, switches.stale);
    }
    if (done.error !== undefined) throw new CellStop(done.error);
    const results = { ...expressions.refused, ...done.userExpressions };
    return { ...NO_END, userExpressions: results, nextInputs };
  }

  /** @throws CellStop if nothing is known of the name */
  async #page({ name, detailLevel }: HelpQuery): Promise<Json> {
    const answer = await this.inspect({ code: name, cursorPos: name.length, detailLevel });
    if (answer["found"] === true) return answer["data"] as Json;
    throw CellStop.because("NameError", `Nothing is known of ${name}: no cell that ran has declared it.`);
  }

  /**
   * Imports what the notebook has imported in a session that has ended, or in the one of the snapshot that the cell
   * restores. What cannot be imported is told by the cell that uses it.
   *
   * @throws CellStop if it is interrupted
   */
  async #importAgain(request: ExecuteRequest, header: Header, run: Run): Promise<void> {
    const { compile, directory } = this.#dependencies;
    const lost = this.#imports.takeLost(restoredImports(request.code, directory));
    for (const each of lost) {
      const text = importStatement(each);
      const typescript = await this.#language.typeScriptOptions(text);
      const script = `${this.#started}.import.${each.name}`;
      const compiled = compile(text, this.#bindings, { script, flush: false, typescript });
      run.stage = "running";
      const { url, code, map, imports, importedNames } = compiled;
      const declares = runtimeNames(compiled);
      // Under an id of its own: what the module prints was shown before, and the session says of the id that it is gone.
      const id = { ...header, msg_id: `${header.msg_id}.import` };
      const quiet = emptyRun({ ...request, code: text, silent: true, storeHistory: false }, id, run.count);
      const { error, initialised } = await this.#session.run({
        ...quiet,
        ...{ url, code, map, declares, imports, importedNames, typescript },
      });
      run.stage = "preparing";
      if (error?.ename === "KeyboardInterrupt") throw new CellStop(error);
      this.#commit(compiled, run.count, new Set(initialised));
    }
  }

  /** A magic that goes before the rest of its cell. @throws CellStop */
  async #runAlone(magic: MagicLine, request: ExecuteRequest, header: Header, run: Run): Promise<void> {
    const script = magicScript(magic, `${this.#started}.before`);
    const names = await this.#names({ count: run.count, text: "", declared: [] });
    run.stage = "running";
    this.#lastCell = header.msg_id;
    const { error } = await this.#session.run({
      ...emptyRun(request, header, run.count),
      ...script,
      continues: true,
      typescript: await this.#language.typeScriptOptions(),
      names,
    });
    if (error !== undefined) throw new CellStop(error);
    run.stage = "preparing";
  }

  /** The values that there are, with their types, and those that the cell declares. */
  async #names(cell: CellText): Promise<NotebookName[]> {
    const { declared } = cell;
    const types = await this.#language.types(cell);
    const all = new Set(declared.map(({ runtimeName }) => runtimeName));
    return [...commit(this.#bindings, declared, all).names.values()]
      .filter(({ typeOnly }) => !typeOnly)
      .map(({ name, runtimeName, kind }) => ({ name, runtimeName, kind, type: types.get(name) ?? null }));
  }

  #commit(compiled: Compiled, count: number, initialised: ReadonlySet<string>): void {
    this.#bindings = commit(this.#bindings, compiled.declared, initialised);
    const names = compiled.declared
      .filter(({ typeOnly, runtimeName }) => typeOnly || initialised.has(runtimeName))
      .map(({ name }) => name);
    this.#imports.commit(compiled, names);
    for (const { name, kind } of compiled.declared) {
      if (names.includes(name)) this.#origins.set(name, { name, count, isImport: kind === "import" });
    }
    const text = { count, text: compiled.typescript, declared: compiled.declared };
    this.#language.commit(text, new Set(names));
  }

  #report(message: FromSession, ask: (question: InputQuestion) => void): void {
    if (message.type === "ready") this.#sessionPid = message.pid;
    else if (message.type === "inputRequest") ask(message);
    else if (message.type === "comm") this.comms.sent(message);
    else if (message.type === "debuggerEvent") this.#debugger.event(message);
    else if (message.type === "commTarget") this.comms.announced(message.target, message.registered);
    else this.#outputs.report(message);
    if (message.type === "result") {
      const run = this.#runs.get(message.cell);
      const text = message.data["text/plain"];
      if (run?.stored && typeof text === "string") this.#history.setOutput(run.count, text);
    }
  }

  /** The process is gone and the user's variables with it: later cells must not see their names. */
  #forget(reason: string, lost: string): void {
    this.#sessionPid = null;
    this.#debugger.sessionEnded();
    this.comms.closeAll();
    this.#outputs.forgetAllBut(new Set([...this.#runs.keys(), this.#lastCell ?? ""]));
    this.#imports.sessionEnded();
    this.#forgetNames();
    this.#language.namesLost([...this.#origins.values()]);
    this.#origins.clear();
    // A cell that ran has this as its error already.
    if (this.#isRunning() || this.#lastCell === null) return;
    this.#outputs.text(this.#lastCell, "stderr", `${reason} ${lost}\n`);
  }

  #forgetNames(): void {
    this.#bindings = NO_BINDINGS;
    this.#marks.forget();
    this.#language.close();
    this.#language = this.#dependencies.language();
  }
}

const NO_END = { userExpressions: {}, nextInputs: [], page: null };

function runtimeNames({ declared }: Compiled): string[] {
  return declared.filter(({ typeOnly }) => !typeOnly).map(({ runtimeName }) => runtimeName);
}
