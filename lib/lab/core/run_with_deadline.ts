// Stops work at its deadline, even if its code never returns or its promise never settles. In a notebook the session
// stops it, including a loop in a package. In a plain program another thread sets a flag that operators check; a loop
// without operators cannot be stopped.
import { Worker } from "node:worker_threads";
import { Deadline, DeadlineError, expiredDeadlineError } from "../../deadlines.ts";
import { installedSession } from "../../session.ts";
import { native } from "../../torch/engine/native.ts";
import { type Steps, withHooks } from "./run_steps.ts";

/** How long the work may clean up after its awaits were rejected. After that it is held at its next await. */
const CLEAN_UP_MS = 1_000;
const LOOK_AGAIN_MS = 5;

/** Calls user code that may have to be unwound to stop it; the unwinding ends here, as a thrown error. */
export function contained<Result>(work: () => Result): Result {
  const session = installedSession();
  return session === null ? work() : session.contain(work);
}

/**
 * Runs steps that throw a DeadlineError at the deadline, and at their end what a timer or promise that they started has
 * thrown. Other work continues meanwhile, under its own deadlines. In a notebook, code that catches the error and
 * continues is held at its next `await`. Timers, packages and plain programs cannot be held (see
 * sweep/abandoned_work.ts).
 */
export function* withinDeadline<Result>(steps: Steps<Result>, deadlineMs: number): Steps<Result> {
  const deadline = new Deadline(deadlineMs);
  const stopNoMore = (installedSession() ?? watchdogThread()).stopAfter(deadlineMs);
  const rest = () => {
    deadline.disarm();
    stopNoMore();
  };
  try {
    const result = yield* withHooks(steps, {
      stretch: (work) => deadline.run(() => contained(work)),
      awaited: (pending) => settledInTime(pending, deadline),
    });
    deadline.throwEscaped();
    return result;
  } catch (thrown) {
    rest();
    if (thrown instanceof DeadlineError) {
      // An outer function was rejected together with inner ones, whose `finally` may still run.
      if (deadline.isAwaiting) yield cleanedUp(deadline);
      deadline.abandon();
    }
    throw thrown;
  } finally {
    rest();
  }
}

async function cleanedUp(deadline: Deadline): Promise<void> {
  while (deadline.isAwaiting && deadline.leftMs > -CLEAN_UP_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

/** Rejects at the deadline or at the interrupt: if a package's code was unwound, its promises never settle. */
async function settledInTime(pending: PromiseLike<unknown>, deadline: Deadline): Promise<unknown> {
  const signal = installedSession()?.cellSignal();
  let end = () => {};
  const ended = new Promise<never>((_, reject) => {
    const abandon = () => reject(new DeadlineError(deadline.deadlineMs));
    const pass = () => {
      if (deadline.rejectAwaits(CLEAN_UP_MS)) timer = setTimeout(abandon, CLEAN_UP_MS);
      else abandon();
    };
    let timer = setTimeout(pass, Math.max(0, deadline.leftMs));
    const interrupted = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", interrupted, { once: true });
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupted);
    };
  });
  try {
    return await Promise.race([pending, ended]);
  } finally {
    end();
  }
}

/** Indices into the shared array that both threads see. */
const STOP = 0;
/** Counts the changes of `LEFT_MS`. */
const TURN = 1;
const LEFT_MS = 2;
const WORDS = 3;
/** How late an operator may notice that a deadline has expired. */
const TICK_MS = 20;
/** The largest value that a 32-bit integer holds, 24 days in milliseconds. */
const MAX_MS = 2 ** 31 - 1;
const NONE = -1;

/** The watching thread; each message says in how many milliseconds the first deadline expires. */
const WATCH = `
const { words } = require("node:worker_threads").workerData;
let turn = 0, untilMs = Infinity;
for (;;) {
  Atomics.wait(words, ${TURN}, turn, untilMs === Infinity ? Infinity : ${TICK_MS});
  if (Atomics.load(words, ${TURN}) !== turn) {
    turn = Atomics.load(words, ${TURN});
    const leftMs = Atomics.load(words, ${LEFT_MS});
    untilMs = leftMs === ${NONE} ? Infinity : performance.now() + leftMs;
  }
  if (performance.now() >= untilMs) Atomics.store(words, ${STOP}, 1);
}`;

let thread: WatchdogThread | null = null;

/** One thread serves all deadlines, because operators check only one flag. */
function watchdogThread(): WatchdogThread {
  return (thread ??= new WatchdogThread());
}

class WatchdogThread {
  readonly #words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  /** When each deadline expires. */
  readonly #armed = new Set<{ readonly endMs: number }>();

  constructor() {
    native.setStopFlag(this.#words, () => {
      Atomics.store(this.#words, STOP, 0);
      const late = expiredDeadlineError();
      if (late !== null) throw late;
    });
    new Worker(WATCH, { eval: true, execArgv: [], workerData: { words: this.#words } }).unref();
  }

  stopAfter(deadlineMs: number): () => void {
    const armed = { endMs: performance.now() + deadlineMs };
    this.#armed.add(armed);
    this.#turn();
    return () => {
      this.#armed.delete(armed);
      this.#turn();
    };
  }

  #turn(): void {
    const firstMs = Math.min(...[...this.#armed].map(({ endMs }) => endMs)) - performance.now();
    const leftMs = this.#armed.size === 0 ? NONE : Math.min(MAX_MS, Math.max(0, Math.ceil(firstMs)));
    Atomics.store(this.#words, LEFT_MS, leftMs);
    Atomics.add(this.#words, TURN, 1);
    Atomics.notify(this.#words, TURN);
  }
}
