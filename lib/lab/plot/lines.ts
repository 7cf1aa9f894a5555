// `lab.plot` and `lab.plot.lines`: draws lines, as losses over steps. Long lines are thinned, values that are no
// numbers leave gaps, and each of both is said below the title.
import { choice, readOptions } from "../../torch/vocabulary/options.ts";
import type { Specification } from "../charts/chart_style.ts";
import { endLabels } from "./end_labels.ts";
import { FRAME, type FrameOptions } from "./frame_options.ts";
import { makePlot, type Plot } from "./plot.ts";
import { AXES, type AxisOptions, readSeries, type Series, type SeriesTable, type SeriesValues } from "./series.ts";
import { DASHES, frame, levelTitle, MAX_LABELS, MAX_SERIES, PALETTE, PLOT_HEIGHT, plotWidth, shortened, textWidth } from "./style.ts";
import { MAX_POINTS, thinned } from "./thin.ts";
import { counted, countText, listed, numberText, timeText } from "./words.ts";

/** Options of `lab.plot`. */
export interface LinesOptions extends FrameOptions, AxisOptions {
  /** The scale of the x axis; a logarithmic one leaves out positions that are not positive. Default: "linear". */
  readonly xScale?: "linear" | "log";
  /** The scale of the y axis; a logarithmic one leaves out values that are not positive. Default: "linear". */
  readonly yScale?: "linear" | "log";
}

const RULES = {
  ...FRAME,
  ...AXES,
  xScale: choice("linear", ["linear", "log"]),
  yScale: choice("linear", ["linear", "log"]),
} as const;

/** Options that were read. */
export type ReadLines = ReturnType<typeof readLinesOptions>;

export function readLinesOptions(call: string, options: LinesOptions | undefined) {
  return readOptions(call, options, RULES);
}

/**
 * Draws one line, or one for each name: `lab.plot({ train, validation }, { x: "step", yScale: "log" })`. Records are
 * drawn by their fields: `lab.plot(history, { x: "epoch" })` draws every other field of numbers.
 *
 * @throws TypeError for what holds no numbers, RangeError for a tensor that is not [N], for empty values, for fields
 *   that the records do not have, and for more than 12 lines
 */
export function lines(values: SeriesValues, options?: LinesOptions): Plot {
  const call = "lab.plot";
  const read = readLinesOptions(call, options);
  return drawLines(call, readSeries(call, values, read), read);
}

/** One line as it is drawn: in the order of x, without what cannot be drawn. */
interface Line {
  readonly name: string | null;
  readonly x: readonly (number | string)[];
  /** NaN in gaps. */
  readonly y: Float64Array;
  /** Values that are left out. */
  readonly missing: number;
  readonly notPositive: number;
  /** Points without a position. */
  readonly unplaced: number;
}

export function drawLines(call: string, table: SeriesTable, options: ReadLines): Plot {
  const kind = table.series[0]!.x.kind;
  if (kind === "ordinal" && options.xScale === "log")
    throw new TypeError(`${call}: xScale is "log", and the x axis has names; give it numbers, or leave xScale out.`);
  if (table.series.length > MAX_SERIES)
    throw new RangeError(
      `${call}: ${table.series.length} lines cannot be told apart; draw at most ${MAX_SERIES} at a time.`,
    );
  const all = table.series.map((series) => lineOf(series, options));
  if (all.every(({ y }) => !y.some(Number.isFinite))) {
    const positive = options.xScale === "log" || options.yScale === "log" ? "finite and positive, as a log scale needs" : "a finite number";
    throw new RangeError(`${call}: there is nothing to draw: no value is ${positive}.`);
  }
  const most = Math.floor(MAX_POINTS / all.length);
  const drawn = all.map((line) => ({ line, kept: thinned(line.y, most) }));
  const title = options.title ?? `${table.y ?? listed(all.map(({ name }) => name ?? "value").slice(0, 3))} by ${table.x}`;
  const isTitled = options.title === undefined;
  const labelled = all.length <= MAX_LABELS;
  const labels = labelled ? all.map(labelText) : [];
  const beside = labelled
    ? Math.max(...labels.map((label) => textWidth(label))) + 24
    : Math.min(150, Math.max(...all.map(({ name }) => textWidth(name ?? "")))) + 60;
  const size = { width: options.width ?? plotWidth(beside), height: options.height ?? PLOT_HEIGHT };
  const names = all.map(({ name }) => name ?? "");
  const series = {
    color: {
      field: "series",
      type: "nominal",
      scale: { domain: names, range: names.map((_, at) => PALETTE[at % PALETTE.length]!) },
      legend: labelled ? null : { title: null },
    },
    strokeDash: {
      field: "series",
      type: "nominal",
      scale: { domain: names, range: names.map((_, at) => DASHES[Math.floor(at / PALETTE.length)]!) },
      legend: labelled ? null : { title: null },
    },
  };
  const isTime = kind === "temporal";
  const xTitle = table.x;
  const tooltip = [
    ...(all.length > 1 ? [{ field: "series", type: "nominal", title: "line" }] : []),
    { field: "x", type: kind, title: xTitle, ...(isTime ? { format: "%Y-%m-%d %H:%M" } : {}) },
    { field: "y", type: "quantitative", title: table.y ?? "value" },
  ];
  const layer: Specification[] = [
    {
      mark: { type: "line", strokeWidth: 2, strokeCap: "round", strokeJoin: "round", clip: true },
      encoding: { ...series, tooltip },
    },
  ];
  if (labelled)
    layer.push(
      ...endLabels(
        all.map((line, at) => ({ text: labels[at]!, ...endOf(line), color: PALETTE[at]! })),
        all.map(({ y }) => y),
        { height: size.height, isLog: options.yScale === "log", xType: kind },
      ),
    );
  const notes = notesOf(all, drawn.map(({ kept }) => kept.length));
  return makePlot(
    {
      ...frame(title, [...(all.length === 1 ? [extremes(all[0]!)] : []), ...notes], size),
      data: {
        values: drawn.flatMap(({ line, kept }) =>
          kept.map((at) => ({
            ...(line.name === null ? { series: "" } : { series: line.name }),
            x: line.x[at]!,
            // JSON has no NaN; Vega breaks a line at null.
            y: Number.isFinite(line.y[at]) ? line.y[at]! : null,
          })),
        ),
      },
      encoding: {
        x: {
          field: "x",
          type: kind,
          ...(kind === "ordinal" ? { sort: null } : { scale: { type: scaleType(kind, options.xScale), ...plain(options.xScale) } }),
          axis: { title: xTitle, ...(kind === "ordinal" ? {} : { tickCount: 6 }), ...wholeTicks(all, kind) },
        },
        y: {
          field: "y",
          type: "quantitative",
          scale: { type: options.yScale, zero: false },
          axis: { ...levelTitle(isTitled ? null : table.y), tickCount: 5 },
        },
      },
      layer,
    },
    [all.map((line) => sentenceOf(line, table.x)).join("; "), ...notes].join(". ") + ".",
  );
}

function scaleType(kind: string, scale: "linear" | "log"): string {
  return kind === "temporal" ? "time" : scale;
}

/** Lines fill the width. */
function plain(scale: "linear" | "log"): Specification {
  return scale === "log" ? {} : { zero: false, nice: false };
}

/** Between 3 and 4 there is no step. */
function wholeTicks(all: readonly Line[], kind: string): Specification {
  const isWhole = kind === "quantitative" && all.every(({ x }) => x.every((at) => Number.isInteger(at)));
  return isWhole ? { format: ",d", tickMinStep: 1 } : {};
}

function lineOf({ name, x, y }: Series, options: ReadLines): Line {
  let rows = [...y.keys()];
  const isPlaced = (at: number): boolean =>
    x.kind === "ordinal" || (Number.isFinite(x.values[at]) && (options.xScale !== "log" || x.values[at]! > 0));
  const placed = rows.filter(isPlaced);
  const unplaced = rows.length - placed.length;
  rows = placed;
  // Vega draws a line in the order of x, and so does thinning read it.
  if (x.kind !== "ordinal") rows.sort((a, b) => x.values[a]! - x.values[b]!);
  let [missing, notPositive] = [0, 0];
  const values = Float64Array.from(rows, (at) => {
    const value = y[at]!;
    if (!Number.isFinite(value)) missing++;
    else if (options.yScale === "log" && value <= 0) notPositive++;
    else return value;
    return NaN;
  });
  return { name, x: rows.map((at) => x.values[at]!), y: values, missing, notPositive, unplaced };
}

function labelText({ name, y }: Line): string {
  const last = y.findLast(Number.isFinite);
  const value = last === undefined ? "no numbers" : numberText(last);
  return name === null ? value : `${shortened(name, 18)} ${value}`;
}

function endOf({ x, y }: Line): { readonly x: number | string; readonly y: number } | { readonly x: null; readonly y: null } {
  const at = y.findLastIndex(Number.isFinite);
  return at < 0 ? { x: null, y: null } : { x: x[at]!, y: y[at]! };
}

/** `lowest 0.29 at 480, highest 2.31 at 0` */
function extremes({ x, y }: Line): string {
  let [least, most] = [-1, -1];
  for (let at = 0; at < y.length; at++) {
    if (!Number.isFinite(y[at])) continue;
    if (least < 0 || y[at]! < y[least]!) least = at;
    if (most < 0 || y[at]! > y[most]!) most = at;
  }
  const place = (at: number) => `${numberText(y[at]!)} at ${placeText(x[at]!)}`;
  return y[least] === y[most] ? `constant at ${numberText(y[least]!)}` : `lowest ${place(least)}, highest ${place(most)}`;
}

/** Times are numbers beyond what an index or a learning rate is. */
function placeText(x: number | string): string {
  if (typeof x === "string") return x;
  return x > 1e11 ? timeText(x) : numberText(x);
}

/** `train 2.31 to 0.306 in 500 points, lowest 0.29 at 480` */
function sentenceOf(line: Line, x: string): string {
  const { name, y } = line;
  const finite = y.filter(Number.isFinite);
  if (finite.length === 0) return `${name ?? "values"}: no numbers`;
  const span = finite.length === 1 ? numberText(finite[0]!) : `${numberText(finite[0]!)} to ${numberText(finite.at(-1)!)}`;
  const lead = name === null ? "" : `${name} `;
  return `${lead}${span} over ${counted(y.length, `value`)}, ${extremes(line).replaceAll(" at ", ` at ${x} `)}`;
}

/** What is not drawn as it was given. */
function notesOf(all: readonly Line[], kept: readonly number[]): string[] {
  const sum = (of: (line: Line) => number) => all.reduce((total, line) => total + of(line), 0);
  const notes: string[] = [];
  const [missing, notPositive, unplaced] = [sum((l) => l.missing), sum((l) => l.notPositive), sum((l) => l.unplaced)];
  if (missing > 0) notes.push(`${counted(missing, "value")} ${missing === 1 ? "is" : "are"} not finite: ${missing === 1 ? "a gap" : "gaps"}`);
  if (notPositive > 0) notes.push(`${counted(notPositive, "value")} ${notPositive === 1 ? "is" : "are"} not positive and left out of the log scale`);
  if (unplaced > 0) notes.push(`${counted(unplaced, "point")} without a place on the x axis ${unplaced === 1 ? "is" : "are"} left out`);
  const [total, drawn] = [sum(({ y }) => y.length), kept.reduce((a, b) => a + b, 0)];
  if (drawn < total) notes.push(`${countText(drawn)} of ${countText(total)} points drawn: the lowest and highest of each stretch`);
  return notes;
}
