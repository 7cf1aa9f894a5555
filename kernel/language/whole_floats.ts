// Finds whole numbers that are written as floats where the tensor still becomes or stays int64: `torch.tensor([1.0,
// 0.0])`, and `torch.arange(4).mul(2.0)`. Types cannot tell, because JavaScript does not distinguish 1.0 from 1. Reads
// only the cell's text, so a name is known only if this cell declares it.
import type { CallExpression, Node } from "oxc-parser";
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { walk } from "../../lib/typescript/walk.ts";

export interface WholeFloats {
  readonly start: number;
  readonly end: number;
  readonly category: "warning";
  readonly message: string;
}

/** Matches `1.0` and `1.`, but not `1.5`, `1.0e3` or `1..toFixed()`. */
const MAY_HOLD = /\d\.0*(?![\w.])/;
const WHOLE_FLOAT = /^\d+\.0*$/;

/** The functions whose dtype follows from their arguments, and which arguments these are. */
const ARGUMENTS: Readonly<Record<string, (given: readonly Node[]) => readonly Node[]>> = {
  tensor: (given) => given.slice(0, 1),
  asTensor: (given) => given.slice(0, 1),
  full: (given) => given.slice(1, 2),
  arange: (given) => given.filter(({ type }) => type !== "ObjectExpression"),
};

/** Methods that convert the tensor at once. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  "to type float double half bfloat16 long int short char byte bool cfloat cdouble".split(" "),
);

/** Operators that take a number, and keep the tensor's dtype if the number is whole. */
const OPERATORS: ReadonlySet<string> = new Set(
  "add add_ sub sub_ subtract mul mul_ multiply pow pow_ remainder remainder_ fmod floorDivide".split(" "),
);

/** A warning for each such call that names no dtype. */
export function wholeFloats({ text, program, problem }: ParsedText): WholeFloats[] {
  if (problem !== null || !MAY_HOLD.test(text)) return [];
  const converted = new Set<Node>();
  const found: WholeFloats[] = [];
  const whole = new Set<string>();
  walk(program, (node) => {
    if (node.type === "VariableDeclaration" && node.kind === "const")
      for (const { id, init } of node.declarations) if (init && isInt64(init, whole)) whole.add(nameOf(id));
    if (node.type === "MemberExpression" && CONVERSIONS.has(nameOf(node.property)))
      converted.add(node.object);
    if (node.type !== "CallExpression" || converted.has(node)) return;
    const { start, end } = node;
    const operated = tensorOperated(node, whole);
    if (operated !== null) {
      const tensor = text.slice(operated.start, operated.end);
      const rest = text.slice(operated.end, end);
      const message =
        `${text.slice(start, end)} stays int64: JavaScript does not tell 2.0 from 2. ` +
        `Write ${tensor}.float()${rest} for floats, or the number without a point.`;
      found.push({ start, end, category: "warning", message });
    }
    if (!isOfWholeFloats(node)) return;
    const message =
      `${text.slice(start, end)} is int64: JavaScript does not tell 1.0 from 1. ` +
      `Add { dtype: "float32" } for floats, or write the numbers without a point.`;
    found.push({ start, end, category: "warning", message });
  });
  return found;
}

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

/** The int64 tensor that the call combines with such a number. */
function tensorOperated(
  { callee, arguments: given }: CallExpression,
  whole: ReadonlySet<string>,
): Node | null {
  if (callee.type !== "MemberExpression" || !OPERATORS.has(nameOf(callee.property))) return null;
  const [number] = given;
  const isFloat = number?.type === "Literal" && WHOLE_FLOAT.test(number.raw ?? "");
  return isFloat && isInt64(callee.object, whole) ? callee.object : null;
}

/**
 * Whether the tensor is int64 as far as the cell's text shows: a name that was declared so, a call that makes it from
 * whole numbers, or `long()`.
 */
function isInt64(node: Node, whole: ReadonlySet<string>): boolean {
  if (node.type === "Identifier") return whole.has(node.name);
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  if (nameOf(node.callee.property) === "long") return true;
  return wholeNumbersOf(node) !== null;
}

function isOfWholeFloats(call: CallExpression): boolean {
  return wholeNumbersOf(call)?.some(holdsWholeFloat) ?? false;
}

/** The numbers that decide the dtype of `torch.tensor([1, 2])`, if all are whole and no dtype is named. */
function wholeNumbersOf({ callee, arguments: given }: CallExpression): readonly Node[] | null {
  if (callee.type !== "MemberExpression" || nameOf(callee.object) !== "torch") return null;
  const name = nameOf(callee.property);
  if (!Object.hasOwn(ARGUMENTS, name)) return null;
  const values = ARGUMENTS[name]!(given);
  const last = (given as readonly Node[]).lastIndexOf(values.at(-1)!);
  const options: readonly Node[] = given.slice(last + 1);
  const mayNameDType = options.some(
    (one) =>
      one.type !== "ObjectExpression" ||
      one.properties.some((field) => field.type !== "Property" || nameOf(field.key) === "dtype"),
  );
  const numbers = values.flatMap(writtenNumbers);
  const areWhole = numbers.length > 0 && numbers.every((number) => Number.isInteger(number));
  return !mayNameDType && areWhole ? values : null;
}

/** The numbers in a literal; NaN for anything else. */
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
