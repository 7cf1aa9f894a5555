// Converts operators. A tensor's are methods here; which values are tensors is known from where they come.
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, library, mark, need } from "../context.ts";
import { either, elementOf, isList } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

const METHODS: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "//": "floorDivide",
  "%": "remainder",
  "**": "pow",
  "@": "matmul",
  "&": "bitwiseAnd",
  "|": "bitwiseOr",
  "^": "bitwiseXor",
  "<<": "bitwiseLeftShift",
  ">>": "bitwiseRightShift",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "==": "eq",
  "!=": "ne",
};
/** With a number on the left: `2 > x` is `x.lt(2)`. */
const TURNED: Readonly<Record<string, string>> = {
  "+": "+",
  "*": "*",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "==": "==",
  "!=": "!=",
  "&": "&",
  "|": "|",
  "^": "^",
};
const LEVELS: Readonly<Record<string, number>> = {
  "+": LEVEL.sum,
  "-": LEVEL.sum,
  "*": LEVEL.product,
  "/": LEVEL.product,
  "**": LEVEL.power,
  "&": 8,
  "^": 7,
  "|": 6,
  "<<": 11,
  ">>": 11,
};

/** `a + b`, `a @ b`, and `+=` by its operator. */
export function arithmetic(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  if (left.kind === "tensor") return method(left, METHODS[operator]!, right);
  if (right.kind === "tensor" || operator === "@") return turned(operator, left, right, context);
  if (operator === "+" && isList(left.kind))
    return code(`[...${left.text}, ...${right.text}]`, either(left.kind, right.kind));
  if (operator === "*" && (isList(left.kind) || isList(right.kind))) return repeated(left, right);
  if (operator === "*" && (left.kind === "text" || right.kind === "text")) {
    const [text, times] = left.kind === "text" ? [left, right] : [right, left];
    return code(`${receiver(text)}.repeat(${times.text})`, "text");
  }
  if ((operator === "|" || operator === "&" || operator === "-") && left.kind === "set") {
    const name = { "|": "union", "&": "intersection", "-": "difference" }[operator];
    if (name === "union") return code(`new Set([...${left.text}, ...${right.text}])`, "set");
    const isIn = name === "intersection" ? "" : "!";
    return code(`new Set([...${left.text}].filter((one) => ${isIn}${receiver(right)}.has(one)))`, "set");
  }
  if (operator === "|" && left.kind === "dict") return code(`{ ...${left.text}, ...${right.text} }`, "dict");
  const isOpen =
    left.kind === ""
      ? right.kind === "" || right.kind === "number"
      : left.kind === "number" && right.kind === "";
  if (isOpen && !"&|^<<>>".includes(operator))
    mark(
      context,
      node,
      `of tensors this is ${(left.kind === "" ? method(left, METHODS[operator]!, right) : turned(operator, left, { ...right, kind: "tensor" }, context)).text}`,
    );
  return numeric(operator, left, right);
}

function numeric(operator: string, left: Code, right: Code): Code {
  const isText = operator === "+" && (left.kind === "text" || right.kind === "text");
  const isCount = Boolean(left.isCount && right.isCount) && operator !== "-";
  const kind = isText
    ? "text"
    : left.kind === "number" || right.kind === "number" || operator !== "+"
      ? "number"
      : "";
  const write = (sign: string, level: number): string =>
    `${bound(left, level)} ${sign} ${bound(right, level + 1)}`;
  if (operator === "//") return { ...code(`Math.floor(${write("/", LEVEL.product)})`, "number"), isCount };
  if (operator === "%") {
    const plain = write("%", LEVEL.product);
    if (left.isCount) return { ...code(plain, "number", LEVEL.product), isCount };
    return code(
      `((${plain}) + ${bound(right, LEVEL.sum)}) % ${bound(right, LEVEL.unary)}`,
      "number",
      LEVEL.product,
    );
  }
  if (operator === "**") {
    const base = bound(left, LEVEL.primary).replace(/^-.*/, "($&)");
    return { ...code(`${base} ** ${bound(right, LEVEL.power)}`, kind, LEVEL.power), isCount };
  }
  const level = LEVELS[operator] ?? LEVEL.sum;
  const isFloat = operator === "/" || Boolean(left.isFloat || right.isFloat);
  return { ...code(write(operator, level), kind, level), isCount, isFloat };
}

function method(left: Code, name: string, right: Code): Code {
  return code(`${receiver(left)}.${name}(${bound(right, LEVEL.arrow)})`, "tensor");
}

/** The tensor stands on the right, and the left is a number or unknown. */
function turned(operator: string, left: Code, right: Code, context: Context): Code {
  if (operator === "@" || left.kind !== "number") {
    if (left.kind === "" || operator === "@") return method(left, METHODS[operator]!, right);
  }
  const other = TURNED[operator];
  if (other !== undefined) return method(right, METHODS[other]!, left);
  if (operator === "-") return code(`${receiver(right)}.neg().add(${left.text})`, "tensor");
  if (operator === "/")
    return left.text === "1" || left.text === "1.0"
      ? code(`${receiver(right)}.reciprocal()`, "tensor")
      : code(`${receiver(right)}.reciprocal().mul(${left.text})`, "tensor");
  if (operator === "**")
    return code(`${library(context, "torch")}.ops.aten.pow.Scalar(${left.text}, ${right.text})`, "tensor");
  return method(
    code(`${library(context, "torch")}.tensor(${left.text})`, "tensor"),
    METHODS[operator]!,
    right,
  );
}

/** `[0] * n` */
function repeated(left: Code, right: Code): Code {
  const [list, times] = isList(left.kind) ? [left, right] : [right, left];
  const single = /^\[([^,]*)\]$/.exec(list.text)?.[1];
  if (single !== undefined && elementOf(list.kind) !== "")
    return code(
      `Array<${elementOf(list.kind) === "number" ? "number" : "any"}>(${times.text}).fill(${single})`,
      list.kind,
    );
  return code(`Array.from({ length: ${times.text} }, () => ${list.text}).flat()`, list.kind);
}

const EQUALITY: Readonly<Record<string, string>> = { "==": "===", "!=": "!==", is: "===", "is not": "!==" };

/** One comparison of a chain. */
export function comparison(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  if (operator === "in" || operator === "not in")
    return membership(left, right, operator === "in", context, node);
  if (operator === "is" || operator === "is not")
    return written(EQUALITY[operator]!, sure(left), right, LEVEL.equality);
  if (left.kind === "tensor" && right.kind !== "none") return method(left, METHODS[operator]!, right);
  if (right.kind === "tensor" && left.kind !== "none")
    return method(right, METHODS[TURNED[operator]!]!, left);
  const sign = EQUALITY[operator];
  // Whether a remainder is 0 does not depend on its sign.
  const remainder = right.text === "0" ? /^\(\((.*)\) \+ (.+)\) % \2$/.exec(left.text)?.[1] : undefined;
  if (remainder !== undefined && sign !== undefined)
    return written(sign, code(remainder, "number", LEVEL.product), right, LEVEL.equality);
  if (sign === undefined) return written(operator, left, right, LEVEL.relation);
  if (isList(left.kind) || isList(right.kind) || left.kind === "dict" || right.kind === "dict") {
    need(context, "node:util", "isDeepStrictEqual");
    const same = `isDeepStrictEqual(${left.text}, ${right.text})`;
    return code(operator === "==" ? same : `!${same}`, "boolean", LEVEL.unary);
  }
  return written(sign, left, right, LEVEL.equality);
}

/** Without the `!` that says that it is not null. */
const sure = (value: Code): Code => ({ ...value, text: value.text.replace(/!$/, "") });

const written = (sign: string, left: Code, right: Code, level: number): Code =>
  code(`${bound(left, level + 1)} ${sign} ${bound(right, level + 1)}`, "boolean", level);

function membership(element: Code, whole: Code, isIn: boolean, context: Context, node: Node): Code {
  const not = isIn ? "" : "!";
  const level = isIn ? LEVEL.primary : LEVEL.unary;
  if (whole.kind === "dict") {
    const test = `${bound(element, LEVEL.relation + 1)} in ${bound(whole, LEVEL.relation + 1)}`;
    return isIn ? code(test, "boolean", LEVEL.relation) : code(`!(${test})`, "boolean", LEVEL.unary);
  }
  if (whole.kind === "set") return code(`${not}${receiver(whole)}.has(${element.text})`, "boolean", level);
  if (whole.kind === "")
    mark(
      context,
      node,
      `of an object this is ${element.text} in ${whole.text}, of a Set or Map ${receiver(whole)}.has(...)`,
    );
  return code(`${not}${receiver(whole)}.includes(${element.text})`, "boolean", level);
}

/** The value as a condition: an empty list and a tensor of zero are true in JavaScript. */
export function truth(value: Code): Code {
  if (value.kind === "tensor") return code(`${receiver(value)}.item()`, "boolean");
  if (isList(value.kind)) return code(`${receiver(value)}.length > 0`, "boolean", LEVEL.relation);
  if (value.kind === "dict") return code(`Object.keys(${value.text}).length > 0`, "boolean", LEVEL.relation);
  if (value.kind === "set") return code(`${receiver(value)}.size > 0`, "boolean", LEVEL.relation);
  return value;
}

export function negated(value: Code): Code {
  const test = truth(value);
  return code(`!${bound(test, LEVEL.unary)}`, "boolean", LEVEL.unary);
}

/** `-x`, `~mask` */
export function unary(sign: string, value: Code): Code {
  if (value.kind === "tensor") {
    if (sign === "+") return value;
    return code(`${receiver(value)}.${sign === "-" ? "neg" : "bitwiseNot"}()`, "tensor");
  }
  const inner = bound(value, LEVEL.unary);
  const spaced = inner.startsWith(sign)
    ? `(${inner})`
    : value.level === LEVEL.power
      ? `(${value.text})`
      : inner;
  return { ...code(`${sign}${spaced}`, value.kind, LEVEL.unary), isFloat: value.isFloat ?? false };
}
