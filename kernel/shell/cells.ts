// Begins and ends each cell; in between it passes the stages of `stages/`. Keeps in the kernel process what is known of the
// cells that ran, and reaches clients only through `Outputs`.
import { Comms } from "../comms/comms.ts";
import { complete, inspect, type Sources } from "../editor/editor.ts";
import type { History } from "../history/history.ts";
import { CellDebugger } from "./cell_debugger.ts";
import type { InputQuestion } from "./input.ts";
import type { VariableSources } from "../editor/variables.ts";
import { LiveValues } from "../editor/live_values.ts";
import { ranksOf } from "../magics/ranks.ts";
import type { Outputs } from "../iopub/outputs.ts";
import { asksForOutputs } from "./outputs_query.ts";
import { CellStop } from "./prepare.ts";
import type { Header, Json } from "../protocol/messages.ts";
import type { CursorRequest, ExecuteRequest, HistoryRequest, InspectRequest } from "../protocol/requests.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { Namespace, type Run, runtimeNames } from "./namespace.ts";
import { Ranks } from "./ranks.ts";
import type { FromSession, Question } from "../session/channel.ts";
import { type CellEnd, NO_END, type StageContext } from "./stages/stage.ts";
import { runStages } from "./stages/stages.ts";
import { StaleMarks } from "./stale_marks.ts";
import { usage } from "./usage.ts";

export class Cells {
  readonly comms: Comms;
  readonly #history: History;
  readonly #dependencies: KernelDependencies;
  readonly #outputs: Outputs;
  /** The notebook's own session. */
  readonly #own: Namespace;
  readonly #ranks: Ranks;
  readonly #live: LiveValues;
  readonly #debugger: CellDebugger;
  readonly #marks: StaleMarks;
  readonly #context: StageContext;
  #sessionPid: number | null = null;
  /** Whether the last question to the user came from the ranks, and not from the notebook's own session. */
  #ranksAsked = false;
  #count = 0;
  /** How many cells have been started, stored or not. */
  #started = 0;
  /** Cells that are being prepared or run, by the id of their request: at most one in each subshell. */
  readonly #runs = new Map<string, Run>();

  /** @param ask sends a running cell's question to the user; the answer comes through `answer` */
  constructor(dependencies: KernelDependencies, outputs: Outputs, ask: (question: InputQuestion) => void) {
    this.#dependencies = dependencies;
    this.#outputs = outputs;
    const session = dependencies.session({
      message: (message) => this.#report(message, ask),
      died: (reason, lost) => this.#forget(reason, lost),
    });
    this.#own = new Namespace(dependencies, session);
    this.#ranks = new Ranks(dependencies, {
      message: (message) => this.#reportOfRanks(message, ask),
      died: (reason, lost) => this.#tellLost(reason, lost),
    });
    this.#live = new LiveValues(session);
    this.#marks = new StaleMarks(outputs);
    this.#debugger = new CellDebugger({
      session,
      compile: dependencies.compile,
      outputs,
      sources: () => this.#variableSources(),
      bindings: () => this.#own.bindings,
      declared: (compiled) => this.#own.commit(compiled, this.#count, new Set(runtimeNames(compiled))),
    });
    this.#history = dependencies.history();
    this.#context = {
      dependencies,
      outputs,
      history: this.#history,
      own: this.#own,
      ranks: this.#ranks,
      marks: this.#marks,
      debugger: this.#debugger,
      inspect: (request) => this.inspect(request),
      switches: { check: "error", flush: true, pdb: false, stale: true },
      lastCell: null,
    };
    this.comms = new Comms(outputs, (message) => session.send(message));
  }

  /** Runs a cell. Whatever the cell does, the promise does not reject. */
  async execute(request: ExecuteRequest, header: Header): Promise<CellEnd> {
    if (request.storeHistory) this.#count++;
    const count = this.#count;
    const script = String(++this.#started);
    const run: Run = { count, stored: request.storeHistory, script, stage: "preparing", ran: false };
    this.#runs.set(header.msg_id, run);
    this.#marks.starts(request.deletedCells);
    const kept = request.storeHistory && !asksForOutputs(request.code);
    this.#outputs.begin(header, request.code, count, { silent: request.silent, kept });
    if (run.stored) this.#history.add(count, request.code);
    try {
      return { count, ...(await runStages({ request, header, run }, this.#context)) };
    } catch (error) {
      if (!(error instanceof CellStop)) throw error;
      if (run.stored && !run.ran) this.#namespaceOf(request.code).language.cellDidNotRun(count, request.code);
      this.#outputs.error(header.msg_id, error.content);
      return { ...NO_END, count, error: error.content };
    } finally {
      this.#runs.delete(header.msg_id);
      this.#outputs.end(header.msg_id);
      if (this.#runs.size === 0) this.#marks.ends(this.#context.switches.stale);
      if (!run.ran) this.#outputs.forget(header.msg_id);
    }
  }

  /** Stops every cell, at whatever stage it is; between cells, a timer that loops. Does nothing if no code runs. */
  interrupt(): void {
    const runs = [...this.#runs.values()];
    const preparing = runs.filter(({ stage }) => stage !== "running");
    for (const run of preparing) run.stage = "interrupted";
    if (runs.length > 0 && preparing.length === runs.length) return;
    this.#own.session.interrupt();
    this.#ranks.interrupt();
  }

  /** @param held whether clients have not read the output yet */
  hold(held: boolean): void {
    this.#own.session.hold(held);
    this.#ranks.hold(held);
  }

  /** @param value null if no client can be asked */
  answer(value: string | null): void {
    const asking = this.#ranksAsked ? this.#ranks.namespace : this.#own;
    asking?.session.send({ type: "inputReply", value });
  }

  complete(request: CursorRequest): Promise<Json> {
    return complete(request, this.#sources(request.code));
  }

  inspect(request: InspectRequest): Promise<Json> {
    return inspect(request, this.#sources(request.code));
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
    const languagePid = await this.#own.language.pid().catch(() => null);
    const pids = [process.pid, this.#sessionPid, languagePid, ...this.#ranks.pids];
    return await usage(pids.filter((pid) => pid !== null));
  }

  async close(): Promise<void> {
    this.comms.closeAll();
    this.#marks.close();
    await Promise.all([this.#own.close(), this.#ranks.close()]);
    this.#history.close();
  }

  /**
   * @param code the cell in which the cursor is. A `%%ranks` cell has names of its own, whose values are not looked at
   */
  #sources(code: string): Sources {
    const { directory } = this.#dependencies;
    const { language } = this.#namespaceOf(code);
    if (language !== this.#own.language) return { language, directory, liveValue: async () => null };
    const liveValue = async (question: Question) =>
      (await this.#debugger.inspect(question)) ??
      (await this.#live.ask(question, this.#own.bindings, this.#isRunning()));
    return { language, directory, liveValue };
  }

  /** The namespace in which the cell runs; the notebook's own if there are no ranks yet. */
  #namespaceOf(code: string): Namespace {
    return (ranksOf(code) === null ? null : this.#ranks.namespace) ?? this.#own;
  }

  #variableSources(): VariableSources {
    const names = () => this.#own.names();
    return { ...this.#sources(""), names };
  }

  /**
   * Whether the session is running a cell. Cells that are still being prepared do not count; `losses?` never reaches
   * the session.
   */
  #isRunning(): boolean {
    return [...this.#runs.values()].some(({ stage }) => stage === "running");
  }

  #report(message: FromSession, ask: (question: InputQuestion) => void): void {
    if (message.type === "ready") this.#sessionPid = message.pid;
    else if (message.type === "inputRequest") {
      this.#ranksAsked = false;
      ask(message);
    } else if (message.type === "comm") this.comms.sent(message);
    else if (message.type === "debuggerEvent") this.#debugger.event(message);
    else if (message.type === "commTarget") this.comms.announced(message.target, message.registered);
    else this.#outputs.report(message);
    if (message.type === "result") {
      const run = this.#runs.get(message.cell);
      const text = message.data["text/plain"];
      if (run?.stored && typeof text === "string") this.#history.setOutput(run.count, text);
    }
  }

  #reportOfRanks(message: FromSession, ask: (question: InputQuestion) => void): void {
    if (message.type === "inputRequest") {
      this.#ranksAsked = true;
      ask(message);
    } else this.#outputs.report(message);
  }

  /** The process has ended, and with it the user's variables: later cells must not see their names. */
  #forget(reason: string, lost: string): void {
    this.#sessionPid = null;
    this.#debugger.sessionEnded();
    this.comms.closeAll();
    this.#outputs.forgetAllBut(new Set([...this.#runs.keys(), this.#context.lastCell ?? ""]));
    this.#own.sessionEnded();
    this.#marks.forget();
    this.#tellLost(reason, lost);
  }

  /** If a cell was running, it has this as its error already. */
  #tellLost(reason: string, lost: string): void {
    if (this.#isRunning() || this.#context.lastCell === null) return;
    this.#outputs.text(this.#context.lastCell, "stderr", `${reason} ${lost}\n`);
  }
}
