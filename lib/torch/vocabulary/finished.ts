// Refuses results that show that a function has not finished. The code of a promise continues, and that of a generator
// starts, after the function has returned: then a mode that was on while the function ran is off. Knows no mode.
import { isThenable } from "./arguments.ts";

function isGenerator(value: unknown): boolean {
  const kind = Object.prototype.toString.call(value);
  return kind === "[object Generator]" || kind === "[object AsyncGenerator]";
}

/**
 * Refuses a promise and a generator.
 *
 * @param why what ends when the function returns, and the way out
 */
export function requireFinished<Result>(call: string, result: Result, why: string): Result {
  const isPromise = isThenable(result);
  if (!isPromise && !isGenerator(result)) return result;
  if (isPromise) result.then(undefined, () => {}); // Its failure has no reader any more.
  throw new TypeError(
    `${call} cannot wait: its function returned a ${isPromise ? "promise" : "generator"}, and ${why}`,
  );
}

/** Refuses a generator where a promise is waited for. */
export function requireBegun<Result>(call: string, result: Result): Result {
  if (!isGenerator(result)) return result;
  throw new TypeError(
    `${call}: the function returned a generator, and none of its code has run. Loop over it inside of the function.`,
  );
}
