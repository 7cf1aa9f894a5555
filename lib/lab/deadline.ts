// A deadline for code that never returns: another thread sets the flags at which operators and the loops of cells stop. A
// package's loop that calls no operator it cannot stop. The user's interrupt goes on stopping all. Knows nothing of what
// runs.
import { Worker } from "node:worker_threads";
import { installedSession, observeCells } from "../session.ts";
import { native } from "../torch/native.ts";

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(deadlineMs: number) {
    super(`It did not end within ${deadlineMs} ms.`);
  }
}

/** Words that both threads see. */
const STOP = 0;
const TURN = 1;
const DEADLINE_MS = 2;
/** The last turn that the thread has seen: from then on it sets no flag of an earlier one. */
const SEEN = 3;
const WORDS = 4;
/** How late a deadline or an interrupt may be seen by an operator. */
const TICK_MS = 20;
/** Under any load the thread sees a turn sooner. */
const SEEN_MS = 1_000;

/**
 * A new turn arms it with its milliseconds, or at 0 lays it to rest. `user` is the session's own flag, at which compiled
 * loops stop: the deadline sets it too.
 */
const WATCH = `
const { words, user } = require("node:worker_threads").workerData;
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
  if (Date.now() >= until) {
    Atomics.store(words, ${STOP}, 1);
    if (user !== null) Atomics.store(user, 0, 1);
  }
  if (until !== Infinity && user !== null && Atomics.load(user, 0) !== 0) Atomics.store(words, ${STOP}, 1);
}`;

/** What a measurement asks of it. */
export interface Deadline {
  arm(deadlineMs: number): void;
  disarm(): void;
}

/** Disarms the one that is armed; there is one at most. */
let disarmLast: (() => void) | null = null;

// An interrupt that has to unwind a package's code runs no `finally`: what stayed armed would stop the next cell.
observeCells({
  cellEnded() {
    disarmLast?.();
  },
});

/** One thread for as long as it is not closed. Between `arm` and `disarm`, or the cell's end, code stops at its flags. */
export class Watchdog implements Deadline {
  readonly #words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  readonly #disarm = () => this.disarm();
  #deadlineMs = 0;

  constructor() {
    const user = installedSession()?.stopFlag ?? null;
    this.#worker = new Worker(WATCH, {
      eval: true,
      execArgv: [],
      workerData: { words: this.#words, user: user?.buffer instanceof SharedArrayBuffer ? user : null },
    });
    this.#worker.unref();
  }

  arm(deadlineMs: number): void {
    disarmLast?.();
    disarmLast = this.#disarm;
    this.#deadlineMs = deadlineMs;
    installedSession()?.stopOtherwise(() => new DeadlineError(deadlineMs));
    Atomics.store(this.#words, STOP, 0);
    native.setStopFlag(this.#words, () => this.#stop());
    // 32 bits of milliseconds are 24 days.
    this.#turn(Math.min(2 ** 31 - 1, Math.max(1, Math.round(deadlineMs))));
  }

  disarm(): void {
    if (disarmLast !== this.#disarm) return;
    disarmLast = null;
    this.#turn(0);
    const turn = Atomics.load(this.#words, TURN);
    for (let seen = Atomics.load(this.#words, SEEN); seen !== turn; seen = Atomics.load(this.#words, SEEN)) {
      if (Atomics.wait(this.#words, SEEN, seen, SEEN_MS) === "timed-out") break;
    }
    const session = installedSession();
    session?.stopOtherwise(null);
    if (session) native.setStopFlag(session.stopFlag, session.interrupted);
    else native.setStopFlag(new Int32Array(1), () => {});
  }

  close(): void {
    this.disarm();
    void this.#worker.terminate();
  }

  #turn(deadlineMs: number): void {
    Atomics.store(this.#words, DEADLINE_MS, deadlineMs);
    Atomics.add(this.#words, TURN, 1);
    Atomics.notify(this.#words, TURN);
  }

  #stop(): never {
    Atomics.store(this.#words, STOP, 0);
    const session = installedSession();
    if (session && Atomics.load(session.stopFlag, 0) !== 0) session.interrupted();
    throw new DeadlineError(this.#deadlineMs);
  }
}
