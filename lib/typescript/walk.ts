// Walks a syntax tree through the fields that hold child nodes.
import type {
  ArrowFunctionExpression,
  DoWhileStatement,
  ForInStatement,
  ForOfStatement,
  ForStatement,
  Function as PlainFunction,
  Node,
  WhileStatement,
} from "oxc-parser";
import { childFields } from "./oxc.ts";

/** Children of a node in source order. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  const fields = node as unknown as Record<string, Node | (Node | null)[] | null | undefined>;
  for (const key of childFields(node.type)) {
    const value = fields[key];
    if (Array.isArray(value)) {
      for (const item of value) if (item) children.push(item);
    } else if (value) children.push(value);
  }
  return children;
}

/** Calls `visit` for the node and all below it, parents first; where it returns `false`, for none below. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

export type FunctionNode = PlainFunction | ArrowFunctionExpression;

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

export type LoopNode = ForStatement | ForOfStatement | ForInStatement | WhileStatement | DoWhileStatement;

export function isLoop(node: Node): node is LoopNode {
  return (
    node.type === "ForStatement" ||
    node.type === "ForOfStatement" ||
    node.type === "ForInStatement" ||
    node.type === "WhileStatement" ||
    node.type === "DoWhileStatement"
  );
}

/** Names that a binding pattern declares: `{ a, b: [c, ...d] }` -> a, c, d. */
export function namesOf(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element ? namesOf(element) : []));
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    case "TSParameterProperty":
      return namesOf(pattern.parameter);
    default:
      return [];
  }
}
