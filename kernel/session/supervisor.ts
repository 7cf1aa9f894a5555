// Starts, interrupts and ends the session process, sends it cells, and reports what was lost when it dies.
import { userName } from "../cell/names.ts";
import { snapshotFolder } from "../snapshot/folder.ts";
import { describeSnapshot, removePartial } from "../snapshot/manifest.ts";
import { describeCrash, errorOf } from "./crash.ts";
import type { FromSession, Inspection, Question, RunRequest, ToSession } from "./channel.ts";
import { type Exit, SessionProcess } from "./process.ts";

export type Done = Extract<FromSession, { type: "done" }>;
type DebuggerAnswer = Pick<Extract<FromSession, { type: "debuggerAnswer" }>, "result" | "failure">;

const SESSION_ENDED: DebuggerAnswer = { result: null, failure: "The session has ended." };

export interface SupervisorEvents {
  /** Everything that the session reports except `done`, in order. */
  message(message: FromSession): void;
  /** The process ended without being asked to. Before this call, a running cell gets its `done`, with an error. */
  died(reason: string, lost: string): void;
}

export interface SupervisorOptions {
  /** How long code that cannot be stopped without losing variables may go on after an interrupt. */
  readonly interruptDeadlineMs?: number;
  /** Set if the session is one of the processes that `%%ranks` has started. */
  readonly rank?: RankPlace;
}

/** A rank's place among the processes of its group. */
export interface RankPlace {
  readonly rank: number;
  /** Environment variables of this process only: its rank, and how it finds the other ranks. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Running {
  readonly cell: string;
  readonly subshell: string | null;
  readonly variables: readonly string[];
  readonly resolve: (done: Done) => void;
}

const INTERRUPT_DEADLINE_MS = 10_000;
const NOTICE_MS = 1_000;

/** The public members of the class, for users of a session: `Pick` leaves the private ones out. */
export type Session = Pick<Supervisor, keyof Supervisor>;

export class Supervisor {
  readonly #directory: string;
  readonly #events: SupervisorEvents;
  readonly #deadlineMs: number;
  readonly #rank: RankPlace | null;
  #process: SessionProcess | null = null;
  /** The cells in the order in which the session runs them. */
  readonly #running: Running[] = [];
  /** The user's names of the variables that the process holds. */
  readonly #variables = new Set<string>();
  /** The cell that ran last. Output of native code between cells belongs to it. */
  #lastCell = "";
  /** Cells that the interrupts so far have not reached. */
  readonly #unstopped = new Set<string>();
  /** They run while there are such cells, and while no cell that was reached holds the thread with its clean-up. */
  #deadlineTimers: NodeJS.Timeout[] = [];
  readonly #inspections = new Map<number, (inspection: Inspection | null) => void>();
  #inspectionCount = 0;
  readonly #debuggerAnswers = new Map<number, (answer: DebuggerAnswer) => void>();
  #debuggerCommandCount = 0;
  /** How many interrupts this process was sent. */
  #interrupts = 0;
  #held = false;
  #closing = false;

  /** `directory`: the notebook's folder. The process starts at once, so that the first cell finds it ready. */
  constructor(directory: string, events: SupervisorEvents, options: SupervisorOptions = {}) {
    this.#directory = directory;
    this.#events = events;
    this.#deadlineMs = options.interruptDeadlineMs ?? INTERRUPT_DEADLINE_MS;
    this.#rank = options.rank ?? null;
    this.#start();
  }

  /** Resolves when the cell has ended and all its output was given to `events.message`; never rejects. */
  run(request: RunRequest): Promise<Done> {
    const session = this.#process ?? this.#start();
    return new Promise((resolve) => {
      const { cell, subshell, variables } = request;
      this.#running.push({ cell, subshell, variables, resolve });
      this.#lastCell = cell;
      // An interrupt, or the end of the held process, has released the output: it is held again.
      if (this.#held && this.#unstopped.size === 0) session.hold(true);
      session.send(request);
    });
  }

  /** Stops the running cells; variables keep their values. Does nothing if no cell runs. */
  interrupt(): void {
    if (this.#process === null) return;
    this.#interrupts++;
    // The session must be able to report that it has stopped.
    this.#process.hold(false);
    this.#process.send({ type: "interrupt" });
    const begun = new Map(this.#running.toReversed().map(({ subshell, cell }) => [subshell, cell]));
    for (const cell of begun.values()) this.#unstopped.add(cell);
    this.#watchDeadline();
  }

  /** Whether the session must wait with its output until clients have read the present one. */
  hold(held: boolean): void {
    this.#held = held;
    this.#process?.hold(held);
  }

  send(message: Exclude<ToSession, RunRequest>): void {
    this.#process?.send(message);
  }

  /** Returns what is known of a live value, or null. The session answers only between cells and at awaits. */
  inspect(question: Question): Promise<Inspection | null> {
    if (this.#process === null) return Promise.resolve(null);
    const id = this.#inspectionCount++;
    this.#process.send({ type: "inspect", id, ...question });
    return new Promise((resolve) => this.#inspections.set(id, resolve));
  }

  /**
   * Sends a command to the debugger in the session, starting a session if none runs. Answered while a cell runs or is
   * paused, but not during a native call.
   *
   * @throws Error with V8's message if V8 refuses, or if the session ends
   */
  async debug(method: string, params: object = {}): Promise<unknown> {
    const session = this.#process ?? this.#start();
    const id = this.#debuggerCommandCount++;
    session.send({ type: "debuggerCommand", id, method, params });
    const { result, failure } = await new Promise<DebuggerAnswer>((resolve) =>
      this.#debuggerAnswers.set(id, resolve),
    );
    if (failure !== null) throw new Error(failure);
    return result;
  }

  /** Ends the process and waits until it is gone. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#process?.close();
  }

  #start(): SessionProcess {
    this.#closing = false;
    this.#interrupts = 0;
    const events = {
      message: (message: FromSession) => this.#receive(session, message),
      captured: (name: "stdout" | "stderr", text: string) => {
        const cell = this.#running[0]?.cell ?? this.#lastCell;
        this.#events.message({ type: "stream", cell, name, text });
      },
      exited: (exit: Exit) => this.#exited(exit),
    };
    const session: SessionProcess = new SessionProcess(this.#directory, events, this.#rank?.environment);
    this.#process = session;
    return session;
  }

  #receive(session: SessionProcess, message: FromSession): void {
    switch (message.type) {
      case "done":
        void this.#finish(session, message);
        break;
      case "interrupted":
        if (message.interrupt === this.#interrupts) this.#reached(message.cell);
        break;
      case "inspected":
        this.#inspections.get(message.id)?.(message.inspection);
        this.#inspections.delete(message.id);
        break;
      case "debuggerAnswer":
        this.#debuggerAnswers.get(message.id)?.(message);
        this.#debuggerAnswers.delete(message.id);
        break;
      default:
        this.#events.message(message);
    }
  }

  async #finish(session: SessionProcess, done: Done): Promise<void> {
    await session.drained(done.cell);
    const index = this.#running.findIndex(({ cell }) => cell === done.cell);
    // The process has ended meanwhile, and with it the cell.
    if (index < 0) return;
    const [ended] = this.#running.splice(index, 1);
    this.#unstopped.delete(done.cell);
    this.#watchDeadline();
    for (const name of ended!.variables) {
      if (done.initialised.includes(name)) this.#variables.add(userName(name));
    }
    ended!.resolve(done);
  }

  /** Watches for code that does not stop, such as a native call: prints a notice, then ends the process. */
  #watchDeadline(): void {
    if (this.#unstopped.size === 0) return this.#stopDeadline();
    if (this.#deadlineTimers.length > 0) return;
    const seconds = this.#deadlineMs / 1000;
    const notice = setTimeout(() => {
      const text =
        "The code has not stopped yet: it is in a native call, or in a built-in function that takes long. " +
        `If it has not stopped ${seconds} s after the interrupt, the session process is ended.\n`;
      const [cell = ""] = this.#unstopped;
      this.#events.message({ type: "stream", cell, name: "stderr", text });
    }, NOTICE_MS);
    const deadline = setTimeout(() => this.#process?.kill("interrupted"), this.#deadlineMs);
    this.#deadlineTimers = [notice, deadline];
  }

  #stopDeadline(): void {
    for (const timer of this.#deadlineTimers) clearTimeout(timer);
    this.#deadlineTimers = [];
  }

  /**
   * The interrupt has reached a cell. While that cell cleans up, which may take long, cells of other subshells wait, so
   * their deadline starts again afterwards.
   */
  #reached(cell: string | null): void {
    if (cell === null) this.#unstopped.clear();
    else this.#unstopped.delete(cell);
    this.#stopDeadline();
  }

  #exited(exit: Exit): void {
    this.#process = null;
    this.#unstopped.clear();
    this.#stopDeadline();
    const crash = describeCrash({
      exit,
      lostNames: [...this.#variables],
      snapshot: this.#rank === null ? this.#restorable() : null,
      rank: this.#rank?.rank ?? null,
    });
    this.#variables.clear();
    for (const { cell, resolve } of this.#running.splice(0)) {
      resolve({ type: "done", cell, error: errorOf(crash, exit), initialised: [], userExpressions: {} });
    }
    for (const resolve of this.#inspections.values()) resolve(null);
    this.#inspections.clear();
    for (const resolve of this.#debuggerAnswers.values()) resolve(SESSION_ENDED);
    this.#debuggerAnswers.clear();
    if (!this.#closing) this.#events.died(crash.reason, crash.lost);
  }

  /** The snapshot that `%restore` would bring back; what was being written is removed. */
  #restorable(): string | null {
    const folder = snapshotFolder(this.#directory);
    removePartial(folder);
    return describeSnapshot(folder);
  }
}
