// JSON text as Python's `json` writes it with sorted keys, which is the form of a notebook's file: if every program
// writes it in this form, two files differ only in their content. Knows values, nothing of notebooks.
import { isLosslessNumber, LosslessNumber, parse } from "lossless-json";

/** From this number on Python writes a float with an exponent. */
const LARGEST_PLAIN = 1e16;
const SMALLEST_PLAIN = 1e-4;

/**
 * Numbers that JavaScript would write differently than Python, such as 1.0 and integers with 20 digits, become a
 * `LosslessNumber`.
 *
 * @throws SyntaxError for what is not JSON
 */
export function parseJson(text: string): unknown {
  const onDuplicateKey = ({ newValue }: { newValue: unknown }): unknown => newValue;
  return parse(text, null, { parseNumber, onDuplicateKey });
}

function parseNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  if (numberText(value) === text) return value;
  const isFloat = /[.eE]/.test(text);
  if (!isFloat || Math.abs(value) >= LARGEST_PLAIN) return new LosslessNumber(text);
  return Number.isInteger(value) ? new LosslessNumber(`${value}.0`) : value;
}

function numberText(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < SMALLEST_PLAIN;
  if (!isSmall) return String(value);
  // Python writes at least two digits, as in 1e-05.
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}

/** Pieces of the text, in order: one string could not hold a large notebook. */
export function* jsonPieces(value: unknown, indent = ""): Generator<string> {
  if (isLosslessNumber(value)) return yield value.value;
  if (typeof value === "number" && Number.isFinite(value)) return yield numberText(value);
  if (typeof value !== "object" || value === null) return yield JSON.stringify(value) ?? "null";
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => ["", item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .sort(([one], [other]) => inCodePointOrder(one, other))
        .map(([key, member]) => [`${JSON.stringify(key)}: `, member] as const);
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return yield `${open}${close}`;
  const inner = `${indent} `;
  let before = `${open}\n`;
  for (const [key, member] of members) {
    yield `${before}${inner}${key}`;
    yield* jsonPieces(member, inner);
    before = ",\n";
  }
  yield `\n${indent}${close}`;
}

/** JavaScript compares UTF-16 units, in which an emoji comes before U+FF01. */
function inCodePointOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
