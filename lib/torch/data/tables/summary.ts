// Computes what `describe` says of a column: the numbers of pandas' `describe`.
import type { ColumnData, NumericData, WordData } from "./column_data.ts";
import type { ColumnKind } from "./kinds.ts";

/** What a column of numbers or booleans has; missing values are left out, as pandas does. */
export type Statistic = "count" | "sum" | "mean" | "std" | "min" | "median" | "max";

export const STATISTICS: readonly Statistic[] = ["count", "sum", "mean", "std", "min", "median", "max"];

/** A value of a column of words or booleans, and how often it occurs. */
export interface ValueCount {
  readonly value: string | boolean;
  readonly count: number;
}

/** What `describe` says of one column. Missing values count in `missing` only. */
export interface ColumnSummary {
  readonly column: string;
  readonly kind: ColumnKind;
  /** How many values are not missing. */
  readonly count: number;
  readonly missing: number;
  /** How many different values there are. */
  readonly distinct: number;
  /** Mean, of booleans the share that is true. NaN for columns of dates and words, and where no value is. */
  readonly mean: number;
  /** Standard deviation with n - 1 in the denominator. NaN as `mean`, and for fewer than two values. */
  readonly std: number;
  /** NaN as `mean`; of dates see `first` and `last`. */
  readonly min: number;
  /** Quartiles, interpolated between the two values that they fall between. NaN as `mean`. */
  readonly q25: number;
  readonly median: number;
  readonly q75: number;
  readonly max: number;
  /** The earliest and the latest date; null for columns of another kind. */
  readonly first: Date | null;
  readonly last: Date | null;
  /** The five most frequent words, or both booleans, the most frequent first. Empty for numbers and dates. */
  readonly top: readonly ValueCount[];
}

const MAX_TOP = 5;
const NO_NUMBERS = { mean: NaN, std: NaN, min: NaN, q25: NaN, median: NaN, q75: NaN, max: NaN };

export function summaryOf(column: string, data: ColumnData): ColumnSummary {
  if (data.kind === "string") return summaryOfWords(column, data);
  const sorted = data.values.filter((value) => !Number.isNaN(value)).toSorted();
  const count = sorted.length;
  const distinct = sorted.reduce((sum, value, at) => sum + (at === 0 || value !== sorted[at - 1] ? 1 : 0), 0);
  const isDate = data.kind === "date";
  const dates = isDate && count > 0;
  return {
    column,
    kind: data.kind,
    count,
    missing: data.values.length - count,
    distinct,
    ...(isDate || count === 0 ? NO_NUMBERS : numbersOf(sorted)),
    first: dates ? new Date(sorted[0]!) : null,
    last: dates ? new Date(sorted[count - 1]!) : null,
    top: data.kind === "boolean" ? topOfBooleans(data) : [],
  };
}

/** @throws TypeError for a column of words or dates, which have a `count` only */
export function statisticOf(
  call: string,
  { name, data }: { readonly name: string; readonly data: ColumnData },
  statistic: Statistic,
): number {
  if (statistic === "count") return summaryOf(name, data).count;
  if (data.kind === "string" || data.kind === "date")
    throw new TypeError(
      `${call}: ${name} is a column of the kind ${data.kind}, which has no ${statistic}; describe() says what it has, as first, last and top.`,
    );
  if (statistic !== "sum") return summaryOf(name, data)[statistic];
  return data.values.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0);
}

function numbersOf(sorted: Float64Array): typeof NO_NUMBERS {
  const { mean, std } = moments(sorted);
  return {
    mean,
    std,
    min: sorted[0]!,
    q25: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    q75: quantile(sorted, 0.75),
    max: sorted[sorted.length - 1]!,
  };
}

/** Mean first, then the squares around it: squares of large numbers would cancel each other out. */
function moments(values: Float64Array): { readonly mean: number; readonly std: number } {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, std: count < 2 ? NaN : Math.sqrt(squares / (count - 1)) };
}

/** The value below which that share lies, between two values by NumPy's linear method. `sorted` holds at least one number. */
export function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  if (below === above) return below;
  // From the nearer of the two, as NumPy does: its last digit is this one too.
  const part = position % 1;
  return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

function topOfBooleans({ values }: NumericData): ValueCount[] {
  const trues = values.reduce((sum, value) => sum + (value === 1 ? 1 : 0), 0);
  const falses = values.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0);
  return byCount([
    { value: true, count: trues },
    { value: false, count: falses },
  ]);
}

function summaryOfWords(column: string, { codes, words }: WordData): ColumnSummary {
  const counts = countsOf(codes, words.length);
  const count = counts.reduce((sum, each) => sum + each, 0);
  const found = byCount(words.map((value, code) => ({ value, count: counts[code]! })));
  return {
    column,
    kind: "string",
    count,
    missing: codes.length - count,
    distinct: found.length,
    ...NO_NUMBERS,
    first: null,
    last: null,
    top: found.slice(0, MAX_TOP),
  };
}

/** How often each word occurs: a part of a table may have none of some. */
export function countsOf(codes: Int32Array, words: number): Int32Array {
  const counts = new Int32Array(words);
  for (const code of codes) if (code >= 0) counts[code]! += 1;
  return counts;
}

function byCount(counts: readonly ValueCount[]): ValueCount[] {
  return counts.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
}
