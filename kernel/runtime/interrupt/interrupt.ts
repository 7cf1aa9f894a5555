// The main thread's side of an interrupt: throws it into loops and pending awaits, and reports its delivery. An
// interrupt is an ordinary exception, which can neither break a promise nor skip a `finally`. The worker stops code
// without checks, and unwinds what cannot be restarted (`pause.ts`).
import { clearAsyncIdStack } from "./async_ids.ts";
import { type Cell, owningCell, runningCells } from "../cells.ts";
import {
  ANSWERED,
  answer,
  endsExpression,
  EXPRESSION,
  interruptWaits,
  isAnswered,
  STOP,
  stoppedInPause,
} from "../control.ts";
import { timersOfStopped } from "./timers.ts";
import type { Deadlines } from "./deadline_watch.ts";

/** Thrown into the running code when the user interrupts; Jupyter's own name for it. */
export class KeyboardInterrupt extends Error {
  override readonly name = "KeyboardInterrupt";
  constructor(message = "The cell was interrupted; variables keep their values.") {
    super(message);
  }
}

export const EXPRESSION_STOPPED = "The expression was stopped; variables keep their values.";

const UNWOUND =
  "The code was stopped inside a package or a built-in function; variables keep their values, but `finally` blocks " +
  "around it did not run.";

/** A stack's lines of frames, without the heading. */
const FRAMES = /(?:\n {4}at [^\n]*)+$/;

/** The running cell into which each interruption was thrown: that cell reports it. */
const thrownInto = new WeakMap<Error, Cell>();

export function interruptionOf(cell: Cell): KeyboardInterrupt {
  const interruption = new KeyboardInterrupt();
  if (cell.running) thrownInto.set(interruption, cell);
  return interruption;
}

export interface InterruptEvents {
  /** An interrupt has been thrown into a cell, or if `cell` is null, into all running cells. */
  answered(interrupt: number, cell: Cell | null): void;
  /** Code of a cell was unwound after the cell had ended. */
  unwoundLate(cell: Cell, error: KeyboardInterrupt): void;
}

/** Something that a cell waits for, and that an interrupt can end. */
interface Race {
  readonly abandon: (reason: KeyboardInterrupt) => void;
  readonly unwinds: boolean;
}

export class Interrupts {
  /** The cell into which the last interrupt was thrown. */
  #answeredIn: Cell | null = null;
  /** Cells that have been aborted once: a second interrupt abandons their evaluation. */
  readonly #aborted = new WeakSet<Cell>();
  readonly #races = new Map<Cell, Race>();
  /** Cells whose code the worker has unwound together with Node's frames beneath it, since the last message. */
  readonly #forciblyUnwound = new Set<Cell>();
  /** The frames of the code that the worker is stopping in a pause. What stops it is made elsewhere, or by another. */
  #stoodAt: string | null = null;
  readonly #words: Int32Array;
  readonly #deadlines: Deadlines;
  readonly #events: InterruptEvents;

  constructor(words: Int32Array, deadlines: Deadlines, events: InterruptEvents) {
    this.#words = words;
    this.#deadlines = deadlines;
    timersOfStopped.onRun(() => Atomics.store(words, STOP, 1));
    this.#events = events;
  }

  /**
   * Throws the interrupt or the error of an expired deadline. A compiled cell calls it whenever it sees the stop flag,
   * until its code has ended: code that retries may catch the interrupt. It is an arrow function, because cells call it
   * without its object. Returns without an error if the deadline that has passed does not apply to the running code.
   */
  readonly throwNow = (): void => {
    this.throwOnce();
    this.#keepStopping();
    const cell = owningCell();
    if (cell?.mustEnd) throw interruptionOf(cell);
    if (timersOfStopped.mustEnd(cell)) throw timersOfStopped.threw(new KeyboardInterrupt());
  };

  /**
   * The same for operators and the library. It throws only once, because they must still work while the cell cleans up.
   */
  readonly throwOnce = (): void => {
    const reason = interruptWaits(this.#words) ? this.#interruption() : this.#deadlines.passed();
    this.#keepStopping();
    if (reason !== null) throw reason;
  };

  /** Sets STOP as long as an interrupted cell's code has not ended, so that its checks look again. */
  #keepStopping(): void {
    if (timersOfStopped.areRunning() || runningCells().some((cell) => cell.isInterrupted))
      Atomics.store(this.#words, STOP, 1);
  }

  /** For a cell that was interrupted while the debugger had paused it, and whose code ended without another check. */
  readonly throwAfterPause = (): void => {
    const words = this.#words;
    if (interruptWaits(words) && stoppedInPause(words)) this.throwNow();
  };

  /**
   * The cell's code has ended, so its interrupt has nothing more to stop.
   *
   * @returns for an interrupted cell a promise: until it resolves, promise jobs that the cell has left may print
   */
  codeEnded(cell: Cell): Promise<void> | null {
    const isStopped = cell.isInterrupted;
    cell.code = null;
    this.#stoodAt = null;
    const left = isStopped ? timersOfStopped.cellEnds() : null;
    if (!interruptWaits(this.#words)) Atomics.store(this.#words, STOP, 0);
    this.#keepStopping();
    return left;
  }

  /** Called where a `finally` block of a cell begins (1) and ends (-1). */
  readonly cleanup = (change: 1 | -1): void => {
    const cell = owningCell();
    if (cell === null) return;
    cell.cleanups += change;
    if (change < 0) this.#endAwaits(cell);
  };

  /**
   * A package has caught the interrupt that was thrown into the cell, for example to try again. What the cell awaits
   * from it may never come, so the awaits are rejected.
   */
  #endAwaits(cell: Cell): void {
    if (cell.mustEnd && cell.pendingAwaits.size > 0) this.#rejectAwaits(cell, interruptionOf(cell));
  }

  #interruption(): KeyboardInterrupt {
    if (Atomics.load(this.#words, EXPRESSION) !== 0) return this.#expressionEnds();
    const interrupt = answer(this.#words);
    const cell = owningCell();
    this.#answeredIn = cell;
    cell?.pendingOutput.clear();
    if (cell?.running) this.#events.answered(interrupt, cell);
    const interruption = this.#whereItStood(cell === null ? new KeyboardInterrupt() : interruptionOf(cell));
    cell?.abort(interruption);
    return interruption;
  }

  /** The worker calls this while it has paused this thread to stop the code that stands there. */
  readonly standsHere = (): void => {
    this.#stoodAt = FRAMES.exec(new Error().stack ?? "")?.[0] ?? null;
  };

  /** The error that stops paused code names the line of the pause, not the place where it came to be thrown. */
  #whereItStood<Reason extends Error>(reason: Reason): Reason {
    if (this.#stoodAt !== null) reason.stack = `${reason.name}: ${reason.message}${this.#stoodAt}`;
    this.#stoodAt = null;
    return reason;
  }

  /** The debugger's expression ends. If the interrupt is for the cell too, the cell's next check finds it. */
  #expressionEnds(): KeyboardInterrupt {
    if (endsExpression(this.#words)) this.#events.answered(answer(this.#words), null);
    return new KeyboardInterrupt(EXPRESSION_STOPPED);
  }

  /**
   * Settles like `work`, which a running cell waits for, or rejects when the work is abandoned.
   *
   * @param options.unwinds whether an interrupt can end the work by rejecting the cell's awaits; if not, the work is
   * abandoned at once
   */
  race<Result>(cell: Cell, work: Promise<Result>, { unwinds = true } = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const race: Race = { abandon: (reason) => settle(() => reject(reason)), unwinds };
      const settle = (end: () => void): void => {
        end();
        if (this.#races.get(cell) === race) this.#races.delete(cell);
      };
      this.#races.set(cell, race);
      work.then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /**
   * The worker calls this while it has paused this thread, before it unwinds the running code together with Node's
   * frames beneath it.
   *
   * @returns whether Node can survive that
   */
  readonly forceUnwind = (): boolean => {
    // The cell must be read before the stack is emptied: in Node 20 the stack tells whose code is running.
    const cell = owningCell();
    if (!clearAsyncIdStack(new KeyboardInterrupt(UNWOUND))) return false;
    // For an interrupt, the message that follows ends the cell. After a deadline the cell goes on, with whatever still
    // awaits.
    if (cell !== null && interruptWaits(this.#words)) this.#forciblyUnwound.add(cell);
    return true;
  };

  /** The worker has unwound the cell's code down to one of the runtime's evaluations. */
  readonly unwound = (cell: Cell | null): Error => {
    const overdue = this.#deadlines.unwound();
    if (overdue !== null) return this.#whereItStood(overdue);
    if (interruptWaits(this.#words)) answer(this.#words);
    this.#answeredIn = cell;
    if (cell !== null) this.#forciblyUnwound.delete(cell);
    const reason = this.#unwinding();
    cell?.pendingOutput.clear();
    cell?.abort(reason);
    return reason;
  };

  /**
   * The interrupt's message was read, so no user code is on the stack. Cells into which it was not thrown must be
   * waiting for something: that is rejected.
   */
  messageArrived(interrupt: number): void {
    const seen = isAnswered(this.#words, interrupt);
    Atomics.store(this.#words, STOP, 0);
    if (!seen) Atomics.store(this.#words, ANSWERED, interrupt);
    const unwoundCells = new Set(this.#forciblyUnwound);
    this.#forciblyUnwound.clear();
    for (const cell of runningCells()) {
      if (unwoundCells.has(cell)) this.#abandon(cell);
      else if (!(seen && this.#answeredIn === cell)) this.#abort(cell);
      else this.#endAwaits(cell);
    }
    this.#keepStopping();
    for (const cell of unwoundCells) {
      if (!cell.running) this.#events.unwoundLate(cell, new KeyboardInterrupt(UNWOUND));
    }
    this.#answerAll(interrupt, unwoundCells);
  }

  /**
   * Reports the interrupt as delivered to every running cell except those in `unwoundCells`, which the worker thread
   * unwound from outside. The supervisor counts those as not stopped until their `done` message. Only that proves that
   * the unwinding removed none of the runtime's own code.
   */
  #answerAll(interrupt: number, unwoundCells: ReadonlySet<Cell>): void {
    const running = runningCells();
    const others = running.filter((cell) => !unwoundCells.has(cell));
    if (others.length === running.length) this.#events.answered(interrupt, null);
    else for (const cell of others) this.#events.answered(interrupt, cell);
  }

  /**
   * An interruption escaped from a timer or an unawaited promise. The running cells must end all the same.
   *
   * @returns whether its own cell reports it, because it still runs or the interruption reached its awaits
   */
  escaped(interruption: KeyboardInterrupt): boolean {
    const owner = thrownInto.get(interruption);
    if (timersOfStopped.hasThrown(interruption) || owner?.running === false) return true;
    for (const cell of runningCells()) this.#abort(cell);
    return owner !== undefined || owningCell()?.running === true;
  }

  /**
   * Rejects the cell's awaits, so that the cell unwinds by itself. If it awaits nothing of its own, or did not unwind
   * after an earlier interrupt, its evaluation is abandoned and may go on in the background. Output that is being made
   * may also go on; the cell's end no longer waits for it.
   */
  #abort(cell: Cell): void {
    const reason = interruptionOf(cell);
    const again = this.#aborted.has(cell);
    this.#aborted.add(cell);
    const awaited = this.#rejectAwaits(cell, reason);
    const race = this.#races.get(cell);
    if (!awaited || again || race?.unwinds === false) race?.abandon(reason);
  }

  /** Ends a cell whose code was unwound, and rejects its other awaits. */
  #abandon(cell: Cell): void {
    const reason = this.#unwinding();
    this.#rejectAwaits(cell, reason);
    this.#races.get(cell)?.abandon(reason);
  }

  /**
   * The error for unwound code. Code that the debugger had paused is unwound only outside of any `try`, so no `finally`
   * was skipped.
   */
  #unwinding(): KeyboardInterrupt {
    return this.#whereItStood(new KeyboardInterrupt(stoppedInPause(this.#words) ? undefined : UNWOUND));
  }

  /** Rejects the cell's awaits. Returns whether there were any. */
  #rejectAwaits(cell: Cell, reason: KeyboardInterrupt): boolean {
    thrownInto.set(reason, cell);
    this.#forciblyUnwound.delete(cell);
    cell.pendingOutput.clear();
    const pending = [...cell.pendingAwaits];
    cell.pendingAwaits.clear();
    for (const reject of pending) reject(reason);
    cell.abort(reason);
    return pending.length > 0;
  }
}
