// `lab.plot.heatmap`: draws a matrix as coloured cells, its first row at the top. A matrix of more cells than a chart can
// show is drawn as means of blocks.
import { choice, optional, readOptions } from "../../torch/vocabulary/options.ts";
import { checkText } from "../../torch/vocabulary/arguments.ts";
import { FRAME, type FrameOptions } from "./frame_options.ts";
import { type Matrix, readMatrix, type Rectangle } from "./numbers.ts";
import { makePlot, type Plot } from "./plot.ts";
import { labelsRule } from "./labels.ts";
import { frame, plotWidth, shortened, textWidth } from "./style.ts";
import { counted, numberText } from "./words.ts";

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
  xLabels: labelsRule(),
  yLabels: labelsRule(),
  scheme: optional((call, name, value) =>
    choice("viridis", ["viridis", "blues", "blueorange"]).check(call, name, value),
  ),
} as const;

/** Cells along one side; a row of the data takes 40 bytes. */
const MAX_SIDE = 64;

/**
 * Draws a matrix: a tensor of [rows, columns], or a list of rows.
 *
 * @throws TypeError for what holds no numbers, RangeError for a tensor of another rank, for rows of several lengths, and
 *   for labels of another number
 */
export function heatmap(values: Matrix, options?: HeatmapOptions): Plot {
  const call = "lab.plot.heatmap";
  const read = readOptions(call, options, RULES);
  const matrix = readMatrix(call, "values", values);
  for (const [name, labels, count] of [
    ["xLabels", read.xLabels, matrix.columns],
    ["yLabels", read.yLabels, matrix.rows],
  ] as const)
    if (labels !== undefined && labels.length !== count)
      throw new RangeError(
        `${call}: ${name} has ${counted(labels.length, "name")}, and the matrix has ${count} of them; give one for each.`,
      );
  const [down, across] = [Math.ceil(matrix.rows / MAX_SIDE), Math.ceil(matrix.columns / MAX_SIDE)];
  const cells = blocks(matrix, down, across);
  const finite = cells.filter(({ value }) => Number.isFinite(value));
  if (finite.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const range = extremes(matrix);
  const missing = matrix.values.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  const notes = [
    ...(down * across > 1
      ? [`${matrix.rows} × ${matrix.columns} values, each cell the mean of ${down} × ${across}`]
      : []),
    ...(missing > 0
      ? [`${counted(missing, "value")} ${missing === 1 ? "is" : "are"} not finite and left blank`]
      : []),
  ];
  const [rows, columns] = [Math.ceil(matrix.rows / down), Math.ceil(matrix.columns / across)];
  const scheme = read.scheme ?? (range.least.value < 0 && range.most.value > 0 ? "blueorange" : "viridis");
  const rowLabels = read.yLabels?.map((label) => shortened(label));
  const labelWidth = Math.max(0, ...(rowLabels ?? []).map((label) => textWidth(label)));
  const width =
    read.width ?? Math.min(plotWidth(100 + Math.max(0, labelWidth - 30)), Math.max(160, columns * 40));
  const size = {
    width,
    height: read.height ?? Math.min(360, Math.max(80, Math.round((width * rows) / columns))),
  };
  const axis = (
    name: "x" | "y",
    count: number,
    step: number,
    labels: readonly string[] | undefined,
    title: string,
  ) => ({
    field: name,
    type: "ordinal",
    sort: null,
    scale: {
      domain: Array.from({ length: count }, (_, at) => labels?.[at * step] ?? at * step),
      paddingInner: 0,
      paddingOuter: 0,
    },
    axis: {
      title,
      ticks: false,
      domain: false,
      grid: false,
      ...(labels === undefined
        ? {
            values: Array.from(
              { length: Math.ceil(count / spacing(count)) },
              (_, at) => at * spacing(count) * step,
            ),
          }
        : {}),
    },
  });
  const place = (labels: readonly string[] | undefined, at: number) => labels?.[at] ?? at;
  const titles = { x: read.x ?? "column", y: read.y ?? "row", value: read.value ?? "value" };
  const at = ({ row, column, value }: Extreme) =>
    `${numberText(value)} at ${titles.y} ${place(read.yLabels, row)}, ${titles.x} ${place(read.xLabels, column)}`;
  const finding = `${matrix.rows} × ${matrix.columns}, lowest ${at(range.least)}, highest ${at(range.most)}`;
  return makePlot(
    {
      ...frame(read.title ?? `${titles.value} by ${titles.y} and ${titles.x}`, notes, size),
      data: {
        values: cells.map(({ x, y, value }) => ({
          x: read.xLabels?.[x] ?? x,
          y: rowLabels?.[y] ?? y,
          value: Number.isFinite(value) ? value : null,
        })),
      },
      encoding: {
        x: axis("x", columns, across, read.xLabels, titles.x),
        y: {
          ...axis("y", rows, down, rowLabels, titles.y),
          axis: {
            ...axis("y", rows, down, rowLabels, titles.y).axis,
            title: titles.y,
            titleAngle: 0,
            titleAlign: "right",
            titleX: -8,
            titleY: -8,
            titleBaseline: "bottom",
          },
        },
      },
      layer: [
        {
          mark: { type: "rect", invalid: null },
          encoding: {
            color: {
              field: "value",
              type: "quantitative",
              scale: { scheme, ...(scheme === "blueorange" ? { domainMid: 0 } : {}) },
              legend: { title: titles.value, gradientLength: Math.min(size.height - 20, 160), tickCount: 4 },
              condition: { test: "datum.value === null", value: "transparent" },
            },
            tooltip: [
              { field: "y", type: "nominal", title: titles.y },
              { field: "x", type: "nominal", title: titles.x },
              { field: "value", type: "quantitative", format: ".4~g" },
            ],
          },
        },
      ],
    },
    [finding, ...notes].join(". ") + ".",
  );
}

/** At most a dozen labels. */
function spacing(count: number): number {
  for (let power = 1; ; power *= 10)
    for (const digit of [1, 2, 5]) if (count / (digit * power) <= 12) return digit * power;
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

/** Means of the finite values of each block; x and y are the first column and row of it. */
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

function extremes({ columns, values }: Rectangle): { readonly least: Extreme; readonly most: Extreme } {
  let [least, most] = [-1, -1];
  for (let at = 0; at < values.length; at++) {
    if (!Number.isFinite(values[at])) continue;
    if (least < 0 || values[at]! < values[least]!) least = at;
    if (most < 0 || values[at]! > values[most]!) most = at;
  }
  const place = (at: number) => ({ row: Math.floor(at / columns), column: at % columns, value: values[at]! });
  return { least: place(least), most: place(most) };
}
