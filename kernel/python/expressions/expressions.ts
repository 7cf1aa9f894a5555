// Converts an expression by the kind of its node.
import { bound, type Code, code, LEVEL, returned } from "../code.ts";
import { callCode } from "./calls.ts";
import { comprehensionOf, dictComprehension } from "./comprehensions.ts";
import { type Context, mark } from "../context.ts";
import { either } from "../kinds.ts";
import {
  continuedCode,
  dictCode,
  formatCode,
  listCode,
  listOfParts,
  numberCode,
  setCode,
  textCode,
} from "./literals.ts";
import { memberCode, nameCode } from "../names/members.ts";
import { percentFormat } from "./methods.ts";
import { arithmetic, comparison, logical, negated, truth } from "./operators.ts";
import { parameter } from "../source/scope.ts";
import { isSubscript, subscriptCode } from "./subscripts.ts";
import { type Node, operands, parts } from "../source/syntax.ts";
import { setFrom } from "./sets.ts";
import { unary } from "./unary.ts";

export function expressionCode(node: Node, context: Context): Code {
  const convert = CONVERT[node.name];
  if (convert !== undefined) return convert(node, context);
  mark(context, node, `${node.text.split("\n")[0]} has no equal here`);
  return code("undefined");
}

/** A text here, which indices of tensors take. */
const ELLIPSIS = code('"..."', "text");

const withoutBrackets = ({ children }: Node): Node[] => children.slice(1, -1);

const CONVERT: Readonly<Record<string, (node: Node, context: Context) => Code>> = {
  VariableName: nameCode,
  Number: (node, context) => numberCode(node, context, node),
  String: textCode,
  FormatString: formatCode,
  ContinuedString: continuedCode,
  Boolean: ({ text }) => code(text === "True" ? "true" : "false", "boolean"),
  None: () => code("null", "none"),
  Ellipsis: () => ELLIPSIS,
  "...": () => ELLIPSIS,
  CallExpression: (node, context) => callCode(node, context),
  MemberExpression: (node, context) =>
    isSubscript(node) ? subscriptCode(node, context) : memberCode(node, context),
  ParenthesizedExpression: (node, context) => context.expression(node.children[1]!),
  TupleExpression: listCode,
  ArrayExpression: listCode,
  DictionaryExpression: dictCode,
  SetExpression: setCode,
  ComprehensionExpression: (node, context) => comprehensionOf(withoutBrackets(node), context).whole,
  ArrayComprehensionExpression: (node, context) => comprehensionOf(withoutBrackets(node), context).whole,
  SetComprehensionExpression: (node, context) =>
    setFrom(comprehensionOf(withoutBrackets(node), context).whole, context),
  DictionaryComprehensionExpression: (node, context) => dictComprehension(withoutBrackets(node), context),
  BinaryExpression: binary,
  UnaryExpression: (node, context) => {
    const value = context.expression(node.children[1]!);
    const sign = node.children[0]!.text;
    return sign === "not" ? negated(value, context) : unary(sign, value, context);
  },
  ConditionalExpression: conditional,
  LambdaExpression: lambda,
  AwaitExpression: (node, context) =>
    code(`await ${context.expression(node.children[1]!).text}`, "", LEVEL.unary),
  NamedExpression: (node, context) => {
    const [target, value] = [
      context.expression(node.children[0]!),
      context.expression(node.children.at(-1)!),
    ];
    const variable = context.scope.variables.get(node.children[0]!.text);
    if (variable !== undefined) variable.kind = value.kind;
    return code(`(${target.text} = ${value.text})`, value.kind);
  },
  YieldExpression: (node, context) => code(`yield ${yielded(node, context)}`, "", LEVEL.arrow - 1),
};

export function yielded(node: Node, context: Context): string {
  const inner = node.children.filter(({ name }) => name !== "yield");
  if (inner[0]?.name === "from") return `* ${context.expression(inner[1]!).text}`;
  return inner.length === 0 ? "" : valuesCode(inner, context).text;
}

/** `a, b` without brackets is a tuple. */
export function valuesCode(nodes: readonly Node[], context: Context): Code {
  const all = parts(nodes);
  const isTuple = all.length > 1 || nodes.at(-1)?.name === ",";
  return isTuple ? listOfParts(all, context) : context.expression(all[0]!.at(-1)!);
}

const COMPARISONS = new Set(["<", ">", "<=", ">=", "==", "!=", "in", "not in", "is", "is not"]);

function binary(node: Node, context: Context): Code {
  const operator = node.children
    .slice(1, -1)
    .map(({ text }) => text)
    .join(" ");
  const [left, right] = [node.children[0]!, node.children.at(-1)!];
  if (operator === "and" || operator === "or")
    return logical(operator, context.expression(left), context.expression(right), context);
  if (COMPARISONS.has(operator)) return compared(operator, left, right, context, node);
  const [a, b] = [context.expression(left), context.expression(right)];
  if (operator === "%" && a.kind === "text" && a.text.startsWith('"')) {
    const values = right.name === "TupleExpression" ? operands(right).map(context.expression) : [b];
    return percentFormat(a, values, context, node);
  }
  return arithmetic(operator, a, b, context, node);
}

/** `a < b < c` holds if `a < b` and `b < c`. */
function compared(operator: string, left: Node, right: Node, context: Context, node: Node): Code {
  const isChain = left.name === "BinaryExpression" && COMPARISONS.has(signOf(left));
  const b = context.expression(right);
  if (!isChain) return comparison(operator, context.expression(left), b, context, node);
  const before = context.expression(left);
  const last = left.children.at(-1)!;
  if (last.name === "CallExpression" && !last.text.startsWith("len("))
    mark(context, node, `${last.text} is called twice here: keep its result first`);
  const middle = context.expression(last);
  const after = comparison(operator, middle, b, context, node);
  return code(
    `${bound(truth(before, context), LEVEL.and)} && ${bound(truth(after, context), LEVEL.and + 1)}`,
    "boolean",
    LEVEL.and,
  );
}

const signOf = (node: Node): string =>
  node.children
    .slice(1, -1)
    .map(({ text }) => text)
    .join(" ");

function conditional(node: Node, context: Context): Code {
  const [yes, , test, , no] = node.children;
  const [a, b] = [context.expression(yes!), context.expression(no!)];
  const condition = bound(truth(context.expression(test!), context), LEVEL.or);
  const kind = either(a.kind, b.kind);
  const text = `${condition} ? ${bound(a, 3)} : ${bound(b, LEVEL.arrow)}`;
  const isNullable = [a.kind, b.kind].includes("none") && kind !== "none";
  return { ...code(text, kind, LEVEL.arrow), isNullable };
}

function lambda(node: Node, context: Context): Code {
  const list = node.children.find(({ name }) => name === "ParamList");
  const outer = context.scope;
  const variables = new Map(outer.variables);
  const names: string[] = [];
  for (const part of parts(list?.children ?? [])) {
    const name = part.find((one) => one.name === "VariableName")!;
    variables.set(name.text, parameter(context.learned.variables.get(`evidence ${name.text}`)));
    const value = part.findIndex((one) => one.name === "AssignOp");
    if (value >= 0 && part[value + 1]!.text === name.text)
      mark(
        context,
        node,
        `a default of its own name cannot be read here: each function keeps its own ${name.text}`,
      );
    const start = part[0]!.name === "*" ? "..." : "";
    names.push(`${start}${name.text}${value < 0 ? "" : ` = ${context.expression(part[value + 1]!).text}`}`);
  }
  context.scope = { ...outer, variables, parent: outer };
  try {
    const body = context.expression(node.children.at(-1)!);
    return code(`(${names.join(", ")}) => ${returned(body)}`, "", LEVEL.arrow);
  } finally {
    context.scope = outer;
  }
}
