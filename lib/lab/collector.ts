// Runs V8's garbage collector, and decides between a full and a minor collection by what the last full one cost.
// Knows no tensors: that their memory goes with their wrappers is the addon's doing.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Share of the time that full collections may take. */
const FULL_SHARE = 0.05;

export type CollectionKind = "full" | "minor";
export type Collect = (kind: CollectionKind) => void;

/**
 * Keeps full collections within 5% of the time. The cost is that of the last one (10 ms at 19 MB of JavaScript heap,
 * 83 ms at 193 MB), and the time is what passed since then: so an epoch that is too short for one gets a minor
 * collection, while a row of short epochs has a full one now and then, and one slow measurement is not believed for ever.
 */
export class Collector {
  readonly #collect: Collect;
  readonly #nowMs: () => number;
  #fullCostMs = 0;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(collect: Collect = collectGarbage, nowMs: () => number = () => performance.now()) {
    this.#collect = collect;
    this.#nowMs = nowMs;
  }

  /** A full collection whatever it costs. */
  full(): "full" {
    const beganMs = this.#nowMs();
    this.#collect("full");
    this.#fullAtMs = this.#nowMs();
    this.#fullCostMs = this.#fullAtMs - beganMs;
    return "full";
  }

  /** The collection that is affordable now. */
  affordable(): CollectionKind {
    const sinceFullMs = this.#nowMs() - this.#fullAtMs;
    if (this.#fullCostMs <= FULL_SHARE * sinceFullMs) return this.full();
    this.#collect("minor");
    return "minor";
  }
}

type V8Collector = (options?: { readonly type: "minor" }) => void;

let v8Collector: V8Collector | undefined;

/**
 * Collects before it returns, weak callbacks (and so the release of tensors) included. Node 20's V8 takes every options
 * object for "minor", `{ type: "major" }` too: the full collection is the call without any.
 */
export function collectGarbage(kind: CollectionKind): void {
  v8Collector ??= (globalThis.gc as V8Collector | undefined) ?? exposedCollector();
  if (kind === "full") v8Collector();
  else v8Collector({ type: "minor" });
}

/** For a process that was not started with `--expose-gc`: a context that is made after the flag has the function. */
function exposedCollector(): V8Collector {
  setFlagsFromString("--expose-gc");
  const collector = runInNewContext("gc") as V8Collector;
  setFlagsFromString("--no-expose-gc");
  return collector;
}
