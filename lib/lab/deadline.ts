// A deadline for code that never returns: another thread sets the flag at which operators stop. What calls no operator
// it cannot stop, nor does it touch the user's interrupt, which goes on stopping both. Knows nothing of what runs.
import { Worker } from "node:worker_threads";
import { installedSession } from "../session.ts";
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
const WORDS = 3;
/** How late a deadline or an interrupt may be seen by an operator. */
const TICK_MS = 20;

/** A new turn arms it with its milliseconds, or at 0 lays it to rest. `user` is the session's own flag. */
const WATCH = `
const { words, user } = require("node:worker_threads").workerData;
let turn = 0, until = Infinity;
for (;;) {
  Atomics.wait(words, ${TURN}, turn, until === Infinity ? Infinity : ${TICK_MS});
  if (Atomics.load(words, ${TURN}) !== turn) {
    turn = Atomics.load(words, ${TURN});
    const ms = Atomics.load(words, ${DEADLINE_MS});
    until = ms === 0 ? Infinity : Date.now() + ms;
  }
  if (Date.now() >= until) Atomics.store(words, ${STOP}, 1);
  if (until !== Infinity && user !== null && Atomics.load(user, 0) !== 0) Atomics.store(words, ${STOP}, 1);
}`;

/** What a measurement asks of it. */
export interface Deadline {
  arm(deadlineMs: number): void;
  disarm(): void;
}

/** One thread for as long as it is not closed. Between `arm` and `disarm` operators stop at its flag. */
export class Watchdog implements Deadline {
  readonly #words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
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
    this.#deadlineMs = deadlineMs;
    Atomics.store(this.#words, STOP, 0);
    native.setStopFlag(this.#words, () => this.#stop());
    // 32 bits of milliseconds are 24 days.
    this.#turn(Math.min(2 ** 31 - 1, Math.max(1, Math.round(deadlineMs))));
  }

  disarm(): void {
    this.#turn(0);
    const session = installedSession();
    if (session) native.setStopFlag(session.stopFlag, session.interrupted);
    else native.setStopFlag(new Int32Array(1), () => {});
  }

  close(): void {
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
