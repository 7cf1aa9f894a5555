// KernelDependencies without a compiler, a language server or a session process: each does what a test tells it. Beside them a
// kernel on real sockets in the test's own process.
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../../kernel/cell/names.ts";
import { CellSyntaxError, type Compiled } from "../../kernel/cell/compile.ts";
import { NO_USES } from "../../kernel/cell/uses.ts";
import type { MagicLine } from "../../kernel/cell/magics/magics.ts";
import type { CellProgram } from "../../kernel/cell/read_cell.ts";
import { parseTypeScript } from "../../lib/typescript/parse.ts";
import { History } from "../../kernel/history/history.ts";
import { Kernel } from "../../kernel/shell/kernel.ts";
import type {
  CellText,
  Completions,
  Diagnostic,
  Hover,
  Language,
  MissedName,
} from "../../kernel/language/service.ts";
import { parseConnection, type Connection } from "../../kernel/protocol/connection.ts";
import { Sockets } from "../../kernel/protocol/sockets.ts";
import { Wire } from "../../kernel/protocol/wire.ts";
import type { KernelDependencies } from "../../kernel/shell/dependencies.ts";
import type {
  FromSession,
  Inspection,
  Question,
  RunRequest,
  ToSession,
} from "../../kernel/session/channel.ts";
import type { Done, SupervisorEvents, Session } from "../../kernel/session/supervisor.ts";
import { KernelClient } from "./kernel_client.ts";
import { newConnection } from "./kernel_process.ts";

type Output<Type extends FromSession["type"]> = Omit<Extract<FromSession, { type: Type }>, "type" | "cell">;

/** Actions of a running cell on a session, in a test. */
export interface RunningCell {
  readonly request: RunRequest;
  print(text: string, name?: "stdout" | "stderr"): void;
  report<Type extends "display" | "result" | "clear" | "lateError" | "inputRequest">(
    type: Type,
    output: Output<Type>,
  ): void;
  /** Resolves when the kernel passes an interrupt on. */
  readonly interrupted: Promise<void>;
  /** Resolves with the answer to an `inputRequest`. */
  readonly input: Promise<string | null>;
}

/** Ends a cell: what its `done` holds beside the defaults of a success. */
export type CellResult = Partial<Omit<Done, "type" | "cell">>;

export class MockSession implements Session {
  readonly runs: RunRequest[] = [];
  interrupts = 0;
  closed = false;
  /** The actions of cells, by their text. A cell without a script succeeds silently. */
  readonly scripts = new Map<string, (cell: RunningCell) => Promise<CellResult | void> | CellResult | void>();
  /** Live values by expression. */
  readonly values = new Map<string, string>();
  events!: SupervisorEvents;
  #interrupted = deferred<void>();
  #input = deferred<string | null>();

  async run(request: RunRequest): Promise<Done> {
    this.runs.push(request);
    this.#interrupted = deferred<void>();
    this.#input = deferred<string | null>();
    const { cell } = request;
    const result = await this.scripts.get(request.text)?.({
      request,
      print: (text, name = "stdout") => this.events.message({ type: "stream", cell, name, text }),
      report: (type, output) => this.events.message({ type, cell, ...output } as unknown as FromSession),
      interrupted: this.#interrupted.promise,
      input: this.#input.promise,
    });
    return { type: "done", cell, initialised: request.declares, userExpressions: {}, ...result };
  }

  interrupt(): void {
    this.interrupts++;
    this.#interrupted.resolve();
  }

  /** Whether the kernel wants no output for now. */
  held = false;

  hold(held: boolean): void {
    this.held = held;
  }

  send(message: Exclude<ToSession, RunRequest>): void {
    if (message.type === "inputReply") this.#input.resolve(message.value);
  }

  async inspect({ path, about }: Question): Promise<Inspection | null> {
    if (about !== "value") return null;
    const text = this.values.get(path.join("."));
    return text === undefined ? null : { text, names: [] };
  }

  /** There is no process whose code could be paused. */
  async debug(method: string): Promise<unknown> {
    throw new Error(`${method}: this session runs no code.`);
  }

  /** Runs before the process is gone. */
  closing: () => unknown = () => {};

  async close(): Promise<void> {
    await this.closing();
    this.closed = true;
  }
}

export class MockLanguage implements Language {
  /** Types by name. */
  readonly printedTypes = new Map<string, string>();
  /** Diagnostics by the text that is checked. */
  readonly diagnostics = new Map<string, Diagnostic[] | (() => Promise<Diagnostic[]>)>();
  readonly committed: { text: string; names: string[] }[] = [];
  completions: Completions = { start: 0, end: 0, items: [] };
  hovers = new Map<number, Hover>();
  signatures = new Map<number, Hover>();
  sources = new Map<number, string>();
  note: string | null = null;
  /** Counts of cells of which nothing ran. */
  readonly notRun: number[] = [];
  /** Names that went with a session. */
  readonly lost: string[] = [];
  closed = false;

  async check({ text }: CellText): Promise<readonly Diagnostic[]> {
    const found = this.diagnostics.get(text) ?? [];
    return typeof found === "function" ? await found() : found;
  }

  async repair<Error>(_: string, error: Error): Promise<Error> {
    return error;
  }

  commit({ text }: CellText, names: ReadonlySet<string>): void {
    this.committed.push({ text, names: [...names] });
  }

  async complete(): Promise<Completions> {
    return this.completions;
  }

  async hover(_text: string, offset: number): Promise<Hover | null> {
    return this.hovers.get(offset) ?? null;
  }

  async types(): Promise<ReadonlyMap<string, string>> {
    return this.printedTypes;
  }

  async typeScriptOptions(): Promise<TypeScriptOptions> {
    return TYPESCRIPT_DEFAULTS;
  }

  cellDidNotRun(count: number): void {
    this.notRun.push(count);
  }

  namesLost(names: readonly MissedName[]): void {
    this.lost.push(...names.map(({ name }) => name));
  }

  namesElsewhere(): void {}

  takeNote(): string | null {
    const { note } = this;
    this.note = null;
    return note;
  }

  async signature(_text: string, offset: number): Promise<Hover | null> {
    return this.signatures.get(offset) ?? null;
  }

  async source(_text: string, offset: number): Promise<string | null> {
    return this.sources.get(offset) ?? null;
  }

  async pid(): Promise<number> {
    return process.pid;
  }

  close(): void {
    this.closed = true;
  }
}

function mockCompile(
  cell: string | CellProgram,
  _bindings: unknown,
  options: { script: string; flush: boolean },
): Compiled {
  const read = typeof cell === "string" ? mockRead(cell) : cell;
  const code = `${options.flush ? "/* flush */ " : ""}${read.text.trim()}`;
  const url = `mpslab-cell:${options.script}`;
  const nothing = { imports: [], importedNames: [], uses: () => NO_USES, epochLoops: 0 };
  return { ...read, url, code, map: "{}", ...nothing };
}

/** Lines that begin with % are magics, `let name` declares, `= =` is a syntax error; the rest stays as it is. */
function mockRead(text: string): CellProgram {
  const broken = text.indexOf("= =");
  if (broken >= 0) throw new CellSyntaxError("Unexpected token", broken + 2, broken + 3);
  const magics: MagicLine[] = [];
  const typescript = text
    .split("\n")
    .map((lineText, line) => {
      const magic = /^%(\w+)(.*)$/.exec(lineText);
      if (magic === null) return lineText;
      const [, name = "", argument = ""] = magic;
      const call = { options: {}, text: argument.trim() };
      magics.push({
        name,
        call,
        line,
        help: argument === "?",
        start: 0,
        end: lineText.length,
        codeShift: null,
      });
      return " ".repeat(lineText.length);
    })
    .join("\n");
  const declared = [...typescript.matchAll(/let (\w+)/g)].map(([, name]) => ({
    name: name as string,
    kind: "let" as const,
    runtimeName: name as string,
    typeOnly: false,
  }));
  const places = { source: typescript, shiftedLines: magics, original: (at: number) => at };
  return { ...parseTypeScript(typescript), declared, magics, ...places };
}

export interface MockKernel {
  readonly connection: Connection;
  readonly client: KernelClient;
  readonly session: MockSession;
  /** The language server of now: a new one after the session died. */
  language(): MockLanguage;
  readonly log: string[];
  /** How often the kernel said that the process may exit. */
  shutdowns(): number;
  stop(): Promise<void>;
}

export async function startMockKernel(): Promise<MockKernel> {
  const log: string[] = [];
  const session = new MockSession();
  const languages: MockLanguage[] = [];
  const rooms: KernelDependencies = {
    directory: process.cwd(),
    compile: mockCompile as KernelDependencies["compile"],
    isComplete: (text) =>
      text.endsWith("{") ? { status: "incomplete", indent: "  " } : { status: "complete" },
    session(events) {
      session.events = events;
      return session;
    },
    async ranks() {
      throw new Error("these rooms have one session, and no ranks.");
    },
    language() {
      const language = new MockLanguage();
      languages.push(language);
      return language;
    },
    history: () => new History(null, (line) => log.push(line)),
  };
  const connection = parseConnection(JSON.stringify(await newConnection()), "connection.json");
  const sockets = new Sockets(new Wire(connection.digest, connection.key));
  await sockets.bind(connection);
  let shutdowns = 0;
  const kernel = new Kernel(sockets, async () => rooms, {
    log: (line) => log.push(line),
    shutdown: () => shutdowns++,
  });
  sockets.listen({
    message: (channel, message) => kernel.receive(channel, message),
    refused: (channel, reason) => log.push(`${channel}: ${reason}`),
    congested: (congested) => kernel.congested(congested),
  });
  await kernel.warmUp();
  const client = await KernelClient.connect(connection);
  return {
    connection,
    client,
    session,
    language: () => languages.at(-1) as MockLanguage,
    log,
    shutdowns: () => shutdowns,
    async stop() {
      client.close();
      await sockets.close();
    },
  };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
