// Starts one process of the native TypeScript server, initializes it, and ends it.
import { connect } from "node:net";
import { pathToFileURL } from "node:url";
import {
  type MessageConnection,
  SocketMessageReader,
  StreamMessageReader,
  createMessageConnection,
} from "vscode-jsonrpc/node";
import { WholeMessageWriter } from "./message_writer.ts";
import { COMPILER_PACKAGE, type ServerProcess, spawnServer } from "./spawn.ts";

/** The process died, did not start, or did not answer in time. The message is fit to show to a user. */
export class LanguageServerError extends Error {
  override readonly name = "LanguageServerError";
}

export interface ServerOptions {
  /** Folder of the documents' paths. Nothing is written there. */
  readonly directory: string;
  /** Base name of the document that is the project's tsconfig; it has precedence over a `tsconfig.json` on disk. */
  readonly configurationName: string;
  /** A process that was started already, for the first connection. */
  readonly started?: ServerProcess | null;
}

/**
 * The connections for both protocols of one process: the editors' (documents, completion) and the compiler's own (types
 * as text).
 */
export interface Connections {
  readonly child: ServerProcess;
  readonly editor: MessageConnection;
  readonly compiler: MessageConnection;
}

const START_DEADLINE_MS = 15_000;

export async function startServer(options: ServerOptions): Promise<Connections> {
  const child = isRunning(options.started) ? options.started : spawnServer(options.directory);
  if (child === null) {
    throw new LanguageServerError(
      `TypeScript's compiler for this machine (${COMPILER_PACKAGE}) is not installed; reinstall mpslab with optional dependencies.`,
    );
  }
  const { promise: failed, reject: fail } = withResolvers<never>();
  const timer = setTimeout(() => {
    fail(
      new LanguageServerError(
        `TypeScript's language server did not start within ${START_DEADLINE_MS / 1000} s.`,
      ),
    );
  }, START_DEADLINE_MS);
  child.once("error", (error) => {
    fail(
      new LanguageServerError(
        `TypeScript's language server did not start: ${error.message}. Reinstall mpslab.`,
      ),
    );
  });
  child.once("exit", (code, signal) => {
    const how = signal ?? `code ${code}`;
    fail(new LanguageServerError(`TypeScript's language server ended with ${how} while starting.`));
  });
  // There is no limit to listeners: each pending request listens for the exit, and a list of completions requests all
  // signatures at once.
  child.setMaxListeners(0);
  child.stdin.on("error", () => undefined); // A write to a process that has just died; `exit` follows.
  try {
    const editor = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new WholeMessageWriter(child.stdin),
    );
    const compiler = await Promise.race([greet(editor, options), failed]);
    return { child, editor, compiler };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function isRunning(child: ServerProcess | null | undefined): child is ServerProcess {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

export function endServer({ child, editor, compiler }: Connections): void {
  compiler.dispose();
  editor.dispose();
  child.kill();
}

/** Performs the handshake of the editors' protocol, and opens the connection for the compiler's. */
async function greet(editor: MessageConnection, options: ServerOptions): Promise<MessageConnection> {
  silence(editor);
  editor.onRequest((method: string, parameters: unknown) =>
    method === "workspace/configuration" ? settings(parameters, options) : null,
  );
  editor.onNotification(() => undefined);
  editor.listen();
  await editor.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(options.directory).href,
    workspaceFolders: null,
    initializationOptions: { disablePushDiagnostics: true },
    capabilities: {
      workspace: { configuration: true },
      textDocument: {
        diagnostic: { relatedInformation: true },
        hover: { contentFormat: ["markdown"] },
        completion: { completionItem: { documentationFormat: ["markdown"] } },
        signatureHelp: { signatureInformation: { documentationFormat: ["markdown"] } },
      },
    },
  });
  await editor.sendNotification("initialized", {});
  // The server applies settings at the next request, not when it receives them. Without this request the first document
  // would go to the project of the folder's tsconfig, which would be loaded completely.
  await editor.sendRequest("workspace/symbol", { query: options.configurationName });
  const session = await editor.sendRequest<{ pipe: string }>("custom/initializeAPISession", {});
  const socket = connect(session.pipe);
  socket.on("error", () => undefined); // Its pending requests are rejected when the process ends.
  const compiler = createMessageConnection(new SocketMessageReader(socket), new WholeMessageWriter(socket));
  silence(compiler);
  compiler.listen();
  await compiler.sendRequest("initialize", null);
  return compiler;
}

/** Answer to `workspace/configuration`: one object for each section asked for. */
function settings(parameters: unknown, { configurationName }: ServerOptions): unknown[] {
  const { items } = parameters as { items: readonly { section?: string }[] };
  const ours = {
    customConfigFileName: configurationName,
    // Automatic acquisition would download types without the user's knowledge.
    tsserver: { automaticTypeAcquisition: { enabled: false } },
    // A completion then has 200 items and takes 1 ms; with automatic imports it has 5,000 and takes 42 ms.
    suggest: { autoImports: false },
  };
  return items.map(({ section }) => (section === "js/ts" ? ours : null));
}

/** A connection logs to the console, which no one reads in the kernel process. Failures arrive as rejections. */
function silence(connection: MessageConnection): void {
  connection.onError(() => undefined);
  connection.onClose(() => undefined);
}

/**
 * Does what `Promise.withResolvers` does, which Node 20 lacks. A rejection that nobody observes, as for the loser of a
 * race, is ignored.
 */
export function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
