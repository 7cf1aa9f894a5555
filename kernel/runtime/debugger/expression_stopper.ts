// The worker's side of `expressions.ts`: at an interrupt, ends the expression that the debugger evaluates.
import { EXPRESSION, isAnswered } from "../control.ts";

/** Within this time the checks of cells and of the library throw, which runs `finally` blocks. */
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
   * Ends the running expression: after a grace time, or at once if it has caught an earlier interrupt.
   *
   * @param missed called if the expression ended before it saw the interrupt
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
