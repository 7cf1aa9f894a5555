// Finds what the debugger needs to know about the syntax of code: where statements begin, and whether an error thrown
// at a place is caught there.
import type { Node, Program } from "oxc-parser";
import { parseSync } from "../../lib/typescript/oxc.ts";
import { nestsTooDeeply } from "../../lib/typescript/depth.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { isFunction, namesOf, walk } from "../../lib/typescript/walk.ts";
import type { ScriptPosition } from "./inspector.ts";

/** No step begins at these, but at what is inside them. */
const CONTAINERS: ReadonlySet<Node["type"]> = new Set([
  "BlockStatement",
  "EmptyStatement",
  "FunctionDeclaration",
  "LabeledStatement",
  "Program",
  "TryStatement",
]);

/** These have variables of their own. */
const SCOPES = /^(?:BlockStatement|For\w*Statement|SwitchStatement|CatchClause|StaticBlock|ClassBody)$/;

/** Offsets at which steps begin, in the order of the code. Empty for code that does not parse. */
export function stepStarts(code: string): number[] {
  const program = parsed(code);
  if (program === null) return [];
  const starts: number[] = [];
  walk(program, (node) => {
    const isStep =
      /(?:Statement|VariableDeclaration|Definition)$/.test(node.type) && !CONTAINERS.has(node.type);
    if (isStep) starts.push(node.start);
    if (node.type === "ArrowFunctionExpression" && node.body?.type !== "BlockStatement")
      starts.push(node.body.start);
  });
  return starts.toSorted((a, b) => a - b);
}

/** The compiler writes such a `catch` around the rounds of an epoch loop. */
const RETHROWS = `throw ${RESERVED_PREFIX}error`;

/** Whether a `try` with a `catch` of the function around the position catches what is thrown there. */
export function isCaughtAt(code: string, { lineNumber, columnNumber }: ScriptPosition): boolean {
  const program = parsed(code);
  if (program === null) return false;
  const offset = ([...code.matchAll(/^/gm)][lineNumber]?.index ?? code.length) + columnNumber;
  let caught = false;
  walk(program, (node) => {
    if (offset < node.start || offset >= node.end) return false;
    if (isFunction(node)) caught = false;
    if (node.type === "TryStatement" && offset < node.block.end && node.handler !== null)
      caught ||= !code.slice(node.handler.start, node.handler.end).includes(RETHROWS);
    return true;
  });
  return caught;
}

/** Whether the offset is inside no function and no block. */
export function isAtTopLevel(code: string, offset: number): boolean {
  const program = parsed(code);
  if (program === null) return false;
  let found = true;
  walk(program, (node) => {
    if (offset < node.start || offset >= node.end) return false;
    if (isFunction(node) || SCOPES.test(node.type)) found = false;
    return found;
  });
  return found;
}

/**
 * Names that have no value yet where the code is paused, because all their declarations end below. Node 20 reads such a
 * name as undefined; later versions throw.
 */
export function undeclaredAt(code: string, offset: number): ReadonlySet<string> {
  const program = parsed(code);
  const below = new Set<string>();
  const above = new Set<string>();
  if (program === null) return below;
  walk(program, (node) => {
    if (node.type === "VariableDeclaration" && node.kind !== "var")
      for (const { id, end } of node.declarations)
        for (const name of namesOf(id)) (end > offset ? below : above).add(name);
    if (node.type === "ClassDeclaration" && node.id) (node.end > offset ? below : above).add(node.id.name);
  });
  return new Set([...below].filter((name) => !above.has(name)));
}

function parsed(code: string): Program | null {
  if (nestsTooDeeply(code)) return null;
  for (const sourceType of ["module", "script", "commonjs"] as const) {
    const { program, errors } = parseSync("code.js", code, { sourceType });
    if (errors.length === 0) return program;
  }
  return null;
}
