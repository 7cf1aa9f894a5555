// Chooses the next batch: doubles it until near out-of-memory, then bisects the boundary. It depends only on the
// records so far, so a sweep resumed from its journal continues as if it had never stopped.
import { formatBytes } from "../../units.ts";
import type { PointRecord } from "../../records/batch_sweeps/point.ts";

export interface BatchRange {
  readonly from: number;
  /** Null for no bound except memory. */
  readonly to: number | null;
  /** Samples in the data set; null if not given. */
  readonly samples: number | null;
  /**
   * The boundary is known well enough if the interval that holds it is at most this share of the largest batch that
   * fits. Default: 1/8.
   */
  readonly resolution?: number;
}

export type NextBatch = { readonly batch: number } | { readonly end: string };

const RESOLUTION = 1 / 8;

/** Peak bytes that a batch will have: a line through the two largest batches measured so far. */
export function predictedPeak(records: readonly PointRecord[], batch: number): number | null {
  const known = records
    .filter(({ status, memory }) => status === "measured" && memory !== null)
    .map(({ point, memory }) => ({ batch: point.batch, bytes: memory!.peakBytes, base: memory!.baseBytes }))
    .toSorted((a, b) => a.batch - b.batch);
  const last = known.at(-1);
  if (last === undefined) return null;
  const earlier = known.at(-2) ?? { batch: 0, bytes: last.base };
  const slope = Math.max(0, (last.bytes - earlier.bytes) / (last.batch - earlier.batch));
  return last.bytes + slope * (batch - last.batch);
}

/**
 * @param records those of one series, which differ in the batch only
 */
export function nextBatch(records: readonly PointRecord[], range: BatchRange): NextBatch {
  const max = Math.min(range.to ?? Infinity, range.samples ?? Infinity);
  if (records.length === 0) {
    if (range.from <= max) return { batch: range.from };
    return {
      end: `The smallest batch, ${range.from}, is larger than the data set of ${range.samples} samples.`,
    };
  }
  const fits = (record: PointRecord) => record.status === "measured" && !record.swapped;
  const stopped = records
    .filter((record) => !fits(record))
    .toSorted((a, b) => a.point.batch - b.point.batch)[0];
  const largest = Math.max(0, ...records.filter(fits).map(({ point }) => point.batch));
  if (stopped?.status === "failed" || stopped?.status === "deadline") return { end: endedBy(stopped) };
  if (largest === 0) return { end: endedBy(stopped!) };

  const { resolution = RESOLUTION } = range;
  const limit = records.findLast(({ memory }) => memory !== null)?.memory?.limitBytes ?? Infinity;
  const tooLarge = (batch: number) => (predictedPeak(records, batch) ?? 0) > limit;
  if (stopped === undefined) {
    if (largest >= max) {
      const why = max === range.samples ? `the data set has ${max} samples` : "no larger one was asked for";
      return { end: `The largest batch is ${largest}: ${why}.` };
    }
    const doubled = Math.min(2 * largest, max);
    if (!tooLarge(doubled)) return { batch: doubled };
    return refined(largest, doubled, resolution, tooLarge, overWatermark(limit));
  }
  const { batch } = stopped.point;
  return refined(largest, batch, resolution, tooLarge, (ceiling) =>
    ceiling === batch ? endedBy(stopped) : overWatermark(limit)(ceiling),
  );
}

const overWatermark = (limit: number) => (batch: number) =>
  `batch ${batch} would pass the watermark of ${formatBytes(limit)}.`;

/** Bisects between what fits and what does not, without running what the prediction rules out. */
function refined(
  fits: number,
  fails: number,
  resolution: number,
  tooLarge: (batch: number) => boolean,
  why: (ceiling: number) => string,
): NextBatch {
  let ceiling = fails;
  while (ceiling - fits > Math.max(1, fits * resolution)) {
    const middle = Math.floor((fits + ceiling) / 2);
    if (!tooLarge(middle)) return { batch: middle };
    ceiling = middle;
  }
  return { end: `The largest batch that fits is ${fits}: ${why(ceiling)}` };
}

function endedBy({ point, status, swapped, error }: PointRecord): string {
  if (status === "measured" && swapped) return `batch ${point.batch} made the machine swap.`;
  if (status === "crashed") return `the session ended while batch ${point.batch} ran.`;
  if (status === "deadline") return `Batch ${point.batch} did not end within the deadline.`;
  if (status === "failed") return `Batch ${point.batch} failed: ${error}`;
  return `batch ${point.batch} was out of memory.`;
}
