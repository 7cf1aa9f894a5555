// Chooses the batch to train with: the best of a series, and the knee before it.
import { isWide, relativeSpread } from "../../statistics/spread.ts";
import type { PointRecord } from "./point.ts";

/** A larger batch that gives less than this on top is not worth its memory. */
const WORTHWHILE = 0.03;
/** The knee is where this part of the best throughput is reached. */
const KNEE_SHARE = 0.9;
/** A curve whose last doubling of the batch gives this much on top has not bent yet. */
const STILL_RISING = 0.1;

export interface Choice {
  /** The smallest batch whose throughput no other one beats by more than 3%. */
  readonly bestBatch: number;
  readonly bestSamplesPerSecond: number;
  /**
   * The smallest batch that gives 90% of the best throughput: beyond it memory buys little. Null where the curve does not
   * bend: it still rises at the largest batch, or there is one batch only.
   */
  readonly kneeBatch: number | null;
  /** Whether the last doubling up to the largest batch gave 10% or more on top. */
  readonly stillRising: boolean;
  /**
   * Whether chance may have made this choice: knee or best batch, or a batch beside them, has a spread of a third or more,
   * or within the spreads the knee may lie two batches away.
   */
  readonly uncertain: boolean;
}

/** A batch, and its samples a second. */
export interface Rate {
  readonly batch: number;
  readonly rate: number;
  /** Half the distance between the quartiles, as a share of the rate. Default: not known, and trusted. */
  readonly spread?: number;
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
  const sound = (healthy.length > 0 ? healthy : whole).map(({ point, steady }) => ({
    batch: point.batch,
    rate: steady!.samplesPerSecond.median,
    spread: relativeSpread(steady!.samplesPerSecond),
  }));
  return chooseAmong(sound);
}

/** Chooses among the rates of one series; null if there is none. */
export function chooseAmong(rates: readonly Rate[]): Choice | null {
  const sound = rates.toSorted((a, b) => a.batch - b.batch);
  if (sound.length === 0) return null;
  const max = Math.max(...sound.map(({ rate }) => rate));
  const best = sound.find(({ rate }) => rate * (1 + WORTHWHILE) >= max)!;
  const knee = sound.find(({ rate }) => rate >= KNEE_SHARE * max)!;
  const stillRising = best === sound.at(-1) && risesAtEnd(sound);
  return {
    bestBatch: best.batch,
    bestSamplesPerSecond: best.rate,
    kneeBatch: stillRising || sound.length === 1 ? null : knee.batch,
    stillRising,
    uncertain: [knee, best].some((one) => isDisturbed(sound, sound.indexOf(one))) || kneesApart(sound) > 1,
  };
}

/** Whether the batch at this place, or one beside it, has a wide spread. */
const isDisturbed = (sorted: readonly Rate[], place: number): boolean =>
  sorted.slice(Math.max(0, place - 1), place + 2).some(({ spread = 0 }) => isWide(spread));

/** How many batches lie between the first and the last that may be the knee, if each rate is anywhere within its spread. */
function kneesApart(sorted: readonly Rate[]): number {
  const leastBest = Math.max(...sorted.map((one) => atEdge(one, -1)));
  const first = sorted.findIndex((one) => atEdge(one, 1) >= KNEE_SHARE * leastBest);
  /** The place of the knee if this batch is the fastest, at its upper edge, and all others are at their lower ones. */
  const kneeBefore = (fastest: Rate): number =>
    sorted.findIndex((one) => one === fastest || atEdge(one, -1) >= KNEE_SHARE * atEdge(fastest, 1));
  const mayBeFastest = sorted.filter((one) => atEdge(one, 1) >= leastBest);
  return Math.max(...mayBeFastest.map(kneeBefore)) - first;
}

/** The rate at the upper edge of its spread (1), or at the lower one (-1). */
const atEdge = ({ rate, spread = 0 }: Rate, side: number): number => rate * (1 + side * spread);

/** Compares the largest batch with the one at half of it, or the nearest below that, whatever lies between. */
function risesAtEnd(sorted: readonly Rate[]): boolean {
  const last = sorted.at(-1)!;
  const before = sorted.findLast(({ batch }) => batch <= last.batch / 2) ?? sorted[0]!;
  if (before === last) return false;
  const doublings = Math.log2(last.batch / before.batch);
  return (last.rate / before.rate) ** (1 / doublings) - 1 >= STILL_RISING;
}
