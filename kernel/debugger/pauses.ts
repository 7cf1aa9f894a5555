// Follows the pauses of the session's main thread: decides which of V8's pauses a client hears of, and where a step
// ends. V8 pauses for the compiler's and the library's code too, and for errors that somebody catches.
import type { Runtime } from "node:inspector";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Json } from "../protocol/messages.ts";
import { framesOf, type ShownFrame } from "./frames.ts";
import type { AskInspector, CallFrame, Paused } from "./inspector.ts";
import { debuggerEvent, DebuggerRefusal, THREAD } from "./protocol.ts";
import type { Sources } from "./sources.ts";
import { isCaughtAt } from "./statements.ts";

export interface PauseParts {
  readonly ask: AskInspector;
  readonly sources: Sources;
  /** Publishes an event on iopub. */
  readonly publish: (event: Json) => void;
  /** The code goes on: what the client has inspected is out of date. */
  readonly forget: () => Promise<void>;
  /** Resolves when the breakpoints of all loaded scripts are set. */
  readonly installed: () => Promise<void>;
  /** Makes the session keep its state at an error that no code catches. */
  readonly keep: (frames: readonly ShownFrame[], failure: Runtime.RemoteObject) => Promise<void>;
}

export type StepMethod = "Debugger.stepInto" | "Debugger.stepOver" | "Debugger.stepOut";

/** The most steps over hidden code. After them the code is resumed. */
const MAX_HIDDEN_STEPS = 100;
/** A step that has not reached the user's code after this time has ended where the thread became idle. */
const PAUSE_AGAIN_MS = 20;

export class Pauses {
  readonly #parts: PauseParts;
  /** URL of the folder in which this program is installed. */
  ownFolder = "";
  /** The chosen `exceptionBreakpointFilters`: `all`, `uncaught`. */
  filters: readonly string[] = [];
  /** Whether the state at errors is kept for `%debug`. The code does not stay paused for that. */
  keepsThrows = false;
  #pause: Paused | null = null;
  #frames: readonly ShownFrame[] = [];
  #failure: Runtime.RemoteObject | null = null;
  /** The place and message of the error at which V8 paused last. */
  #lastFailure = "";
  /** What the client has asked for and V8 has not reached yet. */
  #expected: "step" | "pause" | null = null;
  #step: StepMethod = "Debugger.stepOver";
  #hiddenSteps = 0;
  /** Runs after a pause where Node or this program had called no code of the user: V8 may have to be asked again. */
  #again: NodeJS.Timeout | undefined;
  /** The cell ended during a step or before a pause. V8 would stop in the next cell, where nobody asked for it. */
  #isStale = false;

  constructor(parts: PauseParts) {
    this.#parts = parts;
  }

  get isPaused(): boolean {
    return this.#pause !== null;
  }

  /** The frames, innermost first. Empty while the code runs. */
  get frames(): readonly ShownFrame[] {
    return this.#frames;
  }

  get innermost(): CallFrame | null {
    return this.#pause?.callFrames[0] ?? null;
  }

  /** The error at which the code is paused. */
  get failure(): Runtime.RemoteObject | null {
    return this.#failure;
  }

  /** Whether V8 is to pause at errors. */
  get awaitsErrors(): boolean {
    return this.keepsThrows || this.filters.length > 0;
  }

  /** @throws DebuggerRefusal if the code is not paused */
  async step(method: StepMethod): Promise<void> {
    if (this.#pause === null) throw new DebuggerRefusal("The code is not paused.");
    this.#expected = "step";
    this.#step = method;
    this.#hiddenSteps = 0;
    await this.#leave(method);
  }

  async pause(): Promise<void> {
    this.#expected = "pause";
    this.#isStale = false;
    this.#hiddenSteps = 0;
    await this.#parts.ask("Debugger.pause");
  }

  async resume(): Promise<void> {
    this.#expected = null;
    if (this.#pause !== null) await this.#leave("Debugger.resume");
  }

  cellEnded(): void {
    this.#isStale = this.#expected !== null;
    this.#expected = null;
  }

  /** The session, or its connection to the inspector, has ended. */
  connectionEnded(): void {
    this.#expected = null;
    this.#isStale = false;
    this.goesOn();
  }

  async #pauseAgain(): Promise<void> {
    if (this.#expected === "pause") await this.#parts.ask("Debugger.pause").catch(() => {}); // The session has ended.
  }

  /** V8 has paused. */
  async paused(paused: Paused): Promise<void> {
    clearTimeout(this.#again);
    this.#pause = paused;
    try {
      const next = await this.#look(paused);
      if (next !== null) await this.#parts.ask(next);
    } catch {
      await this.#parts.ask("Debugger.resume").catch(() => {}); // The session has ended.
    }
  }

  /** The pause is over, whether the client or something else has ended it. */
  goesOn(): void {
    if (this.#pause === null) return;
    const wasTold = this.#frames.length > 0;
    this.#pause = null;
    this.#frames = [];
    this.#failure = null;
    void this.#parts.forget();
    if (!wasTold) return;
    this.#parts.publish(debuggerEvent("continued", { threadId: THREAD, allThreadsContinued: true }));
  }

  /** Whether a client is shown code of this URL: cells, local files and packages are shown. */
  isUsers(url: string): boolean {
    if (this.#parts.sources.cell(url) !== undefined) return true;
    return url.startsWith("file:") && !url.startsWith(this.ownFolder) && !url.endsWith(".ipynb");
  }

  async #leave(method: string): Promise<void> {
    await this.#parts.forget();
    await this.#parts.ask(method);
  }

  /** Reports the pause to the client, or returns the command with which the code goes on. */
  async #look(paused: Paused): Promise<string | null> {
    const { hitBreakpoints = [], reason, callFrames } = paused;
    if (reason === "instrumentation") {
      await this.#parts.installed();
      return "Debugger.resume";
    }
    const isFailure = reason === "exception" || reason === "promiseRejection";
    const isHit = hitBreakpoints.length > 0;
    if (isFailure && (this.#isSameFailure(paused) || !(await this.#stopsAt(paused))))
      return "Debugger.resume";
    if (!isHit && !isFailure) {
      if (this.#isStale) {
        this.#isStale = false;
        return "Debugger.resume";
      }
      const [top] = callFrames;
      if (this.#expected === "pause" && !callFrames.some(({ url }) => this.isUsers(url))) {
        // The thread was idle, and Node begins something. The step leads to code of the user that Node calls now; what it
        // calls later is awaited by another pause. A step out of Node's code would end in no code at all.
        this.#again = setTimeout(() => void this.#pauseAgain(), PAUSE_AGAIN_MS);
        return "Debugger.stepInto";
      }
      if (this.#expected !== null && top !== undefined && (await this.#isHidden(top)))
        return ++this.#hiddenSteps > MAX_HIDDEN_STEPS ? "Debugger.resume" : this.#stepOutOfSight(top);
    }
    this.#isStale = false;
    const frames = await this.#framesOf(paused);
    if (this.#pause !== paused) return null; // An interrupt has ended the pause meanwhile.
    if (frames.length === 0) return "Debugger.resume";
    this.#frames = frames;
    this.#failure = isFailure ? ((paused.data ?? null) as Runtime.RemoteObject | null) : null;
    // A pause that neither the client nor a breakpoint caused comes from a `debugger` statement.
    this.#tell(isFailure ? "exception" : isHit ? "breakpoint" : (this.#expected ?? "breakpoint"));
    this.#expected = null;
    return null;
  }

  #framesOf(paused: Paused): Promise<ShownFrame[]> {
    return framesOf(paused, this.#parts.sources, (url) => this.isUsers(url));
  }

  #tell(reason: string): void {
    const text = this.#failure?.description?.split("\n")[0];
    const body: DebugProtocol.StoppedEvent["body"] = {
      reason,
      threadId: THREAD,
      allThreadsStopped: true,
      ...(text === undefined ? {} : { text, description: `Paused on ${text}` }),
    };
    this.#parts.publish(debuggerEvent("stopped", body));
  }

  /** The step that leads out of code that is hidden from the user. */
  #stepOutOfSight({ url }: CallFrame): StepMethod {
    if (!this.isUsers(url)) return "Debugger.stepOut";
    return this.#expected === "step" && this.#step === "Debugger.stepInto" ? this.#step : "Debugger.stepOver";
  }

  /** Whether the code belongs to this program or to Node, or was inserted by the compiler. */
  async #isHidden({ url, location }: CallFrame): Promise<boolean> {
    if (!this.isUsers(url)) return true;
    const { lineNumber, columnNumber = 0 } = location;
    const position = { lineNumber, columnNumber };
    const map = await this.#parts.sources.mapOf(url);
    return map !== null && (map.isInserted(position) || map.original(position) === null);
  }

  /** V8 pauses for the same error a second time when it leaves the function as a rejection. */
  #isSameFailure({ callFrames, data, reason }: Paused): boolean {
    const { scriptId, lineNumber, columnNumber } = callFrames[0]?.location ?? {};
    const description = (data as { description?: string } | undefined)?.description;
    const key = JSON.stringify([scriptId, lineNumber, columnNumber, description]);
    const isSame = reason === "promiseRejection" && key === this.#lastFailure;
    this.#lastFailure = isSame ? "" : key;
    return isSame;
  }

  /** Whether the client wants to see this error. An error that escapes the cell is also kept for `%debug`. */
  async #stopsAt(paused: Paused): Promise<boolean> {
    if (!paused.callFrames.some(({ url }) => this.isUsers(url))) return false;
    const escapes = await this.#escapes(paused);
    if (escapes && this.keepsThrows)
      await this.#parts.keep(await this.#framesOf(paused), (paused.data ?? {}) as Runtime.RemoteObject);
    return this.filters.includes("all") || (escapes && this.filters.includes("uncaught"));
  }

  /** Whether no code on the stack catches the error. */
  async #escapes({ callFrames }: Paused): Promise<boolean> {
    // The frames beneath the outermost one of the user's code are left out, because the kernel catches everything
    // there.
    const last = callFrames.findLastIndex(({ url }) => this.isUsers(url));
    for (const frame of callFrames.slice(0, last + 1)) if (await this.#isCaughtIn(frame)) return false;
    return true;
  }

  async #isCaughtIn({ url, location }: CallFrame): Promise<boolean> {
    const { ask, sources } = this.#parts;
    const { scriptId, lineNumber, columnNumber = 0 } = location;
    const code =
      sources.cell(url)?.code ??
      (await ask<{ scriptSource: string }>("Debugger.getScriptSource", { scriptId })).scriptSource;
    return isCaughtAt(code, { lineNumber, columnNumber });
  }
}
