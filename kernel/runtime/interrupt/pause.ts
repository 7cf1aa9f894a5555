// Stops code without checks, for example a loop in a package. Runs in the worker thread, pauses the main thread through
// the inspector, and reads its stack. Then it inserts a check into the innermost function, which V8 restarts. So the
// interrupt is an ordinary exception, from wherever the function was called.
//
// Only terminating the code would take half as many lines. That was tried: after an await, V8 dropped the promise jobs
// that waited behind the terminated loop, and with them handlers of other cells. Restarting a function keeps them.
//
// Counted over 37 long calls into npm's packages (mathjs, ml-matrix, d3-force, bcryptjs and others): 16 stopped in a
// callback's check, 1 returned, 14 were restarted and 3 terminated, each with its variables; 3 did not stop in 10 s, on a
// machine with ten programs on each core.
//
// Where a function cannot be restarted (an async one, a generator, a module's top level, a loop with nothing in it, a
// regular expression that backtracks for ever) execution is terminated: variables keep their values, but no `finally`
// runs. `Runtime.terminateExecution` is not used: it strikes wherever the main thread happens to be. Here the stack is
// known before the decision, and `terminateOnResume` ends exactly what was paused. Before a cell's first await, an
// evaluation of ours catches the termination. In a timer, or after an await, it unwinds Node's own frames: the main
// thread empties Node's stack of async ids first, or Node would abort. Promise jobs that wait behind the unwound one
// are lost, because V8 drops them.
//
// V8's flag `--enable-experimental-regexp-engine-on-excessive-backtracks` is not used for regular expressions: it gave
// other results for 584 of 40,000 random patterns (Node 20), and supports neither the flags `i` and `u` nor back
// references.
import type { Debugger } from "node:inspector";
import { CELL_URL_SCHEME, RUNTIME } from "../../cell/names.ts";
import type { InspectorUser, MainThreadInspector, Paused } from "../debugger/main_thread_inspector.ts";
import { decide, firstOfUser, type Frame, isContained, mayUnwind } from "./paused_stack.ts";

/**
 * Compiled checks and the event loop answer within microseconds to a few milliseconds. After this time the worker looks
 * what is running.
 */
const GRACE_MS = 100;
/**
 * In how many looks the main thread must be found in a package: on a busy machine, or behind a full pipe, a cell that
 * keeps calling a package may take long to reach its next check.
 */
const SIGHTINGS = 2;
/** How many statements are stepped through in a function that cannot be edited: it may call one that can. */
const MAX_STEPS = 50;
/** After this many looks, a step, a breakpoint or a restart is not waited for any longer. */
const OVERDUE_LOOKS = 10;
/** V8 may forget a restart, so it is tried again. */
const MAX_RESTARTS = 3;
/** The most breakpoints that are set in one function, counted from its head. */
const MAX_BREAKPOINTS = 50;
/**
 * How often code may be found that is about to reach a check, or in Node's own code. After that it counts as one
 * endless call.
 */
const ENDLESS_SIGHTINGS = 20;
/**
 * While other code runs than the code to be stopped, the time between looks grows up to this, because each look slows
 * that code down.
 */
const MAX_REST_MS = 2_000;

/** Fields of the replies that are read. */
interface Reply {
  readonly result?: { readonly value?: unknown };
  readonly scriptSource?: string;
  readonly status?: string;
  readonly locations?: readonly Debugger.BreakLocation[];
  readonly breakpointId?: string;
}

/** Why code is to be stopped: an interrupt, or a deadline. */
export interface StopRequest {
  /** Whether the code has been stopped, or the request was withdrawn. */
  isAnswered(): boolean;
  /**
   * Whether any running code is to be stopped. If not, the main thread is asked during the pause whether the code that
   * it runs is.
   */
  readonly concernsAll: boolean;
  /** A function is about to begin again, with a check that must find STOP set. */
  restarts(): void;
  /**
   * The code is about to be unwound down to one of our evaluations, which answers the request. Until it has, the request
   * counts as open: a command of the debugger that arrives in between takes V8's termination upon itself, and the code
   * goes on.
   */
  unwinds(): void;
}

type State =
  | "running"
  | "pausing"
  | "leaving"
  | "stepping"
  | "breaking"
  | "restarting"
  | "resuming"
  | "terminating";

/** States in which the main thread is expected to reach a certain place. It may never get there. */
const WAITING: ReadonlySet<State> = new Set(["stepping", "breaking", "restarting"]);

export class PackageStopper implements InspectorUser {
  readonly #inspector: MainThreadInspector;
  #request: StopRequest | null = null;
  /** In how many looks this request found the main thread in a package. */
  #sightings = 0;
  /** In how many looks the code was about to stop by itself, unless it is in one endless call. */
  #passingSightings = 0;
  #looksSincePause = 1;
  #steps = 0;
  #restarts = 0;
  /** Breakpoints were set. If none of them is reached, the function cannot be restarted. */
  #brokenIn = false;
  /** How many looks have found the same step or restart still unfinished. */
  #overdueLooks = 0;
  #timer: NodeJS.Timeout | null = null;
  #untilLookMs = GRACE_MS;
  /**
   * One command at a time, until the main thread reports that it runs again: V8 ignores a pause that reaches it while
   * it is about to leave the last one, and a second pause could strike between a termination and its effect.
   */
  #state: State = "running";
  readonly #breakpoints: string[] = [];

  constructor(inspector: MainThreadInspector) {
    this.#inspector = inspector;
  }

  get watches(): boolean {
    return this.#request !== null && !this.#request.isAnswered();
  }

  /** Gives the code time to answer the request by itself, then looks again and again until it is answered. */
  watch(request: StopRequest): void {
    this.#request = request;
    this.#sightings = 0;
    this.#passingSightings = 0;
    this.#steps = 0;
    this.#restarts = 0;
    this.#brokenIn = false;
    // If the next look is far off, that is because of other code; the new request is looked after sooner.
    if (this.#timer !== null && this.#untilLookMs === GRACE_MS) return;
    this.#untilLookMs = GRACE_MS;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => this.#look(), GRACE_MS);
  }

  /**
   * Stops code that the user's debugger has paused. A function begins again, and throws at its head. The top level of a
   * cell is unwound. Code in a `try` goes on to its next check, so that its `finally` runs.
   */
  stopPaused(request: StopRequest, { callFrames }: Paused): void {
    this.watch(request);
    this.#inspector.connect(this, { first: true });
    const [top] = callFrames;
    if (top !== undefined) void this.#stopAt(top, this.#framesOf(callFrames));
  }

  async #stopAt(top: Debugger.CallFrame, frames: readonly Frame[]): Promise<void> {
    this.#state = "restarting";
    const { isInTry, withCheck } = await import("./live_edit.ts");
    await this.#call(RUNTIME.standsHere);
    const source = await this.#sourceOf(top);
    if (isInTry(source, top.location)) return this.#resume();
    const edited = withCheck(source, top.location);
    // The compiler has written a check at the head of every function of a cell.
    const text = frames[0]?.url.startsWith(CELL_URL_SCHEME) ? source : edited;
    if (edited !== null && text !== null && (await this.#restart(top, text, text !== source))) return;
    await this.#unwind(frames);
  }

  #look(): void {
    this.#timer = null;
    if (!this.watches) return this.#disconnect();
    this.#pause();
    this.#timer = setTimeout(() => this.#look(), this.#untilLookMs);
  }

  #pause(): void {
    // A loop with one statement never ends a step, a loop with none has no breakpoint, and a native call may take long.
    const overdue = WAITING.has(this.#state) && ++this.#overdueLooks >= OVERDUE_LOOKS;
    if (this.#state !== "running" && !overdue) return;
    if (overdue && this.#state === "stepping") this.#steps = MAX_STEPS;
    this.#looksSincePause = overdue ? OVERDUE_LOOKS : 1;
    this.#overdueLooks = 0;
    this.#inspector.connect(this, { first: true });
    this.#state = "pausing";
    this.#inspector.post("Debugger.pause");
  }

  /** If this class has not asked for a pause, it is the debugger's. */
  paused(params: Paused): boolean {
    if (this.#state === "running") return false;
    void this.#handle(params);
    return true;
  }

  #framesOf(callFrames: readonly Debugger.CallFrame[]): readonly Frame[] {
    return callFrames.map(({ functionName, location }) => ({
      functionName,
      url: this.#inspector.urlOf(location.scriptId),
    }));
  }

  async #handle({ callFrames }: Paused): Promise<void> {
    const frames = this.#framesOf(callFrames);
    const before = this.#state;
    this.#overdueLooks = 0;
    // A pause that was requested during a native call arrives when that call returns; the request may be answered by
    // then.
    const answered = !this.watches;
    if (!answered && !(await this.#isMeant())) return this.#leave();
    this.#untilLookMs = GRACE_MS;
    const decision = answered || before === "restarting" ? "resume" : decide(frames);
    if (decision !== "stop" && !answered && mayUnwind(frames)) {
      if (before === "pausing") this.#passingSightings += this.#looksSincePause;
      if (this.#passingSightings >= ENDLESS_SIGHTINGS) return await this.#unwind(frames);
    }
    if (decision === "resume") return this.#resume();
    const sighted = before === "breaking" || before === "stepping";
    if (!sighted && ++this.#sightings < SIGHTINGS) return this.#resume();
    if (decision === "wait for")
      return await this.#waitFor(callFrames[firstOfUser(frames)] as Debugger.CallFrame);
    const top = callFrames[0] as Debugger.CallFrame;
    // The main thread stays paused until it is resumed, so commands sent meanwhile are answered first.
    this.#state = "restarting";
    const { withCheck } = await import("./live_edit.ts");
    const scriptSource = await this.#sourceOf(top);
    const edited = withCheck(scriptSource, top.location);
    if (edited === null) await this.#stopWithoutRestart(frames);
    else if (sighted) {
      if (!(await this.#restart(top, edited, edited !== scriptSource)))
        await this.#stopWithoutRestart(frames);
    } else if (this.#brokenIn || ++this.#restarts > MAX_RESTARTS) await this.#stopWithoutRestart(frames);
    else await this.#breakIn(top);
  }

  async #sourceOf({ location: { scriptId } }: Debugger.CallFrame): Promise<string> {
    return (await this.#ask("Debugger.getScriptSource", { scriptId }))?.scriptSource ?? "";
  }

  async #isMeant(): Promise<boolean> {
    if (this.#request?.concernsAll) return true;
    return (await this.#call(RUNTIME.overdue)) === true;
  }

  /** The running code is not the code to be stopped: it goes on undisturbed until the next look. */
  #leave(): void {
    this.#untilLookMs = Math.min(MAX_REST_MS, 2 * this.#untilLookMs);
    this.#removeBreakpoints();
    this.#brokenIn = false;
    this.#state = "leaving";
    this.#inspector.post("Debugger.resume");
  }

  /** Waits until a function of ours or of Node's has returned to the package. */
  async #waitFor(frame: Debugger.CallFrame): Promise<void> {
    if (!this.#brokenIn) return await this.#breakIn(frame);
    this.#state = "breaking";
    this.#inspector.post("Debugger.resume");
  }

  /**
   * Stops a function at a breakpoint, where it can be restarted, because it then runs interpreted. Elsewhere it may run
   * optimized, and V8 11 forgets the restart or ends the process.
   */
  async #breakIn({ functionLocation }: Debugger.CallFrame): Promise<void> {
    const { locations = [] } =
      (await this.#ask("Debugger.getPossibleBreakpoints", {
        start: functionLocation,
        restrictToFunction: true,
      })) ?? {};
    for (const location of locations.slice(0, MAX_BREAKPOINTS)) {
      const { breakpointId } = (await this.#ask("Debugger.setBreakpoint", { location })) ?? {};
      if (breakpointId !== undefined) this.#breakpoints.push(breakpointId);
    }
    this.#brokenIn = true;
    this.#state = "breaking";
    this.#inspector.post("Debugger.resume");
  }

  /** Restarts the function with a check. Returns whether V8 did; if V8 refuses, nothing has changed. */
  async #restart(
    { callFrameId, location: { scriptId } }: Debugger.CallFrame,
    scriptSource: string,
    changed: boolean,
  ): Promise<boolean> {
    this.#removeBreakpoints();
    this.#brokenIn = false;
    this.#request?.restarts();
    // The inserted check stays: it costs nanoseconds, and the next interrupt needs it.
    if (!changed)
      return (await this.#ask("Debugger.restartFrame", { callFrameId, mode: "StepInto" })) !== null;
    const change = { scriptId, scriptSource, allowTopFrameEditing: true };
    return (await this.#ask("Debugger.setScriptSource", change))?.status === "Ok";
  }

  /**
   * Stops code at once before its cell's first await. Other code is first stepped through, because it may call a
   * function that can be restarted.
   */
  async #stopWithoutRestart(frames: readonly Frame[]): Promise<void> {
    this.#removeBreakpoints();
    if (isContained(frames) || ++this.#steps >= MAX_STEPS) await this.#unwind(frames);
    else this.#step();
  }

  async #unwind(frames: readonly Frame[]): Promise<void> {
    this.#steps = 0;
    this.#passingSightings = 0;
    if (!mayUnwind(frames)) return this.#resume();
    await this.#call(RUNTIME.standsHere);
    if (isContained(frames)) {
      this.#request?.unwinds();
      return this.#terminate();
    }
    // The request is answered when the main thread has read the interrupt's message. Code that runs before that, such
    // as another timer, is stopped too.
    if ((await this.#call(RUNTIME.forceUnwind)) === true) this.#terminate();
    else this.#resume();
  }

  #removeBreakpoints(): void {
    for (const breakpointId of this.#breakpoints.splice(0))
      this.#inspector.post("Debugger.removeBreakpoint", { breakpointId });
  }

  #step(): void {
    this.#state = "stepping";
    this.#inspector.post("Debugger.stepInto");
  }

  #resume(): void {
    this.#state = "resuming";
    this.#inspector.post("Debugger.resume");
  }

  #terminate(): void {
    this.#state = "terminating";
    this.#inspector.post("Debugger.resume", { terminateOnResume: true });
  }

  /** Calls a function of the runtime while the main thread is paused, and returns its result. */
  async #call(name: string): Promise<unknown> {
    const parameters = { expression: `globalThis.${name}()`, silent: true };
    return (await this.#ask("Runtime.evaluate", parameters))?.result?.value;
  }

  /** Null if V8 refuses. Node's types do not know the newer parameters. */
  async #ask(method: string, parameters: object): Promise<Reply | null> {
    return (await this.#inspector.ask(method, parameters)) as Reply | null;
  }

  resumed(): void {
    if (this.#state === "terminating" || this.#state === "leaving") this.#disconnect();
    else if (this.#state === "resuming") this.#state = "running";
  }

  /** An enabled debugger slows the main thread down, and at exit Node would wait until it is disconnected. */
  #disconnect(): void {
    this.#removeBreakpoints();
    this.#inspector.disconnect(this);
    this.#state = "running";
  }
}
