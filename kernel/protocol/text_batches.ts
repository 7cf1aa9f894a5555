// Joins printed text into fewer messages. jupyter_server drops output above 1,000 messages a second, so a loop that
// prints is sent at 10 Hz. Text after a pause is sent at once.

export type StreamName = "stdout" | "stderr";

interface Run {
  readonly name: StreamName;
  readonly texts: string[];
}

const FLUSH_INTERVAL_MS = 100;
const FLUSH_LENGTH = 1 << 20;
/** A slow client may have a thousand messages waiting, so none may be huge. */
const MESSAGE_LENGTH = 1 << 17;
/** The order between stdout and stderr is kept if they alternate less often than this within one interval. */
const ORDERED_RUNS = 16;

export class TextBatches {
  readonly #emit: (cell: string, name: StreamName, text: string) => void;
  readonly #runs = new Map<string, Run[]>();
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushedAtMs = -Infinity;

  constructor(emit: (cell: string, name: StreamName, text: string) => void) {
    this.#emit = emit;
  }

  push(cell: string, name: StreamName, text: string): void {
    let runs = this.#runs.get(cell);
    if (runs === undefined) this.#runs.set(cell, (runs = []));
    const run = runs.length < ORDERED_RUNS ? runs.at(-1) : runs.findLast((earlier) => earlier.name === name);
    if (run?.name === name) run.texts.push(text);
    else runs.push({ name, texts: [text] });

    this.#length += text.length;
    if (this.#length >= FLUSH_LENGTH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#waitMs());
  }

  /** Sends everything that was printed so far. Called before any output that must not overtake it. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    this.#flushedAtMs = performance.now();
    this.#length = 0;
    const pending = [...this.#runs];
    this.#runs.clear();
    for (const [cell, runs] of pending) {
      for (const { name, texts } of runs) {
        for (const text of portions(texts.join(""))) this.#emit(cell, name, text);
      }
    }
  }

  #waitMs(): number {
    return Math.max(0, this.#flushedAtMs + FLUSH_INTERVAL_MS - performance.now());
  }
}

/** Where to cut a long text: at the end of a line, or else between two characters. */
function* portions(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > MESSAGE_LENGTH) {
    const longest = text.slice(start, start + MESSAGE_LENGTH);
    const lines = longest.lastIndexOf("\n") + 1;
    const length = lines > 0 ? lines : longest.length - (endsInHighSurrogate(longest) ? 1 : 0);
    yield longest.slice(0, length);
    start += length;
  }
  yield text.slice(start);
}

function endsInHighSurrogate(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}
