// Groups of a table's rows: those with the same values in some columns. Knows rows by their numbers; the table makes parts of
// itself.
import { noColumn } from "../../../plain_object.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { checkChoice, describe, isRecord } from "../../vocabulary/arguments.ts";
import type { Column } from "./column.ts";
import { isMissingAt, valueAt } from "./column_data.ts";
import type { CellValue } from "./kinds.ts";
import { recordOf } from "./records.ts";
import { type ColumnSummary, type Statistic, statisticOf, STATISTICS, summaryOf } from "./summary.ts";
import type { Table } from "./table.ts";
import { groupsTable } from "./view.ts";

/** A statistic of the column with that name, or a function of the group's rows. */
export type Aggregates<Row extends object> = Readonly<
  Record<string, Statistic | ((group: Table<Row>) => CellValue)>
>;

/** One group: the values that its rows share, and its rows. */
export interface Group<Row extends object> {
  readonly key: Readonly<Record<string, CellValue>>;
  readonly rows: Table<Row>;
}

/** What `describe` says of one column in one group. */
export interface GroupSummary extends ColumnSummary {
  /** The values that the group's rows share. */
  readonly group: Readonly<Record<string, CellValue>>;
}

/** A text that two values share where they are the same value of a column. */
export function keyText(columns: readonly Column[], row: number): string {
  return JSON.stringify(
    columns.map(({ data }) => {
      // Numbers that JSON has no text for, and -0, which is 0.
      const value = isMissingAt(data, row) ? null : valueAt(data, row);
      return typeof value === "number" ? String(value + 0) : value;
    }),
  );
}

/** The numbers of the rows of each group, in the order of the columns' values; a missing value is a group of its own, the last. */
export function groupedRows(columns: readonly Column[], order: readonly number[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const row of order) {
    const key = keyText(columns, row);
    const rows = groups.get(key);
    if (rows === undefined) groups.set(key, [row]);
    else rows.push(row);
  }
  return [...groups.values()].map((rows) => rows.toSorted((a, b) => a - b));
}

export class Groups<Row extends object> {
  readonly #names: readonly string[];
  readonly #groups: readonly Table<Row>[];
  readonly #make: (values: Readonly<Record<string, CellValue[]>>) => Table;

  /** Groups are made by `table.groupBy`. */
  constructor(
    names: readonly string[],
    groups: readonly Table<Row>[],
    make: (values: Readonly<Record<string, CellValue[]>>) => Table,
  ) {
    this.#names = names;
    this.#groups = groups;
    this.#make = make;
  }

  /** How many groups there are. */
  get length(): number {
    return this.#groups.length;
  }

  *[Symbol.iterator](): IterableIterator<Group<Row>> {
    for (const rows of this.#groups) yield { key: this.#keyOf(rows), rows };
  }

  /**
   * A table with a row for each group: its values, and what is asked of it.
   * `flats.groupBy("district").aggregate({ rent: "mean", flats: (group) => group.length })`
   *
   * @throws RangeError for a column or a statistic that is none; TypeError for one of words or dates
   */
  aggregate(wanted: Aggregates<Row>): Table {
    const call = "Groups.aggregate";
    if (!isRecord(wanted))
      throw new TypeError(`${call}: expected what to compute as { rent: "mean" }, got ${describe(wanted)}.`);
    const keys = this.#groups.map((rows) => this.#keyOf(rows));
    const values: Record<string, CellValue[]> = {};
    const add = (name: string, column: CellValue[]): void => {
      Object.defineProperty(values, name, { value: column, enumerable: true });
    };
    for (const name of this.#names)
      add(
        name,
        keys.map((key) => key[name]!),
      );
    for (const [name, one] of Object.entries(wanted)) {
      if (this.#names.includes(name))
        throw new RangeError(
          `${call}: ${name} is what the rows are grouped by; give it another name, with a function.`,
        );
      if (typeof one !== "function") this.#checkColumn(call, name);
      add(
        name,
        this.#groups.map((rows) =>
          typeof one === "function"
            ? one(rows)
            : statisticOf(
                call,
                rows.column(name as keyof Row & string),
                checkChoice(call, name, one, STATISTICS),
              ),
        ),
      );
    }
    return this.#make(values);
  }

  /**
   * A summary of every other column in each group, in the numbers of pandas' `describe`: the groups of the first column, then those
   * of the next. `flats.groupBy("district").describe()`
   */
  describe(): GroupSummary[] {
    const others = (this.#groups[0]?.names ?? []).filter((name) => !this.#names.includes(name));
    const summaries = others.flatMap((name) =>
      this.#groups.map((rows) => ({
        group: this.#keyOf(rows),
        ...summaryOf(name, rows.column(name as keyof Row & string).data),
      })),
    );
    return shownAs(summaries, (all) => groupsTable(all, this.#names, this.length));
  }

  /** @throws RangeError for a statistic of a column that there is not */
  #checkColumn(call: string, name: string): void {
    const [rows] = this.#groups;
    if (rows === undefined || rows.names.includes(name)) return;
    const some = rows.columns.find((one) => one.kind === "number" && !this.#names.includes(one.name));
    throw new RangeError(
      `${call}: ${noColumn(name, rows.names)} A statistic under a name of its own is a function: { ${JSON.stringify(name)}: (group) => group.column(${JSON.stringify(some?.name ?? "column")}).mean() }.`,
    );
  }

  #keyOf(rows: Table<Row>): Readonly<Record<string, CellValue>> {
    return recordOf(
      this.#names.map((name) => rows.column(name as keyof Row & string)),
      0,
    );
  }
}
