// Chooses the batch to train with: the best of a series, and the knee before it.
import type { PointRecord } from "./point.ts";

/** A larger batch that gives less than this on top is not worth its memory. */
const WORTHWHILE = 0.03;
/** The knee is where this part of the best throughput is reached. */
const KNEE_SHARE = 0.9;

export interface Choice {
  /** The smallest batch whose throughput no other one beats by more than 3%. */
  readonly bestBatch: number;
  readonly bestSamplesPerSecond: number;
  /** The smallest batch that gives 90% of the best throughput: beyond it memory buys little. */
  readonly kneeBatch: number;
}

/**
 * Chooses among points that ran to their end without swapping; null if there is none. A point that leaks or whose loss
 * is not finite is chosen only if all are so: a step that does less than it should is often the fastest.
 */
export function chooseBatch(records: readonly PointRecord[]): Choice | null {
  const whole = records.filter(
    ({ status, swapped, steady }) => status === "measured" && !swapped && steady !== null,
  );
  const healthy = whole.filter(({ loss, leak }) => loss?.finite !== false && leak === null);
  const sound = (healthy.length > 0 ? healthy : whole)
    .map(({ point, steady }) => ({ batch: point.batch, rate: steady!.samplesPerSecond.median }))
    .toSorted((a, b) => a.batch - b.batch);
  if (sound.length === 0) return null;
  const most = Math.max(...sound.map(({ rate }) => rate));
  const best = sound.find(({ rate }) => rate * (1 + WORTHWHILE) >= most)!;
  const knee = sound.find(({ rate }) => rate >= KNEE_SHARE * most)!;
  return { bestBatch: best.batch, bestSamplesPerSecond: best.rate, kneeBatch: knee.batch };
}
