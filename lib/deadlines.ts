// Deadlines of asynchronous work. Follows work through its timers and promises, so that running code can find the
// deadline that it is under and whether its time is up. It stops no code: code that finds a stop flag set asks
// `expiredDeadlineError()` whether the flag concerns the running code.
//
// Other code runs while the work waits, and is not under its deadline: a cell of another subshell, a second sweep.
import { AsyncLocalStorage } from "node:async_hooks";
import { pausedMs } from "./session.ts";

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(deadlineMs: number, unwound = false) {
    const how = unwound
      ? " The code was stopped inside a package or a built-in function; `finally` blocks around it did not run."
      : "";
    super(
      `The measurement ran longer than its deadline (deadlineMs: ${deadlineMs}) and was stopped.${how}` +
        " Raise deadlineMs, or make the step smaller.",
    );
  }
}

/** Bound at load, because a cell may replace `globalThis.performance`. */
const clockMs = performance.now.bind(performance);
/** The clock without the time in which the user's debugger held the code. */
const nowMs = (): number => clockMs() - pausedMs();
const scopes = new AsyncLocalStorage<Deadline>();
let abandoned = 0;

/** Runs from its construction to `disarm()`. */
export class Deadline {
  readonly deadlineMs: number;
  readonly #endMs: number;
  /** The deadline of the surrounding work, because a part of that work may have a deadline of its own. */
  readonly #outer = scopes.getStore();
  readonly #awaits = new Set<(reason: Error) => void>();
  /** Until this time the stopped code may clean up. */
  #spareUntilMs = 0;
  #isDisarmed = false;
  #isAbandoned = false;
  #escaped: { readonly error: unknown } | null = null;

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#endMs = nowMs() + deadlineMs;
  }

  /** The innermost deadline of the running code. */
  static current(): Deadline | undefined {
    return scopes.getStore();
  }

  /** Calls `work` under this deadline, with everything that `work` starts, however late that runs. */
  run<Result>(work: () => Result): Result {
    return scopes.run(this, work);
  }

  get leftMs(): number {
    return this.#endMs - nowMs();
  }

  /**
   * Returns the outermost expired deadline of this chain, or null. The outermost wins because its error stops everything
   * nested in it. Skips a deadline that was disarmed, or whose code is still cleaning up.
   */
  outermostExpired(): Deadline | null {
    const isExpired = !this.#isDisarmed && this.leftMs <= 0 && nowMs() >= this.#spareUntilMs;
    return this.#outer?.outermostExpired() ?? (isExpired ? this : null);
  }

  /** Registers a pending await, which `reject` ends. The caller must call `awaitEnds` when the await settles. */
  awaitBegins(reject: (reason: Error) => void): void {
    this.#awaits.add(reject);
    this.#outer?.awaitBegins(reject);
  }

  awaitEnds(reject: (reason: Error) => void): void {
    this.#awaits.delete(reject);
    this.#outer?.awaitEnds(reject);
  }

  /**
   * Rejects all pending awaits. Code that catches the error is not stopped again for `cleanUpMs`: otherwise a check in its
   * `finally` block would throw once more.
   *
   * @returns whether anything was awaited
   */
  rejectAwaits(cleanUpMs: number): boolean {
    this.#spareUntilMs = nowMs() + cleanUpMs;
    const awaits = [...this.#awaits];
    this.#awaits.clear();
    for (const reject of awaits) reject(new DeadlineError(this.deadlineMs));
    return awaits.length > 0;
  }

  /** Whether any await under this deadline is still pending. */
  get isAwaiting(): boolean {
    return this.#awaits.size > 0;
  }

  /** Records an error that no caller can catch: one thrown in a timer, or by a promise without handlers. Keeps the first. */
  escapes(error: unknown): void {
    this.#escaped ??= { error };
    this.#outer?.escapes(error);
  }

  /** @throws the first error that `escapes` recorded */
  throwEscaped(): void {
    if (this.#escaped !== null) throw this.#escaped.error;
  }

  /** Ends the deadline because its work has ended. Code that the work left running is not stopped any more. */
  disarm(): void {
    this.#isDisarmed = true;
  }

  /** Ends the deadline of work whose result is not awaited any more: its code never continues after its next await. */
  abandon(): void {
    this.disarm();
    this.#isAbandoned = true;
    abandoned++;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned || this.#outer?.isAbandoned === true;
  }
}

/** How often work was abandoned at its deadline since this process began. */
export function abandonedCount(): number {
  return abandoned;
}

/**
 * Returns the error to throw where a stop flag was seen, or null if the running code has time left or no deadline.
 *
 * @param unwound whether the code has been unwound, without its `finally` blocks
 */
export function expiredDeadlineError(unwound = false): DeadlineError | null {
  const expired = scopes.getStore()?.outermostExpired() ?? null;
  return expired && new DeadlineError(expired.deadlineMs, unwound);
}
