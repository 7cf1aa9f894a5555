// Draws several runs on one chart for each thing that was measured: metrics, times and memory by epoch, throughput and
// memory of sweeps by batch. Each chart says where the runs' machines, devices, commits and versions differ. Loads no
// libtorch, so that the command line draws too.
import type { Chart } from "../charts/chart.ts";
import { MAX_SERIES } from "../charts/plot_style.ts";
import { seriesName } from "./batch_sweep_chart.ts";
import { differenceText, sweepDifferences } from "../records/batch_sweeps/difference.ts";
import type { PointRecord } from "../records/batch_sweeps/point.ts";
import { isLessBetter } from "../records/parameter_sweeps/best_points.ts";
import { seriesOf, type SweepResult } from "../records/batch_sweeps/result.ts";
import { byteUnit, timeUnit } from "../units.ts";
import { listed } from "../words.ts";
import { spreadOf } from "../statistics/spread.ts";
import type { RunEntry } from "../records/logbook/entry.ts";
import type { EpochSeries } from "../records/logbook/epoch_series.ts";
import { resultOfKind } from "../records/logbook/result_kinds.ts";
import { type ChartLine, finite, inUnit, lineCharts, type LineMeasure, valueText } from "./line_chart.ts";
import { runNames } from "./run_names.ts";
import { originNotes } from "./run_origins.ts";

/** More metrics than this are only in the logbook. */
const MAX_METRICS = 6;

/** How many runs one chart can tell apart. */
export const MAX_RUNS = MAX_SERIES;

/** A measure, and how its sentence compares the lines. */
interface Measure extends Omit<LineMeasure, "finding" | "notes"> {
  /** Whether less is better: the sentence then names the lowest run as the best. */
  readonly min: boolean;
  /** The value of a line that the sentence compares. */
  readonly compared: "last" | "median" | "best";
  /** `in the last epoch` */
  readonly when: string;
  readonly notes?: readonly string[];
}

/** The charts for whatever at least one run has measured; empty if no run has epochs or a sweep. */
export function runCharts(runs: readonly RunEntry[]): Chart[] {
  const names = runNames(runs);
  const origins = originNotes(runs, names);
  const measures = [...epochMeasures(runs, names), ...sweepMeasures(runs, names)];
  return lineCharts(
    measures.map((measure) => ({
      ...measure,
      finding: findingOf(measure),
      notes: [...(measure.notes ?? []), ...origins],
    })),
  );
}

function epochMeasures(runs: readonly RunEntry[], names: readonly string[]): Measure[] {
  const having = runs.flatMap(({ epochs }, at) =>
    epochs === undefined ? [] : [{ epochs, name: names[at]! }],
  );
  const lines = (of: (epochs: EpochSeries) => readonly (number | null)[] | undefined): ChartLine[] =>
    having.flatMap(({ epochs, name }) => {
      const y = of(epochs);
      return y === undefined ? [] : [{ name, x: epochs.epoch, y }];
    });
  const metrics = [...new Set(having.flatMap(({ epochs }) => Object.keys(epochs.metrics)))];
  const perPoint = Math.max(1, ...having.map(({ epochs }) => epochs.perPoint));
  const base = {
    x: "epoch",
    isLogX: false,
    notes: perPoint > 1 ? [`one point is the mean of up to ${perPoint} epochs`] : [],
  };
  const last = { compared: "last", when: "in the last epoch" } as const;
  return [
    ...metrics.slice(0, MAX_METRICS).map((metric) => ({
      ...base,
      ...last,
      title: `${metric} by epoch`,
      unit: "",
      min: isLessBetter(metric),
      lines: lines(({ metrics: all }) => all[metric]),
    })),
    {
      ...base,
      ...inUnit(
        lines(({ wallMs }) => wallMs),
        timeUnit,
      ),
      title: "Time of an epoch",
      min: true,
      compared: "median" as const,
      when: "in the median epoch",
    },
    {
      ...base,
      ...last,
      ...inUnit(
        lines(({ peakBytes }) => peakBytes),
        byteUnit,
      ),
      title: "Peak memory of an epoch",
      min: true,
    },
  ].filter((measure) => measure.lines.length > 0);
}

function sweepMeasures(runs: readonly RunEntry[], names: readonly string[]): Measure[] {
  const sweeps = runs.flatMap(({ results }, at) => {
    const sweep = resultOfKind(results, "sweep") as SweepResult | undefined;
    return sweep === undefined ? [] : [{ sweep, name: names[at]! }];
  });
  const series = sweeps.flatMap(({ sweep, name }) =>
    seriesOf(sweep.points).map(({ parameters, records }) => ({
      name: [name, seriesName(parameters)].filter((part) => part !== "").join(", "),
      records: records.filter(({ steady }) => steady !== null),
    })),
  );
  const lines = (
    of: (record: PointRecord) => number | null,
    spreadOfRecord?: (record: PointRecord) => readonly [number, number] | null,
  ): ChartLine[] =>
    series
      .filter(({ records }) => records.length > 0)
      .map(({ name, records }) => ({
        name,
        x: records.map(({ point }) => point.batch),
        y: records.map(of),
        ...(spreadOfRecord && { spread: records.map(spreadOfRecord) }),
      }));
  const base = { x: "batch", isLogX: true };
  const [a, b, ...more] = sweeps;
  const difference =
    a === undefined || b === undefined || more.length > 0
      ? []
      : [differenceText(sweepDifferences(a.sweep, b.sweep), [a.name, b.name])];
  return [
    {
      ...base,
      title: "Samples a second by batch",
      unit: "",
      min: false,
      compared: "best" as const,
      when: "at its best batch",
      lines: lines(
        ({ steady }) => steady?.samplesPerSecond.median ?? null,
        ({ steady }) =>
          steady === null
            ? null
            : [steady.samplesPerSecond.lowerQuartile, steady.samplesPerSecond.upperQuartile],
      ),
      notes: [...difference, "the band is between the quartiles of the windows"],
    },
    {
      ...base,
      ...inUnit(
        lines(({ memory }) => memory?.peakBytes ?? null),
        byteUnit,
      ),
      title: "Peak memory by batch",
      min: true,
      compared: "last" as const,
      when: "at the largest batch",
    },
  ].filter((measure) => measure.lines.length > 0);
}

/** `in the last epoch lowest in base (0.337), highest in wide (0.412)` */
function findingOf({ lines, unit, min, compared, when }: Measure): string {
  const ends = lines
    .flatMap(({ name, y }) => {
      const value = comparedValue(finite(y), compared);
      return value === null ? [] : [{ name, value, text: valueText(value, unit) }];
    })
    .toSorted((a, b) => (min ? a.value - b.value : b.value - a.value));
  const [best, worst] = [ends[0], ends.at(-1)];
  if (best === undefined || worst === undefined) return "no finite values";
  if (ends.length === 1) return `${best.text} ${when}`;
  const [first, last] = min ? ["lowest", "highest"] : ["highest", "lowest"];
  return best.text === worst.text
    ? `${best.text} ${when} in ${listed(ends.map(({ name }) => name))}`
    : `${when} ${first} in ${best.name} (${best.text}), ${last} in ${worst.name} (${worst.text})`;
}

function comparedValue(values: readonly number[], compared: Measure["compared"]): number | null {
  if (values.length === 0) return null;
  if (compared === "last") return values.at(-1)!;
  return compared === "best" ? Math.max(...values) : spreadOf(values).median;
}
