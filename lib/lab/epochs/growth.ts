// Decides whether memory grows from epoch to epoch. Holds the runbook's threshold as data, and computes verdicts from the
// records of one loop: of one metric, and the one on memory that charts, gates, decisions and diagnoses quote.
import { shownAs } from "../../views/shown_as.ts";
import { growthTable } from "./growth_view.ts";
import { checkChoice, checkList, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { risingTrend, type Sample, type Trend } from "../../statistics/trend.ts";

/** "If unified memory rises more than 26 percent over ten epochs with empty_cache at boundaries, suspect retained tensors." */
export const GROWTH_THRESHOLD = { rise: 0.26, epochs: 10 } as const;

/** How many samples after the first epoch a verdict needs. */
const MIN_SAMPLES = 3;

const METRICS = [
  "allocatedBytes",
  "hostBytes",
  "heapBytes",
  "driverBytes",
  "footprintBytes",
  /** The process's memory without V8's heap, which V8 gives back late. */
  "outsideBytes",
] as const;

export type GrowthMetric = (typeof METRICS)[number];

/** Memory other than tensors, which are counted exactly. */
const BESIDE = ["heapBytes", "driverBytes", "outsideBytes"] as const;

/**
 * Thresholds for memory other than tensors. There, what is alive at a flush differs from epoch to epoch, for example an
 * epoch's own list. So a verdict needs at least `min` samples; if there are fewer than `many`, each one has to rise, by
 * a similar amount an epoch.
 */
const BESIDE_SAMPLES = { min: 4, many: 8 } as const;
const EVEN = 4;

/**
 * Smaller changes, as a share or in bytes, count as none. Tensors are counted exactly. The other metrics also vary on
 * their own: an allocator keeps blocks, V8 compiles functions, the system counts pages.
 */
const NOISE: Readonly<Record<GrowthMetric, { readonly share: number; readonly bytes: number }>> = {
  allocatedBytes: { share: 0.0005, bytes: 2 ** 10 },
  hostBytes: { share: 0.0005, bytes: 2 ** 16 },
  driverBytes: { share: 0.01, bytes: 2 ** 20 },
  heapBytes: { share: 0.02, bytes: 2 ** 18 },
  footprintBytes: { share: 0.02, bytes: 2 ** 22 },
  outsideBytes: { share: 0.02, bytes: 2 ** 24 },
};

/** Slower growth than this outside V8 and the allocator gets no verdict, because the system counts whole pages. */
const OUTSIDE_BYTES_PER_EPOCH = 2 ** 20;

/** An epoch, or a group of steps that stands for one, with its memory after the flush at its end. */
export type FlushedEpoch = Pick<EpochRecord, "epoch" | "first" | "complete"> & {
  readonly cut?: boolean;
  readonly collection?: EpochRecord["collection"];
  readonly after: Pick<EpochRecord["after"], "allocatedBytes" | "driverBytes" | "footprintBytes"> & {
    readonly hostBytes?: number;
    readonly heapBytes?: number;
    readonly heapReservedBytes?: number;
  };
};

/**
 * - `growing`: memory still rises in the last third of the loop, at a rate of over 26% in ten epochs.
 * - `climbing`: it still rises, more slowly.
 * - `rose, then flat`: it rose, in one step or several, and stayed there: a cache, a ring buffer, a checkpoint.
 * - `steady`: it ends where it began.
 * - `undecided`: fewer than three samples, or the only rise is the last sample's.
 */
export type GrowthVerdict = "growing" | "climbing" | "rose, then flat" | "steady" | "undecided";

export interface Growth {
  readonly metric: GrowthMetric;
  readonly verdict: GrowthVerdict;
  /**
   * Bytes after the first and after the last complete flush, both without the first epoch. Null if there are fewer than
   * two.
   */
  readonly fromBytes: number | null;
  readonly toBytes: number | null;
  /** `toBytes / fromBytes - 1`; Infinity if `fromBytes` is 0. */
  readonly rise: number | null;
  /** How many epochs lie between the two. */
  readonly epochs: number;
  /**
   * How fast memory rises in the last third: bytes per epoch, and their share of `fromBytes` in ten epochs. 0 if it
   * does not rise.
   */
  readonly bytesPerEpoch: number;
  readonly riseOverTen: number;
  /** The last epoch in which memory rose, counted from 0; null if it never did. */
  readonly lastRise: number | null;
}

/**
 * Judges the epochs of one loop. It skips the first epoch (caches fill), an epoch cut by a throw or an interrupt, and
 * one with an incomplete collection, after which garbage may remain.
 */
export function growth(records: readonly FlushedEpoch[], metric: GrowthMetric = "allocatedBytes"): Growth {
  checkList("lab.growth", "records", records);
  const strangeAt = records.findIndex((record) => !isRecord(record) || !isRecord(record.after));
  if (strangeAt >= 0)
    throw new TypeError(
      `lab.growth: records are epochs of a ledger, as lab.ledger.epochs, but records[${strangeAt}] is ${describe(records[strangeAt])}.`,
    );
  checkChoice("lab.growth", "metric", metric, METRICS);
  return shownAs(growthOf(samplesOf(records, metric), metric), growthTable);
}

/**
 * The verdict on memory. Tensors come first, because they are counted exactly: those on the device, then those on the
 * CPU. If they are flat, V8's heap, the allocator's blocks or the process may rise; the first of these that rises
 * decides the verdict.
 */
export function memoryGrowth(records: readonly FlushedEpoch[]): Growth {
  const tensors = growth(records);
  if (rises(tensors)) return tensors;
  const host = growth(records, "hostBytes");
  if (rises(host)) return host;
  for (const metric of BESIDE) {
    const found = growth(records, metric);
    const isSlow = metric === "outsideBytes" && found.bytesPerEpoch < OUTSIDE_BYTES_PER_EPOCH;
    if (rises(found) && !isSlow && isMoreThanChance(samplesOf(records, metric))) return found;
  }
  return tensors;
}

function isMoreThanChance(samples: readonly Sample[]): boolean {
  if (samples.length < BESIDE_SAMPLES.min) return false;
  if (samples.length >= BESIDE_SAMPLES.many) return true;
  const rates = samples.slice(1).map(({ epoch, bytes }, at) => {
    const earlier = samples[at]!;
    return (bytes - earlier.bytes) / (epoch - earlier.epoch);
  });
  return Math.min(...rates) * EVEN >= Math.max(...rates);
}

/** Whether memory still rises, slowly or fast. */
export function rises({ verdict }: Growth): boolean {
  return verdict === "growing" || verdict === "climbing";
}

function samplesOf(records: readonly FlushedEpoch[], metric: GrowthMetric): Sample[] {
  return records.flatMap((record) => {
    const bytes = bytesCounted(record, metric);
    return bytes === null ? [] : [{ epoch: record.epoch, bytes }];
  });
}

/** Null for an epoch that is not judged. */
function bytesCounted(record: FlushedEpoch, metric: GrowthMetric): number | null {
  if (record.first || record.cut === true || !record.complete) return null;
  const { after } = record;
  // After a minor collection the tensors may be judged but not V8's heap, of which much may be garbage.
  if (metric === "heapBytes" && record.collection !== "full") return null;
  if (metric === "outsideBytes") return after.footprintBytes - (after.heapReservedBytes ?? 0);
  return after[metric] ?? null;
}

function growthOf(samples: readonly Sample[], metric: GrowthMetric): Growth {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    const unknown = { fromBytes: null, toBytes: null, rise: null, epochs: 0 };
    return { metric, verdict: "undecided", ...unknown, bytesPerEpoch: 0, riseOverTen: 0, lastRise: null };
  }
  const noiseBytes = Math.max(NOISE[metric].bytes, NOISE[metric].share * first.bytes);
  const trend = risingTrend(samples, noiseBytes);
  const rises = trend.kind === "rising" && samples.length >= MIN_SAMPLES;
  const bytesPerEpoch = rises ? trend.bytesPerEpoch : 0;
  const riseOverTen = bytesPerEpoch === 0 ? 0 : (GROWTH_THRESHOLD.epochs * bytesPerEpoch) / first.bytes;
  return {
    metric,
    verdict: samples.length < MIN_SAMPLES ? "undecided" : verdictOf(trend.kind, riseOverTen),
    fromBytes: first.bytes,
    toBytes: last.bytes,
    rise: last.bytes === first.bytes ? 0 : last.bytes / first.bytes - 1,
    epochs: last.epoch - first.epoch,
    bytesPerEpoch,
    riseOverTen,
    lastRise: trend.lastRise,
  };
}

function verdictOf(kind: Trend["kind"], riseOverTen: number): GrowthVerdict {
  switch (kind) {
    case "rising":
      return riseOverTen > GROWTH_THRESHOLD.rise ? "growing" : "climbing";
    case "rose":
      return "rose, then flat";
    case "level":
      return "steady";
    case "open":
      return "undecided";
  }
}

/** Returns a sentence that says what to do if the verdict is undecided. */
export function growthRemedy(records: readonly FlushedEpoch[]): string {
  const whole = records.filter(({ first, cut = false }) => !first && !cut);
  const complete = whole.filter(({ complete: isComplete }) => isComplete).length;
  if (complete >= MIN_SAMPLES) return "run more epochs: the only rise is in the last one";
  const wanted = MIN_SAMPLES + 1;
  if (whole.length < MIN_SAMPLES) return `run an epoch loop of ${wanted} epochs or more`;
  return `run the epoch loop with its flushes: ${complete} of ${whole.length} after the first epoch were complete, and a verdict takes ${MIN_SAMPLES}`;
}
