// A deadline for code that never returns. In a notebook the session keeps it, and stops a package's loop too. In a plain
// program another thread sets a flag at which operators stop; a loop that calls none it cannot stop. Knows nothing of
// what runs.
import { Worker } from "node:worker_threads";
import { installedSession, observeCells } from "../session.ts";
import { native } from "../torch/native.ts";

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(deadlineMs: number, unwound = false) {
    const how = unwound
      ? " The code was stopped inside a package or a built-in function; `finally` blocks around it did not run."
      : "";
    super(`It did not end within ${deadlineMs} ms.${how}`);
  }
}

/** What a measurement asks of it: between `arm` and `disarm`, or the cell's end, code is stopped when the time is up. */
export interface Deadline {
  arm(deadlineMs: number): void;
  disarm(): void;
}

/** Calls code of the user's that may have to be unwound to be stopped, so that this ends here and is thrown. */
export function contained<Result>(work: () => Result): Result {
  const session = installedSession();
  return session === null ? work() : session.contain(work);
}

/** Disarms the one that is armed; there is one at most. */
let disarmLast: (() => void) | null = null;

// An interrupt that has to unwind a package's code may run no `finally`: what stayed armed would stop the next cell.
observeCells({
  cellEnded() {
    disarmLast?.();
  },
});

/** To be closed when it is not needed any more. */
export class Watchdog implements Deadline {
  /** Of a plain program alone. */
  readonly #thread = installedSession() === null ? new WatchdogThread() : null;
  readonly #disarm = () => this.disarm();
  #rest: (() => void) | null = null;

  arm(deadlineMs: number): void {
    disarmLast?.();
    disarmLast = this.#disarm;
    const reason = (unwound: boolean) => new DeadlineError(deadlineMs, unwound);
    this.#rest =
      installedSession()?.stopAfter(deadlineMs, reason) ?? this.#thread!.stopAfter(deadlineMs, reason);
  }

  disarm(): void {
    if (disarmLast !== this.#disarm) return;
    disarmLast = null;
    this.#rest?.();
    this.#rest = null;
  }

  close(): void {
    this.disarm();
    this.#thread?.close();
  }
}

/** Words that both threads see. */
const STOP = 0;
const TURN = 1;
const DEADLINE_MS = 2;
/** The last turn that the thread has seen: from then on it sets no flag of an earlier one. */
const SEEN = 3;
const WORDS = 4;
/** How late a deadline may be seen by an operator. */
const TICK_MS = 20;
/** Under any load the thread sees a turn sooner. */
const SEEN_MS = 1_000;

/** A new turn arms it with its milliseconds, or at 0 lays it to rest. */
const WATCH = `
const { words } = require("node:worker_threads").workerData;
let turn = 0, until = Infinity;
for (;;) {
  Atomics.wait(words, ${TURN}, turn, until === Infinity ? Infinity : ${TICK_MS});
  if (Atomics.load(words, ${TURN}) !== turn) {
    turn = Atomics.load(words, ${TURN});
    const ms = Atomics.load(words, ${DEADLINE_MS});
    until = ms === 0 ? Infinity : Date.now() + ms;
    Atomics.store(words, ${SEEN}, turn);
    Atomics.notify(words, ${SEEN});
  }
  if (Date.now() >= until) Atomics.store(words, ${STOP}, 1);
}`;

class WatchdogThread {
  readonly #words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;

  constructor() {
    this.#worker = new Worker(WATCH, { eval: true, execArgv: [], workerData: { words: this.#words } });
    this.#worker.unref();
  }

  stopAfter(deadlineMs: number, reason: (unwound: boolean) => Error): () => void {
    Atomics.store(this.#words, STOP, 0);
    native.setStopFlag(this.#words, () => {
      Atomics.store(this.#words, STOP, 0);
      throw reason(false);
    });
    // 32 bits of milliseconds are 24 days.
    this.#turn(Math.min(2 ** 31 - 1, Math.max(1, Math.round(deadlineMs))));
    return () => this.#rest();
  }

  #rest(): void {
    const turn = this.#turn(0);
    for (let seen = Atomics.load(this.#words, SEEN); seen !== turn; seen = Atomics.load(this.#words, SEEN)) {
      if (Atomics.wait(this.#words, SEEN, seen, SEEN_MS) === "timed-out") break;
    }
    native.setStopFlag(new Int32Array(1), () => {});
  }

  close(): void {
    void this.#worker.terminate();
  }

  /** @returns its number */
  #turn(deadlineMs: number): number {
    Atomics.store(this.#words, DEADLINE_MS, deadlineMs);
    const turn = Atomics.add(this.#words, TURN, 1) + 1;
    Atomics.notify(this.#words, TURN);
    return turn;
  }
}
