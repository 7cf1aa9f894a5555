// Finds products that may have more digits than a number has here: Python's whole numbers have no end, and these end at 2 ** 53.
import type { Code } from "../code.ts";
import { type Context, mark } from "../context.ts";
import type { Node } from "../source/syntax.ts";

/** `(a * b) % m`, where the product may have more digits than a number here. A short factor makes none. */
export function factorsOf(node: Node): [Node, Node] | null {
  if (node.name === "ParenthesizedExpression") return factorsOf(node.children[1]!);
  const [one, sign, other] = node.children;
  if (node.name !== "BinaryExpression" || sign!.text !== "*") return null;
  return [one!, other!].some(({ text }) => /^\d{1,6}$/.test(text)) ? null : [one!, other!];
}

/** `(a * 1103515245 + c) % m`: a product that is past the whole numbers that there are. */
export function largeProduct({ text }: Code, context: Context, node: Node): void {
  if (text.includes("*") && /\d{7,}|0x[\da-f]{6,}/i.test(text))
    mark(context, node, "whole numbers above 2 ** 53 lose digits here: use BigInt");
}
