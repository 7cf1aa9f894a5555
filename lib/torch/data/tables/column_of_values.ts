// Makes a column's data of JavaScript values.
import { describe } from "../../vocabulary/arguments.ts";
import { type ColumnData, NumberBuilder, WordBuilder } from "./column_data.ts";
import type { ColumnKind } from "./kinds.ts";

/**
 * A list, a typed array or another iterable of values of one kind. Null, undefined and NaN are missing. Bigints, as files of Parquet
 * and Arrow have them, are numbers; where a number does not hold one of them, all are words.
 *
 * @throws TypeError for values of different kinds, and for those that are none of a table
 */
export function dataOfValues(call: string, name: string, given: unknown): ColumnData {
  if (typeof given !== "object" || given === null || !(Symbol.iterator in given))
    throw new TypeError(`${call}: ${name} must be a list of values, got ${describe(given)}.`);
  const values = withoutBigints([...(given as Iterable<unknown>)]);
  const kinds = [...new Set(values.filter((value) => !isMissing(value)).map(kindOfValue))];
  const [kind = "number"] = kinds;
  if (kinds.length > 1 || kind === null) {
    const first = values.find((value) => !isMissing(value));
    const other = values.find((value) => !isMissing(value) && kindOfValue(value) !== (kind ?? "number"));
    throw new TypeError(
      kind === null
        ? `${call}: ${name} holds ${describe(other)}, and a column holds numbers, texts, booleans or dates.`
        : `${call}: ${name} holds values of different kinds, ${describe(first)} and ${describe(other)}.`,
    );
  }
  if (kind === "string") {
    const words = new WordBuilder();
    for (const value of values) words.add(isMissing(value) ? null : (value as string));
    return words.finish();
  }
  const numbers = new NumberBuilder();
  for (const value of values) numbers.add(isMissing(value) ? NaN : Number(value));
  return numbers.finish(kind);
}

function withoutBigints(values: readonly unknown[]): readonly unknown[] {
  const bigints = values.filter((value) => typeof value === "bigint");
  if (bigints.length === 0) return values;
  const plain = bigints.every((value) => Number.isSafeInteger(Number(value))) ? Number : String;
  return values.map((value) => (typeof value === "bigint" ? plain(value) : value));
}

const isMissing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "number" && Number.isNaN(value));

function kindOfValue(value: unknown): ColumnKind | null {
  if (typeof value === "number" || typeof value === "string" || typeof value === "boolean")
    return typeof value as ColumnKind;
  return value instanceof Date ? "date" : null;
}
