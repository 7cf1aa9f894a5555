// Finds secrets in a program of TypeScript by the names that its literals get: declarators, fields, parameters' defaults,
// properties, headers, assignments, comparisons. Looks at the syntax tree, and not at lines. Does not know what a secret is
// called.
import type { Node } from "oxc-parser";
import { childrenOf } from "../typescript/walk.ts";
import type { FoundSecret } from "./found.ts";
import { type Demand, demandOf, isQualifier, isSecretGroup, isSecretValue, schemeLength } from "./names.ts";

/** A piece of a text that the program holds: where it stands, and what it says. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

const KIND = "under its name";
/** Methods whose result is their text in another form. */
const KEEPS_TEXT =
  /^(?:trim\w*|toString|concat|join|reverse|replace(?:All)?|to(?:Lower|Upper)Case|normalize|slice|valueOf)$/;
/** Functions that hand their text on: `Buffer.from("...")`. */
const HANDS_ON =
  /^(?:String|from|atob|btoa|(?:en|de)codeURIComponent|encode|decode|createSecretKey|Secret\w*|raw)$/;
/** `setToken("...")`; others, as `readToken("file")`, take no secret. */
const SETS = /^(?:set|with(?!out)|use|add|put|configure|register|keep|store|save|provide|assign)/i;
const SIGNS_IN = /^(?:login|log_?in|sign_?in|authenticate|basic_?auth)$/i;
/** Members beside which a `key` or a `pass` is one of somebody. */
const OF_SOMEBODY = /^(?:user(?:_?name)?|login|email|e_?mail|account)$/i;
const BESIDE_SOMEBODY = /^(?:pass|pw|pwd|pin|key|token|secret)$/i;

/** @param text the program that was parsed */
export function findInLiterals(program: Node, text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const keep = (pieces: readonly Piece[], demand: Demand) => {
    const whole = pieces.map(({ value }) => value).join("");
    if (!isSecretValue(whole, demand)) return;
    const isAlone = pieces.length === 1;
    for (const { start, end, value } of pieces) {
      const from = start + (isAlone ? schemeLength(value) : 0);
      if (end > from) found.push({ start: from, end, kind: KIND, inLiteral: true });
    }
  };
  const keepUnder = (name: string | null, value: Node | null | undefined): void => {
    if (name === null || !value) return;
    if (isSecretGroup(name)) for (const member of membersOf(value)) keepAll(member, "any");
    const demand = demandOf(name);
    if (demand === null) return;
    keepAll(value, demand);
    // `apiKey: { value: "..." }`
    for (const [member, one] of namedMembers(value))
      if (member !== null && isQualifier(member)) keepAll(one, demand);
  };
  const keepAll = (value: Node, demand: Demand): void => {
    for (const pieces of textsOf(value, text)) keep(pieces, demand);
    if (demand === "any" && value.type === "Literal" && typeof value.value === "number")
      keep(
        [{ start: value.start, end: value.end, value: /^\d{4,}$/.test(value.raw ?? "") ? value.raw! : "" }],
        demand,
      );
  };
  // A stack of our own: a program may nest deeper than functions do.
  const waiting: Node[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node, keepUnder, keepAll);
    waiting.push(...childrenOf(node));
  }
  return found;
}

function visit(
  node: Node,
  keepUnder: (name: string | null, value: Node | null | undefined) => void,
  keepAll: (value: Node, demand: Demand) => void,
): void {
  switch (node.type) {
    case "VariableDeclarator":
      return keepUnder(nameOf(node.id), node.init);
    case "PropertyDefinition":
    case "AccessorProperty":
      return keepUnder(nameOf(node.key), node.value);
    case "TSEnumMember":
      return keepUnder(nameOf(node.id), node.initializer);
    case "ObjectExpression":
      return visitObject(node, keepUnder, keepAll);
    case "Property":
      // `{ password: pw = "..." }` on the left.
      if (node.value.type === "AssignmentPattern") keepUnder(nameOf(node.key), node.value.right);
      return;
    case "AssignmentPattern":
    case "AssignmentExpression":
      return keepUnder(nameOf(node.left), node.right);
    case "BinaryExpression":
      if (!/^[!=]==?$/.test(node.operator)) return;
      keepUnder(nameOf(node.left), node.right);
      return keepUnder(nameOf(node.right), node.left);
    case "SwitchStatement":
      for (const { test } of node.cases) keepUnder(nameOf(node.discriminant), test);
      return;
    case "LogicalExpression":
      // `process.env.API_KEY ?? "..."`, whatever takes it.
      return node.operator === "&&" ? undefined : keepUnder(nameOf(node.left), node.right);
    case "JSXAttribute":
      return keepUnder(node.name.type === "JSXIdentifier" ? node.name.name : null, node.value);
    case "ArrayExpression":
      if (node.elements.length === 2) keepUnder(literalName(node.elements[0]), node.elements[1]);
      return;
    case "CallExpression":
    case "NewExpression":
      return visitCall(node, keepUnder, keepAll);
    case "FunctionDeclaration":
    case "FunctionExpression":
      if (node.id && node.body)
        for (const value of returnsOf(node.body)) keepUnder(returned(node.id.name), value);
      return;
    case "MethodDefinition":
      if (node.value.body)
        for (const value of returnsOf(node.value.body)) keepUnder(returned(nameOf(node.key)), value);
      return;
    default:
  }
}

function visitObject(
  node: Extract<Node, { type: "ObjectExpression" }>,
  keepUnder: (name: string | null, value: Node) => void,
  keepAll: (value: Node, demand: Demand) => void,
): void {
  const members = namedMembers(node);
  const isOfSomebody = members.some(([name]) => name !== null && OF_SOMEBODY.test(name));
  const named = members.find(([name]) => name === "name" || name === "key" || name === "header");
  for (const [name, value] of members) {
    keepUnder(name, value);
    if (isOfSomebody && name !== null && BESIDE_SOMEBODY.test(name)) keepAll(value, "any");
    // `{ name: "API_KEY", value: "..." }`
    if (named !== undefined && name === "value") keepUnder(literalName(named[1]), value);
  }
}

function visitCall(
  node: Extract<Node, { type: "CallExpression" | "NewExpression" }>,
  keepUnder: (name: string | null, value: Node) => void,
  keepAll: (value: Node, demand: Demand) => void,
): void {
  const { callee, arguments: given } = node;
  // `headers.set("X-Api-Key", "...")`
  for (const [at, value] of given.entries()) if (at > 0) keepUnder(literalName(given[at - 1]), value);
  const name = nameOf(callee);
  if (name === null) return;
  if (SETS.test(name) || node.type === "NewExpression")
    for (const value of given) if (demandOf(name) !== null) keepUnder(name, value);
  if (SIGNS_IN.test(name)) {
    const last = given.at(-1);
    if (last !== undefined) keepAll(last, given.length > 1 ? "any" : "plausible");
  }
}

/** `getApiKey` returns what its name says; `hasToken` does not. */
function returned(name: string | null): string | null {
  return name === null || /^(?:is|has|check|validate|verify|count|find|parse|format)/i.test(name)
    ? null
    : name;
}

function returnsOf(body: Node): Node[] {
  const found: Node[] = [];
  const waiting: Node[] = [body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "ReturnStatement") {
      if (node.argument) found.push(node.argument);
    } else if (
      !/Function|Class|MethodDefinition/.test(node.type) &&
      /Statement|Body|SwitchCase|CatchClause/.test(node.type)
    )
      waiting.push(...childrenOf(node));
  }
  return found;
}

/** The last name of what stands on the left, or before a colon. */
function nameOf(node: Node | null | undefined): string | null {
  switch (node?.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return node.name;
    case "Literal":
      return typeof node.value === "string" ? node.value : null;
    case "TemplateLiteral":
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? null) : null;
    case "MemberExpression":
      return nameOf(node.property);
    case "AssignmentPattern":
      return nameOf(node.left);
    case "TSParameterProperty":
      return nameOf(node.parameter);
    case "CallExpression": {
      // `env("API_KEY") ?? "..."`
      const [first] = node.arguments;
      return node.arguments.length === 1 ? literalName(first) : null;
    }
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
    case "ParenthesizedExpression":
    case "ChainExpression":
      return nameOf(node.expression);
    default:
      return null;
  }
}

const literalName = (node: Node | null | undefined): string | null =>
  node?.type === "Literal" || node?.type === "TemplateLiteral" ? nameOf(node) : null;

function namedMembers(node: Node): (readonly [string | null, Node])[] {
  if (node.type !== "ObjectExpression") return [];
  return node.properties.flatMap((property) =>
    property.type === "Property" ? [[nameOf(property.key), property.value] as const] : [],
  );
}

/** Values of an object's members, those of objects in it too. */
function membersOf(node: Node): Node[] {
  return namedMembers(node).flatMap(([, value]) => [value, ...membersOf(value)]);
}

/** Texts that an expression may give: each is the pieces that it is put together from. */
function textsOf(node: Node, text: string): Piece[][] {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string"
        ? [[{ start: node.start + 1, end: node.end - 1, value: node.value }]]
        : [];
    case "TemplateLiteral":
      return [node.quasis.map((quasi) => pieceOf(quasi, text))];
    case "TaggedTemplateExpression":
      return textsOf(node.quasi, text);
    case "JSXExpressionContainer":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
    case "TSTypeAssertion":
    case "ParenthesizedExpression":
      return textsOf(node.expression, text);
    case "AwaitExpression":
      return textsOf(node.argument, text);
    case "LogicalExpression":
      return [...textsOf(node.left, text), ...textsOf(node.right, text)];
    case "AssignmentExpression":
      return textsOf(node.right, text);
    case "ConditionalExpression":
      return [...textsOf(node.consequent, text), ...textsOf(node.alternate, text)];
    case "BinaryExpression":
      return node.operator === "+" ? [summandsOf(node).flatMap((one) => textsOf(one, text).flat())] : [];
    case "ArrayExpression": {
      const elements = node.elements.flatMap((one) => (one ? textsOf(one, text) : []));
      const isSpelt = elements.every((pieces) => pieces.every(({ value }) => value.length < 4));
      return isSpelt ? [elements.flat()] : elements;
    }
    case "ArrowFunctionExpression":
      return node.expression ? textsOf(node.body, text) : [];
    case "CallExpression":
    case "NewExpression":
      return textsOfCall(node, text);
    default:
      return [];
  }
}

function textsOfCall(
  node: Extract<Node, { type: "CallExpression" | "NewExpression" }>,
  text: string,
): Piece[][] {
  const name = nameOf(node.callee) ?? "";
  const [first] = node.arguments;
  if (HANDS_ON.test(name) && first !== undefined) return textsOf(first, text);
  if (!KEEPS_TEXT.test(name) || node.callee.type !== "MemberExpression") return [];
  const own = textsOf(node.callee.object, text);
  if (name === "join") return [own.flat()];
  return name === "concat" ? [[...own, ...node.arguments.flatMap((one) => textsOf(one, text))].flat()] : own;
}

/** `"a" + "b" + "c"`, which nests to the left, as deep as it is long. */
function summandsOf(node: Node): Node[] {
  const summands: Node[] = [];
  let left: Node = node;
  while (left.type === "BinaryExpression" && left.operator === "+") {
    summands.push(left.right);
    left = left.left;
  }
  return [left, ...summands.toReversed()];
}

function pieceOf(quasi: Extract<Node, { type: "TemplateElement" }>, text: string): Piece {
  const { raw, cooked } = quasi.value;
  // The place may count the backtick.
  const start = text.indexOf(raw, quasi.start);
  return { start, end: start + raw.length, value: cooked ?? raw };
}

/** Texts and comments of a program, which may hold other texts: commands, configuration, code that was taken out. */
export function textPiecesOf(program: Node, text: string): Piece[] {
  const pieces: Piece[] = [];
  const waiting: Node[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Literal" && typeof node.value === "string")
      pieces.push({ start: node.start + 1, end: node.end - 1, value: node.value });
    else if (node.type === "TemplateElement") pieces.push(pieceOf(node, text));
    else if (node.type === "JSXText") pieces.push({ start: node.start, end: node.end, value: node.value });
    waiting.push(...childrenOf(node));
  }
  return pieces;
}
