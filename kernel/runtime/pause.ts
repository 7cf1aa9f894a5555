// Stops a package's loop, where no check was compiled in: runs in the worker thread, pauses the main thread through
// the inspector, reads its stack, and terminates only where that is safe. Knows nothing of cells.
//
// `Runtime.terminateExecution` is not used: it strikes wherever the main thread happens to be. In a timer or after an
// await, with AsyncLocalStorage, it leaves Node's async hook stack unbalanced and Node aborts. Here the stack is known
// before the decision, and `terminateOnResume` ends exactly what was paused.
import { type Debugger, Session } from "node:inspector";
import { CELL_URL_SCHEME } from "../cell/names.ts";
import { ANSWERED, isAnswered, STOP } from "./control.ts";

/** Compiled checks and the event loop answer within microseconds to a few milliseconds; beyond that, look. */
const GRACE_MS = 100;
/** A busy machine, or a full pipe, can delay the check of a cell that calls a package again and again. */
const SIGHTINGS = 2;

type Decision = "terminate" | "step out" | "resume";

/** Frames are innermost first, as the inspector gives them. */
export function decide(frames: readonly { functionName: string; url: string }[]): Decision {
  const evaluation = frames.findIndex(
    ({ functionName, url }) => functionName === "post" && url === "node:inspector",
  );
  // A timer, or a cell after its first await: Node's own frames below would not be unwound.
  if (evaluation <= 0) return "resume";
  const inner = frames.slice(0, evaluation);
  if (inner.some(({ functionName }) => functionName === "runInAsyncScope")) return "resume";
  // Half a written frame, or half a loaded module, would outlive the interrupt.
  const top = inner[0];
  if (top === undefined || top.url.startsWith(CELL_URL_SCHEME)) return "resume";
  return isOurs(top.url) ? "step out" : "terminate";
}

function isOurs(url: string): boolean {
  return url.startsWith("node:") || url.startsWith(new URL(".", import.meta.url).href);
}

export class PackageStopper {
  readonly #words: Int32Array;
  readonly #session = new Session();
  #interrupt = 0;
  /** How often this interrupt found the main thread in a package. */
  #sightings = 0;
  #timer: NodeJS.Timeout | null = null;
  #connected = false;
  /**
   * One request at a time, until the main thread says that it runs again: V8 ignores a pause that reaches it while it
   * is about to leave the last one, and a second pause could strike between a termination and its effect.
   */
  #state: "running" | "pausing" | "stepping" | "resuming" | "terminating" = "running";
  /** Call frames name scripts by number alone. */
  readonly #urls = new Map<string, string>();

  constructor(words: Int32Array) {
    this.#words = words;
    this.#session.on("Debugger.scriptParsed", ({ params }) => this.#urls.set(params.scriptId, params.url));
    this.#session.on("Debugger.paused", ({ params }) => this.#paused(params.callFrames));
    this.#session.on("Debugger.resumed", () => this.#resumed());
  }

  /** Gives the interrupt time to be answered by itself, then looks, and looks again until it is. */
  watch(interrupt: number): void {
    this.#interrupt = interrupt;
    this.#sightings = 0;
    if (this.#timer === null) this.#timer = setTimeout(() => this.#look(), GRACE_MS);
  }

  #look(): void {
    this.#timer = null;
    if (isAnswered(this.#words, this.#interrupt)) return this.#disconnect();
    this.#pause();
    this.#timer = setTimeout(() => this.#look(), GRACE_MS);
  }

  #pause(): void {
    if (this.#state !== "running") return;
    if (!this.#connected) {
      this.#session.connectToMainThread();
      this.#session.post("Debugger.enable");
      this.#connected = true;
    }
    this.#state = "pausing";
    this.#session.post("Debugger.pause");
  }

  #paused(frames: readonly Debugger.CallFrame[]): void {
    const named = frames.map(({ functionName, location }) => ({
      functionName,
      url: this.#urls.get(location.scriptId) ?? "",
    }));
    // A pause that was asked for during a native call arrives when it returns: by then all may be well.
    const decision = isAnswered(this.#words, this.#interrupt) ? "resume" : decide(named);
    if (decision === "step out") {
      this.#state = "stepping";
      this.#session.post("Debugger.stepOut");
    } else if (decision === "resume" || ++this.#sightings < SIGHTINGS) {
      this.#state = "resuming";
      this.#session.post("Debugger.resume");
    } else {
      this.#state = "terminating";
      Atomics.store(this.#words, STOP, 0);
      Atomics.store(this.#words, ANSWERED, this.#interrupt);
      this.#session.post("Debugger.resume", { terminateOnResume: true });
    }
  }

  #resumed(): void {
    if (this.#state === "terminating") this.#disconnect();
    else if (this.#state === "resuming") this.#state = "running";
  }

  /** An enabled debugger slows the main thread down, and at exit Node would wait for it to go. */
  #disconnect(): void {
    if (this.#connected) this.#session.disconnect();
    this.#connected = false;
    this.#state = "running";
    this.#urls.clear();
  }
}
