// Runs V8's garbage collector. The addon frees a tensor's memory when its wrapper is collected.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export type CollectionKind = "full" | "minor";

type V8Collector = (options?: { readonly type: "minor" }) => void;

let v8Collector: V8Collector | undefined;

/** Functions that run before and after each full collection. */
interface CollectionObserver {
  before(): void;
  after(): void;
}
const observers: CollectionObserver[] = [];

/**
 * Registers functions to run around each full collection. Native code needs this if it holds JavaScript objects,
 * because V8 does not see cycles through it.
 */
export function observeFullCollections(observer: CollectionObserver): void {
  observers.push(observer);
}

/**
 * Collects garbage and runs weak callbacks, which release tensors, before it returns. Node 20's V8 takes every options
 * object for "minor", even `{ type: "major" }`; so the full collection is called without one.
 */
export function collectGarbage(kind: CollectionKind): void {
  v8Collector ??= (globalThis.gc as V8Collector | undefined) ?? exposedCollector();
  if (kind === "full") {
    for (const { before } of observers) before();
    v8Collector();
    for (const { after } of observers) after();
  } else {
    keepYoungGeneration();
    v8Collector({ type: "minor" });
  }
}

const NUMBERS: readonly number[] = Array.from({ length: 2048 }, () => 0);

/**
 * Makes 16 KiB of garbage. If a program makes less than 1,000 bytes a millisecond, V8 returns half of its young
 * generation to the system after a collection, and asks for it again in the next. A loop over large tensors makes so
 * little: it spent 0.9 of 5.4 s in the system on this, and 0.2 s with this garbage (V8: `Heap::ShouldResizeNewSpace`).
 */
function keepYoungGeneration(): void {
  NUMBERS.slice();
}

/**
 * Returns the collector of a process that was started without `--expose-gc`. Only a context that is made after the flag
 * is set has the function.
 */
function exposedCollector(): V8Collector {
  setFlagsFromString("--expose-gc");
  const collector = runInNewContext("gc") as V8Collector;
  setFlagsFromString("--no-expose-gc");
  return collector;
}
