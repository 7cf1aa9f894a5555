// Declares the shapes that compiled cells and the library share: what the compiler inserts around an epoch loop, and
// what the lab returns to it. The kernel and the library both import this file; it imports nothing.

/** What is known of a loop before it runs. */
export interface EpochLoopDescription {
  /** The loop variable; `epoch` if there is none. */
  readonly variable: string;
  /** 1-based line of the loop in the cell. */
  readonly line: number;
  /** `false` under `%flush off`: the epochs are recorded but not flushed. */
  readonly flush?: boolean;
  /** Distinguishes loops that have no line in a cell. */
  readonly site?: string;
  /** Why the compiler took the loop for an epoch loop, if it had to guess: `while loop that changes epoch`. */
  readonly guess?: string;
  /** Whether the loop runs over `lab.epochs(...)`, judged by its text only; at run time its values decide. */
  readonly explicit?: boolean;
}

/**
 * The calls around the iterations of a loop. `end` and `close` are called in `finally` blocks, so that every way out of
 * the loop passes them.
 */
export interface EpochLoop {
  /** An iteration begins. Under `for await` the wait for the next value lies between `end` and `begin`. */
  begin(): void;
  /** A throw or an interrupt leaves the iteration, so that its epoch is incomplete. Called before `end`. */
  cut(): void;
  /** An iteration has ended. Throwing here replaces an error that is on its way out of the body. */
  end(): void;
  /** The loop is over. */
  close(): void;
}

/**
 * What `RUNTIME.epochs` returns. A compiled epoch loop reads
 *
 *     { const __mpslab_loop = __mpslab_epochs({ variable: "epoch", line: 3 }); try {
 *       for (const epoch of __mpslab_loop.over(epochs)) {
 *         __mpslab_loop.begin();
 *         try { ...the body... }
 *         catch (__mpslab_error) { __mpslab_loop.cut(); throw __mpslab_error; }
 *         finally { __mpslab_loop.end(); }
 *       }
 *     } finally { __mpslab_loop.close(); } }
 *
 * so after each `begin` that returned there is exactly one `end`, whichever way the iteration is left (its end,
 * continue, break, return, throw, an interrupt), and one `close` after all. A loop without iterations calls only
 * `close`. `cut` comes before `end` where a throw or an interrupt leaves the body, which an iterator alone could not
 * tell from `break`.
 *
 * The compiler inserts no calls into an epoch loop that it sees inside another one, but it cannot see one that is
 * reached through a function call. While a loop is open, the runtime must therefore return a loop that does nothing. An
 * iterable of `lab.epochs(...)` measures and flushes by itself in plain TypeScript: in a cell, `over` takes the bare
 * values out of it, and the inserted calls measure and flush instead.
 */
export interface CompiledEpochLoop extends EpochLoop {
  /** What the loop is to run over. */
  over<Values>(values: Values): Values;
}

/** Key of the symbol of a method on what `lab.epochs` returns. It is called when a throw leaves the iteration. */
export const CUT_EPOCH = "mpslab.cutEpoch";
