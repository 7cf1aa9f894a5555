// Converts statements and blocks.
import { assignment, hoisted, importedType, markOwnNames } from "./assignments.ts";
import { classLines } from "./classes.ts";
import { bound, type Code, LEVEL, type Line, variableText } from "../code.ts";
import { type Context, lastLine, lineOf, mark, need } from "../context.ts";
import { yielded, valuesCode } from "../expressions/expressions.ts";
import { documentation, functionLines } from "./functions.ts";
import { importLines } from "../names/imports.ts";
import { forLines, whileLines } from "./loops.ts";
import { isTensor } from "../kinds.ts";
import { truth } from "../expressions/operators.ts";
import { deleteText, isSubscript } from "../expressions/subscripts.ts";
import { type Node, operands, parts } from "../source/syntax.ts";
import { tryLines, raiseText } from "./exceptions.ts";
import { withLines } from "./with.ts";
import { update } from "./updates.ts";

/** The statements of a body or of the cell; a body's docstring stands above it already. */
export function blockLines(body: Node, context: Context, indent: number): Line[] {
  const statements = body.children.filter(({ name }) => name !== ":");
  const isOfFunction = body.name === "Body" && indent > 0;
  return statements.flatMap((statement, at) => {
    const text = at === 0 ? documentation(statement) : null;
    if (text !== null) return isOfFunction ? [] : commentLines(text, indent, lineOf(context, statement));
    const lines = markedLines(statement, context, indent);
    return isApart(statements[at - 1], statement, context)
      ? [blank(statements[at - 1]!, context), ...lines]
      : lines;
  });
}

/** Whether an empty line stands between two statements. */
function isApart(before: Node | undefined, after: Node, { text }: Context): boolean {
  return (
    before !== undefined &&
    /\n[ \t]*\n/.test(text.slice(before.from + before.text.trimEnd().length, after.from))
  );
}

function blank(before: Node, context: Context): Line {
  return { text: "", indent: 0, python: lastLine(context, before) };
}

function commentLines(text: string, indent: number, python: number): Line[] {
  return text.split("\n").map((line) => ({ text: `// ${line.trim()}`.trimEnd(), indent, python }));
}

/** A statement with the marks of its own above it. */
function markedLines(statement: Node, context: Context, indent: number): Line[] {
  const before = context.marks.length;
  const above = hoisted(statement, context, indent);
  if (context.scope.parent === null) markOwnNames(statement, context);
  const isCompound =
    statement.children.some(({ name }) => name === "Body") || statement.name === "DecoratedStatement";
  const lines = statementLines(statement, context, indent);
  // Those inside a block stand above their own statements.
  const said = new Set([...lines].map(({ text }) => text));
  const marks = context.marks
    .slice(before)
    .map(({ line, message }) => ({
      text: `// TODO: python line ${line}: ${message}`,
      indent,
      python: lineOf(context, statement),
    }))
    .filter(({ text }) => !isCompound || !said.has(text));
  return [...marks, ...above, ...lines];
}

function statementLines(node: Node, context: Context, indent: number): Line[] {
  const python = lineOf(context, node);
  const line = (text: string): Line[] => [{ text, indent, python }];
  const rest = node.children.slice(1);
  if (context.argumentParsers.leftOut.has(node)) return [];
  switch (node.name) {
    case "ExpressionStatement":
      return expressionLines(node, context, indent);
    case "AssignStatement":
      return assignment(node, context, indent);
    case "UpdateStatement":
      return update(node, context, indent);
    case "StatementGroup":
      return node.children
        .filter(({ name }) => name !== ";")
        .flatMap((child) => markedLines(child, context, indent));
    case "PassStatement":
    case "ScopeStatement":
      return [];
    case "BreakStatement": {
      const flag = context.breakFlags.at(-1);
      return [...(flag ? line(`${flag} = true;`) : []), ...line("break;")];
    }
    case "ContinueStatement":
      return line("continue;");
    case "ReturnStatement":
      return line(returnText(rest, context));
    case "YieldStatement":
      return line(`yield ${yielded(node, context)};`);
    case "RaiseStatement":
      return line(raiseText(node, context));
    case "AssertStatement": {
      need(context, "node:assert", "default", "assert");
      const [test, message] = parts(rest).map(([one]) => context.expression(one!));
      return line(
        `assert(${truth(test!, context).text}${message === undefined ? "" : `, ${message.text}`});`,
      );
    }
    case "DeleteStatement":
      return operands({ ...node, children: rest }).flatMap((target) =>
        deleted(target, context, indent, python),
      );
    case "ImportStatement":
      return importLines(node, context).flatMap(line);
    case "IfStatement":
      return ifLines(node, context, indent);
    case "ForStatement":
      return forLines(node, context, indent);
    case "WhileStatement":
      return whileLines(node, context, indent);
    case "WithStatement":
      return withLines(node, context, indent);
    case "TryStatement":
      return tryLines(node, context, indent);
    case "FunctionDefinition":
      return functionLines(node, context, indent);
    case "ClassDefinition":
      return classLines(node, context, indent);
    case "DecoratedStatement":
      return node.children.at(-1)!.name === "ClassDefinition"
        ? classLines(node.children.at(-1)!, context, indent, node.children.slice(0, -1))
        : functionLines(node.children.at(-1)!, context, indent, node.children.slice(0, -1));
    default:
      mark(context, node, `this has no equal here: ${node.text.split("\n")[0]}`);
      return [];
  }
}

function expressionLines(node: Node, context: Context, indent: number): Line[] {
  const value = valuesCode(node.children, context);
  const python = lineOf(context, node);
  if (value.text === "undefined") return [];
  // A literal alone would be a block.
  const text = value.text.startsWith("{") ? `(${value.text})` : value.text;
  return [{ text: `${text};`, indent, python }];
}

function returnText(nodes: readonly Node[], context: Context): string {
  if (nodes.length === 0) return "return;";
  const value = valuesCode(nodes, context);
  context.returned.push(value.kind);
  const all = parts(nodes);
  const text = bound(value, LEVEL.arrow);
  // `return logits, None`: who gave the targets reads the loss without asking whether it is there.
  const open =
    all.length > 1 && !/["`]/.test(text) ? text.replace(/(?<=[[,] ?)null(?=[,\]])/g, "null as any") : text;
  return `return ${open}${tupleType(all, value, context)};`;
}

/** ` as const` behind several values of several kinds, which stay apart. */
function tupleType(all: readonly (readonly Node[])[], value: Code, context: Context): string {
  const isOfParts = all.length > 1 && !all.some(([first]) => first?.name === "*");
  const isMixed = value.kind.startsWith("tuple ") || (isOfParts && value.kind === "list");
  if (!isMixed || !value.text.startsWith("[")) return "";
  // A literal would be of its own type for good: what is returned is a number, not 0.
  if (!all.flat().some(({ name }) => LITERALS.has(name))) return " as const";
  if (!isOfParts) return ` as ${importedType(value.kind, context)}`;
  const types = all.map((part) => importedType(context.expression(part.at(-1)!).kind, context));
  return ` as [${types.join(", ")}]`;
}

const LITERALS = new Set(["Number", "Boolean", "ArrayExpression", "DictionaryExpression", "UnaryExpression"]);

/** `del x` ends a name in Python. Here it frees a tensor, or takes a key out of an object. */
function deleted(target: Node, context: Context, indent: number, python: number): Line[] {
  if (isSubscript(target)) return [{ text: `${deleteText(target, context)};`, indent, python }];
  const value = context.expression(target);
  if (isTensor(value.kind)) return [{ text: `${value.text}.dispose();`, indent, python }];
  if (target.name === "MemberExpression") return [{ text: `${value.text} = null;`, indent, python }];
  return [{ text: `// ${variableText(target.text)} is freed when nothing refers to it.`, indent, python }];
}

function ifLines(node: Node, context: Context, indent: number): Line[] {
  if (/^if\s+__name__\s*==/.test(node.text))
    return context.block(
      node.children.find(({ name }) => name === "Body")!,
      indent,
    );
  const lines: Line[] = [];
  const { children } = node;
  for (let at = 0; at < children.length;) {
    const word = children[at]!.name;
    const hasTest = word === "if" || word === "elif";
    const test = hasTest ? children[at + 1]! : null;
    const body = children[at + (hasTest ? 2 : 1)]!;
    const condition = test === null ? null : truth(context.expression(test), context);
    const opening = word === "if" ? "if" : word === "elif" ? "} else if" : "} else";
    const text = `${opening}${condition === null ? "" : ` (${condition.text})`} {`;
    lines.push({ text, indent, python: lineOf(context, test ?? body) });
    lines.push(...context.block(body, indent + 1));
    at += hasTest ? 3 : 2;
  }
  return [...lines, { text: "}", indent, python: lastLine(context, node) }];
}
