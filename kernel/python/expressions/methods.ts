// Converts methods of Python's texts, lists, dictionaries and sets.
import { bound, type Code, code, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, helper, mark } from "../context.ts";
import { elementOf, isDict, isList, isNumber, type Kind } from "../kinds.ts";
import { type Arguments, written } from "./arguments.ts";
import { inTemplate, reprText } from "./shown.ts";
import { groupKey } from "../names/group_keys.ts";
import type { Node } from "../source/syntax.ts";
import { pathMethod } from "../standard/pathlib.ts";
import { newSet } from "./sets.ts";

type Convert = (of: Code, given: readonly string[], context: Context, node: Node) => Code;

const plain =
  (name: string, kind: Kind): Convert =>
  (of, given) =>
    code(`${receiver(of)}.${name}(${given.join(", ")})`, kind);

const isDigits =
  (test: string): Convert =>
  (of) =>
    code(`${test}.test(${of.text})`, "boolean");

/** `replaceAll` reads `$&` in what it puts in as a part of what it found. */
const literal = (text: string): string => (/^"[^$]*"$/.test(text) ? text : `() => ${text}`);

const TEXT: Readonly<Record<string, Convert>> = {
  upper: plain("toUpperCase", "text"),
  lower: plain("toLowerCase", "text"),
  strip: stripped("trim", "^$+|$+$"),
  lstrip: stripped("trimStart", "^$+"),
  rstrip: stripped("trimEnd", "$+$"),
  split: (of, [by, max], context, node) => {
    if (max !== undefined) mark(context, node, "split has no count here that keeps the rest");
    return by === undefined || by === "null"
      ? code(`(${receiver(of)}.match(/\\S+/g) ?? [])`, "list text")
      : code(`${receiver(of)}.split(${by})`, "list text");
  },
  splitlines: (of) => code(`${receiver(of)}.replace(/\\n$/, "").split("\\n")`, "list text"),
  join: (of, [list = "[]"]) =>
    code(`${/^[\w.]+$/.test(list) ? `[...${list}]` : list}.join(${of.text})`, "text"),
  replace: (of, [from = '""', to = '""', max], context, node) => {
    if (max !== undefined) mark(context, node, "replaceAll has no count: replace(from, to) takes the first");
    return code(`${receiver(of)}.replaceAll(${from}, ${literal(to)})`, "text");
  },
  startswith: affix("startsWith"),
  endswith: affix("endsWith"),
  find: found("indexOf"),
  rfind: found("lastIndexOf"),
  index: (of, given, context) =>
    code(`${helper(context, "indexIn")}(${[of.text, ...given].join(", ")})`, "int"),
  count: (of, [part = '""']) => code(`${receiver(of)}.split(${part}).length - 1`, "int", LEVEL.sum),
  zfill: (of, [width = "0"], context) =>
    code(`${helper(context, "zeroPadded")}(${of.text}, ${width})`, "text"),
  ljust: plain("padEnd", "text"),
  rjust: plain("padStart", "text"),
  isdigit: isDigits("/^\\d+$/"),
  isnumeric: isDigits("/^\\d+$/"),
  isalpha: isDigits("/^\\p{L}+$/u"),
  isalnum: isDigits("/^[\\p{L}\\d]+$/u"),
  isupper: (of) => code(`/\\p{Lu}/u.test(${of.text}) && !/\\p{Ll}/u.test(${of.text})`, "boolean", LEVEL.and),
  islower: (of) => code(`/\\p{Ll}/u.test(${of.text}) && !/\\p{Lu}/u.test(${of.text})`, "boolean", LEVEL.and),
  isspace: isDigits("/^\\s+$/"),
  capitalize: (of) =>
    code(
      `${receiver(of)}.charAt(0).toUpperCase() + ${receiver(of)}.slice(1).toLowerCase()`,
      "text",
      LEVEL.sum,
    ),
};

function found(name: string): Convert {
  return (of, given, context, node) => {
    if (given.length > 2 || (given.length > 1 && name === "lastIndexOf"))
      mark(context, node, `${name} searches the whole text: take a part of it by slice first`);
    return code(
      `${receiver(of)}.${name}(${given[0]}${given[1] === undefined ? "" : `, ${given[1]}`})`,
      "int",
    );
  };
}

/** Ends that a text may have several of: `name.endswith((".png", ".jpg"))` */
function affix(name: string): Convert {
  return (of, given) => {
    const [end = '""', ...rest] = given;
    if (!end.startsWith("[")) return code(`${receiver(of)}.${name}(${[end, ...rest].join(", ")})`, "boolean");
    return code(`${end}.some((one) => ${receiver(of)}.${name}(one))`, "boolean");
  };
}

const calls =
  (name: string, kind: (of: Code) => Kind = () => ""): Convert =>
  (of, given, context) =>
    code(`${helper(context, name)}(${[of.text, ...given].join(", ")})`, kind(of));

const LIST: Readonly<Record<string, Convert>> = {
  append: plain("push", "none"),
  extend: (of, [list = "[]"]) => code(`${receiver(of)}.push(...${list})`, "none"),
  appendleft: plain("unshift", "none"),
  pop: calls("popItem", (of) => elementOf(of.kind)),
  popleft: (of, _, context) => code(`${helper(context, "popItem")}(${of.text}, 0)`, elementOf(of.kind)),
  insert: (of, [at = "0", value = ""]) => code(`${receiver(of)}.splice(${at}, 0, ${value})`, "none"),
  remove: (of, [value = ""], context) =>
    code(`${receiver(of)}.splice(${helper(context, "indexIn")}(${of.text}, ${value}), 1)`, "none"),
  index: (of, given, context) =>
    code(`${helper(context, "indexIn")}(${[of.text, ...given].join(", ")})`, "int"),
  count: (of, [value = ""], context) =>
    code(`${receiver(of)}.filter((one) => ${helper(context, "isEqual")}(one, ${value})).length`, "int"),
  reverse: plain("reverse", "none"),
  copy: (of) => code(`[...${of.text}]`, of.kind),
  clear: (of) => code(`${receiver(of)}.length = 0`, "none", LEVEL.arrow),
};

const DICT: Readonly<Record<string, Convert>> = {
  items: (of) => code(`Object.entries${of.kind === "" ? "<any>" : ""}(${of.text})`, "list"),
  keys: (of) => code(`Object.keys(${of.text})`, "list text"),
  values: (of) => code(`Object.values(${of.text})`, "list"),
  get: (of, [key = '""', otherwise = "null"], context) => {
    const kind = /^-?\d+$/.test(otherwise)
      ? "number"
      : /^-?[\d.]+$/.test(otherwise)
        ? "number"
        : otherwise.startsWith('"')
          ? "text"
          : "";
    // A value may be None, and a key may be a name that every object has.
    if (otherwise === "null" && key.startsWith('"') && !((JSON.parse(key) as string) in {}))
      return code(`${receiver(of)}[${key}] ?? null`, kind, LEVEL.or - 1);
    return code(`${helper(context, "valueOr")}(${of.text}, ${key}, ${otherwise})`, kind);
  },
  update: (of, others) => code(`Object.assign(${[of.text, ...others].join(", ")})`, "none"),
  copy: (of) => code(`{ ...${of.text} }`, "dict"),
  setdefault: calls("setDefault"),
  pop: calls("popItem"),
  clear: (of) => code(`for (const key of Object.keys(${of.text})) delete ${receiver(of)}[key]`, "none"),
};

const asSets =
  (test: (one: string, other: string) => string): Convert =>
  (of, [other = "[]"], context) =>
    code(newSet(test(of.text, newSet(other, context)), context), "set");
const SET: Readonly<Record<string, Convert>> = {
  add: plain("add", "none"),
  remove: (of, [value = ""], context) =>
    code(`${helper(context, "deleteItem")}(${of.text}, ${value})`, "none"),
  discard: plain("delete", "none"),
  copy: (of, _, context) => code(newSet(of.text, context), "set"),
  clear: plain("clear", "none"),
  update: (of, [other = "[]"]) => code(`for (const one of ${other}) ${receiver(of)}.add(one)`, "none"),
  union: (of, others, context) =>
    code(newSet(`[...${of.text}${others.map((one) => `, ...${one}`).join("")}]`, context), "set"),
  intersection: asSets((one, other) => `[...${other}].filter((value) => ${one}.has(value))`),
  difference: (of, [other = "[]"], context) =>
    code(
      newSet(`[...${of.text}].filter((one) => !${helper(context, "isIn")}(one, ${other}))`, context),
      "set",
    ),
  issubset: (of, [other = "[]"], context) =>
    code(`[...${of.text}].every((one) => ${helper(context, "isIn")}(one, ${other}))`, "boolean"),
  issuperset: (of, [other = "[]"]) =>
    code(`[...${other}].every((one) => ${receiver(of)}.has(one))`, "boolean"),
};

/** The lines of a file, each with its end. */
export const linesText = (file: string): string =>
  `(readFileSync(${file}, "utf8").match(/[^\\n]*\\n|[^\\n]+/g) ?? [])`;

const FILE: Readonly<Record<string, Convert>> = {
  read: (of) => code(`readFileSync(${of.text}, "utf8")`, "text"),
  readlines: (of) => code(linesText(of.text), "list text"),
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
  appendleft: LIST,
  popleft: LIST,
  extend: LIST,
  items: DICT,
  keys: DICT,
  setdefault: DICT,
  ...Object.fromEntries(
    "upper lower strip lstrip rstrip splitlines join startswith endswith zfill ljust rjust isdigit isalpha isalnum isupper islower isspace"
      .split(" ")
      .map((name) => [name, TEXT]),
  ),
};

/** What a method is called on, by its arguments: a tensor's split has a size, and only a text's replace has two texts. */
function tableByArguments(name: string, { positional, keywords }: Arguments): typeof TEXT | undefined {
  const [first] = positional;
  const isBare = first === undefined && keywords.length === 0;
  const isOfText = first?.value.kind === "text" || keywords.some((one) => /^(sep|maxsplit)$/.test(one.name));
  if (name === "split" && (isBare || isOfText)) return TEXT;
  if (name === "find" && isOfText) return TEXT;
  if (name === "replace" && (isOfText || positional.length >= 2)) return TEXT;
  // What is taken out is found where it runs, of a list or a dictionary.
  return name === "pop" && first !== undefined ? LIST : undefined;
}

/** The converted call, or null where the method is of none of Python's own types. */
export function methodCall(
  of: Code,
  name: string,
  given: Arguments,
  context: Context,
  node: Node,
): Code | null {
  if (of.kind === "group" && given.positional[0] !== undefined) {
    const [key, ...others] = given.positional;
    const renamed = { ...key!, value: groupKey(of.kind, key!.value, context, node) };
    return methodCall(
      { ...of, kind: "dict" },
      name,
      { ...given, positional: [renamed, ...others] },
      context,
      node,
    );
  }
  const ofPath = of.kind === "text" ? pathMethod(of, name, given, context, node) : null;
  if (ofPath !== null) return ofPath;
  // A number of numpy is a number here.
  if (name === "item" && isNumber(of.kind) && given.positional.length === 0) return of;
  if (name === "is_integer") return code(`Number.isInteger(${of.text})`, "boolean");
  if (name === "values" && of.kind === "" && !context.isShownAlone)
    return code(`${helper(context, "valuesOf")}(${of.text})`);
  const isGet = name === "get" && given.positional.length === 2;
  const table =
    tableOf(of.kind) ??
    (of.kind === "" && isGet ? DICT : undefined) ??
    (of.kind === "" && Object.hasOwn(TELLING, name) ? TELLING[name] : undefined) ??
    (of.kind === "" ? tableByArguments(name, given) : undefined);
  if (table === undefined) return null;
  if (name === "format" && table === TEXT) return formatCall(of, given, context, node);
  if (name === "sort" && table === LIST) return null;
  const convert = Object.hasOwn(table, name) ? table[name] : undefined;
  if (convert === undefined) return null;
  const texts = given.positional.map(written);
  // What is not known as one text may be several.
  const [end] = given.positional;
  if (
    /^(starts|ends)with$/.test(name) &&
    end !== undefined &&
    end.value.kind !== "text" &&
    !texts[0]!.startsWith("[")
  )
    texts[0] = isList(end.value.kind) ? `[...${texts[0]}]` : `[${texts[0]}].flat()`;
  if (given.keywords.length > 0) {
    if (name === "update")
      texts.push(`{ ${given.keywords.map((one) => `${one.name}: ${one.value.text}`).join(", ")} }`);
    else mark(context, node, `${name} takes no ${given.keywords[0]!.name} here`);
  }
  if (name === "join" && given.comprehension !== null) texts.push(context.expression(node).text);
  return convert(of, texts, context, node);
}

function tableOf(kind: Kind): Readonly<Record<string, Convert>> | undefined {
  if (kind === "text") return TEXT;
  if (isDict(kind)) return DICT;
  if (kind === "set") return SET;
  if (kind === "file") return FILE;
  return isList(kind) ? LIST : undefined;
}

function stripped(name: string, pattern: string): Convert {
  return (of, [signs], context, node) => {
    if (signs === undefined) return code(`${receiver(of)}.${name}()`, "text");
    if (!signs.startsWith('"')) mark(context, node, "which signs are taken off is known only when this runs");
    const set = `[${signs.slice(1, -1).replace(/[\]\\^-]/g, "\\$&")}]`;
    return code(`${receiver(of)}.replace(/${pattern.replaceAll("$+", `${set}+`)}/g, "")`, "text");
  };
}

/** `"{} of {n:.1f}".format(i, n=2)`, of a text that is written there. */
function formatCall(of: Code, given: Arguments, context: Context, node: Node): Code {
  if (!/^"(?:[^"\\]|\\.)*"$/.test(of.text)) {
    const named = given.keywords.map(({ name, value }) => `${keyText(name)}: ${bound(value, LEVEL.arrow)}`);
    if (given.spread !== null) named.push(`...${bound(given.spread, LEVEL.arrow)}`);
    const fields = named.length === 0 ? "" : `, { ${named.join(", ")} }`;
    const values = given.positional.map(written).join(", ");
    return code(`${helper(context, "formatOf")}(${bound(of, LEVEL.arrow)}, [${values}]${fields})`, "text");
  }
  let next = 0;
  const text = (JSON.parse(of.text) as string).replace(
    /\{\{|\}\}|[`\\]|\$(?=\{)|\{(\w*)((?:\[[^\]]*\]|\.\w+)*)(![rsa])?(?::([^}]*))?\}/g,
    (whole, name: string | undefined, path: string, conversion?: string, spec?: string) => {
      if (name === undefined) return /^[{}]/.test(whole) ? whole[0]! : `\\${whole}`;
      if (path !== "") mark(context, node, `${whole} reads a part of its value: write it in a template`);
      const value = /^\d*$/.test(name)
        ? given.positional[name === "" ? next++ : Number(name)]?.value
        : given.keywords.find((one) => one.name === name)?.value;
      if (value === undefined) return whole;
      if (conversion === "!r") return `\${${reprText(value, context)}}`;
      return `\${${spec === undefined || spec === "" ? inTemplate(value, context) : context.format(value, spec, node)}}`;
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
        if (/[+ ]/.test(flags ?? "") || (type === "s" && digits !== undefined))
          mark(context, node, `the format ${whole} has no equal here`);
        if (type === "r") return `\${${reprText(value, context)}}`;
        if (number === "d" && value.kind !== "int")
          return `\${${context.format(code(`Math.trunc(${value.text})`, "int"), spec, node)}}`;
        return `\${${spec === "" || spec === "d" ? inTemplate(type === "d" ? { ...value, kind: "int" } : value, context) : context.format(value, spec, node)}}`;
      },
    );
  if (next !== values.length || /%[^%\s\w]*[co]/i.test(of.text))
    mark(context, node, "how many values the format takes is not known here: build the text as a template");
  return code(`\`${text}\``, "text");
}
