// Converts literals: texts with their escapes, f-strings with their formats, numbers, lists, dictionaries and sets.
import { bound, type Code, code, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, helper, mark, textKey } from "../context.ts";
import { complexCode } from "./complex.ts";
import { either, holdsFloat, isNumber, isTensor, listOf, tupleOf } from "../kinds.ts";
import { inTemplate, reprText, shownText } from "./shown.ts";
import { type Node, operands, parts } from "../source/syntax.ts";
import { isGroup, keyOfGroup } from "../names/group_keys.ts";
import { setFrom } from "./sets.ts";

export function numberCode({ text }: Node, context: Context, node: Node): Code {
  if (/[jJ]$/.test(text)) return complexCode({ re: 0, im: Number(text.slice(0, -1).replaceAll("_", "")) });
  const isFloat = /[.eE]/.test(text) && !/^0[xX]/.test(text);
  const written = text
    .replace(/^0+(?=\d)/, "")
    .replace(/\.$/, ".0")
    .replace(/\.(?=[eE])/, "");
  if (!isFloat && Number(text.replaceAll("_", "")) > 2 ** 53)
    mark(context, node, "whole numbers above 2 ** 53 lose digits here: use BigInt");
  const kind = isFloat ? "float" : "int";
  return { ...code(written.startsWith(".") ? `0${written}` : written, kind), isCount: !isFloat };
}

interface Quoted {
  readonly isRaw: boolean;
  readonly isBytes: boolean;
  readonly quote: string;
  readonly inner: string;
}

function unquoted(text: string): Quoted {
  const [, prefix = "", quote = ""] = /^([A-Za-z]*)("""|'''|"|')/.exec(text) ?? [];
  const inner = text.slice(prefix.length + quote.length, -quote.length);
  return { isRaw: /r/i.test(prefix), isBytes: /b/i.test(prefix), quote, inner };
}

/** The value that a plain text of Python has. */
export function valueOf({ text }: Node): string {
  const { isRaw, inner } = unquoted(text);
  return isRaw ? inner : unescaped(inner);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (whole, x?: string, u?: string, long?: string, letter?: string) => {
      const digits = x ?? u ?? long;
      if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
      if (letter !== undefined && Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter]!;
      return letter === "\\" || letter === '"' || letter === "'" ? letter : whole;
    },
  );
}

/** As a template's text: lines stay lines. */
function templateText(value: string): string {
  return value.replace(/[\\`]|\$\{/g, "\\$&");
}

export function textCode(node: Node, context: Context): Code {
  const { isBytes, quote } = unquoted(node.text);
  if (isBytes) mark(context, node, "bytes are a Uint8Array: Buffer.from(text)");
  const value = valueOf(node);
  const isLong = quote.length === 3 && value.includes("\n");
  return code(isLong ? `\`${templateText(value)}\`` : JSON.stringify(value), "text");
}

/** `f"loss {loss:.4f}"` -> `` `loss ${loss.toFixed(4)}` `` */
export function formatCode(node: Node, context: Context): Code {
  return code(`\`${templateOf(node, context)}\``, "text");
}

function templateOf(node: Node, context: Context): string {
  const { quote, isRaw } = unquoted(node.text);
  const opening = node.text.indexOf(quote) + quote.length;
  let text = "";
  let at = node.from + opening;
  const plain = (to: number): string => {
    const part = context.text.slice(at, to).replace(/\{\{|\}\}/g, (braces) => braces[0]!);
    return templateText(isRaw ? part : unescaped(part));
  };
  for (const child of node.children) {
    if (child.name !== "FormatReplacement") continue;
    text += plain(child.from) + replacement(child, context);
    at = child.to;
  }
  const rest = plain(node.to - quote.length);
  return (text + rest).replaceAll("\r\n", "\n");
}

function replacement(node: Node, context: Context): string {
  const spec = node.children.find(({ name }) => name === "FormatSpec");
  const conversion = node.children.find(({ name }) => name === "FormatConversion")?.text;
  const selfDoc = node.children.find(({ name }) => name === "FormatSelfDoc");
  const values = operands(node).filter(({ name }) => !name.startsWith("Format"));
  const first = values[0];
  if (first === undefined) return "";
  const isTuple = values.length > 1;
  let value = context.expression(first);
  if (isTuple) {
    mark(context, node, "a tuple is a list here, and is written in the brackets of one");
    value = listOfParts(
      values.map((one) => [one]),
      context,
    );
  }
  const label =
    selfDoc === undefined
      ? ""
      : templateText(
          context.text.slice(
            first.from,
            context.text.slice(0, selfDoc.to).length + /^\s*/.exec(context.text.slice(selfDoc.to))![0].length,
          ),
        );
  const isRepr =
    conversion === "!r" || (selfDoc !== undefined && spec === undefined && conversion === undefined);
  if (isRepr) value = code(reprText(value, context), "text");
  const written =
    spec === undefined ? inTemplate(value, context) : formatted(value, spec.text.slice(1), context, node);
  if (spec?.children.some(({ name }) => name === "FormatReplacement"))
    mark(context, node, `the width of ${node.text} is computed: use padStart, padEnd or toFixed`);
  // A template inside a template is a part of it.
  const inner = /^`([^`]*)`$/.exec(written)?.[1];
  return inner === undefined ? `${label}\${${written}}` : label + inner;
}

/** `.4f`, `>10`, `,`, `05d`, `.1%`, `.3e` */
export function formatted(value: Code, spec: string, context: Context, node: Node): string {
  const match = /^(?:(.)?([<>^=]))?([+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/.exec(spec);
  if (match === null) {
    mark(context, node, `the format ${spec} has no equal here`);
    return value.text;
  }
  const [, fill, align, sign, alternate, zero, width, grouped, digits, type] = match;
  const isUnclear =
    alternate !== undefined ||
    sign === " " ||
    (type !== undefined && !"fF%egxXbosd".includes(type)) ||
    (value.kind === "" &&
      width !== undefined &&
      align === undefined &&
      type === undefined &&
      zero === undefined) ||
    (value.kind === "" && digits !== undefined && type === undefined && !context.isShownAlone);
  if (isUnclear)
    mark(context, node, `what the format ${spec} says depends on the value, or has no equal here`);
  const number = numberText(value);
  const isNumeric = type === "d" || (zero !== undefined && type !== "s");
  let text = shownText(isNumeric && value.kind === "" ? { ...value, kind: "int" } : value, context);
  if (type === "f" || type === "F") text = `${number}.toFixed(${digits ?? 6})`;
  else if (type === "%")
    text = `\`\${(${bound({ ...value, text: number }, LEVEL.product)} * 100).toFixed(${digits ?? 6})}%\``;
  else if (type === "e") text = `${number}.toExponential(${digits ?? 6}).replace(/e([+-])(\\d)$/, "e$10$2")`;
  else if (type === "g" || (type === undefined && digits !== undefined && value.kind !== "text"))
    text = `${helper(context, "general")}(${numberText(value)}, ${digits ?? 6}${type === "g" ? "" : ", true"})`;
  else if (type === "x" || type === "X" || type === "b" || type === "o")
    text = `${number}.toString(${{ x: 16, X: 16, b: 2, o: 8 }[type]})${type === "X" ? ".toUpperCase()" : ""}`;
  else if (digits !== undefined) text = `${receiver(value)}.slice(0, ${digits})`;
  if (grouped !== undefined) {
    const options =
      digits === undefined
        ? value.kind === "int"
          ? ""
          : ", { maximumFractionDigits: 20 }"
        : `, { minimumFractionDigits: ${digits}, maximumFractionDigits: ${digits} }`;
    text = `${number}.toLocaleString("en-US"${options})`;
    if (grouped === "_") text += '.replaceAll(",", "_")';
  }
  if (sign === "+") text = `(${number} < 0 ? "" : "+") + ${text}`;
  if (width === undefined) return text;
  const isText = /^`|\)$|^String/.test(text) && text !== value.text;
  const padded = isText
    ? bound(code(text, "text", sign === "+" ? LEVEL.sum : LEVEL.primary), LEVEL.primary)
    : `String(${text})`;
  const wide = value.kind === "text" && value.text === text ? receiver(value) : padded;
  if (zero !== undefined && align === undefined && value.isCount !== true)
    return `${helper(context, "zeroPadded")}(${wide}, ${width})`;
  const filling = zero !== undefined && align === undefined ? "0" : (fill ?? " ");
  const tail = filling === " " ? "" : `, ${JSON.stringify(filling)}`;
  if (align === "^") {
    mark(context, node, `a text is centred by hand: padStart, then padEnd`);
    return `${wide}.padEnd(${width}${tail})`;
  }
  const isText_ =
    type === "s" ||
    (type === undefined && digits === undefined && grouped === undefined && !isNumber(value.kind));
  const isLeft = align === "<" || (align === undefined && zero === undefined && isText_);
  return `${wide}.${isLeft ? "padEnd" : "padStart"}(${width}${tail})`;
}

/** The number of a tensor with one element, or the value itself. */
function numberText(value: Code): string {
  return isTensor(value.kind) ? `${receiver(value)}.item()` : receiver(value);
}

/** `"a" f"{b}"`: texts side by side. */
export function continuedCode(node: Node, context: Context): Code {
  if (node.children.every(({ name }) => name === "String"))
    return code(JSON.stringify(node.children.map(valueOf).join("")), "text");
  const all = node.children.map((child) =>
    child.name === "FormatString" ? templateOf(child, context) : templateText(valueOf(child)),
  );
  return code(`\`${all.join("")}\``, "text");
}

/** `[a, *b]`, and a tuple, which is a list here. */
export function listCode(node: Node, context: Context): Code {
  const all = parts(node.children.filter(({ name }) => !"()[]".includes(name)));
  return listOfParts(all, context);
}

export function listOfParts(all: readonly (readonly Node[])[], context: Context): Code {
  const elements = all.map((part) => {
    const value = context.expression(part.at(-1)!);
    return {
      value,
      text: part[0]?.name === "*" ? `...${bound(value, LEVEL.arrow)}` : bound(value, LEVEL.arrow),
    };
  });
  const kinds = elements.map(({ value }) => value.kind);
  const isPlain = !elements.some(({ text }) => text.startsWith("..."));
  const element = isPlain && kinds.length > 0 ? kinds.reduce(either) : "";
  const kind = isPlain && element === "" && kinds.length > 1 ? tupleOf(kinds) : listOf(element);
  const isFloat = elements.some(({ value }) => value.isFloat === true || holdsFloat(value.kind));
  return { ...code(`[${elements.map(({ text }) => text).join(", ")}]`, kind), isFloat };
}

/** `{"a": 1, **rest}` -> `{ a: 1, ...rest }` */
export function dictCode(node: Node, context: Context): Code {
  const all = parts(node.children.filter(({ name }) => name !== "{" && name !== "}"));
  if (all.length === 0) return code("{}", "dict");
  // A group of parameters for an optimizer, whose options have the library's names.
  const keys = all.map(([key]) => (key?.name === "String" ? valueOf(key) : ""));
  const named = isGroup(keys) ? keyOfGroup : (key: string) => key;
  const fields = all.map((part) => {
    if (part[0]?.name === "**") return `...${context.expression(part[1]!).text}`;
    const colon = part.findIndex(({ name }) => name === ":");
    const key = part[0]!;
    const value = bound(context.expression(part[colon + 1]!), LEVEL.arrow);
    if (key.name === "String") return `${keyText(named(valueOf(key)))}: ${value}`;
    if (key.name === "TupleExpression")
      mark(context, key, "a tuple is no key here: use a Map with a text for its key");
    const written = context.expression(key);
    if (key.name !== "TupleExpression") textKey(written, context, key);
    return `${key.name === "Number" ? written.text : `[${written.text}]`}: ${value}`;
  });
  return code(`{ ${fields.join(", ")} }`, isGroup(keys) ? "group" : "dict");
}

export function setCode(node: Node, context: Context): Code {
  const list = listOfParts(parts(node.children.filter(({ name }) => name !== "{" && name !== "}")), context);
  return setFrom(list, context);
}
