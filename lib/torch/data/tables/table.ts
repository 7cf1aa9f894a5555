// A table: columns of equal length with names, as `data.readCsv` reads them. A table never changes; each method returns
// a new one. It is a dataset of its records, so that samplers and `data.randomSplit` take it.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../../display.ts";
import { noColumn } from "../../../plain_object.ts";
import { ROW_TYPE } from "../../../row_type.ts";
import { shownAs, tableBundle } from "../../../views/shown_as.ts";
import { tableText } from "../../../views/table.ts";
import { writeWholeText } from "../../../whole_file.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import {
  checkInteger,
  checkList,
  checkText,
  describe,
  isRecord,
  requireFunction,
} from "../../vocabulary/arguments.ts";
import { readOptions } from "../../vocabulary/options.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { Column, numbersFor, readPlace, tensorOf, type ToTensorOptions } from "./column.ts";
import { columnsBelow, filledColumns, renamedColumns } from "./changed.ts";
import { isMissingAt, takeRows } from "./column_data.ts";
import { csvText } from "./csv_text.ts";
import { dataOfValues } from "./column_of_values.ts";
import { checkRecord, columnsOf, type ColumnValues, onlyRows } from "./given.ts";
import { groupedRows, Groups } from "./groups.ts";
import { JOIN_RULES, joinedColumns, type JoinOptions } from "./join.ts";
import type { CellValue } from "./kinds.ts";
import { recordOf } from "./records.ts";
import type {
  AnyRow,
  Below,
  Filled,
  Filling,
  NameAmong,
  NameOf,
  NamesAmong,
  Renamed,
  Selected,
  ValueIn,
  WithColumn,
} from "./row.ts";
import { SORT_RULES, sortedRows, type SortOptions } from "./sorted_rows.ts";
import { type ColumnSummary, summaryOf } from "./summary.ts";
import { columnsTable, summaryTable, tableView } from "./view.ts";

/** Columns of equal length with names. `data.readCsv` reads one from a file. */
export class Table<Row extends object = AnyRow> implements Dataset<Row> {
  /** In their order; they show themselves as a list of names and kinds. */
  readonly columns: readonly Column[];
  /** How many rows there are. */
  readonly length: number;
  /** The columns by which it was sorted. */
  #order: readonly string[] = [];

  /**
   * A table of values by column: `new data.Table({ age: [22, 38], sex: ["male", "female"] })`.
   *
   * @throws RangeError for columns of different lengths, TypeError for one of values of different kinds
   */
  constructor(values: ColumnValues | readonly Column[]) {
    const call = "new data.Table";
    this.columns = shownAs([...columnsOf(call, values)], columnsTable);
    const lengths = this.columns.map(({ length }) => length);
    if (new Set(lengths).size > 1)
      throw new RangeError(
        `${call}: the columns differ in length: ${this.columns.map(({ name, length }) => `${name} ${length}`).join(", ")}.`,
      );
    this.length = lengths[0] ?? 0;
  }

  /** A table of records, with a column for each of their keys: `data.Table.fromRecords([{ age: 22 }, { age: 38 }])`. */
  static fromRecords<Record extends object>(records: readonly Record[]): Table<Record> {
    const call = "data.Table.fromRecords";
    for (const [at, record] of checkList(call, "records", records).entries())
      if (!isRecord(record))
        throw new TypeError(`${call}: record ${at} must be an object, got ${describe(record)}.`);
    const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
    return new Table<Record>(
      names.map((name) => {
        const values = records.map((record) => (record as Readonly<AnyRow>)[name] as CellValue | undefined);
        return new Column(name, dataOfValues(call, name, values));
      }),
    );
  }

  /** Names of the columns, in their order. */
  get names(): string[] {
    return this.columns.map(({ name }) => name);
  }

  /**
   * The column of that name.
   *
   * @throws RangeError where there is none
   */
  column<Name extends string>(name: NameOf<Row, Name>): Column<ValueIn<Row, Name>> {
    return this.#column("Table.column", name) as Column<ValueIn<Row, Name>>;
  }

  /**
   * The record of a row, of which a field that is no column may not be read.
   *
   * @throws RangeError for a row outside of the table
   */
  get(row: number): Row {
    checkInteger("Table.get", "row", row, 0);
    if (row >= this.length)
      throw new RangeError(`Table.get: row ${row} is outside a table of ${this.length} rows.`);
    return this.#record(row);
  }

  /** All records, each as `get` gives it. Each holds its values anew; a column's `values()` takes less memory. */
  records(): Row[] {
    return Array.from({ length: this.length }, (_, row) => this.#record(row));
  }

  [Symbol.iterator](): IterableIterator<Row> {
    return this.records()[Symbol.iterator]();
  }

  /** The first rows. Default: 5. */
  head(rows?: number): Table<Row>;
  head(...given: readonly (number | undefined)[]): Table<Row> {
    const count = Math.min(onlyRows("Table.head", given), this.length);
    return this.#take(Array.from({ length: count }, (_, row) => row));
  }

  /** The last rows. Default: 5. */
  tail(rows?: number): Table<Row>;
  tail(...given: readonly (number | undefined)[]): Table<Row> {
    const count = Math.min(onlyRows("Table.tail", given), this.length);
    return this.#take(Array.from({ length: count }, (_, row) => this.length - count + row));
  }

  /** The rows with these numbers, in that order: `table.take(subset.indices)`. */
  take(rows: readonly number[]): Table<Row> {
    for (const row of checkList("Table.take", "rows", rows)) {
      checkInteger("Table.take", "a row", row, 0);
      if (row >= this.length)
        throw new RangeError(`Table.take: row ${row} is outside a table of ${this.length} rows.`);
    }
    return this.#take(rows);
  }

  /** The columns with these names, in that order: `table.select("age", "sex")`, or one list of names. */
  select<Name extends string>(...names: NamesAmong<keyof Row & string, Name>): Table<Selected<Row, Name>> {
    return new Table(this.#columnsNamed("Table.select", names));
  }

  /**
   * The rows whose record passes the test: `table.filter((row) => row.age > 30)`. A missing number passes no comparison.
   *
   * @throws RangeError where the test reads a field that is no column
   */
  filter(test: (row: Readonly<Row>, index: number) => unknown): Table<Row> {
    requireFunction("Table.filter", test);
    const rows: number[] = [];
    for (let row = 0; row < this.length; row++) if (test(this.#record(row), row)) rows.push(row);
    return this.#take(rows);
  }

  /**
   * The rows in the order of a column's values, or of several, the first one foremost; equal ones as they were. Missing values
   * come last. `table.sortBy(["district", "rent"], { descending: [false, true] })`
   */
  sortBy<Name extends string>(
    names: NameOf<Row, Name> | readonly NameOf<Row, Name>[],
    options?: SortOptions,
  ): Table<Row> {
    const call = "Table.sortBy";
    const columns = this.#columnsNamed(call, [names]);
    const { descending } = readOptions(call, options, SORT_RULES);
    if (Array.isArray(descending) && descending.length !== columns.length)
      throw new RangeError(
        `${call}: descending has ${descending.length} values, and there are ${columns.length} names.`,
      );
    const isDown = columns.map((_, at) => (Array.isArray(descending) ? descending[at] === true : descending));
    const sorted = this.#take(sortedRows(this.length, columns, (at) => isDown[at] === true));
    sorted.#order = columns.map(({ name }) => name);
    return sorted;
  }

  /**
   * The groups of the rows that have the same values in these columns, in the order of the values. A missing value is one,
   * too, the last: pandas leaves such rows out.
   */
  groupBy<Name extends string>(...names: NamesAmong<keyof Row & string, Name>): Groups<Row> {
    const columns = this.#columnsNamed("Table.groupBy", names);
    const rows = groupedRows(
      columns,
      sortedRows(this.length, columns, () => false),
    );
    return new Groups<Row>(
      columns.map(({ name }) => name),
      rows.map((one) => this.#take(one)),
      (values) => new Table(values),
    );
  }

  /**
   * The rows of this table with those of another that have the same values in the columns `on`:
   * `flats.join(districts, { on: "district", how: "left" })`. A row that has several gives several; a missing value belongs to
   * no other.
   *
   * @throws RangeError where a table lacks a column of `on`, or names clash; TypeError where their kinds differ
   */
  join<Other extends object, Name extends string>(
    other: Table<Other>,
    options: JoinOptions<NameAmong<keyof Row & keyof Other & string, Name>>,
    // oxlint-disable-next-line typescript/no-explicit-any -- a `let` may get it: `flats = flats.join(...)`
  ): Table<any> {
    const call = "Table.join";
    if (!(other instanceof Table))
      throw new TypeError(`${call}: expected another table, got ${describe(other)}.`);
    const { on, how, suffix } = readOptions<typeof JOIN_RULES>(call, options, JOIN_RULES);
    const keys = this.#columnsNamed(call, [on]);
    const otherKeys = other.#columnsNamed(`${call}: the other table`, [on]);
    return new Table(
      joinedColumns(
        call,
        { columns: this.columns, keys },
        { columns: other.columns, keys: otherKeys },
        how,
        suffix,
      ),
    );
  }

  /**
   * The table with one more column, or with another one of that name: of a list of values, or of a function of each
   * record. `table.withColumn("logFare", (row) => Math.log1p(row.fare))`.
   */
  withColumn<Name extends string, Value extends CellValue | undefined>(
    name: Name,
    values: Iterable<Value> | ((row: Readonly<Row>, index: number) => Value),
  ): Table<WithColumn<Row, Name, Value>> {
    const call = "Table.withColumn";
    if (typeof name !== "string")
      throw new TypeError(`${call}: name must be a string, got ${describe(name)}.`);
    const list =
      typeof values === "function"
        ? Array.from({ length: this.length }, (_, row) => values(this.#record(row), row))
        : values;
    const added = new Column(name, dataOfValues(call, name, list));
    if (added.length !== this.length && this.columns.length > 0)
      throw new RangeError(
        `${call}: ${name} has ${added.length} values, and the table has ${this.length} rows.`,
      );
    const replaces = this.names.includes(name);
    const others = this.columns.map((column) => (column.name === name ? added : column));
    return new Table(replaces ? others : [...others, added]);
  }

  /**
   * The table with other names for some columns: `table.rename({ rnt: "rent" })`. Types know a name that is written there.
   *
   * @throws RangeError for a column that there is not, and for a name that another column has
   */
  rename<const Names extends { readonly [Name in keyof Row & string]?: string }>(
    names: Names,
  ): Table<Renamed<Row, Names>> {
    const call = "Table.rename";
    return new Table(renamedColumns(call, this.columns, checkRecord(call, names, '{ old: "new" }')));
  }

  /**
   * The table with a value where a column misses one: `table.fillMissing({ rooms: 1, district: "unknown" })`.
   *
   * @throws RangeError for a column that there is not, TypeError for a value of another kind than the column's
   */
  fillMissing<Name extends keyof Row & string>(values: {
    readonly [Key in Name]: Filling<Row, Key>;
  }): Table<Filled<Row, Name>> {
    const call = "Table.fillMissing";
    return new Table(filledColumns(call, this.columns, checkRecord(call, values, "{ rooms: 1 }")));
  }

  /**
   * The rows of this table and below them those of others with the same columns: `january.concat(february, march)`.
   * A column that only one table's type knows has its kind in the result, and missing values of the others stay unsaid.
   *
   * @throws RangeError where a table lacks a column of another, TypeError where their kinds differ
   */
  concat<Other extends object>(...others: readonly Table<Other>[]): Table<Below<Row, Other>> {
    const call = "Table.concat";
    for (const other of others)
      if (!(other instanceof Table)) throw new TypeError(`${call}: expected tables, got ${describe(other)}.`);
    return new Table(
      columnsBelow(
        call,
        [this, ...others].map(({ columns }) => columns),
      ),
    );
  }

  /** The rows that miss no value, in all columns or in the named ones: `table.dropMissing("age", "fare")`, or one list. */
  dropMissing<Name extends string>(...names: NamesAmong<keyof Row & string, Name>): Table<Row> {
    const wanted = names.length === 0 ? this.columns : this.#columnsNamed("Table.dropMissing", names);
    const rows: number[] = [];
    for (let row = 0; row < this.length; row++)
      if (!wanted.some(({ data }) => isMissingAt(data, row))) rows.push(row);
    return this.#take(rows);
  }

  /** A summary of each column, in the numbers of pandas' `describe`. */
  describe(): ColumnSummary[] {
    const summaries = this.columns.map(({ name, data }) => summaryOf(name, data));
    return shownAs(summaries, (all) => summaryTable(all, this.length));
  }

  /**
   * The table as a CSV file, a missing value as an empty field: `table.toCsv("flats.csv")`. Returns the text.
   *
   * @param file where it is written too, if it is given
   */
  toCsv(file?: string | null): string {
    const text = csvText(this.columns, this.length);
    if (file != null) writeWholeText("Table.toCsv", checkText("Table.toCsv", "file", file), text);
    return text;
  }

  /**
   * Columns as a tensor [rows, columns], in the order of the names; one name alone makes a tensor [rows]. Missing values
   * are NaN.
   *
   * @throws TypeError for a column of words, whose `categories()` are numbers; RangeError if a value is missing and
   *   the dtype has no NaN
   */
  toTensor<Name extends string>(
    names: NameOf<Row, Name> | readonly NameOf<Row, Name>[],
    options?: ToTensorOptions,
  ): Tensor {
    const call = "Table.toTensor";
    const wanted = this.#columnsNamed(call, [names]);
    const place = readPlace(call, options);
    const parts = wanted.map((column) => numbersFor(call, column, place.dtype));
    if (typeof names === "string") return tensorOf(parts[0]!, [this.length], place);
    const width = parts.length;
    const values = new Float64Array(this.length * width);
    for (const [at, part] of parts.entries())
      for (let row = 0; row < this.length; row++) values[row * width + at] = part[row]!;
    return tensorOf(values, [this.length, width], place);
  }

  /**
   * The type of its records in later cells of a notebook. Missing numbers are NaN; a column that misses nothing has no null.
   */
  [ROW_TYPE](): string {
    const fields = this.columns.map(({ name, kind, missing }) => {
      const type = kind === "date" ? "Date" : kind;
      return `${JSON.stringify(name)}: ${type}${kind !== "number" && missing > 0 ? " | null" : ""}`;
    });
    return `{ ${fields.join("; ")} }`;
  }

  [DISPLAY](): MimeBundle {
    return tableBundle(tableView(this as unknown as Table, this.#order));
  }

  [inspect.custom](): string {
    return tableText(tableView(this as unknown as Table, this.#order));
  }

  #record(row: number): Row {
    return recordOf(this.columns, row) as Row;
  }

  #take(rows: readonly number[]): Table<Row> {
    const taken = new Table<Row>(
      this.columns.map(({ name, data }) => new Column(name, takeRows(data, rows))),
    );
    taken.#order = this.#order;
    return taken;
  }

  /** @param names as the arguments of a call: names, or one list of them */
  #columnsNamed(call: string, names: readonly unknown[]): Column[] {
    const [first] = names;
    const list =
      names.length === 1 && typeof first !== "string" ? checkList(call, "names", first as never[]) : names;
    if (list.length === 0)
      throw new TypeError(`${call}: names must be one column's name or a list of them, got an empty list.`);
    return Array.from(list, (name) => this.#column(call, name as string));
  }

  #column(call: string, name: string): Column {
    const found = this.columns.find((column) => column.name === name);
    if (found !== undefined) return found;
    if (typeof name !== "string")
      throw new TypeError(`${call}: a column's name must be a string, got ${describe(name)}.`);
    throw new RangeError(`${call}: ${noColumn(name, this.names)}`);
  }
}
