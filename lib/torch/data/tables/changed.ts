// What a table becomes with other names, with values where it misses some, or with the rows of other tables below its own.
import { checkText, describe } from "../../vocabulary/arguments.ts";
import { noColumn } from "../../../plain_object.ts";
import { Column } from "./column.ts";
import { type ColumnData, isMissingAt, lengthOf, valueAt } from "./column_data.ts";
import { dataOfValues } from "./column_of_values.ts";
import type { CellValue } from "./kinds.ts";

/** @throws RangeError for an unknown name, and where two columns would have one name */
export function renamedColumns(
  call: string,
  columns: readonly Column[],
  names: Readonly<Record<string, unknown>>,
): Column[] {
  checkNames(call, columns, names);
  const renamed = columns.map(({ name, data }) => {
    const other = Object.hasOwn(names, name) ? names[name] : undefined;
    return new Column(other === undefined ? name : checkText(call, name, other), data);
  });
  const seen = new Set<string>();
  for (const { name } of renamed) {
    if (seen.has(name)) throw new RangeError(`${call}: two columns would be called ${describe(name)}.`);
    seen.add(name);
  }
  return renamed;
}

/** @throws RangeError for an unknown name, TypeError for a value of another kind than the column's */
export function filledColumns(
  call: string,
  columns: readonly Column[],
  values: Readonly<Record<string, unknown>>,
): Column[] {
  checkNames(call, columns, values);
  return columns.map((column) => {
    const { name, data, kind } = column;
    if (!Object.hasOwn(values, name)) return column;
    const value = values[name];
    const given = dataOfValues(call, name, [value]);
    if (isMissingAt(given, 0)) throw new TypeError(`${call}: ${name} needs a value, got ${describe(value)}.`);
    if (given.kind !== kind && column.missing < column.length)
      throw new TypeError(`${call}: ${name} is a column of the kind ${kind}, got ${describe(value)}.`);
    return new Column(name, withValue(call, name, data, value as CellValue));
  });
}

function withValue(call: string, name: string, data: ColumnData, value: CellValue): ColumnData {
  const rows = Array.from({ length: lengthOf(data) }, (_, row) =>
    isMissingAt(data, row) ? value : valueAt(data, row),
  );
  return dataOfValues(call, name, rows);
}

/** @throws RangeError where a table lacks a column of another, TypeError where their kinds differ */
export function columnsBelow(call: string, tables: readonly (readonly Column[])[]): Column[] {
  const [first = [], ...others] = tables;
  for (const [at, columns] of others.entries()) {
    const which = others.length === 1 ? "the other table" : `table ${at + 1}`;
    const lacks = first.find(({ name }) => !columns.some((other) => other.name === name));
    const more = columns.find(({ name }) => !first.some((own) => own.name === name));
    if (lacks !== undefined)
      throw new RangeError(
        `${call}: ${which} has no column ${describe(lacks.name)}; select the columns that all have, or add it with withColumn.`,
      );
    if (more !== undefined)
      throw new RangeError(
        `${call}: only ${which} has the column ${describe(more.name)}; select the columns that all have, or add it with withColumn.`,
      );
  }
  return first.map(({ name }) => {
    const parts = tables.map((columns) => columns.find((column) => column.name === name)!);
    const kinds = [...new Set(parts.filter((one) => one.missing < one.length).map(({ kind }) => kind))];
    if (kinds.length > 1)
      throw new TypeError(
        `${call}: ${name} is a column of the kind ${kinds[0]} in one table and ${kinds[1]} in another; read both with types: { ${JSON.stringify(name)}: "string" }.`,
      );
    const values = parts.flatMap(({ data }) =>
      Array.from({ length: lengthOf(data) }, (_, row) => valueAt(data, row)),
    );
    return new Column(name, dataOfValues(call, name, values));
  });
}

function checkNames(call: string, columns: readonly Column[], given: object): void {
  const names = columns.map(({ name }) => name);
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new RangeError(`${call}: ${noColumn(name, names)}`);
}
