// Rewrites top-level declarations for REPL mode, so that a later cell can declare any name again as anything else. V8
// allows that for `let` only. Its input has no types left, and enums are `var`.
//
//     const a = 1;           let a = 1;
//     class A {}             let A = class A {};
//     function f() {}        let f = function () {};     moved to the top, as JavaScript hoists it
//     var v = 1;             let v;                      at the top, unless an earlier cell has declared it
//                            void (v = 1);
//
// A function gets no name of its own, so that one that calls itself finds the function that a later cell puts there.
// A class keeps its own: static fields and blocks refer to it before the variable has its value.
import type { MagicString } from "magic-string";
import type { Node, Program, Statement, VariableDeclaration } from "oxc-parser";
import type { LoweredImport } from "./imports.ts";
import { childrenOf, isFunction, namesOf } from "../../../lib/typescript/walk.ts";

export interface TopLevel {
  readonly output: MagicString;
  readonly renames: ReadonlyMap<string, string>;
  readonly imports: readonly LoweredImport[];
  /** Variables that earlier cells left behind keep their values until this cell comes to give them new ones. */
  readonly isExisting: (name: string) => boolean;
  /** The block that the transformer put around a cell with a top-level `using`; its names are the cell's. */
  readonly usingBlock: Node | null;
}

/** Returns the names to declare by one `let` at the top. */
export function rewriteTopLevel(program: Program, cell: TopLevel): string[] {
  const imports = new Map<Node, LoweredImport>(cell.imports.map((one) => [one.node, one]));
  let previousEnd = 0;
  /** The offset at which the first statement that is not hoisted begins, its comments included. */
  let firstStep: number | null = null;
  for (const statement of program.body) {
    if (hoist(statement, imports, cell)) {
      if (firstStep !== null) cell.output.move(previousEnd, statement.end, firstStep);
    } else {
      firstStep ??= previousEnd;
      if (statement.type !== "ImportDeclaration") rewriteStatement(statement, cell);
    }
    previousEnd = statement.end;
  }
  const early = new Set<string>();
  rewriteVars(program, null, cell, early);
  const met = new Set<string>();
  for (const step of stepsOf(program, cell)) forgetEarlier(step, cell, met);
  return [...early].filter((name) => !cell.isExisting(name)).map((name) => variableOf({ name }, cell));
}

/** The statements of the cell, those in the block around `using` included. */
function* stepsOf(program: Program, { usingBlock }: TopLevel): Iterable<Node> {
  yield* program.body;
  if (usingBlock?.type === "BlockStatement") yield* usingBlock.body;
}

/**
 * A `var` that may stay without a value is `undefined` from its statement on, and not what an earlier cell left there:
 *
 *     if (late) { var rate = 1 }   ->   void (rate = undefined); if (late) { void (rate = 1); }
 */
function forgetEarlier(step: Node, cell: TopLevel, met: Set<string>): void {
  const declared = new Set<string>();
  const forgotten = new Set<string>();
  const visit = (node: Node): void => {
    if (isFunction(node) || node.type === "StaticBlock" || node === cell.usingBlock) return;
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      for (const { id, init } of node.declarations) {
        for (const name of namesOf(id)) {
          declared.add(name);
          if (node !== step || init === null || addsTo(init, name)) forgotten.add(name);
        }
      }
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(step);
  for (const name of forgotten) {
    if (!cell.isExisting(name) || met.has(name)) continue;
    cell.output.prependRight(step.start, `void (${variableOf({ name }, cell)} = undefined);\n`);
  }
  for (const name of declared) met.add(name);
}

/** Returns whether the initialiser is that of a lowered enum: `var E = function(E) { ... }(E || {})`. */
function addsTo(init: Node, name: string): boolean {
  const last = init.type === "CallExpression" ? init.arguments.at(-1) : undefined;
  return last?.type === "LogicalExpression" && last.left.type === "Identifier" && last.left.name === name;
}

/** Edits imports, and functions, which belong at the top; `false` for what stays where it is. */
function hoist(statement: Statement, imports: ReadonlyMap<Node, LoweredImport>, cell: TopLevel): boolean {
  const { output } = cell;
  const imported = imports.get(statement);
  if (imported !== undefined) {
    output.update(statement.start, statement.end, imported.code);
    return !imported.isLate;
  }
  const node = declarationOf(statement);
  if (node?.type !== "FunctionDeclaration" || !node.id) return false;
  if (node !== statement) output.remove(statement.start, node.start);
  const endOfKeyword = output.original.slice(0, node.id.start).trimEnd().length;
  output.remove(endOfKeyword, node.id.end);
  keepName(node.id, node, cell);
  output.prependRight(node.start, `let ${variableOf(node.id, cell)} = `);
  output.appendLeft(node.end, ";\n");
  return true;
}

function rewriteStatement(statement: Statement, cell: TopLevel): void {
  const { output } = cell;
  const node = declarationOf(statement);
  if (node === null) {
    // `export { a }` of a name that the cell declares: later cells see it without.
    output.remove(statement.start, statement.end);
    return;
  }
  if (node !== statement) output.remove(statement.start, node.start);
  if (node.type === "VariableDeclaration" && node.kind !== "var") {
    for (const { id, init } of node.declarations) keepName(id, init, cell);
    if (node.kind === "const") output.update(node.start, node.start + "const".length, "let");
  } else if (node.type === "ClassDeclaration" && node.id) {
    output.prependRight(node.start, `let ${variableOf(node.id, cell)} = `);
    output.appendLeft(node.end, ";");
  } else if (node.type === "ClassDeclaration" || node.type === "FunctionDeclaration") {
    // `export default class {}` has no name.
    output.prependRight(node.start, "(");
    output.appendLeft(node.end, ");");
  } else if (statement.type === "ExportDefaultDeclaration") {
    // `{ a: 1 }` would be a block.
    output.prependRight(node.start, "(");
    output.appendLeft(node.end, ")");
  }
}

function variableOf({ name }: { readonly name: string }, { renames }: TopLevel): string {
  return renames.get(name) ?? name;
}

/**
 * A function is called as its variable is, in stack traces too. One whose variable is renamed keeps the user's name:
 *
 *     let __mpslab_own_fetch = { fetch: async () => {} }.fetch;
 */
function keepName(id: Node, value: Node | null, { output, renames }: TopLevel): void {
  const nameless =
    value?.type === "ArrowFunctionExpression" ||
    value?.type === "FunctionDeclaration" ||
    ((value?.type === "FunctionExpression" || value?.type === "ClassExpression") && value.id === null);
  if (id.type !== "Identifier" || !renames.has(id.name) || !value || !nameless) return;
  output.prependRight(value.start, `{ ${id.name}: `);
  output.appendLeft(value.end, ` }.${id.name}`);
}

/**
 * Returns the declaration in an `export`, or `null` if the export only lists names. Returns any other statement itself.
 */
function declarationOf(statement: Statement): Node | null {
  const exports =
    statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return exports ? statement.declaration : statement;
}

/** `var` of the cell, in whatever block, and every declaration that stands directly in the block around `using`. */
function rewriteVars(node: Node, parent: Node | null, cell: TopLevel, early: Set<string>): void {
  if (node.type === "VariableDeclaration" && (node.kind === "var" || parent === cell.usingBlock)) {
    for (const { id, init } of node.declarations) {
      for (const name of namesOf(id)) early.add(name);
      keepName(id, init, cell);
    }
    assignInstead(node, parent, cell.output);
  }
  if (isFunction(node) || node.type === "StaticBlock") return;
  for (const child of childrenOf(node)) rewriteVars(child, node, cell, early);
}

/**
 *     var a = 1, b, { c } = d;        void (a = 1, { c } = d);
 *     for (var i = 0; ...) ...        for (i = 0; ...) ...
 *     for (var [k, v] of map) ...     for ([k, v] of map) ...
 */
function assignInstead(node: VariableDeclaration, parent: Node | null, output: MagicString): void {
  const { declarations, start, end } = node;
  const [first] = declarations;
  if (
    (parent?.type === "ForOfStatement" || parent?.type === "ForInStatement") &&
    first &&
    parent.left === node
  ) {
    output.remove(start, first.start);
    return;
  }
  const inHead = parent?.type === "ForStatement" && parent.init === node;
  const assigning = declarations.filter(({ init }) => init !== null);
  const firstAssigning = assigning[0];
  const lastAssigning = assigning.at(-1);
  if (!firstAssigning || !lastAssigning) {
    if (inHead) output.remove(start, end);
    else output.update(start, end, ";");
    return;
  }
  if (inHead) output.remove(start, firstAssigning.start);
  else output.update(start, firstAssigning.start, "void (");
  for (const [index, { end: previousEnd }] of assigning.entries()) {
    const next = assigning[index + 1];
    if (next) output.update(previousEnd, next.start, ", ");
  }
  if (!inHead) output.appendLeft(lastAssigning.end, ")");
  const lastEnd = declarations.at(-1)?.end ?? end;
  if (lastAssigning.end < lastEnd) output.remove(lastAssigning.end, lastEnd);
}
