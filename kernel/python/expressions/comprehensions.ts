// Converts comprehensions to chains of filter and map.
import { bound, type Code, code, LEVEL, returned } from "../code.ts";
import { type Comprehension, type Context, textKey } from "../context.ts";
import { arrayText } from "./aggregates.ts";
import { elementOf, type Kind, listOf, partOf } from "../kinds.ts";
import { truth } from "./operators.ts";
import { parameter } from "../source/scope.ts";
import { type Node, parts } from "../source/syntax.ts";

interface Clause {
  readonly targets: readonly Node[];
  readonly over: Node;
  readonly conditions: readonly Node[];
}

/** `x * 2 for x in xs if x > 1 for ...` */
export function comprehensionOf(nodes: readonly Node[], context: Context): Comprehension {
  const at = nodes.findIndex(({ name }) => name === "for");
  const value = nodes.slice(0, at);
  const clauses = readClauses(nodes.slice(at));
  return chain(clauses, value, context);
}

function readClauses(nodes: readonly Node[]): Clause[] {
  const clauses: Clause[] = [];
  for (let at = 0; at < nodes.length;) {
    const end = nodes.findIndex(({ name }, i) => i > at && name === "in");
    const targets = nodes.slice(at + 1, end).filter(({ name }) => name !== ",");
    let next = end + 2;
    const conditions: Node[] = [];
    while (nodes[next]?.name === "if") {
      conditions.push(nodes[next + 1]!);
      next += 2;
    }
    clauses.push({ targets, over: nodes[end + 1]!, conditions });
    at = next;
  }
  return clauses;
}

function chain(
  [clause, ...inner]: readonly Clause[],
  value: readonly Node[],
  context: Context,
): Comprehension {
  const { targets, over, conditions } = clause!;
  const range = rangeLength(over, context);
  const source = context.expression(over);
  const outer = context.scope;
  const variables = new Map(outer.variables);
  context.scope = { ...outer, variables, parent: outer, key: outer.key };
  targets.forEach((target, at) => {
    for (const [name, kind] of targetKinds(
      target,
      targets.length > 1 ? partKind(source, at) : elementOf(source.kind),
      context,
    ))
      variables.set(name, { ...parameter(kind) });
  });
  const count = (name: string): void => {
    const variable = parameter("int");
    variables.set(name, variable);
    context.counts.add(variable);
  };
  const names = targets.map((target) => targetText(target, context));
  const parameters = names.length > 1 ? patternText(names) : names[0]!;
  try {
    if (range !== null && conditions.length === 0 && inner.length === 0) {
      count(targets[0]!.text);
      const element = valueOf(value, context);
      const whole = code(
        `Array.from({ length: ${range} }, ${parameters === "_" ? "()" : `(_, ${parameters})`} => ${returned(element)})`,
        listOf(element.kind),
      );
      return { source: bound(source, LEVEL.primary), map: "", parameters, element, whole };
    }
    if (range !== null) count(targets[0]!.text);
    let text = arrayText(source);
    for (const condition of conditions)
      text += `.filter((${parameters}) => ${returned(truth(context.expression(condition), context))})`;
    if (inner.length > 0) {
      const rest = chain(inner, value, context);
      const map = `(${parameters}) => ${rest.whole.text}`;
      return {
        ...rest,
        source: `${text}.flatMap((${parameters}) => ${rest.source})`,
        map,
        whole: code(`${text}.flatMap(${map})`, rest.whole.kind),
      };
    }
    const element = valueOf(value, context);
    const map = `(${parameters}) => ${returned(element)}`;
    const isSame = element.text === parameters;
    return {
      source: text,
      map,
      parameters,
      element,
      whole: code(isSame ? text : `${text}.map(${map})`, listOf(element.kind)),
    };
  } finally {
    context.scope = outer;
  }
}

/** The value of a list's comprehension, or the pair of a dictionary's. */
function valueOf(nodes: readonly Node[], context: Context): Code {
  const colon = nodes.findIndex(({ name }) => name === ":");
  if (colon < 0) return context.expression(nodes.at(-1)!);
  const [key, value] = [context.expression(nodes[0]!), context.expression(nodes[colon + 1]!)];
  textKey(key, context, nodes[0]!);
  return code(`[${key.text}, ${bound(value, LEVEL.arrow)}]`, "list");
}

/** The length of `range(n)`, over which an array is made at once. */
function rangeLength(over: Node, context: Context): string | null {
  if (over.name !== "CallExpression" || over.children[0]?.text !== "range") return null;
  const [only, ...more] = parts(over.children.at(-1)!.children.slice(1, -1));
  return only === undefined || more.length > 0 ? null : context.expression(only[0]!).text;
}

/** What one part of a pair is, of pairs as enumerate and items give them. */
export function partKind(source: Code, at: number): Kind {
  if (/^Object\.entries|\.(?:named\w+|entries)\(\)$/.test(source.text))
    return at === 0 ? "text" : /named(?:Parameters|Buffers)/.test(source.text) ? "tensor" : "";
  if (at === 0 && source.text.includes("[i, one] as const")) return "int";
  return partOf(elementOf(source.kind), at);
}

export function targetKinds(target: Node, kind: Kind, context: Context): [string, Kind][] {
  const evidence = (name: string): Kind => context.learned.variables.get(`evidence ${name}`) ?? "";
  if (target.name === "VariableName") return [[target.text, kind === "" ? evidence(target.text) : kind]];
  const parts = target.children.filter(({ name }) => !"()[],".includes(name));
  return parts
    .flatMap((part, at) => targetKinds(part, partOf(kind, at), context))
    .map(([name, one]) => [name, one || evidence(name)]);
}

/** `i, (a, b)` -> `i`, `[a, b]` */
export function targetText(target: Node, context: Context): string {
  if (
    target.name !== "TupleExpression" &&
    target.name !== "ArrayExpression" &&
    target.name !== "ParenthesizedExpression"
  )
    return context.expression(target).text;
  const inner = target.children.filter(({ name }) => !"()[],".includes(name));
  if (target.name === "ParenthesizedExpression") return targetText(inner[0]!, context);
  return patternText(inner.map((one) => targetText(one, context)));
}

/** A pattern names a variable once; Python's `_`, which nobody reads, may stand for several parts. */
export function patternText(names: readonly string[]): string {
  const isAgain = (name: string, at: number) => name === "_" && names.indexOf("_") < at;
  return `[${names.map((name, at) => (isAgain(name, at) ? "" : name)).join(", ")}]`;
}

/** `{k: v for ...}` */
export function dictComprehension(nodes: readonly Node[], context: Context): Code {
  return code(`Object.fromEntries(${comprehensionOf(nodes, context).whole.text})`, "dict");
}
