// Deadlines of asynchronous work: which one the code that runs now is under, followed through its timers and promises,
// and whether its time is up. A leaf: it stops nothing. Whoever sees a stop flag asks here whether it is meant.
//
// Code of others runs while the work waits, and is not under its deadline: a cell of another subshell, a sweep beside.
import { AsyncLocalStorage } from "node:async_hooks";

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(deadlineMs: number, unwound = false) {
    const how = unwound
      ? " The code was stopped inside a package or a built-in function; `finally` blocks around it did not run."
      : "";
    super(`It did not end within ${deadlineMs} ms.${how}`);
  }
}

/** A cell may replace `globalThis.performance`. */
const nowMs = performance.now.bind(performance);
const scopes = new AsyncLocalStorage<Deadline>();
let left = 0;

/** From its making to `rest()`. */
export class Deadline {
  readonly deadlineMs: number;
  readonly #endMs: number;
  /** Work under one deadline may set another for a part of it. */
  readonly #outer = scopes.getStore();
  readonly #awaits = new Set<(reason: Error) => void>();
  /** Until then its code cleans up. */
  #spareUntilMs = 0;
  #rests = false;
  #isLeft = false;
  #escaped: { readonly error: unknown } | null = null;

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#endMs = nowMs() + deadlineMs;
  }

  /** The one that the running code is under. */
  static current(): Deadline | undefined {
    return scopes.getStore();
  }

  /** Calls `work` under it, and with it what that starts, however late it runs. */
  run<Result>(work: () => Result): Result {
    return scopes.run(this, work);
  }

  get leftMs(): number {
    return this.#endMs - nowMs();
  }

  /** Of nested ones the outermost that is over: it ends most. */
  overdue(): Deadline | null {
    const isOver = !this.#rests && this.leftMs <= 0 && nowMs() >= this.#spareUntilMs;
    return this.#outer?.overdue() ?? (isOver ? this : null);
  }

  /** `reject` ends an await under it. To be told again when that has settled. */
  awaitBegins(reject: (reason: Error) => void): void {
    this.#awaits.add(reject);
    this.#outer?.awaitBegins(reject);
  }

  awaitEnds(reject: (reason: Error) => void): void {
    this.#awaits.delete(reject);
    this.#outer?.awaitEnds(reject);
  }

  /**
   * Code that catches this is not stopped for `cleanUpMs`: a check in its `finally` would throw once more.
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

  /** Whether an await under it has not settled. */
  get isAwaiting(): boolean {
    return this.#awaits.size > 0;
  }

  /** What it started threw where nobody waits for it, in a timer or a promise that is nobody's. The first error stays. */
  escapes(error: unknown): void {
    this.#escaped ??= { error };
    this.#outer?.escapes(error);
  }

  /** @throws that error */
  throwEscaped(): void {
    if (this.#escaped !== null) throw this.#escaped.error;
  }

  /** The work has ended: what still runs of it is not stopped any more. */
  rest(): void {
    this.#rests = true;
  }

  /** Its time is up, and nobody waits for it any more: what still runs of it stays at its next await for good. */
  leave(): void {
    this.rest();
    this.#isLeft = true;
    left++;
  }

  get isLeft(): boolean {
    return this.#isLeft || this.#outer?.isLeft === true;
  }
}

/** How often work was left at its deadline since this process began. */
export function leftCount(): number {
  return left;
}

/**
 * What is to be thrown where a stop flag was seen: null where the running code has time left, or no deadline.
 *
 * @param unwound whether the code has been unwound, without its `finally` blocks
 */
export function overdue(unwound = false): DeadlineError | null {
  const late = scopes.getStore()?.overdue() ?? null;
  return late && new DeadlineError(late.deadlineMs, unwound);
}
