// Finds tensors made of numbers that are written as floats and are whole: `torch.tensor([1.0, 0.0])` is int64, which no
// check of types can say, because JavaScript does not tell 1.0 from 1. Reads the cell's text and no types.
import type { CallExpression, Node } from "oxc-parser";
import { parseTypeScript } from "../cell/parse/parse.ts";
import { walk } from "../cell/parse/walk.ts";

export interface WholeFloats {
  readonly start: number;
  readonly end: number;
  readonly category: "warning";
  readonly message: string;
}

/** `1.0`, `1.`, and not `1.5`, `1.0e3` or `1..toFixed()`. */
const MAY_HOLD = /\d\.0*(?![\w.])/;
const WHOLE_FLOAT = /^\d+\.0*$/;

/** The functions whose dtype follows from these of their arguments. */
const ARGUMENTS: Readonly<Record<string, (given: readonly Node[]) => readonly Node[]>> = {
  tensor: (given) => given.slice(0, 1),
  asTensor: (given) => given.slice(0, 1),
  full: (given) => given.slice(1, 2),
  arange: (given) => given.filter(({ type }) => type !== "ObjectExpression"),
};

/** What converts the tensor at once. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  "to type float double half bfloat16 long int short char byte bool cfloat cdouble".split(" "),
);

/** A warning for each such call that names no dtype. */
export function wholeFloats(text: string): WholeFloats[] {
  if (!MAY_HOLD.test(text)) return [];
  const { program, problem } = parseTypeScript(text);
  if (problem !== null) return [];
  const converted = new Set<Node>();
  const found: WholeFloats[] = [];
  walk(program, (node) => {
    if (node.type === "MemberExpression" && CONVERSIONS.has(nameOf(node.property)))
      converted.add(node.object);
    if (node.type !== "CallExpression" || converted.has(node) || !isOfWholeFloats(node)) return;
    const { start, end } = node;
    const message =
      `${text.slice(start, end)} is int64: JavaScript does not tell 1.0 from 1. ` +
      `Add { dtype: "float32" } for floats, or write the numbers without a point.`;
    found.push({ start, end, category: "warning", message });
  });
  return found;
}

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

function isOfWholeFloats({ callee, arguments: given }: CallExpression): boolean {
  if (callee.type !== "MemberExpression" || nameOf(callee.object) !== "torch") return false;
  const name = nameOf(callee.property);
  if (!Object.hasOwn(ARGUMENTS, name)) return false;
  const values = ARGUMENTS[name]!(given);
  const last = (given as readonly Node[]).lastIndexOf(values.at(-1)!);
  const options: readonly Node[] = given.slice(last + 1);
  const mayNameDType = options.some(
    (one) =>
      one.type !== "ObjectExpression" ||
      one.properties.some((field) => field.type !== "Property" || nameOf(field.key) === "dtype"),
  );
  const numbers = values.flatMap(writtenNumbers);
  return !mayNameDType && numbers.every((number) => Number.isInteger(number)) && values.some(holdsWholeFloat);
}

/** The numbers of a literal; NaN for whatever is none. */
function writtenNumbers(node: Node): number[] {
  if (node.type === "ArrayExpression")
    return node.elements.flatMap((one) => (one ? writtenNumbers(one) : [NaN]));
  if (node.type === "UnaryExpression" && node.operator === "-")
    return writtenNumbers(node.argument).map((value) => (value === 0 ? NaN : -value));
  if (node.type !== "Literal") return [NaN];
  return typeof node.value === "number" ? [node.value] : typeof node.value === "boolean" ? [] : [NaN];
}

function holdsWholeFloat(node: Node): boolean {
  let holds = false;
  walk(node, (one) => {
    if (one.type === "Literal" && WHOLE_FLOAT.test(one.raw ?? "")) holds = true;
  });
  return holds;
}
