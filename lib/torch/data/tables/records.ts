// The records of columns: the values of a row by the columns' names. A name that is no column may not be read.
import { RECORD_PROTOTYPE } from "../../../plain_object.ts";
import type { Column } from "./column.ts";
import { valueAt } from "./column_data.ts";
import type { CellValue } from "./kinds.ts";

/** The record of a row, which must be one of the columns'. */
export function recordOf(columns: readonly Column[], row: number): Readonly<Record<string, CellValue>> {
  const values = Object.fromEntries(columns.map(({ name, data }) => [name, valueAt(data, row)]));
  // Not by `Object.setPrototypeOf`, after which reading a value takes twice the time.
  return { __proto__: RECORD_PROTOTYPE as never, ...values };
}
