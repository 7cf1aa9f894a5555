// `lab.plot.histogram`: counts the numbers of any tensor or list in bins of equal width; several series by name are
// drawn over each other.
import { checkInteger, checkText, describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import { optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { counted, listed } from "../../../words.ts";
import type { Column } from "../../../torch/data/tables/column.ts";
import type { Table } from "../../../torch/data/tables/table.ts";
import { checkOrder } from "../call_order.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { isListOfNumbers, isTensor, type Numbers, readNumbers, tensorNumbers } from "../numbers.ts";
import { type AnyTable, isTable, titleOf } from "../tables.ts";
import { makePlot, type Plot } from "../plot.ts";
import { frame, legendWidth, PLOT_HEIGHT, plotWidth } from "../../../charts/plot_style.ts";
import { integerTicks, PALETTE, type Specification } from "../../../charts/chart_style.ts";
import { wholeTicks } from "../../../charts/ticks.ts";
import { axisFormat, leftOut } from "../../../charts/words.ts";
import { numberText } from "../../../units.ts";

/** Options of `lab.plot.histogram`. */
export interface HistogramOptions extends FrameOptions {
  /** For a table the column that is counted; otherwise the title of the x axis. Default: the name of a column, or "value". */
  readonly x?: string;
  /** Bins of equal width from the least to the greatest value, 1 to 500. Default: the square root of the count, 10 to 50. */
  readonly bins?: number;
}

const MAX_BINS = 500;
/** Whole numbers in a small range get a bin each. */
const MAX_WHOLE = 50;

const RULES = {
  ...FRAME,
  x: optional(checkText),
  bins: optional((call, name, value) => {
    const bins = checkInteger(call, name, value, 1);
    if (bins > MAX_BINS) throw new RangeError(`${call}: ${name} must be at most ${MAX_BINS}, got ${bins}.`);
    return bins;
  }),
} as const;

/**
 * Draws how often values occur: of a tensor of any shape, a list, a column of a table (`flats.column("rent")`), or several
 * by name.
 *
 * @throws TypeError for values that hold no numbers, RangeError if no value is finite, and for more than four names
 */
export function histogram(
  values: Numbers | Readonly<Record<string, Numbers>> | AnyTable,
  options?: HistogramOptions,
): Plot;
export function histogram(...args: readonly unknown[]): Plot {
  const call = "lab.plot.histogram";
  checkOrder(call, args, ["x"]);
  const [values, options] = args;
  const read = readOptions<typeof RULES>(call, options as HistogramOptions | undefined, RULES);
  const drawn = isTable(values) ? columnOf(call, values, read.x) : values;
  const given = namedValues(call, drawn);
  if (given.length > PALETTE.length)
    throw new RangeError(
      `${call}: ${given.length} histograms over each other cannot be read; draw at most ${PALETTE.length} at a time.`,
    );
  const finite = given.map(([name, numbers]) => [name, numbers.filter(Number.isFinite)] as const);
  let [min, max, isWhole] = [Infinity, -Infinity, true];
  for (const [, numbers] of finite)
    for (const value of numbers) {
      if (value < min) min = value;
      if (value > max) max = value;
      isWhole &&= Number.isInteger(value);
    }
  if (max < min) throw new RangeError(`${call}: there is nothing to draw: no value is a finite number.`);
  const largest = Math.max(...finite.map(([, numbers]) => numbers.length));
  const whole = read.bins === undefined && isWhole && max - min < MAX_WHOLE;
  const bins = whole
    ? max - min + 1
    : (read.bins ?? Math.min(50, Math.max(10, Math.ceil(Math.sqrt(largest)))));
  const [start, end] = whole || max === min ? [min - 0.5, max + 0.5] : [min, max];
  const step = (end - start) / bins;
  const rows = finite.flatMap(([name, numbers]) => {
    const counts = Array.from({ length: bins }, () => 0);
    for (const value of numbers) counts[Math.min(bins - 1, Math.floor((value - start) / step))]!++;
    return counts.map((count, at) => ({
      series: name ?? "",
      from: start + at * step,
      to: start + (at + 1) * step,
      count,
    }));
  });
  const total = given.reduce((sum, [, numbers]) => sum + numbers.length, 0);
  const missing = total - finite.reduce((sum, [, numbers]) => sum + numbers.length, 0);
  const notes = leftOut(missing, "value");
  const names = given.map(([name]) => name ?? "");
  const isSeveral = names.length > 1;
  const beside = isSeveral ? legendWidth(names) : 30;
  const size = { width: read.width ?? plotWidth(beside), height: read.height ?? PLOT_HEIGHT };
  const label = read.x ?? titleOf(drawn, "value");
  const finding = finite.map(([name, numbers]) => describeSpread(name, numbers)).join("; ");
  return makePlot(
    {
      ...frame(
        read.title ?? `How often each ${label} occurs`,
        [...(isSeveral ? [] : [finding]), ...notes],
        size,
      ),
      data: { values: rows },
      encoding: {
        x: {
          field: "from",
          type: "quantitative",
          scale: { zero: false, nice: false },
          axis: { title: label, tickCount: 6, ...(whole ? binTicks(min, max) : axisFormat([min, max])) },
        },
        x2: { field: "to" },
        y2: { datum: 0 },
        y: {
          field: "count",
          type: "quantitative",
          stack: null,
          scale: { zero: true },
          axis: {
            title: null,
            values: integerTicks(
              0,
              rows.reduce((most, { count }) => Math.max(most, count), 0),
              5,
            ),
            format: ",d",
          },
        },
      },
      layer: [
        {
          mark: { type: "rect", opacity: isSeveral ? 0.6 : 1, x2Offset: bins > 100 ? 0 : -1 },
          encoding: {
            color: isSeveral
              ? {
                  field: "series",
                  type: "nominal",
                  scale: { domain: names, range: PALETTE.slice(0, names.length) },
                  legend: { title: null },
                }
              : { value: PALETTE[0]! },
            tooltip: [
              ...(isSeveral ? [{ field: "series", type: "nominal", title: "name" }] : []),
              { field: "from", type: "quantitative", format: ".4~g" },
              { field: "to", type: "quantitative", format: ".4~g" },
              { field: "count", type: "quantitative" },
            ],
          },
        },
      ],
    },
    [`${finding}; ${counted(bins, "bin")}`, ...notes].join(". ") + ".",
  );
}

/** Ticks at bins of whole numbers only. */
function binTicks(min: number, max: number): Specification {
  const { format = ",d" } = wholeTicks([min, max]);
  return { values: integerTicks(min, max), format };
}

function columnOf(call: string, table: Table, name: string | undefined): Column {
  if (name !== undefined && table.names.includes(name)) return table.column(name) as Column;
  const said = name === undefined ? "x names no column" : `x is ${JSON.stringify(name)}`;
  throw new RangeError(`${call}: values is a table and ${said}; its columns are ${listed(table.names)}.`);
}

function namedValues(call: string, values: unknown): [string | null, Float64Array][] {
  const read = (name: string, numbers: unknown) =>
    isTensor(numbers) ? tensorNumbers(call, name, numbers) : readNumbers(call, name, numbers);
  if (isListOfNumbers(values)) return [[null, read("values", values)]];
  if (!isRecord(values))
    throw new TypeError(
      `${call}: values must be numbers (a list, a typed array, a Tensor, a column) or several by name as { before: [...] }; got ${describe(values)}.`,
    );
  const entries = Object.entries(values);
  if (entries.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: the values are an empty object.`);
  return entries.map(([name, numbers]) => [name, read(`values.${name}`, numbers)]);
}

/** `1,000 values from -3.1 to 2.9, mean 0.01, median 0.02` */
function describeSpread(name: string | null, numbers: Float64Array): string {
  const lead = name === null ? "" : `${name}: `;
  if (numbers.length === 0) return `${lead}no numbers`;
  const sorted = numbers.toSorted();
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const median =
    (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
  return `${lead}${counted(numbers.length, "value")} from ${numberText(sorted[0]!)} to ${numberText(sorted.at(-1)!)}, mean ${numberText(mean)}, median ${numberText(median)}`;
}
