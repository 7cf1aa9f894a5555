// Returns memory that loading code has left behind: half-empty pages of V8's heap, and a young generation that has
// grown.

/**
 * The thread counts as idle when nothing has been asked of it for this long: starting up, or a cell with its imports,
 * is over then.
 */
const QUIET_MS = 1000;

/**
 * Compacts this thread's heap once, the first time that it has nothing to do, and once after each `loaded`: 20 to 30 ms
 * of processor time, for 3 to 8 MB. `gc()` and V8's own collections keep the pages. This collection returns them, as V8
 * does when memory is low.
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
    return setTimeout(() => void this.#compactIfIdle(), QUIET_MS).unref();
  }

  /** Something was asked of the thread. */
  busy(): void {
    this.#timer?.refresh();
  }

  /** Code has been loaded, or is about to be: the heap is compacted once more. */
  loaded(): void {
    this.#timer ??= this.#start();
  }

  async #compactIfIdle(): Promise<void> {
    if (!this.#isIdle()) return this.busy();
    this.#timer = null;
    // The inspector is loaded only here: it takes 1.6 ms, for which the first reply would wait.
    const { Session } = await import("node:inspector");
    const session = new Session();
    session.connect();
    // V8 collects in a task of its own, and hangs if the session ends inside that task.
    session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
  }
}
