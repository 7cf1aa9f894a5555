// The main thread's side of an interrupt: throwing it into loops and into pending awaits, and telling that it was.
// Nothing here can tear a promise or skip a `finally`: an interrupt is an ordinary exception. (A package's loop has no
// checks in it; the worker stops it: see pause.ts.)
import { type Cell, owningCell, runningCell } from "./cells.ts";
import { ANSWERED, answer, isAnswered, STOP } from "./control.ts";

/** Thrown into the running code when the user interrupts; Jupyter's own name for it. */
export class KeyboardInterrupt extends Error {
  override readonly name = "KeyboardInterrupt";
  constructor(message = "The cell was interrupted; variables keep their values.") {
    super(message);
  }
}

export class Interrupts {
  /** The cell into which the last interrupt was thrown. */
  #answeredIn: Cell | null = null;
  /** The cell that was aborted last: a second interrupt of it abandons its evaluation. */
  #aborted: Cell | null = null;
  #abandon: ((reason: KeyboardInterrupt) => void) | null = null;
  #unwinds = true;
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
    throw new KeyboardInterrupt();
  };

  /**
   * Settles as `work` of the running cell does, or rejects when the work is abandoned.
   *
   * @param options.unwinds whether an interrupt can end the work by rejecting what the cell awaits; else it is
   *   abandoned at once
   */
  async race<Result>(work: Promise<Result>, { unwinds = true } = {}): Promise<Result> {
    this.#unwinds = unwinds;
    const abandoned = new Promise<never>((_, reject) => (this.#abandon = reject));
    try {
      return await Promise.race([work, abandoned]);
    } finally {
      this.#abandon = null;
    }
  }

  /** The worker stopped the running cell itself. */
  stoppedFromOutside(): void {
    const cell = runningCell();
    this.#answeredIn = cell;
    cell?.pendingOutput.clear();
  }

  /**
   * The interrupt's message was read: no user code is on the stack. If none has seen the flag, the running cell waits
   * for something: reject what it waits for.
   */
  messageArrived(interrupt: number): void {
    const seen = isAnswered(this.#words, interrupt);
    Atomics.store(this.#words, STOP, 0);
    if (!seen) Atomics.store(this.#words, ANSWERED, interrupt);
    const cell = runningCell();
    if (cell !== null && !(seen && this.#answeredIn === cell)) this.#abort(cell);
    this.#answered(interrupt);
  }

  /**
   * An interruption came out of a timer, or of a promise that nobody awaits: the running cell must end all the same.
   *
   * @returns whether its own cell tells the user: it still runs, or the interruption reached its awaits
   */
  escaped(interruption: KeyboardInterrupt): boolean {
    const cell = runningCell();
    if (cell !== null) this.#abort(cell);
    return this.#rejections.has(interruption) || (cell !== null && owningCell() === cell);
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
    const again = this.#aborted === cell;
    this.#aborted = cell;
    cell.pendingAwaits.clear();
    for (const reject of pending) reject(reason);
    cell.abort(reason);
    if (pending.length === 0 || again || !this.#unwinds) this.#abandon?.(reason);
  }
}
