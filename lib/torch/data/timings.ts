// Sums the times of a loader's stages, batch by batch, from this thread or from its workers.
import { STAGES, type StageMs } from "./stages.ts";

/**
 * Milliseconds over all batches so far. With workers the stages ran in several threads at once, and `waitMs` is what the
 * session waited for batches all the same; without them it is the sum of the stages.
 */
export interface LoaderTimings {
  readonly batches: number;
  readonly fetchMs: number;
  readonly decodeMs: number;
  readonly transformMs: number;
  readonly collateMs: number;
  readonly transferMs: number;
  readonly waitMs: number;
}

export class TimingRecord {
  readonly #stageMs: number[] = STAGES.map(() => 0);
  #batches = 0;
  #waitMs = 0;

  addStages(spent: StageMs): void {
    for (const [stage, ms] of spent.entries()) this.#stageMs[stage]! += ms;
  }

  addBatch(waitMs: number): void {
    this.#batches++;
    this.#waitMs += waitMs;
  }

  read(): LoaderTimings {
    const [fetchMs, decodeMs, transformMs, collateMs, transferMs] = this.#stageMs as [
      number,
      number,
      number,
      number,
      number,
    ];
    return {
      batches: this.#batches,
      fetchMs,
      decodeMs,
      transformMs,
      collateMs,
      transferMs,
      waitMs: this.#waitMs,
    };
  }
}
