// Messages between the kernel process and the session process, and their framing on the pipe.
//
// A frame is two 4-byte big-endian lengths and as many bytes: the message as JSON, then its `buffers` one after the
// other, whose lengths stand in the JSON. The session writes its side with blocking writes (a cell that loops for ever
// must still be heard); its worker thread reads the other side.

/** File descriptors of the session process: it reads requests from one and writes reports to the other. */
export const REQUEST_FD = 3;
export const REPORT_FD = 4;
/** The addon records the last operations there: see `flight_record.ts`. */
export const FLIGHT_RECORD_FD = 5;
/**
 * The worker writes answers and events of the debugger there, because the main thread, which writes the reports, may be
 * paused.
 */
export const DEBUGGER_FD = 6;

/** Set in the environment of a session that is a rank: the kernel draws the epochs of all ranks in one chart. */
export const JOINS_RANKS = "MPSLAB_JOINS_RANKS";

/** Data by MIME type: text, base64 text for binary types, or JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

export interface ErrorContent {
  readonly ename: string;
  readonly evalue: string;
  /** Lines ready to print, ANSI coloured. */
  readonly traceback: readonly string[];
  /** The exit code, if the code called process.exit(). */
  readonly exitCode?: number;
  /** Advices for the errors of a cell that did not run. */
  readonly advice?: readonly GivenAdvice[];
}

/** A replacement in a cell's text; positions are code points, as in every message of the protocol. */
export interface GivenAdvice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly sentence: string;
  /** Replacements elsewhere that this one needs, such as an import. */
  readonly also: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** A value that cells have declared, as the kernel knows it. */
export interface NotebookName {
  readonly name: string;
  /** The value's name in the session. */
  readonly runtimeName: string;
  /** `const`, `function`, ... */
  readonly kind: string;
  /** The type as TypeScript writes it. Null if it cannot be printed, or if types are not checked. */
  readonly type: string | null;
}

/** A name that a cell imports: `ImportedName` of the compiler. */
export interface ImportedName {
  readonly name: string;
  readonly imported: string;
  readonly module: string;
  readonly typeOnly: boolean;
  readonly with?: Readonly<Record<string, string>>;
}

/** JavaScript, with the map back to what the user wrote. */
export interface Script {
  /** V8's name of the script, which no other script has. */
  readonly url: string;
  readonly code: string;
  /** Source map of `code` to `text`. */
  readonly map: string;
  readonly text: string;
}

export interface RunRequest extends Script {
  readonly type: "run";
  /** The `msg_id` of the request. Everything that the cell puts out has it, also what a timer puts out later. */
  readonly cell: string;
  /** Whether another request brings the rest of the cell, so that the cell is not gone after this one. */
  readonly continues: boolean;
  /**
   * Whether the cell waits a while for work that it has begun and not awaited, and fails if that fails: its client
   * shows nothing after the cell's end.
   */
  readonly endsWithItsWork?: boolean;
  /** The cells of one subshell run in order; null is the main one. */
  readonly subshell: string | null;
  /** The number in the cell's name. A cell that is not stored has the same as the last stored one. */
  readonly count: number;
  /** Whether the cell gets into `In`, `Out` and `_`. */
  readonly storeHistory: boolean;
  /** Runtime names that the cell declares. The reply lists those that were initialised. */
  readonly declares: readonly string[];
  /**
   * Those names that are variables. Imports, functions, classes, enums and namespaces are left out: running the cell
   * again brings them back.
   */
  readonly variables: readonly string[];
  readonly epochLoops: number;
  /** Modules that are loaded before the cell is evaluated. */
  readonly imports: readonly {
    readonly specifier: string;
    readonly options?: { readonly with: Readonly<Record<string, string>> };
  }[];
  /** The names that the cell imports. A snapshot holds them for a later session. */
  readonly importedNames: readonly ImportedName[];
  /** The tsconfig's options that change how the folder's modules run: `TypeScriptOptions` of the compiler. */
  readonly typescript: {
    readonly experimentalDecorators: boolean;
    readonly emitDecoratorMetadata: boolean;
    readonly useDefineForClassFields: boolean;
    readonly verbatimModuleSyntax: boolean;
    readonly jsx:
      | { readonly runtime: "classic"; readonly pragma: string; readonly pragmaFrag: string }
      | { readonly runtime: "automatic"; readonly importSource: string };
    readonly paths: Readonly<Record<string, readonly string[]>>;
  };
  /** The declarations of earlier cells, if the cell has a magic that reads them. */
  readonly names: readonly NotebookName[];
  /**
   * `%flush on`. The compiled code handles it; this is for loops over `lab.epochs(...)` that the compiler does not see,
   * such as those in modules.
   */
  readonly flush: boolean;
  readonly silent: boolean;
  /**
   * The name of the process group that the cell begins in; missing if it begins in none. If the name has changed, the
   * ranks connect anew.
   */
  readonly group?: string;
  /** Compiled expressions by key. They are evaluated after the cell; one that fails does not stop the others. */
  readonly userExpressions: Readonly<Record<string, Script>>;
}

/** One of Jupyter's comm messages, in either direction. */
export interface CommMessage {
  readonly type: "comm";
  readonly action: "open" | "message" | "close";
  /** Its `comm_id`. */
  readonly comm: string;
  /** Set for `open` only. */
  readonly target?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly buffers: readonly Uint8Array[];
  /**
   * The header of the client's message. Messages that it causes carry the header back; the session does not read it.
   */
  readonly cause?: unknown;
}

/**
 * An editor's question about a live value. The path is a variable's name, followed by the names that lead to the value.
 * Reading them runs no code.
 */
export interface Question {
  readonly path: readonly (string | number)[];
  /**
   * `value`: the class and the value; `variable`: only the value, because its type is shown beside it; `keys`: what may
   * stand in `value["..."]`; `members`: what may stand after `value.`
   */
  readonly about: "value" | "variable" | "keys" | "members";
}

export interface LiveName {
  readonly text: string;
  readonly kind: "field" | "method";
}

export interface Inspection {
  /** A text about the value; empty if its type says everything. */
  readonly text: string;
  /** The keys or members that were asked for. */
  readonly names: readonly LiveName[];
}

/** A method of V8's inspector, or one of the session's own, such as `Session.attach`. */
export interface DebuggerCommand {
  readonly type: "debuggerCommand";
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

export type ToSession =
  | RunRequest
  | DebuggerCommand
  | { readonly type: "interrupt" }
  | ({ readonly type: "inspect"; readonly id: number } & Question)
  /** `null`: the client that sent the cell takes no input (`allow_stdin: false`). */
  | { readonly type: "inputReply"; readonly value: string | null }
  | CommMessage
  | { readonly type: "shutdown" };

export type FromSession =
  | { readonly type: "ready"; readonly pid: number }
  | {
      readonly type: "stream";
      readonly cell: string;
      readonly name: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly type: "display";
      readonly cell: string;
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
      readonly displayId?: string;
      /** `true`: `update_display_data` of an earlier display with that id. */
      readonly update: boolean;
    }
  | { readonly type: "clear"; readonly cell: string; readonly wait: boolean }
  | {
      readonly type: "result";
      readonly cell: string;
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
    }
  /** Nothing of the cell is left that could produce output: no timer, no promise. */
  | { readonly type: "gone"; readonly cell: string }
  /** An error after the cell's end: a throwing timer, a rejected promise. Errors of the cell itself come in `done`. */
  | { readonly type: "lateError"; readonly cell: string; readonly error: ErrorContent }
  | {
      readonly type: "inputRequest";
      readonly cell: string;
      readonly prompt: string;
      readonly password: boolean;
    }
  /** `cell`: the cell that sends the message, null before the first one. */
  | (CommMessage & { readonly cell: string | null })
  /** The session begins or ceases to accept comms with this target. */
  | { readonly type: "commTarget"; readonly target: string; readonly registered: boolean }
  | { readonly type: "inspected"; readonly id: number; readonly inspection: Inspection | null }
  /** The answer to a debugger command: its result, or why there is none. */
  | {
      readonly type: "debuggerAnswer";
      readonly id: number;
      readonly result: unknown;
      readonly failure: string | null;
    }
  /** An event of V8's inspector. */
  | { readonly type: "debuggerEvent"; readonly method: string; readonly params: object }
  /**
   * The process's nth interrupt was thrown into this cell, which is cleaning up now and holds the thread. If `cell` is
   * null, it was thrown into all running cells, if there are any. The message may come more than once.
   */
  | { readonly type: "interrupted"; readonly interrupt: number; readonly cell: string | null }
  /** The cell has ended, and everything that it put out has been sent before this. */
  | {
      readonly type: "done";
      readonly cell: string;
      readonly error?: ErrorContent;
      readonly initialised: readonly string[];
      /** The types of the rows of tables, by the names of those that hold one. */
      readonly rowTypes?: Readonly<Record<string, string>>;
      readonly userExpressions: Readonly<Record<string, UserExpressionResult>>;
    };

export type UserExpressionResult =
  | { readonly status: "ok"; readonly data: MimeBundle; readonly metadata: MimeBundle }
  | ({ readonly status: "error" } & ErrorContent);

const LENGTH_BYTES = 4;
const HEADER_BYTES = 2 * LENGTH_BYTES;
const NO_BUFFERS: readonly Uint8Array[] = [];

export function encodeFrame(message: ToSession | FromSession): Buffer {
  const buffers = message.type === "comm" ? message.buffers : NO_BUFFERS;
  const content = message.type === "comm" ? { ...message, buffers: buffers.map(byteLength) } : message;
  const body = Buffer.from(JSON.stringify(content), "utf8");
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(body.length, 0);
  header.writeUInt32BE(
    buffers.reduce((sum, { byteLength: bytes }) => sum + bytes, 0),
    LENGTH_BYTES,
  );
  return Buffer.concat([header, body, ...buffers]);
}

/** Reassembles frames from arbitrary chunks of a pipe. */
export class FrameDecoder<Message extends ToSession | FromSession> {
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;

  push(chunk: Buffer): Message[] {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    const messages: Message[] = [];
    while (this.#bufferedBytes >= HEADER_BYTES) {
      const header = this.#peek(HEADER_BYTES);
      const bodyBytes = header.readUInt32BE(0);
      const buffersBytes = header.readUInt32BE(LENGTH_BYTES);
      if (this.#bufferedBytes < HEADER_BYTES + bodyBytes + buffersBytes) break;
      this.#take(HEADER_BYTES);
      const message = JSON.parse(this.#take(bodyBytes).toString("utf8")) as Message;
      messages.push(message.type === "comm" ? this.#withBuffers(message) : message);
    }
    return messages;
  }

  #withBuffers(message: Message): Message {
    const lengths = (message as unknown as { buffers: number[] }).buffers;
    // Copies, because a kept buffer would keep the pipe's whole chunk alive, and transferring it to a thread would take
    // the whole chunk.
    const buffers = lengths.map((length) => new Uint8Array(this.#take(length)));
    return { ...message, buffers };
  }

  /**
   * Joins as few chunks as possible: a 50 MB frame arrives in 64 KiB pieces, and must not be joined again for each of
   * the 800.
   */
  #peek(length: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= length) return first;
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  #take(length: number): Buffer {
    if (length === 0) return Buffer.alloc(0);
    const whole = this.#peek(length);
    const taken = whole.subarray(0, length);
    if (whole.length === length) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(length);
    this.#bufferedBytes -= length;
    return taken;
  }
}

const byteLength = ({ byteLength: bytes }: Uint8Array): number => bytes;

/**
 * Returns the mark that the session writes to its own stdout and stderr when a cell has ended. Native prints and child
 * processes share those descriptors. The mark shows the supervisor that it has read all of their output.
 *
 * @param token unguessable, one for each process: a cell cannot print it by chance
 */
export function fence(token: string, cell: string): string {
  return `\0${token}:${cell}\0`;
}
