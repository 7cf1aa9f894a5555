// Reads what `lab.plot.bars` is given: a number for each name, lists of numbers, or records.
import { describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { counted } from "../../words.ts";
import { isListOfNumbers, numberOf, type Numbers } from "./numbers.ts";
import { type AnyTable, withoutTable } from "./tables.ts";
import { readSeries, type SeriesTable } from "./series.ts";
import { timeText } from "../../charts/words.ts";

/** A number for each name, numbers, several lists of numbers by name, records, or a table. */
export type BarValues =
  | Readonly<Record<string, number | bigint | Numbers>>
  | Numbers
  | readonly object[]
  | AnyTable;

export interface Bar {
  readonly name: string;
  /** The bar's colour within its group; empty if the bars have no groups. */
  readonly series: string;
  readonly value: number;
}

/** Bars in the order in which they are drawn. */
export interface ReadBars {
  readonly bars: readonly Bar[];
  readonly series: readonly string[];
  readonly x: string | null;
  readonly y: string | null;
}

/** @throws TypeError or RangeError that names the call and the place of a value that cannot be drawn as a bar */
export function readBars(
  call: string,
  given: unknown,
  options: { readonly [Name in "x" | "y" | "color"]: string | undefined } & {
    readonly labels: readonly string[] | undefined;
  },
): ReadBars {
  const values = withoutTable(given);
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
  return barsOfSeries(call, readSeries(call, given, recordAxes(values, options)), options);
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
