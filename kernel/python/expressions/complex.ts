// Converts complex numbers, which are literals with a sign between two parts in Python, and `{ re, im }` here:
// `3 + 4j` -> `{ re: 3, im: 4 }`. What needs complex arithmetic of variables is left to tensors.
import { bound, type Code, code, LEVEL } from "../code.ts";
import { type Context, mark } from "../context.ts";
import { isNumber } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

interface Parts {
  readonly re: number;
  readonly im: number;
}

const WRITTEN = /^\{ re: (-?[\d.e+-]+), im: (-?[\d.e+-]+) \}$/;

export const complexCode = ({ re, im }: Parts): Code =>
  code(`{ re: ${text(re)}, im: ${text(im)} }`, "complex");

/** `-0` is a number of its own. */
const text = (part: number): string => (Object.is(part, -0) ? "-0" : String(part));

function partsOf(value: Code): Parts | null {
  const complex = WRITTEN.exec(value.text);
  if (complex !== null) return { re: Number(complex[1]), im: Number(complex[2]) };
  const isLiteral = isNumber(value.kind) && /^-?[\d.]+(?:e[-+]?\d+)?$/i.test(value.text);
  return isLiteral ? { re: Number(value.text), im: 0 } : null;
}

const OPERATIONS: Readonly<Record<string, (a: Parts, b: Parts) => Parts>> = {
  "+": (a, b) => ({ re: a.re + b.re, im: a.im + b.im }),
  "-": (a, b) => ({ re: a.re - b.re, im: a.im - b.im }),
  "*": (a, b) => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }),
};

/** What two numbers give of which one is complex. Marked where a part is known only when the cell runs. */
export function ofComplex(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  const [a, b, operation] = [partsOf(left), partsOf(right), OPERATIONS[operator]];
  if (a !== null && b !== null && operation !== undefined) return complexCode(operation(a, b));
  mark(context, node, "complex numbers have no operators here: compute with tensors of them");
  return code(`${bound(left, LEVEL.sum)} ${operator} ${bound(right, LEVEL.sum + 1)}`, "complex", LEVEL.sum);
}

export function negatedComplex(value: Code): Code {
  const parts = partsOf(value);
  return parts === null ? value : complexCode({ re: -parts.re, im: -parts.im });
}
