// Converts updates, `x += 1`: a tensor changes in place, a list grows, and a number is another one.
import { learn, noteAttribute } from "./assignments.ts";
import { bound, type Code, code, LEVEL, type Line, receiver } from "../code.ts";
import { type Context, helper, lineOf, mark } from "../context.ts";
import { valuesCode } from "../expressions/expressions.ts";
import { OPEN_OPERATORS } from "../expressions/operator_semantics.ts";
import { arithmetic, floatOperand, numeric } from "../expressions/operators.ts";
import { assignSubscript, computedTwice, isSubscript, updateTensor } from "../expressions/subscripts.ts";
import { isDict, isList, isNumber, isTensor, type Kind } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

/** What a tensor does in place; of @= Python makes a new one. */
const IN_PLACE: Readonly<Record<string, string>> = {
  "+": "add_",
  "-": "sub_",
  "*": "mul_",
  "/": "div_",
  "**": "pow_",
  "//": "floorDivide_",
  "%": "remainder_",
  "&": "bitwiseAnd_",
  "|": "bitwiseOr_",
  "^": "bitwiseXor_",
  "<<": "bitwiseLeftShift_",
  ">>": "bitwiseRightShift_",
};
const NATIVE = new Set(["+", "-", "*", "/"]);

/** `x += 1` */
export function update(node: Node, context: Context, indent: number): Line[] {
  const [target, sign, ...values] = node.children;
  const operator = sign!.text.slice(0, -1);
  const value = valuesCode(values, context);
  const text = updateText(target!, operator, value, context, node);
  return [{ text: `${text};`, indent, python: lineOf(context, node) }];
}

function updateText(target: Node, operator: string, value: Code, context: Context, node: Node): string {
  const method = IN_PLACE[operator] ?? null;
  const changed = (of: Code): Code => arithmetic(operator, of, value, context, node);
  const operand = (of: Code): Code => floatOperand(of, operator, value, context);
  if (isSubscript(target)) {
    const of = context.expression(target.children[0]!);
    const text = updateTensor(target, method, changed, operand(of), context);
    if (text !== null) return text;
  }
  const of = context.expression(target);
  if (isTensor(of.kind) && method !== null)
    return `${receiver(of)}.${method}(${bound(operand(of), LEVEL.arrow)})`;
  if ((isList(of.kind) || (of.kind === "" && isList(value.kind))) && operator === "+")
    return `${receiver(of)}.push(...${value.text})`;
  if (of.kind === "set" && ["|", "-", "&", "^"].includes(operator))
    return setUpdate(of, operator, value, context);
  if (isDict(of.kind) && operator === "|") return `Object.assign(${of.text}, ${value.text})`;
  if (isList(of.kind)) mark(context, node, `${of.text} is another list after this: in Python it is the same`);
  // An object may be changed through its other names.
  // Where such an entry is a tensor of several elements, the operator fails when the cell runs.
  const isOfDict = isSubscript(target) && operator !== "+" && /\["|, "/.test(of.text) && isNumber(value.kind);
  const isOpen = isOfDict
    ? false
    : of.kind === ""
      ? value.kind !== "text" && !isTensor(value.kind)
      : isNumber(of.kind) && value.kind === "";
  const open = isOpen && !context.isShownAlone ? OPEN_OPERATORS[operator] : undefined;
  if (isOpen && open === undefined) {
    const tensor = of.kind === "" ? `${receiver(of)}.${method ?? "matmul"}(${value.text})` : changed(of).text;
    mark(context, node, `of a tensor this is ${tensor}`);
  }
  const result =
    open !== undefined
      ? code(
          `${helper(context, "inPlace")}("${method}", ${helper(context, open.name)}, ${of.text}, ${bound(value, LEVEL.arrow)})`,
        )
      : isOpen || isOfDict
        ? numeric(operator, of, value, context, node)
        : changed(of);
  if (isSubscript(target)) {
    computedTwice(target, context);
    return assignSubscript(target, result, context);
  }
  if (target.name === "VariableName") learn(target.text, result.kind, context);
  else if (!isSubscript(target)) {
    const owner = context.expression(target.children[0]!).kind;
    if (owner.startsWith("object "))
      noteAttribute(owner.slice(7), target.children.at(-1)!.text, updatedKind(result, value), context);
  }
  const isPlain =
    NATIVE.has(operator) && !isTensor(result.kind) && result.text.startsWith(`${of.text} ${operator} `);
  return isPlain ? `${of.text} ${operator}= ${bound(value, LEVEL.arrow)}` : `${of.text} = ${result.text}`;
}

/** What an attribute holds after an update. A number makes a number of a number, which another pass may know that it is. */
const updatedKind = (result: Code, value: Code): Kind =>
  result.kind === "" && isNumber(value.kind) ? "number" : result.kind;

/** Sets stay the same object. */
function setUpdate(of: Code, operator: string, value: Code, context: Context): string {
  if (operator === "|") return `for (const one of ${value.text}) ${receiver(of)}.add(one)`;
  if (operator === "-") return `for (const one of [...${value.text}]) ${receiver(of)}.delete(one)`;
  const test = `${helper(context, "isIn")}(one, ${value.text})`;
  if (operator === "&") return `for (const one of [...${of.text}]) if (!${test}) ${receiver(of)}.delete(one)`;
  return `for (const one of [...${value.text}]) if (!${receiver(of)}.delete(one)) ${receiver(of)}.add(one)`;
}
