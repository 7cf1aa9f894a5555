// Keeps the epochs of a run as columns of numbers, for charts of several runs. A long loop is thinned to a few hundred
// points, each the mean of its neighbours.
import type { EpochRecord } from "../epochs.ts";

/** Columns of one length. JSON has no NaN, so null stands for a value that is not finite or was not logged. */
export interface EpochSeries {
  /** Numbers of the epochs, from 1; of several the middle. */
  readonly epoch: readonly number[];
  readonly wallMs: readonly number[];
  readonly peakBytes: readonly number[];
  readonly metrics: Readonly<Record<string, readonly (number | null)[]>>;
  /** How many epochs one point is the mean of. */
  readonly perPoint: number;
}

const MAX_POINTS = 200;
/** Digits of a number: enough for a chart, and a third of what JSON would write. */
const DIGITS = 6;

/** The last loop's whole epochs; null if there are none. */
export function epochSeries(records: readonly EpochRecord[]): EpochSeries | null {
  const loop = records.at(-1)?.loop;
  const epochs = records.filter((record) => record.loop === loop && !record.cut);
  if (epochs.length === 0) return null;
  const perPoint = Math.ceil(epochs.length / MAX_POINTS);
  const groups = Array.from({ length: Math.ceil(epochs.length / perPoint) }, (_, at) =>
    epochs.slice(at * perPoint, (at + 1) * perPoint),
  );
  const column = (of: (record: EpochRecord) => number) => groups.map((group) => meanOf(group.map(of)));
  const names = [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))];
  return {
    epoch: column(({ epoch }) => epoch + 1) as number[],
    wallMs: column(({ wallMs }) => wallMs) as number[],
    peakBytes: groups.map((group) => Math.max(...group.map(({ before }) => before.peakBytes))),
    metrics: Object.fromEntries(
      names.map((name) => [
        name,
        groups.map((group) => meanOf(group.flatMap(({ metrics }) => metrics[name] ?? []))),
      ]),
    ),
    perPoint,
  };
}

/** Null where a value is not finite, or there is none. */
function meanOf(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(mean) ? Number(mean.toPrecision(DIGITS)) : null;
}
