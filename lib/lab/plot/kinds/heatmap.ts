// `lab.plot.heatmap`: draws a matrix as coloured cells, its first row at the top. A matrix of more cells than a chart can
// show is drawn as means of blocks.
import { choice, optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { checkText } from "../../../torch/vocabulary/arguments.ts";
import { counted } from "../../../words.ts";
import type { Specification } from "../../../charts/chart_style.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { type Matrix, readMatrix, type Rectangle } from "../numbers.ts";
import { makePlot, type Plot } from "../plot.ts";
import { LINE_HEIGHT, namesRule, turned } from "../labels.ts";
import { frame, plotWidth, textWidth } from "../../../charts/plot_style.ts";
import { numberText } from "../../../units.ts";

/** Options of `lab.plot.heatmap`. */
export interface HeatmapOptions extends FrameOptions {
  /** The title of the x axis. Default: "column". */
  readonly x?: string;
  /** The title of the y axis. Default: "row". */
  readonly y?: string;
  /** What the values are, above the colours. Default: "value". */
  readonly value?: string;
  /** Names of the columns, in order. Default: their index. */
  readonly xLabels?: readonly string[];
  /** Names of the rows, in order. Default: their index. */
  readonly yLabels?: readonly string[];
  /** The colours: "viridis" from dark to light, "blues" from light to dark. Default: "viridis", and "blueorange" around zero where signs differ. */
  readonly scheme?: "viridis" | "blues" | "blueorange";
}

const RULES = {
  ...FRAME,
  x: optional(checkText),
  y: optional(checkText),
  value: optional(checkText),
  xLabels: namesRule(),
  yLabels: namesRule(),
  scheme: optional((call, name, value) =>
    choice("viridis", ["viridis", "blues", "blueorange"]).check(call, name, value),
  ),
} as const;

/** The most cells along one side; a cell takes 40 bytes in the notebook's file. */
const MAX_SIDE = 64;
/** More cells than this have no numbers: they would be a wall of digits. */
const MAX_NUMBERED = 400;
/** Pixels for the name of a row. */
const NAME_WIDTH = 170;

/**
 * Draws a matrix: a tensor of [rows, columns], or a list of rows.
 *
 * @throws TypeError for values that hold no numbers, RangeError for a tensor of another rank, for rows of several
 *   lengths, and for a wrong number of labels
 */
export function heatmap(values: Matrix, options?: HeatmapOptions): Plot {
  const call = "lab.plot.heatmap";
  const read = readOptions(call, options, RULES);
  const matrix = readMatrix(call, "values", values);
  checkLabels(call, "xLabels", read.xLabels, matrix.columns, "columns");
  checkLabels(call, "yLabels", read.yLabels, matrix.rows, "rows");
  const range = extremes(matrix);
  if (range === null) throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const [down, across] = [Math.ceil(matrix.rows / MAX_SIDE), Math.ceil(matrix.columns / MAX_SIDE)];
  const [rows, columns] = [Math.ceil(matrix.rows / down), Math.ceil(matrix.columns / across)];
  const missing = matrix.values.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  const notes = [
    ...(down * across > 1
      ? [`${matrix.rows} × ${matrix.columns} values, each cell the mean of ${down} × ${across}`]
      : []),
    ...(missing > 0
      ? [`${counted(missing, "value")} ${missing === 1 ? "is" : "are"} not finite and left blank`]
      : []),
  ];
  const nameWidth = Math.min(
    NAME_WIDTH,
    Math.max(0, ...(read.yLabels ?? []).map((label) => textWidth(label))),
  );
  const cells = blocks(matrix, down, across);
  const widthOf = (text: NumberText) => Math.max(...cells.map(({ value }) => textWidth(text(value)))) + 8;
  const wanted = columns * (cells.length <= MAX_NUMBERED ? Math.max(40, widthOf(numberText)) : 40);
  const width = read.width ?? Math.min(plotWidth(100 + Math.max(0, nameWidth - 30)), Math.max(160, wanted));
  // Each name of a row has its line.
  const named = read.yLabels === undefined ? 80 : Math.max(80, rows * LINE_HEIGHT);
  const height = read.height ?? Math.max(named, Math.min(360, Math.round((width * rows) / columns)));
  // Two digits of the largest value where three of each have no room.
  const text =
    cells.length <= MAX_NUMBERED && height / rows >= LINE_HEIGHT
      ? [numberText, roundedTo(range)].find((one) => width / columns >= widthOf(one))
      : undefined;
  const titles = { x: read.x ?? "column", y: read.y ?? "row", value: read.value ?? "value" };
  const name = (labels: readonly string[] | undefined, at: number) => labels?.[at] ?? at;
  const place = ({ row, column, value }: Extreme) =>
    `${numberText(value)} at ${titles.y} ${name(read.yLabels, row)}, ${titles.x} ${name(read.xLabels, column)}`;
  const finding = `${matrix.rows} × ${matrix.columns}, lowest ${place(range.min)}, highest ${place(range.max)}`;
  const hasBothSigns = range.min.value < 0 && range.max.value > 0;
  return makePlot(
    {
      ...frame(read.title ?? `${titles.value} by ${titles.y} and ${titles.x}`, notes, { width, height }),
      data: {
        values: cells.map(({ x, y, value }) => ({
          x: name(read.xLabels, x),
          y: name(read.yLabels, y),
          // Null, because JSON has no NaN.
          value: Number.isFinite(value) ? value : null,
          ...(text === undefined ? {} : { text: Number.isFinite(value) ? text(value) : "" }),
        })),
      },
      encoding: {
        x: sideOf("x", columns, across, read.xLabels, {
          title: titles.x,
          ...turned(read.xLabels, width / columns),
        }),
        y: sideOf("y", rows, down, read.yLabels, {
          title: titles.y,
          ...ABOVE,
          ...(read.yLabels !== undefined && height / rows >= LINE_HEIGHT ? { labelOverlap: false } : {}),
        }),
      },
      layer: [
        cellLayer(titles, read.scheme ?? (hasBothSigns ? "blueorange" : "viridis"), height),
        ...(text === undefined ? [] : [NUMBERS]),
      ],
    },
    [finding, ...notes].join(". ") + ".",
  );
}

type NumberText = (value: number) => string;

function roundedTo({ min, max }: { readonly min: Extreme; readonly max: Extreme }): NumberText {
  const largest = Math.max(Math.abs(min.value), Math.abs(max.value));
  const decimals = largest === 0 ? 0 : Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(largest))));
  return (value) => numberText(Number(value.toFixed(decimals)));
}

function checkLabels(
  call: string,
  name: string,
  labels: readonly string[] | undefined,
  count: number,
  of: string,
) {
  if (labels !== undefined && labels.length !== count)
    throw new RangeError(
      `${call}: ${name} has ${counted(labels.length, "name")}, and the matrix has ${count} ${of}; give one for each.`,
    );
}

/** The title of the rows, placed above their labels. */
const ABOVE = { titleAngle: 0, titleAlign: "right", titleX: -8, titleY: -8, titleBaseline: "bottom" };

/** Numbers in the cells, black on light colours and white on dark ones. */
const NUMBERS: Specification = {
  mark: { type: "text", baseline: "middle" },
  encoding: {
    text: { field: "text", type: "nominal" },
    color: {
      condition: {
        test: "datum.value !== null && luminance(scale('color', datum.value)) < 0.18",
        value: "white",
      },
      value: "black",
    },
  },
};

/** The axis of rows or columns. If they have no names, some of them show their index. */
function sideOf(
  field: "x" | "y",
  count: number,
  step: number,
  labels: readonly string[] | undefined,
  title: Specification,
): Specification {
  const every = spacing(count);
  const indices = Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every * step);
  return {
    field,
    type: "ordinal",
    sort: null,
    scale: {
      domain: Array.from({ length: count }, (_, at) => labels?.[at * step] ?? at * step),
      paddingInner: 0,
      paddingOuter: 0,
    },
    axis: {
      ...title,
      ticks: false,
      domain: false,
      grid: false,
      labelLimit: NAME_WIDTH,
      ...(labels === undefined ? { values: indices } : {}),
    },
  };
}

function cellLayer(
  titles: { readonly x: string; readonly y: string; readonly value: string },
  scheme: string,
  height: number,
): Specification {
  return {
    mark: { type: "rect", invalid: null },
    encoding: {
      color: {
        field: "value",
        type: "quantitative",
        scale: { scheme, ...(scheme === "blueorange" ? { domainMid: 0 } : {}) },
        legend: {
          title: titles.value,
          gradientLength: Math.max(40, Math.min(height - 20, 160)),
          tickCount: 4,
        },
        condition: { test: "datum.value === null", value: "transparent" },
      },
      tooltip: [
        { field: "y", type: "nominal", title: titles.y },
        { field: "x", type: "nominal", title: titles.x },
        { field: "value", type: "quantitative", format: ".4~g" },
      ],
    },
  };
}

/** Labels at most a dozen. */
function spacing(count: number): number {
  for (let power = 1; ; power *= 10)
    for (const digit of [1, 2, 5]) if (count / (digit * power) <= 12) return digit * power;
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

/** The mean of the finite values in each block; x and y are the block's first column and row. */
function blocks({ rows, columns, values }: Rectangle, down: number, across: number): Cell[] {
  const cells: Cell[] = [];
  for (let y = 0; y < rows; y += down)
    for (let x = 0; x < columns; x += across) {
      let [sum, count] = [0, 0];
      for (let row = y; row < Math.min(rows, y + down); row++)
        for (let column = x; column < Math.min(columns, x + across); column++) {
          const value = values[row * columns + column]!;
          if (Number.isFinite(value)) [sum, count] = [sum + value, count + 1];
        }
      cells.push({ x, y, value: sum / count });
    }
  return cells;
}

interface Extreme {
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

/** Null if no value is finite. */
function extremes({ columns, values }: Rectangle): { readonly min: Extreme; readonly max: Extreme } | null {
  let [min, max] = [-1, -1];
  for (let at = 0; at < values.length; at++) {
    if (!Number.isFinite(values[at])) continue;
    if (min < 0 || values[at]! < values[min]!) min = at;
    if (max < 0 || values[at]! > values[max]!) max = at;
  }
  if (min < 0) return null;
  const place = (at: number) => ({ row: Math.floor(at / columns), column: at % columns, value: values[at]! });
  return { min: place(min), max: place(max) };
}
