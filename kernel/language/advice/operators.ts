// Turns operators and conditions on tensors into errors that name the method that was meant.
import type { Node } from "oxc-parser";
import type { Candidate } from "./advice.ts";
import OPERATOR_METHODS from "./operator_methods.json" with { type: "json" };
import { type Place, receiver, replacing, written } from "./place.ts";
import type { Answer, Answers } from "./questions.ts";
import type { Problem } from "./trials.ts";

type Text = Pick<Place, "text">;

const METHODS: Readonly<Record<string, string>> = OPERATOR_METHODS;

/** The operator with the same meaning when the operands are swapped. */
const SWAPPED: Readonly<Record<string, string>> = {
  ...Object.fromEntries("+ * == === != !== & | ^".split(" ").map((operator) => [operator, operator])),
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};

const NO_NUMBER = "A tensor is no number";
const NO_ELEMENTS = "It compares no elements (Object.is(a, b) asks whether both are one tensor)";

/**
 * "Operator '+' cannot be applied to types 'Tensor' and 'number'.": the code is the same for every operator that
 * tensors lack.
 */
const NO_OPERATOR = 2365;
/** TypeScript's own errors about an operator, or about one operand. */
export const OPERATOR_CODES: ReadonlySet<number> = new Set([2356, 2362, 2363, 2365, 2367]);

/** Problems of the operators that have tensors for operands. */
export function operatorProblems({ operators, tested }: Answers, text: string): Problem[] {
  const place = { text };
  return [...operators].map(([node, operands]) => {
    const { start, end } = node;
    const symbol = "operator" in node ? node.operator : "";
    const message = `A tensor has no operator ${symbol}.`;
    const offers = offersFor(node, operands, place, tested.get(node));
    return { start, end, code: NO_OPERATOR, category: "error", message, offers };
  });
}

function offersFor(
  node: Node,
  operands: ReadonlyMap<Node, Answer>,
  place: Text,
  tested: "test" | "loose" | undefined,
): Candidate[] {
  if (node.type === "UnaryExpression") return unary(node, operands.get(node.argument), place);
  if (node.type === "AssignmentExpression") return assigned(node, place);
  if (node.type !== "BinaryExpression") return [];
  const { left, right, operator } = node;
  const isLeft = operands.has(left);
  const isEquality = /^[=!]==?$/.test(operator);
  const sentence = isEquality && operands.size === 2 ? NO_ELEMENTS : NO_NUMBER;
  const call = calling(operator, left, right, isLeft, place);
  const elements = call === null ? [] : [replacing(node, call, sentence, true)];
  if (tested === undefined) return elements;
  const isSingle = [...operands.values()].every((answer) => answer === "single");
  if (tested === "loose" && !isSingle) return []; // Of two tensors, && gives one whole: what was meant is not known.
  const offers: Candidate[] = [];
  const isKnownSeveral = [...operands.values()].includes("several");
  if (isEquality && operands.size === 2 && [...operands.values()].some((answer) => answer !== "single")) {
    const not = operator.startsWith("!") ? "!" : "";
    offers.push(
      replacing(node, `${not}${receiver(place, left)}.equal(${written(place, right)})`, sentence, true),
    );
  }
  if (isKnownSeveral && /^[<>=!]/.test(operator))
    offers.push(
      replacing(node, `${call}.all().item()`, `${NO_NUMBER} (any() asks whether one element is so)`, true),
    );
  if (isKnownSeveral) return offers;
  const values = [left, right].map((operand) =>
    operands.has(operand) ? `${receiver(place, operand)}.item()` : written(place, operand),
  );
  return [...offers, replacing(node, values.join(` ${operator} `), NO_NUMBER, true)];
}

function calling(operator: string, left: Node, right: Node, isLeft: boolean, place: Text): string | null {
  const method = METHODS[isLeft ? operator : (SWAPPED[operator] ?? "")];
  const [tensor, other] = isLeft ? [left, right] : [right, left];
  const given = other.type === "ParenthesizedExpression" ? other.expression : other;
  if (method !== undefined) return `${receiver(place, tensor)}.${method}(${written(place, given)})`;
  if (operator === "-") return `${receiver(place, right)}.neg().add(${written(place, given)})`;
  if (operator === "/") return `${receiver(place, right)}.reciprocal().mul(${written(place, given)})`;
  return operator === "**" ? `torch.tensor(${written(place, given)}).pow(${written(place, right)})` : null;
}

function unary(
  node: Extract<Node, { type: "UnaryExpression" }>,
  answer: Answer | undefined,
  place: Text,
): Candidate[] {
  const { operator, argument } = node;
  const tensor = receiver(place, argument);
  const method =
    operator === "-" ? ".neg()" : operator === "~" ? ".bitwiseNot()" : answer === "single" ? ".item()" : "";
  return [replacing(node, `${tensor}${method}`, NO_NUMBER, true)];
}

/** `total += loss`, `x += y` */
export function assigned(node: Extract<Node, { type: "AssignmentExpression" }>, place: Text): Candidate[] {
  const [name, value] = [written(place, node.left), written(place, node.right)];
  const method = METHODS[node.operator.slice(0, -1)];
  const item = replacing(
    node,
    `${name} ${node.operator} ${receiver(place, node.right)}.item()`,
    NO_NUMBER,
    true,
  );
  if (method === undefined) return [item];
  return [
    { ...item, tried: `${name} ${node.operator} (${written(place, node.right)}).item()` },
    replacing(node, `${name} = ${name}.${method}(${value})`, NO_NUMBER, true),
    replacing(node, `${name}.${method}_(${value})`, NO_NUMBER, true),
  ];
}

/** "This condition will always return 'false' since JavaScript compares objects by reference, not value." */
const COMPARES_OBJECTS = 2839;

export function identityProblems({ identities }: Answers, text: string): Problem[] {
  const place = { text };
  return identities.map(({ node, answer }) => {
    const { start, end, operator, left, right } = node;
    const [what, method] = answer === "date" ? ["dates", "?.getTime()"] : ["lists", ".join()"];
    const message = `${operator} compares two ${what} as objects (Object.is(a, b) asks whether both are one).`;
    const offer = (of: string) => {
      const values = [left, right].map((operand) => `${receiver(place, operand)}${of}`);
      return replacing(node, values.join(` ${operator} `), `${message.slice(0, -1)}`, true);
    };
    const offers = [offer(method.replace("?", "")), offer(method)];
    return { start, end, code: COMPARES_OBJECTS, category: "error", message, offers };
  });
}

/** "An expression of this kind is always truthy." */
const ALWAYS_TRUE = 2872;

/** `for (const row in x)`, which gives the names of an object's fields. */
function namesOfTensor(loop: Extract<Node, { type: "ForInStatement" }>, text: string): Problem {
  const message = "`in` gives the names of fields, and a tensor has none.";
  const [start, end] = [loop.left.end, loop.right.start];
  const offer = {
    start,
    end,
    text: text.slice(start, end).replace("in", "of"),
    sentence: "`in` gives the names of fields, `of` the rows of a tensor",
    isWhole: true,
    shown: `${text.slice(loop.start, start)} of ${written({ text }, loop.right)}) ...`,
  };
  const { right } = loop;
  return {
    start: right.start,
    end: right.end,
    code: ALWAYS_TRUE,
    category: "error",
    message,
    offers: [offer],
  };
}

export function conditionProblems({ conditions }: Answers, text: string): Problem[] {
  const place = { text };
  return conditions.map(({ node, of, answer }) => {
    const { start, end } = node;
    if (of.type === "ForInStatement") return namesOfTensor(of, text);
    // A variable or a field may be undefined in spite of its type: TypeScript gives a missing element the type of an
    // existing one.
    const category = node.type === "CallExpression" ? "error" : "warning";
    const tensor = receiver(place, node);
    const isOne = answer === "single" || /\.(?:any|all)\(\)$/.test(tensor);
    const reads = isOne ? ".item()" : ".any().item()";
    const several = isOne ? "" : " (all() asks of all elements, item() reads a single one)";
    const offers = [
      replacing(node, `${tensor}${reads}`, `A tensor is always true in a condition${several}`, true),
    ];
    if (of.type === "LogicalExpression" && of.left === node) {
      const method = of.operator === "&&" ? "logicalAnd" : "logicalOr";
      const replacement = `${tensor}.${method}(${written(place, of.right)})`;
      offers.push(replacing(of, replacement, `${of.operator} takes one of two tensors whole`, true));
    }
    const message = "A tensor is always true in a condition.";
    return { start, end, code: ALWAYS_TRUE, category, message, offers };
  });
}
