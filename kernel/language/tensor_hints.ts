// Turns TypeScript's errors about tensor code written as in Python into hints. Reads the error's message and the cell's
// syntax, and no types beyond those in the message.
import type { CallExpression, Node } from "oxc-parser";
import { parseTypeScript } from "../cell/parse/parse.ts";
import { walk } from "../cell/parse/walk.ts";
import { CALL_TELLERS } from "./call_hints.ts";
import { type Complaint, nameOf, type Teller, type Written } from "./teller.ts";

/** The sentence in place of the message; null if the message says enough. */
export function hintForTensorError(complaint: Complaint, text: string): string | null {
  const tellers = [...TELLERS, ...CALL_TELLERS].filter(
    ({ codes, about }) => codes.includes(complaint.code) && about.test(complaint.message),
  );
  if (tellers.length === 0) return null;
  const { program } = parseTypeScript(text);
  const written = ({ start, end }: Node) => text.slice(start, end);
  for (const teller of tellers) {
    let sentence: string | null = null;
    walk(program, (node) => {
      if (node.end < complaint.start || node.start > complaint.end) return false;
      sentence ??= teller.tell(node, complaint, written);
      return true;
    });
    if (sentence !== null) return sentence;
  }
  return null;
}

const TELLERS: readonly Teller[] = [
  // "Element implicitly has an 'any' type because expression of type '0' can't be used to index type 'Tensor'."
  { codes: [7053], about: /to index type 'Tensor[<']/, tell: tellIndexed },
  // "Type 'Tensor' cannot be used as an index type."
  { codes: [2538], about: /^Type 'Tensor[<']/, tell: tellMasked },
  // "Operator '+' cannot be applied to types 'Tensor' and 'number'.", and "This comparison appears to be unintentional
  // because the types 'Tensor' and 'number' have no overlap."
  { codes: [2365, 2367], about: /types '.*\bTensor[<' ]/, tell: tellOperator },
  // "The left-hand side of an arithmetic operation must be of type 'any', 'number', 'bigint' or an enum type."
  {
    codes: [2362, 2363],
    about: /^The (?:left|right)-hand side of an arithmetic operation/,
    tell: tellArithmetic,
  },
  // "Type 'Tensor' is missing the following properties from type 'readonly Tensor[]': concat, join, ..."
  { codes: [2345, 2740, 2769], about: /from type 'readonly Tensor(?:<.*>)?\[\]'/, tell: tellListOfTensors },
  // "Type '3' has no properties in common with type 'TensorOptions<...>'."
  { codes: [2559], about: /with type '(?:TensorOptions|ValueOptions)\b/, tell: tellSizes },
  // "Expected 1 arguments, but got 2."
  { codes: [2554], about: /^Expected [\d-]+ arguments?, but got \d+\.$/, tell: tellSizes },
  // "Argument of type 'number' is not assignable to parameter of type 'readonly number[]'."
  { codes: [2345], about: /^Argument of type 'number' .* 'readonly number\[\]'\.$/, tell: tellSizes },
  // "Cannot find name 'keepdim'."
  { codes: [2304, 2552], about: /./, tell: tellKeyword },
  // "Property 'numpy' does not exist on type 'Tensor'."
  { codes: [2339], about: /on type 'Tensor[<']/, tell: tellMember },
  // "Property 'float' does not exist on type '<Data extends TypedArray = ...>() => Data'."
  { codes: [2339, 2551], about: /on type '<Data extends TypedArray/, tell: tellData },
  // "Type 'Tensor<[2, 3]>' is not assignable to type 'Parameter'.", or of a plain tensor "Property '[PARAMETER]' is
  // missing in type 'Tensor' but required in type 'Parameter'."
  { codes: [2322, 2741], about: /'Tensor\b.*' .* type 'Parameter'/, tell: tellParameter },
  // "Type 'Tensor<[], "float32">' is not assignable to type 'number'."
  { codes: [2322], about: /^Type 'Tensor\b.*' is not assignable to type 'number'/, tell: tellNumber },
];

/** `x[0]` -> `x.at(0)`; `x[0, 1] = 2` -> `x.setAt(0, 1, 2)` */
function tellIndexed(node: Node, { start, end }: Complaint, written: Written): string | null {
  const isAssigned = node.type === "AssignmentExpression" && node.operator === "=";
  const place = isAssigned ? node.left : node;
  if (place.type !== "MemberExpression" || !place.computed || place.start !== start || place.end !== end)
    return null;
  return `A tensor is not indexed by brackets: write ${indexing(place, isAssigned ? node.right : null, written)}.`;
}

/** `x[mask]`, which may also be an array with a tensor for its index. */
function tellMasked(node: Node, { start }: Complaint, written: Written): string | null {
  const isAssigned = node.type === "AssignmentExpression" && node.operator === "=";
  const place = isAssigned ? node.left : node;
  if (place.type !== "MemberExpression" || !place.computed || place.property.start !== start) return null;
  const part = indexing(place, isAssigned ? node.right : null, written);
  return `A tensor is no index: write ${part} for the part of a tensor, ${written(place.property)}.item() for a number.`;
}

function indexing(
  { object, property }: { readonly object: Node; readonly property: Node },
  value: Node | null,
  written: Written,
): string {
  const indices =
    property.type === "SequenceExpression" ? property.expressions.map(written).join(", ") : written(property);
  if (value === null) return `${written(object)}.at(${indices})`;
  return `${written(object)}.setAt(${indices}, ${written(value)})`;
}

const METHODS: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "remainder",
  "**": "pow",
  ">": "gt",
  ">=": "ge",
  "<": "lt",
  "<=": "le",
  "===": "eq",
  "!==": "ne",
};

/** The same with the operands in the other order. */
const TURNED: Readonly<Record<string, string>> = {
  "+": "+",
  "*": "*",
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
  "===": "===",
  "!==": "!==",
};

function tellOperator(node: Node, { message, start, end }: Complaint, written: Written): string | null {
  if (node.start !== start || node.end !== end) return null;
  const [first = ""] = /types '(.*?)' and '/.exec(message)?.slice(1) ?? [];
  const isLeft = first.startsWith("Tensor");
  if (node.type === "AssignmentExpression") {
    if (!isLeft)
      return `A tensor is no number: ${written(node.right)}.item() reads the value of a single one.`;
    const method = METHODS[node.operator.slice(0, -1)];
    const name = written(node.left);
    return method === undefined
      ? null
      : `A tensor is no number: write ${name} = ${name}.${method}(${written(node.right)}).`;
  }
  if (node.type !== "BinaryExpression") return null;
  const call = calling(node.operator, node.left, node.right, isLeft, written);
  if (call === null) return null;
  const tensor = isLeft ? node.left : node.right;
  const single = message.includes("'Tensor<[],") ? `, or ${written(tensor)}.item() for its value` : "";
  return `A tensor is no number: write ${call}${single}.`;
}

/** Names the method for an arithmetic operator. The compiler's message does not name the operand's type. */
function tellArithmetic(
  node: Node,
  { code, message, start, end }: Complaint,
  written: Written,
): string | null {
  const isLeft = code === 2362;
  if (node.type !== "BinaryExpression") return null;
  const operand = isLeft ? node.left : node.right;
  if (operand.start !== start || operand.end !== end || operand.type === "Literal") return null;
  const call = calling(node.operator, node.left, node.right, isLeft, written);
  return call === null ? null : `${message} Of a tensor: ${call}.`;
}

/** `return x.sum()` in a function that returns a number, `const n: number = x.sum()` */
function tellNumber(node: Node, { message, start, end }: Complaint, written: Written): string | null {
  const value = assignedAt(node, start, end);
  if (value === null) return null;
  const whose = message.startsWith("Type 'Tensor<[],") ? "its value" : "the value of a single one";
  return `A tensor is no number: write ${receiver(value, written)}.item() for ${whose}.`;
}

/** The value that does not fit. TypeScript complains of `return` or of what is assigned to, and only then of the value. */
function assignedAt(node: Node, start: number, end: number): Node | null {
  if (node.type === "ReturnStatement") return node.start === start ? node.argument : null;
  if (node.type === "VariableDeclarator") return node.id.start === start ? node.init : null;
  if (node.type === "AssignmentExpression") return node.left.start === start ? node.right : null;
  if (node.type === "Property") return node.key.start === start ? node.value : null;
  const isValue = ["CallExpression", "MemberExpression", "Identifier"].includes(node.type);
  return isValue && node.start === start && node.end === end ? node : null;
}

/** @param isLeft whether the left operand is the tensor, and not the right one alone */
function calling(
  operator: string,
  left: Node,
  right: Node,
  isLeft: boolean,
  written: Written,
): string | null {
  const method = METHODS[isLeft ? operator : (TURNED[operator] ?? "")];
  if (method !== undefined)
    return isLeft
      ? `${receiver(left, written)}.${method}(${written(right)})`
      : `${receiver(right, written)}.${method}(${written(left)})`;
  if (operator === "-") return `${receiver(right, written)}.neg().add(${written(left)})`;
  if (operator === "/") return `${receiver(right, written)}.reciprocal().mul(${written(left)})`;
  return operator === "**" ? `torch.pow(${written(left)}, ${written(right)})` : null;
}

function receiver(node: Node, written: Written): string {
  const isSimple = ["Identifier", "MemberExpression", "CallExpression"].includes(node.type);
  return isSimple ? written(node) : `(${written(node)})`;
}

/** Calls that take sizes, dimensions or factors one by one in Python. */
const LISTED = new Set(
  "reshape view permute repeat expand flip tile zeros ones empty rand randn tensor newZeros newOnes newEmpty".split(
    " ",
  ),
);

/** `x.view(3, 2)` -> `x.view([3, 2])` */
function tellSizes(node: Node, { code, message, start }: Complaint, written: Written): string | null {
  const call = callAbout(node, start);
  if (call === null || !LISTED.has(nameOf(call))) return null;
  const isSize = (given: Node) =>
    given.type !== "ObjectExpression" &&
    given.type !== "ArrayExpression" &&
    !(given.type === "Literal" && typeof given.value === "string");
  const listed = withList(call, 0, isSize, written);
  if (listed === null) return null;
  // A count of arguments does not show whether the method is a tensor's.
  if (code === 2554 && !listed.startsWith("torch."))
    return `${message} Of a tensor, sizes and dimensions go into one list: ${listed}.`;
  return `${nameOf(call)} takes one list of numbers: write ${listed}.`;
}

/** `torch.cat(a, b, 1)` -> `torch.cat([a, b], 1)` */
function tellListOfTensors(node: Node, { start }: Complaint, written: Written): string | null {
  const call = callAbout(node, start);
  if (call === null) return null;
  const begin = call.arguments.findIndex((argument) => argument.start === start);
  const isTensor = ({ type }: Node) => ["Identifier", "MemberExpression", "CallExpression"].includes(type);
  const listed = withList(call, begin, isTensor, written);
  return listed === null ? null : `${nameOf(call)} takes one list of tensors: write ${listed}.`;
}

/** The call of which one argument is complained of. */
function callAbout(node: Node, start: number): CallExpression | null {
  const isIt = node.type === "CallExpression" && node.arguments.some((argument) => argument.start === start);
  return isIt ? node : null;
}

/** The call with its elements from `begin` on in a list; null if there are fewer than two. */
function withList(
  { callee, arguments: given }: CallExpression,
  begin: number,
  isElement: (node: Node) => boolean,
  written: Written,
): string | null {
  const after = given.findIndex((argument, at) => at >= begin && !isElement(argument));
  const end = after < 0 ? given.length : after;
  if (end - begin < 2) return null;
  const list = `[${given.slice(begin, end).map(written).join(", ")}]`;
  const all = [...given.slice(0, begin).map(written), list, ...given.slice(end).map(written)];
  return `${written(callee)}(${all.join(", ")})`;
}

const CONSTANTS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** `x.sum(dim=1)`: to TypeScript an assignment to a variable that there is not. */
function tellKeyword(node: Node, { start }: Complaint, written: Written): string | null {
  const call = callAbout(node, start);
  const named = call?.arguments.find((argument) => argument.start === start);
  if (named?.type !== "AssignmentExpression" || named.operator !== "=") return null;
  const [name, value] = [written(named.left), written(named.right)];
  const instead =
    named === call!.arguments[0] && POSITIONAL.has(name)
      ? `write ${written(call!.callee)}(${value})`
      : `options go into a last object, as { ${name}: ${CONSTANTS[value] ?? value} }`;
  return `Cannot find name '${name}': arguments have no names here; ${instead}.`;
}

/** Names of arguments that have a position in ATen's order. */
const POSITIONAL = new Set(["dim", "axis", "input"]);

const MEMBERS: Readonly<Record<string, string>> = {
  numpy: "data() is a typed array over the same memory, tolist() plain numbers in lists",
  map: "tolist() gives lists, and an operator works on all elements at once",
  forEach: "for (const row of x) goes through the rows, and tolist() gives lists",
  toFixed: "item() reads the number of a tensor that has one",
  toPrecision: "item() reads the number of a tensor that has one",
};

/** `loss.toFixed(2)`, `x.numpy()` */
function tellMember(node: Node, { message, start }: Complaint): string | null {
  if (node.type !== "MemberExpression" || node.property.start !== start) return null;
  const name = node.property.type === "Identifier" ? node.property.name : "";
  return Object.hasOwn(MEMBERS, name) ? `${message} Of a tensor, ${MEMBERS[name]}.` : null;
}

/** `param.data.float()`, whose `data` is PyTorch's property. */
function tellData(node: Node, { start }: Complaint, written: Written): string | null {
  if (node.type !== "MemberExpression" || node.property.start !== start) return null;
  const [of, name] = [node.object, written(node.property)];
  if (of.type !== "MemberExpression" || written(of.property) !== "data") return null;
  const tensor = receiver(of.object, written);
  return (
    `data() is a method, which gives a typed array and has no ${name}: write ${tensor}.detach().${name}. ` +
    `torch.noGrad(() => ${tensor}.copy_(x)) writes values, and model.to(dtype) converts a model's parameters.`
  );
}

/** `layer.weight = torch.ones([2, 3])`, which would leave the layer without a parameter to train. */
function tellParameter(node: Node, { start }: Complaint, written: Written): string | null {
  if (node.type !== "AssignmentExpression" || node.operator !== "=" || node.left.start !== start) return null;
  const [place, value] = [written(node.left), written(node.right)];
  return `A layer trains Parameters: write ${place} = new nn.Parameter(${value}).`;
}
