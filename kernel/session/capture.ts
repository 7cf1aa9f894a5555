// Splits what the session process writes to its own stdout or stderr into text and the marks between cells. Native code
// and child processes write there.
import { StringDecoder } from "node:string_decoder";

/** `fence` in channel.ts makes the marks: NUL, the token, a colon, the cell, NUL. */
export class CapturedStream {
  readonly #decoder = new StringDecoder("utf8");
  readonly #mark: string;
  readonly #text: (text: string) => void;
  readonly #passed = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #rest = "";
  #ended = false;

  constructor(token: string, text: (text: string) => void) {
    this.#mark = `\0${token}:`;
    this.#text = text;
  }

  push(chunk: Buffer): void {
    this.#rest += this.#decoder.write(chunk);
    for (;;) {
      const start = this.#rest.indexOf(this.#mark);
      const end = start < 0 ? -1 : this.#rest.indexOf("\0", start + this.#mark.length);
      if (end < 0) break;
      const cell = this.#rest.slice(start + this.#mark.length, end);
      this.#emit(this.#rest.slice(0, start));
      this.#rest = this.#rest.slice(end + 1);
      this.#pass(cell);
    }
    const held = this.#rest.length - heldBack(this.#rest, this.#mark);
    this.#emit(this.#rest.slice(0, held));
    this.#rest = this.#rest.slice(held);
  }

  /** Passes on the rest, because nothing more will come: the process has ended, or has closed its descriptor. */
  end(): void {
    this.#emit(this.#rest + this.#decoder.end());
    this.#rest = "";
    this.#ended = true;
    for (const cell of this.#waiting.keys()) this.#pass(cell);
  }

  /** Resolves when everything that was written before the cell's mark has been passed on. */
  passed(cell: string): Promise<void> {
    if (this.#ended || this.#passed.delete(cell)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(cell, resolve));
  }

  #pass(cell: string): void {
    const waiting = this.#waiting.get(cell);
    this.#waiting.delete(cell);
    if (waiting) waiting();
    else this.#passed.add(cell);
  }

  #emit(text: string): void {
    if (text !== "") this.#text(text);
  }
}

/** How many characters at the end of the text may belong to a mark that is not complete yet. */
function heldBack(text: string, mark: string): number {
  const start = text.lastIndexOf("\0");
  if (start < 0) return 0;
  const tail = text.slice(start, start + mark.length);
  return mark.startsWith(tail) ? text.length - start : 0;
}
