// Draws several runs on one chart for each thing that was measured: metrics, times and memory by epoch, throughput and
// memory of sweeps by batch. Loads no libtorch, so that the command line draws too.
import type { Chart } from "../charts/chart.ts";
import type { Specification } from "../charts/chart_style.ts";
import { endLabels } from "../plot/end_labels.ts";
import {
  DASHES,
  frame,
  MAX_LABELS,
  MAX_SERIES,
  PALETTE,
  plotWidth,
  shortened,
  textWidth,
} from "../plot/style.ts";
import { domainOfConstant, logTicks, wholeTicks } from "../plot/ticks.ts";
import { axisFormat, counted, listed, numberText } from "../plot/words.ts";
import { seriesOf, type SweepResult } from "../sweep/result.ts";
import { byteUnit, timeUnit, type Unit } from "../../units.ts";
import { spreadOf } from "../core/spread.ts";
import type { RunEntry } from "./entry.ts";
import type { EpochSeries } from "./epoch_series.ts";
import { resultOfKind } from "./result_kinds.ts";
import { runNames } from "./run_names.ts";

/** One line of a chart: a run, or a run with one combination of a sweep's parameters. */
interface RunLine {
  readonly name: string;
  readonly x: readonly number[];
  /** Null leaves a gap. */
  readonly y: readonly (number | null)[];
}

interface Measure {
  /** `loss by epoch` */
  readonly title: string;
  readonly x: "epoch" | "batch";
  readonly unit: string;
  readonly isLogX: boolean;
  /** Whether less is better: what the sentence says of the best run. */
  readonly least: boolean;
  /** The value of a line that the sentence compares, and its words: `in the last epoch`. */
  readonly compared: "last" | "median" | "best";
  readonly lines: readonly RunLine[];
}

const HEIGHT = 170;
/** Room of the y axis' labels, the same in all charts. */
const AXIS_WIDTH = 70;
/** More metrics are only in the logbook. */
const MAX_METRICS = 6;

/** How many runs one chart can tell apart. */
export const MAX_RUNS = MAX_SERIES;

/** The charts of what at least one run has measured; none where no run has epochs or a sweep. */
export function runCharts(runs: readonly RunEntry[]): Chart[] {
  const names = runNames(runs);
  const measures = [...epochMeasures(runs, names), ...sweepMeasures(runs, names)];
  // The plots of all charts have one width, so that they can be read below each other.
  const width = Math.min(...measures.map(widthOf));
  return measures.map((measure) => chartOf(measure, width, runs));
}

function epochMeasures(runs: readonly RunEntry[], names: readonly string[]): Measure[] {
  const having = runs.flatMap(({ epochs }, at) =>
    epochs === undefined ? [] : [{ epochs, name: names[at]! }],
  );
  const lines = (of: (epochs: EpochSeries) => readonly (number | null)[] | undefined): RunLine[] =>
    having.flatMap(({ epochs, name }) => {
      const y = of(epochs);
      return y === undefined ? [] : [{ name, x: epochs.epoch, y }];
    });
  const metrics = [...new Set(having.flatMap(({ epochs }) => Object.keys(epochs.metrics)))];
  const base = { x: "epoch", isLogX: false } as const;
  return [
    ...metrics.slice(0, MAX_METRICS).map((metric) => ({
      ...base,
      title: `${metric} by epoch`,
      unit: "",
      least: /loss|error|perplexity/i.test(metric),
      compared: "last" as const,
      lines: lines(({ metrics: all }) => all[metric]),
    })),
    inUnit(
      {
        ...base,
        title: "Time of an epoch",
        least: true,
        compared: "median",
        lines: lines(({ wallMs }) => wallMs),
      },
      timeUnit,
    ),
    inUnit(
      {
        ...base,
        title: "Peak memory of an epoch",
        least: true,
        compared: "last",
        lines: lines(({ peakBytes }) => peakBytes),
      },
      byteUnit,
    ),
  ].filter((measure) => measure.lines.length > 0);
}

function sweepMeasures(runs: readonly RunEntry[], names: readonly string[]): Measure[] {
  const series = runs.flatMap((run, at) => {
    const sweep = resultOfKind(run.results, "sweep") as SweepResult | undefined;
    return seriesOf(sweep?.points ?? []).map(({ parameters, records }) => ({
      name: [names[at]!, ...Object.values(parameters).map(String)].join(", "),
      records: records.filter(({ steady }) => steady !== null),
    }));
  });
  type Records = (typeof series)[number]["records"];
  const lines = (of: (record: Records[number]) => number | null): RunLine[] =>
    series
      .filter(({ records }) => records.length > 0)
      .map(({ name, records }) => ({ name, x: records.map(({ point }) => point.batch), y: records.map(of) }));
  const base = { x: "batch", isLogX: true } as const;
  const rates = lines(({ steady }) => steady?.samplesPerSecond.median ?? null);
  return [
    {
      ...base,
      title: "Samples a second by batch",
      unit: "",
      least: false,
      compared: "best" as const,
      lines: rates,
    },
    inUnit(
      {
        ...base,
        title: "Peak memory by batch",
        least: true,
        compared: "last",
        lines: lines(({ memory }) => memory?.peakBytes ?? null),
      },
      byteUnit,
    ),
  ].filter((measure) => measure.lines.length > 0);
}

/** One unit for all values, that of the largest. */
function inUnit(measure: Omit<Measure, "unit">, unitOf: (value: number) => Unit): Measure {
  const most = Math.max(0, ...measure.lines.flatMap(({ y }) => finite(y)));
  const { name, size } = unitOf(most);
  const lines = measure.lines.map((line) => ({
    ...line,
    y: line.y.map((value) => (value === null ? null : value / size)),
  }));
  return { ...measure, unit: name, lines };
}

function finite(values: readonly (number | null)[]): number[] {
  return values.filter((value): value is number => value !== null);
}

/** Pixels of the plot itself, where its labels or its legend stand beside it. */
function widthOf({ lines, unit }: Measure): number {
  const longest = (texts: readonly string[]) => Math.max(...texts.map((text) => textWidth(text)));
  const beside =
    lines.length <= MAX_LABELS
      ? longest(lines.map((line) => labelOf(line, unit))) + 30
      : Math.min(150, longest(lines.map(({ name }) => name))) + 60;
  return plotWidth(beside);
}

function chartOf(measure: Measure, width: number, runs: readonly RunEntry[]): Chart {
  const { title, x, unit, isLogX } = measure;
  const lines = measure.lines.slice(0, MAX_SERIES);
  const isLabelled = lines.length <= MAX_LABELS;
  const names = lines.map(({ name }) => name);
  const values = lines.flatMap((line) => finite(line.y));
  const positions = lines.flatMap((line) => line.x);
  const rows = lines.flatMap((line) =>
    line.x.map((at, index) => ({
      run: line.name,
      x: at,
      y: line.y[index] ?? null,
      alone: isAlone(line.y, index),
    })),
  );
  const perPoint = Math.max(1, ...runs.map(({ epochs }) => epochs?.perPoint ?? 1));
  const notes = [
    findingOf(measure),
    ...(x === "epoch" && perPoint > 1 ? [`one point is the mean of up to ${perPoint} epochs`] : []),
    ...(lines.length < measure.lines.length
      ? [`${counted(measure.lines.length, "line")}, the first ${lines.length} drawn`]
      : []),
  ];
  const size = { width, height: HEIGHT };
  const legend = isLabelled ? null : { title: null };
  const color = {
    field: "run",
    type: "nominal",
    scale: { domain: names, range: names.map((_, at) => PALETTE[at % PALETTE.length]!) },
    legend,
  };
  const dashes = names.map((_, at) => DASHES[Math.floor(at / PALETTE.length)]!);
  const specification: Specification = {
    ...frame(title, notes, size),
    data: { values: rows },
    encoding: {
      x: { field: "x", type: "quantitative", ...xAxis(x, positions, isLogX) },
      y: {
        field: "y",
        type: "quantitative",
        scale: { zero: false, ...domainOfConstant(values) },
        axis: {
          title: null,
          minExtent: AXIS_WIDTH,
          tickCount: 4,
          ...axisFormat(values),
          ...(unit === "" ? {} : { labelExpr: `datum.label + ' ${unit}'` }),
        },
      },
    },
    layer: [
      {
        mark: { type: "line", strokeWidth: 2, strokeCap: "round", strokeJoin: "round", clip: true },
        encoding: {
          color,
          strokeDash: {
            field: "run",
            type: "nominal",
            scale: { domain: names, range: dashes },
            legend,
          },
          tooltip: [
            { field: "run", type: "nominal" },
            { field: "x", type: "quantitative", title: x },
            { field: "y", type: "quantitative", title: unit === "" ? "value" : unit },
          ],
        },
      },
      ...(rows.some(({ alone }) => alone)
        ? [
            {
              transform: [{ filter: "datum.alone" }],
              mark: { type: "point", filled: true, size: 40, opacity: 1 },
              encoding: { color },
            },
          ]
        : []),
      ...(isLabelled
        ? endLabels(
            lines.map((line, at) => ({
              text: labelOf(line, unit),
              y: finite(line.y).at(-1) ?? null,
              color: PALETTE[at]!,
            })),
            lines.map(({ y }) => Float64Array.from(y, (value) => value ?? Number.NaN)),
            { height: HEIGHT, isLog: false },
          )
        : []),
    ],
  };
  return { specification, summary: `${title}: ${findingOf(measure)}.` };
}

function xAxis(title: string, positions: readonly number[], isLog: boolean): Specification {
  const ticks = isLog ? { values: batchTicks(positions), format: "d" } : wholeTicks(positions);
  return {
    scale: isLog
      ? { type: "log", base: 2, nice: false }
      : { nice: false, zero: false, ...domainOfConstant(positions) },
    axis: { title, tickCount: 6, ...ticks },
  };
}

/** The batches that were tried, where they are few. */
function batchTicks(positions: readonly number[]): readonly number[] {
  const tried = [...new Set(positions)].toSorted((a, b) => a - b);
  return tried.length <= 8 ? tried : (logTicks(tried).values ?? tried);
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return !isGap(at) && isGap(at - 1) && isGap(at + 1);
}

/** `base 0.337`, `base 12 ms` */
function labelOf({ name, y }: RunLine, unit: string): string {
  const last = finite(y).at(-1);
  return `${shortened(name, 20)} ${last === undefined ? "no numbers" : valueText(last, unit)}`;
}

function valueText(value: number, unit: string): string {
  return unit === "" ? numberText(value) : `${numberText(value)} ${unit}`;
}

const WORDS = {
  epoch: { last: "in the last epoch", median: "in the median epoch", best: "at its best epoch" },
  batch: { last: "at the largest batch", median: "in the median", best: "at its best batch" },
} as const;

/** `in the last epoch lowest in base (0.337), highest in wide (0.412)` */
function findingOf({ lines, unit, least, compared, x }: Measure): string {
  const ends = lines
    .flatMap(({ name, y }) => {
      const value = comparedValue(finite(y), compared);
      return value === null ? [] : [{ name, value, text: valueText(value, unit) }];
    })
    .toSorted((a, b) => (least ? a.value - b.value : b.value - a.value));
  const [best, worst] = [ends[0], ends.at(-1)];
  if (best === undefined || worst === undefined) return "no finite values";
  const when = WORDS[x][compared];
  if (ends.length === 1) return `${best.text} ${when}`;
  const [first, last] = least ? ["lowest", "highest"] : ["highest", "lowest"];
  return best.text === worst.text
    ? `${best.text} ${when} in ${listed(ends.map(({ name }) => name))}`
    : `${when} ${first} in ${best.name} (${best.text}), ${last} in ${worst.name} (${worst.text})`;
}

function comparedValue(values: readonly number[], compared: Measure["compared"]): number | null {
  if (values.length === 0) return null;
  if (compared === "last") return values.at(-1)!;
  return compared === "best" ? Math.max(...values) : spreadOf(values).median;
}
