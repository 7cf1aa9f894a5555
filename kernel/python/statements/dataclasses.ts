// Converts what @dataclass makes of a class's fields: a constructor whose parameters are the fields.
import { bound, type Code, code, LEVEL, type Line, variableText } from "../code.ts";
import { type Context, lineOf, mark } from "../context.ts";
import { type Kind, typeText } from "../kinds.ts";
import type { Node } from "../source/syntax.ts";

export const isDataclass = (decorator: Node): boolean =>
  /^@(?:dataclasses\.)?dataclass\b/.test(decorator.text.trim());

/** `lr: float = 0.1` in the class */
export const isField = ({ name, children }: Node): boolean =>
  name === "AssignStatement" && children[0]?.name === "VariableName" && children[1]?.name === "TypeDef";

const KINDS: Readonly<Record<string, Kind>> = { int: "int", float: "float", str: "text", bool: "boolean" };
const FACTORIES: Readonly<Record<string, Code>> = { list: code("[]", "list"), dict: code("{}", "dict") };

/** @param fields statements for which `isField` holds @param afterInit whether the class has a __post_init__ */
export function dataclassConstructor(
  name: string,
  decorator: Node,
  fields: readonly Node[],
  afterInit: boolean,
  context: Context,
  indent: number,
): Line[] {
  const { learned, text } = context;
  const modifier = /\bfrozen\s*=\s*True/.test(decorator.text) ? "public readonly" : "public";
  if (/\border\s*=\s*True/.test(decorator.text)) mark(context, decorator, "objects have no order here");
  if (/[=!]=/.test(text))
    mark(context, decorator, `Python compares what two ${name} hold; here == asks whether they are one`);
  const parameters = fields.map((field) => {
    const [target, type, , given] = field.children;
    const value = given === undefined ? null : defaultOf(given, context);
    const stated = KINDS[type!.text.replace(/^\s*:\s*/, "").trim()];
    const kind = stated ?? value?.kind ?? "";
    learned.attributes.set(`${name}.${target!.text}`, kind);
    const place = `${modifier} ${variableText(target!.text)}`;
    const isPlain = value !== null && typeText(value.kind) === typeText(kind) && value.text !== "[]";
    const typed = `${place}${isPlain ? "" : `: ${value?.text === "[]" ? "any[]" : typeText(kind)}`}`;
    return value === null ? typed : `${typed} = ${bound(value, LEVEL.arrow)}`;
  });
  const names = fields.map((field) => field.children[0]!.text);
  learned.parameters.set(`${name}.__init__`, { names, rest: false, placed: names.length, keywords: false });
  const python = lineOf(context, fields[0] ?? decorator);
  const line = (written: string, deeper = 0): Line => ({ text: written, indent: indent + deeper, python });
  const end = afterInit ? [line("this.__post_init__();", 1), line("}")] : [];
  const close = afterInit ? ") {" : ") {}";
  const whole = `constructor(${parameters.join(", ")}${close}`;
  if (whole.length <= 90) return [line(whole), ...end];
  return [
    line("constructor("),
    ...parameters.map((parameter, at) => ({
      ...line(`${parameter},`, 1),
      python: lineOf(context, fields[at]!),
    })),
    line(close),
    ...end,
  ];
}

/** `field(default_factory=list)` -> `[]` */
function defaultOf(given: Node, context: Context): Code {
  const [, option, value] =
    /^(?:dataclasses\.)?field\(\s*(default|default_factory)\s*=\s*(.*?)\s*\)$/s.exec(given.text) ?? [];
  if (option === undefined) return context.expression(given);
  const node = given.children.at(-1)!.children.findLast(({ name }) => !"(),".includes(name))!;
  if (option === "default") return context.expression(node);
  if (Object.hasOwn(FACTORIES, value!)) return FACTORIES[value!]!;
  const made = context.expression(node);
  return code(
    made.text.startsWith("() => ") ? made.text.slice("() => ".length) : `${bound(made, LEVEL.primary)}()`,
  );
}
