// Reads tables and their columns for plots: a table as its records, a column as its values.
import { Column } from "../../torch/data/tables/column.ts";
import type { AnyRow } from "../../torch/data/tables/row.ts";
import { Table } from "../../torch/data/tables/table.ts";

export type TableColumn = Column;
/** A table with rows of any kind. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTable = Table<AnyRow> | Table<any>;

export function isTableColumn(value: unknown): value is TableColumn {
  return value instanceof Column;
}

export function isTable(value: unknown): value is Table {
  return value instanceof Table;
}

/** Numbers as the column holds them, which no caller may change; words and dates as a list. */
export function columnValues(column: TableColumn): Float64Array | readonly unknown[] {
  const { data } = column;
  return data.kind === "number" || data.kind === "boolean" ? data.values : column.values();
}

/** The records of a table; any other value as it is. */
export function withoutTable(values: unknown): unknown {
  return isTable(values) ? values.records() : values;
}

/** The title of an axis: a column's name; of other values what is given. */
export function titleOf(values: unknown, otherwise: string): string {
  return isTableColumn(values) ? values.name : otherwise;
}
