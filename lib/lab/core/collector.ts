// Runs full and minor garbage collections, and keeps the time that full ones took. loop_collections.ts chooses which of
// them an epoch gets.
import { getHeapStatistics } from "node:v8";
import { type CollectionKind, collectGarbage } from "../../torch/engine/garbage.ts";

export interface Collected {
  readonly collection: CollectionKind;
  /** Whether no garbage worth mentioning is left. */
  readonly complete: boolean;
}

/** The heap that the collector works on. Tests pass their own. */
export interface CollectedHeap {
  collect(kind: CollectionKind): void;
  usedBytes(): number;
}

const V8_HEAP: CollectedHeap = {
  collect: collectGarbage,
  usedBytes: () => getHeapStatistics().used_heap_size,
};

/** The collector of one session. */
export class Collector {
  readonly #heap: CollectedHeap;
  readonly #nowMs: () => number;
  #fullMs = 0;

  constructor(heap: CollectedHeap = V8_HEAP, nowMs: () => number = () => performance.now()) {
    this.#heap = heap;
    this.#nowMs = nowMs;
  }

  /** Takes 10 ms on a JavaScript heap of 19 MB, 83 ms on one of 193 MB. */
  full(): Collected {
    const beganMs = this.#nowMs();
    this.#heap.collect("full");
    this.#fullMs = this.#nowMs() - beganMs;
    return { collection: "full", complete: true };
  }

  minor(): Collected {
    this.#heap.collect("minor");
    return { collection: "minor", complete: false };
  }

  /** How long the last full collection took, in any loop; it estimates the next one. */
  get fullMs(): number {
    return this.#fullMs;
  }

  nowMs(): number {
    return this.#nowMs();
  }

  heapBytes(): number {
    return this.#heap.usedBytes();
  }
}
