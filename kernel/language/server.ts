// The native TypeScript server as a process: documents that exist only in memory, requests with deadlines, and a new
// process with the same documents when one dies. Knows the Language Server Protocol, nothing of cells.
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { connect } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  CancellationTokenSource,
  type MessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";

/** The process died, did not start, or did not answer in time. The message is fit to show to a user. */
export class LanguageServerError extends Error {
  override readonly name = "LanguageServerError";
}

/** It had its time. Asking again would take as long. */
export class DeadlineError extends LanguageServerError {}

export interface ServerOptions {
  /** Where documents live, although none is ever written there. */
  readonly directory: string;
  /** Base name of the document that is the project's tsconfig; it has precedence over a `tsconfig.json` on disk. */
  readonly configurationName: string;
}

export interface RequestOptions {
  /** Aborting sends `$/cancelRequest` and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** Both protocols of one process: editors' (documents, completion) and the compiler's own (types as text). */
interface Connections {
  readonly child: ChildProcess;
  readonly editor: MessageConnection;
  readonly compiler: MessageConnection;
}

const DEFAULT_DEADLINE_MS = 20_000;
const START_DEADLINE_MS = 15_000;
/** More deaths than this in the window, and no new process is started until the window has passed. */
const DEATHS_ALLOWED = 3;
const DEATHS_WINDOW_MS = 30_000;

export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #documents = new Map<string, { text: string; version: number }>();
  readonly #deaths: number[] = [];
  #connections: Promise<Connections> | null = null;
  /** Set once the handshake is over: from then on documents are sent as they change. */
  #live: Connections | null = null;
  #closed = false;
  /** Counts processes: what was learnt from one (snapshots, file times) means nothing to the next. */
  generation = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connect().catch(() => undefined); // Told to whoever asks first.
  }

  /** Id of the running process, for tests and `doctor`. */
  async pid(): Promise<number> {
    return (await this.#connect()).child.pid ?? 0;
  }

  path(name: string): string {
    return path.join(this.#options.directory, name);
  }

  get configurationPath(): string {
    return this.path(this.#options.configurationName);
  }

  uri(name: string): string {
    return pathToFileURL(this.path(name)).href;
  }

  /** Creates or changes a document. Sends nothing if the text is the same: an unchanged program answers from memory. */
  setDocument(name: string, text: string): void {
    const document = this.#documents.get(name);
    if (document?.text === text) return;
    const version = (document?.version ?? 0) + 1;
    this.#documents.set(name, { text, version });
    if (this.#live === null) return;
    if (document === undefined) this.#open(this.#live, name);
    else {
      void this.#live.editor.sendNotification("textDocument/didChange", {
        textDocument: { uri: this.uri(name), version },
        contentChanges: [{ text }],
      });
    }
  }

  closeDocument(name: string): void {
    if (!this.#documents.delete(name) || this.#live === null) return;
    void this.#live.editor.sendNotification("textDocument/didClose", {
      textDocument: { uri: this.uri(name) },
    });
  }

  /** Files on disk that changed. The server watches nothing by itself. */
  filesChanged(files: readonly { readonly path: string; readonly created: boolean }[]): void {
    if (files.length === 0 || this.#live === null) return;
    void this.#live.editor.sendNotification("workspace/didChangeWatchedFiles", {
      changes: files.map((file) => ({ uri: pathToFileURL(file.path).href, type: file.created ? 1 : 2 })),
    });
  }

  /** A request of the Language Server Protocol. */
  request<T>(method: string, parameters: object, options: RequestOptions = {}): Promise<T> {
    return this.#request("editor", method, parameters, options);
  }

  /** A request of the compiler's own protocol (`typescript/unstable`). */
  compilerRequest<T>(method: string, parameters: object | null, options: RequestOptions = {}): Promise<T> {
    return this.#request("compiler", method, parameters, options);
  }

  /** Ends the process; the next request starts another, with the same documents. */
  restart(): void {
    const connections = this.#connections;
    this.#forget();
    connections?.then(end, () => undefined);
  }

  close(): void {
    this.#closed = true;
    this.restart();
  }

  async #request<T>(
    protocol: "editor" | "compiler",
    method: string,
    parameters: object | null,
    { signal, deadlineMs = DEFAULT_DEADLINE_MS }: RequestOptions,
  ): Promise<T> {
    const connections = await this.#connect();
    signal?.throwIfAborted();
    const cancellation = new CancellationTokenSource();
    const { promise, resolve, reject } = withResolvers<T>();
    const onAbort = () => reject(signal?.reason);
    const onExit = () =>
      reject(new LanguageServerError("TypeScript's language server ended before it answered."));
    const timer = setTimeout(() => {
      reject(
        new LanguageServerError(`TypeScript did not answer within ${deadlineMs / 1000} s and was restarted.`),
      );
      if (this.#live === connections) this.restart(); // A checker that loops hears no cancellation.
    }, deadlineMs);
    signal?.addEventListener("abort", onAbort);
    connections.child.once("exit", onExit);
    connections[protocol].sendRequest<T>(method, parameters, cancellation.token).then(resolve, reject);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      connections.child.removeListener("exit", onExit);
      if (signal?.aborted) cancellation.cancel();
      cancellation.dispose();
    }
  }

  #connect(): Promise<Connections> {
    if (this.#closed) return Promise.reject(new LanguageServerError("The language service is closed."));
    if (this.#connections !== null) return this.#connections;
    const since = Date.now() - DEATHS_WINDOW_MS;
    while (this.#deaths[0] !== undefined && this.#deaths[0] < since) this.#deaths.shift();
    if (this.#deaths.length > DEATHS_ALLOWED) {
      return Promise.reject(
        new LanguageServerError(
          `TypeScript's language server ended ${this.#deaths.length} times in ${DEATHS_WINDOW_MS / 1000} s; it is started again after that time.`,
        ),
      );
    }
    const starting = this.#start();
    this.#connections = starting;
    starting.catch(() => {
      if (this.#connections === starting) this.#forget();
    });
    return starting;
  }

  #forget(): void {
    this.#connections = null;
    this.#live = null;
  }

  async #start(): Promise<Connections> {
    const child = spawn(executable(), ["--lsp", "--stdio"], {
      cwd: this.#options.directory,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const { promise: failed, reject: fail } = withResolvers<never>();
    const timer = setTimeout(() => {
      fail(
        new LanguageServerError(
          `TypeScript's language server did not start within ${START_DEADLINE_MS / 1000} s.`,
        ),
      );
      child.kill("SIGKILL");
    }, START_DEADLINE_MS);
    child.once("error", (error) => {
      fail(
        new LanguageServerError(
          `TypeScript's language server did not start: ${error.message}. Reinstall mpslab.`,
        ),
      );
    });
    child.once("exit", (code, signal) => {
      fail(
        new LanguageServerError(
          `TypeScript's language server ended with ${signal ?? `code ${code}`} while starting.`,
        ),
      );
      if (this.#live?.child !== child) return; // Ended by us.
      this.#deaths.push(Date.now());
      this.#forget();
    });
    child.stdin.on("error", () => undefined); // A write to a process that has just died; `exit` follows.
    try {
      const connections = await Promise.race([this.#handshake(child), failed]);
      this.generation += 1;
      this.#live = connections;
      for (const name of this.#documents.keys()) this.#open(connections, name);
      return connections;
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #handshake(child: ChildProcess): Promise<Connections> {
    if (child.stdout === null || child.stdin === null)
      throw new LanguageServerError("No pipes to the language server.");
    const editor = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    silence(editor);
    editor.onRequest((method: string, parameters: unknown) =>
      method === "workspace/configuration" ? this.#settings(parameters) : null,
    );
    editor.onNotification(() => undefined);
    editor.listen();
    await editor.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(this.#options.directory).href,
      workspaceFolders: null,
      initializationOptions: { disablePushDiagnostics: true },
      capabilities: {
        workspace: { configuration: true },
        textDocument: {
          diagnostic: {},
          hover: { contentFormat: ["markdown"] },
          completion: { completionItem: { documentationFormat: ["markdown"] } },
          signatureHelp: { signatureInformation: { documentationFormat: ["markdown"] } },
        },
      },
    });
    await editor.sendNotification("initialized", {});
    // Settings take effect at a request, not at the answer that carries them: without this one, the first document
    // would go to the folder's own project, which would be loaded whole.
    await editor.sendRequest("workspace/symbol", { query: this.#options.configurationName });
    const session = await editor.sendRequest<{ pipe: string }>("custom/initializeAPISession", {});
    const socket = connect(session.pipe);
    socket.on("error", () => undefined); // Requests on it are rejected by its closing.
    const compiler = createMessageConnection(
      new SocketMessageReader(socket),
      new SocketMessageWriter(socket),
    );
    silence(compiler);
    compiler.listen();
    await compiler.sendRequest("initialize", null);
    return { child, editor, compiler };
  }

  /** Answer to `workspace/configuration`: one object for each section asked for. */
  #settings(parameters: unknown): unknown[] {
    const { items } = parameters as { items: readonly { section?: string }[] };
    return items.map(({ section }) =>
      section === "js/ts"
        ? {
            customConfigFileName: this.#options.configurationName,
            // Fetches types from the package registry behind the user's back.
            tsserver: { automaticTypeAcquisition: { enabled: false } },
            // 5,000 items and 42 ms a completion instead of 200 and 1 ms.
            suggest: { autoImports: false },
          }
        : null,
    );
  }

  #open({ editor }: Connections, name: string): void {
    const document = this.#documents.get(name);
    if (document === undefined) return;
    void editor.sendNotification("textDocument/didOpen", {
      textDocument: {
        uri: this.uri(name),
        languageId: name.endsWith(".json") ? "json" : "typescript",
        version: document.version,
        text: document.text,
      },
    });
  }
}

/** The native binary: TypeScript's own launcher is a Node process of 44 MB that only waits for it. */
function executable(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(typescript).resolve(`${platform}/package.json`);
    return path.join(path.dirname(manifest), "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
  } catch {
    throw new LanguageServerError(
      `TypeScript's compiler for this machine (${platform}) is not installed; reinstall mpslab with optional dependencies.`,
    );
  }
}

function end({ child, editor, compiler }: Connections): void {
  compiler.dispose();
  editor.dispose();
  child.kill();
}

/** A connection reports to the console, which in the kernel process is nobody's. Failures reach us as rejections. */
function silence(connection: MessageConnection): void {
  connection.onError(() => undefined);
  connection.onClose(() => undefined);
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => undefined); // Raced promises may lose after the race.
  return { promise, resolve, reject };
}
