// Converts functools: `partial(f, 1)` is a function of the further arguments, and `reduce` goes over a list.
import { type Arguments, written } from "../expressions/arguments.ts";
import { arrayText } from "../expressions/aggregates.ts";
import { bound, type Code, code, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, helper, mark, type Parameters } from "../context.ts";
import { foundAt } from "../names/members.ts";
import { camelCase } from "../names/names.ts";
import { variableOf } from "../source/scope.ts";
import type { Node } from "../source/syntax.ts";

/** Whether a value is the same whenever it is read. */
function isFixed({ text }: Code, { scope }: Context): boolean {
  if (/^-?[\d.]+(?:e-?\d+)?$|^(?:true|false|null)$|^"[^"]*"$/.test(text)) return true;
  return /^\w+$/.test(text) && variableOf(scope, text)?.variable.assignments === 1;
}

/** The function that runs: `f`, or `new` for a class. */
function calleeOf({ kind, text }: Code, isCast: boolean): string {
  const isMade = kind.startsWith("class ") || foundAt(kind.replace(/^path /, ""))?.entry.made === true;
  return `${isMade ? "new " : ""}${isCast ? `(${text} as any)` : text}`;
}

/** `partial(nn.LayerNorm, eps=1e-6)` -> `(...rest: any[]) => new (nn.LayerNorm as any)(...rest, { eps: 1e-6 })` */
export function partial(given: Arguments, context: Context, node: Node): Code {
  const [of, ...first] = given.positional;
  if (of === undefined || of.spread || given.spread !== null) {
    mark(context, node, "a partial function is an arrow here: (x) => f(1, x)");
    return code("undefined");
  }
  const [, what, name = ""] = /^(class|function) (.*)$/.exec(of.value.kind) ?? [];
  const own = context.learned.parameters.get(what === "class" ? `${name}.__init__` : name);
  const texts = first.map(written);
  if (given.keywords.length === 0 && what !== "class" && calleeOf(of.value, false) === of.value.text)
    return code(`${helper(context, "partialOf")}(${[of.value.text, ...texts].join(", ")})`);
  const values = [...first, ...given.keywords];
  if (values.some(({ value }) => !isFixed(value, context)))
    mark(context, node, "Python reads these arguments once, and this function whenever it is called");
  if (own !== undefined && !own.rest && !own.keywords && !first.some(({ spread }) => spread))
    return ofOwn(of.value, own, texts, given);
  const fields = given.keywords.map(
    ({ name: key, value }) => `${keyText(camelCase(key))}: ${bound(value, LEVEL.arrow)}`,
  );
  const options = fields.length === 0 ? [] : [`{ ${fields.join(", ")} }`];
  const all = [...texts, "...rest", ...options].join(", ");
  return code(`(...rest: any[]) => ${calleeOf(of.value, true)}(${all})`, "", LEVEL.arrow);
}

/** A function of the cell: its further parameters one by one. */
function ofOwn(of: Code, { names }: Parameters, texts: readonly string[], given: Arguments): Code {
  const named = new Map(given.keywords.map(({ name, value }) => [name, bound(value, LEVEL.arrow)]));
  const open = names.slice(texts.length).filter((name) => !named.has(name));
  const all = names.map((name, at) => texts[at] ?? named.get(name) ?? name);
  return code(
    `(${open.map((name) => `${name}?: any`).join(", ")}) => ${calleeOf(of, false)}(${all.join(", ")})`,
    "",
    LEVEL.arrow,
  );
}

/** `reduce(f, list, start)` */
export function reduce(given: Arguments): Code {
  const [of = code("undefined"), list = code("[]"), start] = given.positional.map(({ value }) => value);
  const rest = start === undefined ? "" : `, ${bound(start, LEVEL.arrow)}`;
  return code(`${arrayText(list)}.reduce((total: any, one: any) => ${receiver(of)}(total, one)${rest})`);
}
