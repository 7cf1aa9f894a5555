// Reads Python with Lezer's grammar, which gives a tree for any text. The parser is loaded when it is first used: most
// notebooks never need it.
import { createRequire } from "node:module";
import type { SyntaxNode as LezerNode } from "@lezer/common";
import type * as Grammar from "@lezer/python";

/** A node of the tree without what means nothing: comments, and the signs that only separate. */
export interface Node {
  /** The grammar's name: `CallExpression`, or the word itself for a keyword or a sign. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly children: readonly Node[];
}

export interface Comment {
  readonly from: number;
  /** The text behind the `#`. */
  readonly text: string;
}

export interface Tree {
  readonly root: Node;
  readonly comments: readonly Comment[];
  /** Where the text stops being Python, or null. */
  readonly errorAt: number | null;
}

const require = createRequire(import.meta.url);
let grammar: typeof Grammar | undefined;

export function parsePython(text: string): Tree {
  grammar ??= require("@lezer/python") as typeof Grammar;
  const comments: Comment[] = [];
  let errorAt: number | null = null;
  const read = (node: LezerNode): Node => {
    const children: Node[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.type.isError) errorAt ??= child.from;
      else if (child.name === "Comment")
        comments.push({ from: child.from, text: text.slice(child.from + 1, child.to) });
      else children.push(read(child));
    }
    const { name, from, to } = node;
    return regrouped({ name, from, to, text: text.slice(from, to), children }, text);
  };
  const root = read(grammar.parser.parse(text).topNode);
  return { root, comments, errorAt };
}

/**
 * Lezer's grammar binds `not` more loosely than `and` and `or`, Python more tightly: `not a and b` -> `(not a) and b`.
 *
 * @param text of the whole cell
 */
function regrouped(node: Node, text: string): Node {
  if (!isBoolean(node)) return node;
  const words = flattened(node);
  const made = (name: string, ...children: readonly Node[]): Node => {
    const [from, to] = [children[0]!.from, children.at(-1)!.to];
    return { name, from, to, text: text.slice(from, to), children };
  };
  const negation = (): Node => {
    const word = words.shift()!;
    return word.name === "not" ? made("UnaryExpression", word, negation()) : word;
  };
  const joined = (sign: string, part: () => Node): Node => {
    let left = part();
    while (words[0]?.name === sign) left = made("BinaryExpression", left, words.shift()!, part());
    return left;
  };
  return joined("or", () => joined("and", negation));
}

/** `not x`, `x and y` and `x or y` */
const isBoolean = ({ name, children }: Node): boolean =>
  (name === "UnaryExpression" && children[0]!.name === "not") ||
  (name === "BinaryExpression" && ["and", "or"].includes(children[1]!.name));

/** Operands and signs in the order of the text; what stands in brackets is one operand. */
function flattened(node: Node): Node[] {
  return isBoolean(node)
    ? node.children.flatMap((child) =>
        ["not", "and", "or"].includes(child.name) ? [child] : flattened(child),
      )
    : [node];
}

/** The children without brackets, commas and the like. */
export function operands(node: Node): Node[] {
  return node.children.filter(({ name }) => !SIGNS.has(name));
}

const SIGNS = new Set(["(", ")", "[", "]", "{", "}", ",", ":", ".", ";"]);

const COMPARISONS = new Set(["<", ">", "<=", ">=", "==", "!="]);

/** `x > 0`, `~(x > 0)`, `(x > 0) & m` */
export function isComparison(node: Node): boolean {
  if (node.name === "ParenthesizedExpression" || node.name === "UnaryExpression")
    return node.children[0]!.name !== "not" && isComparison(node.children[1]!);
  if (node.name !== "BinaryExpression") return false;
  const sign = node.children[1]!.text;
  return COMPARISONS.has(sign) || ("&|^".includes(sign) && node.children.some(isComparison));
}

/** Parts between commas, each a list of nodes: `a, *b, k=1` -> `[a] [* b] [k = 1]` */
export function parts(nodes: readonly Node[]): Node[][] {
  const found: Node[][] = [[]];
  for (const node of nodes) {
    if (node.name === ",") found.push([]);
    else found.at(-1)!.push(node);
  }
  return found.filter((part) => part.length > 0);
}

/** Visits a node and all inside it; a false answer leaves out what is inside. */
export function visit(node: Node, see: (node: Node) => boolean | void): void {
  if (see(node) === false) return;
  for (const child of node.children) visit(child, see);
}

/** The names that a target assigns: `a, (b, *c)`, and none for `x.y` and `x[0]`. */
export function namesOf(target: Node): string[] {
  if (target.name === "VariableName") return [target.text];
  if (["TupleExpression", "ArrayExpression", "ParenthesizedExpression"].includes(target.name))
    return target.children.flatMap(namesOf);
  return [];
}
