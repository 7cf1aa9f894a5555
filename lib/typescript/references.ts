// Finds where JavaScript refers to names of the outermost scope, and not to a parameter or a block's variable of the
// same name. Changes no code.
import type { Node } from "oxc-parser";
import { childrenOf, isFunction, isLoop, namesOf, walk, type FunctionNode } from "./walk.ts";

export interface Reference {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** `{ fetch }`, in a literal or a pattern: another name needs `fetch: ` before it. */
  readonly shorthand: boolean;
}

/**
 * References to `names`, their variables' declarations included. The names of functions, classes, imports and export
 * lists are left out: who moves those statements about names them.
 */
export function freeReferences(root: Node, names: { readonly has: (name: string) => boolean }): Reference[] {
  const references: Reference[] = [];
  visit(root, new Set(), false);
  return references;

  function visit(node: Node, shadowed: ReadonlySet<string>, shorthand: boolean): void {
    if (node.type === "Identifier") {
      const { name, start, end } = node;
      if (names.has(name) && !shadowed.has(name)) references.push({ name, start, end, shorthand });
      return;
    }
    if (node.type === "ImportDeclaration" || node.type === "ExportSpecifier") return;
    const own = declaredIn(node).filter((name) => names.has(name));
    const inside = own.length === 0 ? shadowed : new Set([...shadowed, ...own]);
    for (const child of childrenOf(node)) {
      if (isPlainName(node, child)) continue;
      const value = node.type === "Property" && node.shorthand;
      // In `{ fetch = 1 }` the value is a pattern with a default; its left side is the shorthand.
      const defaulted = shorthand && node.type === "AssignmentPattern" && child === node.left;
      visit(child, inside, value || defaulted);
    }
  }
}

/** Whether `child` is a name that refers to no variable, or one that `freeReferences` leaves out. */
function isPlainName(node: Node, child: Node): boolean {
  switch (node.type) {
    case "MemberExpression":
      return child === node.property && !node.computed;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return child === node.key && !node.computed;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
    case "ClassExpression":
      return child === node.id;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return child === node.label;
    case "MetaProperty":
      return true;
    default:
      return false;
  }
}

/** Names that a node's own scope declares. */
function declaredIn(node: Node): string[] {
  if (isFunction(node)) return declaredInFunction(node);
  if (isLoop(node)) return childrenOf(node).flatMap(lexicalNames);
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return node.body.flatMap(lexicalNames);
    case "SwitchStatement":
      return node.cases.flatMap((branch) => branch.consequent.flatMap(lexicalNames));
    case "CatchClause":
      return node.param ? namesOf(node.param) : [];
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

function declaredInFunction(node: FunctionNode): string[] {
  const names = node.params.flatMap(namesOf);
  if (node.type === "FunctionExpression" && node.id) names.push(node.id.name);
  if (!node.body) return names;
  walk(node.body, (inner) => {
    if (inner.type === "VariableDeclaration" && inner.kind === "var") {
      names.push(...inner.declarations.flatMap(({ id }) => namesOf(id)));
    }
    return !isFunction(inner);
  });
  return names;
}

function lexicalNames(node: Node): string[] {
  if (node.type === "VariableDeclaration") {
    return node.kind === "var" ? [] : node.declarations.flatMap(({ id }) => namesOf(id));
  }
  const named = node.type === "FunctionDeclaration" || node.type === "ClassDeclaration";
  return named && node.id ? [node.id.name] : [];
}
