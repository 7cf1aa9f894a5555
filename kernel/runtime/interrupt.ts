// The main thread's side of an interrupt: throwing it into loops and into pending awaits, and telling that it was.
// Nothing here can tear a promise or skip a `finally`: an interrupt is an ordinary exception. (A package's loop has no
// checks in it; the worker stops it: see pause.ts.)
import { type Cell, owningCell, runningCells } from "./cells.ts";
import { ANSWERED, answer, isAnswered, STOP } from "./control.ts";

/** Thrown into the running code when the user interrupts; Jupyter's own name for it. */
export class KeyboardInterrupt extends Error {
  override readonly name = "KeyboardInterrupt";
  constructor(message = "The cell was interrupted; variables keep their values.") {
    super(message);
  }
}

/** What a cell waits for, which an interrupt can end. */
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
  /** Errors with which awaits were rejected: their cell has ended with them, or has caught them. */
  readonly #rejections = new WeakSet<Error>();
  readonly #words: Int32Array;
  readonly #answered: (interrupt: number) => void;

  /** @param answered called each time an interrupt has been thrown, or has found nothing to stop */
  constructor(words: Int32Array, answered: (interrupt: number) => void) {
    this.#words = words;
    this.#answered = answered;
  }

  /** What a compiled cell calls when it sees the stop flag. An arrow, as cells call it alone. */
  readonly throwNow = (): never => {
    const interrupt = answer(this.#words);
    const cell = owningCell();
    this.#answeredIn = cell;
    cell?.pendingOutput.clear();
    this.#answered(interrupt);
    const interruption = new KeyboardInterrupt();
    cell?.abort(interruption);
    throw interruption;
  };

  /**
   * Settles as `work` of the running cell does, or rejects when the work is abandoned.
   *
   * @param options.unwinds whether an interrupt can end the work by rejecting what the cell awaits; else it is
   *   abandoned at once
   */
  async race<Result>(cell: Cell, work: Promise<Result>, { unwinds = true } = {}): Promise<Result> {
    const abandoned = new Promise<never>((_, reject) => this.#races.set(cell, { abandon: reject, unwinds }));
    try {
      return await Promise.race([work, abandoned]);
    } finally {
      this.#races.delete(cell);
    }
  }

  /** The worker stopped the cell itself. */
  stoppedFromOutside(cell: Cell): void {
    this.#answeredIn = cell;
    cell.pendingOutput.clear();
    cell.abort(new KeyboardInterrupt());
  }

  /**
   * The interrupt's message was read: no user code is on the stack. The cells into which it was not thrown wait for
   * something: reject what they wait for.
   */
  messageArrived(interrupt: number): void {
    const seen = isAnswered(this.#words, interrupt);
    Atomics.store(this.#words, STOP, 0);
    if (!seen) Atomics.store(this.#words, ANSWERED, interrupt);
    for (const cell of runningCells()) {
      if (!(seen && this.#answeredIn === cell)) this.#abort(cell);
    }
    this.#answered(interrupt);
  }

  /**
   * An interruption came out of a timer, or of a promise that nobody awaits: the running cells must end all the same.
   *
   * @returns whether its own cell tells the user: it still runs, or the interruption reached its awaits
   */
  escaped(interruption: KeyboardInterrupt): boolean {
    for (const cell of runningCells()) this.#abort(cell);
    return this.#rejections.has(interruption) || owningCell()?.running === true;
  }

  /**
   * What the cell awaits is rejected and the cell unwinds by itself. Where it awaits nothing of its own, or did not
   * unwind after an earlier interrupt, its evaluation is abandoned: it may go on in the background. So may output that
   * is being made; its end does not wait for that any more.
   */
  #abort(cell: Cell): void {
    const reason = new KeyboardInterrupt();
    this.#rejections.add(reason);
    cell.pendingOutput.clear();
    const pending = [...cell.pendingAwaits];
    const again = this.#aborted.has(cell);
    this.#aborted.add(cell);
    cell.pendingAwaits.clear();
    for (const reject of pending) reject(reason);
    cell.abort(reason);
    const race = this.#races.get(cell);
    if (pending.length === 0 || again || race?.unwinds === false) race?.abandon(reason);
  }
}
