// Finds the largest batch whose training fits into memory, to 5%: doubled, then bisected, two steps a batch. Lightning's
// `BatchSizeFinder` does the same in `lightning/pytorch/tuner/batch_size_scaling.py`. Also chooses the batches to time.
import type { PointRecord } from "../../records/batch_sweeps/point.ts";
import { nextBatch } from "../sweep/search.ts";
import { formatBytes } from "../../units.ts";

const RESOLUTION = 1 / 20;

/** Measures two steps with a batch. */
export type MeasureBatch = (batch: number) => Promise<PointRecord>;

/** @param from the present batch, which fits */
export async function searchLargestBatch(
  from: number,
  maxBatch: number | undefined,
  measure: MeasureBatch,
): Promise<{ readonly batch: number | null; readonly end: string; readonly points: readonly PointRecord[] }> {
  const points: PointRecord[] = [];
  const range = { from, to: maxBatch ?? null, samples: null, resolution: RESOLUTION };
  for (;;) {
    const next = nextBatch(points, range);
    if ("end" in next) {
      const fitting = points.filter(({ status, swapped }) => status === "measured" && !swapped);
      const batch = Math.max(0, ...fitting.map(({ point }) => point.batch));
      return { batch: batch === 0 ? null : batch, end: next.end, points };
    }
    points.push(overLimit(await measure(next.batch)));
  }
}

/** Treats a point over a limit that the device does not enforce itself, such as the watermark, as out of memory. */
function overLimit(record: PointRecord): PointRecord {
  const { memory, status } = record;
  if (status !== "measured" || memory?.limitBytes == null || memory.peakBytes <= memory.limitBytes)
    return record;
  return {
    ...record,
    status: "out of memory",
    error: `Its peak of ${formatBytes(memory.peakBytes)} is over the limit of ${formatBytes(memory.limitBytes)}.`,
  };
}

/** How often the present batch is doubled for timing if the largest one is not known. */
const DOUBLINGS = 4;
/** At most this many batches are timed beside the present one. */
const MAX_TIMED = 5;

/** Doublings of the present batch, thinned, and the largest batch. */
export function batchesToTime(from: number, largest: number | null, maxBatch: number | undefined): number[] {
  const end = Math.min(largest ?? from * 2 ** DOUBLINGS, maxBatch ?? Infinity);
  const doubled: number[] = [];
  for (let batch = 2 * from; batch < end; batch *= 2) doubled.push(batch);
  const kept = Math.min(doubled.length, MAX_TIMED - 1);
  const thinned = Array.from({ length: kept }, (_, at) => doubled[Math.floor((at * doubled.length) / kept)]!);
  return end > from ? [...thinned, end] : thinned;
}
