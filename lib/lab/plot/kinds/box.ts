// `lab.plot.box`: draws the quartiles of several groups beside each other, with whiskers and outliers.
import { optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { checkText } from "../../../torch/vocabulary/arguments.ts";
import { quantile } from "../../../torch/data/tables/summary.ts";
import { countText, counted } from "../../../words.ts";
import { type Specification, TEN_COLOURS } from "../../../charts/chart_style.ts";
import {
  FONT_SIZE,
  frame,
  levelTitle,
  MAX_LABELS,
  PLOT_HEIGHT,
  plotWidth,
  shortened,
  textWidth,
} from "../../../charts/plot_style.ts";
import { axisFormat, leftOut } from "../../../charts/words.ts";
import { numberText } from "../../../units.ts";
import { checkOrder } from "../call_order.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { makePlot, type Plot } from "../plot.ts";
import { areRecords, AXES, readSeries, type SeriesValues, withTitles } from "../series.ts";
import { MAX_POINTS, sampled } from "../thin.ts";

/** Options of `lab.plot.box`. */
export interface BoxOptions extends FrameOptions {
  /** For records and tables the field whose values are the groups; otherwise the title of their axis. Default: one group. */
  readonly x?: string;
  /** For records and tables the field of numbers, or several; otherwise the title of the axis. Default: every field of numbers. */
  readonly y?: string | readonly string[];
  /** The title of the axis of groups. Default: the field, or none. */
  readonly xTitle?: string;
  /** The title of the axis of numbers. Default: the field, or "value". */
  readonly yTitle?: string;
}

const RULES = {
  ...FRAME,
  x: optional(checkText),
  y: AXES.y,
  xTitle: AXES.xTitle,
  yTitle: AXES.yTitle,
} as const;

const MAX_BOXES = 30;
/** How far a whisker reaches at most, in distances between the quartiles. */
const REACH = 1.5;
/** The width of a box as a share of its place, and in pixels at most. */
const [SHARE, MAX_WIDTH] = [0.5, 60];
/** The height of a place of a lying box. */
const LYING_BOX = 2 * FONT_SIZE + 6;
const NAME_WIDTH = 240;

interface Box {
  readonly name: string;
  readonly count: number;
  /** The ends of the whiskers. */
  readonly low: number;
  readonly q25: number;
  readonly median: number;
  readonly q75: number;
  readonly high: number;
  readonly outliers: readonly number[];
}

/**
 * Draws boxes from the first to the third quartile, with a line at the median: `lab.plot.box(flats, { x: "district", y: "rent" })`,
 * or lists by name. Whiskers reach the last value within 1.5 times the box, and what lies beyond is a point.
 * Quartiles are interpolated as NumPy's and pandas'.
 *
 * @throws TypeError for values that hold no numbers, RangeError if no value is finite, for fields that the records do not have,
 *   and for more than 30 groups
 */
export function box(values: SeriesValues, options?: BoxOptions): Plot;
export function box(...given: readonly unknown[]): Plot {
  const call = "lab.plot.box";
  checkOrder(call, given, ["x", "y"]);
  const [values, options] = given;
  const read = readOptions<typeof RULES>(call, options as BoxOptions | undefined, RULES);
  const isByField = areRecords(values);
  const table = readSeries(
    call,
    values,
    isByField ? { y: read.y, color: read.x, colorOption: "x" } : { y: read.y },
  );
  const { x, y } = withTitles({ ...table, x: read.x ?? "" }, read);
  if (table.series.length > MAX_BOXES)
    throw new RangeError(
      `${call}: ${table.series.length} boxes have no room; draw at most ${MAX_BOXES} at a time.`,
    );
  const groups = table.series.map(({ name, y: all }) => ({
    name: name ?? "",
    all: all.filter(Number.isFinite),
  }));
  const boxes = groups.flatMap(({ name, all }) => (all.length === 0 ? [] : [boxOf(name, all.toSorted())]));
  if (boxes.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const outliers = boxes.flatMap(({ name, outliers: all }) => all.map((value) => ({ name, value })));
  const drawn = sampled(outliers.length, MAX_POINTS).map((at) => outliers[at]!);
  const missing = table.series.reduce((sum, one) => sum + one.y.length, 0) - sumOf(boxes);
  const notes = [
    ...leftOut(missing, "value"),
    ...groups.filter(({ all }) => all.length === 0).map(({ name }) => `${name} has no numbers`),
    ...(drawn.length < outliers.length
      ? [`${countText(drawn.length)} of ${countText(outliers.length)} outliers drawn`]
      : []),
  ];
  const layout = layoutOf(boxes, read);
  const title = read.title ?? `${y ?? "value"}${x === "" ? "" : ` by ${x}`}`;
  const finding = findingOf(boxes);
  return makePlot(
    {
      ...frame(title, [...(boxes.length === 1 ? [finding] : []), ...notes], layout.size),
      data: { values: boxes.map(({ outliers: all, ...one }) => ({ ...one, outliers: all.length })) },
      ...encodedBoxes(layout, boxes, drawn, {
        x,
        y: read.title === undefined ? null : y,
        said: y ?? "value",
      }),
    },
    [finding, ...notes].join(". ") + ".",
  );
}

/** @param sorted at least one number, in ascending order */
function boxOf(name: string, sorted: Float64Array): Box {
  const [q25, median, q75] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = REACH * (q75 - q25);
  const [least, most] = [q25 - reach, q75 + reach];
  // A quartile between two values may lie beyond the last value within reach; then there is no whisker.
  const low = Math.min(
    q25,
    sorted.find((value) => value >= least)!,
  );
  const high = Math.max(
    q75,
    sorted.findLast((value) => value <= most)!,
  );
  const outliers = [...sorted].filter((value) => value < least || value > most);
  return { name, count: sorted.length, low, q25, median, q75, high, outliers };
}

const sumOf = (boxes: readonly Box[]): number => boxes.reduce((sum, { count }) => sum + count, 0);

interface Layout {
  readonly size: { readonly width: number; readonly height: number };
  readonly isLying: boolean;
  /** The width of a box as a share of its place. */
  readonly share: number;
}

function layoutOf(
  boxes: readonly Box[],
  given: { readonly width: number | undefined; readonly height: number | undefined },
): Layout {
  const widest = Math.max(...boxes.map(({ name }) => textWidth(name)));
  const standing = given.width ?? plotWidth(20);
  const isLying = widest > standing / boxes.length;
  const size = isLying
    ? {
        // The names take the place of the numbers of the other axis.
        width: given.width ?? plotWidth(Math.min(NAME_WIDTH, widest) - 30),
        height: given.height ?? boxes.length * LYING_BOX + 20,
      }
    : { width: standing, height: given.height ?? PLOT_HEIGHT };
  const place = (isLying ? size.height : size.width) / boxes.length;
  return { size, isLying, share: Math.min(SHARE, MAX_WIDTH / place) };
}

interface Titles {
  readonly x: string;
  /** Null if the chart's title says it. */
  readonly y: string | null;
  /** What the tooltip calls the numbers. */
  readonly said: string;
}

function encodedBoxes(
  { isLying, share }: Layout,
  boxes: readonly Box[],
  outliers: readonly { readonly name: string; readonly value: number }[],
  { x, y, said }: Titles,
): { readonly encoding: Record<string, Specification>; readonly layer: Specification[] } {
  const [across, along] = isLying ? ["y", "x"] : ["x", "y"];
  const ends = boxes.flatMap(({ low, high }) => [low, high]);
  const axis = {
    tickCount: 5,
    ...axisFormat([...ends, ...outliers.map(({ value }) => value)]),
    ...(isLying ? { title: y, grid: true, domain: false } : levelTitle(y)),
  };
  const at = (field: string): Specification => ({
    field,
    type: "quantitative",
    scale: { zero: false },
    axis,
  });
  const between = (from: string, to: string): Specification => ({
    [along]: at(from),
    [`${along}2`]: { field: to },
  });
  const color = TEN_COLOURS[0]!;
  const wide = { [isLying ? "height" : "width"]: { band: share } };
  const tooltip = [
    ...(boxes.length > 1 ? [{ field: "name", type: "nominal", title: x === "" ? "name" : x }] : []),
    ...["high", "q75", "median", "q25", "low", "count", "outliers"].map((field) => ({
      field,
      type: "quantitative",
      format: ".4~g",
    })),
  ];
  const names = {
    field: "name",
    type: "nominal",
    sort: boxes.map(({ name }) => name),
    scale: { padding: 0 },
    axis: {
      ticks: false,
      domain: false,
      grid: false,
      labelLimit: NAME_WIDTH,
      title: x === "" || isLying ? null : x,
      ...(boxes.length === 1 && boxes[0]!.name === "" ? { labels: false } : {}),
    },
  };
  return {
    encoding: { [across!]: names },
    layer: [
      ...[between("low", "q25"), between("q75", "high")].map((whisker) => ({
        mark: { type: "rule", strokeWidth: 1.5, color },
        encoding: { ...whisker, tooltip },
      })),
      {
        mark: { type: "bar", ...wide, color, fillOpacity: 0.3, stroke: color, strokeWidth: 1.5 },
        encoding: { ...between("q25", "q75"), tooltip },
      },
      {
        mark: { type: "bar", ...wide, stroke: color, strokeWidth: 3 },
        encoding: { ...between("median", "median"), tooltip },
      },
      {
        data: { values: outliers },
        mark: { type: "point", filled: true, size: 25, opacity: 1, color },
        encoding: { [along!]: at("value"), tooltip: [{ field: "value", type: "quantitative", title: said }] },
      },
    ],
  };
}

/** `north: median 640, quartiles 500 to 900, whiskers 450 to 1,200, 2 outliers, of 30 values` */
function findingOf(boxes: readonly Box[]): string {
  const beyond = (count: number) => (count === 0 ? "no outlier" : counted(count, "outlier"));
  if (boxes.length > MAX_LABELS) {
    const [least, ...others] = boxes.toSorted((a, b) => a.median - b.median);
    const most = others.at(-1)!;
    const all = boxes.reduce((sum, { outliers }) => sum + outliers.length, 0);
    const told = ({ name, median }: Box) => `${shortened(name, 40)} ${numberText(median)}`;
    return `${boxes.length} boxes, medians from ${told(least!)} to ${told(most)}, ${beyond(all)} of ${counted(sumOf(boxes), "value")}`;
  }
  return boxes
    .map(
      ({ name, count, low, q25, median, q75, high, outliers }) =>
        `${name === "" ? "" : `${name}: `}median ${numberText(median)}, quartiles ${numberText(q25)} to ${numberText(q75)}, whiskers ${numberText(low)} to ${numberText(high)}, ${beyond(outliers.length)} of ${counted(count, "value")}`,
    )
    .join("; ");
}
