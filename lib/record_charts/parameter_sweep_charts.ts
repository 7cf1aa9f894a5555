// Draws the points of parameter sweeps: each figure by each parameter, a line for each combination of the others, the
// spread of points that differ only in their seed, and the knee of a throughput. Takes plain data; does not know how
// the points were run.
import { grouped } from "../grouped.ts";
import { counted } from "../words.ts";
import type { Chart } from "../charts/chart.ts";
import { spreadOf } from "../statistics/spread.ts";
import { MAX_SERIES } from "../charts/plot_style.ts";
import { numberText } from "../units.ts";
import { choiceMarks, SIGNS } from "./choice_marks.ts";
import { chooseAmong } from "../records/batch_sweeps/knee.ts";
import { isLessBetter } from "../records/parameter_sweeps/best_points.ts";
import {
  type FiguredPoint,
  type FiguredSweep,
  isRepetition,
  UNITS,
} from "../records/parameter_sweeps/figured_points.ts";
import { type ChartLine, type ChartMark, inUnit, lineCharts, type LineMeasure } from "./line_chart.ts";

/** More of them are shown only in the table. */
const MAX_FIGURES = 8;
/** A parameter gets a logarithmic axis if its greatest value is more than this many times its least. */
const LOG_RANGE = 8;
const THROUGHPUT = /per_?s(ec(ond)?)?$|throughput|\/s$/i;
const BATCH = /batch/i;

interface Axis {
  readonly parameter: string;
  /** The values in their order. */
  readonly values: readonly string[];
  readonly isNumeric: boolean;
}

/** A chart for each figure and each parameter with several values, except seeds. */
export function parameterCharts(sweeps: readonly FiguredSweep[], notes: readonly string[] = []): Chart[] {
  const points = sweeps.flatMap((sweep) => sweep.points);
  const axes = axesOf(points);
  const names = [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
  const measured = names.filter((name) => !(name in UNITS)).slice(0, MAX_FIGURES);
  const drawn = [...measured, ...names.filter((name) => name in UNITS)];
  const measures = drawn.flatMap((figure) =>
    axes
      .filter(({ parameter }) => !isRepetition(parameter))
      .flatMap((axis) => measureOf(sweeps, figure, axis, axes, notes) ?? []),
  );
  return lineCharts(measures);
}

/** Parameters with more than one value: numbers sorted by size, strings in their order. */
function axesOf(points: readonly FiguredPoint[]): Axis[] {
  const parameters = [...new Set(points.flatMap((point) => Object.keys(point.parameters)))];
  return parameters.flatMap((parameter) => {
    const values = [...new Set(points.flatMap((point) => point.parameters[parameter] ?? []))];
    if (values.length < 2) return [];
    const isNumeric = values.every((value) => value.trim() !== "" && Number.isFinite(Number(value)));
    const ordered = isNumeric ? values.toSorted((a, b) => Number(a) - Number(b)) : values;
    return [{ parameter, values: ordered, isNumeric }];
  });
}

function measureOf(
  sweeps: readonly FiguredSweep[],
  figure: string,
  axis: Axis,
  axes: readonly Axis[],
  notes: readonly string[],
): LineMeasure | null {
  const others = axes.filter((other) => other !== axis);
  const told = others.filter(({ parameter }) => !isRepetition(parameter));
  const each = linesOf(sweeps, figure, axis, told);
  // If there are more lines than a reader could tell apart, they are drawn as one line with a spread.
  const grouped = each.length > MAX_SERIES ? linesOf(sweeps, figure, axis, []) : each;
  if (grouped.length === 0) return null;
  const max = Math.max(...grouped.flatMap(({ counts }) => counts));
  const { unit, lines } = inUnit(grouped, UNITS[figure] ?? (() => ({ name: "", size: 1 })));
  const values = axis.values.map(Number);
  const marks = kneeMarks(figure, axis, lines);
  return {
    title: `${figure} by ${axis.parameter}`,
    x: axis.parameter,
    isLogX: axis.isNumeric && values[0]! > 0 && values.at(-1)! / values[0]! >= LOG_RANGE,
    ...(axis.isNumeric ? { ticks: values } : { categories: axis.values }),
    unit,
    lines,
    marks,
    finding: findingOf(sweeps, figure, unit, axes),
    notes: [
      ...(max > 1
        ? [`median of up to ${counted(max, "point")}, with the band from the lowest to the highest`]
        : []),
      ...signsOf(marks, lines),
      ...notes,
    ],
  };
}

/**
 * @param told the parameters whose values distinguish the lines
 */
function linesOf(
  sweeps: readonly FiguredSweep[],
  figure: string,
  axis: Axis,
  told: readonly Axis[],
): (ChartLine & { readonly counts: readonly number[] })[] {
  const placed = sweeps.flatMap(({ name, points }) =>
    inOrder(points, told).flatMap(({ parameters, figures }) => {
      const [value, text] = [figures[figure], parameters[axis.parameter]];
      if (value === undefined || text === undefined) return [];
      const at = axis.isNumeric ? Number(text) : axis.values.indexOf(text);
      const line = [name, parametersText(parameters, told)].filter((part) => part !== "").join(", ");
      return [[line, [at, value] as const] as const];
    }),
  );
  return [...grouped(placed)].map(([name, values]) => {
    const group = grouped(values);
    const x = [...group.keys()].toSorted((a, b) => a - b);
    const spreads = x.map((at) => spreadOf(group.get(at)!));
    const counts = x.map((at) => group.get(at)!.length);
    return {
      name,
      x,
      y: spreads.map(({ median }) => median),
      spread: spreads.map(({ min, max }, at) => (counts[at]! > 1 ? ([min, max] as const) : null)),
      counts,
    };
  });
}

/** By the values of the parameters that name lines. */
function inOrder(points: readonly FiguredPoint[], told: readonly Axis[]): FiguredPoint[] {
  return points.toSorted((a, b) => {
    for (const { parameter, values } of told) {
      const by = values.indexOf(a.parameters[parameter]!) - values.indexOf(b.parameters[parameter]!);
      if (by !== 0) return by;
    }
    return 0;
  });
}

function parametersText(parameters: FiguredPoint["parameters"], told: readonly Axis[]): string {
  return told
    .filter(({ parameter }) => parameter in parameters)
    .map(({ parameter }) => `${parameter} ${parameters[parameter]}`)
    .join(", ");
}

/** `lowest with rate 0.1 (0.25), highest with rate 0.01 (0.75)` */
function findingOf(
  sweeps: readonly FiguredSweep[],
  figure: string,
  unit: string,
  axes: readonly Axis[],
): string {
  const size = UNITS[figure] === undefined ? 1 : unitSize(figure, sweeps);
  const found = sweeps
    .flatMap(({ name, points }) =>
      points.flatMap(({ parameters, figures }) => {
        const value = figures[figure];
        const where = [name, parametersText(parameters, axes)].filter((part) => part !== "").join(", ");
        return value === undefined ? [] : [{ where, value }];
      }),
    )
    .toSorted((a, b) => a.value - b.value);
  const text = (value: number) => `${numberText(value / size)}${unit === "" ? "" : ` ${unit}`}`;
  const [min, max] = [found[0]!, found.at(-1)!];
  if (min.value === max.value) return `${text(min.value)} at ${counted(found.length, "point")}`;
  const ends = [
    `lowest with ${min.where} (${text(min.value)})`,
    `highest with ${max.where} (${text(max.value)})`,
  ];
  return (isLessBetter(figure) || figure in UNITS ? ends : ends.toReversed()).join(", ");
}

function unitSize(figure: string, sweeps: readonly FiguredSweep[]): number {
  const values = sweeps.flatMap(({ points }) => points.flatMap(({ figures }) => figures[figure] ?? []));
  return UNITS[figure]!(Math.max(0, ...values)).size;
}

/** The best batch and the knee of each line, chosen as `lab.sweep` chooses them. */
function kneeMarks(figure: string, axis: Axis, lines: readonly ChartLine[]): ChartMark[] {
  if (!THROUGHPUT.test(figure) || !BATCH.test(axis.parameter) || !axis.isNumeric) return [];
  return lines.flatMap(({ x, y }, line) => {
    const choice = chooseAmong(x.map((batch, at) => ({ batch, rate: y[at]! })));
    return choice === null
      ? []
      : choiceMarks(choice, x[0]!).map(({ batch, text, shape }) => ({
          line,
          x: batch,
          y: y[x.indexOf(batch)]!,
          text,
          shape,
        }));
  });
}

/** With one line, the marked points have names; with several, the note explains their signs. */
function signsOf(marks: readonly ChartMark[], lines: readonly ChartLine[]): string[] {
  if (marks.length === 0) return [];
  if (lines.length === 1) return [marks.map(({ text }) => text).join(", ")];
  return [[...new Set(marks.map(({ shape }) => SIGNS[shape]))].join(", ")];
}
