// Declares what the charts of an epoch loop draw, and chooses how many epochs of a long loop a chart shows.
import type { Chart } from "../../charts/chart.ts";
import type { EpochRecord, MemoryMark } from "../../records/epochs.ts";

/** The data of a chart: the records of one loop, of at least one epoch. */
export interface DrawnLoop {
  readonly epochs: readonly EpochRecord[];
  readonly marks: readonly MemoryMark[];
  /** The variables that hold growing memory. */
  readonly holders?: readonly string[];
  /** The metrics for which several `lab.log` calls in one epoch were combined, and how. */
  readonly combined?: Readonly<Record<string, "mean" | "last">>;
  /** Why the loop was taken for an epoch loop, if that was a guess. */
  readonly guess?: string;
  /** 1, 2, ...: a loop in a sweep runs many times, and its charts show the latest run. */
  readonly run: number;
}

/** Returns null if the loop has nothing that the chart shows. */
export type DrawChart = (loop: DrawnLoop) => Chart | null;

/** `Memory by epoch · cpu`, followed by the number of the run if there was more than one. */
export function chartTitle(subject: string, { epochs, run }: DrawnLoop): string {
  const { device } = epochs.at(-1) as EpochRecord;
  return `${subject} by epoch · ${device}${run > 1 ? ` · run ${run}` : ""}`;
}

/** More epochs than this would be thinner than two pixels, and too much data to send four times a second. */
const DRAWN_EPOCHS = 200;

/** Groups neighbouring epochs of a long loop, as many in each; in a short loop each epoch is a group. */
export function groups(epochs: readonly EpochRecord[]): {
  readonly size: number;
  readonly groups: EpochRecord[][];
} {
  const size = Math.ceil(epochs.length / DRAWN_EPOCHS);
  const result: EpochRecord[][] = [];
  for (let i = 0; i < epochs.length; i += size) result.push(epochs.slice(i, i + size));
  return { size, groups: result };
}

/** The epoch that a throw or an interrupt ended, which ended the loop with it. */
export function cutEpoch(epochs: readonly EpochRecord[]): EpochRecord | null {
  const last = epochs.at(-1);
  return last?.cut === true ? last : null;
}
