// Decides between a full and a minor garbage collection: by whether a minor one leaves anything for a full one to find, and
// by what the last full one cost. Knows tensors as a number of bytes.
import { getHeapStatistics } from "node:v8";
import { type CollectionKind, collectGarbage } from "../torch/garbage.ts";

/** Share of the time that full collections may take. */
const FULL_SHARE = 0.05;

/** How much more than a full collection a minor one may leave, as a share of the tensors' bytes. */
const OLD_SHARE = 0.01;

/** How far JavaScript's own heap may rise over what a full collection left of it, before another one is due. */
const HEAP_RISE = 0.25;
const HEAP_RISE_BYTES = 16 * 2 ** 20;

export interface Collected {
  readonly collection: CollectionKind;
  /** Whether nothing worth mention is left that nobody holds. */
  readonly complete: boolean;
}

/** What the collector works on; a test gives its own. */
export interface CollectedHeap {
  collect(kind: CollectionKind): void;
  usedBytes(): number;
}

const V8_HEAP: CollectedHeap = {
  collect: collectGarbage,
  usedBytes: () => getHeapStatistics().used_heap_size,
};

/**
 * Keeps full collections within 5% of the time. The cost is that of the last one (10 ms at 19 MB of JavaScript heap,
 * 83 ms at 193 MB), and the time is what passed since then: so an epoch that is too short for one gets a minor
 * collection, while a row of short epochs has a full one now and then, and one slow measurement is not believed for ever.
 */
export class Collector {
  readonly #heap: CollectedHeap;
  readonly #nowMs: () => number;
  #fullCostMs = 0;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(heap: CollectedHeap = V8_HEAP, nowMs: () => number = () => performance.now()) {
    this.#heap = heap;
    this.#nowMs = nowMs;
  }

  /** A full collection whatever it costs. */
  full(): Collected {
    const beganMs = this.#nowMs();
    this.#heap.collect("full");
    this.#fullAtMs = this.#nowMs();
    this.#fullCostMs = this.#fullAtMs - beganMs;
    return { collection: "full", complete: true };
  }

  minor(): Collected {
    this.#heap.collect("minor");
    return { collection: "minor", complete: false };
  }

  get fullIsAffordable(): boolean {
    return this.#fullCostMs <= FULL_SHARE * (this.#nowMs() - this.#fullAtMs);
  }

  heapBytes(): number {
    return this.#heap.usedBytes();
  }
}

/** What the collections of a loop have left so far. */
interface Level {
  /** Bytes of tensors, and of JavaScript's heap, after the last full collection. */
  readonly fullBytes: number;
  readonly heapBytes: number;
  /** Bytes of tensors after the minor collections since: the next one is to leave no more. Null before the first one. */
  readonly minorBytes: number | null;
}

/**
 * The collections of one loop. Its first one is a full one. After each later epoch a minor one comes first (1 ms of
 * processor time, where a full one takes 14 on a heap of 10 MB), and where it leaves as much as the one before, there is
 * nothing for a full one to find: so it is at the end of most epochs of a training loop, whose tensors die young.
 *
 * It may leave a little more than the full one did. What the loop's frame still holds at the time of a full collection, as the
 * last batch's logits, counts as old ever after.
 */
export class LoopCollections {
  readonly #collector: Collector;
  #level: Level | null = null;

  constructor(collector: Collector) {
    this.#collector = collector;
  }

  /** @param tensorBytes asked after a collection: bytes of the tensors that are left */
  collect(tensorBytes: () => number): Collected {
    const minor = this.#level === null ? null : this.#minor(this.#level, tensorBytes);
    if (minor?.complete) return minor;
    if (!this.#collector.fullIsAffordable) return minor ?? this.#collector.minor();
    const full = this.#collector.full();
    const fullBytes = tensorBytes();
    this.#level = {
      fullBytes,
      heapBytes: this.#collector.heapBytes(),
      minorBytes: this.#level?.fullBytes === fullBytes ? this.#level.minorBytes : null,
    };
    return full;
  }

  #minor(level: Level, tensorBytes: () => number): Collected {
    const minor = this.#collector.minor();
    const leftBytes = tensorBytes();
    const mostBytes = level.minorBytes ?? (1 + OLD_SHARE) * level.fullBytes;
    const complete =
      leftBytes >= level.fullBytes &&
      leftBytes <= mostBytes &&
      this.#collector.heapBytes() <= level.heapBytes + Math.max(HEAP_RISE_BYTES, HEAP_RISE * level.heapBytes);
    if (complete) this.#level = { ...level, minorBytes: leftBytes };
    return { ...minor, complete };
  }
}
