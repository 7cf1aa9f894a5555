// Gives memory back that starting up has left behind: pages of V8's heap that are half empty, a young generation that
// has grown. A leaf.
import { Session } from "node:inspector";

/** Starting up is over when nothing has been asked for so long. */
const QUIET_MS = 1000;

/**
 * Compacts this thread's heap once, the first time that it has nothing to do: 25 ms with the compiler loaded, 10 in a
 * session, for 2 to 3 MB each. `gc()` and V8's own collections keep the pages; this is what V8 does when memory is low.
 */
export class IdleHeap {
  readonly #isIdle: () => boolean;
  #timer: NodeJS.Timeout | null;

  /** @param isIdle whether the thread has nothing to do, as far as its owner can tell */
  constructor(isIdle: () => boolean = () => true) {
    this.#isIdle = isIdle;
    this.#timer = setTimeout(() => this.#quiet(), QUIET_MS).unref();
  }

  /** Something was asked. */
  busy(): void {
    this.#timer?.refresh();
  }

  #quiet(): void {
    if (!this.#isIdle()) return this.busy();
    this.#timer = null;
    const session = new Session();
    session.connect();
    // V8 collects in a task of its own, and hangs where the session ends inside of it.
    session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
  }
}
