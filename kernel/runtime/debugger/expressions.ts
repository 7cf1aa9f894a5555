// Runs the debugger's expressions in the main thread so that Stop can end one that does not end by itself: what is
// typed into the console, a breakpoint's condition, the inspection of a variable. While an expression runs, the
// inspector takes no commands, so the worker cannot pause it as it pauses a cell.
//
// The checks of cells and of the library throw first, as in a cell. Code without checks, such as `while (true);` or a
// regular expression, is terminated: at SIGINT `node:vm` ends the script that runs, and no code beneath it. The signal
// must not arrive after the script has ended. So the worker changes the expression's number in shared memory before it
// sends the signal, and an expression whose number has changed waits in the script for the signal.
import { Script } from "node:vm";
import { EXPRESSION_STOPPED, KeyboardInterrupt } from "../interrupt/interrupt.ts";
import { answer, EXPRESSION, endsExpression, interruptWaits } from "../control.ts";

const RUN = "__mpslab_expression";
/** Saved here, because a cell may replace them. */
const { compareExchange, load, store } = Atomics;

type Outcome<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

export class Expressions {
  readonly #words: Int32Array;
  /** Called when an interrupt has ended only an expression. */
  readonly #answered: (interrupt: number) => void;
  readonly #script = new Script(`${RUN}()`);
  #count = 0;
  #work: () => void = () => {};

  constructor(words: Int32Array, answered: (interrupt: number) => void) {
    this.#words = words;
    this.#answered = answered;
    Object.defineProperty(globalThis, RUN, { value: () => this.#work() });
  }

  /** @throws KeyboardInterrupt if Stop has ended the work, else what the work throws */
  readonly run = <Result>(work: () => Result): Result => {
    const words = this.#words;
    // This expression runs inside another one, and ends with it.
    if (load(words, EXPRESSION) !== 0) return work();
    const number = ++this.#count;
    let outcome: Outcome<Result> | undefined;
    this.#work = () => {
      store(words, EXPRESSION, number);
      try {
        outcome = { ok: true, value: work() };
      } catch (error) {
        outcome = { ok: false, error };
      }
      // Waits here for a signal that is on its way.
      while (compareExchange(words, EXPRESSION, number, 0) !== number);
    };
    try {
      this.#script.runInThisContext({ breakOnSigint: true });
    } catch {
      store(words, EXPRESSION, 0);
      outcome = undefined;
    }
    if (interruptWaits(words) && endsExpression(words)) this.#answered(answer(words));
    if (outcome === undefined) throw new KeyboardInterrupt(EXPRESSION_STOPPED);
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  };

  /** The same functions, each run as an expression. */
  each<Functions extends object>(functions: Functions): Functions {
    const entries = Object.entries(functions as Record<string, (...given: unknown[]) => unknown>);
    const run = entries.map(([name, look]) => [
      name,
      (...given: unknown[]) => this.run(() => look(...given)),
    ]);
    return Object.fromEntries(run) as Functions;
  }

  /** Evaluates a breakpoint's condition. A condition that was stopped is false. */
  readonly holds = (condition: () => unknown): boolean => {
    try {
      return Boolean(this.run(condition));
    } catch (error) {
      if (error instanceof KeyboardInterrupt) return false;
      throw error;
    }
  };
}
