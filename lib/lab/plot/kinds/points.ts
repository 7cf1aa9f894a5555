// `lab.plot.points`: draws one point for each pair of numbers. More points than a chart can show are counted in
// rectangles, or sampled where they have colours.
import { shapeText } from "../../../torch/vocabulary/arguments.ts";
import { readOptions } from "../../../torch/vocabulary/options.ts";
import { countText, counted, listed } from "../../../words.ts";
import { type Specification, TEN_COLOURS } from "../../../charts/chart_style.ts";
import type { Column } from "../column.ts";
import { barEnds, type BarEnds, errorLayer, errorNotes, leastPositive } from "../error_bars.ts";
import { checkFit, equationOf, FIT, type Fit, fitOf, type FitOptions } from "../fit.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { domainOf, type ScaleOptions, SCALES, tooltipOf } from "./lines.ts";
import { isTensor, type Numbers, readMatrix } from "../numbers.ts";
import { readXAndY } from "../x_and_y.ts";
import { checkLimits, isWithin, LIMITS, type LimitOptions, type Limits, outsideText } from "../limits.ts";
import { makePlot, type Plot } from "../plot.ts";
import { countPoints } from "../point_counts.ts";
import {
  type Axes,
  AXES,
  type AxisOptions,
  type Positions,
  readSeries,
  type SeriesTable,
  type SeriesValues,
  withTitles,
} from "../series.ts";
import {
  frame,
  legendWidth,
  levelTitle,
  MAX_LABELS,
  MAX_PLOTTED,
  PLOT_HEIGHT,
  plotWidth,
} from "../../../charts/plot_style.ts";
import { MAX_POINTS, sampled } from "../thin.ts";
import { type Scale, valueTicks, wholeTicks } from "../../../charts/ticks.ts";
import { numberText } from "../../../units.ts";

/** Options of `lab.plot.points`. */
export interface PointsOptions extends FrameOptions, AxisOptions, ScaleOptions, LimitOptions, FitOptions {}

const RULES = { ...FRAME, ...AXES, ...SCALES, ...LIMITS, ...FIT } as const;

/** Shapes of the points, for the first ten colours, and for the same again. */
const SHAPES = ["circle", "triangle-up"];

/** More points than this hide each other. */
const CROWDED = 300;

/**
 * Draws points: records by two of their fields (`{ x: "width", y: "loss", color: "optimizer" }`), numbers over `x` or
 * over their index, or a tensor of [N, 2]. `lab.plot.points(x, y)` draws y over x.
 *
 * @throws TypeError for values that hold no numbers, RangeError for empty values, for fields that the records do not
 *   have, and for more than 20 colours
 */
export function points(values: SeriesValues, options?: PointsOptions): Plot;
export function points(
  x: Positions,
  y: Numbers | Readonly<Record<string, Numbers>>,
  options?: PointsOptions,
): Plot;
export function points(...given: readonly unknown[]): Plot {
  const call = "lab.plot.points";
  const { values, options } = readXAndY(call, given);
  const read = readOptions<typeof RULES>(call, options, RULES);
  const { xScale, yScale } = read;
  const table = withTitles(readPoints(call, values, read), read);
  const { series } = table;
  const { kind } = series[0]!.x;
  if (series.length > MAX_PLOTTED)
    throw new RangeError(
      `${call}: ${series.length} colours cannot be told apart; draw at most ${MAX_PLOTTED} at a time.`,
    );
  if (kind === "ordinal" && xScale === "log")
    throw new TypeError(
      `${call}: xScale is "log", and the x axis has names; give it numbers, or leave xScale out.`,
    );
  checkLimits(call, kind, read, read);
  if (read.fit !== undefined) checkFit(call, kind, read);
  const placed = placedPoints(table, xScale, yScale);
  const all = placed.filter(({ x, y }) => isWithin(x, read.xLimits) && isWithin(y, read.yLimits));
  if (placed.length > 0 && all.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no point lies within the limits.`);
  const needed =
    xScale === "log" || yScale === "log" ? "numbers that its axes have a place for" : "finite numbers";
  if (all.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no point has two ${needed}.`);
  const hasBars = all.some(({ high }) => high !== undefined);
  const isCounted = all.length > MAX_POINTS && series.length === 1 && kind === "quantitative" && !hasBars;
  const drawn = isCounted ? all : sampled(all.length, MAX_POINTS).map((at) => all[at]!);
  const fits = read.fit === undefined ? [] : fitsOf(table, placed);
  const left = series.reduce((sum, { y }) => sum + y.length, 0) - placed.length;
  const notes = [
    ...(left > 0 ? [`${counted(left, "point")} without two ${needed} left out`] : []),
    ...outsideText(placed.length - all.length),
    ...(isCounted ? [`${countText(all.length)} points, counted in rectangles`] : []),
    ...(drawn.length < all.length
      ? [`${countText(drawn.length)} of ${countText(all.length)} points drawn`]
      : []),
    ...errorNotes(all, yScale),
  ];
  const names = series.map(({ name }) => name ?? "");
  const beside = isCounted
    ? legendWidth(["10,000"])
    : names.length > 1
      ? legendWidth([...names, read.color ?? ""])
      : 30;
  const xs = kind === "ordinal" ? [] : (read.xLimits ?? all.map(({ x }) => x as number));
  const ys = read.yLimits ?? all.flatMap(({ y, low = y, high = y }) => [y, low, high]);
  const encoding = {
    x:
      kind === "quantitative"
        ? {
            ...numberAxis("x", xScale, xs, isCounted, read.xLimits),
            axis: {
              ...tickAxis(xScale, xs),
              ...(xScale === "log" ? {} : wholeTicks(xs)),
              title: table.x,
            },
          }
        : { field: "x", type: kind, ...(kind === "ordinal" ? { sort: null } : {}), axis: { title: table.x } },
    y: {
      ...numberAxis("y", yScale, ys, isCounted, read.yLimits),
      axis: {
        ...tickAxis(yScale, ys),
        ...(yScale === "log" ? {} : wholeTicks(ys)),
        ...levelTitle(read.title === undefined ? null : table.y),
      },
    },
  };
  const told = fits.map(({ text }) =>
    placed.length === all.length ? text : `${text}, fitted to all points`,
  );
  return makePlot(
    {
      ...frame(
        read.title ?? `${table.y ?? listed(names.slice(0, 3))} by ${table.x}`,
        [...(told.length <= MAX_LABELS ? told : []), ...notes],
        {
          width: read.width ?? plotWidth(beside),
          height: read.height ?? PLOT_HEIGHT + 40,
        },
      ),
      data: {
        values: isCounted ? countPoints(all as readonly { x: number; y: number }[], xScale, yScale) : drawn,
      },
      encoding,
      layer: [
        ...(hasBars ? [errorLayer(colorOf(names, null), (read.xLimits ?? read.yLimits) !== undefined)] : []),
        isCounted
          ? countLayer()
          : pointLayer(names, read.color ?? null, drawn.length, tooltipOf(table, kind)),
        ...(fits.length > 0
          ? [fitLayer(fits, isCounted ? { value: TEN_COLOURS[1]! } : colorOf(names, null))]
          : []),
      ],
    },
    [correlation(all, kind), ...told, ...notes].join(". ") + ".",
  );
}

interface Point extends BarEnds {
  readonly series: string;
  readonly x: number | string;
  readonly y: number;
}

/** The points that have a place on both axes. */
function placedPoints({ series }: SeriesTable, xScale: Scale, yScale: Scale): Point[] {
  const isPlaced = (value: number | string, scale: Scale) =>
    typeof value === "string" || (Number.isFinite(value) && (scale === "linear" || value > 0));
  const floor = leastPositive(series.flatMap(({ y }) => [...y]));
  return series.flatMap(({ name, x, y, error }) =>
    Array.from(y, (value, at): Point => ({
      series: name ?? "",
      x: x.values[at]!,
      y: value,
      ...barEnds(value, error?.[at], yScale, floor),
    })).filter((point) => isPlaced(point.x, xScale) && isPlaced(point.y, yScale)),
  );
}

function readPoints(call: string, values: unknown, axes: Axes): SeriesTable {
  if (!isTensor(values) || values.shape.length !== 2) return readSeries(call, values, axes);
  if (values.shape[1] !== 2)
    throw new RangeError(
      `${call}: values is a tensor of shape ${shapeText(values.shape)}, and takes [N, 2] (x and y), or [N].`,
    );
  const { rows, values: numbers } = readMatrix(call, "values", values);
  const column = (at: number) => Float64Array.from({ length: rows }, (_, row) => numbers[2 * row + at]!);
  const name = (given: unknown, otherwise: string) => (typeof given === "string" ? given : otherwise);
  return {
    series: [{ name: null, x: { kind: "quantitative", values: column(0) }, y: column(1) }],
    x: name(axes.x, "x"),
    y: name(axes.y, "y"),
  };
}

/** The points keep a distance from the edges, which would cut them in half; rectangles reach the edges. */
function numberAxis(
  field: "x" | "y",
  scale: Scale,
  values: readonly number[],
  isCounted: boolean,
  limits: Limits | undefined,
): Specification {
  const isLinear = scale === "linear" && values.length > 0;
  return {
    field,
    type: "quantitative",
    scale: {
      type: scale,
      ...(isLinear ? { zero: false } : {}),
      nice: false,
      padding: isCounted ? 0 : 8,
      ...domainOf(limits),
    },
  };
}

function tickAxis(scale: Scale, values: readonly number[]): Specification {
  return { tickCount: 6, ...valueTicks(scale, values) };
}

interface NamedFit {
  readonly name: string;
  readonly fit: Fit | null;
  readonly text: string;
}

/** The line of each colour; null for one whose points have no best one. */
function fitsOf({ series, x, y }: SeriesTable, placed: readonly Point[]): NamedFit[] {
  return series.map(({ name }) => {
    const points = placed.filter((point) => point.series === (name ?? ""));
    const fit = fitOf(points);
    const lead = name === null || y === null ? "" : `${name}: `;
    const text =
      fit === null
        ? `${lead}no straight line fits ${counted(points.length, "point")} of one ${x}`
        : `${lead}${equationOf(fit, x, y ?? name ?? "y")}`;
    return { name: name ?? "", fit, text };
  });
}

function fitLayer(fits: readonly NamedFit[], color: Specification): Specification {
  const values = fits.flatMap(({ name, fit }) =>
    fit === null ? [] : fit.ends.map((x) => ({ series: name, x, y: fit.slope * x + fit.intercept })),
  );
  return {
    data: { values },
    mark: { type: "line", strokeWidth: 2, clip: true },
    encoding: { color, detail: { field: "series", type: "nominal" } },
  };
}

function colorOf(
  names: readonly string[],
  legend: Specification | null,
  range = coloursOf(names),
): Specification {
  return { field: "series", type: "nominal", scale: { domain: names, range }, legend };
}

const coloursOf = (names: readonly string[]): readonly string[] =>
  names.map((_, at) => TEN_COLOURS[at % TEN_COLOURS.length]!);

function pointLayer(
  names: readonly string[],
  color: string | null,
  count: number,
  tooltip: readonly Specification[],
): Specification {
  const legend = names.length > 1 ? { title: color } : null;
  const shapes = names.map((_, at) => SHAPES[Math.floor(at / TEN_COLOURS.length)]!);
  return {
    mark: { type: "point", filled: true, size: 36, opacity: count > CROWDED ? 0.5 : 0.8, clip: true },
    encoding: {
      color: colorOf(names, legend),
      ...(names.length > TEN_COLOURS.length ? { shape: colorOf(names, legend, shapes) } : {}),
      tooltip,
    },
  };
}

function countLayer(): Specification {
  const color = TEN_COLOURS[0]!;
  return {
    mark: { type: "rect" },
    encoding: {
      x2: { field: "x2" },
      y2: { field: "y2" },
      color: { value: color },
      opacity: {
        field: "points",
        type: "quantitative",
        scale: { type: "sqrt", domainMin: 0, range: [0.08, 1] },
        legend: {
          title: "points",
          symbolType: "square",
          symbolFillColor: color,
          symbolStrokeWidth: 0,
          tickCount: 4,
        },
      },
      tooltip: [{ field: "points", type: "quantitative" }],
    },
  };
}

/** `500 points, correlation 0.93`; no correlation if the x axis has names or times. */
function correlation(all: readonly Point[], kind: Column["kind"]): string {
  const lead = counted(all.length, "point");
  if (all.length < 3 || kind !== "quantitative") return lead;
  const mean = (of: (point: Point) => number) => all.reduce((sum, point) => sum + of(point), 0) / all.length;
  const [x, y] = [mean((point) => point.x as number), mean((point) => point.y)];
  const product = mean((point) => ((point.x as number) - x) * (point.y - y));
  const spread = Math.sqrt(
    mean((point) => ((point.x as number) - x) ** 2) * mean((point) => (point.y - y) ** 2),
  );
  return spread > 0 ? `${lead}, correlation ${numberText(product / spread)}` : lead;
}
