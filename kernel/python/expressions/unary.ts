// Converts operators of one value: -x, +x and ~x.
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper } from "../context.ts";
import { negatedComplex } from "./complex.ts";
import { isTensor } from "../kinds.ts";

/** `-x`, `~mask` */
export function unary(sign: string, value: Code, context: Context): Code {
  if (isTensor(value.kind)) {
    if (sign === "+") return value;
    return code(`${receiver(value)}.${sign === "-" ? "neg" : "bitwiseNot"}()`, value.kind);
  }
  if (value.kind === "complex") return sign === "-" ? negatedComplex(value) : value;
  if (value.kind === "") return ofUnknown(sign, value, context);
  // JavaScript's own takes 32 bits.
  if (sign === "~") return code(`${signed("-", value)} - 1`, "int", LEVEL.sum);
  const kind = value.kind === "boolean" ? "int" : value.kind;
  return code(signed(sign, value), kind, LEVEL.unary);
}

/** JavaScript's own makes a number of a tensor with one element, without its gradient. */
function ofUnknown(sign: string, value: Code, context: Context): Code {
  if (sign === "+") return value;
  const name = helper(context, sign === "-" ? "negativeOf" : "invertedOf");
  const result = code(`${name}(${value.text})`, "");
  return sign === "-" ? { ...result, negated: value } : result;
}

/** `--x` would be a decrement, and `-x ** 2` no expression. */
function signed(sign: string, value: Code): string {
  const inner = bound(value, LEVEL.unary);
  const isBracketed = inner.startsWith(sign) || value.level === LEVEL.power;
  return `${sign}${isBracketed ? `(${value.text})` : inner}`;
}
