// Converts functions: parameters with their defaults and types, decorators, docstrings.
import { type Line, variableText } from "../code.ts";
import { type Context, lastLine, library, lineOf, mark, type Parameters } from "../context.ts";
import { either, type Kind } from "../kinds.ts";
import { valueOf } from "../expressions/literals.ts";
import { learn, widen } from "./assignments.ts";
import { definedName, makeScope, variableOf } from "../source/scope.ts";
import { type Node, parts, visit } from "../source/syntax.ts";

interface Parameter {
  readonly name: string;
  readonly stars: string;
  readonly hint: Node | null;
  readonly value: Node | null;
}

function readParameters(list: Node): Parameter[] {
  return parts(list.children.filter(({ name }) => name !== "(" && name !== ")")).flatMap((part) => {
    const name = part.find((one) => one.name === "VariableName");
    if (name === undefined) return [];
    const assign = part.findIndex((one) => one.name === "AssignOp");
    const stars = part[0]!.name.startsWith("*") ? part[0]!.name : "";
    const hint = part.find((one) => one.name === "TypeDef")?.children.at(-1) ?? null;
    return [{ name: name.text, stars, hint, value: assign < 0 ? null : part[assign + 1]! }];
  });
}

/** The names of a function's parameters, for calls that name them. */
export function parametersOf(definition: Node, isMethod: boolean): Parameters {
  const list = readParameters(definition.children.find(({ name }) => name === "ParamList")!);
  const own = isMethod ? list.slice(1) : list;
  return {
    names: own.filter(({ stars }) => stars === "").map(({ name }) => name),
    rest: own.some(({ stars }) => stars === "*"),
    placed: own.some(({ stars }) => stars === "*") ? own.findIndex(({ stars }) => stars === "*") : own.length,
    keywords: own.some(({ stars }) => stars === "**"),
  };
}

/** The text of a docstring, or null for another statement. */
export function documentation(statement: Node): string | null {
  const string =
    statement.name === "ExpressionStatement" && statement.children.length === 1
      ? statement.children[0]!
      : null;
  return string?.name === "String" ? valueOf(string).trim() : null;
}

/** `/** ... *\/` above a function or a class. */
export function documentationLines(body: Node, context: Context, indent: number): Line[] {
  const first = body.children.find(({ name }) => name !== ":");
  const text = first === undefined ? null : documentation(first);
  if (first === undefined || text === null) return [];
  const python = lineOf(context, first);
  const lines = text
    .replaceAll("*/", "* /")
    .split("\n")
    .map((line) => line.trim());
  if (lines.length === 1) return [{ text: `/** ${lines[0]} */`, indent, python }];
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].map((line) => ({
    text: line,
    indent,
    python,
  }));
}

/** How a function is written: its place, and what stands before its name. */
interface Form {
  /** The key under which its parameters and results are known: `f`, `Net.forward`. */
  readonly key: string;
  readonly isMethod: boolean;
  /** What stands for `function name`. */
  readonly opening: string;
  /** A module's forward takes tensors. */
  readonly takesTensors: boolean;
  /** In place of a method of the library, which may take and give something else. */
  readonly isOpen: boolean;
}

export function functionLines(
  node: Node,
  context: Context,
  indent: number,
  decorators: readonly Node[] = [],
): Line[] {
  const name = definedName(node);
  const isNested = context.scope.parent !== null;
  const key = isNested ? `${context.scope.key} ${name}` : name;
  if (isNested) context.learned.parameters.set(name, parametersOf(node, false));
  if (isGenerator(node)) context.learned.returns.set(key, "generator");
  const keyword = `function${isGenerator(node) ? "*" : ""}`;
  const form = { key, isMethod: false, takesTensors: false, isOpen: false };
  const variable = context.scope.variables.get(name);
  if (variable === undefined) {
    const opening = `${keyword} ${variableText(name)}`;
    return definition(node, { ...form, opening }, context, indent, decorators);
  }
  // Another function, or a value, of the same name stands before it or after it.
  context.learned.parameters.set(name, parametersOf(node, false));
  const opening = variable.declared ? variableText(name) : `let ${variableText(name)}: any`;
  variable.declared = true;
  const lines = definition(
    node,
    { ...form, opening: `${opening} = ${keyword} ` },
    context,
    indent,
    decorators,
  );
  learn(name, `function ${name}`, context);
  return [...lines.slice(0, -1), { ...lines.at(-1)!, text: "};" }];
}

export function isGenerator(node: Node): boolean {
  let found = false;
  visit(node.children.at(-1)!, (one) => {
    if (one.name.startsWith("Yield")) found = true;
    return one.name !== "FunctionDefinition" && one.name !== "LambdaExpression";
  });
  return found;
}

/** The lines of a function, from its documentation to its closing bracket. */
export function definition(
  node: Node,
  form: Form,
  context: Context,
  indent: number,
  decorators: readonly Node[] = [],
): Line[] {
  const body = node.children.find(({ name }) => name === "Body")!;
  const all = readParameters(node.children.find(({ name }) => name === "ParamList")!);
  const own = form.isMethod ? all.slice(1) : all;
  const unpacked = unpackedNames(body);
  const mayBeNone = ({ name }: Parameter): boolean =>
    context.learned.variables.has(`none ${form.key} ${name}`);
  const texts = inOrder(own).map((one) =>
    form.isOpen && one.stars === ""
      ? openParameter(one, context)
      : parameterText(one, form.takesTensors && !unpacked.has(one.name) && !mayBeNone(one), context),
  );
  const outer = { scope: context.scope, returned: context.returned, isTopLevel: context.isTopLevel };
  context.scope = makeScope(
    body,
    outer.scope,
    form.key,
    own.map(({ name }) => name),
  );
  widen(context);
  context.returned = [];
  context.isTopLevel = false;
  for (const one of own) {
    const kind = parameterKind(one, form, context, unpacked);
    context.scope.variables.get(one.name)!.kind = kind;
  }
  const python = lineOf(context, node);
  const isAsync = node.children[0]!.name === "async" ? "async " : "";
  try {
    const wrapped = wrapper(decorators, context);
    const inner = context.block(body, indent + (wrapped === null ? 1 : 2));
    learnReturn(form.key, context);
    const gives = form.isOpen ? ": any" : "";
    const head: Line = { text: `${isAsync}${form.opening}(${texts.join(", ")})${gives} {`, indent, python };
    const end: Line = { text: "}", indent, python: lastLine(context, body) };
    const middle =
      wrapped === null
        ? inner
        : [
            { text: `return ${wrapped}(() => {`, indent: indent + 1, python },
            ...inner,
            { text: "});", indent: indent + 1, python: end.python },
          ];
    return [...documentationLines(body, context, indent), head, ...middle, end];
  } finally {
    Object.assign(context, outer);
  }
}

/** `*args` stands last here, and `**kwargs` before it. */
function inOrder(list: readonly Parameter[]): readonly Parameter[] {
  const rest = list.findIndex(({ stars }) => stars === "*");
  if (rest < 0) return list;
  return [...list.slice(0, rest), ...list.slice(rest + 1), list[rest]!];
}

function parameterText({ name, stars, hint, value }: Parameter, isTensor: boolean, context: Context): string {
  const written = variableText(name);
  if (stars === "*") return `...${written}: any[]`;
  if (stars === "**") return `${written}: Record<string, any> = {}`;
  const type = hint === null ? null : hintType(hint, context);
  if (value === null) {
    if (type !== null) return `${written}: ${type}`;
    if (!isTensor) return written;
    return `${written}: ${library(context, "Tensor")}`;
  }
  const variable = variableOf(context.scope, value.text)?.variable;
  if (
    value.name === "VariableName" &&
    (value.text === name || (variable !== undefined && variable.assignments > 1))
  )
    mark(context, value, `${name} takes the ${value.text} of the call here, and of the definition in Python`);
  const isMade = /^(Array|Dictionary|Set|Call)\w*Expression$/.test(value.name);
  if (isMade && !/^(torch\.)?(device|float|int|tuple)\(/.test(value.text))
    mark(
      context,
      value,
      `${name} has a default that Python makes once for all calls, and TypeScript for each`,
    );
  const { text, kind } = context.expression(value);
  const isNarrow = kind === "none" || kind === "" || kind.startsWith("tensor");
  return `${written}${type !== null ? `: ${type}` : isNarrow || text === "[]" || text === "{}" ? ": any" : ""} = ${text}`;
}

const HINTS: Readonly<Record<string, string>> = {
  int: "number",
  float: "number",
  str: "string",
  bool: "boolean",
};

/** TypeScript takes a method of any arguments in place of another. */
function openParameter({ name, value }: Parameter, context: Context): string {
  const written = variableText(name);
  return value === null ? `${written}?: any` : `${written}: any = ${context.expression(value).text}`;
}

/** The type that a hint of Python says; null for one that says little. */
function hintType(hint: Node, context: Context): string | null {
  if (hint.text === "torch.Tensor" || hint.text === "Tensor") return library(context, "Tensor");
  return Object.hasOwn(HINTS, hint.text) ? HINTS[hint.text]! : "any";
}

function parameterKind(
  { name, stars, hint, value }: Parameter,
  form: Form,
  context: Context,
  unpacked: ReadonlySet<string>,
): Kind {
  if (stars === "*") return "list";
  if (stars === "**") return "dict";
  if (hint !== null && /(^|\.)Tensor$/.test(hint.text)) return "tensor";
  if (hint?.text === "int" || hint?.text === "float") return hint.text === "int" ? "int" : "number";
  if (hint?.text === "str") return "text";
  const { learned } = context;
  if (form.key.endsWith(".__getitem__")) return "int";
  const isFunction = learned.classes.get(form.key.split(".")[0]!) === "autograd.Function";
  if (isFunction && name !== "ctx") return "tensor";
  const learnt = learned.variables.get(`parameter ${form.key} ${name}`);
  const byDefault = value === null ? "none" : context.expression(value).kind;
  if (learnt !== undefined) return learnt === "" ? "" : either(learnt, byDefault);
  if (form.takesTensors && value === null && !unpacked.has(name)) return "tensor";
  const given = value === null ? "" : context.expression(value).kind;
  return given === "" || given === "none" ? (learned.variables.get(`evidence ${name}`) ?? "") : given;
}

/** Names that a body takes apart: `h, c = state`. */
function unpackedNames(body: Node): Set<string> {
  const found = new Set<string>();
  visit(body, (node) => {
    const value = node.name === "AssignStatement" ? node.children.at(-1) : undefined;
    const isSeveral = node.children.some(({ name }) => name === "," || name === "TupleExpression");
    if (value?.name === "VariableName" && isSeveral) found.add(value.text);
  });
  return found;
}

function learnReturn(key: string, { returned, learned }: Context): void {
  const kinds = returned.filter((kind) => kind !== "none");
  if (kinds.length === 0) return;
  const kind = kinds.reduce(either);
  if (kind !== "") learned.returns.set(key, kind);
}

/** The function that a decorator runs the body in: `torch.noGrad`. */
function wrapper(decorators: readonly Node[], context: Context): string | null {
  for (const decorator of decorators) {
    const text = decorator.text.trim();
    const mode = /^@(?:torch\.)?(no_grad|inference_mode|enable_grad)\b/.exec(text)?.[1];
    if (mode !== undefined)
      return `${library(context, "torch")}.${{ no_grad: "noGrad", inference_mode: "inferenceMode", enable_grad: "enableGrad" }[mode]}`;
    if (/^@(staticmethod|classmethod|property|override|abstractmethod|\w+\.setter)/.test(text)) continue;
    mark(context, decorator, `the decorator ${text} is left out: call it on the function`);
    const [root = "", ...rest] = text.slice(1).split(".");
    context.learned.variables.set(`missing ${[context.imports.get(root) ?? root, ...rest].join(".")}`, "");
  }
  return null;
}
