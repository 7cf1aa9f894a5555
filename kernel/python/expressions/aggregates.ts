// Converts Python's functions that go over a list: sum, any, min, sorted and the sort of a list.
import { bound, type Code, code, LEVEL, receiver, returned } from "../code.ts";
import { type Context, helper, library, mark } from "../context.ts";
import { either, elementOf, isDict, isList, isNumber, isTensor, type Kind, listOf } from "../kinds.ts";
import { linesText } from "./methods.ts";
import { truth } from "./operators.ts";
import { type Arguments, written } from "./arguments.ts";
import type { Node } from "../source/syntax.ts";

export type Convert = (given: Arguments, context: Context, node: Node) => Code | null;

export const first = ({ positional }: Arguments): Code => positional[0]?.value ?? code('""');
export const keyword = ({ keywords }: Arguments, name: string): Code | undefined =>
  keywords.find((one) => one.name === name)?.value;

/** The argument as an array: a list, or the comprehension that stands in its place. */
export function listText(given: Arguments, context: Context): { text: string; kind: Kind } {
  if (given.comprehension !== null) {
    const { whole } = context.comprehension(given.comprehension);
    return { text: bound(whole, LEVEL.primary), kind: whole.kind };
  }
  const value = first(given);
  return { text: arrayText(value), kind: value.kind };
}

/** A value as an array, which a list is already. */
export function arrayText(value: Code): string {
  if (isList(value.kind)) return receiver(value);
  if (isDict(value.kind)) return `Object.keys(${value.text})`;
  if (value.kind === "file") return linesText(value.text);
  // TypeScript does not know what a method of an unknown value gives: the type of the elements is said.
  if (value.kind === "text" && value.text.endsWith(")")) return `Array.from<string>(${value.text})`;
  // A variable that is read once is declared as anything.
  return value.kind === "" || value.kind.startsWith("iterator")
    ? `Array.from<any>(${value.text})`
    : `Array.from(${value.text})`;
}

/** `sum(f(x) for x in xs)` and `sum(xs)` */
export function sum(given: Arguments, context: Context, node: Node): Code {
  const from = given.positional[1]?.value ?? keyword(given, "start") ?? code("0", "int");
  if (isList(from.kind)) {
    const list =
      given.comprehension === null ? first(given) : context.comprehension(given.comprehension).whole;
    return code(`[${from.text}, ...${list.text}].flat()`, from.kind);
  }
  const added = (element: Kind): Kind =>
    element === "boolean" ? "int" : isNumber(element) ? either(element, element) : "number";
  if (given.comprehension !== null) {
    const { source, parameters, element } = context.comprehension(given.comprehension);
    if (element.kind === "boolean" && from.text === "0")
      return {
        ...code(`${source}.filter((${parameters}) => ${returned(element)}).length`, "int"),
        isCount: true,
      };
    if (element.kind === "" && !context.isShownAlone) {
      const { whole } = context.comprehension(given.comprehension);
      return sumOf(whole.text, from, context);
    }
    if (element.kind === "") mark(context, node, "of tensors the sum is torch.stack(list).sum(0)");
    const isOfTensors = isTensor(element.kind);
    const body = isOfTensors ? `${receiver(element)}.add(total)` : `total + ${bound(element, LEVEL.product)}`;
    const type = isOfTensors ? ": any" : "";
    return code(
      `${source}.reduce((total${type}, ${parameters}) => ${body}, ${from.text})`,
      isOfTensors ? element.kind : added(element.kind),
    );
  }
  const value = first(given);
  const kind = elementOf(value.kind);
  if (isTensor(value.kind)) return code(`${receiver(value)}.sum(0)`, value.kind);
  if (kind === "" && !context.isShownAlone) return sumOf(value.text, from, context);
  if (kind === "") mark(context, node, "of tensors the sum is torch.stack(list).sum(0)");
  const body = isTensor(kind) ? "one.add(total)" : "total + one";
  const type = isNumber(kind) ? "" : ": any";
  return code(
    `${arrayText(value)}.reduce((total${type}, one${type}) => ${body}, ${from.text})`,
    isTensor(kind) ? kind : added(kind),
  );
}

/** Whether the sum is of numbers or of tensors shows when the cell runs. */
const sumOf = (list: string, from: Code, context: Context): Code =>
  code(`${helper(context, "sumOf")}(${from.text === "0" ? list : `${list}, ${from.text}`})`);

export const quantifier =
  (name: "every" | "some"): Convert =>
  (given, context) => {
    if (given.comprehension !== null) {
      const { source, parameters, element } = context.comprehension(given.comprehension);
      return code(`${source}.${name}((${parameters}) => ${returned(truth(element, context))})`, "boolean");
    }
    const value = first(given);
    if (isTensor(value.kind))
      return code(`${receiver(value)}.${name === "every" ? "all" : "any"}()`, "tensor");
    const isPlain = /^(boolean|text|int|float|number)$/.test(elementOf(value.kind));
    const test = isPlain ? "Boolean" : `(one: any) => ${helper(context, "isTruthy")}(one)`;
    return code(`${arrayText(value)}.${name}(${test})`, "boolean");
  };

export const extreme =
  (name: "min" | "max"): Convert =>
  (given, context, node) => {
    const key = keyword(given, "key");
    const isSeveral = given.comprehension === null && given.positional.length > 1;
    if (isSeveral && given.positional.some(({ value }) => isTensor(value.kind)))
      return code(
        `${library(context, "torch")}.${name}imum(${given.positional.map(written).join(", ")})`,
        "tensor",
      );
    const kinds = given.positional.map(({ value }) => value.kind);
    if (
      isSeveral &&
      key === undefined &&
      kinds.some(isNumber) &&
      kinds.every((kind) => isNumber(kind) || kind === "")
    )
      return code(`Math.${name}(${given.positional.map(written).join(", ")})`, kinds.reduce(either));
    const { text, kind } = isSeveral
      ? { text: `[${given.positional.map(written).join(", ")}]`, kind: listOf(kinds.reduce(either)) }
      : listText(given, context);
    const otherwise = keyword(given, "default");
    if (key === undefined && isTensor(kind)) return code(`${receiver(first(given))}.${name}()`, kind);
    const element = elementOf(isDict(kind) ? "list text" : kind);
    const sign = name === "min" ? "<" : ">";
    const isPlain = key === undefined && isNumber(element) && otherwise === undefined && !isSeveral;
    if (isPlain) return code(`Math.${name}(...${text})`, element);
    const of = key === undefined ? "" : `(${key.text})`;
    const test = `${helper(context, "orderOf")}(${of}(one), ${of}(best)) ${sign} 0`;
    const plain = element === "text" && key === undefined ? `one ${sign} best` : test;
    const best = `${text}.reduce((best: any, one: any) => (${plain} ? one : best))`;
    if (otherwise === undefined) return code(best, element);
    if (!/^[\w.]+$/.test(text))
      mark(context, node, `of an empty list this is an error, not ${otherwise.text}`);
    return code(
      `${text}.length === 0 ? ${otherwise.text} : ${best}`,
      either(element, otherwise.kind),
      LEVEL.arrow,
    );
  };

export function sorted(given: Arguments, context: Context): Code {
  const { text, kind } = listText(given, context);
  const element = isDict(kind) ? "text" : elementOf(kind);
  return code(`${text}.toSorted(${compareText(given, element, context)})`, listOf(element));
}

/** The function that a sort compares by. */
function compareText(given: Arguments, element: Kind, context: Context): string {
  const key = keyword(given, "key");
  const reverse = keyword(given, "reverse");
  const [a, b] = reverse !== undefined && reverse.text !== "false" ? ["b", "a"] : ["a", "b"];
  if (reverse !== undefined && !/^(true|false)$/.test(reverse.text)) {
    const turned = `${reverse.text} ? -1 : 1`;
    const value = (one: string): string => (key === undefined ? one : `(${key.text})(${one})`);
    return `(a: any, b: any) => ${helper(context, "orderOf")}(${value("a")}, ${value("b")}) * (${turned})`;
  }
  if (key !== undefined) {
    const typed = key.text.replace(/^\((\w+|\[[\w, ]+\])\) =>/, "($1: any) =>");
    const of = typed.includes("=>") ? `(${typed})` : typed;
    return `(a: any, b: any) => ${helper(context, "orderOf")}(${of}(${a}), ${of}(${b}))`;
  }
  if (isNumber(element)) return `(a, b) => ${a} - ${b}`;
  if (element === "text" && a === "a") return "";
  if (element === "text") return `(a, b) => (${a} < ${b} ? -1 : ${a} > ${b} ? 1 : 0)`;
  return `(a: any, b: any) => ${helper(context, "orderOf")}(${a}, ${b})`;
}

export const sortCall = (of: Code, given: Arguments, context: Context): Code =>
  code(`${receiver(of)}.sort(${compareText(given, elementOf(of.kind), context)})`, "none");
