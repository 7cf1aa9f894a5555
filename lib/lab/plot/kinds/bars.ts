// `lab.plot.bars`: draws one bar for each name, or a group of bars. Bars begin at zero, and are horizontal if their
// names are too long to stand side by side.
import { checkText } from "../../../torch/vocabulary/arguments.ts";
import { optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { counted, listed } from "../../../words.ts";
import { type Specification, TEN_COLOURS } from "../../../charts/chart_style.ts";
import { type Bar, type BarValues, readBars } from "../bar_values.ts";
import { checkOrder } from "../call_order.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { namesRule } from "../labels.ts";
import { makePlot, type Plot } from "../plot.ts";
import { AXES } from "../series.ts";
import {
  FONT_SIZE,
  frame,
  legendWidth,
  levelTitle,
  PLOT_HEIGHT,
  plotWidth,
  shortened,
  textWidth,
} from "../../../charts/plot_style.ts";
import { axisFormat, leftOut } from "../../../charts/words.ts";
import { numberText } from "../../../units.ts";

/** Options of `lab.plot.bars`. */
export interface BarsOptions extends FrameOptions {
  /**
   * For records the field that names the bars; otherwise the title of their axis. Default: the first field of strings.
   */
  readonly x?: string;
  /**
   * For records the field of the bars' length; otherwise the title of its axis. Default: the first field of numbers.
   */
  readonly y?: string;
  /** For records, a field: each of its values gets a bar of its own colour within its group. Default: none. */
  readonly color?: string;
  /** For numbers the names of the bars, in order. Default: their index. */
  readonly labels?: readonly string[];
}

const RULES = {
  ...FRAME,
  x: optional(checkText),
  y: optional(checkText),
  color: AXES.color,
  labels: namesRule(),
} as const;

/** More bars than this would be thinner than the gaps between them, and would have no room for names. */
const MAX_BARS = 100;
/** The height of a horizontal bar. */
const LYING_BAR = FONT_SIZE + 10;
/** The height of a horizontal bar in a group as a share of that: enough that the numbers of two bars do not touch. */
const LYING_IN_GROUP = 0.8;
/** Up to this many bars have their number at their end. */
const MAX_NUMBERED = 30;
/** Pixels for a name beside a horizontal bar, without and with a legend. */
const NAME_WIDTH = { alone: 240, besideLegend: 140 } as const;
/** Pixels of a number at the end of a bar. */
const NUMBER_WIDTH = 50;

/**
 * Draws bars: `lab.plot.bars({ cpu: 12.1, mps: 3.4 }, { y: "ms" })`, numbers with `labels`, or records by two of their
 * fields.
 *
 * @throws TypeError for values that hold no numbers, RangeError for empty values, for a wrong number of labels, for
 *   fields that the records do not have, for more than ten colours, and for more than 100 bars
 */
export function bars(values: BarValues, options?: BarsOptions): Plot;
export function bars(...args: readonly unknown[]): Plot {
  const call = "lab.plot.bars";
  checkOrder(call, args, ["x", "y"]);
  const [values, options] = args;
  const read = readOptions<typeof RULES>(call, options as BarsOptions | undefined, RULES);
  const { bars: given, series, x, y } = readBars(call, values, read);
  if (given.length > MAX_BARS)
    throw new RangeError(
      `${call}: ${given.length.toLocaleString("en-US")} bars have no room; draw at most ${MAX_BARS}, the distribution with lab.plot.histogram, or a line with lab.plot.`,
    );
  if (series.length > TEN_COLOURS.length)
    throw new RangeError(
      `${call}: ${series.length} colours cannot be told apart; draw at most ${TEN_COLOURS.length} at a time.`,
    );
  const places = new Set(given.map(({ name, series: of }) => JSON.stringify([name, of])));
  if (places.size < given.length) {
    const bar = given.find((one, at) =>
      given.some((other, before) => before < at && isSamePlace(one, other)),
    )!;
    throw new RangeError(
      `${call}: two bars are named ${JSON.stringify(bar.name)}; add them up, or name a field with color that tells them apart.`,
    );
  }
  const all = given.filter(({ value }) => Number.isFinite(value));
  if (all.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const notes = leftOut(given.length - all.length, "value");
  const layout = layoutOf(all, series, read);
  const title = read.title ?? `${y ?? "value"}${x === null ? "" : ` by ${x}`}`;
  const titles = { x, y, isTitled: read.title !== undefined, color: read.color ?? null };
  const layer = [barLayer(series, titles)];
  if (layout.isNumbered) layer.push(numbersLayer(layout.isLying));
  return makePlot(
    {
      ...frame(title, notes, layout.size),
      data: { values: all.map((bar) => ({ ...bar, text: numberText(bar.value) })) },
      encoding: encodingOf(all, series, layout, titles),
      layer,
    },
    [findingOf(all, series), ...notes].join(". ") + ".",
  );
}

const isSamePlace = (one: Bar, other: Bar): boolean => one.name === other.name && one.series === other.series;

interface Layout {
  readonly size: { readonly width: number; readonly height: number };
  readonly isLying: boolean;
  readonly isNumbered: boolean;
  readonly nameWidth: number;
}

function layoutOf(
  all: readonly Bar[],
  series: readonly string[],
  given: { readonly width: number | undefined; readonly height: number | undefined },
): Layout {
  const isGrouped = series.length > 1;
  const legend = isGrouped ? legendWidth(series) : 0;
  const names = [...new Set(all.map(({ name }) => name))];
  const widest = Math.max(...names.map((name) => textWidth(name)));
  const nameWidth = isGrouped ? NAME_WIDTH.besideLegend : NAME_WIDTH.alone;
  const standing = given.width ?? plotWidth(legend + 20);
  // An axis of numbers may leave some of them out, but an axis of names may not.
  const areNumbers = names.every((name) => /^\d+$/.test(name));
  if (areNumbers || widest <= standing / names.length) {
    const widestNumber = Math.max(...all.map(({ value }) => textWidth(numberText(value))));
    const isNumbered = all.length <= MAX_NUMBERED && widestNumber < standing / all.length;
    const size = { width: standing, height: given.height ?? PLOT_HEIGHT };
    return { size, isLying: false, isNumbered, nameWidth };
  }
  const beside = legend + NUMBER_WIDTH + Math.min(nameWidth, widest);
  const size = {
    // The names take the place of the numbers of the other axis.
    width: given.width ?? plotWidth(beside - 50),
    height:
      given.height ?? Math.round(names.length * LYING_BAR * Math.max(1, series.length * LYING_IN_GROUP)),
  };
  return { size, isLying: true, isNumbered: all.length <= MAX_NUMBERED, nameWidth };
}

interface Titles {
  readonly x: string | null;
  readonly y: string | null;
  /** Whether the title is the user's, so that it does not name the axes. */
  readonly isTitled: boolean;
  readonly color: string | null;
}

function encodingOf(
  all: readonly Bar[],
  series: readonly string[],
  { isLying, isNumbered, nameWidth }: Layout,
  { x, y, isTitled }: Titles,
): Record<string, Specification> {
  const isBelowZero = all.some(({ value }) => value < 0);
  // The number below a negative bar needs room above the names.
  const room = isBelowZero ? { padding: 18 } : {};
  // Grid lines would cross the numbers at the ends of bars, which say more. They stay if a bar is negative, because one
  // of them marks zero.
  const grid = !isNumbered || isBelowZero;
  const name = {
    field: "name",
    type: "nominal",
    sort: null,
    scale: { paddingInner: 0.25, paddingOuter: 0.15 },
  };
  const length = { field: "value", type: "quantitative", scale: { zero: true, ...room } };
  const nameAxis = { ticks: false, domain: false, labelLimit: nameWidth, grid: false };
  const lengthAxis = { tickCount: 5, grid, ...axisFormat(all.map(({ value }) => value)) };
  const offset = { field: "series", type: "nominal", sort: null };
  if (isLying)
    return {
      y: { ...name, axis: { ...nameAxis, labelExpr: middleCut(nameWidth), title: null } },
      x: { ...length, axis: { ...lengthAxis, title: y, domain: false } },
      ...(series.length > 1 ? { yOffset: offset } : {}),
    };
  return {
    x: { ...name, axis: { ...nameAxis, title: x } },
    y: { ...length, axis: { ...lengthAxis, ...levelTitle(isTitled ? y : null) } },
    ...(series.length > 1 ? { xOffset: offset } : {}),
  };
}

/** Cuts long names in the middle, because names of one family begin alike. */
function middleCut(width: number): string {
  const max = Math.floor((10 * width) / textWidth("mmmmmmmmmm"));
  const end = Math.floor(max * 0.4);
  return `length(datum.label) > ${max} ? slice(datum.label, 0, ${max - 1 - end}) + '…' + slice(datum.label, -${end}) : datum.label`;
}

function barLayer(series: readonly string[], { x, y, color }: Titles): Specification {
  const isGrouped = series.length > 1;
  const scale = { domain: series, range: TEN_COLOURS.slice(0, series.length) };
  return {
    mark: { type: "bar" },
    encoding: {
      color: isGrouped
        ? { field: "series", type: "nominal", sort: null, scale, legend: { title: color } }
        : { value: TEN_COLOURS[0]! },
      tooltip: [
        { field: "name", type: "nominal", title: x ?? "name" },
        ...(isGrouped ? [{ field: "series", type: "nominal", title: color ?? "series" }] : []),
        { field: "value", type: "quantitative", title: y ?? "value" },
      ],
    },
  };
}

/** The number outside the end of a bar: above it, or below a negative one. */
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

function findingOf(all: readonly Bar[], series: readonly string[]): string {
  const isGrouped = series.length > 1;
  const max = all.reduce((best, bar) => (bar.value > best.value ? bar : best));
  const min = all.reduce((best, bar) => (bar.value < best.value ? bar : best));
  const told = ({ name, series: of, value }: Bar) =>
    `${shortened(name, 40)}${isGrouped ? ` (${of})` : ""} ${numberText(value)}`;
  const groups = isGrouped ? ` of ${listed(series)}` : "";
  return all.length === 1
    ? told(max)
    : `${counted(all.length, "bar")}${groups}, highest ${told(max)}, lowest ${told(min)}`;
}
