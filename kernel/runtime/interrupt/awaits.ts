// Implements `await` and `for await` of compiled cells as promises that an interrupt or a deadline can reject.
import { isThenable } from "../../../lib/torch/vocabulary/arguments.ts";
import { Deadline, DeadlineError } from "../../../lib/deadlines.ts";
import { owningCell } from "../cells.ts";
import { KeyboardInterrupt } from "./interrupt.ts";
import { withOriginalBuiltins } from "../primordials.ts";

/**
 * Returns a promise that never settles, for work that was left at its deadline. Each call makes a new one: a shared
 * promise would keep everything that waits for it.
 */
const never = (): Promise<never> => new Promise(() => {});

let suspending: () => void = () => {};

/** `work` is called at each `await` of a cell or of its functions; it must not run the user's code there and then. */
export function onAwait(work: () => void): void {
  suspending = work;
}

/**
 * `await x` -> `await interruptible(x)`. Outside of a running cell, and of a deadline, `x` itself. Promises are chained so that V8 can
 * still walk them upward: a stack trace goes on with the functions that wait (`at async train`).
 */
export function interruptible(value: unknown): unknown {
  return withOriginalBuiltins(() => interruptibleNow(value));
}

function interruptibleNow(value: unknown): unknown {
  suspending();
  const cell = owningCell();
  const deadline = Deadline.current();
  if (deadline?.isAbandoned) return never();
  if (cell?.mustEnd) return Promise.reject(new KeyboardInterrupt());
  if (!(cell?.running || deadline) || !isThenable(value)) return value;
  return new Promise((resolve, reject) => {
    const settle = () =>
      withOriginalBuiltins(() => {
        cell?.pendingAwaits.delete(reject);
        deadline?.awaitEnds(reject);
      });
    cell?.pendingAwaits.add(reject);
    deadline?.awaitBegins(reject);
    Promise.resolve(value)
      .then(
        (result) => {
          settle();
          return deadline?.isAbandoned ? never() : result;
        },
        (error: unknown) => {
          settle();
          if (deadline?.isAbandoned) return never();
          throw error;
        },
      )
      .then(resolve, reject);
  });
}

/** `for await (const v of x)`: each step can be interrupted, and the iterator's `return` is called. */
export function interruptibleEach(
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const source = Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : awaited(iterable);
      return {
        async next() {
          try {
            return (await interruptible(source.next())) as IteratorResult<unknown>;
          } catch (error) {
            // The loop takes the error for the iterator's own and will not close it.
            if (error instanceof KeyboardInterrupt || error instanceof DeadlineError)
              source.return?.()?.catch(() => {});
            throw error;
          }
        },
        async return(value?: unknown) {
          return (await source.return?.(value)) ?? { done: true, value };
        },
      };
    },
  };
}

async function* awaited(iterable: Iterable<unknown>): AsyncGenerator<unknown> {
  for (const value of iterable) yield await value;
}
