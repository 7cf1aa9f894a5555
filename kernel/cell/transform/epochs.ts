// Decides which loops of a cell are epoch loops. The code around such a loop is described by `EpochLoop` in names.ts
// and written by checks.ts.
//
// The rule: the loop's variable is called `epoch` or `ep`, or the loop has no variable of its own and its body counts a
// variable of that name, or a comment with @epoch stands before the loop; a comment with @no-flush excludes it. If epoch
// loops are nested, the outermost one counts. A loop over `lab.epochs(...)` is one whatever its variable and its comments,
// if that `lab` is the library's, which the session checks.
import type { Comment, Expression, Node, Program } from "oxc-parser";
import {
  childrenOf,
  isFunction,
  isLoop,
  namesOf,
  walk,
  type LoopNode,
} from "../../../lib/typescript/walk.ts";

export interface FoundEpochLoop {
  readonly loop: LoopNode;
  /** The loop, or its outermost label: what the inserted code has to surround, so that labels still name the loop. */
  readonly statement: Node;
  readonly variable: string;
  /** Whether the loop is over `lab.epochs(...)`. */
  readonly explicit: boolean;
  /** Why it was taken for one, where neither its head nor a comment says so; null if they do. */
  readonly guess: string | null;
}

const BRANCHES: ReadonlySet<Node["type"]> = new Set([
  "IfStatement",
  "SwitchStatement",
  "ConditionalExpression",
  "LogicalExpression",
  "CatchClause",
]);

const EPOCH_NAMES: ReadonlySet<string> = new Set(["epoch", "ep"]);

export function findEpochLoops(
  program: Program,
  comments: readonly Comment[],
  code: string,
): FoundEpochLoop[] {
  const found: FoundEpochLoop[] = [];
  visit(program, null, false);
  return found;

  function visit(node: Node, label: Node | null, inside: boolean): void {
    let within = inside;
    if (isLoop(node)) {
      const statement = label ?? node;
      const before =
        commentsBefore(statement.start, comments, code) + commentsBefore(node.start, comments, code);
      const kind = inside ? "none" : kindOf(node, before);
      if (kind !== "none") {
        const variable = variableOf(node) ?? countedInBody(node) ?? "epoch";
        const guess =
          kind === "guessed" ? `its body changes ${variable}; // @no-flush before it says no` : null;
        found.push({ loop: node, statement, variable, explicit: kind === "explicit", guess });
      }
      within ||= kind !== "none";
    }
    // A function in an epoch loop may be called after it, so its loops count anew.
    if (isFunction(node)) within = false;
    const labelOfChild = node.type === "LabeledStatement" ? (label ?? node) : null;
    for (const child of childrenOf(node)) visit(child, labelOfChild, within);
  }
}

function kindOf(loop: LoopNode, comments: string): "none" | "implied" | "guessed" | "explicit" {
  if (loop.type === "ForOfStatement" && isLabEpochs(loop.right)) return "explicit";
  if (/@no-flush\b/.test(comments)) return "none";
  if (variableOf(loop) !== null || /@epoch\b/.test(comments)) return "implied";
  const counted = countedInBody(loop);
  if (counted === null) return "none";
  return testOf(loop) !== null && mentions(testOf(loop)!, counted) ? "implied" : "guessed";
}

/** `while (epoch < n)`, `do ... while`, `for (;;)`: the loops whose heads declare no variable. */
function testOf(loop: LoopNode): Node | null {
  return loop.type === "WhileStatement" || loop.type === "DoWhileStatement" || loop.type === "ForStatement"
    ? loop.test
    : null;
}

/**
 * The epoch that a loop without a variable of its own counts: `epoch++`, `epoch += 1` or `epoch = ...` at each round. Under a
 * condition, in an inner loop or in a function it is not the loop's round that is counted.
 */
function countedInBody(loop: LoopNode): string | null {
  if (loop.type === "ForOfStatement" || loop.type === "ForInStatement" || loopVariables(loop).length > 0)
    return null;
  let counted: string | null = null;
  for (const part of childrenOf(loop)) {
    walk(part, (node) => {
      if (isFunction(node) || isLoop(node) || BRANCHES.has(node.type)) return false;
      const target = assignedBy(node);
      if (target?.type === "Identifier" && EPOCH_NAMES.has(target.name)) counted ??= target.name;
      return counted === null;
    });
  }
  return counted;
}

function assignedBy(node: Node): Node | null {
  if (node.type === "UpdateExpression") return node.argument;
  return node.type === "AssignmentExpression" ? node.left : null;
}

function mentions(expression: Node, name: string): boolean {
  let found = false;
  walk(expression, (node) => {
    found ||= node.type === "Identifier" && node.name === name;
    return !found;
  });
  return found;
}

/** The loop's variable if it is called like an epoch. */
function variableOf(loop: LoopNode): string | null {
  return loopVariables(loop).find((name) => EPOCH_NAMES.has(name)) ?? null;
}

function loopVariables(loop: LoopNode): string[] {
  if (loop.type === "WhileStatement" || loop.type === "DoWhileStatement") return [];
  const head: Node | null = loop.type === "ForStatement" ? loop.init : loop.left;
  if (head === null) return [];
  if (head.type === "VariableDeclaration") return head.declarations.flatMap(({ id }) => namesOf(id));
  // `for (epoch = start; ...)` and `for (epoch of list)`, with a variable from before.
  return namesOf(head.type === "AssignmentExpression" ? head.left : head);
}

/** `lab.epochs(...)`, however `lab` is reached. */
function isLabEpochs(expression: Expression): boolean {
  if (expression.type !== "CallExpression" || expression.callee.type !== "MemberExpression") return false;
  const { object, property } = expression.callee;
  if (property.type !== "Identifier" || property.name !== "epochs") return false;
  const owner = object.type === "MemberExpression" ? object.property : object;
  return owner.type === "Identifier" && owner.name === "lab";
}

/** The text of the comments that stand directly before an offset. */
function commentsBefore(offset: number, comments: readonly Comment[], code: string): string {
  let text = "";
  let start = offset;
  for (const comment of comments.toReversed()) {
    if (comment.end > start) continue;
    if (code.slice(comment.end, start).trim() !== "") break;
    text = `${comment.value}\n${text}`;
    start = comment.start;
  }
  return text;
}
