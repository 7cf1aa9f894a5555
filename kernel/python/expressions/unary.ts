// Converts operators of one value: -x, +x and ~x.
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { negatedComplex } from "./complex.ts";
import { isTensor } from "../kinds.ts";

/** `-x`, `~mask` */
export function unary(sign: string, value: Code): Code {
  if (isTensor(value.kind)) {
    if (sign === "+") return value;
    return code(`${receiver(value)}.${sign === "-" ? "neg" : "bitwiseNot"}()`, value.kind);
  }
  if (value.kind === "complex") return sign === "-" ? negatedComplex(value) : value;
  // JavaScript's own takes 32 bits.
  if (sign === "~" && value.kind !== "") return code(`${signed("-", value)} - 1`, "int", LEVEL.sum);
  const kind = value.kind === "boolean" ? "int" : value.kind;
  const result = code(signed(sign, value), kind, LEVEL.unary);
  return sign === "-" && kind === "" ? { ...result, negated: value } : result;
}

/** `--x` would be a decrement, and `-x ** 2` no expression. */
function signed(sign: string, value: Code): string {
  const inner = bound(value, LEVEL.unary);
  const isBracketed = inner.startsWith(sign) || value.level === LEVEL.power;
  return `${sign}${isBracketed ? `(${value.text})` : inner}`;
}
