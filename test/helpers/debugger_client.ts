// Speaks to a kernel's debugger as `@jupyterlab/debugger` does: requests on the control channel, each awaited with its
// `idle`, and the events on iopub.
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Execution, KernelClient } from "./kernel_client.ts";
import type { Json, Message } from "../../kernel/protocol/messages.ts";

export type Event = DebugProtocol.Event & { readonly body: Readonly<Record<string, unknown>> };

export interface PausedRun {
  /** Why it is paused; null if it ended without. */
  readonly stopped: Event["body"] | null;
  readonly cell: Promise<Execution>;
}

export class DebuggerClient {
  readonly #client: KernelClient;
  #seq = 0;
  #seen = 0;

  constructor(client: KernelClient) {
    this.#client = client;
  }

  /** The whole content of the reply. */
  async request(command: string, given: object = {}): Promise<Json> {
    const content = { type: "request", seq: this.#seq++, command, arguments: given };
    const message = this.#client.newMessage("debug_request", content);
    const idle = this.#client.untilIdle(message.header);
    const reply = this.#client.nextReply("control", message.header);
    await this.#client.send("control", message);
    await idle;
    return (await reply).content;
  }

  /** The body of the reply. @throws Error where the request is refused */
  async ask<Body = Record<string, unknown>>(command: string, given: object = {}): Promise<Body> {
    const { success, message, body } = await this.request(command, given);
    if (success !== true) throw new Error(`${command}: ${String(message)}`);
    return body as Body;
  }

  /** What the bug icon does. */
  async start(): Promise<void> {
    await this.ask("initialize", {
      clientID: "jupyterlab",
      clientName: "JupyterLab",
      adapterID: "mpslab",
      pathFormat: "path",
      linesStartAt1: true,
      columnsStartAt1: true,
      supportsVariableType: true,
      supportsVariablePaging: true,
      supportsRunInTerminalRequest: true,
      locale: "en",
    });
    await this.ask("attach");
  }

  /** What a click beside a line does. Returns the breakpoints as the kernel has set them. */
  async setBreakpoints(
    code: string,
    ...lines: readonly (number | DebugProtocol.SourceBreakpoint)[]
  ): Promise<DebugProtocol.Breakpoint[]> {
    const { sourcePath } = await this.ask<{ sourcePath: string }>("dumpCell", { code });
    return await this.setBreakpointsAt(sourcePath, ...lines);
  }

  async setBreakpointsAt(
    path: string,
    ...lines: readonly (number | DebugProtocol.SourceBreakpoint)[]
  ): Promise<DebugProtocol.Breakpoint[]> {
    await this.ask("debugInfo");
    const { breakpoints } = await this.ask<DebugProtocol.SetBreakpointsResponse["body"]>("setBreakpoints", {
      breakpoints: lines.map((line) => (typeof line === "number" ? { line } : line)),
      source: { path },
      sourceModified: false,
    });
    return breakpoints;
  }

  /** The next event of that name, from the last one that was awaited on. */
  async next(name: string): Promise<Event> {
    for (;;) {
      const published = this.#published();
      const found = published.findIndex(({ event }, index) => index >= this.#seen && event === name);
      if (found >= 0) {
        this.#seen = found + 1;
        return published[found] as Event;
      }
      await this.#client.nextPublished(({ header }) => header.msg_type === "debug_event");
    }
  }

  /** Runs a cell until it is paused, or has ended. */
  async run(code: string): Promise<PausedRun> {
    this.#seen = this.#published().length;
    const cell = this.#client.execute(code);
    for (;;) {
      const stopped = this.#published()
        .slice(this.#seen)
        .find(({ event }) => event === "stopped");
      if (stopped !== undefined) {
        this.#seen = this.#published().indexOf(stopped) + 1;
        return { stopped: stopped.body, cell };
      }
      const more = this.#client.nextPublished(({ header }) => header.msg_type === "debug_event");
      if ((await Promise.race([more, cell.then(() => null)])) === null) return { stopped: null, cell };
    }
  }

  /** Names of all events so far. */
  get events(): string[] {
    return this.#published().map(({ event }) => event);
  }

  #published(): Event[] {
    return this.#client.published
      .filter(({ header }: Message) => header.msg_type === "debug_event")
      .map(({ content }) => content as unknown as Event);
  }

  async frames(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.ask<DebugProtocol.StackTraceResponse["body"]>("stackTrace", { threadId: 1 }))
      .stackFrames;
  }

  /** `f 2`, `Cell [1] 5`: the stack in short, innermost first. */
  async stack(): Promise<string[]> {
    return (await this.frames()).map(({ name, line }) => `${name} ${line}`);
  }

  /** The variables of a scope of the innermost frame, each as `name: value`. */
  async scope(name: string): Promise<DebugProtocol.Variable[]> {
    const [frame] = await this.frames();
    const { scopes } = await this.ask<DebugProtocol.ScopesResponse["body"]>("scopes", { frameId: frame?.id });
    const scope = scopes.find((one) => one.name === name);
    if (scope === undefined)
      throw new Error(`no scope ${name} among ${scopes.map((one) => one.name).join(", ")}`);
    return await this.parts(scope);
  }

  async parts({
    variablesReference,
  }: {
    readonly variablesReference: number;
  }): Promise<DebugProtocol.Variable[]> {
    const { variables } = await this.ask<DebugProtocol.VariablesResponse["body"]>("variables", {
      variablesReference,
    });
    return variables;
  }

  /** Goes on, and returns the reason for the next stop. */
  async go(command: "continue" | "next" | "stepIn" | "stepOut"): Promise<unknown> {
    const stopped = this.next("stopped");
    await this.ask(command, { threadId: 1 });
    return (await stopped).body["reason"];
  }
}

export const lines = (variables: readonly DebugProtocol.Variable[]): string[] =>
  variables.map(({ name, value }) => `${name}: ${value}`);
