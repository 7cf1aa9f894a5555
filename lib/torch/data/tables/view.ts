// Shows tables, columns and summaries: as HTML in a notebook, and as text.
import { columns, pointedColumns, type Table as View } from "../../../views/table.ts";
import { dateText, recordsTable } from "../../../views/records.ts";
import { counted } from "../../../words.ts";
import { shortNumber } from "../../tensor/view/markup.ts";
import type { CellValue, ColumnKind } from "./kinds.ts";
import type { ColumnSummary } from "./summary.ts";

/** The parts of a table that its view needs. */
export interface ShownTable {
  readonly length: number;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  get(row: number): Readonly<Record<string, CellValue>>;
}

/** The columns of a table, each by its name and its kind. */
export function columnsTable(
  list: readonly { readonly name: string; readonly kind: ColumnKind; readonly missing: number }[],
): View {
  return {
    whole: true,
    caption: counted(list.length, "column"),
    columns: columns("<column", "<kind", "missing"),
    rows: list.map(({ name, kind, missing }) => [name, kind, missing.toLocaleString("en-US")]),
  };
}

/** The parts of a column that its view needs. */
export interface ShownColumn {
  readonly name: string;
  readonly length: number;
  get(row: number): CellValue;
  describe(): ColumnSummary;
}

const SHOWN_ROWS = 20;
const SHOWN_VALUES = 8;

/** @param order the columns by which it is sorted, which are always shown */
export function tableView(table: ShownTable, order: readonly string[]): View {
  const first = Array.from({ length: Math.min(table.length, SHOWN_ROWS) }, (_, row) => table.get(row));
  return recordsTable(first, {
    caption: `Table of ${counted(table.length, "row")} and ${counted(table.columns.length, "column")}`,
    total: table.length,
    names: table.columns.map(({ name }) => name),
    kept: order,
    left: new Set(table.columns.filter(({ kind }) => kind !== "number").map(({ name }) => name)),
  });
}

const NUMBERS = ["mean", "std", "min", "25%", "median", "75%", "max"];
const numbersOf = ({ mean, std, min, q25, median, q75, max }: ColumnSummary): string[] =>
  [mean, std, min, q25, median, q75, max].map(shortNumber);

/** Numbers are rows of the table; dates, booleans and words are sentences below it. */
export function summaryTable(summaries: readonly ColumnSummary[], rows: number): View {
  const numbers = summaries.filter(({ kind }) => kind === "number");
  return {
    whole: true,
    caption: summaries.length === 1 ? counted(rows, "value") : counted(rows, "row"),
    columns: pointedColumns("<column", "missing", ...NUMBERS),
    rows: numbers.map((one) => [one.column, one.missing.toLocaleString("en-US"), ...numbersOf(one)]),
    notes: summaries.filter(({ kind }) => kind !== "number").map((one) => sentenceOf(one)),
  };
}

/**
 * The same of groups, with how many values each has.
 *
 * @param names what the rows are grouped by
 */
export function groupsTable(
  summaries: readonly (ColumnSummary & { readonly group: Readonly<Record<string, CellValue>> })[],
  names: readonly string[],
  groups: number,
): View {
  const numbers = summaries.filter(({ kind }) => kind === "number");
  const of = (group: Readonly<Record<string, CellValue>>) => names.map((name) => valueText(group[name]!));
  return {
    whole: true,
    caption: `${counted(groups, "group")} by ${names.join(", ")}`,
    columns: pointedColumns("<column", ...names.map((name) => `<${name}`), "count", ...NUMBERS),
    rows: numbers.map((one) => [
      one.column,
      ...of(one.group),
      one.count.toLocaleString("en-US"),
      ...numbersOf(one),
    ]),
    notes: summaries
      .filter(({ kind }) => kind !== "number")
      .map((one) => sentenceOf(one, ` of ${of(one.group).join(", ")}`)),
  };
}

/** `sex (string): 2 different values, male 577, female 314; 3 missing.` */
function sentenceOf(
  { column, kind, distinct, missing, first, last, top }: ColumnSummary,
  group = "",
): string {
  const range = first === null || last === null ? [] : [`${dateText(first)} to ${dateText(last)}`];
  const repeated = top.filter(({ count }) => count > 1);
  const found = repeated.map(({ value, count }) => `${value} ${count.toLocaleString("en-US")}`);
  const more = found.length > 0 && distinct > found.length ? ["…"] : [];
  const said = [counted(distinct, "different value"), ...range, ...found, ...more].join(", ");
  return `${column}${group} (${kind}): ${said}${missing === 0 ? "" : `; ${missing.toLocaleString("en-US")} missing`}.`;
}

export function columnTable(column: ShownColumn): View {
  const summary = column.describe();
  const values = Array.from({ length: Math.min(column.length, SHOWN_VALUES) }, (_, row) =>
    valueText(column.get(row)),
  );
  const more = column.length > SHOWN_VALUES ? ", ..." : "";
  const view = summaryTable([summary], column.length);
  return {
    ...view,
    caption: `Column ${column.name}, ${summary.kind}, ${view.caption}`,
    notes: [...(view.notes ?? []), `Values: ${values.join(", ")}${more}`],
  };
}

function valueText(value: CellValue): string {
  if (value instanceof Date) return dateText(value);
  return typeof value === "number" ? shortNumber(value) : String(value);
}
