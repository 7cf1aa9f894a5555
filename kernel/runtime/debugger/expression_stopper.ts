// The worker's side of `expressions.ts`: ends what the debugger evaluates at an interrupt.
import { EXPRESSION, isAnswered } from "../control.ts";

/** The checks of cells and of the library throw before that, and run the `finally` blocks. */
const GRACE_MS = 200;

export class ExpressionStopper {
  readonly #words: Int32Array;
  /** The expression that the last interrupt was for. */
  #stopped = 0;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  get runs(): boolean {
    return Atomics.load(this.#words, EXPRESSION) > 0;
  }

  /**
   * Ends the expression that runs: at once where an interrupt before has not, because something has caught that one.
   *
   * @param missed called where the expression had ended before it saw the interrupt
   */
  stop(interrupt: number, missed: () => void): void {
    const expression = Atomics.load(this.#words, EXPRESSION);
    const again = expression === this.#stopped;
    this.#stopped = expression;
    const end = (): void => {
      if (!again && isAnswered(this.#words, interrupt)) return;
      const runs = expression > 0 && Atomics.load(this.#words, EXPRESSION) === expression;
      if (!runs) return missed();
      // The main thread does not leave the expression once its number has changed.
      if (Atomics.compareExchange(this.#words, EXPRESSION, expression, -expression) === expression)
        process.kill(process.pid, "SIGINT");
    };
    if (again) end();
    else setTimeout(end, GRACE_MS);
  }
}
