// Moves the columns of a table that carry no information into a sentence below it: those that are empty in every row,
// such as the driver's memory if the device reports none, and those that are zero in every row.
import { type Column, type Table, textOfCell } from "./table.ts";

/** `0 ms`, `0 B`, `0`. */
const ZERO = /^[±+-]?0(?:\.0+)?(?: ?(?:ms|B|%))?$/;
const NOT_KNOWN: ReadonlySet<string> = new Set(["", "not known", "not measured", "not counted"]);

/** Returns the table without those columns. The first column names the rows and stays. */
export function folded(table: Table): Table {
  const { columns, rows, notes = [] } = table;
  if (rows.length === 0 || table.whole === true) return table;
  const every = (at: number, test: (text: string) => boolean) =>
    rows.every((row) => test(textOfCell(row[at])));
  const empty = columns.filter((_, at) => at > 0 && every(at, (text) => NOT_KNOWN.has(text)));
  const zero = columns.filter((_, at) => at > 0 && every(at, (text) => ZERO.test(text)));
  if (empty.length + zero.length === 0) return table;
  const kept = columns.flatMap((column, at) => (empty.includes(column) || zero.includes(column) ? [] : [at]));
  return {
    ...table,
    columns: kept.map((at) => columns[at]!),
    rows: rows.map((row) => kept.map((at) => row[at] ?? "")),
    notes: [...said("Zero in every row", zero), ...said("Empty in every row", empty), ...notes],
  };
}

function said(what: string, columns: readonly Column[]): string[] {
  const named = columns.map(({ heading }) => heading).filter((heading) => heading !== "");
  return named.length === 0 ? [] : [`${what}: ${named.join(", ")}.`];
}
