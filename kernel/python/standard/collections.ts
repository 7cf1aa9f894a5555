// Converts calls of Python's collections, itertools and random.
import { type Arguments, written } from "../expressions/arguments.ts";
import { type Code, code, LEVEL } from "../code.ts";
import { type Context, helper, mark } from "../context.ts";
import { elementOf, listOf } from "../kinds.ts";
import { valueOf } from "../expressions/literals.ts";
import type { Node } from "../source/syntax.ts";

type Convert = (given: Arguments, context: Context, node: Node) => Code;

const texts = ({ positional }: Arguments): string[] => positional.map(written);
const keyword = ({ keywords }: Arguments, name: string): string | undefined =>
  keywords.find((one) => one.name === name)?.value.text;

/** A call of a function that the cell brings along, with the elements' kind of its first list. */
const helped =
  (name: string, kind: (element: string) => string): Convert =>
  (given, context, node) => {
    if (given.keywords.length > 0) mark(context, node, `${name} takes no ${given.keywords[0]!.name} here`);
    const element = elementOf(given.positional[0]?.value.kind ?? "");
    return code(`${helper(context, name)}(${texts(given).join(", ")})`, kind(element));
  };

const lists = (): string => "list list";
const alike = (element: string): string => listOf(element);

export const COLLECTION_CALLS: Readonly<Record<string, Convert>> = {
  "collections.OrderedDict": (given) =>
    code(given.positional.length === 0 ? "{}" : `Object.fromEntries(${texts(given)[0]})`, "dict"),
  "collections.deque": (given, context) => {
    const [values = "[]", placed] = texts(given);
    const max = keyword(given, "maxlen") ?? placed ?? "null";
    const kind = listOf(elementOf(given.positional[0]?.value.kind ?? ""));
    if (max === "null") return code(values === "[]" ? values : `[...${values}]`, kind);
    return code(`${helper(context, "dequeOf")}(${values}, ${max})`, kind);
  },
  "collections.namedtuple": namedTuple,
  "itertools.chain": (given) =>
    code(`[${given.positional.map((one) => `...${one.value.text}`).join(", ")}]`, "list"),
  "itertools.chain.from_iterable": (given) => code(`[...${texts(given)[0]}].flat()`, "list"),
  "itertools.product": (given, context) => {
    const all = texts(given);
    const repeat = keyword(given, "repeat");
    const name = helper(context, "productOf");
    if (repeat === undefined) return code(`${name}(${all.join(", ")})`, "list list");
    return code(`${name}(...Array(${repeat}).fill([${all.join(", ")}]).flat())`, "list list");
  },
  "itertools.combinations": helped("combinationsOf", lists),
  "itertools.permutations": helped("permutationsOf", lists),
  "itertools.count": helped("countFrom", (element) => `iterator ${element === "" ? "int" : element}`),
  "itertools.accumulate": helped("accumulated", alike),
  "itertools.islice": (given, context, node) => {
    if (given.positional.length !== 2) mark(context, node, "only the number of elements is taken here");
    return code(`${helper(context, "firstOf")}(${texts(given).slice(0, 2).join(", ")})`, "list");
  },
  "itertools.repeat": (given, context, node) => {
    const [value = "null", count] = texts(given);
    if (count === undefined) mark(context, node, "repeat has an end here: give it a number");
    return code(`Array(${count ?? 1}).fill(${value})`, "list");
  },
  "random.random": () => code("Math.random()", "float"),
  "random.randint": (given) => {
    const [low = "0", high = "1"] = texts(given);
    return code(`${low} + Math.floor(Math.random() * (${high} - ${low} + 1))`, "int", LEVEL.sum);
  },
  "random.randrange": (given) => {
    const [first = "1", end, step] = texts(given);
    const [from, to] = end === undefined ? ["0", first] : [first, end];
    const places = step === undefined ? `${to} - ${from}` : `Math.ceil((${to} - ${from}) / ${step})`;
    const drawn = `Math.floor(Math.random() * (${from === "0" && step === undefined ? to : places}))`;
    const stepped = step === undefined ? drawn : `${step} * ${drawn}`;
    return code(from === "0" ? stepped : `${from} + ${stepped}`, "int", LEVEL.sum);
  },
  "random.uniform": (given) => {
    const [low = "0", high = "1"] = texts(given);
    return code(`${low} + Math.random() * (${high} - ${low})`, "float", LEVEL.sum);
  },
  "random.gauss": helped("gaussian", () => "float"),
  "random.choice": helped("choiceOf", (element) => element),
  "random.sample": (given, context) => {
    const [values = "[]", placed = "1"] = texts(given);
    const kind = listOf(elementOf(given.positional[0]?.value.kind ?? ""));
    return code(`${helper(context, "sampleOf")}(${values}, ${keyword(given, "k") ?? placed})`, kind);
  },
  "random.shuffle": helped("shuffle", () => "none"),
};

/** `namedtuple("Point", ["x", "y"])`: calls of Point give names by place, and what they make has the names raw. */
function namedTuple(given: Arguments, context: Context, node: Node): Code {
  const [of, listed] = given.positional.map((one) => one.node);
  const fields = listed === undefined ? null : fieldNames(listed);
  if (of?.name !== "String" || fields === null || given.keywords.length > 0) {
    mark(context, node, "a namedtuple is given its name and its fields as texts");
    return code(`${helper(context, "namedTuple")}(${texts(given).join(", ")})`);
  }
  const { learned } = context;
  const name = valueOf(of);
  learned.parameters.set(name, { names: fields, rest: false, placed: fields.length, keywords: false });
  learned.returns.set(name, `object ${name}`);
  for (const field of fields) learned.attributes.set(`${name}.${field}`, "");
  const list = fields.map((field) => JSON.stringify(field)).join(", ");
  return code(`${helper(context, "namedTuple")}(${JSON.stringify(name)}, [${list}])`, `function ${name}`);
}

/** `["x", "y"]`, `("x", "y")` or `"x y"`; null for another expression */
function fieldNames(node: Node): string[] | null {
  if (node.name === "String")
    return valueOf(node)
      .split(/[\s,]+/)
      .filter(Boolean);
  if (!["ArrayExpression", "TupleExpression"].includes(node.name)) return null;
  const parts = node.children.filter(({ name }) => !"()[],".includes(name));
  return parts.every(({ name }) => name === "String") ? parts.map(valueOf) : null;
}
