// Decides between a full and a minor garbage collection by what the last full one cost. Knows no tensors.
import { type CollectionKind, collectGarbage } from "../torch/garbage.ts";

/** Share of the time that full collections may take. */
const FULL_SHARE = 0.05;

type Collect = (kind: CollectionKind) => void;

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
