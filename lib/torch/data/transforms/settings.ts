// Reads the transforms' settings: sizes, paddings, ranges and fill values, in torchvision's forms.
import { checkNumber, checkSizes, describe, type Interval } from "../../vocabulary/arguments.ts";
import type { Rule } from "../../vocabulary/options.ts";

export type Pair<Value = number> = readonly [Value, Value];

/** Left, top, right and bottom. */
export type Border = readonly [left: number, top: number, right: number, bottom: number];

/** `32` -> [32, 32]; `[height, width]` as it is. */
export function checkSize(call: string, size: unknown): Pair {
  return checkSizes(call, "size", size, 2, 1) as unknown as Pair;
}

/** One number for all sides, two for left and right, top and bottom, or four. */
export function checkBorder(call: string, padding: unknown): Border {
  const given = Array.isArray(padding) ? padding : [padding];
  if (![1, 2, 4].includes(given.length)) {
    throw new RangeError(`${call}: padding takes 1, 2 or 4 numbers, got ${describe(padding)}.`);
  }
  const sides = given.map((side, i) => checkSizes(call, `padding[${i}]`, side, 1, 0)[0]!);
  const [left, top = left, right = left, bottom = top] = sides as [number, number?, number?, number?];
  return [left, top, right, bottom];
}

/** Two numbers, the smaller first. */
export function checkRange(call: string, name: string, value: unknown, within: Interval = {}): Pair {
  if (!Array.isArray(value) || value.length !== 2)
    throw new TypeError(`${call}: ${name} must be two numbers, as [0.5, 2], got ${describe(value)}.`);
  const [from, to] = value.map((bound, i) => checkNumber(call, `${name}[${i}]`, bound, within)) as [
    number,
    number,
  ];
  if (from > to) throw new RangeError(`${call}: ${name} must be [smaller, larger], got [${from}, ${to}].`);
  return [from, to];
}

/** An option of two numbers, the smaller first. */
export function range(fallback: Pair, within: Interval): Rule<Pair> {
  return { fallback, check: (call, name, value) => checkRange(call, name, value, within) };
}

/** `30` -> [-30, 30]; two numbers as they are. */
export function checkDegrees(call: string, name: string, value: unknown): Pair {
  if (Array.isArray(value)) return checkRange(call, name, value);
  const max = checkNumber(call, name, value, { min: 0 });
  return [-max, max];
}

export function checkProbability(call: string, p: unknown): number {
  return checkNumber(call, "p", p, { min: 0, max: 1 });
}

/** Text for `extraRepr`: `size=[28, 28]`. */
export function listText(values: readonly number[]): string {
  return `[${values.join(", ")}]`;
}
