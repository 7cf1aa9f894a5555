// Declares the shapes that compiled cells and the library share: what the compiler inserts around an epoch loop, and
// what the lab returns to it. The kernel and the library both import this file; it imports nothing.

/** What is known of a loop before it runs. */
export interface EpochLoopDescription {
  /** The loop variable, `epoch` where it has none. */
  readonly variable: string;
  /** 1-based line of the loop in the cell. */
  readonly line: number;
  /** `false` under `%flush off`: the epochs are recorded, nothing else happens to them. */
  readonly flush?: boolean;
  /** Tells loops apart that have no line of a cell. */
  readonly site?: string;
  /** Why the compiler took it for an epoch loop, where that is a guess: `while loop that changes epoch`. */
  readonly guess?: string;
  /** Whether the loop runs over `lab.epochs(...)`, as far as its text says: the values decide when they are there. */
  readonly explicit?: boolean;
}

/** What stands around the iterations of a loop: `end` and `close` in `finally`, so that every way out passes them. */
export interface EpochLoop {
  /** An iteration begins. Under `for await` the wait for the next value lies between `end` and `begin`. */
  begin(): void;
  /** The iteration is left by a throw or an interrupt: its epoch is no whole one. Called before `end`. */
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
 * continue, break, return, throw, an interrupt), and one `close` after all. A loop of no rounds has `close` alone.
 * `cut` comes before `end` where a throw or an interrupt leaves the body, which an iterator alone could not tell from `break`.
 *
 * The compiler leaves out epoch loops that it sees inside another one; one that is reached through a call it cannot
 * see. The runtime must therefore answer with a loop that does nothing while another loop is open. An iterable of
 * `lab.epochs(...)` measures and flushes by itself in plain TypeScript: `over` takes its values out of it, and the
 * inserted calls do it instead.
 */
export interface CompiledEpochLoop extends EpochLoop {
  /** What the loop is to run over. */
  over<Values>(values: Values): Values;
}

/** Key of the symbol that names a method of what `lab.epochs` returns: a throw leaves the iteration. */
export const CUT_EPOCH = "mpslab.cutEpoch";
