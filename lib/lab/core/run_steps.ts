// Runs measurements of functions that may or may not return promises. A measurement is a generator that yields what
// must be awaited. A synchronous function gives its result synchronously, and no `await` lengthens a measured time. The
// user's interrupt ends an `await`.
import { installedSession } from "../../session.ts";
import { describe, isThenable } from "../../torch/vocabulary/arguments.ts";
import { requireBegun } from "../../torch/vocabulary/finished.ts";

/** A generator that yields promises, is resumed with their outcomes, and returns the result. */
export type Steps<Result> = Generator<PromiseLike<unknown>, Result, unknown>;

/** The result of measuring functions that return `Returned`: a promise if they return promises. */
export type MaybePromise<Returned, Result> = Returned extends PromiseLike<unknown> ? Promise<Result> : Result;

/**
 * @param example a correct call, for the error: `lab.syncs(() => step())`
 */
export function requireRunnable(call: string, run: unknown, example: string): void {
  if (typeof run !== "function")
    throw new TypeError(`${call} takes a function and calls it, as ${example}, not ${describe(run)}.`);
}

export function runSteps<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : runRemaining(steps, first.value);
}

async function runRemaining<Result>(steps: Steps<Result>, pending: PromiseLike<unknown>): Promise<Result> {
  const signal = installedSession()?.cellSignal();
  // The user's promise may never settle, and what was begun has to end with the cell.
  let interrupt = (): void => {};
  const interrupted = (): void => interrupt();
  const outcomeOf = (one: PromiseLike<unknown>) =>
    new Promise<Outcome>((resolve) => {
      interrupt = () => resolve({ error: signal!.reason });
      one.then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      );
    });
  signal?.addEventListener("abort", interrupted);
  try {
    let next: IteratorResult<PromiseLike<unknown>, Result> = { done: false, value: pending };
    while (!next.done) next = resumed(steps, await outcomeOf(next.value));
    return next.value;
  } finally {
    signal?.removeEventListener("abort", interrupted);
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

function resumed<Result>(
  steps: Steps<Result>,
  outcome: Outcome,
): IteratorResult<PromiseLike<unknown>, Result> {
  return "error" in outcome ? steps.throw(outcome.error) : steps.next(outcome.value);
}

/** Hooks around the steps of a caller. */
export interface StepHooks {
  /** Calls the code between two awaits. */
  readonly stretch?: <Result>(work: () => Result) => Result;
  /** Returns the promise to await in place of the yielded one. */
  readonly awaited?: (pending: PromiseLike<unknown>) => PromiseLike<unknown>;
}

/** Runs steps with hooks around their code and their awaits. */
export function* withHooks<Result>(
  steps: Steps<Result>,
  { stretch = (work) => work(), awaited = (pending) => pending }: StepHooks,
): Steps<Result> {
  let next = stretch(() => steps.next());
  while (!next.done) {
    let outcome: Outcome;
    try {
      outcome = { value: yield awaited(next.value) };
    } catch (error) {
      outcome = { error };
    }
    next = stretch(() => resumed(steps, outcome));
  }
  return next.value;
}

/** `yield* settled(fn())` gives the value, awaited if it is a promise. */
export function* settled(value: unknown): Steps<unknown> {
  return isThenable(value) ? yield value : requireBegun("lab", value);
}
