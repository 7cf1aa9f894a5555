// Reads the values of one axis: numbers, times or names. Numbers and times are drawn to scale, names side by side in
// their order.
import { describe } from "../../torch/vocabulary/arguments.ts";
import { columnValues, isTableColumn } from "./tables.ts";
import { isListOfNumbers, numberOf, readNumbers } from "./numbers.ts";

export type Column =
  | {
      /** Times are in milliseconds since 1970. */
      readonly kind: "quantitative" | "temporal";
      readonly values: Float64Array;
    }
  | { readonly kind: "ordinal"; readonly values: readonly string[] };

/**
 * The values of a field of records, or of a list: all numbers, all dates or all strings. Null and undefined are gaps.
 */
export function readColumn(call: string, name: string, values: unknown): Column {
  if (isTableColumn(values)) return readColumn(call, values.name, columnValues(values));
  if (!Array.isArray(values)) {
    if (isListOfNumbers(values)) return { kind: "quantitative", values: readNumbers(call, name, values) };
    throw new TypeError(
      `${call}: ${name} must be a list of numbers, dates or strings, a typed array or a Tensor, got ${describe(values)}.`,
    );
  }
  const first: unknown = values.find((value) => value !== null && value !== undefined);
  const place = (at: number) => `${name}[${at}]`;
  if (typeof first === "string")
    return {
      kind: "ordinal",
      values: Array.from(values, (value, at) =>
        checked(call, place(at), value, "string", typeof value === "string"),
      ),
    };
  if (first instanceof Date)
    return {
      kind: "temporal",
      values: Float64Array.from(values, (value, at) =>
        value === null || value === undefined
          ? NaN
          : checked<Date>(call, place(at), value, "Date", value instanceof Date).getTime(),
      ),
    };
  return {
    kind: "quantitative",
    values: Float64Array.from(values, (value, at) => numberOf(call, place(at), value)),
  };
}

function checked<Value>(call: string, name: string, value: unknown, kind: string, holds: boolean): Value {
  if (holds) return value as Value;
  throw new TypeError(`${call}: ${name} must be a ${kind} like those before it, got ${describe(value)}.`);
}

export function picked(column: Column, indices: readonly number[]): Column {
  return column.kind === "ordinal"
    ? { kind: column.kind, values: indices.map((at) => column.values[at]!) }
    : { kind: column.kind, values: Float64Array.from(indices, (at) => column.values[at]!) };
}
