// Writes sets. JavaScript's own tells two lists of equal elements apart, which Python's tuples are not: if a cell has a set
// whose elements may be lists, its sets are made by a function that it brings along.
import { type Code, code, receiver } from "../code.ts";
import { type Context, helper } from "../context.ts";
import { elementOf, isNumber, type Kind } from "../kinds.ts";

const HOLDS_LISTS = "sets hold lists";

/** Notes the kind of an element that a set of the cell gets. */
export function noteElement(kind: Kind, { learned }: Context): void {
  const isPlain = isNumber(kind) || ["text", "boolean", "none", "device", "dtype"].includes(kind);
  if (!isPlain) learned.variables.set(HOLDS_LISTS, "boolean");
}

/** @param values what it is made of; empty for an empty set */
export function newSet(values: string, context: Context): string {
  const isOfLists = context.learned.variables.has(HOLDS_LISTS);
  return isOfLists ? `${helper(context, "setOf")}(${values})` : `new Set(${values})`;
}

/** A set of the elements of a list. */
export function setFrom(list: Pick<Code, "text" | "kind">, context: Context): Code {
  if (list.text !== "[]") noteElement(elementOf(list.kind), context);
  return code(newSet(list.text, context), "set");
}

/** `a | b`, `a & b`, `a - b` and `a ^ b` */
export function ofSets(operator: string, left: Code, right: Code, context: Context): Code {
  const made = (values: string): Code => code(newSet(values, context), "set");
  if (operator === "|") return made(`[...${left.text}, ...${right.text}]`);
  const test = (of: Code): string =>
    of.kind === "set" ? `${receiver(of)}.has(one)` : `${helper(context, "isIn")}(one, ${of.text})`;
  const without = (one: Code, other: Code): string => `[...${one.text}].filter((one) => !${test(other)})`;
  if (operator === "&") return made(`[...${left.text}].filter((one) => ${test(right)})`);
  if (operator === "-") return made(without(left, right));
  return made(`[...${without(left, right)}, ...${without(right, left)}]`);
}
