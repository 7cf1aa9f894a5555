// `lab.plot.bars`: draws one bar for each name, or a group of bars. Bars begin at zero, and lie where their names are
// too long to stand side by side.
import { checkList, checkText, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { optional, readOptions } from "../../torch/vocabulary/options.ts";
import type { Specification } from "../charts/chart_style.ts";
import { FRAME, type FrameOptions } from "./frame_options.ts";
import { isListOfNumbers, numberOf, type Numbers } from "./numbers.ts";
import { makePlot, type Plot } from "./plot.ts";
import { AXES, readSeries, type SeriesTable } from "./series.ts";
import {
  FONT_SIZE,
  frame,
  levelTitle,
  PALETTE,
  PLOT_HEIGHT,
  plotWidth,
  shortened,
  textWidth,
} from "./style.ts";
import { axisFormat, counted, listed, numberText, timeText } from "./words.ts";

/** A number for each name, numbers, several lists of numbers by name, or records. */
export type BarValues =
  | Readonly<Record<string, number | bigint>>
  | Numbers
  | Readonly<Record<string, Numbers>>
  | readonly object[];

/** Options of `lab.plot.bars`. */
export interface BarsOptions extends FrameOptions {
  /** For records the field that names the bars; else the title of their axis. Default: the first field of strings. */
  readonly x?: string;
  /** For records the field of the bars' length; else the title of its axis. Default: the first field of numbers. */
  readonly y?: string;
  /** For records a field: each of its values is a bar of its own colour within its group. */
  readonly color?: string;
  /** For numbers the names of the bars, in order. Default: their index. */
  readonly labels?: readonly string[];
}

const RULES = {
  ...FRAME,
  x: optional(checkText),
  y: optional(checkText),
  color: AXES.color,
  labels: optional((call, name, value: unknown) =>
    checkList(call, name, value as readonly unknown[]).map((label, at) =>
      checkText(call, `${name}[${at}]`, label),
    ),
  ),
} as const;

/** More bars than this are thinner than their gaps, and have no room for names. */
const MAX_BARS = 100;
/** Height of a bar that lies. */
const LYING_BAR = FONT_SIZE + 10;
/** So many are worth a number at their end. */
const MAX_NUMBERED = 30;

interface Bar {
  readonly name: string;
  readonly series: string;
  readonly value: number;
}

/**
 * Draws bars: `lab.plot.bars({ cpu: 12.1, mps: 3.4 }, { y: "ms" })`, numbers with `labels`, or records by two of their
 * fields.
 *
 * @throws TypeError for what holds no numbers, RangeError for empty values, for labels of another number, for fields
 *   that the records do not have, for more than four colours, and for more than 100 bars
 */
export function bars(values: BarValues, options?: BarsOptions): Plot {
  const call = "lab.plot.bars";
  const read = readOptions(call, options, RULES);
  const { bars: given, series, x, y } = readBars(call, values, read);
  if (given.length > MAX_BARS)
    throw new RangeError(
      `${call}: ${given.length.toLocaleString("en-US")} bars have no room; draw at most ${MAX_BARS}, the distribution with lab.plot.histogram, or a line with lab.plot.`,
    );
  if (series.length > PALETTE.length)
    throw new RangeError(
      `${call}: ${series.length} colours cannot be told apart; draw at most ${PALETTE.length} at a time.`,
    );
  const all = given.filter(({ value }) => Number.isFinite(value));
  if (all.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const missing = given.length - all.length;
  const notes =
    missing > 0
      ? [`${counted(missing, "value")} ${missing === 1 ? "is" : "are"} not finite and left out`]
      : [];
  const names = [...new Set(given.map(({ name }) => name))];
  const isGrouped = series.length > 1;
  const legendWidth = isGrouped ? Math.min(150, Math.max(...series.map((name) => textWidth(name)))) + 40 : 0;
  const standingWidth = read.width ?? plotWidth(legendWidth + 20);
  const widest = Math.max(...names.map((name) => textWidth(name)));
  const isLying = widest > standingWidth / names.length;
  const size = isLying
    ? {
        width: read.width ?? Math.max(200, plotWidth(legendWidth + 60) - Math.min(200, widest) + 50),
        height: read.height ?? names.length * LYING_BAR * Math.max(1, series.length * 0.7),
      }
    : { width: standingWidth, height: read.height ?? PLOT_HEIGHT };
  const category = {
    field: "name",
    type: "nominal",
    sort: null,
    scale: { paddingInner: 0.25, paddingOuter: 0.15 },
  };
  // The number below a negative bar needs room above the names.
  const isNegative = all.some(({ value }) => value < 0);
  const length = {
    field: "value",
    type: "quantitative",
    scale: { zero: true, ...(isNegative ? { padding: 18 } : {}) },
  };
  const nameAxis = { title: x, ticks: false, domain: false, labelLimit: 200, grid: false };
  const lengthAxis = { tickCount: 5, grid: true, ...axisFormat(all.map(({ value }) => value)) };
  const title = read.title ?? `${y ?? "value"}${x === null ? "" : ` by ${x}`}`;
  const encoding: Record<string, Specification> = isLying
    ? {
        y: { ...category, axis: { ...nameAxis, ...levelTitle(null), title: null } },
        x: { ...length, axis: { ...lengthAxis, title: y, domain: false } },
      }
    : {
        x: { ...category, axis: nameAxis },
        y: { ...length, axis: { ...lengthAxis, ...levelTitle(read.title === undefined ? null : y) } },
      };
  if (isGrouped) encoding[isLying ? "yOffset" : "xOffset"] = { field: "series", type: "nominal", sort: null };
  const color = isGrouped
    ? {
        field: "series",
        type: "nominal",
        sort: null,
        scale: { domain: series, range: PALETTE.slice(0, series.length) },
        legend: { title: read.color ?? null },
      }
    : { value: PALETTE[0]! };
  const layer: Specification[] = [
    {
      mark: { type: "bar" },
      encoding: {
        color,
        tooltip: [
          { field: "name", type: "nominal", title: x ?? "name" },
          ...(isGrouped ? [{ field: "series", type: "nominal", title: read.color ?? "series" }] : []),
          { field: "value", type: "quantitative", title: y ?? "value" },
        ],
      },
    },
  ];
  const room = size.width / all.length;
  const texts = all.map(({ value }) => textWidth(numberText(value)));
  if (all.length <= MAX_NUMBERED && (isLying || Math.max(...texts) < room)) layer.push(numbersLayer(isLying));
  return makePlot(
    {
      ...frame(title, notes, size),
      data: { values: all.map((bar) => ({ ...bar, text: numberText(bar.value) })) },
      encoding,
      layer,
    },
    [findingOf(all, series, isGrouped), ...notes].join(". ") + ".",
  );
}

/** The number at the end of a bar, outside of it: above, or below where it is negative. */
function numbersLayer(isLying: boolean): Specification {
  const away = { expr: isLying ? "datum.value < 0 ? -5 : 5" : "datum.value < 0 ? 9 : -9" };
  return {
    mark: {
      type: "text",
      baseline: "middle",
      ...(isLying
        ? { align: { expr: "datum.value < 0 ? 'right' : 'left'" }, dx: away }
        : { align: "center", dy: away }),
    },
    encoding: { text: { field: "text", type: "nominal" } },
  };
}

function findingOf(all: readonly Bar[], series: readonly string[], isGrouped: boolean): string {
  const most = all.reduce((best, bar) => (bar.value > best.value ? bar : best));
  const least = all.reduce((best, bar) => (bar.value < best.value ? bar : best));
  const told = ({ name, series: of, value }: Bar) =>
    `${shortened(name, 40)}${isGrouped ? ` (${of})` : ""} ${numberText(value)}`;
  const groups = isGrouped ? ` of ${listed(series)}` : "";
  return all.length === 1
    ? told(most)
    : `${counted(all.length, "bar")}${groups}, highest ${told(most)}, lowest ${told(least)}`;
}

interface ReadBars {
  readonly bars: readonly Bar[];
  readonly series: readonly string[];
  readonly x: string | null;
  readonly y: string | null;
}

function readBars(
  call: string,
  values: unknown,
  options: { readonly [Name in "x" | "y" | "color"]: string | undefined } & {
    readonly labels: readonly string[] | undefined;
  },
): ReadBars {
  const { labels } = options;
  if (isRecord(values) && !isListOfNumbers(values)) {
    const entries = Object.entries(values);
    if (entries.length === 0)
      throw new RangeError(`${call}: there is nothing to draw: the values are an empty object.`);
    if (!entries.some(([, value]) => isListOfNumbers(value) && !isScalar(value))) {
      if (labels !== undefined)
        throw new TypeError(`${call}: labels name the bars of a list, and the values are named already.`);
      const named = entries.map(([name, value]) => {
        if (value === null || value === undefined || typeof value === "string")
          throw new TypeError(`${call}: values.${name} must be a number, got ${describe(value)}.`);
        return { name, series: "", value: numberOf(call, `values.${name}`, value) };
      });
      return { bars: named, series: [""], x: options.x ?? null, y: options.y ?? null };
    }
  }
  return barsOfSeries(call, readSeries(call, values, recordAxes(values, options)), options);
}

function isScalar(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { shape?: readonly number[] }).shape?.length === 0
  );
}

/** Records: the first field of strings names the bars, and one field of numbers is their length. */
function recordAxes(
  values: unknown,
  { x, y, color }: { readonly [Name in "x" | "y" | "color"]: string | undefined },
) {
  const first: unknown = Array.isArray(values) ? values.find(isRecord) : undefined;
  if (!isRecord(first)) return { x, y, color };
  const fieldOf = (kind: string, taken: string | undefined) =>
    Object.keys(first).find((field) => typeof first[field] === kind && field !== taken);
  return { x: x ?? fieldOf("string", color), y: y ?? fieldOf("number", x), color };
}

function barsOfSeries(
  call: string,
  table: SeriesTable,
  { x, labels }: { readonly x: string | undefined; readonly labels: readonly string[] | undefined },
): ReadBars {
  const length = Math.max(...table.series.map(({ y }) => y.length));
  if (labels !== undefined && labels.length !== length)
    throw new RangeError(
      `${call}: labels has ${counted(labels.length, "name")}, and there are ${counted(length, "value")}; give one for each.`,
    );
  const { kind } = table.series[0]!.x;
  const nameOf = (value: number | string): string =>
    typeof value === "string" ? value : kind === "temporal" ? timeText(value) : String(value);
  return {
    bars: table.series.flatMap(({ name, x: column, y }) =>
      Array.from(y, (value, at) => ({
        name: labels?.[at] ?? nameOf(column.values[at]!),
        series: name ?? "",
        value,
      })),
    ),
    series: table.series.map(({ name }) => name ?? ""),
    x: labels === undefined ? table.x : (x ?? null),
    y: table.y,
  };
}
