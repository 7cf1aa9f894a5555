// Decides when the next update of a live output is due. Each update makes the page build its chart anew, which takes
// about 100 ms in which the page answers no click.

/** Short, because the reader wants to see each change in the first seconds. */
const LEAST_INTERVAL_MS = 250;
/**
 * Bounded, because a person still watches the chart of a long run, although it changes little from one update to the
 * next.
 */
const MOST_INTERVAL_MS = 2000;
/**
 * The interval as a share of the time since the first update: each update then adds this share to the chart's width. It
 * lies between the two bounds above.
 */
const ADDED_SHARE = 0.05;
/** The share of the time that drawing may take: if drawing is slow, updates are rarer. */
const DRAWING_SHARE = 0.02;

export class ChartPace {
  #beganMs: number | null = null;
  #dueMs = 0;
  #tookMs = 0;

  /** Whether there was an update. */
  get hasBegun(): boolean {
    return this.#beganMs !== null;
  }

  /** Milliseconds until the next update; 0 or less if it is due. */
  get leftMs(): number {
    return this.#dueMs - performance.now();
  }

  /** Makes an update, and sets the time of the next one from the time and duration of this one. */
  run(update: () => void): void {
    const startMs = performance.now();
    this.#beganMs ??= startMs;
    update();
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    // Two updates count, because a single long one says little: the first loads code, and a busy machine may delay any
    // other.
    const costMs = Math.min(tookMs, this.#tookMs);
    this.#tookMs = tookMs;
    const intervalMs = Math.min(
      Math.max(LEAST_INTERVAL_MS, ADDED_SHARE * (endMs - this.#beganMs)),
      MOST_INTERVAL_MS,
    );
    this.#dueMs = endMs + Math.max(intervalMs, costMs / DRAWING_SHARE);
  }
}
