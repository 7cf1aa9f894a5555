// Converts methods of Python's texts, lists, dictionaries and sets.
import { type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, mark } from "../context.ts";
import { elementOf, isList, type Kind } from "../kinds.ts";
import { type Arguments, written } from "./arguments.ts";
import type { Node } from "../source/syntax.ts";

type Convert = (of: Code, given: readonly string[], context: Context, node: Node) => Code;

const plain =
  (name: string, kind: Kind): Convert =>
  (of, given) =>
    code(`${receiver(of)}.${name}(${given.join(", ")})`, kind);

const isDigits =
  (test: string): Convert =>
  (of) =>
    code(`${test}.test(${of.text})`, "boolean");

const TEXT: Readonly<Record<string, Convert>> = {
  upper: plain("toUpperCase", "text"),
  lower: plain("toLowerCase", "text"),
  strip: stripped("trim", "^$+|$+$"),
  lstrip: stripped("trimStart", "^$+"),
  rstrip: stripped("trimEnd", "$+$"),
  split: (of, [by, most], context, node) => {
    if (most !== undefined) mark(context, node, "split has no count here that keeps the rest");
    return by === undefined || by === "null"
      ? code(`${receiver(of)}.trim().split(/\\s+/)`, "list text")
      : code(`${receiver(of)}.split(${by})`, "list text");
  },
  splitlines: (of) => code(`${receiver(of)}.split("\\n")`, "list text"),
  join: (of, [list = "[]"]) => code(`${list}.join(${of.text})`, "text"),
  replace: (of, [from = '""', to = '""']) => code(`${receiver(of)}.replaceAll(${from}, ${to})`, "text"),
  startswith: plain("startsWith", "boolean"),
  endswith: plain("endsWith", "boolean"),
  find: plain("indexOf", "number"),
  rfind: plain("lastIndexOf", "number"),
  index: plain("indexOf", "number"),
  count: (of, [part = '""']) => code(`${receiver(of)}.split(${part}).length - 1`, "number", LEVEL.sum),
  zfill: (of, [width = "0"]) => code(`${receiver(of)}.padStart(${width}, "0")`, "text"),
  ljust: plain("padEnd", "text"),
  rjust: plain("padStart", "text"),
  isdigit: isDigits("/^\\d+$/"),
  isnumeric: isDigits("/^\\d+$/"),
  isalpha: isDigits("/^\\p{L}+$/u"),
  isalnum: isDigits("/^[\\p{L}\\d]+$/u"),
  isspace: isDigits("/^\\s+$/"),
  capitalize: (of) =>
    code(
      `${receiver(of)}.charAt(0).toUpperCase() + ${receiver(of)}.slice(1).toLowerCase()`,
      "text",
      LEVEL.sum,
    ),
};

const LIST: Readonly<Record<string, Convert>> = {
  append: plain("push", "number"),
  extend: (of, [list = "[]"]) => code(`${receiver(of)}.push(...${list})`, "number"),
  pop: (of, [at]) =>
    at === undefined || at === "-1"
      ? code(`${receiver(of)}.pop()`, elementOf(of.kind))
      : at === "0"
        ? code(`${receiver(of)}.shift()`, elementOf(of.kind))
        : code(`${receiver(of)}.splice(${at}, 1)[0]`, elementOf(of.kind)),
  insert: (of, [at = "0", value = ""]) => code(`${receiver(of)}.splice(${at}, 0, ${value})`),
  remove: (of, [value = ""]) => code(`${receiver(of)}.splice(${receiver(of)}.indexOf(${value}), 1)`),
  index: plain("indexOf", "number"),
  count: (of, [value = ""]) => code(`${receiver(of)}.filter((one) => one === ${value}).length`, "number"),
  reverse: plain("reverse", "list"),
  copy: (of) => code(`[...${of.text}]`, of.kind),
  clear: (of) => code(`${receiver(of)}.length = 0`, "", LEVEL.arrow),
};

const DICT: Readonly<Record<string, Convert>> = {
  items: (of) => code(`Object.entries(${of.text})`, "list"),
  keys: (of) => code(`Object.keys(${of.text})`, "list text"),
  values: (of) => code(`Object.values(${of.text})`, "list"),
  get: (of, [key = '""', otherwise = "null"]) =>
    code(
      `${receiver(of)}[${key}] ?? ${otherwise}`,
      /^-?[\d.]+$/.test(otherwise) ? "number" : otherwise.startsWith('"') ? "text" : "",
      LEVEL.or - 1,
    ),
  update: (of, [other = "{}"]) => code(`Object.assign(${of.text}, ${other})`),
  copy: (of) => code(`{ ...${of.text} }`, "dict"),
  setdefault: (of, [key = '""', value = "null"]) =>
    code(`${receiver(of)}[${key}] ??= ${value}`, "", LEVEL.arrow),
  pop: (of, [key = '""'], context, node) => {
    mark(context, node, `read ${receiver(of)}[${key}] first, then delete it`);
    return code(`delete ${receiver(of)}[${key}]`, "", LEVEL.unary);
  },
};

const SET: Readonly<Record<string, Convert>> = {
  add: plain("add", ""),
  remove: plain("delete", ""),
  discard: plain("delete", ""),
  copy: (of) => code(`new Set(${of.text})`, "set"),
};

const FILE: Readonly<Record<string, Convert>> = {
  read: (of) => code(`readFileSync(${of.text}, "utf8")`, "text"),
  readlines: (of) => code(`readFileSync(${of.text}, "utf8").trimEnd().split("\\n")`, "list text"),
  write: (of, [text = '""']) => code(`writeSync(${of.text}, ${text})`, "number"),
  close: (of) => code(`closeSync(${of.text})`),
};
/** What of node:fs each of them needs. */
export const FILE_CALLS: Readonly<Record<string, string>> = {
  read: "readFileSync",
  readlines: "readFileSync",
  write: "writeSync",
  close: "closeSync",
};

/** Methods that no tensor, layer or optimizer has, so that they tell of what they are called on. */
const TELLING: Readonly<Record<string, Readonly<Record<string, Convert>>>> = {
  append: LIST,
  extend: LIST,
  items: DICT,
  keys: DICT,
  setdefault: DICT,
  ...Object.fromEntries(
    "upper lower strip lstrip rstrip splitlines join startswith endswith zfill ljust rjust isdigit"
      .split(" ")
      .map((name) => [name, TEXT]),
  ),
};

/** The converted call, or null where the method is of none of Python's own types. */
export function methodCall(
  of: Code,
  name: string,
  given: Arguments,
  context: Context,
  node: Node,
): Code | null {
  const table =
    tableOf(of.kind) ?? (of.kind === "" && Object.hasOwn(TELLING, name) ? TELLING[name] : undefined);
  if (table === undefined) return null;
  if (name === "format" && table === TEXT) return formatCall(of, given, context, node);
  if (name === "sort" && table === LIST) return null;
  const convert = Object.hasOwn(table, name) ? table[name] : undefined;
  if (convert === undefined) return null;
  const texts = given.positional.map(written);
  if (name === "join" && given.comprehension !== null) texts.push(context.expression(node).text);
  return convert(of, texts, context, node);
}

function tableOf(kind: Kind): Readonly<Record<string, Convert>> | undefined {
  if (kind === "text") return TEXT;
  if (kind === "dict") return DICT;
  if (kind === "set") return SET;
  if (kind === "file") return FILE;
  return isList(kind) ? LIST : undefined;
}

function stripped(name: string, pattern: string): Convert {
  return (of, [signs]) => {
    if (signs === undefined) return code(`${receiver(of)}.${name}()`, "text");
    const set = `[${signs.slice(1, -1).replace(/[\]\\^-]/g, "\\$&")}]`;
    return code(`${receiver(of)}.replace(/${pattern.replaceAll("$+", `${set}+`)}/g, "")`, "text");
  };
}

/** `"{} of {n:.1f}".format(i, n=2)`, of a text that is written there. */
function formatCall(of: Code, given: Arguments, context: Context, node: Node): Code {
  if (!of.text.startsWith('"')) {
    mark(context, node, "a format that is not written here: build the text as a template");
    return code(of.text, "text");
  }
  let next = 0;
  const text = (JSON.parse(of.text) as string).replace(
    /\{\{|\}\}|\{(\w*)((?:\[[^\]]*\]|\.\w+)*)(?::([^}]*))?\}/g,
    (whole, name: string | undefined, _: string, spec?: string) => {
      if (name === undefined) return whole[0]!;
      const value = /^\d*$/.test(name)
        ? given.positional[name === "" ? next++ : Number(name)]?.value
        : given.keywords.find((one) => one.name === name)?.value;
      if (value === undefined) return whole;
      return `\${${spec === undefined || spec === "" ? value.text : context.format(value, spec, node)}}`;
    },
  );
  return code(`\`${text}\``, "text");
}

/** `"%d of %.2f" % (i, n)` */
export function percentFormat(of: Code, values: readonly Code[], context: Context, node: Node): Code {
  let next = 0;
  const text = (JSON.parse(of.text) as string)
    .replace(/[`\\]|\$\{/g, "\\$&")
    .replace(
      /%(?:%|([-+0 ]*)(\d*)(?:\.(\d+))?([sdifgexr]))/g,
      (whole, flags: string | undefined, width: string, digits: string | undefined, type: string) => {
        if (whole === "%%") return "%";
        const value = values[next++];
        if (value === undefined) return whole;
        const align = flags?.includes("-") ? "<" : type === "s" && width !== "" ? ">" : "";
        const zero = flags?.includes("0") ? "0" : "";
        const kept = type === "s" || type === "r" || type === "d" || type === "i" ? "" : type;
        const number = type === "d" || type === "i" ? "d" : kept;
        const spec = `${align}${zero}${width}${digits === undefined ? "" : `.${digits}`}${number}`;
        return `\${${spec === "" || spec === "d" ? value.text : context.format(value, spec, node)}}`;
      },
    );
  return code(`\`${text}\``, "text");
}
