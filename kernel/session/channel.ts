// Messages between the kernel process and the session process, and how they are framed on their pipe.
// Knows neither Jupyter's wire format nor the evaluation of cells.
//
// A frame is a 4-byte big-endian length and that many bytes of JSON. The session writes its side with blocking
// writes (a cell that loops for ever must still be heard); its worker thread reads the other side.

/** File descriptors of the session process: it reads requests from one and writes reports to the other. */
export const REQUEST_FD = 3;
export const REPORT_FD = 4;
/** Its addon tells there what it does: see `flight_record.ts`. */
export const FLIGHT_RECORD_FD = 5;

/** Data by MIME type: text, base64 text for binary types, or JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

export interface ErrorContent {
  readonly ename: string;
  readonly evalue: string;
  /** Lines ready to print, ANSI coloured. */
  readonly traceback: readonly string[];
}

/** A value that cells have declared, as the kernel knows it. */
export interface NotebookName {
  readonly name: string;
  /** What the session calls it. */
  readonly runtimeName: string;
  /** `const`, `function`, ... */
  readonly kind: string;
  /** As TypeScript prints it; null where it cannot be printed, or types are not checked. */
  readonly type: string | null;
}

/** JavaScript, and the way back to what the user wrote. */
export interface Script {
  /** V8's name of it; no other script has the same. */
  readonly url: string;
  readonly code: string;
  /** Source map of `code` to `text`. */
  readonly map: string;
  readonly text: string;
}

export interface RunRequest extends Script {
  readonly type: "run";
  /** The `msg_id` of the request: whatever the cell puts out, now or later from a timer, carries it. */
  readonly cell: string;
  /** Shown as the cell's name. A cell that is not stored shares it with the last one that was. */
  readonly count: number;
  /** Whether the cell gets into `In`, `Out` and `_`. */
  readonly storeHistory: boolean;
  /** Runtime names that the cell declares; the reply lists those that were initialised. */
  readonly declares: readonly string[];
  /** Those of them that are variables: no import, function, class, enum or namespace, which a cell makes again. */
  readonly variables: readonly string[];
  readonly epochLoops: number;
  /** Loaded before the cell is evaluated. */
  readonly imports: readonly {
    readonly specifier: string;
    readonly options?: { readonly with: Readonly<Record<string, string>> };
  }[];
  /** What earlier cells declared, for a cell with a magic that asks. */
  readonly names: readonly NotebookName[];
  /** `%flush on`: for loops over `lab.epochs(...)`, in which the compiler writes nothing. */
  readonly flush: boolean;
  readonly silent: boolean;
  /** Compiled expressions by key: evaluated after the cell, each failing on its own. */
  readonly userExpressions: Readonly<Record<string, Script>>;
}

export type ToSession =
  | RunRequest
  | { readonly type: "interrupt" }
  /** Ask for what is known of a live value; `expression` is a plain dotted name, nothing that could run code. */
  | { readonly type: "inspect"; readonly id: number; readonly expression: string }
  /** `null`: the client that sent the cell takes no input (`allow_stdin: false`). */
  | { readonly type: "inputReply"; readonly value: string | null }
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
  /** An error after the cell's end: a throwing timer, a rejected promise. Errors of the cell itself come in `done`. */
  | { readonly type: "lateError"; readonly cell: string; readonly error: ErrorContent }
  | {
      readonly type: "inputRequest";
      readonly cell: string;
      readonly prompt: string;
      readonly password: boolean;
    }
  | { readonly type: "inspected"; readonly id: number; readonly text: string | null }
  /**
   * The process's nth interrupt was thrown into the code that ran, or nothing ran: what follows is the cell's own
   * clean-up. May come twice.
   */
  | { readonly type: "interrupted"; readonly interrupt: number }
  /** The cell has ended, and everything that it put out has been sent before this. */
  | {
      readonly type: "done";
      readonly cell: string;
      readonly error?: ErrorContent;
      readonly initialised: readonly string[];
      readonly userExpressions: Readonly<Record<string, UserExpressionResult>>;
    };

export type UserExpressionResult =
  | { readonly status: "ok"; readonly data: MimeBundle; readonly metadata: MimeBundle }
  | ({ readonly status: "error" } & ErrorContent);

const HEADER_BYTES = 4;

export function encodeFrame(message: ToSession | FromSession): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, HEADER_BYTES);
  return frame;
}

/** Reassembles frames from arbitrary chunks of a pipe. */
export class FrameDecoder<Message> {
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;

  push(chunk: Buffer): Message[] {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    const messages: Message[] = [];
    while (this.#bufferedBytes >= HEADER_BYTES) {
      const length = this.#peek(HEADER_BYTES).readUInt32BE(0);
      if (this.#bufferedBytes < HEADER_BYTES + length) break;
      this.#take(HEADER_BYTES);
      messages.push(JSON.parse(this.#take(length).toString("utf8")) as Message);
    }
    return messages;
  }

  /** Joins as few chunks as it takes: a 50 MB frame arrives in 64 KiB pieces and must not be joined 800 times. */
  #peek(length: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= length) return first;
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  #take(length: number): Buffer {
    const whole = this.#peek(length);
    const taken = whole.subarray(0, length);
    if (whole.length === length) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(length);
    this.#bufferedBytes -= length;
    return taken;
  }
}

/**
 * What the session writes down its own stdout and stderr when a cell has ended: native prints and child processes
 * share those descriptors, and the supervisor knows by this mark that it has read all of them.
 *
 * @param token unguessable, one for each process: a cell cannot print it by chance
 */
export function fence(token: string, cell: string): string {
  return `\0${token}:${cell}\0`;
}
