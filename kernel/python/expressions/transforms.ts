// Keywords of calls that pass through torch.func: `vmap(f)(x, scale=2)` and `functional_call(net, tensors, (x,), {"mask": m})`
// hand them to a function of the cell, which takes its arguments by place here. A keyword is not mapped and has no derivative.
import { type Arguments, written } from "./arguments.ts";
import { bound, type Code, code, LEVEL, type Transformed } from "../code.ts";
import { type Context, helper, mark, newName } from "../context.ts";
import { learnParameters } from "./own_calls.ts";
import { arrangeOwn } from "./own_arguments.ts";
import { operands, type Node } from "../source/syntax.ts";
import { valueOf } from "./literals.ts";

/** Transforms that hand keywords on; the others of torch.func take none. */
const HANDS_ON = /^torch\.(vmap|func\.(vmap|grad|grad_and_value))$/;

/**
 * What `vmap(f, in_dims=0)` transforms, or null.
 *
 * @param callee `torch.func.vmap`
 * @param all the text of its arguments, of which the function is the first
 */
export function transformedBy(
  path: string,
  callee: string,
  all: string,
  given: Arguments,
): Transformed | null {
  const first = given.positional[0]?.value;
  if (!HANDS_ON.test(path) || first === undefined || !all.startsWith(first.text)) return null;
  const of = first.transformed?.of ?? /^function (.*)$/.exec(first.kind)?.[1];
  if (of === undefined) return null;
  const options = all.slice(first.text.length);
  return {
    of,
    text: first.transformed?.text ?? first.text,
    with: (inner) => `${callee}(${first.transformed?.with(inner) ?? inner}${options})`,
  };
}

/** `vmap(f)(x, scale=2)` -> `torch.vmap((...given: any[]) => f(given[0], 2))(x)`; null where that cannot be written. */
export function withKeywords(callee: Code, given: Arguments, context: Context, node: Node): Code | null {
  const { transformed } = callee;
  if (transformed === undefined || given.keywords.length === 0 || given.spread !== null) return null;
  if (given.positional.some(({ spread }) => spread)) return null;
  learnParameters(transformed.of, given, context);
  const name = newName("given", context);
  const places = given.positional.map((one, at) => ({ ...one, value: code(`${name}[${at}]`) }));
  // What is computed is so before the function runs, where nothing is mapped.
  const before: { readonly name: string; readonly text: string }[] = [];
  const keywords = given.keywords.map((one) => {
    if (!one.value.text.includes("(")) return one;
    before.push({ name: newName(one.name, context), text: bound(one.value, LEVEL.arrow) });
    return { ...one, value: { ...one.value, text: before.at(-1)!.name } };
  });
  const parameters = context.learned.parameters.get(transformed.of)!;
  const inner = arrangeOwn(context, node, parameters, { ...given, positional: places, keywords });
  const made = transformed.with(`(...${name}: any[]) => ${transformed.text}(${inner})`);
  const all = given.positional.map(written).join(", ");
  if (before.length === 0) return code(`${made}(${all})`);
  const named = before.map((one) => `${one.name}: any`).join(", ");
  return code(`((${named}) => ${made})(${before.map(({ text }) => text).join(", ")})(${all})`);
}

/** The arguments of `functional_call` with the keywords of a class's own forward at their places. */
export function withForwardPlaces(
  forward: string,
  given: Arguments,
  context: Context,
  node: Node,
): Arguments {
  const [net, tensors, all, placed] = given.positional;
  const named = given.keywords.find(({ name }) => name === "kwargs");
  const keywords = placed ?? named;
  const parameters = context.learned.parameters.get(forward)!;
  if (net === undefined || tensors === undefined || all === undefined || keywords === undefined) return given;
  if (keywords.value.text === "null") return given;
  if (parameters.rest || parameters.keywords) {
    mark(context, node, "forward takes its arguments by place here: give them all in the list");
    return given;
  }
  const names = JSON.stringify(parameters.names);
  const fixed = fixedPlaces(all.node, keywords.node, parameters.names, context);
  const text =
    fixed ?? `${helper(context, "placedArguments")}(${all.value.text}, ${keywords.value.text}, ${names})`;
  const value = code(text, "list");
  return {
    ...given,
    positional: [net, tensors, { ...all, value }],
    keywords: given.keywords.filter((one) => one !== named),
  };
}

/** `(x,)` and `{"mask": m}` as they stand in the cell: `[x, m]` */
function fixedPlaces(all: Node, keywords: Node, names: readonly string[], context: Context): string | null {
  if (all.name !== "TupleExpression" || keywords.name !== "DictionaryExpression") return null;
  const texts = operands(all).map((one) => bound(context.expression(one), LEVEL.arrow));
  const inner = keywords.children.filter(({ name }) => !"{},:".includes(name));
  for (let at = 0; at < inner.length; at += 2) {
    const [key, value] = [inner[at]!, inner[at + 1]];
    const place = key.name === "String" ? names.indexOf(valueOf(key)) : -1;
    if (place < 0 || value === undefined) return null;
    while (texts.length < place) texts.push("undefined");
    texts[place] = bound(context.expression(value), LEVEL.arrow);
  }
  return `[${texts.join(", ")}]`;
}
