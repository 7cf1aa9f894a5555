// Chooses the collection of each epoch of a loop. The verdict on growth needs full collections. Minor ones take their
// place where a full one would find nothing more; in between, a budget decides.
import type { Collected, Collector } from "../core/collector.ts";

/**
 * Epochs that get a full collection whatever it costs. A verdict needs three samples after the first epoch. After ten
 * epochs it has them, however short they are: epochs 1, 4 and 7, and the end of the loop.
 */
const VERDICT_EPOCHS: ReadonlySet<number> = new Set([0, 1, 4, 7]);

/**
 * A verdict is promised after four epochs, so a full collection follows in this epoch if the minor one may have left
 * something.
 */
const SHORT_LOOP_EPOCH = 2;

/** Later full collections are due each time the number of epochs has grown by this factor: 10, 14, 20, 28, ... */
const DUE_RATIO = 1.4;

/** The budget of full collections: this share of the loop so far, or this time in a loop, whichever is more. */
const FULL_SHARE = 0.05;
const FULL_MS = 200;
/** Collections that are not due may take only this part of that time; the rest is reserved for those that are. */
const UNDUE_MS = 100;

/** How much more than a full collection a minor one may leave, as a share of the bytes of tensors. */
const OLD_SHARE = 0.01;

/** How far JavaScript's heap may rise above what the last full collection left, before another one is due. */
const HEAP_RISE = 0.25;
const HEAP_RISE_BYTES = 16 * 2 ** 20;

/** The memory that the collections of a loop have left so far. */
interface Level {
  /** Bytes of tensors, and of JavaScript's heap, after the last full collection. */
  readonly fullBytes: number;
  readonly heapBytes: number;
  /** Bytes of tensors after the minor collections since: the next one should leave no more. Null before the first. */
  readonly minorBytes: number | null;
}

/**
 * Runs the collections of one loop. If no full one is due, a minor one comes first (1 ms of processor time; a full one
 * takes 14 on a heap of 10 MB). If it leaves no more than the one before, a full one would find nothing. That holds for
 * most epochs of a training loop, whose tensors die young. Otherwise a full one follows if the budget allows it.
 *
 * A minor one may leave a little more than the full one did. Whatever the loop's frame holds during a full collection,
 * such as the last batch's logits, is in the old generation from then on.
 */
export class LoopCollections {
  readonly #collector: Collector;
  readonly #beganMs: number;
  #epoch = 0;
  #due = Math.ceil(Math.max(...VERDICT_EPOCHS) * DUE_RATIO);
  #spentMs = 0;
  #level: Level | null = null;

  constructor(collector: Collector) {
    this.#collector = collector;
    this.#beganMs = collector.nowMs();
  }

  /**
   * The collection at the end of the next epoch.
   *
   * @param tensorBytes asked after a collection: bytes of the tensors that are left
   * @param kind `full` if the search for what holds memory needs a full collection
   */
  collect(tensorBytes: () => number, kind: "in turn" | "full" = "in turn"): Collected {
    const epoch = this.#epoch++;
    if (kind === "full" || VERDICT_EPOCHS.has(epoch) || this.#level === null) return this.full(tensorBytes);
    const due = epoch >= this.#due;
    if (due && this.#fits(FULL_MS)) return this.full(tensorBytes);
    const minor = this.#minor(this.#level, tensorBytes);
    const isNeeded = epoch === SHORT_LOOP_EPOCH || this.#fits(UNDUE_MS);
    return minor.complete || !isNeeded ? minor : this.full(tensorBytes);
  }

  /** Runs a full collection outside the budget, as when the loop closes. */
  full(tensorBytes: () => number): Collected {
    const full = this.#collector.full();
    this.#spentMs += this.#collector.fullMs;
    this.#due = Math.max(this.#due, Math.ceil((this.#epoch - 1) * DUE_RATIO));
    const fullBytes = tensorBytes();
    this.#level = {
      fullBytes,
      heapBytes: this.#collector.heapBytes(),
      minorBytes: this.#level?.fullBytes === fullBytes ? this.#level.minorBytes : null,
    };
    return full;
  }

  #fits(loopMs: number): boolean {
    const loopSoFarMs = this.#collector.nowMs() - this.#beganMs;
    return this.#spentMs + this.#collector.fullMs <= Math.max(loopMs, FULL_SHARE * loopSoFarMs);
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
