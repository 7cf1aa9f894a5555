// Finds calls that may lose what a list spreads into them: `table.head(...rows)` of a list of two numbers is one number too many.
// TypeScript refuses it where the length is known or a parameter is required, and otherwise counts no elements. So a second text
// of the cell spreads many of them.
//
//     table.head(...rows);
//     table.head(...__mpslab_ask_spread(rows));
import type { Node } from "oxc-parser";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import type { ParsedText } from "../../../lib/typescript/parse.ts";
import { childrenOf } from "../../../lib/typescript/walk.ts";
import { type Asking, type Span, surrounded } from "./questions.ts";
import type { Problem } from "./trials.ts";

const ASK = `${RESERVED_PREFIX}ask_spread`;
/** More than a function without a rest parameter has parameters. */
const MANY = 16;
/** "A spread argument must either have a tuple type or be passed to a rest parameter." */
const SPREAD = 2556;
/** "Expected 0-1 arguments, but got 16." */
const SURPLUS = /^Expected (?:\d+-)?(\d+) arguments?, but got \d+\.$/;

/** A list of a length that its type tells stays as it is. */
export const SPREAD_DECLARATION =
  `type ${ASK}_Of<T> = [${"T, ".repeat(MANY)}]; ` +
  `declare function ${ASK}<T extends Iterable<unknown>>(list: T): T extends readonly unknown[] ? ` +
  `number extends T["length"] ? ${ASK}_Of<T[number]> : T : T extends Iterable<infer Element> ? ${ASK}_Of<Element> : never;`;

/** Null if no call spreads a list. */
export function spreadsOf({ text, program }: ParsedText): Asking<readonly Problem[]> | null {
  if (!text.includes("...")) return null;
  const spreads = spreadsIn(program);
  if (spreads.length === 0) return null;
  const { asked, places } = surrounded(
    text,
    spreads.map((node) => ({ node, call: ASK })),
  );
  const answers: Asking<readonly Problem[]>["answers"] = (errors) =>
    spreads.flatMap((node, index) => {
      const { start, end } = places[index]!;
      const isHere = (one: Span) =>
        one.start <= start && one.end >= end && one.start >= start - ASK.length - 4;
      const found = errors.find((one) => isHere(one) && SURPLUS.test(one.message));
      return found === undefined ? [] : [problemOf(text, node, Number(SURPLUS.exec(found.message)![1]))];
    });
  return { text: asked, answers };
}

function spreadsIn(node: Node): Node[] {
  const own =
    node.type === "CallExpression" || node.type === "NewExpression"
      ? node.arguments.flatMap((one) => (one.type === "SpreadElement" ? [one.argument] : []))
      : [];
  return [...own, ...childrenOf(node).flatMap(spreadsIn)];
}

function problemOf(text: string, { start, end }: Node, most: number): Problem {
  const list = text.slice(start, end);
  const message = `The call takes at most ${most} argument${most === 1 ? "" : "s"}, and ${list} may have more, which would be lost.`;
  return { start, end, code: SPREAD, category: "warning", message, known: "cause" };
}
