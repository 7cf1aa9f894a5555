// Finds functions that outlive the round of the loop that makes them, and read what the loop assigns: in Python all of them read
// the last value, in JavaScript each reads its own.
import { namesOf, type Node, visit } from "./syntax.ts";

export interface LateBound {
  readonly function: Node;
  readonly name: string;
}

export function lateBound(root: Node): LateBound[] {
  const found: LateBound[] = [];
  visit(root, (node) => {
    const start = node.children.findIndex(({ name }) => name === "for");
    if (start < 0) return;
    const end = node.children.findIndex(({ name }) => name === "in");
    const names = node.children.slice(start + 1, end).flatMap(namesOf);
    if (node.name === "ForStatement") {
      const body = node.children.find(({ name }) => name === "Body")!;
      const all = [...names, ...assignedIn(body)];
      for (const kept of keptFunctions(body)) found.push(...readers(kept, all));
      return;
    }
    // What a comprehension makes is kept, except of a call: sorted(xs, key=lambda x: f(x, i))
    for (const element of node.children.slice(0, start))
      visit(element, (one) => {
        if (one.name === "LambdaExpression") found.push(...readers(one, names));
        return one.name !== "CallExpression";
      });
  });
  return found;
}

function assignedIn(body: Node): string[] {
  const names: string[] = [];
  visit(body, (node) => {
    if (node.name === "AssignStatement") names.push(...namesOf(node.children[0]!));
    return node.name !== "FunctionDefinition" && node.name !== "LambdaExpression";
  });
  return names;
}

/** Functions of a body that a list, an object or a hook keeps. */
function keptFunctions(body: Node): Node[] {
  const definitions = new Map<string, Node>();
  const kept: Node[] = [];
  visit(body, (node) => {
    if (node.name === "FunctionDefinition")
      definitions.set(node.children.find(({ name }) => name === "VariableName")!.text, node);
    const isAppended =
      node.name === "CallExpression" && /\.(append|insert|add|register_\w+)$/.test(node.children[0]!.text);
    const isPlaced = node.name === "AssignStatement" && node.children[0]!.name === "MemberExpression";
    const values = isAppended ? [node.children.at(-1)!] : isPlaced ? node.children.slice(1) : [];
    for (const value of values)
      visit(value, (one) => {
        if (one.name === "LambdaExpression") kept.push(one);
        const definition = one.name === "VariableName" ? definitions.get(one.text) : undefined;
        if (definition !== undefined) kept.push(definition);
      });
  });
  return kept;
}

/** The names that a function reads when it runs; its parameters are its own. */
function readers(function_: Node, names: readonly string[]): LateBound[] {
  const list = function_.children.find(({ name }) => name === "ParamList");
  const own = new Set(
    (list?.children ?? []).filter(({ name }) => name === "VariableName").map(({ text }) => text),
  );
  const read = new Set<string>();
  visit(function_.children.at(-1)!, ({ name, text }) => {
    if (name === "VariableName" && names.includes(text) && !own.has(text)) read.add(text);
  });
  return [...read].map((name) => ({ function: function_, name }));
}
