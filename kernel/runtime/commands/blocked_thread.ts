// Stops the child process for which the session's main thread waits in `execSync` or `spawnSync`: only the child's end
// wakes that thread. Runs in the worker.
import { childrenOfThisProcess, stopTree } from "./process_tree.ts";

/** How soon to look again: the blocking call may not have started its child yet. */
const LOOK_AGAIN_MS = 20;

export class BlockedThread {
  readonly #interruptWaits: () => boolean;
  /** The children that run beside the one that the call waits for; null while no call blocks the thread. */
  #others: ReadonlySet<number> | null = null;

  constructor(interruptWaits: () => boolean) {
    this.#interruptWaits = interruptWaits;
  }

  /** A call begins to block the thread; null means that it has returned. */
  waits(others: readonly number[] | null): void {
    this.#others = others && new Set(others);
    if (this.#interruptWaits()) this.stop();
  }

  /** Stops the child, and any that the call starts later, until the call returns. */
  stop(): void {
    const others = this.#others;
    const stopped = new Set<number>();
    const look = (): void => {
      if (others === null || this.#others !== others) return;
      for (const pid of childrenOfThisProcess()) {
        if (others.has(pid) || stopped.has(pid)) continue;
        stopped.add(pid);
        stopTree(pid);
      }
      setTimeout(look, LOOK_AGAIN_MS);
    };
    look();
  }
}
