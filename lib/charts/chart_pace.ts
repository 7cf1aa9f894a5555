// Says when an output that is replaced while work goes on is due again. Each replacement makes the page build its chart
// anew, about 100 ms of the page's time, in which it answers no click.

/** In the first seconds one wants to see each change. */
const LEAST_INTERVAL_MS = 250;
/** A chart of a long run changes little from one update to the next; a person still looks at it. */
const MOST_INTERVAL_MS = 2000;
/** How much of a chart's width an update adds, between these two. */
const ADDED_SHARE = 0.05;
/** Share of the time that drawing may take: where it is dear, updates come more rarely. */
const DRAWING_SHARE = 0.02;

export class ChartPace {
  #beganMs: number | null = null;
  #dueMs = 0;
  #tookMs = 0;

  /** Whether there was an update. */
  get hasBegun(): boolean {
    return this.#beganMs !== null;
  }

  /** Milliseconds until the next update; at most 0 where it is due. */
  get leftMs(): number {
    return this.#dueMs - performance.now();
  }

  /** Makes an update, by whose time and duration the next one is set. */
  run(update: () => void): void {
    const startMs = performance.now();
    this.#beganMs ??= startMs;
    update();
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    // One long update says little: the first loads code, and a busy machine may pause any other.
    const costMs = Math.min(tookMs, this.#tookMs);
    this.#tookMs = tookMs;
    const intervalMs = Math.min(
      Math.max(LEAST_INTERVAL_MS, ADDED_SHARE * (endMs - this.#beganMs)),
      MOST_INTERVAL_MS,
    );
    this.#dueMs = endMs + Math.max(intervalMs, costMs / DRAWING_SHARE);
  }
}
