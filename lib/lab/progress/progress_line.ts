// Counts the items of one loop, and writes the text of its line. Does not show it.
import { formatTime } from "../../units.ts";

/** The weight of the latest interval in the rate from which the remaining time is estimated. */
const LATEST = 0.3;

export type LineState = "running" | "ended" | "stopped";

export class ProgressLine {
  count = 0;
  state: LineState = "running";
  readonly total: number | null;
  readonly #description: string;
  readonly #unit: string;
  readonly #beganMs = performance.now();
  #ratePerSecond: number | null = null;
  #latest = { count: 0, atMs: this.#beganMs };
  #endedMs: number | null = null;

  /**
   * @param total null if the number of items is not known
   */
  constructor(description: string, unit: string, total: number | null) {
    this.#description = description === "" ? "" : `${description}: `;
    this.#unit = unit;
    this.total = total;
  }

  get elapsedMs(): number {
    return (this.#endedMs ?? performance.now()) - this.#beganMs;
  }

  /** The share that is done; null if it is not known. */
  get share(): number | null {
    return this.#knownTotal === null || this.#knownTotal === 0 ? null : this.count / this.#knownTotal;
  }

  /** @param state `stopped` if a break, a throw or an interrupt left the loop, whose last item is not counted */
  end(state: Exclude<LineState, "running">): void {
    this.state = state;
    this.#endedMs = performance.now();
  }

  /**
   * - running: `train: 37 of 100 batches (37%), 12.3 a second, 5.1 s left`
   * - ended: `train: 100 batches in 8.13 s, 12.3 a second`
   * - stopped: `train: stopped at 37 of 100 batches after 3 s, 12.3 a second`
   */
  text(): string {
    const total = this.#knownTotal;
    const count = `${this.count}${total === null ? "" : ` of ${total}`}${this.#unit === "" ? "" : ` ${this.#unit}`}`;
    const elapsed = formatTime(this.elapsedMs);
    const mean = this.#rateText(this.elapsedMs > 0 ? (1000 * this.count) / this.elapsedMs : null);
    if (this.state === "stopped") return `${this.#description}stopped at ${count} after ${elapsed}${mean}`;
    if (this.state === "ended") return `${this.#description}${this.#endText(count)} in ${elapsed}${mean}`;
    return `${this.#description}${count}${this.#runningText(total, elapsed)}`;
  }

  #endText(count: string): string {
    return this.count === this.#knownTotal
      ? `${this.count}${this.#unit === "" ? "" : ` ${this.#unit}`}`
      : count;
  }

  #runningText(total: number | null, elapsed: string): string {
    const rate = this.#smoothRate();
    if (total === null || total === 0) return ` in ${elapsed}${this.#rateText(rate)}`;
    const left =
      rate === null || rate === 0 ? "" : `, ${formatTime((1000 * (total - this.count)) / rate)} left`;
    return ` (${Math.floor((100 * this.count) / total)}%)${this.#rateText(rate)}${left}`;
  }

  /** A total is ignored once more items have come than it says. */
  get #knownTotal(): number | null {
    return this.total !== null && this.count <= this.total ? this.total : null;
  }

  #rateText(perSecond: number | null): string {
    if (perSecond === null || perSecond === 0) return "";
    // Below one item a second, the time for one item tells more.
    if (perSecond < 1) return `, ${formatTime(1000 / perSecond)} each`;
    return `, ${perSecond >= 100 ? Math.round(perSecond).toLocaleString("en-US") : Number(perSecond.toPrecision(3))} a second`;
  }

  /** Items a second, where older intervals count less and less. */
  #smoothRate(): number | null {
    const nowMs = performance.now();
    const passedMs = nowMs - this.#latest.atMs;
    if (this.count > this.#latest.count && passedMs > 0) {
      const latest = (1000 * (this.count - this.#latest.count)) / passedMs;
      this.#ratePerSecond =
        this.#ratePerSecond === null ? latest : LATEST * latest + (1 - LATEST) * this.#ratePerSecond;
      this.#latest = { count: this.count, atMs: nowMs };
    }
    return this.#ratePerSecond;
  }
}
