// Measurements of functions that may or may not return promises, written once: a generator yields what is to be awaited.
// Of a synchronous function the result is there at once, and no `await` has stood in a measured time. Knows no measures.
import { isThenable } from "../torch/arguments.ts";

/** Yields promises, is resumed with what became of them, and returns the result. */
export type Steps<Result> = Generator<PromiseLike<unknown>, Result, unknown>;

/** What a measurement of `Returned` functions gives: a promise where they return one. */
export type Driven<Returned, Result> = Returned extends PromiseLike<unknown> ? Promise<Result> : Result;

export function drive<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : driveOn(steps, first.value);
}

async function driveOn<Result>(steps: Steps<Result>, pending: PromiseLike<unknown>): Promise<Result> {
  let waitsFor = pending;
  for (;;) {
    let settled: { readonly value: unknown } | { readonly error: unknown };
    try {
      settled = { value: await waitsFor };
    } catch (error) {
      settled = { error };
    }
    const next = "error" in settled ? steps.throw(settled.error) : steps.next(settled.value);
    if (next.done) return next.value;
    waitsFor = next.value;
  }
}

/** `yield* settled(fn())`: the value, waited for where it is a promise. */
export function* settled(value: unknown): Steps<unknown> {
  return isThenable(value) ? yield value : value;
}
