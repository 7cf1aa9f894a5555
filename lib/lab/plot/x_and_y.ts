// Reads calls that name positions first, as matplotlib's: `lab.plot(x, y, options)`.
import { describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { checkOrder } from "./call_order.ts";
import { isListOfNumbers } from "./numbers.ts";
import { titleOf } from "./tables.ts";

interface Call {
  readonly values: unknown;
  readonly options: object | undefined;
}

/** Options that are lists. */
const LISTS: ReadonlySet<string> = new Set(["x", "y", "xLimits", "yLimits", "error"]);

/** Whether it is several lists by name, `{ train, validation }`, and no options. */
function isNamedNumbers(value: unknown): boolean {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return (
    entries.length > 0 && entries.every(([name, numbers]) => !LISTS.has(name) && isListOfNumbers(numbers))
  );
}

/** The values and options of `(values, options)` and of `(x, y, options)`, where y is a list of numbers, or several by name. */
export function readXAndY(call: string, given: readonly unknown[]): Call {
  const [first, second, third] = given;
  if (given.length > 3)
    throw new TypeError(`${call} takes at most 3 arguments (x, y, options); ${given.length} were given.`);
  checkOrder(call, given, ["x", "y"]);
  const hasY = given.length === 3 || isListOfNumbers(second) || isNamedNumbers(second);
  if (!hasY) return { values: first, options: second as object | undefined };
  if (!isListOfNumbers(first))
    throw new TypeError(
      `${call}: x must be a list of numbers, dates or strings, a typed array, a Tensor or a column, got ${describe(first)}.`,
    );
  if (third !== undefined && !isRecord(third))
    throw new TypeError(`${call}: the options must be an object, got ${describe(third)}.`);
  const { x = titleOf(first, "x"), ...others } = third ?? {};
  if (typeof x !== "string")
    throw new TypeError(
      `${call}: x is the first argument, so the option x is its title; got ${describe(x)}.`,
    );
  return { values: second, options: { ...others, x: { [x]: first } } };
}
