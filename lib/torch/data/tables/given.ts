// Reads what the methods of a table are given: columns, an object of names, a number of rows.
import { tooManyArguments } from "../../../surplus_arguments.ts";
import { checkInteger, describe, isRecord } from "../../vocabulary/arguments.ts";
import { Column } from "./column.ts";
import { dataOfValues } from "./column_of_values.ts";
import type { CellValue } from "./kinds.ts";

/** Values by the names of their columns. */
export type ColumnValues = Readonly<Record<string, Iterable<CellValue | bigint | undefined> | Column>>;

/** A spread, `table.head(...list)`, passes as many numbers as the list has, which TypeScript does not count. */
export function onlyRows(call: string, given: readonly (number | undefined)[]): number {
  if (given.length > 1) throw tooManyArguments(call, 1, given.length, "rows");
  const [rows = 5] = given;
  return checkInteger(call, "rows", rows, 0);
}

export function checkRecord(call: string, value: unknown, as: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new TypeError(`${call}: expected an object as ${as}, got ${describe(value)}.`);
  return value;
}

export function columnsOf(call: string, values: unknown): readonly Column[] {
  if (Array.isArray(values) && Array.from(values).every((column) => column instanceof Column)) return values;
  if (!isRecord(values))
    throw new TypeError(
      `${call}: expected values by column as { age: [22, 38] }, got ${describe(values)}; data.Table.fromRecords takes records.`,
    );
  return Object.entries(values as ColumnValues).map(([name, list]) =>
    list instanceof Column ? new Column(name, list.data) : new Column(name, dataOfValues(call, name, list)),
  );
}
