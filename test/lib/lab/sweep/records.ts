// Makes records of points as a sweep writes them, for tests of what reads them.
import type { PointRecord } from "../../../../lib/records/batch_sweeps/point.ts";

export const MIB = 2 ** 20;

/** A point that ran to its end: a rate, and a peak of 100 MiB and one MiB a sample under a watermark of 900 MiB. */
export function record(
  batch: number,
  changes: Partial<PointRecord> & { rate?: number; parameters?: object } = {},
): PointRecord {
  const { rate = 1000, parameters = {}, ...rest } = changes;
  const spread = (median: number) => ({
    median,
    min: 0.96 * median,
    lowerQuartile: 0.98 * median,
    upperQuartile: 1.02 * median,
    max: 1.04 * median,
  });
  return {
    point: { batch, ...parameters },
    status: "measured",
    error: null,
    startedAt: "2026-11-21T18:00:00.000Z",
    wallMs: 2000,
    first: { stepMs: 40, steps: 3, wallMs: 60 },
    steady: {
      windows: 5,
      stepsPerWindow: 30,
      samplesPerSecond: spread(rate),
      stepMs: spread((1000 * batch) / rate),
      dataMs: null,
      hostMs: 2,
      waitMs: 8,
    },
    dataOnly: null,
    forwardOnly: null,
    memory: {
      baseBytes: 0,
      peakBytes: (100 + batch) * MIB,
      driverBytes: (128 + batch) * MIB,
      footprintBytes: 500 * MIB,
      limitBytes: 900 * MIB,
      swappedBytes: 0,
    },
    swapped: false,
    loss: null,
    leak: null,
    notes: [],
    ...rest,
  };
}

export const outOfMemory = (batch: number): PointRecord =>
  record(batch, {
    status: "out of memory",
    error: "OutOfMemoryError: mps is out of memory",
    steady: null,
    memory: null,
  });
