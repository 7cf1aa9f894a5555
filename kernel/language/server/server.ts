// Runs the native TypeScript server: documents that exist only in memory, and requests with time limits. If the process
// dies, a new one gets the same documents.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import {
  type Connections,
  LanguageServerError,
  type ServerOptions,
  endServer,
  startServer,
  withResolvers,
} from "./server_process.ts";

/** The server did not answer within the deadline. A second attempt would take as long, so there is none. */
export class RequestTimeoutError extends LanguageServerError {}

export interface RequestOptions {
  /** Aborting sends `$/cancelRequest` and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 20_000;
/** After more deaths than this within the window, no new process is started until the window has passed. */
const DEATHS_ALLOWED = 3;
const DEATHS_WINDOW_MS = 30_000;

export class LanguageServer {
  #options: ServerOptions;
  readonly #documents = new Map<string, { text: string; isJsx: boolean; version: number }>();
  readonly #deaths: number[] = [];
  #connections: Promise<Connections> | null = null;
  /** Set once the handshake is over: from then on documents are sent as they change. */
  #live: Connections | null = null;
  #closed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connect().catch(() => undefined); // The first request reports it.
  }

  /** Id of the running process, for tests and `doctor`. */
  async pid(): Promise<number> {
    return (await this.#connect()).child.pid ?? 0;
  }

  path(name: string): string {
    return path.join(this.#options.directory, name);
  }

  get configurationName(): string {
    return this.#options.configurationName;
  }

  uri(name: string): string {
    return pathToFileURL(this.path(name)).href;
  }

  /**
   * Creates or changes a document. Sends nothing if the text is the same: an unchanged program answers from memory.
   *
   * @param isJsx whether the text is read with JSX. What a document is counts, and not its name: a cell with JSX and
   * one with a cast may follow each other under one name.
   * @returns whether the document has changed
   */
  setDocument(name: string, text: string, isJsx = false): boolean {
    const document = this.#documents.get(name);
    if (document?.text === text && document.isJsx === isJsx) return false;
    const isNew = document === undefined || document.isJsx !== isJsx;
    if (document !== undefined && isNew) this.closeDocument(name);
    const version = (document?.version ?? 0) + 1;
    this.#documents.set(name, { text, isJsx, version });
    if (this.#live === null) return true;
    if (isNew) this.#open(this.#live, name);
    else {
      void this.#live.editor.sendNotification("textDocument/didChange", {
        textDocument: { uri: this.uri(name), version },
        contentChanges: [{ text }],
      });
    }
    return true;
  }

  /**
   * The text of a document that is in memory; null for a file on disk. The server's addresses are compared as paths, because
   * it writes `'` and `$` in another way than Node does.
   */
  documentAt(uri: string): string | null {
    if (!uri.startsWith("file:")) return null;
    const name = path.relative(this.#options.directory, fileURLToPath(uri));
    return this.#documents.get(name)?.text ?? null;
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
    connections?.then(endServer, () => undefined);
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
      if (this.#live === connections) this.restart(); // A checker that loops does not see the cancellation.
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
    const options = this.#options;
    this.#options = { ...options, started: null };
    const starting = startServer(options).then((connections) => {
      if (this.#connections === starting) this.#adopt(connections);
      return connections;
    });
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

  #adopt(connections: Connections): void {
    connections.child.once("exit", () => {
      if (this.#live !== connections) return; // We ended it ourselves.
      this.#deaths.push(Date.now());
      this.#forget();
    });
    this.#live = connections;
    for (const name of this.#documents.keys()) this.#open(connections, name);
  }

  #open({ editor }: Connections, name: string): void {
    const document = this.#documents.get(name);
    if (document === undefined) return;
    void editor.sendNotification("textDocument/didOpen", {
      textDocument: {
        uri: this.uri(name),
        languageId: name.endsWith(".json") ? "json" : document.isJsx ? "typescriptreact" : "typescript",
        version: document.version,
        text: document.text,
      },
    });
  }
}
