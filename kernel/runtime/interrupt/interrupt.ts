// The main thread's side of an interrupt: throws it into loops and pending awaits, and reports its delivery. An
// interrupt is an ordinary exception, which can neither break a promise nor skip a `finally`. The worker stops code
// without checks, and unwinds what cannot be restarted (`pause.ts`).
import { clearAsyncIdStack } from "./async_ids.ts";
import { type Cell, owningCell, runningCells } from "../cells.ts";
import { withOriginalBuiltins } from "../primordials.ts";
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

/** The running cells into which interruptions were thrown: their cells tell of them. */
const thrownInto = new WeakMap<Error, Cell>();

export function interruptionOf(cell: Cell): KeyboardInterrupt {
  const interruption = new KeyboardInterrupt();
  if (cell.running) thrownInto.set(interruption, cell);
  return interruption;
}

export interface InterruptEvents {
  /** An interrupt has been thrown: into a cell, or (null) into all that run. */
  answered(interrupt: number, cell: Cell | null): void;
  /** Code of a cell that had ended was unwound. */
  unwoundLate(cell: Cell, error: KeyboardInterrupt): void;
}

/** A wait of a cell that an interrupt can end. */
interface Race {
  readonly abandon: (reason: KeyboardInterrupt) => void;
  readonly unwinds: boolean;
}

export class Interrupts {
  /** The cell into which the last interrupt was thrown. */
  #answeredIn: Cell | null = null;
  /** Cells that were aborted before: a second interrupt abandons their evaluation. */
  readonly #aborted = new WeakSet<Cell>();
  readonly #races = new Map<Cell, Race>();
  /** Cells whose code the worker has unwound with everything beneath it, since the last message. */
  readonly #forciblyUnwound = new Set<Cell>();
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
   * Throws the interrupt or the expired deadline. A compiled cell calls it when it sees the stop flag, until its code has
   * ended: something may have caught the interrupt, as code that tries again does. It is an arrow function, because
   * cells call it without its object. Returns without an error if a deadline has passed that the running code is not
   * under.
   */
  readonly throwNow = (): void => {
    this.throwOnce();
    const cell = withOriginalBuiltins(() => {
      this.#keepStopping();
      return owningCell();
    });
    if (cell?.mustEnd) throw interruptionOf(cell);
    if (timersOfStopped.mustEnd(cell)) throw timersOfStopped.threw(new KeyboardInterrupt());
  };

  /** The same for operators and the library, which do their work where the cell cleans up. */
  readonly throwOnce = (): void => {
    const reason = withOriginalBuiltins(() => {
      const found = interruptWaits(this.#words) ? this.#interruption() : this.#deadlines.passed();
      this.#keepStopping();
      return found;
    });
    if (reason !== null) throw reason;
  };

  /** The checks of an interrupted cell look until its code has ended. */
  #keepStopping(): void {
    if (timersOfStopped.areRunning() || runningCells().some((cell) => cell.isInterrupted))
      Atomics.store(this.#words, STOP, 1);
  }

  /** The user has stopped a paused cell, and its code has come to its end without another check. */
  readonly throwAfterPause = (): void => {
    const words = this.#words;
    if (withOriginalBuiltins(() => interruptWaits(words) && stoppedInPause(words))) this.throwNow();
  };

  /** The cell's code has ended, and with it what its interrupt ends. */
  codeEnded(cell: Cell): void {
    const isStopped = cell.isInterrupted;
    cell.code = null;
    withOriginalBuiltins(() => {
      if (isStopped) void timersOfStopped.cellEnds();
      if (!interruptWaits(this.#words)) Atomics.store(this.#words, STOP, 0);
      this.#keepStopping();
    });
  }

  /** Called where a `finally` block of a cell begins (1) and ends (-1). */
  readonly cleanup = (change: 1 | -1): void => {
    withOriginalBuiltins(() => {
      const cell = owningCell();
      if (cell === null) return;
      cell.cleanups += change;
      if (change < 0) this.#endAwaits(cell);
    });
  };

  /**
   * The interrupt was thrown into the cell, and a package has caught it: what the cell awaits, as a package that tries again,
   * may never come.
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
    const interruption = cell === null ? new KeyboardInterrupt() : interruptionOf(cell);
    cell?.abort(interruption);
    return interruption;
  }

  /** What the debugger evaluates ends. Where the interrupt is for the cell too, the cell's next check finds it. */
  #expressionEnds(): KeyboardInterrupt {
    if (endsExpression(this.#words)) this.#events.answered(answer(this.#words), null);
    return new KeyboardInterrupt(EXPRESSION_STOPPED);
  }

  /**
   * Settles as `work` of the running cell does, or rejects when the work is abandoned.
   *
   * @param options.unwinds whether an interrupt can end the work by rejecting what the cell awaits; else it is
   *   abandoned at once
   */
  race<Result>(cell: Cell, work: Promise<Result>, { unwinds = true } = {}): Promise<Result> {
    return withOriginalBuiltins(
      () =>
        new Promise((resolve, reject) => {
          const race: Race = { abandon: (reason) => settle(() => reject(reason)), unwinds };
          const settle = (end: () => void): void => {
            withOriginalBuiltins(() => this.#races.get(cell) === race && this.#races.delete(cell));
            end();
          };
          this.#races.set(cell, race);
          work.then(
            (result) => settle(() => resolve(result)),
            (error: unknown) => settle(() => reject(error)),
          );
        }),
    );
  }

  /**
   * Called by the worker while it holds this thread: what runs now is to be unwound, with Node's own frames beneath it.
   *
   * @returns whether Node survives that
   */
  readonly forceUnwind = (): boolean => {
    // The cell is read before the stack is emptied: under Node 20 the stack tells whose code runs.
    const cell = owningCell();
    if (!clearAsyncIdStack(new KeyboardInterrupt(UNWOUND))) return false;
    // An interrupt's message ends the cell. After a deadline it goes on, with what awaits no longer than that.
    if (cell !== null && interruptWaits(this.#words)) this.#forciblyUnwound.add(cell);
    return true;
  };

  /** The worker has unwound code of the cell, down to an evaluation of the runtime. */
  readonly unwound = (cell: Cell | null): Error => {
    const overdue = this.#deadlines.unwound();
    if (overdue !== null) return overdue;
    this.#answeredIn = cell;
    if (cell !== null) this.#forciblyUnwound.delete(cell);
    const reason = this.#unwinding();
    cell?.pendingOutput.clear();
    cell?.abort(reason);
    return reason;
  };

  /**
   * The interrupt's message was read: no user code is on the stack. The cells into which it was not thrown wait for
   * something: reject what they wait for.
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

  /** Code that the debugger had paused is unwound only where no `try` is around it. */
  #unwinding(): KeyboardInterrupt {
    return stoppedInPause(this.#words) ? new KeyboardInterrupt() : new KeyboardInterrupt(UNWOUND);
  }

  /** Whether the cell awaited anything. */
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
