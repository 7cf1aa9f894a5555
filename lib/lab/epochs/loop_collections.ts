// Chooses the collection of each epoch of a loop. The verdict on growth needs full ones; where these leave nothing to
// find, minor ones follow; between them a budget decides.
import type { Collected, Collector } from "../core/collector.ts";

/**
 * Epochs whose collection is a full one whatever it costs. A verdict takes three samples after the first epoch, and after
 * ten epochs it has them, however short the epochs are: those of 1, 4 and 7, and the one when the loop closes.
 */
const VERDICT_EPOCHS: ReadonlySet<number> = new Set([0, 1, 4, 7]);

/** After those, one full collection is due whenever the loop is so many times as long: 10, 14, 20, 28, ... */
const DUE_RATIO = 1.4;

/** What full collections may take: this share of the loop so far, or this time a loop, whichever is more. */
const FULL_SHARE = 0.05;
const FULL_MS = 200;
/** Half of that time is kept for those that are due. */
const UNDUE_MS = 100;

/** How much more than a full collection a minor one may leave, as a share of the tensors' bytes. */
const OLD_SHARE = 0.01;

/** How far JavaScript's own heap may rise over what a full collection left of it, before another one is wanted. */
const HEAP_RISE = 0.25;
const HEAP_RISE_BYTES = 16 * 2 ** 20;

/** What the collections of a loop have left so far. */
interface Level {
  /** Bytes of tensors, and of JavaScript's heap, after the last full collection. */
  readonly fullBytes: number;
  readonly heapBytes: number;
  /** Bytes of tensors after the minor collections since: the next one is to leave no more. Null before the first one. */
  readonly minorBytes: number | null;
}

/**
 * The collections of one loop. Where no full one is due, a minor one comes first (1 ms of processor time, where a full one
 * takes 14 on a heap of 10 MB). If it leaves as much as the one before, there is nothing for a full one to find: so it is at
 * the end of most epochs of a training loop, whose tensors die young. Otherwise a full one follows, if the budget has it.
 *
 * A minor one may leave a little more than the full one did. What the loop's frame still holds at the time of a full
 * collection, as the last batch's logits, counts as old ever after.
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
   * @param kind `full` where something else than the verdict needs it: the search for what holds memory
   */
  collect(tensorBytes: () => number, kind: "in turn" | "full" = "in turn"): Collected {
    const epoch = this.#epoch++;
    if (kind === "full" || VERDICT_EPOCHS.has(epoch) || this.#level === null) return this.full(tensorBytes);
    const due = epoch >= this.#due;
    if (due && this.#fits(FULL_MS)) return this.full(tensorBytes);
    const minor = this.#minor(this.#level, tensorBytes);
    return minor.complete || !this.#fits(UNDUE_MS) ? minor : this.full(tensorBytes);
  }

  /** A full one outside of the budget, as when the loop closes. */
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
