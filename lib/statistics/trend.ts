// Decides whether a series of samples rises, rose once, or stays level. The caller turns the trend into a verdict by
// its own thresholds.
import { spreadOf } from "./spread.ts";

/** Bytes at the end of an epoch. */
export interface Sample {
  readonly epoch: number;
  readonly bytes: number;
}

export interface Trend {
  /**
   * `rising`: in the last third, and not stopped since. `rose`: it rose and stopped. `level`: it ends where it began,
   * or swings without a trend. `open`: it rose only at the last sample, so that it is not known whether it goes on.
   */
  readonly kind: "rising" | "rose" | "level" | "open";
  /** The growth of a `rising` trend, from the last rise before the last third to the last rise. Otherwise 0. */
  readonly bytesPerEpoch: number;
  /** The epoch of the last rise; null without a rise. */
  readonly lastRise: number | null;
}

/** In a longer series, only this many samples count: evenly spaced, with the last one. */
const MAX_SAMPLES = 300;

/**
 * Spikes are the exception. Of seven samples in a random order, two thirds without spikes are left in 4% of all orders, of
 * nine in 1%; of fewer than seven in up to 29%.
 */
const MOSTLY = { share: 2 / 3, samples: 7 } as const;

/** The one-sided 5% quantile of the normal distribution. */
const SIGNIFICANT = 1.645;

/**
 * @param noiseBytes a smaller change counts as none, but small changes in one direction add up
 */
export function risingTrend(all: readonly Sample[], noiseBytes: number): Trend {
  const samples = thinned(all);
  const rises = risesOf(samples, noiseBytes);
  const level: Trend = { kind: "level", bytesPerEpoch: 0, lastRise: null };
  const lastAt = rises.at(-1);
  if (lastAt === undefined) return level;
  const lastRise = samples[lastAt]!.epoch;
  const rose: Trend = { kind: "rose", bytesPerEpoch: 0, lastRise };

  const stays = Math.min(...samples.slice(lastAt).map(({ bytes }) => bytes)) > samples[0]!.bytes + noiseBytes;
  const swings = falls(samples, noiseBytes);
  const isLong = samples.length >= MOSTLY.samples;
  if (swings && isLong && !isSignificant(samples, noiseBytes)) {
    const kept = withoutSpikes(samples, noiseBytes);
    const below = kept.length >= MOSTLY.share * samples.length ? risingTrend(kept, noiseBytes) : level;
    if (below.kind === "rising") return below;
  }
  if (rises.length === 1) {
    if (lastAt === samples.length - 1) return swings ? level : { ...rose, kind: "open" };
    return stays ? rose : level;
  }
  if (swings && !isSignificant(samples, noiseBytes)) return stays ? rose : level;

  const [first, last] = [samples[0]!, samples.at(-1)!];
  const lastThird = first.epoch + ((last.epoch - first.epoch) * 2) / 3;
  if (lastRise <= lastThird || hasStopped(samples, rises)) return stays ? rose : level;
  const before = samples[rises.findLast((at) => samples[at]!.epoch <= lastThird) ?? 0]!;
  const bytesPerEpoch = (samples[lastAt]!.bytes - before.bytes) / (lastRise - before.epoch);
  return { kind: "rising", bytesPerEpoch, lastRise };
}

function thinned(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / MAX_SAMPLES);
  if (step === 1) return samples;
  return samples.filter((_, at) => at === 0 || (samples.length - 1 - at) % step === 0);
}

/** The indices of new highs. Each rise is measured from the previous high, so that many small rises become one. */
function risesOf(samples: readonly Sample[], noiseBytes: number): number[] {
  const rises: number[] = [];
  let highest = samples[0]!.bytes;
  samples.forEach(({ bytes }, at) => {
    if (bytes <= highest + noiseBytes) return;
    rises.push(at);
    highest = bytes;
  });
  return rises;
}

function falls(samples: readonly Sample[], noiseBytes: number): boolean {
  let highest = Number.NEGATIVE_INFINITY;
  return samples.some(({ bytes }) => {
    highest = Math.max(highest, bytes);
    return bytes < highest - noiseBytes;
  });
}

/**
 * The samples without those that a later one is below: what is freed later was not kept, such as a tensor that the collector had
 * not found at one flush. Of memory that swings few samples are left.
 */
function withoutSpikes(samples: readonly Sample[], noiseBytes: number): readonly Sample[] {
  let least = Number.POSITIVE_INFINITY;
  return samples
    .toReversed()
    .filter(({ bytes }) => {
      const isKept = bytes <= least + noiseBytes;
      least = Math.min(least, bytes);
      return isKept;
    })
    .toReversed();
}

/**
 * Whether memory has been flat for more epochs than usually pass between two rises. A full ring buffer is flat in this
 * sense; checkpoints kept at every fifth epoch are not. Two samples may lie some epochs apart; if memory rose by
 * several usual steps between them, it counts as several rises. If each earlier sample was a rise and all lie apart,
 * the usual interval is unknown, and two flat samples suffice.
 */
function hasStopped(samples: readonly Sample[], rises: readonly number[]): boolean {
  const lastAt = rises.at(-1)!;
  const steps = rises.map((at, i) => {
    const before = samples[rises[i - 1] ?? 0]!;
    return { epochs: samples[at]!.epoch - before.epoch, bytes: samples[at]!.bytes - before.bytes };
  });
  const usualBytes = spreadOf(steps.map(({ bytes }) => bytes)).median;
  const longest = Math.max(...steps.map(({ epochs, bytes }) => epochs * Math.min(1, usualBytes / bytes)));
  if (samples.at(-1)!.epoch - samples[lastAt]!.epoch > longest) return true;
  return rises.length === lastAt && samples.length - 1 - lastAt >= 2;
}

/**
 * The Mann-Kendall test: do significantly more pairs of samples rise than fall? It is needed because alternating memory
 * also reaches a new high now and then.
 */
function isSignificant(samples: readonly Sample[], noiseBytes: number): boolean {
  const count = samples.length;
  let score = 0;
  for (let early = 0; early < count; early++) {
    for (let late = early + 1; late < count; late++) {
      const change = samples[late]!.bytes - samples[early]!.bytes;
      if (Math.abs(change) > noiseBytes) score += Math.sign(change);
    }
  }
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  return (score - 1) / deviation > SIGNIFICANT;
}
