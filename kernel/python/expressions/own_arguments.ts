// Writes the arguments of a call of the cell's own functions, whose parameters the cell says, and of functions of which
// nothing is known.
import { type Arguments, written } from "./arguments.ts";
import { bound, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, mark, type Parameters } from "../context.ts";
import type { Node } from "../source/syntax.ts";

/** The arguments of a call of the cell's own function: by place, with `undefined` where a default holds. */
export function arrangeOwn(
  context: Context,
  node: Node,
  { names, rest, placed, keywords: open }: Parameters,
  given: Arguments,
): string {
  const texts = given.positional.map(written);
  const isSpread = given.positional.some(({ spread }) => spread);
  if (isSpread && (rest || given.keywords.length > 0 || given.spread !== null))
    mark(context, node, "which parameters a list with a star fills is not known here: give them one by one");
  const others = rest ? texts.splice(placed) : [];
  const fields: string[] = [];
  for (const { name, value } of given.keywords) {
    const at = names.indexOf(name);
    if (at < 0) {
      if (!open) mark(context, node, `the function has no parameter ${name}`);
      fields.push(value.text === name ? name : `${keyText(name)}: ${bound(value, LEVEL.arrow)}`);
      continue;
    }
    while (texts.length < at) texts.push("undefined");
    texts[at] = bound(value, LEVEL.arrow);
  }
  if (given.spread !== null) {
    fields.push(`...${receiver(given.spread)}`);
    if (!open) mark(context, node, "keywords of an object with two stars are given one by one here");
  }
  const object = fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  if (fields.length > 0 || others.length > 0) {
    while (texts.length < names.length) texts.push("undefined");
    if (open || fields.length > 0) texts.push(object);
  }
  return [...texts, ...others].join(", ");
}

/**
 * The arguments of a function of which nothing is known: keywords go into a last object.
 *
 * @param call null where a mark says already that the function is not here
 */
export function arrangeUnknown(context: Context, node: Node, call: string | null, given: Arguments): string {
  const texts = given.positional.map(written);
  const fields = given.keywords.map(({ name, value }) =>
    value.text === name ? name : `${keyText(name)}: ${bound(value, LEVEL.arrow)}`,
  );
  if (given.spread !== null) fields.push(`...${receiver(given.spread)}`);
  if (fields.length > 0) {
    if (call !== null)
      mark(context, node, `${call} is not of this cell: its keywords went into a last object`);
    texts.push(`{ ${fields.join(", ")} }`);
  }
  return texts.join(", ");
}
