// A promise that the kernel did not keep: ends the soak.
import { setTimeout as delay } from "node:timers/promises";

export class Violation extends Error {
  override readonly name = "Violation";
}

/** @throws Violation with that sentence, unless the condition holds */
export function holds(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Violation(sentence);
}

/** @throws Violation if the promise has not settled in time: what hangs is found, and not waited for */
export async function within<Value>(limitMs: number, what: string, promise: Promise<Value>): Promise<Value> {
  const stopped = new AbortController();
  const late = delay(limitMs, undefined, { signal: stopped.signal }).then(() => {
    throw new Violation(`${what}: nothing came within ${limitMs / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    stopped.abort();
  }
}

/** Asks again until it holds. @throws Violation if it does not in time */
export async function eventually(
  limitMs: number,
  sentence: () => string,
  condition: () => boolean,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Violation(sentence());
    await delay(20);
  }
}
