// Returns memory that loading code has left behind: half-empty pages of V8's heap, and a young generation that has
// grown.

/** Starting up, and a cell with its imports, are over when nothing has been asked for so long. */
const QUIET_MS = 1000;

/**
 * Compacts this thread's heap once, the first time that it has nothing to do, and once after each `loaded`: 20 to 30 ms
 * of processor time, for 3 to 8 MB. `gc()` and V8's own collections keep the pages; this is what V8 does when memory is
 * low.
 */
export class IdleHeap {
  readonly #isIdle: () => boolean;
  #timer: NodeJS.Timeout | null;

  /** @param isIdle whether the thread has nothing to do, as far as its owner can tell */
  constructor(isIdle: () => boolean = () => true) {
    this.#isIdle = isIdle;
    this.#timer = this.#start();
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => void this.#quiet(), QUIET_MS).unref();
  }

  /** Something was asked. */
  busy(): void {
    this.#timer?.refresh();
  }

  /** Code has been loaded, or is about to be: what that leaves behind is worth another time. */
  loaded(): void {
    this.#timer ??= this.#start();
  }

  async #quiet(): Promise<void> {
    if (!this.#isIdle()) return this.busy();
    this.#timer = null;
    // Loading it takes 1.6 ms, which the first reply would wait for.
    const { Session } = await import("node:inspector");
    const session = new Session();
    session.connect();
    // V8 collects in a task of its own, and hangs where the session ends inside of it.
    session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
  }
}
