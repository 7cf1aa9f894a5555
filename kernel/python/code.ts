// Pieces of TypeScript: texts that know how tightly their outermost operator binds.
import type { Kind } from "./kinds.ts";

/** How tightly an operator binds, as JavaScript's grammar has it; the larger the tighter. */
export const LEVEL = {
  arrow: 2,
  or: 4,
  and: 5,
  equality: 9,
  relation: 10,
  sum: 12,
  product: 13,
  power: 14,
  unary: 15,
  primary: 20,
} as const;

/** A function that a transform of torch.func makes of one of the cell's. */
export interface Transformed {
  /** The key of the function's parameters. */
  readonly of: string;
  /** The function as it stands there. */
  readonly text: string;
  with(inner: string): string;
}

export interface Code {
  readonly text: string;
  readonly kind: Kind;
  readonly level: number;
  /** A number that is never negative. */
  readonly isCount?: boolean;
  /** A list that holds a float, beside others: `[1, 2.0]` */
  readonly isFloat?: boolean;
  /** One of two values, of which the other is None: `x if ready else None` */
  readonly isNullable?: boolean;
  /** Of `-x`, where the kind of x is not known: x. */
  readonly negated?: Code;
  /** Of `vmap(f)`: the function that runs, and how it is written with another in its place. */
  readonly transformed?: Transformed;
  /** What it is as a condition, where that is another text. */
  readonly condition?: Code;
}

export function code(text: string, kind: Kind = "", level: number = LEVEL.primary): Code {
  return { text, kind, level };
}

/** The text, in brackets where it binds less tightly. */
export function bound({ text, level }: Code, min: number): string {
  return level < min ? `(${text})` : text;
}

/** As the receiver of a member: `(a + b).sum()`, `(2).toFixed(1)` */
export function receiver(value: Code): string {
  return /^\d+$/.test(value.text) || value.text.startsWith("{")
    ? `(${value.text})`
    : bound(value, LEVEL.primary);
}

/** `torch.noGrad(() => x)`: what an arrow returns. */
export function returned(value: Code): string {
  return value.text.startsWith("{") ? `(${value.text})` : bound(value, LEVEL.arrow);
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** Words of JavaScript that are names in Python. */
const RESERVED = new Set(
  "arguments await case catch const debugger default delete do enum eval export extends function implements in instanceof interface let new null package private protected public static super switch this throw typeof undefined var void true false with yield using".split(
    " ",
  ),
);

/** A variable's name, which stays as it is unless it is a word of JavaScript: `default_` */
export function variableText(name: string): string {
  return RESERVED.has(name) ? `${name}_` : name;
}

/** `a` or `"a-b"`, as a key of an object literal. */
export function keyText(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

export interface Line {
  readonly text: string;
  readonly indent: number;
  /** The line of Python that it says, from 1. */
  readonly python: number;
}
