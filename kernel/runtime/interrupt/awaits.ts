// Implements `await` and `for await` of compiled cells as promises that an interrupt or a deadline can reject.
import { isThenable } from "../../../lib/torch/vocabulary/arguments.ts";
import { Deadline, DeadlineError } from "../../../lib/deadlines.ts";
import { owningCell } from "../cells.ts";
import { interruptionOf, KeyboardInterrupt } from "./interrupt.ts";
import { timersOfStopped } from "./timers.ts";

/**
 * Returns a promise that never settles, for work that was abandoned at its deadline. Each call makes a new one, because
 * a shared promise would keep alive everything that waits for it.
 */
const never = (): Promise<never> => new Promise(() => {});

let suspending: () => void = () => {};

/** `work` is called at each `await` of a cell or of its functions. It must not run the user's code at once. */
export function onAwait(work: () => void): void {
  suspending = work;
}

/**
 * `await x` -> `await interruptible(x)`. Without a running cell or a deadline it returns `x` itself. The promises are
 * chained in such a way that V8 can follow them: a stack trace continues with the functions that wait (`at async
 * train`).
 */
export function interruptible(value: unknown): unknown {
  suspending();
  const cell = owningCell();
  const deadline = Deadline.current();
  if (deadline?.isAbandoned) return never();
  const isLeftOver = (): boolean => cell?.isStopped === true && timersOfStopped.areRunning();
  // Nobody will get the awaited promise's outcome, so a rejection of it must not count as unhandled.
  if ((cell?.mustEnd || isLeftOver()) && value instanceof Promise) value.catch(() => {});
  // The rejection is the interrupt itself, which has the line of the innermost await that it ended, even if an outer
  // one begins only now.
  if (cell?.mustEnd) return Promise.reject((cell.signal.reason as Error | undefined) ?? interruptionOf(cell));
  if (isLeftOver()) return never();
  if (!(cell?.running || deadline) || !isThenable(value)) return value;
  return new Promise((resolve, reject) => {
    const interrupt = (reason: Error): void =>
      void Promise.reject(reason).catch(placed).then(resolve, reject);
    const settle = () => {
      cell?.pendingAwaits.delete(interrupt);
      deadline?.awaitEnds(reject);
    };
    cell?.pendingAwaits.add(interrupt);
    deadline?.awaitBegins(reject);
    Promise.resolve(value)
      .then(
        (result) => {
          settle();
          // The cell may have been stopped in other code while this await was pending.
          return deadline?.isAbandoned || isLeftOver() ? never() : result;
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

const placedReasons = new WeakSet<Error>();

/**
 * Gives an interrupt the lines of the innermost `await` that it ends and of those around it. V8 finds them from here,
 * because this runs as a job of the promise that the cell's code awaits.
 */
function placed(reason: Error): never {
  if (!placedReasons.has(reason)) {
    placedReasons.add(reason);
    Error.captureStackTrace(reason);
  }
  throw reason;
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
            // To the loop, this error comes from the iterator, so it will not close the iterator.
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
