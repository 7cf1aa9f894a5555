// Makes the running code check the library's deadlines when one expires. The worker sets STOP, as for an interrupt,
// repeatedly until the deadline is disarmed. The library decides whether the deadline applies to the code that sees
// STOP (`lib/deadlines.ts`); to code of another cell it does not. Contains both threads' sides.
import { expiredDeadlineError } from "../../../lib/deadlines.ts";
import { interruptWaits, STOP, UNWOUND } from "../control.ts";
import type { StopRequest } from "./pause.ts";

/** How long to wait before stopping again code that went on, or that was not running the last time. */
const AGAIN_MS = 20;
/** The longest delay of a timer: 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** Tells the worker of a deadline. Without milliseconds, the deadline is disarmed. */
export interface DeadlineNotice {
  readonly number: number;
  readonly deadlineMs: number | null;
}

/** The main thread's side. */
export class Deadlines {
  readonly #words: Int32Array;
  readonly #post: (notice: DeadlineNotice) => void;
  #number = 0;

  constructor(words: Int32Array, post: (notice: DeadlineNotice) => void) {
    this.#words = words;
    this.#post = post;
  }

  /**
   * @param signal an interrupt of the cell also disarms the deadline, because it may unwind the code that would do so
   * @returns a function that disarms the deadline
   */
  arm(deadlineMs: number, signal: AbortSignal | undefined): () => void {
    const number = ++this.#number;
    const rest = (): void => {
      signal?.removeEventListener("abort", rest);
      this.#post({ number, deadlineMs: null });
    };
    signal?.addEventListener("abort", rest);
    this.#post({ number, deadlineMs: Math.min(MAX_MS, deadlineMs) });
    return rest;
  }

  /** Returns the error to throw after STOP was seen and no interrupt waits. Null if the running code may go on. */
  passed(): Error | null {
    clearStop(this.#words);
    return expiredDeadlineError();
  }

  /** Returns the error to throw after the worker has unwound code. Null if it did so for an interrupt. */
  unwound(): Error | null {
    return Atomics.exchange(this.#words, UNWOUND, 0) === 0 ? null : expiredDeadlineError(true);
  }
}

/** An interrupt that comes meanwhile needs STOP for itself, so it is set again. */
function clearStop(words: Int32Array): void {
  Atomics.store(words, STOP, 0);
  if (interruptWaits(words)) Atomics.store(words, STOP, 1);
}

export interface DeadlineEvents {
  /** STOP has been set. */
  expired(): void;
  /** Stops code that has no checks, unless something is doing so already. */
  watch(request: StopRequest): void;
}

/** The worker's side. */
export class DeadlineTimer {
  readonly #words: Int32Array;
  readonly #events: DeadlineEvents;
  readonly #timers = new Map<number, { readonly endMs: number; timeout: NodeJS.Timeout }>();
  readonly #passed = new Set<number>();
  #expiries: NodeJS.Timeout | undefined;
  /** One request lasts from the first deadline that has passed until all of them are disarmed. */
  #request: StopRequest | null = null;
  /** When the user began to look at paused code; null while none is paused. */
  #suspendedAtMs: number | null = null;
  /** The length of all pauses together. Deadlines go by a clock that stops during pauses. */
  #pausedMs = 0;

  constructor(words: Int32Array, events: DeadlineEvents) {
    this.#words = words;
    this.#events = events;
  }

  watch({ number, deadlineMs }: DeadlineNotice): void {
    if (deadlineMs !== null) {
      this.#start(number, this.#nowMs() + deadlineMs);
      return;
    }
    clearTimeout(this.#timers.get(number)?.timeout);
    this.#timers.delete(number);
    this.#passed.delete(number);
    if (this.#passed.size > 0) return;
    clearInterval(this.#expiries);
    this.#request = null;
  }

  /** The main thread is paused, and this time does not count. */
  suspend(): void {
    this.#suspendedAtMs ??= performance.now();
    for (const { timeout } of this.#timers.values()) clearTimeout(timeout);
    clearInterval(this.#expiries);
  }

  resume(): void {
    if (this.#suspendedAtMs === null) return;
    this.#pausedMs += performance.now() - this.#suspendedAtMs;
    this.#suspendedAtMs = null;
    for (const [number, { endMs }] of this.#timers) {
      if (!this.#passed.has(number)) this.#start(number, endMs);
    }
    if (this.#passed.size > 0) this.#expiries = setInterval(() => this.#expire(), AGAIN_MS);
  }

  #nowMs(): number {
    return (this.#suspendedAtMs ?? performance.now()) - this.#pausedMs;
  }

  #start(number: number, endMs: number): void {
    const timeout = setTimeout(() => this.#pass(number), Math.max(0, endMs - this.#nowMs()));
    if (this.#suspendedAtMs !== null) clearTimeout(timeout);
    this.#timers.set(number, { endMs, timeout });
  }

  #pass(number: number): void {
    this.#passed.add(number);
    this.#request ??= this.#newRequest();
    clearInterval(this.#expiries);
    this.#expiries = setInterval(() => this.#expire(), AGAIN_MS);
    this.#expire();
  }

  #expire(): void {
    Atomics.store(this.#words, STOP, 1);
    this.#events.expired();
    if (this.#request !== null) this.#events.watch(this.#request);
  }

  #newRequest(): StopRequest {
    const request: StopRequest = {
      isAnswered: () => this.#request !== request,
      concernsAll: false,
      restarts: () => Atomics.store(this.#words, STOP, 1),
      unwinds: () => Atomics.store(this.#words, UNWOUND, 1),
    };
    return request;
  }
}
