// Makes the running code check the library's deadlines when one expires. The worker sets STOP, as for an interrupt,
// repeatedly until the deadline is disarmed. The library decides whether the code that sees STOP is meant
// (`lib/deadlines.ts`); code of another cell is not. Contains both threads' sides.
import { expiredDeadlineError } from "../../../lib/deadlines.ts";
import { interruptWaits, STOP, UNWOUND } from "../control.ts";
import type { StopRequest } from "./pause.ts";

/** Pause before code is stopped again that continued, or was not running the last time. */
const AGAIN_MS = 20;
/** Longer ones a timer does not know: 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** Tells the worker of a deadline; without milliseconds it is laid to rest. */
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
   * @param signal an interrupt of the cell ends it too: the interrupt may unwind the code that would lay it to rest
   * @returns what lays it to rest
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

/** An interrupt that comes meanwhile has set it for itself. */
function clearStop(words: Int32Array): void {
  Atomics.store(words, STOP, 0);
  if (interruptWaits(words)) Atomics.store(words, STOP, 1);
}

export interface DeadlineEvents {
  /** STOP has been set. */
  expired(): void;
  /** Code that no check stops is to be stopped, unless something watches it already. */
  watch(request: StopRequest): void;
}

/** The worker's side. */
export class DeadlineTimer {
  readonly #words: Int32Array;
  readonly #events: DeadlineEvents;
  readonly #timers = new Map<number, { readonly endMs: number; timeout: NodeJS.Timeout }>();
  readonly #passed = new Set<number>();
  #expiries: NodeJS.Timeout | undefined;
  /** From the first that has passed until the last of them rests; the next time it is another one. */
  #request: StopRequest | null = null;
  /** Set while the user looks at the paused code. */
  #suspendedAtMs: number | null = null;
  /** All pauses together. Deadlines are kept by a clock without them. */
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

  /** The main thread is paused: time does not count. */
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
