// Converts Python's built-in functions: print, len, range, zip, isinstance and the like.
import { bound, type Code, code, LEVEL, receiver, returned } from "../code.ts";
import { type Context, library, mark, need } from "../context.ts";
import { elementOf, isList, type Kind, listOf } from "../kinds.ts";
import { shown } from "./literals.ts";
import { arithmetic, truth } from "./operators.ts";
import { type Arguments, written } from "./arguments.ts";
import { type Node, operands } from "../source/syntax.ts";

type Convert = (given: Arguments, context: Context, node: Node) => Code | null;

const first = ({ positional }: Arguments): Code => positional[0]?.value ?? code('""');
const keyword = ({ keywords }: Arguments, name: string): Code | undefined =>
  keywords.find((one) => one.name === name)?.value;

/** The argument as an array: a list, or the comprehension that stands in its place. */
function listText(given: Arguments, context: Context): { text: string; kind: Kind } {
  if (given.comprehension !== null) {
    const { whole } = context.comprehension(given.comprehension);
    return { text: bound(whole, LEVEL.primary), kind: whole.kind };
  }
  const value = first(given);
  return { text: arrayText(value), kind: value.kind };
}

/** A value as an array, which a list is already. */
export function arrayText(value: Code): string {
  if (isList(value.kind)) return receiver(value);
  if (value.kind === "dict") return `Object.keys(${value.text})`;
  return `Array.from(${value.text})`;
}

function print(given: Arguments): Code {
  const [separator, end, file] = [keyword(given, "sep"), keyword(given, "end"), keyword(given, "file")];
  const values = given.positional;
  const single = values.length === 1 && !values[0]!.spread ? values[0]!.value : null;
  const toError = file?.text.includes("stderr") === true;
  const call = toError ? "console.error" : "console.log";
  if (separator === undefined && end === undefined) {
    const texts = values.map((one) => (one.value.kind === "error" ? shown(one.value) : written(one)));
    // The first text of several is a format in JavaScript: %d in it would take the next value.
    if (values.length > 1 && /^["`].*%[sdifjoOc]/s.test(texts[0] ?? ""))
      texts[0] = texts[0]!.replace(/%(?=[sdifjoOc])/g, "%%");
    return code(`${call}(${texts.join(", ")})`);
  }
  const joined =
    single !== null
      ? single.kind === "text"
        ? single.text
        : `\`\${${shown(single)}}\``
      : `[${values.map(written).join(", ")}].join(${separator?.text ?? '" "'})`;
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

function length(given: Arguments): Code {
  const value = first(given);
  if (value.kind === "dict") return { ...code(`Object.keys(${value.text}).length`, "number"), isCount: true };
  const name = value.kind === "set" ? "size" : "length";
  return { ...code(`${receiver(value)}.${name}`, "number"), isCount: true };
}

function range(given: Arguments): Code {
  const [start, end, step] = rangeParts(given);
  if (step === "1" && start === "0")
    return code(`Array.from({ length: ${end} }, (_, i) => i)`, "list number");
  const count = step === "1" ? `${end} - ${start}` : `Math.ceil((${end} - ${start}) / ${step})`;
  const value = step === "1" ? `${start} + i` : `${start} + i * ${step}`;
  return code(`Array.from({ length: ${count} }, (_, i) => ${value})`, "list number");
}

/** Start, end and step of a range, each as a text that an operator can follow. */
export function rangeParts({ positional }: Arguments): [string, string, string] {
  const texts = positional.map(({ value }) => bound(value, LEVEL.sum));
  if (texts.length === 1) return ["0", texts[0]!, "1"];
  return [texts[0] ?? "0", texts[1] ?? "0", texts[2] ?? "1"];
}

/** `sum(f(x) for x in xs)` and `sum(xs)` */
function sum(given: Arguments, context: Context, node: Node): Code {
  const start = given.positional[1]?.value.text ?? "0";
  if (given.comprehension !== null) {
    const { source, parameters, element } = context.comprehension(given.comprehension);
    if (element.kind === "boolean")
      return {
        ...code(`${source}.filter((${parameters}) => ${returned(element)}).length`, "number"),
        isCount: true,
      };
    const added =
      element.kind === "tensor"
        ? `${receiver(element)}.add(total)`
        : `total + ${bound(element, LEVEL.product)}`;
    const type = element.kind === "tensor" ? ": any" : "";
    return code(
      `${source}.reduce((total${type}, ${parameters}) => ${added}, ${start})`,
      element.kind === "tensor" ? "tensor" : "number",
    );
  }
  const value = first(given);
  const kind = elementOf(value.kind);
  if (value.kind === "tensor") return code(`${receiver(value)}.sum(0)`, "tensor");
  if (kind === "") mark(context, node, "of tensors the sum is torch.stack(list).sum(0)");
  const body = kind === "tensor" ? "one.add(total)" : "total + one";
  const type = kind === "number" ? "" : ": any";
  return code(
    `${arrayText(value)}.reduce((total${type}, one${type}) => ${body}, ${start})`,
    kind === "tensor" ? "tensor" : "number",
  );
}

const quantifier =
  (name: "every" | "some"): Convert =>
  (given, context) => {
    if (given.comprehension !== null) {
      const { source, parameters, element } = context.comprehension(given.comprehension);
      return code(`${source}.${name}((${parameters}) => ${returned(truth(element))})`, "boolean");
    }
    const value = first(given);
    if (value.kind === "tensor")
      return code(`${receiver(value)}.${name === "every" ? "all" : "any"}()`, "tensor");
    return code(`${arrayText(value)}.${name}(Boolean)`, "boolean");
  };

const extreme =
  (name: "min" | "max"): Convert =>
  (given, context, node) => {
    const key = keyword(given, "key");
    if (given.comprehension === null && given.positional.length > 1)
      return given.positional.some(({ value }) => value.kind === "tensor")
        ? code(
            `${library(context, "torch")}.${name}imum(${given.positional.map(written).join(", ")})`,
            "tensor",
          )
        : code(`Math.${name}(${given.positional.map(written).join(", ")})`, "number");
    const { text, kind } = listText(given, context);
    if (key !== undefined) {
      const sign = name === "min" ? "<" : ">";
      const of = `(${key.text})`;
      return code(
        `${text}.reduce((best, one) => (${of}(one) ${sign} ${of}(best) ? one : best))`,
        elementOf(kind),
      );
    }
    if (kind === "tensor") return code(`${receiver(first(given))}.${name}()`, "tensor");
    const otherwise = keyword(given, "default");
    if (otherwise !== undefined)
      mark(context, node, `of an empty list Math.${name} gives an infinity, not ${otherwise.text}`);
    return code(`Math.${name}(...${text})`, "number");
  };

function sorted(given: Arguments, context: Context): Code {
  const { text, kind } = listText(given, context);
  return code(
    `${text}.toSorted(${compareText(given, elementOf(kind))})`,
    kind === "dict" ? "list text" : kind,
  );
}

/** The function that a sort compares by; none for texts, which are JavaScript's own order. */
function compareText(given: Arguments, element: Kind): string {
  const key = keyword(given, "key");
  const reverse = keyword(given, "reverse");
  const turned = reverse !== undefined && reverse.text !== "false";
  const [a, b] = turned ? ["b", "a"] : ["a", "b"];
  if (key !== undefined) {
    const typed = key.text.replace(/^\((\w+|\[[\w, ]+\])\) =>/, "($1: any) =>");
    const of = typed.includes("=>") ? `(${typed})` : typed;
    return `(a, b) => (${of}(${a}) < ${of}(${b}) ? -1 : 1)`;
  }
  if (element === "number") return `(a, b) => ${a} - ${b}`;
  if (element === "text" && !turned) return "";
  return `(a, b) => (${a} < ${b} ? -1 : ${a} > ${b} ? 1 : 0)`;
}

const list: Convert = (given, context) => {
  if (given.comprehension !== null) return context.comprehension(given.comprehension).whole;
  if (given.positional.length === 0) return code("[]", "list");
  const value = first(given);
  if (value.text.startsWith("Array.from(") || /^Object\.\w+\(/.test(value.text)) return value;
  const element = elementOf(value.kind);
  if (value.kind === "dict") return code(`Object.keys(${value.text})`, "list text");
  return code(`[...${bound(value, LEVEL.arrow)}]`, value.kind === "tensor" ? "list tensor" : listOf(element));
};

function integer(given: Arguments): Code {
  const value = first(given);
  if (given.positional.length === 0) return code("0", "number");
  if (value.kind === "text")
    return code(`Number.parseInt(${value.text}, ${given.positional[1]?.value.text ?? "10"})`, "number");
  if (value.kind === "tensor") return code(`Math.trunc(${receiver(value)}.item())`, "number");
  return { ...code(`Math.trunc(${value.text})`, "number"), isCount: value.isCount ?? false };
}

function float(given: Arguments): Code {
  const value = first(given);
  if (value.text === '"inf"' || value.text === '"Infinity"') return code("Infinity", "number");
  if (value.text === '"-inf"') return code("-Infinity", "number", LEVEL.unary);
  if (value.text === '"nan"') return code("NaN", "number");
  if (value.kind === "tensor") return code(`${receiver(value)}.item()`, "number");
  return value.kind === "number" ? { ...value, isFloat: true } : code(`Number(${value.text})`, "number");
}

function text(given: Arguments): Code {
  const value = first(given);
  if (value.kind === "text") return value;
  if (value.kind === "error" || isList(value.kind)) return code(shown(value), "text");
  return code(`String(${value.text})`, "text");
}

function round(given: Arguments): Code {
  const [value, digits] = [first(given), given.positional[1]?.value];
  if (value.kind === "tensor") return code(`${receiver(value)}.round()`, "tensor");
  if (digits === undefined) return code(`Math.round(${value.text})`, "number");
  return code(`Number(${receiver(value)}.toFixed(${digits.text}))`, "number");
}

function absolute(given: Arguments): Code {
  const value = first(given);
  if (value.kind === "tensor") return code(`${receiver(value)}.abs()`, "tensor");
  return { ...code(`Math.abs(${value.text})`, "number"), isCount: true };
}

function dict(given: Arguments): Code {
  const fields = given.keywords.map(({ name, value }) =>
    value.text === name ? name : `${name}: ${bound(value, LEVEL.arrow)}`,
  );
  const value = given.positional[0]?.value;
  if (value === undefined) return code(fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`, "dict");
  const base = value.kind === "dict" ? value.text : `Object.fromEntries(${value.text})`;
  return code(
    fields.length === 0 && value.kind !== "dict" ? base : `{ ${[`...${base}`, ...fields].join(", ")} }`,
    "dict",
  );
}

const TYPES: Readonly<Record<string, (of: string) => string>> = {
  str: (of) => `typeof ${of} === "string"`,
  int: (of) => `Number.isInteger(${of})`,
  float: (of) => `typeof ${of} === "number"`,
  bool: (of) => `typeof ${of} === "boolean"`,
  list: (of) => `Array.isArray(${of})`,
  tuple: (of) => `Array.isArray(${of})`,
  dict: (of) => `${of}?.constructor === Object`,
  set: (of) => `${of} instanceof Set`,
};

/** `isinstance(x, (A, B))` */
function isInstance(given: Arguments, context: Context): Code {
  const value = bound(first(given), LEVEL.relation + 1);
  const type = given.positional[1]?.node;
  if (type === undefined) return code("false", "boolean");
  const types = type.name === "TupleExpression" ? operands(type) : [type];
  const isOwn = ({ name, text: written }: Node) => name === "VariableName" && Object.hasOwn(TYPES, written);
  const classes = types.filter((one) => !isOwn(one)).map((one) => context.expression(one).text);
  const tests = types.filter(isOwn).map((one) => TYPES[one.text]!(value));
  if (classes.length === 1) tests.push(`${value} instanceof ${classes[0]}`);
  // After one instanceof TypeScript leaves nothing for the next.
  if (classes.length > 1) tests.push(`[${classes.join(", ")}].some((type) => ${value} instanceof type)`);
  const unique = [...new Set(tests)];
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

function attribute(given: Arguments): Code {
  const [of, name, otherwise] = given.positional.map(({ value }) => value);
  const key = /^"([A-Za-z_]\w*)"$/.exec(name?.text ?? "")?.[1];
  const read = key === undefined ? `${receiver(of!)}[${name?.text}]` : `${receiver(of!)}.${key}`;
  return otherwise === undefined ? code(read) : code(`${read} ?? ${otherwise.text}`, "", 3);
}

function zip(given: Arguments, context: Context): Code {
  context.helpers.add("zip");
  const kinds = new Set(given.positional.map(({ value }) => elementOf(value.kind)));
  return code(
    `zip(${given.positional.map(written).join(", ")})`,
    kinds.size === 1 ? listOf(listOf([...kinds][0]!)) : "list",
  );
}

function next(given: Arguments): Code {
  const value = first(given);
  if (/^\S+\.parameters\(\)$/.test(value.text)) return code(`${value.text}[0]!`, "tensor");
  if (given.positional[1] !== undefined)
    return code(`(${receiver(value)}.next().value ?? ${given.positional[1].value.text})`);
  return code(`${receiver(value)}.next().value!`);
}

const mapped =
  (name: "map" | "filter"): Convert =>
  (given) => {
    const [apply, over] = given.positional.map(({ value }) => value);
    const call = apply!.kind === "class Number" ? "Number" : apply!.text;
    const function_ = /^\w+$/.test(call) ? `(one) => ${call}(one)` : call;
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
    code(
      given.positional.length === 0 && given.comprehension === null
        ? "new Set()"
        : `new Set(${listText(given, context).text})`,
      "set",
    ),
  frozenset: (given, context) => code(`new Set(${listText(given, context).text})`, "set"),
  dict,
  int: integer,
  float,
  str: text,
  repr: (given) =>
    first(given).kind === "text" ? code(`JSON.stringify(${first(given).text})`, "text") : text(given),
  bool: (given) =>
    first(given).kind === "boolean" ? first(given) : code(`Boolean(${truth(first(given)).text})`, "boolean"),
  round,
  abs: absolute,
  pow: (given, context, node) =>
    arithmetic("**", first(given), given.positional[1]?.value ?? code("1", "number"), context, node),
  divmod: (given, context, node) => {
    const [a, b] = [first(given), given.positional[1]?.value ?? code("1", "number")];
    return code(
      `[${arithmetic("//", a, b, context, node).text}, ${arithmetic("%", a, b, context, node).text}]`,
      "list number",
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
  type: (given) => code(`${receiver(first(given))}.constructor`),
  zip,
  enumerate: (given) => {
    const entries = code(`${arrayText(first(given))}.map((one, i) => [i, one] as const)`, "list");
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
  open: (given, context) => {
    need(context, "node:fs", "openSync");
    const mode = given.positional[1]?.value.text ?? keyword(given, "mode")?.text ?? '"r"';
    return code(`openSync(${first(given).text}, ${mode.replace("b", "")})`, "file");
  },
  ord: (given) => code(`${receiver(first(given))}.codePointAt(0)!`, "number"),
  chr: (given) => code(`String.fromCodePoint(${first(given).text})`, "text"),
  id: () => null,
  exit: () => null,
};

export const sortCall = (of: Code, given: Arguments): Code =>
  code(`${receiver(of)}.sort(${compareText(given, elementOf(of.kind))})`, of.kind);
