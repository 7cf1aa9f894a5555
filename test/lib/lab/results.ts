// Makes plain results of measurements for tests of what reads them.
import type { Comparison } from "../../../lib/lab/measures/benchmark/compare.ts";
import type { PointRecord } from "../../../lib/records/batch_sweeps/point.ts";
import { type SweepResult, resultOf } from "../../../lib/records/batch_sweeps/result.ts";
import { spreadOf } from "../../../lib/statistics/spread.ts";

/** The same step on the CPU and on a device. */
export function comparisonOf(cpuMs: number, deviceMs: number, device = "mps"): Comparison {
  const result = (name: string, onDevice: string, ms: number) => ({
    name,
    device: onDevice,
    warmupCalls: 1,
    callsPerRepeat: 1,
    repeats: 1,
    firstMs: null,
    queuedMs: spreadOf([ms]),
    finishedMs: spreadOf([ms]),
    waitedInsideMs: 0,
    finishedRepeatsMs: [ms],
    notes: [],
  });
  return {
    results: [result("step", "cpu", cpuMs), result("step", device, deviceMs)],
    speedups: [1, cpuMs / deviceMs],
    seed: 0,
  };
}

export interface SweptPoint {
  readonly batch: number;
  readonly samplesPerSecond: number | null;
  readonly change?: Partial<PointRecord>;
}

/** Points of a sweep; one without throughput ran out of memory. */
export function sweepOf(device: string, points: readonly SweptPoint[]): SweepResult {
  const MIB = 2 ** 20;
  return resultOf({
    name: "sweep",
    device,
    seed: 0,
    points: points.map(({ batch, samplesPerSecond, change }) => ({
      point: { batch },
      status: samplesPerSecond === null ? "out of memory" : "measured",
      error: null,
      startedAt: "2026-11-21T00:00:00.000Z",
      wallMs: 1,
      first: null,
      steady:
        samplesPerSecond === null
          ? null
          : {
              windows: 1,
              stepsPerWindow: 1,
              samplesPerSecond: spreadOf([samplesPerSecond]),
              stepMs: spreadOf([(1000 * batch) / samplesPerSecond]),
              dataMs: null,
              hostMs: 1,
              waitMs: 1,
            },
      dataOnly: null,
      forwardOnly: null,
      memory: {
        baseBytes: MIB,
        peakBytes: batch * MIB,
        driverBytes: batch * MIB,
        footprintBytes: 300 * MIB,
        limitBytes: null,
        swappedBytes: 0,
      },
      swapped: false,
      loss: null,
      leak: null,
      notes: [],
      ...change,
    })),
    ends: ["the next batch would pass the watermark"],
    resumedPoints: 0,
    cutOffPoints: [],
    journal: null,
  });
}
