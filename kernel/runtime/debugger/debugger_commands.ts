// The session's side of the debugger, in its worker thread: passes commands of the kernel process to V8's inspector,
// and the inspector's events back. Decides only one thing: an interrupt takes precedence over a pause.
import { pathToFileURL } from "node:url";
import type { DebuggerCommand, FromSession, RunRequest } from "../../session/channel.ts";
import { isTypeScript } from "../modules/file_kinds.ts";
import type { InspectorUser, MainThreadInspector, Paused, Script } from "./main_thread_inspector.ts";

export interface DebuggerCommandEvents {
  report(message: FromSession): void;
  /** Whether an interrupt waits that has not been thrown yet. */
  interruptWaits(): boolean;
  /** Whether the main thread has been paused for the user. */
  pauses(paused: boolean): void;
}

/** The runtime and the library: `dist/bundle/` of the package. */
const OWN_FOLDER = new URL("../../../", import.meta.url).href;
/** Packages that the session itself has loaded before a client attaches, such as parsers. */
const OWN_PACKAGES = new URL("../../node_modules/", OWN_FOLDER).href;
/** Settings that an interrupt resets for its own pauses; they are restored afterwards. */
const TAKEN_BACK: Readonly<Record<string, object>> = {
  "Debugger.setBlackboxPatterns": { patterns: [] },
  "Debugger.setPauseOnExceptions": { state: "none" },
};

export class DebuggerCommands implements InspectorUser {
  readonly holdsForUser = true;
  readonly #inspector: MainThreadInspector;
  readonly #events: DebuggerCommandEvents;
  readonly #breakpoints = new Set<string>();
  readonly #settings = new Map<string, object>();
  #typescript: RunRequest["typescript"] | null = null;
  #isAttached = false;
  #yields = false;
  #pause: Paused | null = null;

  constructor(inspector: MainThreadInspector, events: DebuggerCommandEvents) {
    this.#inspector = inspector;
    this.#events = events;
  }

  /** The pause that the user sees, or null. */
  get pause(): Paused | null {
    return this.#pause;
  }

  /** Local modules are compiled with the options of the cell that ran last. */
  configure(typescript: RunRequest["typescript"]): void {
    this.#typescript = typescript;
    // An interrupt that has been thrown needs no pause any more, although it is watched a moment longer.
    if (this.#yields && !this.#events.interruptWaits()) this.yields(false);
  }

  async run({ id, method, params }: DebuggerCommand): Promise<void> {
    const answer = (result: unknown, failure: string | null): void =>
      this.#events.report({ type: "debuggerAnswer", id, result, failure });
    try {
      answer(await this.#run(method, params), null);
    } catch (error) {
      answer(null, error instanceof Error ? error.message : String(error));
    }
  }

  /** Lets the main thread continue, and V8 run at full speed. */
  detach(): void {
    if (!this.#isAttached) return;
    this.#isAttached = false;
    for (const breakpointId of this.#breakpoints)
      this.#inspector.post("Debugger.removeBreakpoint", { breakpointId });
    this.#breakpoints.clear();
    for (const method of this.#settings.keys()) this.#inspector.post(method, TAKEN_BACK[method]);
    this.#settings.clear();
    if (this.#pause !== null) this.#inspector.post("Debugger.resume");
    this.#ends();
    this.#inspector.disconnect(this);
  }

  paused(params: Paused): boolean {
    if (!this.#isAttached || this.#events.interruptWaits()) return false;
    this.#pause = params;
    this.#events.pauses(true);
    const callFrames = params.callFrames.map((frame) => ({
      ...frame,
      url: this.#inspector.urlOf(frame.location.scriptId),
    }));
    this.event("Debugger.paused", { ...params, callFrames });
    return true;
  }

  resumed(): void {
    if (this.#pause === null) return;
    this.#ends();
    this.event("Debugger.resumed", {});
  }

  /** Scripts of cells are not reported: the kernel process has compiled them itself. */
  scriptParsed(script: Script): void {
    const { scriptId, url, sourceMapURL } = script;
    const isFile = url.startsWith("file:") && !url.startsWith(OWN_FOLDER) && !url.endsWith(".ipynb");
    if (this.#isAttached && isFile) this.event("Debugger.scriptParsed", { scriptId, url, sourceMapURL });
  }

  event(method: string, params: object): void {
    this.#events.report({ type: "debuggerEvent", method, params });
  }

  yields(toAnother: boolean): void {
    this.#yields = toAnother;
    for (const [method, params] of this.#settings)
      this.#inspector.post(method, toAnother ? TAKEN_BACK[method] : params);
  }

  #ends(): void {
    if (this.#pause === null) return;
    this.#pause = null;
    this.#events.pauses(false);
  }

  async #run(method: string, params: object): Promise<unknown> {
    if (method === "Session.attach") return await this.#attach();
    if (method === "Session.detach") return this.detach();
    if (method === "Session.localSource") return await this.#localSource((params as { path: string }).path);
    if (!this.#isAttached) throw new Error("The debugger is not attached.");
    if (method in TAKEN_BACK) {
      this.#settings.set(method, params);
      if (this.#yields && this.#events.interruptWaits()) return {};
    }
    const result = await new Promise<object>((resolve, reject) => {
      this.#inspector.post(method, params, (error, reply) =>
        error === null ? resolve(reply ?? {}) : reject(error),
      );
    });
    const { breakpointId } = { ...params, ...result } as { breakpointId?: string };
    if (method === "Debugger.removeBreakpoint") this.#breakpoints.delete(breakpointId ?? "");
    else if (breakpointId !== undefined) this.#breakpoints.add(breakpointId);
    return result;
  }

  async #attach(): Promise<object> {
    this.#inspector.connect(this, { first: false });
    // V8 answers when it has reported every existing script.
    await this.#inspector.ask("Debugger.enable", {});
    const known = [...this.#inspector.scripts];
    this.#isAttached = true;
    for (const script of known) if (!script.url.startsWith(OWN_PACKAGES)) this.scriptParsed(script);
    return { ownFolder: OWN_FOLDER };
  }

  /** Compiles a TypeScript file of the notebook's folder as Node would load it now. */
  async #localSource(path: string): Promise<object> {
    if (!isTypeScript(path)) return { url: pathToFileURL(path).href, map: null };
    const { compileFile, setTypeScriptOptions } = await import("../modules/local_source.ts");
    if (this.#typescript !== null) setTypeScriptOptions(this.#typescript);
    const { text, code, map } = compileFile(path);
    return { url: pathToFileURL(path).href, text, code, map };
  }
}
