// A deadline for what runs on the main thread: the worker sets STOP when the time is up, as for an interrupt, and whoever
// sees it throws what the library gave for it. Both threads' sides. Knows no cells.
//
// One word tells how far it has come. It is laid to rest from the main thread, at once and for good: from then on the
// worker sets STOP for an interrupt alone.
import { DEADLINE, interruptWaits, STOP } from "./control.ts";
import type { StopRequest } from "./pause.ts";

/** Nobody is to be stopped. Positive numbers are deadlines that have not passed. */
const RESTING = 0;
/** The worker is about to set STOP: it takes it less than a microsecond. */
const STRIKING = -1;
/** The time is up, and what runs is to be stopped, again and again: it may catch what is thrown and go on. */
const PASSED = -2;
/** The worker has unwound what ran; nothing has told so yet. */
const UNWOUND = -3;
/** How soon code that went on is stopped again. */
const AGAIN_MS = 20;
/** Longer ones a timer does not know: 24 days. */
const MOST_MS = 2 ** 31 - 1;
/** Under any load the worker has ended its strike sooner. */
const STRUCK_MS = 1_000;

/** @param unwound whether the code was unwound, without its `finally` blocks */
export type DeadlineReason = (unwound: boolean) => Error;

export interface ArmedDeadline {
  readonly number: number;
  readonly deadlineMs: number;
}

/** The main thread's side. */
export class Deadlines {
  readonly #words: Int32Array;
  readonly #post: (armed: ArmedDeadline) => void;
  #number = 0;
  #reason: DeadlineReason | null = null;

  constructor(words: Int32Array, post: (armed: ArmedDeadline) => void) {
    this.#words = words;
    this.#post = post;
  }

  /**
   * One at a time: it lays an earlier one to rest.
   *
   * @returns what lays it to rest
   */
  readonly arm = (deadlineMs: number, reason: DeadlineReason): (() => void) => {
    this.#rest();
    const number = (this.#number = (this.#number % MOST_MS) + 1);
    this.#reason = reason;
    Atomics.store(this.#words, DEADLINE, number);
    this.#post({ number, deadlineMs: Math.min(MOST_MS, deadlineMs) });
    return () => {
      if (this.#number === number && this.#reason === reason) this.#rest();
    };
  };

  /** What is to be thrown where STOP was seen; null where no deadline has passed, or an interrupt has come. */
  passed(): Error | null {
    const state = Atomics.load(this.#words, DEADLINE);
    const isOver = state === STRIKING || state === PASSED;
    if (!isOver || this.#reason === null || interruptWaits(this.#words)) return null;
    this.#clearStop();
    return this.#reason(false);
  }

  /** What is to be thrown where the worker has unwound code; null where it did so for an interrupt. */
  unwound(): Error | null {
    if (Atomics.compareExchange(this.#words, DEADLINE, UNWOUND, RESTING) !== UNWOUND) return null;
    return this.#reason?.(true) ?? null;
  }

  #rest(): void {
    this.#reason = null;
    const words = this.#words;
    for (;;) {
      const state = Atomics.load(words, DEADLINE);
      if (state === STRIKING) {
        if (Atomics.wait(words, DEADLINE, STRIKING, STRUCK_MS) === "timed-out") break;
      } else if (Atomics.compareExchange(words, DEADLINE, state, RESTING) === state) break;
    }
    this.#clearStop();
  }

  /** An interrupt that comes meanwhile has set it for itself. */
  #clearStop(): void {
    if (interruptWaits(this.#words)) return;
    Atomics.store(this.#words, STOP, 0);
    if (interruptWaits(this.#words)) Atomics.store(this.#words, STOP, 1);
  }
}

/** The worker's side. */
export class DeadlineTimer {
  readonly #words: Int32Array;
  readonly #watch: (request: StopRequest) => void;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;

  /** @param watch stops the code that no check stops */
  constructor(words: Int32Array, watch: (request: StopRequest) => void) {
    this.#words = words;
    this.#watch = watch;
  }

  arm({ number, deadlineMs }: ArmedDeadline): void {
    this.#number = number;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#strike(number)) return;
      this.#watch({
        isAnswered: () => this.#number !== number || Atomics.load(this.#words, DEADLINE) !== PASSED,
        unwinds: () => this.#unwinds(),
      });
      this.#timer = setInterval(() => this.#strike(PASSED) || clearInterval(this.#timer), AGAIN_MS);
    }, deadlineMs);
  }

  #unwinds(): void {
    if (Atomics.compareExchange(this.#words, DEADLINE, PASSED, UNWOUND) !== PASSED) return;
    if (!interruptWaits(this.#words)) Atomics.store(this.#words, STOP, 0);
  }

  /** @returns whether the word was `from`; it is `PASSED` then */
  #strike(from: number): boolean {
    const words = this.#words;
    if (Atomics.compareExchange(words, DEADLINE, from, STRIKING) !== from) return false;
    Atomics.store(words, STOP, 1);
    Atomics.store(words, DEADLINE, PASSED);
    Atomics.notify(words, DEADLINE);
    return true;
  }
}
