// A notebook without a kernel, for tests of the session: cells are compiled and run as the kernel does it, and what
// they put out is sorted by cell. The session process runs from `dist/`.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Bindings, commit, isVariable, NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { TYPESCRIPT_DEFAULTS } from "../../../kernel/cell/names.ts";
import { compileExpressions } from "../../../kernel/shell/prepare.ts";
import type { ErrorContent, FromSession, RunRequest } from "../../../kernel/session/channel.ts";
import { type Done, Supervisor, type SupervisorOptions } from "../../../kernel/session/supervisor.ts";

type Display = Extract<FromSession, { type: "display" }>;

export interface CellRun {
  readonly done: Done;
  readonly stdout: string;
  readonly stderr: string;
  /** The value's `text/plain`. */
  readonly text: unknown;
  readonly displays: readonly Display[];
  readonly lateErrors: readonly ErrorContent[];
  /** Types of all messages in their order; text that came in pieces counts once. */
  readonly order: readonly string[];
}

/** Options that differ from an ordinary run. User expressions are as their author wrote them. */
export type Run = Partial<Omit<RunRequest, "userExpressions">> & {
  readonly userExpressions?: Readonly<Record<string, string>>;
};

export class Notebook {
  readonly directory: string;
  readonly messages: FromSession[] = [];
  readonly deaths: string[] = [];
  readonly session: Supervisor;
  #bindings: Bindings = NO_BINDINGS;
  #count = 0;
  /** Answers `prompt`. */
  answer: (question: string) => string | null = () => null;

  /** @param files contents by path, for the notebook's folder */
  constructor(files: Readonly<Record<string, string>> = {}, options?: SupervisorOptions) {
    this.directory = mkdtempSync(path.join(os.tmpdir(), "mpslab-session-"));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.session = new Supervisor(
      this.directory,
      { message: (message) => this.#receive(message), died: (reason) => this.deaths.push(reason) },
      options,
    );
  }

  write(name: string, text: string): void {
    const file = path.join(this.directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs a cell as its author wrote it. */
  async run(text: string, more: Run = {}): Promise<CellRun> {
    return await this.start(text, more).end;
  }

  /** The cell's id at once, its end later. */
  start(
    text: string,
    { userExpressions = {}, ...more }: Run = {},
  ): { readonly cell: string; readonly end: Promise<CellRun> } {
    const count = ++this.#count;
    const { typescript = TYPESCRIPT_DEFAULTS } = more;
    const compiled = compile(text, this.#bindings, { script: String(count), flush: true, typescript });
    const cell = `cell-${count}`;
    const expressions = compileExpressions(
      userExpressions,
      compile,
      this.#bindings,
      compiled.declared,
      `${count}`,
    );
    const request: RunRequest = {
      type: "run",
      typescript: TYPESCRIPT_DEFAULTS,
      cell,
      continues: false,
      subshell: null,
      count,
      text,
      storeHistory: true,
      url: compiled.url,
      code: compiled.code,
      map: compiled.map,
      declares: compiled.declared.filter(({ typeOnly }) => !typeOnly).map(({ runtimeName }) => runtimeName),
      variables: compiled.declared.filter(isVariable).map(({ runtimeName }) => runtimeName),
      epochLoops: compiled.epochLoops,
      imports: compiled.imports,
      importedNames: compiled.importedNames,
      names: [],
      flush: true,
      silent: false,
      ...more,
      userExpressions: expressions.compiled,
    };
    const end = this.session.run(request).then((done) => {
      this.#bindings = commit(this.#bindings, compiled.declared, new Set(done.initialised));
      return this.#collect(cell, done);
    });
    return { cell, end };
  }

  /** Returns what a cell has put out up to now. Its timers may go on after its end. */
  collect(cell: string): Omit<CellRun, "done"> {
    const own = this.messages.filter((message) => "cell" in message && message.cell === cell);
    const text = (name: "stdout" | "stderr") =>
      own.map((message) => (message.type === "stream" && message.name === name ? message.text : "")).join("");
    const result = own.find((message) => message.type === "result");
    const kinds = own.map((message) => (message.type === "stream" ? message.name : message.type));
    return {
      stdout: stripVTControlCharacters(text("stdout")),
      stderr: stripVTControlCharacters(text("stderr")),
      text: result?.data["text/plain"],
      displays: own.filter((message) => message.type === "display"),
      lateErrors: own.filter((message) => message.type === "lateError").map(({ error }) => error),
      order: kinds.filter((kind, index) => kind !== kinds[index - 1]),
    };
  }

  interrupt(): void {
    this.session.interrupt();
  }

  /** Resolves with the first message that the test waits for. */
  async message(matches: (message: FromSession) => boolean): Promise<FromSession> {
    for (;;) {
      const found = this.messages.find(matches);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async close(): Promise<void> {
    await this.session.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #collect(cell: string, done: Done): CellRun {
    return { done, ...this.collect(cell) };
  }

  #receive(message: FromSession): void {
    this.messages.push(message);
    if (message.type === "inputRequest") {
      this.session.send({ type: "inputReply", value: this.answer(message.prompt) });
    }
  }
}

/** The traceback without colours, as one text. */
export function traceback({ done }: CellRun): string {
  return stripVTControlCharacters((done.error?.traceback ?? []).join("\n"));
}
