// `lab.plot.points`: draws one point for each pair of numbers. More points than a chart can show are counted in
// rectangles, or sampled where they have colours.
import { readOptions } from "../../torch/vocabulary/options.ts";
import { shapeText } from "../../torch/vocabulary/arguments.ts";
import type { Tensor } from "../../torch/types/index.ts";
import { FRAME, type FrameOptions } from "./frame_options.ts";
import { isTensor, readMatrix } from "./numbers.ts";
import { SCALES, tooltipOf } from "./lines.ts";
import { makePlot, type Plot } from "./plot.ts";
import {
  type Axes,
  AXES,
  type AxisOptions,
  readSeries,
  type SeriesTable,
  type SeriesValues,
} from "./series.ts";
import { frame, levelTitle, MAX_SERIES, PALETTE, PLOT_HEIGHT, plotWidth, textWidth } from "./style.ts";
import { MAX_POINTS, sampled } from "./thin.ts";
import { logTicks } from "./ticks.ts";
import { axisFormat, counted, countText, listed, numberText } from "./words.ts";

/** Options of `lab.plot.points`. */
export interface PointsOptions extends FrameOptions, AxisOptions {
  /** The scale of the x axis; a logarithmic one leaves out positions that are not positive. Default: "linear". */
  readonly xScale?: "linear" | "log";
  /** The scale of the y axis; a logarithmic one leaves out values that are not positive. Default: "linear". */
  readonly yScale?: "linear" | "log";
}

const RULES = { ...FRAME, ...AXES, ...SCALES } as const;

/** Rectangles in which many points are counted, along the wider and the narrower side. */
const [COLUMNS, ROWS] = [60, 30];

interface Point {
  readonly series: string;
  readonly x: number | string;
  readonly y: number;
}

/**
 * Draws points: records by two of their fields (`{ x: "width", y: "loss", color: "optimizer" }`), numbers over `x` or
 * over their index, or a tensor of [N, 2].
 *
 * @throws TypeError for what holds no numbers, RangeError for empty values, for fields that the records do not have, and
 *   for more than 12 colours
 */
export function points(values: SeriesValues, options?: PointsOptions): Plot {
  const call = "lab.plot.points";
  const read = readOptions(call, options, RULES);
  const table = readPoints(call, values, read);
  const { series } = table;
  const { kind } = series[0]!.x;
  if (series.length > MAX_SERIES)
    throw new RangeError(
      `${call}: ${series.length} colours cannot be told apart; draw at most ${MAX_SERIES} at a time.`,
    );
  if (kind === "ordinal" && read.xScale === "log")
    throw new TypeError(
      `${call}: xScale is "log", and the x axis has names; give it numbers, or leave xScale out.`,
    );
  const total = series.reduce((sum, { y }) => sum + y.length, 0);
  const all = series.flatMap(({ name, x, y }) =>
    [...y.keys()]
      .map((at): Point => ({ series: name ?? "", x: x.values[at]!, y: y[at]! }))
      .filter((point) => isDrawn(point.x, read.xScale) && isDrawn(point.y, read.yScale)),
  );
  if (all.length === 0)
    throw new RangeError(
      `${call}: there is nothing to draw: no point has two finite numbers${read.xScale === "log" || read.yScale === "log" ? ", positive on a log scale" : ""}.`,
    );
  const isCounted = all.length > MAX_POINTS && series.length === 1 && kind !== "ordinal";
  const drawn = isCounted ? all : sampled(all.length, MAX_POINTS).map((at) => all[at]!);
  const notes = [
    ...(all.length < total
      ? [
          `${counted(total - all.length, "point")} without two ${read.xScale === "log" || read.yScale === "log" ? "drawable" : "finite"} numbers left out`,
        ]
      : []),
    ...(isCounted ? [`${countText(all.length)} points, counted in rectangles`] : []),
    ...(drawn.length < all.length
      ? [`every ${numberText(all.length / drawn.length)}th of ${countText(all.length)} points drawn`]
      : []),
  ];
  const names = series.map(({ name }) => name ?? "");
  const hasLegend = names.length > 1 || isCounted;
  const beside = hasLegend
    ? Math.min(150, Math.max(textWidth("10,000"), ...names.map((name) => textWidth(name)))) + 50
    : 30;
  const size = { width: read.width ?? plotWidth(beside), height: read.height ?? PLOT_HEIGHT + 40 };
  const title = read.title ?? `${table.y ?? listed(names.slice(0, 3))} by ${table.x}`;
  const axis = (name: "x" | "y") => {
    const scale = read[`${name}Scale`];
    return {
      field: name,
      type: "quantitative",
      scale: { type: scale, zero: false, nice: false, padding: 8 },
      axis: {
        ...(name === "x" ? { title: table.x } : levelTitle(read.title === undefined ? null : table.y)),
        tickCount: 6,
        ...(scale === "log"
          ? logTicks(all.map((point) => point[name] as number))
          : axisFormat(all.map((point) => point[name] as number))),
      },
    };
  };
  const x =
    kind === "quantitative"
      ? axis("x")
      : { field: "x", type: kind, ...(kind === "ordinal" ? { sort: null } : {}), axis: { title: table.x } };
  const finding = [correlation(all), ...notes].join(". ") + ".";
  const start = frame(title, notes, size);
  if (isCounted) {
    const rows = rectangles(all as readonly { x: number; y: number }[], read);
    return makePlot(
      {
        ...start,
        data: { values: rows },
        encoding: {
          x: { ...x, scale: { ...(x as { scale?: object }).scale, padding: 0 } },
          x2: { field: "x2" },
          y: { ...axis("y"), scale: { type: read.yScale, zero: false, nice: false } },
          y2: { field: "y2" },
        },
        layer: [
          {
            mark: { type: "rect" },
            encoding: {
              color: { value: PALETTE[0]! },
              opacity: {
                field: "points",
                type: "quantitative",
                scale: { type: "sqrt", domainMin: 0, range: [0.08, 1] },
                legend: {
                  title: "points",
                  symbolType: "square",
                  symbolFillColor: PALETTE[0]!,
                  symbolStrokeWidth: 0,
                  tickCount: 4,
                },
              },
              tooltip: [{ field: "points", type: "quantitative" }],
            },
          },
        ],
      },
      finding,
    );
  }
  return makePlot(
    {
      ...start,
      data: { values: drawn },
      encoding: { x, y: axis("y") },
      layer: [
        {
          mark: {
            type: "point",
            filled: true,
            size: 36,
            opacity: drawn.length > 300 ? 0.5 : 0.8,
            clip: true,
          },
          encoding: {
            color: {
              field: "series",
              type: "nominal",
              scale: { domain: names, range: names.map((_, at) => PALETTE[at % PALETTE.length]!) },
              legend: hasLegend ? { title: read.color ?? null } : null,
            },
            ...(names.length > PALETTE.length
              ? {
                  shape: {
                    field: "series",
                    type: "nominal",
                    scale: {
                      domain: names,
                      range: names.map((_, at) => SHAPES[Math.floor(at / PALETTE.length)]!),
                    },
                    legend: { title: read.color ?? null },
                  },
                }
              : {}),
            tooltip: tooltipOf(table, kind),
          },
        },
      ],
    },
    finding,
  );
}

const SHAPES = ["circle", "square", "triangle-up"];

function isDrawn(value: number | string, scale: "linear" | "log"): boolean {
  return typeof value === "string" || (Number.isFinite(value) && (scale === "linear" || value > 0));
}

function readPoints(call: string, values: unknown, axes: Axes): SeriesTable {
  if (!isTensor(values) || values.shape.length !== 2) return readSeries(call, values, axes);
  const tensor: Tensor = values;
  if (tensor.shape[1] !== 2)
    throw new RangeError(
      `${call}: values is a tensor of shape ${shapeText(tensor.shape)}, and takes [N, 2] (x and y), or [N].`,
    );
  const { rows, values: numbers } = readMatrix(call, "values", tensor);
  const column = (at: number) => Float64Array.from({ length: rows }, (_, row) => numbers[2 * row + at]!);
  const name = (given: unknown, otherwise: string) => (typeof given === "string" ? given : otherwise);
  return {
    series: [{ name: null, x: { kind: "quantitative", values: column(0) }, y: column(1) }],
    x: name(axes.x, "x"),
    y: name(axes.y, "y"),
  };
}

/** How many points lie in each of equal rectangles; equal on a log scale. */
function rectangles(
  all: readonly { x: number; y: number }[],
  { xScale, yScale }: { readonly xScale: string; readonly yScale: string },
) {
  const side = (scale: string, count: number, of: (point: { x: number; y: number }) => number) => {
    const to = (value: number) => (scale === "log" ? Math.log(value) : value);
    const back = (value: number) => (scale === "log" ? Math.exp(value) : value);
    let [least, most] = [Infinity, -Infinity];
    for (const point of all) [least, most] = [Math.min(least, to(of(point))), Math.max(most, to(of(point)))];
    const step = (most - least || 1) / count;
    return {
      place: (point: { x: number; y: number }) =>
        Math.min(count - 1, Math.floor((to(of(point)) - least) / step)),
      edge: (at: number) => back(least + at * step),
    };
  };
  const across = side(xScale, COLUMNS, ({ x }) => x);
  const up = side(yScale, ROWS, ({ y }) => y);
  const counts = new Uint32Array(COLUMNS * ROWS);
  for (const point of all) counts[up.place(point) * COLUMNS + across.place(point)]!++;
  return [...counts].flatMap((points, at) => {
    const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
    return points === 0
      ? []
      : [
          {
            x: across.edge(column),
            x2: across.edge(column + 1),
            y: up.edge(row),
            y2: up.edge(row + 1),
            points,
          },
        ];
  });
}

/** `500 points, correlation 0.93`; names on the x axis have none. */
function correlation(all: readonly Point[]): string {
  const lead = counted(all.length, "point");
  if (all.length < 3 || typeof all[0]!.x === "string") return lead;
  const mean = (of: (point: Point) => number) => all.reduce((sum, point) => sum + of(point), 0) / all.length;
  const [x, y] = [mean((point) => point.x as number), mean((point) => point.y)];
  const product = mean((point) => ((point.x as number) - x) * (point.y - y));
  const spread = Math.sqrt(
    mean((point) => ((point.x as number) - x) ** 2) * mean((point) => (point.y - y) ** 2),
  );
  return spread > 0 ? `${lead}, correlation ${numberText(product / spread)}` : lead;
}
