// Buffers text of code that prints fast, so that 20,000 lines are not 20,000 writes. The first lines of every 10 ms are
// written at once; later ones are collected in shared memory. They are written when the buffer is full or something
// else is reported. Otherwise the worker thread writes them a moment later, even if the main thread loops.
//
//     print, print, print ... -> [bytes in shared memory] -> one frame
//
// A process that a signal kills loses only text that it buffered in its last milliseconds.
import type { FromSession } from "../../session/channel.ts";

export type TextReport = Extract<FromSession, { type: "stream" }>;

export interface SharedText {
  readonly words: Int32Array;
  /** The cell and the stream of the text as JSON, then the text in UTF-8. */
  readonly bytes: Uint8Array;
}

/**
 * Indices of words: the text lies between START and END, and PREFIX is the length of the JSON with its cell and stream.
 */
const START = 0;
const END = 1;
const PREFIX = 2;
/** The thread that is writing the buffer out: NOBODY, MAIN or WORKER. It serves as a lock; appending needs none. */
const WRITER = 3;
/** 1 if the worker has been asked to look. */
const AWAITED = 4;
const WORDS = 5;
const [NOBODY, MAIN, WORKER] = [0, 1, 2];

/** Saved here, because a cell may replace the clock and the functions that `tryAppendFast` uses. */
const now = performance.now.bind(performance);
const { load, store, exchange } = Atomics;
const CAPACITY = 1 << 16;
/** The most bytes that UTF-8 needs for one UTF-16 unit. */
const MAX_BYTES = 3;
const WINDOW_MS = 10;
const WRITES_IN_WINDOW = 64;

export function createSharedText(): SharedText {
  return {
    words: new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)),
    bytes: new Uint8Array(new SharedArrayBuffer(CAPACITY)),
  };
}

/** The main thread's side. */
export class OutputBuffer {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  readonly #write: (report: TextReport) => void;
  readonly #awaken: () => void;
  /** Buffer's own `write`. */
  readonly #encode: (text: string, at: number, encoding: "utf8") => number;
  #cell = "";
  #name: TextReport["name"] = "stdout";
  #windowEndMs = 0;
  #writesLeft = 0;

  /** @param awaken called when the worker should look for text */
  constructor({ words, bytes }: SharedText, write: (report: TextReport) => void, awaken: () => void) {
    this.#words = words;
    this.#bytes = Buffer.from(bytes.buffer);
    this.#encode = this.#bytes.write.bind(this.#bytes);
    this.#write = write;
    this.#awaken = awaken;
  }

  /**
   * A faster `tryAppend` for text that continues the buffered one. Uses no built-in that a cell can replace. False means
   * that `tryAppend` must be called.
   */
  tryAppendFast(cell: string, name: TextReport["name"], text: string): boolean {
    if (this.#writesLeft >= 0 || cell !== this.#cell || name !== this.#name) return false;
    if (now() > this.#windowEndMs) return false;
    const end = load(this.#words, END);
    if (end + text.length * MAX_BYTES > CAPACITY) return false;
    this.#append(text, end);
    return true;
  }

  /** Returns whether the text was buffered. If not, the caller must report it now. */
  tryAppend(cell: string, name: TextReport["name"], text: string): boolean {
    if (this.#mayWriteNow()) return false;
    const maxBytes = text.length * MAX_BYTES;
    const end = Atomics.load(this.#words, END);
    if (cell !== this.#cell || name !== this.#name || end + maxBytes > CAPACITY) {
      this.flush();
      this.#begin(cell, name);
      if (Atomics.load(this.#words, END) + maxBytes > CAPACITY) return false;
    }
    this.#append(text, load(this.#words, END));
    return true;
  }

  #append(text: string, at: number): void {
    store(this.#words, END, at + this.#encode(text, at, "utf8"));
    if (exchange(this.#words, AWAITED, 1) === 0) this.#awaken();
  }

  /** Writes the buffered text. Must be called before anything else is reported. */
  flush(): void {
    const words = this.#words;
    if (Atomics.load(words, START) === Atomics.load(words, END)) return;
    this.#lock();
    try {
      const text = textOf(words, this.#bytes);
      if (text !== "") this.#write({ type: "stream", cell: this.#cell, name: this.#name, text });
      empty(words);
    } finally {
      Atomics.store(words, WRITER, NOBODY);
    }
  }

  #mayWriteNow(): boolean {
    const nowMs = now();
    if (nowMs > this.#windowEndMs) {
      this.#windowEndMs = nowMs + WINDOW_MS;
      this.#writesLeft = WRITES_IN_WINDOW;
    }
    return --this.#writesLeft >= 0;
  }

  #begin(cell: string, name: TextReport["name"]): void {
    this.#lock();
    this.#cell = cell;
    this.#name = name;
    Atomics.store(this.#words, PREFIX, this.#bytes.write(JSON.stringify({ cell, name }), "utf8"));
    empty(this.#words);
    Atomics.store(this.#words, WRITER, NOBODY);
  }

  /**
   * If this thread finds its own lock, code that was unwound from outside left it behind, and it protects nothing any
   * more.
   */
  #lock(): void {
    for (;;) {
      const writer = Atomics.compareExchange(this.#words, WRITER, NOBODY, MAIN);
      if (writer !== WORKER) return;
      Atomics.wait(this.#words, WRITER, WORKER);
    }
  }
}

/** The worker thread's side. It must not block, because interrupts arrive there. */
export class OutputBufferDrain {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  readonly #write: (report: TextReport) => Promise<void>;

  constructor({ words, bytes }: SharedText, write: (report: TextReport) => Promise<void>) {
    this.#words = words;
    this.#bytes = Buffer.from(bytes.buffer);
    this.#write = write;
  }

  /** Writes the buffered text, unless the main thread is doing so. */
  async flush(): Promise<void> {
    const words = this.#words;
    Atomics.store(words, AWAITED, 0);
    if (Atomics.compareExchange(words, WRITER, NOBODY, WORKER) !== NOBODY) return;
    try {
      const end = Atomics.load(words, END);
      const text = this.#bytes.toString("utf8", Atomics.load(words, START), end);
      const run = this.#bytes.toString("utf8", 0, Atomics.load(words, PREFIX));
      if (text !== "") {
        await this.#write({
          type: "stream",
          ...(JSON.parse(run) as Pick<TextReport, "cell" | "name">),
          text,
        });
      }
      Atomics.store(words, START, end);
    } finally {
      Atomics.store(words, WRITER, NOBODY);
      Atomics.notify(words, WRITER);
    }
  }
}

function textOf(words: Int32Array, bytes: Buffer): string {
  return bytes.toString("utf8", Atomics.load(words, START), Atomics.load(words, END));
}

function empty(words: Int32Array): void {
  const start = Atomics.load(words, PREFIX);
  Atomics.store(words, START, start);
  Atomics.store(words, END, start);
}
