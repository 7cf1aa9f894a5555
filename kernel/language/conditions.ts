// Finds tensors used as conditions: `if (x.gt(5).any())` tests an object, which is always true. TypeScript accepts any
// object there. So a second text of the cell passes each condition to a function that takes no tensor. A condition of
// type `x: Tensor | null` is allowed.
//
//     if (x.gt(5).any()) stop();
//     if (__mpslab_condition(x.gt(5).any())) stop();
import type { Node } from "oxc-parser";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { parseTypeScript } from "../cell/parse/parse.ts";
import { walk } from "../cell/parse/walk.ts";
import { type Surrounded, surround } from "./insertions.ts";
import { LIBRARY_TENSOR } from "./notebook.ts";

const CONDITION = `${RESERVED_PREFIX}condition`;
const REFUSED = "a tensor is no condition";

/** Stands above the cell, on the line of its imports. A type that is not known, `any` or a parameter, is let be. */
export const CONDITION_DECLARATION =
  `type ${CONDITION}_Problem<T> = 0 extends 1 & T ? unknown : [T] extends [never] ? unknown : ` +
  `[T] extends [${LIBRARY_TENSOR}] ? "${REFUSED}" : unknown; ` +
  `declare function ${CONDITION}<T>(value: T & ${CONDITION}_Problem<T>): T;`;

export interface Conditions extends Surrounded {
  /** Returns the problem of a condition, given the server's message and its offset in the checked text. */
  problem(message: string, start: number): ConditionProblem | null;
}

export interface ConditionProblem {
  readonly start: number;
  readonly end: number;
  /** A variable or a field may have another type than it says: an element that is not there has the type of one. */
  readonly category: "error" | "warning";
  readonly message: string;
}

/** Null if nothing in a condition can be a tensor, or the text cannot be parsed. */
export function withConditions(text: string): Conditions | null {
  if (!MAY_ASK.test(text)) return null;
  const { program, problem } = parseTypeScript(text);
  if (problem !== null) return null;
  const conditions = conditionsOf(program);
  if (conditions.length === 0) return null;
  const asked = surround(text, conditions, () => `${CONDITION}(`);
  return {
    ...asked,
    problem(message, start) {
      if (!message.includes(`& "${REFUSED}"`)) return null;
      const node = conditions.find((one) => asked.offset(one.start) === start);
      if (node === undefined) return null;
      const category = node.type === "CallExpression" ? "error" : "warning";
      const sentence = `A tensor is always true in a condition: ${instead(text, node, message)}.`;
      return { start: node.start, end: node.end, category, message: sentence };
    },
  };
}

const MAY_ASK = /\b(?:if|while|for)\b|[?!]|&&|\|\|/;

function instead(text: string, { start, end }: Node, message: string): string {
  const written = text.slice(start, end);
  if (/\bTensor<\[\]/.test(message) || /\.(?:any|all)\(\)$/.test(written)) return `write ${written}.item()`;
  return `write ${written}.item() for the value of a single one, ${written}.any().item() or ${written}.all().item() for several`;
}

/** Methods that return no tensor. A condition that calls one of them is correct and needs no second check. */
const ANSWERED: ReadonlySet<string> = new Set(["item", "equal", "allclose"]);

/** `x.any().item()`  ->  `item` */
function calledMethod({ callee }: Extract<Node, { type: "CallExpression" }>): string {
  return callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier"
    ? callee.property.name
    : "";
}

function conditionsOf(program: Node): Node[] {
  const found = new Set<Node>();
  const add = (node: Node | null): void => {
    if (node === null) return;
    if (node.type === "ParenthesizedExpression") add(node.expression);
    // The left operand is added when the walk reaches the expression itself.
    else if (node.type === "LogicalExpression" && node.operator !== "??") add(node.right);
    else if (
      (node.type === "CallExpression" && !ANSWERED.has(calledMethod(node))) ||
      node.type === "Identifier" ||
      (node.type === "MemberExpression" && !node.computed)
    )
      found.add(node);
  };
  walk(program, (node) => {
    switch (node.type) {
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
      case "ConditionalExpression":
        add(node.test);
        break;
      case "UnaryExpression":
        if (node.operator === "!") add(node.argument);
        break;
      case "LogicalExpression":
        if (node.operator !== "??") add(node.left);
        break;
      default:
    }
    return true;
  });
  return [...found];
}
