// Makes the result of a sweep for tests of what shows the runs of a logbook.
import { resultOf, type SweepResult } from "../../../../lib/records/batch_sweeps/result.ts";
import { record } from "../sweep/records.ts";

/** @param rate samples a second for each sample of the batch */
export function sweepWith(batches: readonly number[], rate: number): SweepResult {
  return resultOf({
    name: "tour",
    device: "cpu",
    seed: 0,
    points: batches.map((batch) => record(batch, { rate: rate * batch })),
    ends: [],
    resumedPoints: 0,
    cutOffPoints: [],
    journal: null,
  });
}
