// Declares the result of `lab.buckets`, as plain data, and shows it as a table.
import { relativeSpread, type Spread, spreadOf } from "../../../statistics/spread.ts";
import { columns, type Table } from "../../../views/table.ts";
import { formatShare, formatTime } from "../../../units.ts";
import { counted } from "../../../words.ts";

export interface Bucket {
  readonly batch: number;
  readonly sequence: number;
  readonly status: "measured" | "out of memory" | "failed";
  /** Median time of one step here; null if the step failed. */
  readonly ms: number | null;
  readonly recordMs: number;
  /** `ms` divided by `recordMs`: below 1 the step is faster here, 2 is twice as long. */
  readonly ratio: number | null;
  /** Time of one step until the device had finished it, over the repeats. */
  readonly finishedMs: Spread | null;
  /** How many measurements were made: fewer than asked for if the deadline came first. */
  readonly repeats: number;
  readonly error: string | null;
}

/** The result; it may be given as evidence: `lab.decide({ buckets, workload: "llm inference" })`. */
export interface Buckets {
  /** The device here, for example `mps (simulated)`. */
  readonly device: string;
  /** The record's source. */
  readonly source: string;
  /** In the order of the record. */
  readonly buckets: readonly Bucket[];
  readonly summary: string;
  readonly notes: readonly string[];
}

/** 0.5 -> `0.5×` */
export const ratioText = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

/** `Faster than the record in 2 of 3 buckets timed on mps: 0.5× to 1.6× its time, median 1.1×; 1 bucket failed.` */
export function summaryOf(device: string, buckets: readonly Bucket[]): string {
  const ratios = buckets.flatMap(({ ratio }) => ratio ?? []);
  if (ratios.length === 0) return `No bucket could be timed on ${device}: ${buckets.length} failed.`;
  const faster = ratios.filter((ratio) => ratio < 1).length;
  const { min, max, median } = spreadOf(ratios);
  const range =
    ratios.length === 1
      ? `${ratioText(min)} its time`
      : `${ratioText(min)} to ${ratioText(max)} its time, median ${ratioText(median)}`;
  const failed = buckets.length - ratios.length;
  const others = failed === 0 ? "" : `; ${counted(failed, "bucket")} failed`;
  return `Faster than the record in ${faster} of ${counted(ratios.length, "bucket")} timed on ${device}: ${range}${others}.`;
}

export function bucketsTable({ device, source, buckets, summary, notes }: Buckets): Table {
  return {
    caption: `Time of one step on ${device} beside the record of ${source}; median, spread is half the distance between the quartiles`,
    columns: columns("batch", "sequence", "here", "spread", "in the record", "here ÷ record", "<<"),
    rows: buckets.map(({ batch, sequence, status, ms, recordMs, ratio, finishedMs, error }) => [
      String(batch),
      String(sequence),
      ms === null ? status : formatTime(ms),
      finishedMs === null ? "" : `±${formatShare(relativeSpread(finishedMs))}`,
      formatTime(recordMs),
      ratio === null ? "" : ratioText(ratio),
      // Only the first line: an out-of-memory error goes on with a list of tensors.
      status === "failed" ? (error ?? "") : "",
    ]),
    whole: buckets.some(({ status }) => status === "failed"),
    notes: [summary, ...notes],
  };
}
