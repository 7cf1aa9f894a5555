// `lab.plot` and `lab.plot.lines`: draws lines, as losses over steps. Long lines are thinned, values that are not
// numbers leave gaps; a note below the title tells of either.
import { choice, readOptions } from "../../../torch/vocabulary/options.ts";
import { listed } from "../../../words.ts";
import { type Specification, TEN_COLOURS } from "../../../charts/chart_style.ts";
import type { Column } from "../column.ts";
import { endLabels } from "../../../charts/end_labels.ts";
import { barEnds, type BarEnds, errorLayer, errorNotes, leastPositive } from "../error_bars.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { clippedTo, endLabelOf, isSeen, outsideNote } from "./clipped_line.ts";
import { extremes, isAlone, type Line, lineOf, notesOf, sentenceOf, sentenceOfMany } from "./line.ts";
import { readXAndY } from "../x_and_y.ts";
import type { Numbers } from "../numbers.ts";
import { checkLimits, LIMITS, type LimitOptions, type Limits } from "../limits.ts";
import { makePlot, type Plot } from "../plot.ts";
import {
  AXES,
  type AxisOptions,
  type Positions,
  readSeries,
  type SeriesTable,
  type SeriesValues,
  withTitles,
} from "../series.ts";
import {
  DASHES,
  frame,
  levelTitle,
  MAX_LABELS,
  MAX_PLOTTED,
  PLOT_HEIGHT,
  plotWidth,
  textWidth,
} from "../../../charts/plot_style.ts";
import { MAX_POINTS, thinned } from "../thin.ts";
import { logTicks, type Scale, valueScale, valueTicks, wholeTicks } from "../../../charts/ticks.ts";
import { axisFormat } from "../../../charts/words.ts";

export interface ScaleOptions {
  /** The scale of the x axis; a logarithmic one leaves out positions that are not positive. Default: "linear". */
  readonly xScale?: "linear" | "log";
  /** The scale of the y axis; a logarithmic one leaves out values that are not positive. Default: "linear". */
  readonly yScale?: "linear" | "log";
}

/** Options of `lab.plot` and `lab.plot.lines`. */
export interface LinesOptions extends FrameOptions, AxisOptions, ScaleOptions, LimitOptions {}

export const SCALES = {
  xScale: choice("linear", ["linear", "log"]),
  yScale: choice("linear", ["linear", "log"]),
} as const;

const RULES = { ...FRAME, ...AXES, ...SCALES, ...LIMITS } as const;

/** Options of a drawing, after their checks. */
export interface DrawnLines {
  readonly title: string | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly xScale: Scale;
  readonly yScale: Scale;
  readonly xLimits: Limits | undefined;
  readonly yLimits: Limits | undefined;
}

/**
 * Draws one line, or one for each name: `lab.plot({ train, validation }, { x: "step", yScale: "log" })`. Records are
 * drawn by their fields: `lab.plot(history, { x: "epoch" })` draws every other field of numbers, and `lab.plot(x, y)`
 * draws y over x.
 *
 * @throws TypeError for values that hold no numbers, RangeError for a tensor that is not [N], for empty values, for
 *   fields that the records do not have, and for more than 20 lines
 */
export function lines(values: SeriesValues, options?: LinesOptions): Plot;
export function lines(
  x: Positions,
  y: Numbers | Readonly<Record<string, Numbers>>,
  options?: LinesOptions,
): Plot;
export function lines(...given: readonly unknown[]): Plot {
  const call = "lab.plot";
  const { values, options } = readXAndY(call, given);
  const read = readOptions<typeof RULES>(call, options, RULES);
  return drawLines(call, withTitles(readSeries(call, values, read), read), read);
}

export function drawLines(call: string, table: SeriesTable, options: DrawnLines): Plot {
  const { xScale, yScale, xLimits, yLimits } = options;
  const kind = table.series[0]!.x.kind;
  if (kind === "ordinal" && xScale === "log")
    throw new TypeError(
      `${call}: xScale is "log", and the x axis has names; give it numbers, or leave xScale out.`,
    );
  checkLimits(call, kind, options, options);
  if (table.series.length > MAX_PLOTTED)
    throw new RangeError(
      `${call}: ${table.series.length} lines cannot be told apart; draw at most ${MAX_PLOTTED} at a time.`,
    );
  const all = table.series.map((series) => lineOf(series, xScale, yScale));
  if (!all.some(({ y }) => y.some(Number.isFinite))) {
    const needed =
      xScale === "log" || yScale === "log" ? "finite and positive, as a log scale needs" : "a finite number";
    throw new RangeError(`${call}: there is nothing to draw: no value is ${needed}.`);
  }
  const clipped = all.map((line) => clippedTo(line, options));
  const shown = clipped.map(({ line }) => line);
  if (!shown.some((line) => isSeen(line, options)))
    throw new RangeError(`${call}: there is nothing to draw: no line passes through the limits.`);
  const names = all.map(({ name }) => name ?? "");
  const isLabelled = all.length <= MAX_LABELS;
  const ends = clipped.map((one, at) => endLabelOf(one, TEN_COLOURS[at % TEN_COLOURS.length]!, yLimits));
  const labels = ends.map(({ text }) => text);
  const beside = isLabelled
    ? Math.max(...labels.map((label) => textWidth(label))) + 30
    : Math.min(150, Math.max(...names.map((name) => textWidth(name)))) + 60;
  const size = { width: options.width ?? plotWidth(beside), height: options.height ?? PLOT_HEIGHT };
  const rows = rowsOf(shown, yScale);
  const notes = [...notesOf(shown, rows.length), ...outsideNote(clipped), ...errorNotes(rows, yScale)];
  const layer = [lineLayer(names, isLabelled ? null : { title: null }, tooltipOf(table, kind))];
  if (rows.some(({ high }) => high !== undefined))
    layer.unshift(errorLayer(colorOf(names, null), (xLimits ?? yLimits) !== undefined));
  if (rows.some(({ alone }) => alone)) layer.push(dotLayer(names, xLimits ?? yLimits));
  if (isLabelled)
    layer.push(
      ...endLabels(ends, yLimits === undefined ? shown.map(({ y }) => y) : [Float64Array.from(yLimits)], {
        height: size.height,
        isLog: yScale === "log",
      }),
    );
  const subject = table.y ?? (all.length <= 3 ? listed(names) : `${all.length} lines`);
  const finding =
    all.length <= MAX_LABELS ? all.map((line) => sentenceOf(line, table.x)).join("; ") : sentenceOfMany(all);
  return makePlot(
    {
      ...frame(
        options.title ?? `${subject} by ${table.x}`,
        [...(all.length === 1 ? [extremes(all[0]!, table.x)] : []), ...notes],
        size,
      ),
      data: { values: rows },
      encoding: {
        x: { field: "x", type: kind, ...xScaleAndAxis(table.x, kind, xScale, all, xLimits) },
        y: {
          field: "y",
          type: "quantitative",
          scale: { ...valueScale(yScale, yLimits ?? valuesOf(rows)), ...domainOf(yLimits) },
          axis: {
            ...levelTitle(options.title === undefined ? null : table.y),
            tickCount: 5,
            ...valueTicks(yScale, yLimits ?? valuesOf(rows)),
          },
        },
      },
      layer,
    },
    [finding, ...notes].join(". ") + ".",
  );
}

export function domainOf(limits: Limits | undefined): Specification {
  return limits === undefined ? {} : { domain: limits, nice: false };
}

function* valuesOf(rows: readonly Row[]): Generator<number> {
  for (const { y, low, high } of rows) yield* [y ?? NaN, low ?? NaN, high ?? NaN];
}

function xScaleAndAxis(
  title: string,
  kind: Column["kind"],
  scale: Scale,
  all: readonly Line[],
  limits: Limits | undefined,
): Specification {
  if (kind === "ordinal") return { sort: null, axis: { title } };
  if (kind === "temporal") return { scale: { type: "time", nice: false }, axis: { title, tickCount: 6 } };
  const positions = limits ?? all.flatMap(({ x }) => x as readonly number[]);
  const ticks =
    scale === "log" ? logTicks(positions) : { ...axisFormat(positions), ...wholeTicks(positions) };
  return {
    // Without rounded ends of the scale, the lines fill the width.
    scale: { type: scale, nice: false, ...(scale === "linear" ? { zero: false } : {}), ...domainOf(limits) },
    axis: { title, tickCount: 6, ...ticks },
  };
}

interface Row extends BarEnds {
  readonly series: string;
  readonly x: number | string;
  readonly y: number | null;
  readonly alone?: true;
}

function rowsOf(all: readonly Line[], yScale: Scale): Row[] {
  const max = Math.floor(MAX_POINTS / all.length);
  const floor = leastPositive(all.flatMap(({ y }) => [...y]));
  return all.flatMap(({ name, x, y, error }) =>
    thinned(y, max).map((at) => ({
      series: name ?? "",
      x: x[at]!,
      // Null, because JSON has no NaN; Vega breaks a line at null.
      y: Number.isFinite(y[at]) ? y[at]! : null,
      ...barEnds(y[at]!, error?.[at], yScale, floor),
      ...(isAlone(y, at) ? { alone: true as const } : {}),
    })),
  );
}

function colorOf(names: readonly string[], legend: Specification | null): Specification {
  const range = names.map((_, at) => TEN_COLOURS[at % TEN_COLOURS.length]!);
  return { field: "series", type: "nominal", scale: { domain: names, range }, legend };
}

function lineLayer(
  names: readonly string[],
  legend: Specification | null,
  tooltip: readonly Specification[],
): Specification {
  const dashes = names.map((_, at) => DASHES[Math.floor(at / TEN_COLOURS.length)]!);
  return {
    mark: { type: "line", strokeWidth: 2, strokeCap: "round", strokeJoin: "round", clip: true },
    encoding: {
      color: colorOf(names, legend),
      strokeDash: { field: "series", type: "nominal", scale: { domain: names, range: dashes }, legend },
      tooltip,
    },
  };
}

/** Dots for points between two gaps, which a line does not show. */
function dotLayer(names: readonly string[], limits: Limits | undefined): Specification {
  return {
    transform: [{ filter: "datum.alone === true" }],
    mark: { type: "point", filled: true, size: 20, opacity: 1, clip: limits !== undefined },
    encoding: { color: colorOf(names, null) },
  };
}

export function tooltipOf({ series, x, y }: SeriesTable, kind: Column["kind"]): Specification[] {
  return [
    ...(series.length > 1 ? [{ field: "series", type: "nominal", title: "name" }] : []),
    { field: "x", type: kind, title: x, ...(kind === "temporal" ? { format: "%Y-%m-%d %H:%M" } : {}) },
    { field: "y", type: "quantitative", title: y ?? "value" },
  ];
}
