// The way of a cell: compile, magics, type check, run, commit. Holds what cells leave behind on the kernel's side.
// Knows the rooms by their interfaces, and clients only through `Outputs`.
import { commit, NO_BINDINGS, type Bindings, type Declared } from "./cell/analyze.ts";
import { CellSyntaxError, type Compiled } from "./cell/compile.ts";
import { formatProblems, summarizeProblem, type Problem } from "./diagnostics.ts";
import { complete, inspect } from "./editor.ts";
import { History } from "./history.ts";
import { applySwitches, asksForCompiled, MagicError, magicHelp, type Switches } from "./kernel_magics.ts";
import type { Outputs } from "./outputs.ts";
import type { Header, Json } from "./protocol/messages.ts";
import type { CursorRequest, ExecuteRequest, HistoryRequest } from "./protocol/requests.ts";
import type { Language, Rooms, Session } from "./rooms.ts";
import type { ErrorContent, FromSession, UserExpressionResult } from "./session/channel.ts";
import { usage } from "./usage.ts";

export interface CellEnd {
  readonly count: number;
  readonly error?: ErrorContent;
  readonly userExpressions: Readonly<Record<string, UserExpressionResult>>;
}

export type InputQuestion = Extract<FromSession, { type: "inputRequest" }>;

/** The cell ends here, with what the user is to read. */
class CellStop extends Error {
  constructor(readonly content: ErrorContent) {
    super(content.evalue);
  }
}

export class Cells {
  readonly #history = new History();
  readonly #rooms: Rooms;
  readonly #outputs: Outputs;
  readonly #session: Session;
  #language: Language;
  #sessionPid: number | null = null;
  #lastCell: string | null = null;
  #bindings: Bindings = NO_BINDINGS;
  #switches: Switches = { check: "error", flush: true };
  #count = 0;
  /** How far the current cell is; null between cells. */
  #stage: "preparing" | "interrupted" | "running" | null = null;

  /** @param ask puts a question of the running cell to its user; the answer comes through `answer` */
  constructor(rooms: Rooms, outputs: Outputs, ask: (question: InputQuestion) => void) {
    this.#rooms = rooms;
    this.#outputs = outputs;
    this.#session = rooms.session({
      message: (message) => this.#report(message, ask),
      died: (reason) => this.#forget(reason),
    });
    this.#language = rooms.language();
  }

  /** Never rejects for anything that a cell can do. */
  async execute(request: ExecuteRequest, header: Header): Promise<CellEnd> {
    if (request.storeHistory) this.#count++;
    const count = this.#count;
    this.#stage = "preparing";
    this.#outputs.begin(header, request.code, count, request.silent);
    if (request.storeHistory) this.#history.add(count, request.code);
    try {
      return { count, userExpressions: await this.#run(request, header.msg_id, count) };
    } catch (error) {
      if (!(error instanceof CellStop)) throw error;
      this.#outputs.error(header.msg_id, error.content);
      return { count, error: error.content, userExpressions: {} };
    } finally {
      this.#stage = null;
    }
  }

  /** Stops the cell wherever it is; harmless between cells. */
  interrupt(): void {
    if (this.#stage === "preparing") this.#stage = "interrupted";
    if (this.#stage === "running") this.#session.interrupt();
  }

  /** @param value null: nobody can be asked */
  answer(value: string | null): void {
    this.#session.send({ type: "inputReply", value });
  }

  complete(request: CursorRequest): Promise<Json> {
    return complete(request, this.#language);
  }

  inspect(request: CursorRequest): Promise<Json> {
    return inspect(request, this.#language, (expression) => this.#inspectValue(expression));
  }

  completeness(code: string): Json {
    return { ...this.#rooms.isComplete(code) };
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
    this.#language.close();
    await this.#session.close();
  }

  /** What the session knows of a live value, if it can say so now. */
  async #inspectValue(expression: string): Promise<string | null> {
    if (this.#stage !== null) return null;
    const [root = "", ...path] = expression.split(".");
    const runtimeName = this.#bindings.names.get(root)?.runtimeName ?? root;
    return await this.#session.inspect([runtimeName, ...path].join("."));
  }

  /** @throws CellStop */
  async #run(request: ExecuteRequest, cell: string, count: number): Promise<CellEnd["userExpressions"]> {
    const compiled = this.#prepare(request.code, cell, count);
    const help = magicHelp(compiled.magics);
    if (help !== "") this.#outputs.text(cell, "stdout", help);
    if (asksForCompiled(compiled.magics)) {
      this.#outputs.text(cell, "stdout", `${compiled.code}\n`);
      return {};
    }
    await this.#check(request.code, compiled, cell, count);
    if (this.#stage === "interrupted") {
      throw new CellStop(plainError("KeyboardInterrupt", "The cell was interrupted before it ran."));
    }
    this.#stage = "running";
    this.#lastCell = cell;
    const expressions = this.#compileExpressions(request.userExpressions, compiled.declared, count);
    const done = await this.#session.run({
      type: "run",
      cell,
      count,
      code: compiled.code,
      map: compiled.map,
      text: request.code,
      declares: compiled.declared.filter(({ typeOnly }) => !typeOnly).map(({ runtimeName }) => runtimeName),
      epochLoops: compiled.epochLoops,
      flush: this.#switches.flush,
      silent: request.silent,
      userExpressions: expressions.compiled,
    });
    this.#commit(compiled, count, new Set(done.initialised));
    if (done.error !== undefined) throw new CellStop(done.error);
    return { ...expressions.refused, ...done.userExpressions };
  }

  /** Compiles under the switches that the cell itself sets. */
  #prepare(code: string, cell: string, count: number): Compiled {
    try {
      const options = { count, flush: this.#switches.flush };
      const compiled = this.#rooms.compile(code, this.#bindings, options);
      this.#switches = applySwitches(this.#switches, compiled.magics);
      if (this.#switches.flush === options.flush) return compiled;
      return this.#rooms.compile(code, this.#bindings, { count, flush: this.#switches.flush });
    } catch (error) {
      if (error instanceof MagicError) throw new CellStop(plainError(error.name, error.message));
      if (!(error instanceof CellSyntaxError)) throw error;
      const { start, end, message } = error;
      const problem: Problem = { start, end, category: "error", message };
      throw new CellStop({
        ename: error.name,
        evalue: summarizeProblem(problem, code, count),
        traceback: formatProblems([problem], code, count),
      });
    }
  }

  async #check(code: string, compiled: Compiled, cell: string, count: number): Promise<void> {
    if (this.#switches.check === "off") return;
    const text = { count, text: compiled.typescript, declared: compiled.declared };
    let problems: readonly Problem[];
    try {
      problems = (await this.#language.check(text)).filter(({ category }) => category === "error");
    } catch (error) {
      this.#outputs.text(cell, "stderr", `Types were not checked: ${(error as Error).message}\n`);
      return;
    }
    const [first] = problems;
    if (first === undefined) return;
    const lines = formatProblems(problems, code, count);
    if (this.#switches.check === "warn") {
      this.#outputs.text(cell, "stderr", `${lines.join("\n")}\n`);
      return;
    }
    throw new CellStop({
      ename: "TypeCheckError",
      evalue: summarizeProblem(first, code, count),
      traceback: lines,
    });
  }

  /** Each expression fails on its own: one that does not parse must not stop the cell. */
  #compileExpressions(
    expressions: Readonly<Record<string, string>>,
    declared: readonly Declared[],
    count: number,
  ): { compiled: Record<string, string>; refused: Record<string, UserExpressionResult> } {
    const compiled: Record<string, string> = {};
    const refused: Record<string, UserExpressionResult> = {};
    const bindings = commit(
      this.#bindings,
      declared,
      new Set(declared.map(({ runtimeName }) => runtimeName)),
    );
    for (const [key, expression] of Object.entries(expressions)) {
      try {
        compiled[key] = this.#rooms.compile(expression, bindings, { count, flush: false }).code;
      } catch (error) {
        if (!(error instanceof CellSyntaxError)) throw error;
        refused[key] = { status: "error", ...plainError(error.name, error.message) };
      }
    }
    return { compiled, refused };
  }

  #commit(compiled: Compiled, count: number, initialised: ReadonlySet<string>): void {
    this.#bindings = commit(this.#bindings, compiled.declared, initialised);
    const names = compiled.declared
      .filter(({ typeOnly, runtimeName }) => typeOnly || initialised.has(runtimeName))
      .map(({ name }) => name);
    const text = { count, text: compiled.typescript, declared: compiled.declared };
    this.#language.commit(text, new Set(names));
  }

  #report(message: FromSession, ask: (question: InputQuestion) => void): void {
    if (message.type === "ready") this.#sessionPid = message.pid;
    else if (message.type === "inputRequest") ask(message);
    else this.#outputs.report(message);
    if (message.type === "result") {
      const text = message.data["text/plain"];
      if (typeof text === "string") this.#history.setOutput(this.#count, text);
    }
  }

  /** The process is gone and the user's variables with it: no later cell may be told that they exist. */
  #forget(reason: string): void {
    this.#sessionPid = null;
    this.#bindings = NO_BINDINGS;
    this.#language.close();
    this.#language = this.#rooms.language();
    // A cell that ran has this as its error already.
    if (this.#stage === "running" || this.#lastCell === null) return;
    const text = `${reason} All variables and tensors are lost; the next cell starts a new session.\n`;
    this.#outputs.text(this.#lastCell, "stderr", text);
  }
}

function plainError(ename: string, evalue: string): ErrorContent {
  return { ename, evalue, traceback: [`\x1b[91m${ename}\x1b[0m: ${evalue}`] };
}
