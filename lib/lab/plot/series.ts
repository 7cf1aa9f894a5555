// Reads what `lab.plot` is given: one list of numbers, several by name, or records with fields. All become series of
// x and y.
import { describe, isRecord, shapeText } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";
import { counted, listed } from "../../words.ts";
import { type Column, picked, readColumn } from "./column.ts";
import { type ErrorOptions, ERRORS, errorsByName, type GivenErrors, checkedErrors } from "./error_bars.ts";
import { type AnyTable, isTable, titleOf, withoutTable } from "./tables.ts";
import { isListOfNumbers, isTensor, isTypedArray, type Numbers, readNumbers } from "./numbers.ts";

/** Numbers, several lists of numbers by name, records, or a table. */
export type SeriesValues = Numbers | Readonly<Record<string, Numbers>> | readonly object[] | AnyTable;

/** Places along the x axis: numbers, dates or names. */
export type Positions = Numbers | readonly Date[] | readonly string[];

export interface AxisOptions extends ErrorOptions {
  /**
   * For records and tables the field of the x axis; for numbers the title of the x axis, or the positions themselves: numbers, dates
   * or strings, such a list under its title, `{ batch: [8, 16, 32] }`, or one for each of several lists of values, by their names.
   * Default: the index, from 0.
   */
  readonly x?: string | Positions | Readonly<Record<string, Positions>>;
  /**
   * For records and tables the field of the y axis, or several fields; for numbers the title of the y axis. Default: every field of
   * numbers.
   */
  readonly y?: string | readonly string[];
  /** For records a field: each of its values is drawn in its own colour. Default: none. */
  readonly color?: string;
  /** The title of the x axis. Default: what `x` names. */
  readonly xTitle?: string;
  /** The title of the y axis. Default: what `y` names. */
  readonly yTitle?: string;
}

export interface Series {
  /** Null if there is only one series and it has no name. */
  readonly name: string | null;
  readonly x: Column;
  readonly y: Float64Array;
  /** The lengths of its error bars; without any where there are none. */
  readonly error?: Float64Array;
}

export interface SeriesTable {
  /** At least one, all with x of one kind. */
  readonly series: readonly Series[];
  readonly x: string;
  /** Null if the names of the series say it. */
  readonly y: string | null;
}

const text = (call: string, name: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw new TypeError(`${call}: ${name} must be a string, got ${describe(value)}.`);
};

export const AXES = {
  x: optional((call, name, value): string | TitledColumn | NamedColumns => {
    if (typeof value === "string") return value;
    if (isListOfNumbers(value)) return { title: titleOf(value, "x"), column: readColumn(call, name, value) };
    const titled = isRecord(value) ? Object.entries(value) : [];
    if (titled.length === 1) {
      const [title, list] = titled[0]!;
      return { title, column: readColumn(call, `${name}.${title}`, list) };
    }
    if (titled.length > 1)
      return { columns: new Map(titled.map(([of, list]) => [of, readColumn(call, `${name}.${of}`, list)])) };
    throw new TypeError(
      `${call}: ${name} must be a field, a title, a list of positions, one such list under its title, or one for each name of the values, got ${describe(value)}.`,
    );
  }),
  y: optional((call, name, value) => {
    if (!Array.isArray(value)) return text(call, name, value);
    if (value.length === 0) throw new RangeError(`${call}: ${name} is a list of no fields.`);
    return Array.from(value, (field, at) => text(call, `${name}[${at}]`, field));
  }),
  color: optional(text),
  xTitle: optional(text),
  yTitle: optional(text),
  ...ERRORS,
} as const;

/** The positions, with the title of their axis. */
interface TitledColumn {
  readonly title: string;
  readonly column: Column;
}

/** The positions of each of several lists. */
interface NamedColumns {
  readonly columns: ReadonlyMap<string, Column>;
}

/** `AxisOptions` after their checks. */
export interface Axes {
  readonly x?: string | TitledColumn | NamedColumns | undefined;
  readonly y?: string | readonly string[] | undefined;
  readonly color?: string | undefined;
  /** The option that names the field of `color`. Default: "color". */
  readonly colorOption?: "x";
  readonly error?: GivenErrors | undefined;
}

/** The table with the user's titles of its axes, where they are given. */
export function withTitles<Titled extends Pick<SeriesTable, "x" | "y">>(
  table: Titled,
  { xTitle, yTitle }: { readonly xTitle: string | undefined; readonly yTitle: string | undefined },
): Titled {
  return { ...table, x: xTitle ?? table.x, y: yTitle ?? table.y };
}

/** @throws TypeError or RangeError that names the call and the place of a value that cannot be drawn */
export function readSeries(call: string, given: unknown, axes: Axes): SeriesTable {
  const values = withoutTable(given);
  if (areRecords(values))
    return seriesOfRecords(call, values, axes, isTable(given) ? "the table has" : "the records have");
  const { x, y, color, error } = axes;
  const named = namedNumbers(call, values);
  if (color !== undefined)
    throw new TypeError(`${call}: color names a field of records, and the values are no list of records.`);
  if (Array.isArray(y))
    throw new TypeError(`${call}: y names fields of records, and the values are none; pass one title.`);
  if (typeof error === "string")
    throw new TypeError(
      `${call}: error is ${JSON.stringify(error)}, which names a field of records, and the values are none; pass its numbers.`,
    );
  const errorOf = errorsByName(call, named, error);
  const table = named.map(([name, numbers]) => ({
    name,
    x: positions(call, name, numbers.length, x),
    y: numbers,
    ...errorOf(name),
  }));
  if (typeof x === "object" && "columns" in x) checkNamed(call, x, named, table);
  if (table.every(({ y: numbers }) => numbers.length === 0))
    throw new RangeError(`${call}: there is nothing to draw: the values are empty.`);
  return {
    series: table,
    x: typeof x === "object" ? ("title" in x ? x.title : "x") : (x ?? "index"),
    y: (y as string | undefined) ?? (table[0]!.name === null ? titleOf(values, "value") : null),
  };
}

function namedNumbers(call: string, values: unknown): [string | null, Float64Array][] {
  if (isListOfNumbers(values)) {
    if (isTensor(values) && values.shape.length === 2)
      throw new RangeError(
        `${call}: values is a tensor of shape ${shapeText(values.shape)}, and takes one of [N]; name its rows, as in { first: x.select(0, 0) }, or draw it with lab.plot.heatmap.`,
      );
    return [[null, readNumbers(call, "values", values)]];
  }
  if (!isRecord(values))
    throw new TypeError(
      `${call}: values must be numbers (a list, a typed array, a Tensor, a column), several by name as { train: [...] }, a list of records, or a table; got ${describe(values)}.`,
    );
  const names = Object.keys(values);
  if (names.length === 0)
    throw new RangeError(`${call}: there is nothing to draw: the values are an empty object.`);
  return names.map((name) => [name, readNumbers(call, `values.${name}`, values[name])]);
}

function positions(call: string, name: string | null, length: number, x: Axes["x"]): Column {
  if (typeof x !== "object")
    return { kind: "quantitative", values: Float64Array.from({ length }, (_, at) => at) };
  const isNamed = "columns" in x;
  const column = isNamed ? x.columns.get(name ?? "") : x.column;
  if (column === undefined)
    throw new RangeError(
      `${call}: x has no positions for ${name === null ? "values without a name; give one list" : `values.${name}; give x.${name}`}.`,
    );
  if (column.values.length !== length)
    throw new RangeError(
      `${call}: x${isNamed ? `.${name}` : ""} has ${counted(column.values.length, "position")}, and ${name === null ? "values" : `values.${name}`} ${counted(length, "number")}; give both the same length.`,
    );
  return column;
}

/** @throws RangeError for positions of no values, TypeError for those of several kinds, which have no axis together */
function checkNamed(
  call: string,
  { columns }: NamedColumns,
  named: readonly (readonly [string | null, unknown])[],
  table: readonly Series[],
): void {
  for (const name of columns.keys())
    if (!named.some(([one]) => one === name))
      throw new RangeError(
        `${call}: x.${name} belongs to no values; there are ${listed(named.map(([one]) => one ?? ""))}.`,
      );
  const [first, ...others] = table;
  const other = others.find(({ x }) => x.kind !== first!.x.kind);
  if (other !== undefined)
    throw new TypeError(
      `${call}: x.${first!.name} and x.${other.name} are of different kinds, and share one axis; give both numbers, dates or strings.`,
    );
}

/** Whether it is a table, or a list of objects with fields. */
export function areRecords(values: unknown): values is readonly Record<string, unknown>[] {
  if (isTable(values)) return true;
  if (!Array.isArray(values)) return false;
  const first: unknown = values.find((value) => value !== null && value !== undefined);
  return isRecord(first) && !(first instanceof Date) && !isTypedArray(first);
}

/** What the user gave: rows of a table are records too. */
type FieldsSaid = "the table has" | "the records have";

/** The values of one field, in the order of the records. */
function fieldValues(
  call: string,
  records: readonly unknown[],
  has: FieldsSaid,
  option: string,
  field: string,
): unknown[] {
  let isFound = false;
  const values = Array.from(records, (record, at) => {
    if (!isRecord(record))
      throw new TypeError(
        `${call}: values[${at}] must be a record like those before it, got ${describe(record)}.`,
      );
    if (!(field in record)) return undefined;
    isFound = true;
    return record[field];
  });
  if (isFound) return values;
  throw new RangeError(
    `${call}: ${option} names the ${has === "the table has" ? "column" : "field"} ${JSON.stringify(field)}, and ${has} ${listed(fieldsOf(records))}.`,
  );
}

function fieldsOf(records: readonly unknown[]): string[] {
  return [...new Set(records.flatMap((record) => (isRecord(record) ? Object.keys(record) : [])))];
}

function seriesOfRecords(
  call: string,
  records: readonly Record<string, unknown>[],
  axes: Axes,
  has: FieldsSaid,
): SeriesTable {
  const { color, colorOption = "color" } = axes;
  if (typeof axes.x === "object")
    throw new TypeError(
      `${call}: the values are records, so x must name one of their fields: ${listed(fieldsOf(records))}.`,
    );
  const x: Column =
    axes.x === undefined
      ? { kind: "quantitative", values: Float64Array.from(records, (_, at) => at) }
      : readColumn(call, axes.x, fieldValues(call, records, has, "x", axes.x));
  const fields = [axes.y ?? numericFields(call, records, [axes.x, color])].flat();
  const columns = fields.map((field) => {
    const column = readColumn(call, field, fieldValues(call, records, has, "y", field));
    if (column.kind === "quantitative") return { field, y: column.values };
    const what = column.kind === "temporal" ? "dates" : "strings";
    throw new TypeError(
      `${call}: y is the field ${JSON.stringify(field)}, which holds ${what}; the y axis takes numbers.`,
    );
  });
  const names =
    color === undefined ? null : fieldValues(call, records, has, colorOption, color).map(groupName);
  const { error } = axes;
  const errors =
    typeof error === "string"
      ? new Map([[null, checkedErrors(call, error, fieldValues(call, records, has, "error", error))]])
      : error;
  const errorOf = errorsByName(
    call,
    columns.map(({ field, y }) => [field, y]),
    errors,
  );
  const groups = names === null ? [null] : [...new Set(names)];
  const series = groups.flatMap((group) => {
    const rows = [...records.keys()].filter((at) => names === null || names[at] === group);
    return columns.map(({ field, y }) => {
      const { error: all } = errorOf(field);
      // A record without the field has no point: only a field without a value is a gap in its line.
      const own = rows.filter((at) => field in records[at]!);
      return {
        name: nameOf(group, field, columns.length),
        x: picked(x, own),
        y: Float64Array.from(own, (at) => y[at]!),
        ...(all && { error: Float64Array.from(own, (at) => all[at]!) }),
      };
    });
  });
  return { series, x: axes.x ?? "index", y: fields.length === 1 ? fields[0]! : null };
}

/** `small`; if several fields are drawn, `small loss`. */
function nameOf(group: string | null, field: string, fields: number): string | null {
  if (fields === 1) return group;
  return group === null ? field : `${group} ${field}`;
}

function groupName(value: unknown): string {
  if (isTensor(value)) return String(value.item());
  return value === null || value === undefined ? "none" : String(value as string);
}

function numericFields(
  call: string,
  records: readonly Record<string, unknown>[],
  taken: readonly (string | undefined)[],
): string[] {
  const isNumeric = (value: unknown) =>
    typeof value === "number" || typeof value === "bigint" || isTensor(value);
  const fields = fieldsOf(records).filter(
    (field) => !taken.includes(field) && records.some((record) => isNumeric(record?.[field])),
  );
  if (fields.length > 0) return fields;
  throw new RangeError(
    `${call}: the records have no field of numbers for the y axis; they have ${listed(fieldsOf(records))}.`,
  );
}
