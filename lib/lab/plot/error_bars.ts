// Error bars of points and lines: how far each value may be off, up and down.
import { describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";
import { counted } from "../../words.ts";
import { numberText } from "../../units.ts";
import type { Specification } from "../../charts/chart_style.ts";
import type { Scale } from "../../charts/ticks.ts";
import { isListOfNumbers, type Numbers, readNumbers } from "./numbers.ts";

export interface ErrorOptions {
  /**
   * How far each value may be off: a bar from value - error to value + error. For records and tables a field, or a number for each
   * record; for numbers a list of the same length, or one by each name. A gap has no bar. Default: no bars.
   */
  readonly error?: string | Numbers | Readonly<Record<string, Numbers>>;
}

/** The name of a field; otherwise lists by the names of series, one of them without a name. */
export type GivenErrors = string | ReadonlyMap<string | null, Float64Array>;

export const ERRORS = {
  error: optional((call, name, value): GivenErrors => {
    if (typeof value === "string") return value;
    if (isListOfNumbers(value)) return new Map([[null, checkedErrors(call, name, value)]]);
    if (isRecord(value))
      return new Map(
        Object.entries(value).map(([of, one]) => [of, checkedErrors(call, `${name}.${of}`, one)]),
      );
    throw new TypeError(
      `${call}: ${name} must be a field, a list of numbers, or one such list by each name, got ${describe(value)}.`,
    );
  }),
} as const;

/** @throws RangeError for a negative error */
export function checkedErrors(call: string, name: string, values: unknown): Float64Array {
  const errors = readNumbers(call, name, values);
  const at = errors.findIndex((error) => error < 0);
  if (at >= 0)
    throw new RangeError(`${call}: ${name}[${at}] is ${errors[at]}, and an error bar has a positive length.`);
  return errors;
}

/** The errors of each of the lists by name: a single list may be given for the only one. */
export function errorsByName(
  call: string,
  lists: readonly (readonly [name: string | null, values: Float64Array])[],
  given: ReadonlyMap<string | null, Float64Array> | undefined,
): (name: string | null) => { readonly error?: Float64Array } {
  for (const [name, errors] of given ?? []) {
    const of =
      name === null ? (lists.length === 1 ? lists[0] : undefined) : lists.find((one) => one[0] === name);
    if (of === undefined) {
      const names = lists.map(([one]) => JSON.stringify(one)).join(", ");
      throw new RangeError(
        name === null
          ? `${call}: error is one list, and there are ${lists.length} of values; give one for each of ${names}.`
          : `${call}: error.${name} belongs to no values${lists[0]![0] === null ? ", which have no name; give one list" : `; there are ${names}`}.`,
      );
    }
    if (errors.length !== of[1].length)
      throw new RangeError(
        `${call}: error${name === null ? "" : `.${name}`} has ${counted(errors.length, "number")}, and there are ${counted(of[1].length, "value")}; give one for each.`,
      );
  }
  return (name) => {
    const error = given?.get(name) ?? (lists.length === 1 ? given?.get(null) : undefined);
    return error === undefined ? {} : { error };
  };
}

/** The ends of a bar; none for a value or an error that is not finite. */
export interface BarEnds {
  readonly low?: number;
  readonly high?: number;
}

/** Where bars are cut on a logarithmic axis. */
export function leastPositive(values: readonly number[]): number {
  return values.reduce((least, value) => (value > 0 && value < least ? value : least), Infinity);
}

/** @param floor where a bar is cut on a logarithmic axis, which has no place for its lower end */
export function barEnds(y: number, error: number | undefined, scale: Scale, floor: number): BarEnds {
  if (error === undefined || !Number.isFinite(error) || !Number.isFinite(y)) return {};
  const low = y - error;
  return { low: scale === "log" && low <= 0 ? Math.min(floor, y) : low, high: y + error };
}

/** The layer of bars of rows with the fields `low` and `high`, in the colours of their series. Those at the edges are whole unless the axes have limits. */
export function errorLayer(color: Specification, isLimited: boolean): Specification {
  return {
    transform: [{ filter: "isValid(datum.low)" }],
    mark: { type: "rule", strokeWidth: 1.5, clip: isLimited },
    encoding: {
      y: { field: "low", type: "quantitative" },
      y2: { field: "high" },
      color,
    },
  };
}

/** `["error bars of 0.1 to 0.4"]` */
export function errorNotes(
  rows: readonly ({ readonly y: number | null } & BarEnds)[],
  scale: Scale,
): string[] {
  const errors = rows.flatMap(({ y, high }) =>
    y === null || high === undefined ? [] : [{ y, error: high - y }],
  );
  if (errors.length === 0) return [];
  const [least, greatest] = errors.reduce(
    ([low, high], { error }) => [Math.min(low, error), Math.max(high, error)],
    [Infinity, 0],
  );
  const texts = [...new Set([numberText(least), numberText(greatest)])];
  const cut = scale === "log" ? errors.filter(({ y, error }) => error >= y).length : 0;
  return [
    `error bars of ${texts.join(" to ")}`,
    ...(cut === 0
      ? []
      : [
          `${counted(cut, "error bar")} ${cut === 1 ? "reaches" : "reach"} below zero, and ${cut === 1 ? "is" : "are"} cut`,
        ]),
  ];
}
