// Converts Python's built-in functions: print, len, range, zip, isinstance and the like.
import { bound, type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper, mark, need } from "../context.ts";
import { elementOf, isDict, isList, isNumber, isTensor, listOf, tupleOf } from "../kinds.ts";
import { inTemplate, reprText, shownText } from "./shown.ts";
import { arithmetic, truth } from "./operators.ts";
import {
  arrayText,
  type Convert,
  extreme,
  first,
  keyword,
  listText,
  quantifier,
  sorted,
  sum,
} from "./aggregates.ts";
import { type Arguments, written } from "./arguments.ts";
import { isGroup, keyOfGroup } from "../names/group_keys.ts";
import { type Node, operands } from "../source/syntax.ts";
import { newSet, setFrom } from "./sets.ts";

function print(given: Arguments, context: Context): Code {
  const [separator, end, file] = [keyword(given, "sep"), keyword(given, "end"), keyword(given, "file")];
  const values = given.positional;
  const single = values.length === 1 && !values[0]!.spread ? values[0]!.value : null;
  const toError = file?.text.includes("stderr") === true;
  const call = toError ? "console.error" : "console.log";
  if (separator === undefined && end === undefined) {
    const texts = values.map((one) =>
      one.value.kind === "error" ? shownText(one.value, context) : written(one),
    );
    // The first text of several is a format in JavaScript: %d in it would take the next value.
    if (values.length > 1 && /^["`].*%[sdifjoOc]/s.test(texts[0] ?? ""))
      texts[0] = texts[0]!.replace(/%(?=[sdifjoOc])/g, "%%");
    return code(`${call}(${texts.join(", ")})`);
  }
  const joined =
    single !== null
      ? single.kind === "text"
        ? single.text
        : `\`\${${inTemplate(single, context)}}\``
      : `[${values.map((one) => (one.spread ? written(one) : shownText(one.value, context))).join(", ")}].join(${separator?.text ?? '" "'})`;
  if (end === undefined) return code(`${call}(${joined})`);
  if (joined.endsWith("`") && end.text.startsWith('"')) {
    const text = JSON.parse(end.text) as string;
    return code(
      `process.${toError ? "stderr" : "stdout"}.write(${joined.slice(0, -1)}${JSON.stringify(text).slice(1, -1).replace(/`/g, "\\`")}\`)`,
    );
  }
  const tail = end.text === '""' ? "" : ` + ${bound(end, LEVEL.product)}`;
  return code(`process.${toError ? "stderr" : "stdout"}.write(${joined}${tail})`);
}

function length(given: Arguments, context: Context): Code {
  const value = first(given);
  if (isDict(value.kind)) return { ...code(`Object.keys(${value.text}).length`, "int"), isCount: true };
  if (value.kind === "" && !context.isShownAlone)
    return { ...code(`${helper(context, "lengthOf")}(${value.text})`, "int"), isCount: true };
  const name = value.kind === "set" ? "size" : "length";
  return { ...code(`${receiver(value)}.${name}`, "int"), isCount: true };
}

function range(given: Arguments): Code {
  const [start, end, step] = rangeParts(given);
  if (step === "1" && start === "0") return code(`Array.from({ length: ${end} }, (_, i) => i)`, "list int");
  const count = step === "1" ? `${end} - ${start}` : `Math.ceil((${end} - ${start}) / ${step})`;
  const value = step === "1" ? `${start} + i` : `${start} + i * ${step}`;
  return code(`Array.from({ length: ${count} }, (_, i) => ${value})`, "list int");
}

/** Start, end and step of a range, each as a text that an operator can follow. */
export function rangeParts({ positional }: Arguments): [string, string, string] {
  const texts = positional.map(({ value }) => bound(value, LEVEL.sum));
  if (texts.length === 1) return ["0", texts[0]!, "1"];
  return [texts[0] ?? "0", texts[1] ?? "0", texts[2] ?? "1"];
}

const list: Convert = (given, context) => {
  if (given.comprehension !== null) return context.comprehension(given.comprehension).whole;
  if (given.positional.length === 0) return code("[]", "list");
  const value = first(given);
  if (value.text.startsWith("Array.from(") || /^Object\.\w+\(/.test(value.text)) return value;
  const element = elementOf(value.kind);
  if (isDict(value.kind)) return code(`Object.keys(${value.text})`, "list text");
  return code(`[...${bound(value, LEVEL.arrow)}]`, listOf(element));
};

function integer(given: Arguments, context: Context): Code {
  const value = first(given);
  if (given.positional.length === 0) return code("0", "int");
  if (isTensor(value.kind)) return code(`Math.trunc(${receiver(value)}.item())`, "int");
  if (value.kind === "int") return value;
  if (isNumber(value.kind) && !/Infinity|NaN/.test(value.text))
    return { ...code(`Math.trunc(${value.text})`, "int"), isCount: value.isCount ?? false };
  if (value.kind === "boolean") return code(`Number(${value.text})`, "int");
  return code(`${helper(context, "toInt")}(${given.positional.map(written).join(", ")})`, "int");
}

function float(given: Arguments, context: Context): Code {
  const value = first(given);
  if (given.positional.length === 0) return code("0.0", "float");
  if (value.text === '"inf"' || value.text === '"Infinity"') return code("Infinity", "float");
  if (value.text === '"-inf"') return code("-Infinity", "float", LEVEL.unary);
  if (value.text === '"nan"') return code("NaN", "float");
  if (isTensor(value.kind)) return code(`${receiver(value)}.item()`, "float");
  if (value.kind === "boolean") return code(`Number(${value.text})`, "float");
  if (isNumber(value.kind)) return { ...value, kind: "float", isCount: false };
  return code(`${helper(context, "toFloat")}(${value.text})`, "float");
}

function text(given: Arguments, context: Context): Code {
  const value = first(given);
  if (given.positional.length === 0) return code('""', "text");
  if (value.kind === "text") return value;
  return code(shownText(value, context), "text");
}

function round(given: Arguments, context: Context): Code {
  const [value, digits] = [first(given), given.positional[1]?.value ?? keyword(given, "ndigits")];
  const kind = digits === undefined ? "int" : value.kind;
  if (isTensor(value.kind) && digits === undefined) return code(`${receiver(value)}.round()`, value.kind);
  if (value.kind === "int" && digits === undefined) return value;
  const texts = [value.text, ...(digits === undefined ? [] : [digits.text])];
  return code(`${helper(context, "roundHalfEven")}(${texts.join(", ")})`, kind);
}

function absolute(given: Arguments): Code {
  const value = first(given);
  if (isTensor(value.kind)) return code(`${receiver(value)}.abs()`, "tensor");
  const kind = isNumber(value.kind) ? value.kind : "number";
  return { ...code(`Math.abs(${value.text})`, kind), isCount: kind === "int" };
}

function dict(given: Arguments): Code {
  const isOptions = isGroup(given.keywords.map(({ name }) => name));
  const fields = given.keywords.map(({ name: key, value }) => {
    const name = isOptions ? keyOfGroup(key) : key;
    return value.text === name ? name : `${name}: ${bound(value, LEVEL.arrow)}`;
  });
  const value = given.positional[0]?.value;
  if (value === undefined)
    return code(fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`, isOptions ? "group" : "dict");
  const base = isDict(value.kind) ? value.text : `Object.fromEntries(${value.text})`;
  return code(
    fields.length === 0 && !isDict(value.kind) ? base : `{ ${[`...${base}`, ...fields].join(", ")} }`,
    "dict",
  );
}

const TYPES: Readonly<Record<string, (of: string) => string>> = {
  str: (of) => `typeof ${of} === "string"`,
  int: (of) => `Number.isInteger(${of}) || typeof ${of} === "boolean"`,
  float: (of) => `typeof ${of} === "number"`,
  bool: (of) => `typeof ${of} === "boolean"`,
  list: (of) => `Array.isArray(${of})`,
  tuple: (of) => `Array.isArray(${of})`,
  dict: (of) => `${of}?.constructor === Object`,
  set: (of) => `${of} instanceof Set`,
};

/** Types of Python that are one here: a test for one of them cannot tell it from the other. */
const ALIKE: readonly (readonly [string, string, RegExp])[] = [
  ["int", "float", /^(int|float|text|boolean|none|dict|set|tensor|list|tuple|object|path)\b/],
  ["list", "tuple", /^(int|float|number|text|boolean|none|dict|set|tensor|object|path)\b/],
];

/** `isinstance(x, (A, B))` */
function isInstance(given: Arguments, context: Context, node: Node): Code {
  const value = bound(first(given), LEVEL.relation + 1);
  const type = given.positional[1]?.node;
  if (type === undefined) return code("false", "boolean");
  const types = type.name === "TupleExpression" ? operands(type) : [type];
  const isOwn = ({ name, text: written }: Node) => name === "VariableName" && Object.hasOwn(TYPES, written);
  const classes = types.filter((one) => !isOwn(one)).map((one) => context.expression(one).text);
  const names = types.filter(isOwn).map((one) => one.text);
  for (const [one, other, known] of ALIKE)
    if (names.includes(one) !== names.includes(other) && !known.test(first(given).kind))
      mark(context, node, `${one} and ${other} are one type here: isinstance takes both`);
  if (first(given).kind === "float" && names.includes("int") && !names.includes("float"))
    return code("false", "boolean");
  if (first(given).kind === "int" && names.includes("float") && !names.includes("int"))
    return code("false", "boolean");
  const tests = names.map((name) => TYPES[name]!(value));
  if (classes.length === 1) tests.push(`${value} instanceof ${classes[0]}`);
  // After one instanceof TypeScript leaves nothing for the next.
  if (classes.length > 1) tests.push(`[${classes.join(", ")}].some((type) => ${value} instanceof type)`);
  const unique = [...new Set(tests.flatMap((test) => test.split(" || ")))].filter(
    (test, _, all) => !test.startsWith("Number.isInteger") || !all.includes(`typeof ${value} === "number"`),
  );
  return code(unique.join(" || "), "boolean", unique.length > 1 ? LEVEL.or : LEVEL.relation);
}

function hasAttribute(given: Arguments, context: Context): Code {
  const [of, name] = [first(given), given.positional[1]?.value.text ?? '""'];
  if (of.kind.startsWith("path ") && name.startsWith('"')) {
    const path = `${of.kind.slice(5)}.${JSON.parse(name) as string}`;
    return code(String(context.knows(path)), "boolean");
  }
  return code(`${name} in ${bound(of, LEVEL.relation + 1)}`, "boolean", LEVEL.relation);
}

/** Namespaces of which what begins with a capital is a class: `getattr(nn, kind)(3, 4)` */
const CLASSES = /^path torch(vision)?\.(nn|optim(\.lr_scheduler)?|distributions|transforms)$/;

function attribute(given: Arguments): Code {
  const [of, name, otherwise] = given.positional.map(({ value }) => value);
  const key = /^"([A-Za-z_]\w*)"$/.exec(name?.text ?? "")?.[1];
  const read = key === undefined ? `${receiver(of!)}[${name?.text}]` : `${receiver(of!)}.${key}`;
  const isOfClasses = key === undefined && CLASSES.test(of!.kind);
  if (otherwise === undefined) return code(read, isOfClasses ? "class of library" : "");
  // An attribute may be there and hold None.
  if (otherwise.kind === "none") return code(`${read} ?? null`, "", 3);
  return code(
    `${name!.text} in ${bound(of!, LEVEL.relation + 1)} ? ${read} : ${bound(otherwise, LEVEL.arrow)}`,
    "",
    3,
  );
}

function zip(given: Arguments, context: Context, node: Node): Code {
  if (keyword(given, "strict") !== undefined) mark(context, node, "zip stops at the shortest here");
  const texts = given.positional.map(written);
  const kinds = given.positional.map(({ value }) => elementOf(value.kind));
  const isCounted = !texts.some((text) => text.startsWith("..."));
  const row = new Set(kinds).size === 1 ? listOf(kinds[0]!) : isCounted ? tupleOf(kinds) : "list";
  return code(`${helper(context, "zip")}(${texts.join(", ")})`, listOf(row));
}

function next(given: Arguments, context: Context): Code {
  const value = first(given);
  if (/^\S+\.parameters\(\)$/.test(value.text)) return code(`${value.text}[0]!`, "tensor");
  const texts = given.positional.map(written);
  if (given.comprehension !== null) {
    const { whole } = context.comprehension(given.comprehension);
    return code(`${helper(context, "nextOf")}(${receiver(whole)}.values())`, elementOf(whole.kind));
  }
  if (isList(value.kind)) texts[0] = `${receiver(value)}.values()`;
  return code(`${helper(context, "nextOf")}(${texts.join(", ")})`, elementOf(value.kind));
}

const mapped =
  (name: "map" | "filter"): Convert =>
  (given) => {
    const [apply, over] = given.positional.map(({ value }) => value);
    const call = apply!.kind === "class Number" ? "Number" : apply!.text;
    // A function that takes more than one argument would take the number of the element too.
    if (apply!.kind === "path torch.tensor" && isTensor(elementOf(over!.kind)))
      return code(`${arrayText(over!)}.${name}((one) => one.detach().clone())`, over!.kind);
    const function_ = /^[\w.]+$/.test(call) ? `(one) => ${call}(one)` : call;
    return code(`${arrayText(over!)}.${name}(${call === "null" ? "Boolean" : function_})`, "list");
  };

export const BUILTINS: Readonly<Record<string, Convert>> = {
  print,
  len: length,
  range,
  sum,
  all: quantifier("every"),
  any: quantifier("some"),
  min: extreme("min"),
  max: extreme("max"),
  sorted,
  reversed: (given) => code(`${arrayText(first(given))}.toReversed()`, first(given).kind),
  list,
  tuple: list,
  set: (given, context) =>
    given.positional.length === 0 && given.comprehension === null
      ? code(newSet("", context), "set")
      : setFrom(listText(given, context), context),
  frozenset: (given, context) => setFrom(listText(given, context), context),
  dict,
  int: integer,
  float,
  str: text,
  repr: (given, context) => code(reprText(first(given), context), "text"),
  bool: (given, context) => {
    const [value, test] = [first(given), truth(first(given), context)];
    return test.kind === "boolean" && !isTensor(value.kind) ? test : code(`Boolean(${test.text})`, "boolean");
  },
  round,
  abs: absolute,
  pow: (given, context, node) => {
    if (given.positional.length > 2)
      return code(`${helper(context, "powerModulo")}(${given.positional.map(written).join(", ")})`, "int");
    return arithmetic("**", first(given), given.positional[1]?.value ?? code("1", "number"), context, node);
  },
  divmod: (given, context, node) => {
    const [a, b] = [first(given), given.positional[1]?.value ?? code("1", "number")];
    return code(
      `[${arithmetic("//", a, b, context, node).text}, ${arithmetic("%", a, b, context, node).text}]`,
      listOf(arithmetic("//", a, b, context, node).kind),
    );
  },
  isinstance: isInstance,
  issubclass: (given) =>
    code(
      `${receiver(first(given))}.prototype instanceof ${given.positional[1]?.value.text}`,
      "boolean",
      LEVEL.relation,
    ),
  callable: (given) => code(`typeof ${first(given).text} === "function"`, "boolean", LEVEL.equality),
  hasattr: hasAttribute,
  getattr: attribute,
  setattr: (given) =>
    code(
      `${receiver(first(given))}[${given.positional[1]?.value.text}] = ${given.positional[2]?.value.text}`,
      "",
      LEVEL.arrow,
    ),
  type: (given, context, node) => {
    if (!first(given).kind.startsWith("object "))
      mark(context, node, "a type is asked for here by typeof, Array.isArray or instanceof");
    return code(`${receiver(first(given))}.constructor`);
  },
  zip,
  enumerate: (given) => {
    const element = elementOf(first(given).kind);
    const pairs = element === "" ? "list" : listOf(tupleOf(["int", element]));
    const entries = code(`${arrayText(first(given))}.map((one, i) => [i, one] as const)`, pairs);
    const start = given.positional[1]?.value ?? keyword(given, "start");
    return start === undefined
      ? entries
      : { ...entries, text: entries.text.replace("[i, one]", `[i + ${start.text}, one]`) };
  },
  iter: (given) => code(`${receiver(first(given))}[Symbol.iterator]()`),
  next,
  map: mapped("map"),
  filter: mapped("filter"),
  input: (given, context, node) => {
    if (!context.isTopLevel) mark(context, node, "prompt() is awaited: write async before the function");
    return code(`await prompt(${given.positional.map(written).join(", ")})`, "text", LEVEL.unary);
  },
  open: (given, context, node) => {
    for (const name of ["openSync", "readFileSync"]) need(context, "node:fs", name);
    if (/b/.test(given.positional[1]?.value.text ?? keyword(given, "mode")?.text ?? ""))
      mark(context, node, "bytes of a file are readFileSync(name), without an encoding");
    const mode = given.positional[1]?.value.text ?? keyword(given, "mode")?.text ?? '"r"';
    return code(`openSync(${first(given).text}, ${mode.replace("b", "")})`, "file");
  },
  ord: (given) => code(`${receiver(first(given))}.codePointAt(0)!`, "int"),
  chr: (given) => code(`String.fromCodePoint(${first(given).text})`, "text"),
  id: (given, context) => code(`${helper(context, "idOf")}(${first(given).text})`, "int"),
  exit: () => null,
};
