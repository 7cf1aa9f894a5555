// Runs measurements of functions that may or may not return promises. A measurement is a generator that yields what
// must be awaited. A synchronous function gives its result synchronously, and no `await` lengthens a measured time.
import { isThenable } from "../../torch/vocabulary/arguments.ts";

/** Yields promises, is resumed with what became of them, and returns the result. */
export type Steps<Result> = Generator<PromiseLike<unknown>, Result, unknown>;

/** What a measurement of `Returned` functions gives: a promise where they return one. */
export type MaybePromise<Returned, Result> = Returned extends PromiseLike<unknown> ? Promise<Result> : Result;

export function runSteps<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : runRemaining(steps, first.value);
}

async function runRemaining<Result>(steps: Steps<Result>, pending: PromiseLike<unknown>): Promise<Result> {
  let next: IteratorResult<PromiseLike<unknown>, Result> = { done: false, value: pending };
  while (!next.done) next = resumed(steps, await outcomeOf(next.value));
  return next.value;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

async function outcomeOf(pending: PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { value: await pending };
  } catch (error) {
    return { error };
  }
}

function resumed<Result>(
  steps: Steps<Result>,
  outcome: Outcome,
): IteratorResult<PromiseLike<unknown>, Result> {
  return "error" in outcome ? steps.throw(outcome.error) : steps.next(outcome.value);
}

/** How steps are to run that belong to somebody else. */
export interface StepHooks {
  /** Calls what stands between two waits. */
  readonly stretch?: <Result>(work: () => Result) => Result;
  /** What is waited for in place of a promise. */
  readonly awaited?: (pending: PromiseLike<unknown>) => PromiseLike<unknown>;
}

/** The same steps, with a say in how they go on and what they wait for. */
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

/** `yield* settled(fn())`: the value, waited for where it is a promise. */
export function* settled(value: unknown): Steps<unknown> {
  return isThenable(value) ? yield value : value;
}
