// Draws one measure of several runs as one chart: a line for each run, a band where a value has a spread, and marks of
// chosen points. Loads no libtorch, so that the command line draws too. Does not know where the values come from.
import { counted } from "../words.ts";
import type { Chart } from "../charts/chart.ts";
import { colorOf, PALETTE, type Specification } from "../charts/chart_style.ts";
import { endLabels } from "../charts/end_labels.ts";
import {
  DASHES,
  frame,
  levelTitle,
  MAX_LABELS,
  MAX_SERIES,
  plotWidth,
  shortened,
  textWidth,
} from "../charts/plot_style.ts";
import {
  domainOfConstant,
  fittingScale,
  logTicks,
  valueScale,
  valueTicks,
  wholeTicks,
} from "../charts/ticks.ts";
import { numberText, type Unit } from "../units.ts";

/** A run, or a run with one combination of a sweep's parameters. */
export interface ChartLine {
  readonly name: string;
  readonly x: readonly number[];
  /** Null leaves a gap. */
  readonly y: readonly (number | null)[];
  /** A range around each value, such as its quartiles; null if there is none. */
  readonly spread?: readonly (readonly [low: number, high: number] | null)[];
}

/** A marked point of a line. */
export interface ChartMark {
  /** The index of its line. */
  readonly line: number;
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly shape: "circle" | "diamond" | "triangle-up";
}

export interface LineMeasure {
  /** `loss by epoch` */
  readonly title: string;
  /** The name of the horizontal axis: `epoch`. */
  readonly x: string;
  readonly isLogX: boolean;
  /** The positions that have a tick. Default: chosen from the positions of the points. */
  readonly ticks?: readonly number[];
  /** Texts on the horizontal axis; positions are their indices. Such points are not joined to lines. */
  readonly categories?: readonly string[];
  readonly unit: string;
  readonly lines: readonly ChartLine[];
  readonly marks?: readonly ChartMark[];
  /** What the chart shows, without a full stop. */
  readonly finding: string;
  /** Lines of text below the title, after the finding. */
  readonly notes: readonly string[];
}

const HEIGHT = 170;
/** Pixels for the labels of the y axis, the same in all charts. */
const AXIS_WIDTH = 70;
/** How many characters of a line's name fit into its label. */
const NAME_LENGTH = 28;
/** Pixels for a name in the legend: enough for its end, where names of sweeps differ. */
const LEGEND_WIDTH = 220;
/** The legend shows a piece of each line, because lines of one colour differ only in their dashes. */
const LINE_SYMBOL = { symbolType: "stroke", symbolSize: 300 };

/** The charts of several measures. Their plots have the same width, so that they can be compared when stacked. */
export function lineCharts(measures: readonly LineMeasure[]): Chart[] {
  const width = Math.min(...measures.map(widthOf));
  return measures.map((measure) => chartOf(measure, width));
}

/** Converts all values to one unit, that of the largest. */
export function inUnit(lines: readonly ChartLine[], unitOf: (value: number) => Unit) {
  const max = Math.max(0, ...lines.flatMap(({ y }) => finite(y)));
  const { name, size } = unitOf(max);
  return {
    unit: name,
    lines: lines.map((line) => ({
      ...line,
      y: line.y.map((value) => (value === null ? null : value / size)),
      ...(line.spread && {
        spread: line.spread.map((one) => (one === null ? null : ([one[0] / size, one[1] / size] as const))),
      }),
    })),
  };
}

export function finite(values: readonly (number | null)[]): number[] {
  return values.filter((value): value is number => value !== null);
}

/** `0.337`, `12 ms` */
export function valueText(value: number, unit: string): string {
  return unit === "" ? numberText(value) : `${numberText(value)} ${unit}`;
}

/** The width of the plot itself, beside its labels or its legend. */
function widthOf({ lines, unit }: LineMeasure): number {
  const longest = (texts: readonly string[]) => Math.max(...texts.map((text) => textWidth(text)));
  const beside =
    lines.length <= MAX_LABELS
      ? longest(lines.map((line) => labelOf(line, unit))) + 30
      : Math.min(LEGEND_WIDTH, longest(lines.map(({ name }) => name))) + 60;
  return plotWidth(beside);
}

function chartOf(measure: LineMeasure, width: number): Chart {
  const { title, x, unit, finding, marks = [] } = measure;
  const lines = measure.lines.slice(0, MAX_SERIES);
  const isLabelled = lines.length <= MAX_LABELS;
  const names = lines.map(({ name }) => name);
  const values = lines.flatMap(({ y, spread = [] }) => [...finite(y), ...spread.flatMap((one) => one ?? [])]);
  const scale = fittingScale(values);
  const rows = lines.flatMap(({ name, x: positions, y }) =>
    positions.map((at, index) => ({
      run: name,
      x: at,
      y: y[index] ?? null,
      dot: measure.categories !== undefined || isAlone(y, index),
    })),
  );
  const notes = [
    finding,
    ...measure.notes,
    ...(lines.length < measure.lines.length
      ? [`${counted(measure.lines.length, "line")}, the first ${lines.length} drawn`]
      : []),
  ];
  const symbol = measure.categories === undefined ? LINE_SYMBOL : {};
  const legend = isLabelled ? null : { title: null, labelLimit: LEGEND_WIDTH, ...symbol };
  const color = {
    field: "run",
    type: "nominal",
    scale: { domain: names, range: names.map((_, at) => colorOf(at)) },
    legend,
  };
  const dashes = names.map((_, at) => DASHES[Math.floor(at / PALETTE.length)]!);
  const specification: Specification = {
    ...frame(title, notes, { width, height: HEIGHT }),
    data: { values: rows },
    encoding: {
      x: { field: "x", type: "quantitative", ...xAxis(measure) },
      y: {
        field: "y",
        type: "quantitative",
        scale: valueScale(scale, values),
        axis: {
          ...levelTitle(scale === "log" ? "logarithmic" : null),
          minExtent: AXIS_WIDTH,
          tickCount: 4,
          ...valueTicks(scale, values),
          ...(unit === "" ? {} : { labelExpr: `datum.label + ' ${unit}'` }),
        },
      },
    },
    layer: [
      ...bandLayers(measure, lines),
      ...(measure.categories === undefined
        ? [
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
          ]
        : []),
      ...(rows.some(({ dot }) => dot)
        ? [
            {
              transform: [{ filter: "datum.dot" }],
              mark: { type: "point", filled: true, size: 40, opacity: 1 },
              encoding: { color },
            },
          ]
        : []),
      ...markLayers(marks.filter(({ line }) => line < lines.length)),
      ...(isLabelled
        ? endLabels(
            lines.map((line, at) => ({
              text: labelOf(line, unit),
              y: finite(line.y).at(-1) ?? null,
              color: colorOf(at),
            })),
            [Float64Array.from(values)],
            { height: HEIGHT, isLog: scale === "log" },
          )
        : []),
    ],
  };
  return { specification, summary: `${title}: ${finding}.` };
}

/**
 * A band between low and high, or a bar where there is no line. It has no legend, whose colours would be as pale as the
 * band.
 */
function bandLayers({ categories }: LineMeasure, lines: readonly ChartLine[]): Specification[] {
  const values = lines.flatMap(({ name, x, spread = [] }, at) =>
    spread.flatMap((one, index) =>
      one === null ? [] : [{ run: name, color: colorOf(at), x: x[index], low: one[0], high: one[1] }],
    ),
  );
  if (values.length === 0) return [];
  const isArea = categories === undefined && lines.every(({ x }) => x.length > 1);
  const mark = isArea
    ? { type: "area", fillOpacity: 0.18 }
    : { type: "rule", strokeWidth: 5, strokeOpacity: 0.3 };
  return [
    {
      data: { values },
      mark,
      encoding: {
        y: { field: "low", type: "quantitative" },
        y2: { field: "high" },
        color: { field: "color", type: "nominal", scale: null },
        detail: { field: "run" },
      },
    },
  ];
}

/** The names of marks, if there are few. If there are many, the note below the title explains the signs. */
function markLayers(marks: readonly ChartMark[]): Specification[] {
  if (marks.length === 0) return [];
  const values = marks.map((mark) => ({ ...mark, color: colorOf(mark.line) }));
  return [
    {
      data: { values },
      mark: { type: "point", size: 130, strokeWidth: 2, filled: false, opacity: 1 },
      encoding: {
        color: { field: "color", type: "nominal", scale: null },
        shape: { field: "shape", type: "nominal", scale: null },
      },
    },
  ];
}

function xAxis({ x: title, lines, isLogX, categories, ticks: given }: LineMeasure): Specification {
  const positions = lines.flatMap((line) => line.x);
  if (categories !== undefined)
    return {
      scale: { domain: [-0.5, categories.length - 0.5], nice: false, zero: false },
      axis: {
        title,
        values: categories.map((_, at) => at),
        labelExpr: `${JSON.stringify(categories.map((text) => shortened(text)))}[datum.value]`,
      },
    };
  const ticks = isLogX || given ? triedTicks(given ?? positions) : wholeTicks(positions);
  return {
    scale: isLogX
      ? { type: "log", base: 2, nice: false }
      : { nice: false, zero: false, ...domainOfConstant(positions) },
    axis: { title, tickCount: 6, ...ticks },
  };
}

/** Ticks at the measured positions if there are few, otherwise those of a logarithmic axis. */
function triedTicks(positions: readonly number[]): Specification {
  const tried = [...new Set(positions)].toSorted((a, b) => a - b);
  const format = tried.every(Number.isInteger) ? "d" : "~g";
  return { values: tried.length <= 8 ? tried : (logTicks(tried).values ?? tried), format };
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return !isGap(at) && isGap(at - 1) && isGap(at + 1);
}

/** `base 0.337`, `base 12 ms` */
function labelOf({ name, y }: ChartLine, unit: string): string {
  const last = finite(y).at(-1);
  return `${shortened(name, NAME_LENGTH)} ${last === undefined ? "no numbers" : valueText(last, unit)}`.trimStart();
}
