// Converts calls of Python's re and unicodedata. A pattern that is written in the call becomes a regular expression of
// JavaScript. It does not know patterns that are computed, nor what re.VERBOSE leaves out: both are marked.
import type { Arguments } from "../expressions/arguments.ts";
import { type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper, mark } from "../context.ts";
import { valueOf } from "../expressions/literals.ts";
import type { Node } from "../source/syntax.ts";

type Convert = (given: Arguments, context: Context, node: Node) => Code | null;

const COMPUTED = "this pattern is not converted: new RegExp(text, flags) takes it in JavaScript's own syntax";

const FLAGS: Readonly<Record<string, string>> = {
  I: "i",
  IGNORECASE: "i",
  M: "m",
  MULTILINE: "m",
  S: "s",
  DOTALL: "s",
};

/** What a sign after a backslash is in JavaScript; Python's classes know all of Unicode. */
const CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  w: "\\p{L}\\p{N}_",
  s: "\\s",
  S: "\\S",
  A: "^",
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
};

const WORD = `[${CLASSES["w"]}]`;
/** The end of a word, of which JavaScript knows only those of a to z. */
const BOUNDARY = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;

/** Signs that a backslash takes their meaning from, also in JavaScript's Unicode mode. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

/** The pattern in JavaScript's syntax, or null for what is written otherwise there. */
function patternText(python: string, flags: string): string | null {
  if (/\(\?(?![:=!]|<[=!]|P[<=])|[*+?}]\+|\\[BZuUx0N]/.test(python)) return null;
  let text = "";
  let isInClass = false;
  for (const [part] of python.matchAll(/\\[\s\S]|\(\?P<|\(\?P=\w+\)|[\s\S]/g)) {
    if (part === "(?P<" && !isInClass) text += "(?<";
    else if (part.startsWith("(?P=")) text += `\\k<${part.slice(4, -1)}>`;
    else if (part.length === 2 && part.startsWith("\\")) {
      const sign = part[1]!;
      if ((sign === "W" || sign === "b") && isInClass) return null;
      if (sign === "b") text += BOUNDARY;
      else if (sign === "W") text += "[^\\p{L}\\p{N}_]";
      else if (sign === "w") text += isInClass ? CLASSES["w"] : WORD;
      else if (Object.hasOwn(CLASSES, sign)) text += CLASSES[sign];
      else if (/\d/.test(sign)) text += part;
      else if (SYNTAX.test(sign) || (isInClass && sign === "-")) text += part;
      else if (/\w/.test(sign)) return null;
      else text += sign;
    } else if (part === "[" && isInClass) text += "\\[";
    else if (part === "[" || part === "]") {
      isInClass = part === "[";
      text += part;
    } else if (isInClass && /[(){}|/]/.test(part)) text += `\\${part}`;
    else if (part === "/") text += "\\/";
    else if (part === "\n") text += "\\n";
    else if (part === "." && !isInClass && !flags.includes("s")) text += "[^\\n]";
    // Before a last line break Python's end is an end too.
    else if (part === "$" && !isInClass) text += "(?=\\n?$)";
    else text += part;
  }
  return isExpression(text) ? text : null;
}

function isExpression(text: string): boolean {
  try {
    return text !== "" && new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}

function flagsText(node: Node | undefined): string | null {
  if (node === undefined) return "";
  const names = node.text.split("|").map((part) => part.trim().replace(/^re\./, ""));
  return names.every((name) => Object.hasOwn(FLAGS, name)) ? names.map((name) => FLAGS[name]).join("") : null;
}

/** `/pattern/u` of a call's pattern and flags; marked where it is not known here. */
function expressionText(
  given: Arguments,
  flagsAt: number,
  all: string,
  context: Context,
  node: Node,
): string {
  const [pattern] = given.positional;
  const flags = flagsText(
    given.keywords.find(({ name }) => name === "flags")?.node ?? given.positional[flagsAt]?.node,
  );
  const text =
    pattern?.node.name === "String" && flags !== null ? patternText(valueOf(pattern.node), flags) : null;
  // ^ and $ of several lines end at every line.
  const isKnown = text !== null && !(flags?.includes("m") === true && text.includes("(?=\\n?$)"));
  // A pattern that matches the empty text splits between all signs in Python, and JavaScript splits otherwise.
  const isSplit = all === "" && text !== null && new RegExp(text, "u").test("");
  if (isKnown && !isSplit) return `/${text}/${all}${flags}u`;
  mark(context, node, COMPUTED);
  return `new RegExp(${pattern?.value.text ?? '""'}, "${all}u")`;
}

/** `r"\1 \g<name>"` -> `"$1 $<name>"`; a function is given the groups. */
function replacementText(given: Arguments, context: Context, node: Node): string {
  const by = given.positional[1];
  if (by?.node.name !== "String") {
    mark(
      context,
      node,
      "what is put in for a match is a text here, or a function of the match and its groups",
    );
    return by?.value.text ?? '""';
  }
  const text = valueOf(by.node)
    .replaceAll("$", "$$$$")
    .replace(/\\g<(\d+)>|\\(\d+)/g, (_, long?: string, short?: string) => `$${long ?? short}`)
    .replace(/\\g<(\w+)>/g, "$<$1>");
  if (text.includes("\\")) mark(context, node, COMPUTED);
  return JSON.stringify(text);
}

const sub: Convert = (given, context, node) => {
  const [, , of] = given.positional;
  if (of === undefined || given.positional.length > 3 || given.keywords.some(({ name }) => name !== "flags"))
    return null;
  const pattern = expressionText(given, 4, "g", context, node);
  return code(`${receiver(of.value)}.replace(${pattern}, ${replacementText(given, context, node)})`, "text");
};

/** A group in brackets is what findall gives; several are a tuple. */
const findAll: Convert = (given, context, node) => {
  const [pattern, of] = given.positional;
  if (pattern === undefined || of === undefined) return null;
  return code(
    `${helper(context, "findAll")}(${expressionText(given, 2, "g", context, node)}, ${of.value.text})`,
    "list",
  );
};

const split: Convert = (given, context, node) => {
  const [, of] = given.positional;
  if (of === undefined || given.positional.length > 2) return null;
  return code(`${receiver(of.value)}.split(${expressionText(given, 3, "", context, node)})`, "list text");
};

export const PATTERN_CALLS: Readonly<Record<string, Convert>> = {
  "re.sub": sub,
  "re.findall": findAll,
  "re.split": split,
  "unicodedata.normalize": (given) => {
    const [form, of] = given.positional.map(({ value }) => value);
    return form === undefined || of === undefined
      ? null
      : code(`${receiver(of)}.normalize(${form.text})`, "text");
  },
  "unicodedata.category": (given, context) => {
    const of = given.positional[0]?.value;
    return of === undefined
      ? null
      : code(`${helper(context, "categoryOf")}(${of.text})`, "text", LEVEL.primary);
  },
};
