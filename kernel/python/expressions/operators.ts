// Converts operators. A tensor's are methods here; which values are tensors is known from where they come.
import { bound, type Code, code, LEVEL, receiver, returned } from "../code.ts";
import { type Context, helper, library, mark } from "../context.ts";
import { ofComplex } from "./complex.ts";
import { either, elementOf, isDict, isList, isNumber, isTensor, type Kind, listOf } from "../kinds.ts";
import { variableOf } from "../source/scope.ts";
import type { Node } from "../source/syntax.ts";
import { OPEN_OPERATORS, type OpenOperator } from "./operator_semantics.ts";
import { factorsOf, largeProduct } from "./products.ts";
import { membership } from "./membership.ts";
import { ofSets } from "./sets.ts";
import { unary } from "./unary.ts";
import { joinedPath } from "../standard/pathlib.ts";

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
  if (isTensor(left.kind)) return onTensor(operator, left, right, context);
  const open = OPEN_OPERATORS[operator];
  // A function may be given a number: `def scaled(by, x): return by * x.sin()`
  const isGiven = left.kind === "" && variableOf(context.scope, left.text)?.variable.isParameter === true;
  if (isTensor(right.kind) && isGiven && open !== undefined && !context.isShownAlone)
    return { ...openCall(open, left, right, context), kind: "tensor" };
  if (isTensor(right.kind) || operator === "@") return turned(operator, left, right, context);
  if (left.kind === "complex" || right.kind === "complex")
    return ofComplex(operator, left, right, context, node);
  if (operator === "+" && (isList(left.kind) || isList(right.kind)))
    return code(`[${spread(left)}, ${spread(right)}]`, either(sameList(left.kind), sameList(right.kind)));
  if (operator === "*" && (isList(left.kind) || isList(right.kind))) return repeated(left, right, context);
  if (operator === "*" && (left.kind === "text" || right.kind === "text")) {
    const [text, times] = left.kind === "text" ? [left, right] : [right, left];
    return code(`${receiver(text)}.repeat(${atLeastZero(times)})`, "text");
  }
  if (operator === "/" && [left, right].some(({ kind }) => kind === "text"))
    return joinedPath([left.text, right.text], context);
  if (operator === "%" && left.kind === "text")
    mark(context, node, "a format that is not written here: build the text as a template");
  if (isBoolean(left, right) && !"|&^".includes(operator))
    return arithmetic(operator, asWhole(left), asWhole(right), context, node);
  if (left.kind === "set" && "|&-^".includes(operator)) return ofSets(operator, left, right, context);
  if (operator === "|" && isDict(left.kind)) return code(`{ ...${left.text}, ...${right.text} }`, "dict");
  const isOpen =
    left.kind === "" ? right.kind === "" || isNumber(right.kind) : isNumber(left.kind) && right.kind === "";
  if (isOpen && open !== undefined && !context.isShownAlone) return openCall(open, left, right, context);
  if (isOpen) {
    const { text } =
      left.kind === ""
        ? onTensor(operator, left, right, context)
        : turned(operator, left, { ...right, kind: "tensor" }, context);
    const mayBeLists = operator === "+" && left.kind === "" && right.kind === "";
    const ofLists = mayBeLists ? `, and of lists [${spread(left)}, ${spread(right)}]` : "";
    mark(context, node, `of tensors this is ${text}${ofLists}`);
  }
  return numeric(operator, left, right, context, node);
}

const isBoolean = (...sides: readonly Code[]): boolean => sides.some(({ kind }) => kind === "boolean");

/** True counts as 1. */
const asWhole = (value: Code): Code => (isBoolean(value) ? code(`Number(${value.text})`, "int") : value);

/** A call of the function that finds out what the sides are. */
function openCall({ name, takesFloats }: OpenOperator, left: Code, right: Code, context: Context): Code {
  const sides = `${bound(left, LEVEL.arrow)}, ${bound(right, LEVEL.arrow)}`;
  const own = helper(context, name);
  const mayBeWhole = [left, right].some((side) => floatScalar(side, context) !== side);
  return code(
    takesFloats && mayBeWhole ? `${helper(context, "withFloat")}(${own}, ${sides})` : `${own}(${sides})`,
  );
}

/** A tuple is longer after `+`. */
const sameList = (kind: Kind): Kind => (kind.startsWith("tuple ") ? listOf(elementOf(kind)) : kind);

const spread = (value: Code): string =>
  /^\[(?!.*\.\.\.)[^[\]]+\]$/.test(value.text) ? value.text.slice(1, -1) : `...${bound(value, LEVEL.arrow)}`;

const atLeastZero = (times: Code): string =>
  times.isCount === true ? times.text : `Math.max(0, ${times.text})`;

/** The kind of a number that two numbers give. */
function numberKind(operator: string, left: Code, right: Code): Kind {
  if (operator === "/") return "float";
  const isWhole = (of: Code): boolean => of.kind === "int" || of.kind === "boolean";
  if (isWhole(left) && isWhole(right)) return operator === "**" && right.isCount !== true ? "number" : "int";
  return left.kind === "float" || right.kind === "float" ? "float" : "number";
}

/** Whole numbers above it are not all there. */
const LARGEST = 2 ** 53;
const isLiteral = ({ text }: Code): boolean => /^(0x[\da-f]+|[\d.]+)$/i.test(text);

/** Of numbers, and of texts. */
export function numeric(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  const isText = operator === "+" && (left.kind === "text" || right.kind === "text");
  const isCount = Boolean(left.isCount && right.isCount) && operator !== "-";
  const isOpen = operator === "+" && !isNumber(left.kind) && !isNumber(right.kind) && left.kind !== "boolean";
  const kind = isText ? "text" : isOpen ? "" : numberKind(operator, left, right);
  const write = (sign: string, level: number): string =>
    `${bound(left, level)} ${sign} ${bound(right, level + 1)}`;
  if ("/ // %".split(" ").includes(operator) && /^0(\.0)?$/.test(right.text))
    mark(context, node, "a division by zero gives Infinity or NaN here, and no error");
  if (BITS.has(operator)) return bits(operator, left, right, context, node);
  const isFloat = left.kind === "float" || right.kind === "float";
  if (isFloat && (operator === "//" || operator === "%")) {
    const name = helper(context, operator === "%" ? "modulo" : "floorDivide");
    return code(`${name}(${left.text}, ${right.text})`, "float");
  }
  if (operator === "//") return { ...code(`Math.floor(${write("/", LEVEL.product)})`, kind), isCount };
  if (operator === "%") {
    const isShort = left.isCount === true && !/\d{7}/.test(left.text);
    const factors = isShort ? null : factorsOf(node.children[0]!);
    if (factors !== null) {
      const [a, b] = factors.map((factor) => context.expression(factor).text);
      return code(`${helper(context, "productModulo")}(${a}, ${b}, ${right.text})`, kind);
    }
    const plain = write("%", LEVEL.product);
    largeProduct(left, context, node);
    if (left.isCount && right.isCount) return { ...code(plain, kind, LEVEL.product), isCount };
    return code(
      `((${plain}) + ${bound(right, LEVEL.sum)}) % ${bound(right, LEVEL.unary)}`,
      kind,
      LEVEL.product,
    );
  }
  if (operator === "**") {
    const base = bound(left, LEVEL.primary).replace(/^-.*/, "($&)");
    if (
      kind === "int" &&
      isLiteral(left) &&
      isLiteral(right) &&
      Number(left.text) ** Number(right.text) > LARGEST
    )
      mark(context, node, "whole numbers above 2 ** 53 lose digits here: use BigInt");
    return { ...code(`${base} ** ${bound(right, LEVEL.power)}`, kind, LEVEL.power), isCount };
  }
  const level = LEVELS[operator] ?? LEVEL.sum;
  return { ...code(write(operator, level), kind, level), isCount };
}

const BITS = new Set(["&", "|", "^", "<<", ">>"]);

/** JavaScript's own take 32 bits of a number. */
function bits(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  const isCount = Boolean(left.isCount && right.isCount);
  if (left.kind === "boolean" && right.kind === "boolean" && operator.length === 1) {
    const [sign, level] =
      operator === "&" ? ["&&", LEVEL.and] : operator === "|" ? ["||", LEVEL.or] : ["!==", LEVEL.equality];
    return code(`${bound(left, level + 1)} ${sign} ${bound(right, level + 1)}`, "boolean", level);
  }
  const power = `2 ** ${bound(right, LEVEL.power)}`;
  if (operator === "<<")
    return { ...code(`${bound(left, LEVEL.product)} * ${power}`, "int", LEVEL.product), isCount };
  if (operator === ">>")
    return { ...code(`Math.floor(${bound(left, LEVEL.product)} / ${power})`, "int"), isCount };
  largeProduct(left, context, node);
  const isSmall = (of: Code): boolean => isLiteral(of) && Number(of.text) < 2 ** 31;
  const level = LEVELS[operator]!;
  const plain = code(`${bound(left, level)} ${operator} ${bound(right, level + 1)}`, "int", level);
  const isNear = operator === "&" ? isSmall(left) || isSmall(right) : isSmall(left) && isSmall(right);
  if (isNear || left.kind === "" || right.kind === "") return { ...plain, isCount };
  return { ...code(`Number(BigInt(${left.text}) ${operator} BigInt(${right.text}))`, "int"), isCount };
}

/** A tensor's operator with what stands on the right. */
function onTensor(operator: string, left: Code, right: Code, context: Context): Code {
  const value = method(left, METHODS[operator]!, floatOperand(left, operator, right, context));
  const isFloat =
    operator === "/" || [left, right].some(({ kind }) => kind === "tensor float" || kind === "float");
  return { ...value, kind: isFloat && !COMPARED.has(operator) ? "tensor float" : "tensor" };
}

const COMPARED = new Set(["<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "<<", ">>"]);

/**
 * A float beside a tensor that may hold whole numbers: `x * 2.0` is float32 in Python, and JavaScript's 2.0 is a whole
 * number.
 */
export function floatOperand(tensor: Code, operator: string, value: Code, context: Context): Code {
  if (value.kind !== "float" || tensor.kind === "tensor float" || operator === "/" || COMPARED.has(operator))
    return value;
  return floatScalar(value, context);
}

/** A float as a tensor where it is whole, so that it makes floats. */
export function floatScalar(value: Code, context: Context): Code {
  if (value.kind !== "float") return value;
  const number = /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(value.text) ? Number(value.text) : null;
  if (number !== null && !Number.isInteger(number)) return value;
  if (/^-?Infinity$|^NaN$|^Math\.(PI|E)$/.test(value.text)) return value;
  if (number !== null)
    return code(`${library(context, "torch")}.scalarTensor(${value.text})`, "tensor float");
  return code(`${helper(context, "floatOf")}(${value.text})`, "tensor float");
}

function method(left: Code, name: string, right: Code): Code {
  return code(`${receiver(left)}.${name}(${bound(right, LEVEL.arrow)})`, "tensor");
}

/** The tensor stands on the right, and the left is a number or unknown. */
function turned(operator: string, given: Code, right: Code, context: Context): Code {
  if (given.negated !== undefined)
    return onTensor(operator, unary("-", { ...given.negated, kind: "tensor" }, context), right, context);
  if (given.kind === "" || isTensor(given.kind) || operator === "@")
    return onTensor(operator, { ...given, kind: given.kind === "" ? "tensor" : given.kind }, right, context);
  const left = floatOperand(right, operator, given, context);
  const kind =
    operator === "/" || right.kind === "tensor float" || (given.kind === "float" && !COMPARED.has(operator))
      ? "tensor float"
      : "tensor";
  const as = (value: Code): Code => ({ ...value, kind: COMPARED.has(operator) ? "tensor" : kind });
  const other = TURNED[operator];
  if (other !== undefined) return as(method(right, METHODS[other]!, left));
  if (operator === "-") return as(code(`${receiver(right)}.neg().add(${left.text})`));
  if (operator === "/")
    return left.text === "1" || left.text === "1.0"
      ? as(code(`${receiver(right)}.reciprocal()`))
      : as(code(`${receiver(right)}.reciprocal().mul(${left.text})`));
  const torch = library(context, "torch");
  if (operator === "**") return as(code(`${torch}.ops.aten.pow.Scalar(${given.text}, ${right.text})`));
  const made = isTensor(left.kind) ? left : code(`${torch}.tensor(${left.text})`, "tensor");
  return as(method(made, METHODS[operator]!, right));
}

/** `[0] * n` */
function repeated(left: Code, right: Code, context: Context): Code {
  const [list, times] = isList(left.kind) ? [left, right] : [right, left];
  const single = /^\[([^,]*)\]$/.exec(list.text)?.[1];
  const kind = listOf(elementOf(list.kind));
  if (single !== undefined && elementOf(list.kind) !== "")
    return code(
      `Array<${isNumber(elementOf(list.kind)) ? "number" : "any"}>(${atLeastZero(times)}).fill(${single})`,
      kind,
    );
  return code(`${helper(context, "repeatList")}(${list.text}, ${times.text})`, kind);
}

const EQUALITY: Readonly<Record<string, string>> = { "==": "===", "!=": "!==", is: "===", "is not": "!==" };

/** One comparison of a chain. */
export function comparison(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  if (operator === "in" || operator === "not in") return membership(left, right, operator === "in", context);
  if (operator === "is" || operator === "is not") return identity(operator, left, right, context, node);
  if (isTensor(left.kind) && right.kind !== "none") return method(left, METHODS[operator]!, right);
  if (isTensor(right.kind) && left.kind !== "none") return method(right, METHODS[TURNED[operator]!]!, left);
  const sign = EQUALITY[operator];
  return sign === undefined
    ? ordered(operator, left, right, context, node)
    : equality(sign, left, right, context);
}

/** A function of Python that returns nothing returns None; here it is undefined. */
function identity(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  const sign = EQUALITY[operator]!;
  if (right.kind === "none") return written(sign.slice(0, 2), sure(left), right, LEVEL.equality);
  const isPlain = [left, right].some(
    ({ kind }) => ["text", "device", "dtype"].includes(kind) || isNumber(kind),
  );
  if (isPlain) mark(context, node, "of numbers and texts Python's is depends on how they were made: use ===");
  // The checker takes an equality sign beside a tensor for a comparison of its elements.
  if (isTensor(left.kind) || isTensor(right.kind)) {
    const test = `Object.is(${sure(left).text}, ${sure(right).text})`;
    return operator === "is" ? code(test, "boolean") : code(`!${test}`, "boolean", LEVEL.unary);
  }
  return written(sign, sure(left), right, LEVEL.equality);
}

function ordered(operator: string, left: Code, right: Code, context: Context, node: Node): Code {
  const isLists = isList(left.kind) || isList(right.kind);
  const isOpen = left.kind === "" && right.kind === "" && !context.isShownAlone;
  if (isLists || isOpen)
    return code(
      `${helper(context, "orderOf")}(${left.text}, ${right.text}) ${operator} 0`,
      "boolean",
      LEVEL.relation,
    );
  if (left.kind === "set" || right.kind === "set") {
    const [less, more] = operator.startsWith("<") ? [left, right] : [right, left];
    if (operator.length === 1)
      return code(
        `${receiver(less)}.size < ${receiver(more)}.size && [...${less.text}].every((one) => ${receiver(more)}.has(one))`,
        "boolean",
        LEVEL.and,
      );
    return code(`[...${less.text}].every((one) => ${receiver(more)}.has(one))`, "boolean");
  }
  const isTextAndNumber =
    (left.kind === "text" && isNumber(right.kind)) || (isNumber(left.kind) && right.kind === "text");
  if (isTextAndNumber) mark(context, node, "a text and a number have no order in Python");
  return written(operator, left, right, LEVEL.relation);
}

function equality(sign: string, left: Code, right: Code, context: Context): Code {
  // Whether a remainder is 0 does not depend on its sign.
  const remainder = right.text === "0" ? /^\(\((.*)\) \+ (.+)\) % \2$/.exec(left.text)?.[1] : undefined;
  if (remainder !== undefined)
    return written(sign, code(remainder, "number", LEVEL.product), right, LEVEL.equality);
  const kinds = [left.kind, right.kind];
  if (kinds.includes("none")) return written(sign.slice(0, 2), left, right, LEVEL.equality);
  const has = (test: (kind: Kind) => boolean): boolean => kinds.some(test);
  const isHolder = has((kind) => isList(kind) || isDict(kind) || kind === "set");
  const isMixed = has((kind) => kind === "boolean") && kinds[0] !== kinds[1];
  const isOpen = has((kind) => kind === "") && !has((kind) => ["text", "device", "dtype"].includes(kind));
  if (!isHolder && !isMixed && !isOpen) return written(sign, left, right, LEVEL.equality);
  const same = `${helper(context, "isEqual")}(${left.text}, ${right.text})`;
  const kind = isHolder || !isOpen || isMixed ? "boolean" : "";
  if (sign === "===") return code(same, kind);
  return kind === "" && !has(isNumber)
    ? code(`!${helper(context, "isTruthy")}(${same})`, "boolean", LEVEL.unary)
    : code(kind === "" ? `!${helper(context, "isTruthy")}(${same})` : `!${same}`, "boolean", LEVEL.unary);
}

/** Without the `!` that says that it is not null. */
const sure = (value: Code): Code => ({ ...value, text: value.text.replace(/!$/, "") });

const written = (sign: string, left: Code, right: Code, level: number): Code =>
  code(`${bound(left, level + 1)} ${sign} ${bound(right, level + 1)}`, "boolean", level);

/** The value as a condition: an empty list and a tensor of zero are true in JavaScript. */
export function truth(value: Code, context: Context): Code {
  if (value.condition !== undefined) return value.condition;
  const { kind } = value;
  if (isTensor(kind)) return code(`${receiver(value)}.item()`, "boolean");
  if (isList(kind)) return code(`${receiver(value)}.length > 0`, "boolean", LEVEL.relation);
  if (isDict(kind)) return code(`Object.keys(${value.text}).length > 0`, "boolean", LEVEL.relation);
  if (kind === "set") return code(`${receiver(value)}.size > 0`, "boolean", LEVEL.relation);
  const hasLength = kind.startsWith("object ") && context.learned.parameters.has(`${kind.slice(7)}.__len__`);
  return kind === "" || hasLength ? code(`${helper(context, "isTruthy")}(${value.text})`, "boolean") : value;
}

/** `a and b` and `a or b`, which are one of the two. */
export function logical(operator: "and" | "or", a: Code, b: Code, context: Context): Code {
  const [sign, level] = operator === "and" ? (["&&", LEVEL.and] as const) : (["||", LEVEL.or] as const);
  const join = (left: Code, right: Code): Code =>
    code(`${bound(left, level)} ${sign} ${bound(right, level + 1)}`, either(a.kind, b.kind), level);
  const test = truth(a, context);
  const condition = { ...join(test, truth(b, context)), kind: "boolean" };
  if (test === a || a.kind === "boolean") return { ...join(a, b), condition };
  if (/^[\w.]+$/.test(a.text)) {
    const [yes, no] = operator === "and" ? [b, a] : [a, b];
    const text = `${bound(test, LEVEL.or)} ? ${bound(yes, 3)} : ${bound(no, LEVEL.arrow)}`;
    return { ...code(text, either(a.kind, b.kind), LEVEL.arrow), condition };
  }
  const name = helper(context, operator === "and" ? "andThen" : "orElse");
  return { ...code(`${name}(${a.text}, () => ${returned(b)})`, either(a.kind, b.kind)), condition };
}

export function negated(value: Code, context: Context): Code {
  const test = truth(value, context);
  return code(`!${bound(test, LEVEL.unary)}`, "boolean", LEVEL.unary);
}
