// Holds the parts that charts share, and chooses how many epochs of a long loop a chart draws.
import type { Specification } from "./chart_style.ts";
import type { EpochRecord, MemoryMark } from "../core/ledger.ts";

/** The data of a chart: the records of one loop, of at least one epoch. */
export interface DrawnLoop {
  readonly epochs: readonly EpochRecord[];
  readonly marks: readonly MemoryMark[];
  /** The variables that hold memory that grows. */
  readonly holders?: readonly string[];
  /** The metrics that several calls in one epoch were combined to, and how. */
  readonly combined?: Readonly<Record<string, "mean" | "last">>;
  /** Why the loop was taken for an epoch loop, where that is a guess. */
  readonly guess?: string;
  /** 1, 2, ...: a loop in a sweep runs many times, and its charts show the run that is the latest. */
  readonly run: number;
}

export interface Chart {
  /** The specification without its theme. */
  readonly specification: Specification;
  /** One line that says what the chart shows. */
  readonly summary: string;
}

/** Null if the loop has nothing of the chart's subject. */
export type DrawChart = (loop: DrawnLoop) => Chart | null;

/** Charts below each other, as one output. */
export function stacked(charts: readonly Chart[]): Chart {
  const parts = charts.map(({ specification: { $schema: _, ...part } }) => part);
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      vconcat: parts,
      spacing: 18,
    },
    summary: charts.map(({ summary }) => summary).join("\n"),
  };
}

/** `Memory by epoch · cpu`, and which run it is where there was more than one. */
export function chartTitle(subject: string, { epochs, run }: DrawnLoop): string {
  const { device } = epochs.at(-1) as EpochRecord;
  return `${subject} by epoch · ${device}${run > 1 ? ` · run ${run}` : ""}`;
}

/** More than this many would be thinner than two pixels, and heavy to send four times a second. */
const DRAWN_EPOCHS = 200;

/** Neighbouring epochs of a long loop as groups of one size; of a short one, each epoch by itself. */
export function groups(epochs: readonly EpochRecord[]): {
  readonly size: number;
  readonly groups: EpochRecord[][];
} {
  const size = Math.ceil(epochs.length / DRAWN_EPOCHS);
  const result: EpochRecord[][] = [];
  for (let i = 0; i < epochs.length; i += size) result.push(epochs.slice(i, i + size));
  return { size, groups: result };
}

/** Math.max for any number of values. */
export function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

export function lowest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `1 epoch`, `5 epochs` */
export function countEpochs(count: number): string {
  return count === 1 ? "1 epoch" : `${count} epochs`;
}

/** The epoch that a throw or an interrupt ended, which ended the loop with it. */
export function cutEpoch(epochs: readonly EpochRecord[]): EpochRecord | null {
  const last = epochs.at(-1);
  return last?.cut === true ? last : null;
}
