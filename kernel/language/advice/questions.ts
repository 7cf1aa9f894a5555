// Finds tensors where JavaScript's operators and conditions take any object: `a === b` compares no elements, `-a` is NaN,
// and `if (x.gt(5).any())` is always true. TypeScript accepts all of them. So a second text of the cell passes each
// operand and each condition to a function that takes no tensor.
//
//     if (x.gt(5).any()) stop();
//     if (__mpslab_ask(x.gt(5).any())) stop();
import type { Node } from "oxc-parser";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import type { ParsedText } from "../../../lib/typescript/parse.ts";
import { childrenOf } from "../../../lib/typescript/walk.ts";
import { LIBRARY_TENSOR } from "../notebook.ts";

const ASK = `${RESERVED_PREFIX}ask`;
const ASK_TEXT = `${RESERVED_PREFIX}ask_text`;
const ASK_SAME = `${RESERVED_PREFIX}ask_same`;
const SINGLE = "a tensor of one element";
const SEVERAL = "a tensor of several elements";
const UNKNOWN = "a tensor of any shape";
const TEXT = "a text";
const DATE = "a date";
const NUMBERS = "a list of numbers";

/**
 * Stands above the cell, on the line of its imports. Accepts types that are not known, such as `any` or a type
 * parameter.
 */
export const QUESTION_DECLARATION =
  `type ${ASK}_Of<T> = 0 extends 1 & T ? unknown : [T] extends [never] ? unknown : [T] extends [${LIBRARY_TENSOR}] ` +
  `? T extends ${LIBRARY_TENSOR}<infer Shape> ? 0 extends 1 & Shape ? "${UNKNOWN}" : Shape extends readonly [] ? "${SINGLE}" : "${SEVERAL}" : unknown : unknown; ` +
  `declare function ${ASK}<T>(value: T & ${ASK}_Of<T>): T; ` +
  `declare function ${ASK_TEXT}<T>(value: T & (0 extends 1 & T ? unknown : [T] extends [string] ? { readonly answer: "${TEXT}" } : unknown)): T; ` +
  `declare function ${ASK_SAME}<T>(value: T & (0 extends 1 & T ? unknown : [NonNullable<T>] extends [never] ? unknown ` +
  `: [NonNullable<T>] extends [Date] ? { readonly answer: "${DATE}" } : [T] extends [readonly number[]] ? { readonly answer: "${NUMBERS}" } : unknown)): T;`;

export type Answer = "single" | "several" | "unknown" | "text" | "date" | "numbers";

const ANSWERS: Readonly<Record<string, Answer>> = {
  [SINGLE]: "single",
  [SEVERAL]: "several",
  [UNKNOWN]: "unknown",
  [TEXT]: "text",
  [DATE]: "date",
  [NUMBERS]: "numbers",
};

/** The question that an answer is to; tensors' own is no other's. */
const ASKED: Partial<Readonly<Record<Answer, string>>> = {
  text: ASK_TEXT,
  date: ASK_SAME,
  numbers: ASK_SAME,
};
const ANSWER = new RegExp(`"(${Object.keys(ANSWERS).join("|")})"`);

type Role = "condition" | "operand";

interface Question {
  readonly node: Node;
  /** The operator or the statement whose operand or condition is asked about. */
  readonly of: Node;
  readonly role: Role;
  readonly call: string;
}

/** A second text of a cell, from whose errors something is learnt about the cell. */
export interface Asking<Learnt> {
  /** The cell's text with the calls inserted. */
  readonly text: string;
  /** What is learnt from the server's errors with offsets in that text. */
  answers(errors: readonly AskedError[]): Learnt;
}

interface AskedError extends Span {
  readonly message: string;
}

export interface Answers {
  /** Operators that are themselves conditions. `loose` ones are operands of an && or || that is used as a value. */
  readonly tested: ReadonlyMap<Node, "test" | "loose">;
  /** Conditions that are tensors. */
  readonly conditions: readonly { readonly node: Node; readonly of: Node; readonly answer: Answer }[];
  /** Operators with a tensor among their operands, and what is known of each operand. */
  readonly operators: ReadonlyMap<Node, ReadonlyMap<Node, Answer>>;
  /** Comparisons of two dates, or of two lists of which one is a shape, as objects. */
  readonly identities: readonly { readonly node: BinaryExpression; readonly answer: Answer }[];
}

type BinaryExpression = Extract<Node, { type: "BinaryExpression" }>;

/**
 * Null if there is nothing to ask.
 *
 * @param isWide whether to ask about operators that TypeScript itself refuses too, which is needed only if it refused
 * one
 */
export function questionsOf({ text, program }: ParsedText, isWide: boolean): Asking<Answers> | null {
  if (!MAY_ASK.test(text)) return null;
  const { questions, tested } = questionsIn(program, isWide);
  if (questions.length === 0) return null;
  const { asked, places } = surrounded(text, questions);
  return { text: asked, answers: (errors) => ({ tested, ...answered(questions, places, errors) }) };
}

const MAY_ASK = /\b(?:if|while|for)\b|[-?!+*/%<>~&|^=]/;
const OPERATORS = new Set("+ - * / % ** < <= > >= == != === !== & | ^".split(" "));
/** Operators that TypeScript accepts between any two objects, or between an object and `any`. */
const SILENT = new Set("+ < <= > >= == != === !==".split(" "));
const ASSIGNMENTS = new Set("+= -= *= /= %= **= &= |= ^=".split(" "));

function questionsIn(program: Node, isWide: boolean): Asked {
  const found: Question[] = [];
  const tested = new Map<Node, "test" | "loose">();
  /** The logical operators in conditions. */
  const logical = new Set<Node>();
  const ask = (node: Node, of: Node, role: Role, call = ASK): void => {
    if (MAY_BE_TENSOR.has(node.type) && (call === ASK_SAME || !isAnswered(node)))
      found.push({ node, of, role, call });
  };
  const condition = (node: Node | null, of: Node, isTest = true): void => {
    if (node?.type === "ParenthesizedExpression") condition(node.expression, of, isTest);
    // The left operand is asked about when the walk reaches the expression itself.
    else if (node?.type === "LogicalExpression" && node.operator !== "??") {
      if (isTest) logical.add(node);
      condition(node.right, of, isTest);
    } else if (node?.type === "BinaryExpression") tested.set(node, isTest ? "test" : "loose");
    else if (node !== null) ask(node, of, "condition");
  };
  const visit = (node: Node): void => {
    switch (node.type) {
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
      case "ConditionalExpression":
        condition(node.test, node);
        break;
      case "ForInStatement":
        ask(node.right, node, "condition");
        break;
      case "LogicalExpression":
        if (node.operator === "??") break;
        condition(node.left, node, logical.has(node));
        if (!logical.has(node) && node.right.type === "BinaryExpression") tested.set(node.right, "loose");
        break;
      case "UnaryExpression":
        if (node.operator === "!") condition(node.argument, node);
        else if ("-+~".includes(node.operator)) ask(node.argument, node, "operand");
        break;
      case "BinaryExpression":
        if (!(isWide ? OPERATORS : SILENT).has(node.operator)) break;
        if (isNothing(node.left) || isNothing(node.right)) break;
        if (!isWide && [node.left, node.right].some((operand) => operand.type === "Literal")) break;
        for (const operand of [node.left, node.right]) {
          ask(operand, node, "operand");
          if (node.operator === "+") ask(operand, node, "operand", ASK_TEXT);
          if (/^[=!]/.test(node.operator)) ask(operand, node, "operand", ASK_SAME);
        }
        break;
      case "AssignmentExpression":
        if (isWide && ASSIGNMENTS.has(node.operator)) ask(node.right, node, "operand");
        break;
      default:
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return { questions: found, tested };
}

const MAY_BE_TENSOR: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "AwaitExpression",
  "CallExpression",
  "Identifier",
  "MemberExpression",
  "NewExpression",
  "ParenthesizedExpression",
  "TSNonNullExpression",
]);

/** Members that are no tensors: an operand like `x.item()` needs no question. */
const NO_TENSORS: ReadonlySet<string> = new Set(
  "item equal allclose length size dim numel ndim name".split(" "),
);

function isAnswered(node: Node): boolean {
  const member = node.type === "CallExpression" ? node.callee : node;
  if (member.type !== "MemberExpression" || member.computed) return false;
  return member.property.type === "Identifier" && NO_TENSORS.has(member.property.name);
}

/** `x === null` */
function isNothing(node: Node): boolean {
  return (
    (node.type === "Literal" && node.value === null && !("regex" in node)) ||
    (node.type === "Identifier" && node.name === "undefined")
  );
}

interface Asked {
  readonly questions: Question[];
  readonly tested: Map<Node, "test" | "loose">;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The calls around nodes that begin or end at the same offset are nested, the longer node outside. */
export function surrounded(
  text: string,
  questions: readonly Pick<Question, "node" | "call">[],
): { asked: string; places: Span[] } {
  const length = ({ node }: Pick<Question, "node">) => node.end - node.start;
  const order = questions.map((question, index) => ({ question, index }));
  const marks = [
    ...order.map((one) => ({ ...one, at: one.question.node.start, isOpening: true })),
    ...order.map((one) => ({ ...one, at: one.question.node.end, isOpening: false })),
  ].toSorted(
    (a, b) =>
      a.at - b.at ||
      Number(a.isOpening) - Number(b.isOpening) ||
      (a.isOpening ? 1 : -1) * (length(b.question) - length(a.question) || a.index - b.index),
  );
  const starts: number[] = [];
  const places: Span[] = [];
  let asked = "";
  let last = 0;
  for (const { question, index, at, isOpening } of marks) {
    asked += text.slice(last, at);
    last = at;
    if (isOpening) {
      asked += `${question.call}(`;
      starts[index] = asked.length;
    } else {
      places[index] = { start: starts[index]!, end: asked.length };
      asked += ")";
    }
  }
  return { asked: asked + text.slice(last), places };
}

function answered(
  questions: readonly Question[],
  places: readonly Span[],
  errors: readonly AskedError[],
): Omit<Answers, "tested"> {
  const conditions: { node: Node; of: Node; answer: Answer }[] = [];
  const operators = new Map<Node, Map<Node, Answer>>();
  const identities: { node: BinaryExpression; answer: Answer }[] = [];
  const compared = new Map<Node, Answer>();
  for (const [index, { node, of, role, call }] of questions.entries()) {
    const { start, end } = places[index]!;
    const error = errors.find((one) => one.start === start && one.end === end && ANSWER.test(one.message));
    const answer = error && ANSWERS[ANSWER.exec(error.message)![1]!];
    if (answer === undefined || (ASKED[answer] ?? ASK) !== call) continue;
    if (role === "condition") conditions.push({ node, of, answer });
    else if (call === ASK_SAME && of.type === "BinaryExpression") {
      const isSecond = compared.get(of) === answer;
      const isOfShape = [of.left, of.right].some(isShape);
      if (isSecond && (answer === "date" || isOfShape)) identities.push({ node: of, answer });
      compared.set(of, answer);
    } else operators.set(of, (operators.get(of) ?? new Map<Node, Answer>()).set(node, answer));
  }
  for (const [of, operands] of operators) {
    const isOfTensor = [...operands.values()].some((answer) => answer !== "text");
    const isText = [...operands.values()].includes("text");
    if (!isOfTensor || isText || (of.type === "BinaryExpression" && isTextLiteral(of))) operators.delete(of);
  }
  return { conditions, operators, identities };
}

/** `x.shape`, `x.size()`: a list that is made at each call. */
function isShape(node: Node): boolean {
  const member = node.type === "CallExpression" ? node.callee : node;
  if (member.type !== "MemberExpression" || member.property.type !== "Identifier") return false;
  return /^(?:shape|size|stride)$/.test(member.property.name);
}

/** `"loss: " + loss` is a valid string in JavaScript. */
function isTextLiteral({ operator, left, right }: Extract<Node, { type: "BinaryExpression" }>): boolean {
  const isText = (node: Node): boolean =>
    node.type === "TemplateLiteral" ||
    (node.type === "Literal" && typeof node.value === "string") ||
    (node.type === "ParenthesizedExpression" && isText(node.expression)) ||
    (node.type === "BinaryExpression" && node.operator === "+" && (isText(node.left) || isText(node.right)));
  return operator === "+" && (isText(left) || isText(right));
}
