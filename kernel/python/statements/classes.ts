// Converts classes. A module's layers become fields where __init__ does no more than assign them.
import { type Line, keyText } from "../code.ts";
import { type Context, lastLine, library, lineOf, mark } from "../context.ts";
import { dataclassConstructor, isDataclass, isField } from "./dataclasses.ts";
import { definition, documentation, documentationLines, isGenerator, parametersOf } from "./functions.ts";
import { enumLines, enumMembers } from "./enums.ts";
import { errorClass, isError } from "./exceptions.ts";
import { isDict, isNumber, type Kind } from "../kinds.ts";
import { callName } from "../expressions/own_calls.ts";
import { foundAt, isModule, libraryMember } from "../names/members.ts";
import { namesOf, type Node, operands, visit } from "../source/syntax.ts";

const METHODS: Readonly<Record<string, string>> = {
  __init__: "constructor",
  __len__: "get length",
  __getitem__: "get",
  __repr__: "toString",
  __str__: "toString",
  __iter__: "[Symbol.iterator]",
};

/** `torch.nn.Module` -> `nn.Module`, or the class of the cell, or null for object and for what is no class here. */
export function baseOf(
  node: Node,
  context: Context,
): { readonly key: string | null; readonly path: string | null } {
  const list = node.children.find(({ name }) => name === "ArgList");
  const base = list === undefined ? undefined : operands(list)[0];
  if (base === undefined || base.text === "object" || base.text === "ABC") return { key: null, path: null };
  const [root = "", ...rest] = base.text.split(".");
  const path = [context.imports.get(root) ?? USUAL[root] ?? root, ...rest].join(".");
  if (/\.(Dataset|IterableDataset)$/.test(path)) return { key: null, path };
  const found = foundAt(path);
  if (found === null && isError(base)) return { key: errorClass(base, context), path: null };
  return { key: found === null ? base.text : `${found.space}.${found.name}`, path };
}

const USUAL: Readonly<Record<string, string>> = {
  nn: "torch.nn",
  torch: "torch",
  Dataset: "torch.utils.data.Dataset",
  F: "torch.nn.functional",
};

export function classLines(
  node: Node,
  context: Context,
  indent: number,
  decorators: readonly Node[] = [],
): Line[] {
  const name = node.children.find((one) => one.name === "VariableName")!.text;
  const python = lineOf(context, node);
  const values = enumMembers(node, context);
  if (values !== null) return enumLines(node, name, values, context, indent);
  const { key, path } = baseOf(node, context);
  const dataclass = key === null ? decorators.find(isDataclass) : undefined;
  for (const decorator of decorators)
    if (decorator !== dataclass)
      mark(context, decorator, `the decorator ${decorator.text.trim()} is left out`);
  const [root] = key?.split(".") ?? [];
  const isLibrary = path !== null && foundAt(path) !== null && key !== null;
  const base =
    key === null
      ? ""
      : ` extends ${isLibrary ? [library(context, root!), ...key.split(".").slice(1)].join(".") : key}`;
  const body = node.children.at(-1)!;
  const bases = operands(node.children.find((one) => one.name === "ArgList") ?? body);
  if (node.children.some((one) => one.name === "ArgList") && bases.length > 1)
    mark(context, node, "a class extends one class here");
  const stated = body.children.filter((child) => child.name !== ":" && documentation(child) === null);
  const fields = dataclass === undefined ? [] : stated.filter(isField);
  const members = stated.filter((member) => !fields.includes(member));
  const lines: Line[] = [
    ...documentationLines(body, context, indent),
    { text: `class ${name}${base} {`, indent, python },
  ];
  const init = members.find((one) => one.name === "FunctionDefinition" && nameOf(one) === "__init__");
  const asFields = init === undefined ? null : plainFields(init);
  const owner = { name, key, isOfLibrary: isLibrary };
  const parts: Line[][] = [fieldLines(owner, body, init, asFields, context, indent + 1)];
  if (dataclass !== undefined && init === undefined) {
    const afterInit = members.some((one) => nameOf(one) === "__post_init__");
    parts.push(dataclassConstructor(name, dataclass, fields, afterInit, context, indent + 1));
  }
  for (const member of members) {
    const definition_ = definitionOf(member);
    if (definition_ === init && asFields !== null) continue;
    if (definition_.name === "FunctionDefinition")
      parts.push(
        methodLines(
          definition_,
          owner,
          context,
          indent + 1,
          member.name === "DecoratedStatement" ? member.children.slice(0, -1) : [],
        ),
      );
    else if (member.name === "AssignStatement")
      parts[0]!.push(...classField(member, name, context, indent + 1));
    else if (member.name !== "PassStatement")
      mark(context, member, `a class holds no statement: ${member.text.split("\n")[0]}`);
  }
  const isCalled = members.some((one) => /^(forward|__call__)$/.test(nameOf(definitionOf(one))));
  if (isLibrary && key === "nn.Module" && !isCalled && !context.isShownAlone)
    parts.push([
      {
        text: `forward(): never { throw new Error("${name} has no forward."); }`,
        indent: indent + 1,
        python,
      },
    ]);
  const filled = parts.filter((part) => part.length > 0);
  filled.forEach((part, at) => {
    if (at > 0) lines.push({ text: "", indent: 0, python: part[0]!.python });
    lines.push(...part);
  });
  return [...lines, { text: "}", indent, python: lastLine(context, node) }];
}

const definitionOf = (member: Node): Node =>
  member.name === "DecoratedStatement" ? member.children.at(-1)! : member;

const nameOf = (node: Node): string => node.children.find((one) => one.name === "VariableName")?.text ?? "";

/** The field of an assignment `self.x = value`, or null for another statement. */
function selfField(statement: Node, self: string): { name: string; value: Node } | null {
  if (statement.name !== "AssignStatement") return null;
  const [target, , value] = statement.children;
  if (
    target?.name !== "MemberExpression" ||
    target.children[0]?.text !== self ||
    target.children[1]?.name !== "."
  )
    return null;
  if (statement.children.length !== 3) return null;
  return { name: target.children[2]!.text, value: value! };
}

/** The statements of an __init__ that only assigns fields without its parameters; null where it does more. */
function plainFields(init: Node): Node[] | null {
  const list = init.children.find(({ name }) => name === "ParamList")!;
  const names = list.children.filter(({ name }) => name === "VariableName").map(({ text }) => text);
  if (names.length !== 1) return null;
  const self = names[0]!;
  const statements = init.children.at(-1)!.children.filter(({ name }) => name !== ":");
  const rest = statements.filter(
    (one) => !isSuper(one) && documentation(one) === null && one.name !== "PassStatement",
  );
  return rest.every((one) => selfField(one, self) !== null) ? rest : null;
}

const isSuper = (statement: Node): boolean => /^super\(.*\)\.__init__\(\)$/.test(statement.text.trim());

function selfOf(method: Node): string {
  return (
    method.children
      .find(({ name }) => name === "ParamList")
      ?.children.find(({ name }) => name === "VariableName")?.text ?? "self"
  );
}

interface Owner {
  readonly name: string;
  /** The class that it extends. */
  readonly key: string | null;
  /** Whether that is one of the library. */
  readonly isOfLibrary: boolean;
}

/** Fields with their values, or with their types where the constructor gives the values. */
function fieldLines(
  { name, key, isOfLibrary }: Owner,
  body: Node,
  init: Node | undefined,
  asFields: Node[] | null,
  context: Context,
  indent: number,
): Line[] {
  const lines: Line[] = [];
  const declared = new Set<string>();
  if (asFields !== null && init !== undefined) {
    const outer = context.ownClass;
    context.ownClass = { name, self: selfOf(init), method: "__init__" };
    for (const statement of asFields) {
      const field = selfField(statement, selfOf(init))!;
      const before = context.marks.length;
      const value = context.expression(field.value);
      context.learned.attributes.set(`${name}.${field.name}`, value.kind);
      for (const { line, message } of context.marks.slice(before))
        lines.push({
          text: `// TODO: python line ${line}: ${message}`,
          indent,
          python: lineOf(context, statement),
        });
      const type =
        value.kind === "none"
          ? ": any"
          : isDict(value.kind)
            ? ": Record<string, any>"
            : value.text === "[]"
              ? ": any[]"
              : "";
      if (!declared.has(field.name))
        lines.push({
          text: `${keyText(field.name)}${type} = ${value.text};`,
          indent,
          python: lineOf(context, statement),
        });
      declared.add(field.name);
    }
    context.ownClass = outer;
  }
  // What another method assigns is there once the constructor has called it, as `reset()`; a branch may not be taken.
  const isLate = (field: string): boolean =>
    init !== undefined &&
    !new RegExp(`["']${field}["']`).test(init.text) &&
    !isAssigned(init.children.at(-1)!, selfOf(init), field);
  for (const field of assignedFields(body)) {
    if (declared.has(field)) continue;
    declared.add(field);
    // A field of the class that is extended has its value already, and may be given one of another type.
    const text =
      isOfLibrary && key !== "nn.Module"
        ? `declare ${keyText(field)}: any;`
        : `${keyText(field)}${isLate(field) ? "!" : ""}: ${fieldType(name, field, context)};`;
    lines.push({
      text,
      indent,
      python: lineOf(context, body),
    });
  }
  return lines;
}

/** Whether each way through statements assigns `self.field`. */
function isAssigned(body: Node, self: string, field: string): boolean {
  return body.children.some((statement) => {
    const { name, children } = statement;
    if (name === "AssignStatement")
      return children
        .slice(0, -1)
        .flatMap(unwrapped)
        .some(({ text }) => text === `${self}.${field}`);
    const bodies = children.filter((child) => child.name === "Body");
    if (name === "WithStatement") return bodies.some((one) => isAssigned(one, self, field));
    const hasElse = name === "IfStatement" && children.some((child) => child.name === "else");
    return hasElse && bodies.every((one) => isAssigned(one, self, field));
  });
}

/** Names that methods assign to self, and those of buffers. */
function assignedFields(body: Node): string[] {
  const found = new Set<string>();
  for (const member of body.children) {
    const method = member.name === "DecoratedStatement" ? member.children.at(-1)! : member;
    if (method.name !== "FunctionDefinition") continue;
    const self = selfOf(method);
    visit(method, (node) => {
      if (node.name === "CallExpression") {
        const callee = node.children[0]!.text;
        const text = node.children.at(-1)!.children[1];
        if (callee === `${self}.register_buffer` && text?.name === "String")
          found.add(text.text.slice(1, -1));
      }
      if (node.name !== "AssignStatement") return;
      const end = node.children.findLastIndex(({ name }) => name === "AssignOp");
      for (const target of node.children.slice(0, Math.max(end, 0)).flatMap(unwrapped))
        if (
          target.name === "MemberExpression" &&
          target.children[0]!.text === self &&
          target.children[1]!.name === "."
        )
          found.add(target.children[2]!.text);
    });
  }
  return [...found];
}

function unwrapped(node: Node): Node[] {
  return node.name === "TupleExpression" ? node.children.flatMap(unwrapped) : [node];
}

function fieldType(name: string, field: string, context: Context): string {
  const { learned } = context;
  if (learned.variables.has(`none ${name}.${field}`)) return "any";
  const wrapped = learned.variables.get(`field ${name}.${field}`);
  const kind: Kind = wrapped ?? context.earlier.attributes.get(`${name}.${field}`) ?? "";
  const of = /^object (\w+(?:\.\w+)*)$/.exec(kind)?.[1];
  // Which layers a list holds is known where it is made.
  const members = /^nn\.Module(List|Dict)$/.test(of ?? "") ? "<any>" : "";
  if (of?.startsWith("nn.")) return `${library(context, "nn")}.${of.slice(3)}${members}`;
  if (of !== undefined && learned.classes.has(of)) return of;
  return isNumber(kind) ? "number" : kind === "boolean" ? kind : kind === "text" ? "string" : "any";
}

/** `count = 0` in a class. */
function classField(member: Node, name: string, context: Context, indent: number): Line[] {
  const target = namesOf(member.children[0]!)[0];
  if (target === undefined) return [];
  const value = context.expression(member.children.at(-1)!);
  context.learned.attributes.set(`${name}.${target}`, value.kind);
  const isShared = /^(Array|Dictionary|Set)\w*Expression$/.test(member.children.at(-1)!.name);
  if (isShared || new RegExp(`\\b(${name}|cls)\\.${target}\\b`).test(context.text))
    mark(
      context,
      member,
      `${target} is one for all instances in Python: write static, and ${name}.${target}`,
    );
  return [{ text: `${target} = ${value.text};`, indent, python: lineOf(context, member) }];
}

/** Whether the class that is extended has the method too, which may take other arguments. */
function overrides(name: string, base: string, node: Node, context: Context): boolean {
  if (name === "forward") return /^nn\.(?!Module$)/.test(base) && parametersOf(node, true).names.length !== 1;
  return libraryMember(`object ${base}`, name, context) !== null;
}

function methodLines(
  node: Node,
  { name: owner, key: base, isOfLibrary }: Owner,
  context: Context,
  indent: number,
  decorators: readonly Node[],
): Line[] {
  const name = nameOf(node);
  const words = decorators.map(({ text }) => text.trim());
  const isStatic = words.some((word) => word.startsWith("@staticmethod"));
  const isClass = words.some((word) => word.startsWith("@classmethod"));
  const isSetter = words.some((word) => /^@\w+\.setter/.test(word));
  const isProperty = words.some((word) => word.startsWith("@property"));
  const isModuleCall = name === "__call__" && isModule(`object ${owner}`, context);
  const isCall = name === "__call__" && !isModuleCall;
  const key = `${owner}.${name}`;
  const written = METHODS[name] ?? (isModuleCall ? "forward" : isCall ? callName(key, context) : name);
  const isSaid = isCall && context.learned.variables.has(`called ${key}`);
  if (/^__(?!post_init)\w+__$/.test(name) && METHODS[name] === undefined && !isModuleCall && !isSaid)
    mark(context, node, `${name} has no equal here: write a method, and call it`);
  const star = isGenerator(node) ? "*" : "";
  const opening = `${isStatic || isClass ? "static " : ""}${isProperty ? "get " : isSetter ? "set " : ""}${star}${written}`;
  const outer = context.ownClass;
  context.ownClass = { name: owner, self: isStatic ? "" : selfOf(node), method: name };
  try {
    const form = {
      key,
      isMethod: !isStatic,
      opening,
      takesTensors: name === "forward" && base !== null && base !== "autograd.Function",
      isOpen: isOfLibrary && overrides(name, base!, node, context),
    };
    const lines = definition(node, form, context, indent, decorators).filter(
      // A class that extends nothing here has nothing to call: `super(Pairs, self).__init__()` of a Dataset.
      ({ text }) => base !== null || text !== "super();",
    );
    if (name === "__init__" && base !== null && !lines.some(({ text }) => text.startsWith("super("))) {
      const at = lines.findIndex(({ text }) => text.startsWith("constructor")) + 1;
      lines.splice(at, 0, { text: "super();", indent: indent + 1, python: lineOf(context, node) });
    }
    return lines;
  } finally {
    context.ownClass = outer;
  }
}
