// Answers the Debug Adapter Protocol for the kernel: keeps the client's settings, follows pauses, and sends commands to
// V8's inspector in the session. Nothing is asked of the session before a client attaches.
import type { DebugProtocol } from "@vscode/debugprotocol";
import { isIdentifier } from "../../lib/typescript/identifiers.ts";
import type { Json } from "../protocol/messages.ts";
import type { Inspection, NotebookName, Question } from "../session/channel.ts";
import { Breakpoints, type BreakpointParts } from "./breakpoints.ts";
import { type ShownFrame, stackFrame } from "./frames.ts";
import type { AskInspector, Paused } from "./inspector.ts";
import { keepThrow } from "./kept_throw.ts";
import { type PauseParts, Pauses, type StepMethod } from "./pauses.ts";
import {
  CAPABILITIES,
  debuggerEvent,
  type DebuggerRequest,
  DebuggerRefusal,
  numberArgument,
  optionalNumber,
  readDebuggerRequest,
  refusal,
  response,
  stringArgument,
  THREAD,
} from "./protocol.ts";
import { CELL_PATHS, cellPath, type CellScript, Sources } from "./sources.ts";
import { undeclaredAt } from "./statements.ts";
import { Variables } from "./variables.ts";

export interface DebuggerParts extends Pick<BreakpointParts, "compile" | "lower"> {
  /** Compiles a TypeScript expression, or statements, to a JavaScript function. @throws Error if it does not parse */
  readonly lowerWork: (text: string) => string;
  readonly ask: AskInspector;
  /** Publishes an event on iopub. */
  readonly publish: (event: Json) => void;
  readonly names: () => Promise<readonly NotebookName[]>;
  /** The notebook's variables, for a client that has not started the debugger. */
  readonly listVariables: () => Promise<object[]>;
  /** The rich view of a notebook variable, for such a client. Null if there is no such variable. */
  readonly richVariable: (name: string) => Promise<object | null>;
  /** Makes the name known to later cells. Returns the variable's name in the session. */
  readonly declare: (name: string) => string;
}

const ASYNC_STACK_DEPTH = 8;
/** The global that holds a value while it is copied from a frame to the notebook. */
const COPIED = "__mpslab_copied";

const DECLARATION = /^(?:let|const|var|class|(?:async\s+)?function)\b/;

type Handler = (request: DebuggerRequest) => Promise<object> | object;

export class Debugger {
  readonly #parts: DebuggerParts;
  readonly #sources: Sources;
  readonly #breakpoints: Breakpoints;
  readonly #variables: Variables;
  readonly #pauses: Pauses;
  #isStarted = false;
  /** Settles when V8's Debugger domain is enabled in the session that runs; null while it is not. */
  #attached: Promise<void> | null = null;

  constructor(parts: DebuggerParts) {
    const { ask, compile, lower, names } = parts;
    this.#parts = parts;
    this.#sources = new Sources(ask);
    this.#breakpoints = new Breakpoints({ ask, compile, lower, sources: this.#sources });
    const declaredBy = (url: string) => this.#sources.cell(url)?.declares ?? [];
    const undeclared = (frame: ShownFrame) => this.#undeclared(frame);
    const pausedAt = () => this.#pauses.innermost;
    this.#variables = new Variables({ ask, names, declaredBy, undeclared, pausedAt });
    const forget = () => this.#variables.forget();
    const keep: PauseParts["keep"] = (frames, failure) =>
      keepThrow(frames, failure, this.#sources, this.#variables);
    const installed = () => this.#breakpoints.installed();
    const { publish } = parts;
    this.#pauses = new Pauses({ ask, sources: this.#sources, publish, forget, installed, keep });
  }

  /** The content of a `debug_reply`. Never rejects. The caller sends one request at a time. */
  async answer(content: Json): Promise<Json> {
    return await this.#answer(readDebuggerRequest(content));
  }

  /** Whether the code is paused for a client. */
  get isPaused(): boolean {
    return this.#pauses.isPaused;
  }

  /** Called with every script of a cell before the session evaluates it. */
  async cellStarts(script: CellScript): Promise<void> {
    this.#sources.addCell(script);
    if (!this.#isStarted && !this.#pauses.keepsThrows) return;
    try {
      await this.#attach();
      await this.#breakpoints.beforeCell(script.url, cellPath(script.text));
    } catch {
      // The session has ended, or the client disconnects: the cell runs without breakpoints.
    }
  }

  /** Whether the state at errors is kept for `%debug`, from the next cell on. */
  async keepThrows(on: boolean): Promise<void> {
    if (this.#pauses.keepsThrows === on) return;
    this.#pauses.keepsThrows = on;
    if (this.#attached === null) return;
    try {
      await this.#attached;
      await this.#blackbox();
      if (!on) await this.#variables.forgetKept();
      if (!on && !this.#isStarted) await this.#detach();
    } catch {
      // The session has ended: the next cell attaches anew if that is needed.
    }
  }

  cellEnded(): void {
    this.#pauses.cellEnded();
  }

  /** The session's process is gone. A client keeps its breakpoints for the next one. */
  sessionEnded(): void {
    this.#attached = null;
    this.#sources.forgetScripts();
    this.#pauses.connectionEnded();
  }

  event(method: string, params: object): void {
    if (method === "Debugger.paused") void this.#pauses.paused(params as Paused);
    else if (method === "Debugger.resumed") this.#pauses.goesOn();
    else if (method === "Debugger.scriptParsed") {
      const script = params as { url: string; scriptId: string; sourceMapURL: string };
      this.#sources.addFile(script);
      this.#breakpoints.loaded(script.url);
    }
  }

  /** An editor's question about a variable of the paused frame. Null if nothing is paused, or it has none such. */
  async inspect({ path: [root, ...keys], about }: Question): Promise<Inspection | null> {
    const [frame] = this.#pauses.frames;
    if (!this.isPaused || frame === undefined || typeof root !== "string") return null;
    const answer = (await this.#variables.inspect(root, frame, keys, about)) as Inspection | null;
    if (root !== "globalThis" || keys.length > 0 || about !== "keys") return answer;
    const names = await this.#variables.namesAt(frame);
    const found = names.map((text) => ({ text, kind: "field" as const }));
    return { text: "", names: [...found, ...(answer?.names ?? [])] };
  }

  readonly #unstartedHandlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    ["debugInfo", () => this.#debugInfo()],
    ["initialize", (request) => this.#initialize(request)],
    ["inspectVariables", async () => ({ variables: await this.#listVariables() })],
    ["richInspectVariables", async (request) => await this.#richVariable(request)],
    ["modules", () => this.#sources.modules(this.#pauses.ownFolder)],
    ["disconnect", async () => await this.#disconnect()],
  ]);

  readonly #startedHandlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    ["attach", async () => await this.#attach()],
    ["configurationDone", () => ({})],
    ["dumpCell", (request) => ({ sourcePath: this.#sources.dump(stringArgument(request, "code")) })],
    ["setBreakpoints", async (request) => await this.#setBreakpoints(request)],
    ["setExceptionBreakpoints", async (request) => await this.#setExceptionBreakpoints(request)],
    ["source", async (request) => await this.#source(request)],
    ["threads", () => ({ threads: [{ id: THREAD, name: "cells" }] })],
    ["stackTrace", (request) => this.#stackTrace(request)],
    ["scopes", (request) => ({ scopes: this.#variables.scopes(this.#frame(request)) })],
    [
      "variables",
      async (request) => ({
        variables: await this.#variables.variables(numberArgument(request, "variablesReference")),
      }),
    ],
    ["evaluate", async (request) => await this.#evaluate(request)],
    ["setVariable", async (request) => await this.#setVariable(request)],
    ["copyToGlobals", async (request) => await this.#copyToGlobals(request)],
    ["exceptionInfo", () => this.#exceptionInfo()],
    ["continue", async () => await this.#continue()],
    ["next", async () => await this.#step("Debugger.stepOver")],
    ["stepIn", async () => await this.#step("Debugger.stepInto")],
    ["stepOut", async () => await this.#step("Debugger.stepOut")],
    [
      "pause",
      async () => {
        await this.#pauses.pause();
        return {};
      },
    ],
  ]);

  async #answer(request: DebuggerRequest): Promise<Json> {
    const { command } = request;
    try {
      const handler = this.#unstartedHandlers.get(command) ?? this.#startedHandlers.get(command);
      if (handler === undefined)
        throw new DebuggerRefusal(`This debugger has no command ${JSON.stringify(command)}.`);
      if (!this.#isStarted && !this.#unstartedHandlers.has(command))
        throw new DebuggerRefusal(
          `${command}: the debugger has not been started; send initialize and attach first.`,
        );
      return response(request, await handler(request));
    } catch (error) {
      return refusal(request, (error as Error).message);
    }
  }

  #debugInfo(): object {
    return {
      isStarted: this.#isStarted,
      ...CELL_PATHS,
      breakpoints: this.#breakpoints.list(),
      stoppedThreads: !this.isPaused ? [] : [THREAD],
      richRendering: true,
      exceptionPaths: [],
      copyToGlobals: true,
    };
  }

  #initialize({ arguments: given }: DebuggerRequest): object {
    this.#isStarted = true;
    this.#variables.withTypes = given["clientID"] !== "jupyterlab";
    return CAPABILITIES;
  }

  /** Attaches for a client, or before a cell runs in a new session. */
  async #attach(): Promise<object> {
    this.#attached ??= this.#enable();
    try {
      await this.#attached;
    } catch (error) {
      this.#attached = null;
      throw error;
    }
    return {};
  }

  async #enable(): Promise<void> {
    const { ask, publish } = this.#parts;
    const { ownFolder } = await ask<{ ownFolder: string }>("Session.attach");
    this.#pauses.ownFolder = ownFolder;
    await this.#blackbox();
    await ask("Debugger.setAsyncCallStackDepth", { maxDepth: ASYNC_STACK_DEPTH });
    this.#breakpoints.restore();
    if (this.#isStarted) publish(debuggerEvent("initialized", {}));
  }

  async #disconnect(): Promise<object> {
    this.#isStarted = false;
    // A cell that is about to run may still be attaching. A detach sent now would come before that.
    await this.#attached?.catch(() => {});
    await this.#detach();
    this.#pauses.filters = [];
    this.#breakpoints.clear();
    this.#pauses.connectionEnded();
    return {};
  }

  async #detach(): Promise<void> {
    if (this.#attached !== null) await this.#parts.ask("Session.detach").catch(() => {});
    this.#attached = null;
  }

  /** While errors are awaited, the library's frames are not skipped: V8 would not pause at errors that it throws. */
  async #blackbox(): Promise<void> {
    const { ask } = this.#parts;
    const own = this.#pauses.ownFolder.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    const { awaitsErrors } = this.#pauses;
    const skipped = awaitsErrors ? `^${own}dist\\/kernel\\/|^${own}kernel\\/` : `^${own}`;
    await ask("Debugger.setBlackboxPatterns", { patterns: ["^node:", skipped] });
    await ask("Debugger.setPauseOnExceptions", { state: awaitsErrors ? "all" : "none" });
  }

  async #setBreakpoints(request: DebuggerRequest): Promise<object> {
    const { source, breakpoints, lines } =
      request.arguments as Partial<DebugProtocol.SetBreakpointsArguments>;
    const at = source?.path;
    if (typeof at !== "string")
      throw new DebuggerRefusal("setBreakpoints needs the argument source, with a path.");
    const wanted = breakpoints ?? lines?.map((line) => ({ line })) ?? [];
    if (!Array.isArray(wanted) || wanted.some((one) => typeof one?.line !== "number"))
      throw new DebuggerRefusal("setBreakpoints needs the argument breakpoints, a list with a line each.");
    return { breakpoints: await this.#breakpoints.set(at, wanted) };
  }

  async #setExceptionBreakpoints({ arguments: given }: DebuggerRequest): Promise<object> {
    const { filters = [] } = given as Partial<DebugProtocol.SetExceptionBreakpointsArguments>;
    this.#pauses.filters = filters.filter((filter) => ["all", "uncaught"].includes(filter));
    if (this.#attached !== null) await this.#blackbox();
    return { breakpoints: filters.map((filter) => ({ verified: this.#pauses.filters.includes(filter) })) };
  }

  async #source(request: DebuggerRequest): Promise<object> {
    const { source } = request.arguments as { source?: { path?: unknown } };
    if (typeof source?.path !== "string")
      throw new DebuggerRefusal("source needs the argument source, with a path.");
    const content = await this.#sources.textAt(source.path);
    if (content === null) throw new DebuggerRefusal(`There is no source ${source.path}.`);
    return { content, mimeType: /\.[cm]?jsx?$/.test(source.path) ? "text/javascript" : "text/x-typescript" };
  }

  #stackTrace(request: DebuggerRequest): object {
    const start = optionalNumber(request, "startFrame") ?? 0;
    const levels = optionalNumber(request, "levels") || Infinity;
    const stackFrames = this.#pauses.frames.slice(start, start + levels).map(stackFrame);
    return { stackFrames, totalFrames: this.#pauses.frames.length };
  }

  #frame(request: DebuggerRequest, name = "frameId"): ShownFrame {
    const id = numberArgument(request, name);
    const frame = this.#pauses.frames.find((one) => one.id === id);
    if (frame === undefined)
      throw new DebuggerRefusal(`There is no frame ${id}: the code has gone on since.`);
    return frame;
  }

  /** Null if the request is about the notebook's variables. */
  #frameOrNone(request: DebuggerRequest): ShownFrame | null {
    const id = optionalNumber(request, "frameId");
    return id === undefined
      ? null
      : (this.#pauses.frames.find((one) => one.id === id) ?? this.#pauses.frames[0] ?? null);
  }

  async #evaluate(request: DebuggerRequest): Promise<object> {
    const expression = stringArgument(request, "expression");
    const work = this.#parts.lowerWork(expression);
    const frame = this.#frameOrNone(request);
    // A variable that an expression declares would not outlive the expression.
    if (frame === null && DECLARATION.test(this.#parts.lower(expression)))
      throw new DebuggerRefusal(
        "A variable of the notebook is declared in a cell: evaluate an expression here.",
      );
    return await this.#variables.evaluate(work, frame);
  }

  async #setVariable(request: DebuggerRequest): Promise<object> {
    const name = stringArgument(request, "name");
    const value = this.#parts.lower(stringArgument(request, "value"));
    const [frame = null] = this.#pauses.frames;
    const { result, type } = await this.#variables.evaluate(`() => (${name} = (${value}))`, frame);
    return { value: result, type, variablesReference: 0 };
  }

  /** Copies a frame's variable to a new variable of the notebook, which later cells see too. */
  async #copyToGlobals(request: DebuggerRequest): Promise<object> {
    const [source, target] = [
      stringArgument(request, "srcVariableName"),
      stringArgument(request, "dstVariableName"),
    ];
    const frame = this.#frame(request, "srcFrameId");
    const copy = this.#parts.lower(source);
    if (!isIdentifier(target))
      throw new DebuggerRefusal(`${JSON.stringify(target)} is no name for a variable.`);
    await this.#variables.evaluate(`() => void (globalThis.${COPIED} = (${copy}))`, frame);
    // An assignment, because V8 makes a variable that cells may declare again only when the pause ends.
    const runtimeName = this.#parts.declare(target);
    await this.#variables.evaluate(
      `() => { ${runtimeName} = globalThis.${COPIED}; delete globalThis.${COPIED}; }`,
      null,
    );
    return {};
  }

  async #listVariables(): Promise<object[]> {
    if (this.#attached === null) return await this.#parts.listVariables();
    return await this.#variables.notebookVariables();
  }

  async #richVariable(request: DebuggerRequest): Promise<object> {
    const name = stringArgument(request, "variableName");
    const frame = this.#frameOrNone(request);
    if (this.#attached !== null) return await this.#variables.rich(this.#parts.lowerWork(name), frame);
    const found = await this.#parts.richVariable(name);
    if (found === null)
      throw new DebuggerRefusal(`Nothing is known of ${name}: no cell that ran has declared it.`);
    return found;
  }

  async #exceptionInfo(): Promise<object> {
    if (this.#pauses.failure === null) throw new DebuggerRefusal("The code is not paused at an error.");
    const { className = "Error", description = "" } = this.#pauses.failure;
    return { exceptionId: className, description: description.split("\n")[0] ?? "", breakMode: "always" };
  }

  async #continue(): Promise<object> {
    await this.#pauses.resume();
    return { allThreadsContinued: true };
  }

  async #step(method: StepMethod): Promise<object> {
    await this.#pauses.step(method);
    return {};
  }

  async #undeclared({ url, callFrame }: ShownFrame): Promise<ReadonlySet<string>> {
    const map = await this.#sources.mapOf(url);
    if (map === null || callFrame === null) return new Set();
    const { lineNumber, columnNumber = 0 } = callFrame.location;
    return undeclaredAt(map.code, map.offsetOf({ lineNumber, columnNumber }));
  }
}
