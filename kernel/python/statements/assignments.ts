// Converts assignments, and decides which of them declare.
import { bound, type Code, code, LEVEL, type Line, receiver, variableText } from "../code.ts";
import { patternText, targetKinds, targetText } from "../expressions/comprehensions.ts";
import { type Context, library, lineOf, mark, need } from "../context.ts";
import { valuesCode } from "../expressions/expressions.ts";
import {
  either,
  elementOf,
  isDict,
  isList,
  isNumber,
  isTensor,
  type Kind,
  partOf,
  typeText,
} from "../kinds.ts";
import { valueOf } from "../expressions/literals.ts";
import { isDrawing, isMissing } from "../names/members.ts";
import { declarationText, type Scope, type Variable, variableOf } from "../source/scope.ts";
import { assignSubscript, isSubscript, placeText } from "../expressions/subscripts.ts";
import { namesOf, type Node, parts } from "../source/syntax.ts";
import { ARGUMENTS_KIND, argumentLines } from "../standard/argument_parser.ts";

export function assignment(node: Node, context: Context, indent: number): Line[] {
  const python = lineOf(context, node);
  const groups: Node[][] = [[]];
  for (const child of node.children) {
    if (child.name === "AssignOp") groups.push([]);
    else if (child.name !== "TypeDef") groups.at(-1)!.push(child);
  }
  const values = groups.pop()!;
  const hint = node.children.find(({ name }) => name === "TypeDef");
  if (groups.length === 0) return hint === undefined ? [] : declaredOnly(values[0]!, context, indent, python);
  const line = (text: string): Line => ({ text, indent, python });
  const environment = environmentLine(groups, values, indent);
  if (environment?.startsWith("%env PYTORCH_MPS_LOG_LEVEL=")) {
    mark(
      context,
      node,
      "PyTorch reads no PYTORCH_MPS_LOG_LEVEL: PYTORCH_MPS_LOG_PROFILE_INFO=31 logs operators and fallbacks",
    );
    return [];
  }
  if (environment !== null) return [line(environment)];
  const apart = eachAlone(groups, values, context);
  if (apart !== null) return apart.map(line);
  const added = context.argumentParsers.parsed.get(node);
  if (added !== undefined) {
    const [opening] = assignTo(groups[0]!, code("{", ARGUMENTS_KIND), context);
    return argumentLines(opening!.replace(/;$/, ""), added, context, indent, python);
  }
  const targets = groups.toReversed();
  const firstOf = iterated(values, context);
  if (firstOf !== null && targets.length === 1) return destructured(targets[0]!, firstOf, context).map(line);
  let value = onceOnly(asDevice(valuesCode(values, context)), values);
  if (isDrawing(value.kind)) {
    for (const name of targets.flat().flatMap(namesOf)) leaveOut(name, value.kind, context);
    return [];
  }
  const texts: string[] = [];
  for (const target of targets) {
    texts.push(...assignTo(target, value, context));
    if (target.length === 1 && targets.length > 1)
      value = { ...context.expression(target[0]!), kind: value.kind };
  }
  return texts.map(line);
}

/** A figure, which is not made: what is drawn into it is left out too, also in the cells below. */
function leaveOut(name: string, kind: Kind, context: Context): void {
  learn(name, kind, context);
  if (context.scope.parent === null) context.imports.set(name, kind.slice("path ".length));
}

/** `a, b = 1, None`, where all names are new: a declaration for each, with its own type. */
function eachAlone(groups: readonly Node[][], values: readonly Node[], context: Context): string[] | null {
  const targets =
    groups.length === 1 ? parts(groups[0]!).map((part) => (part.length === 1 ? part[0]! : null)) : [];
  const all = parts(values);
  if (targets.length < 2 || all.length !== targets.length || all.some((part) => part.length > 1)) return null;
  const isNew = (target: Node | null): target is Node =>
    target?.name === "VariableName" && isUndeclared(context.scope.variables.get(target.text));
  if (!targets.every(isNew)) return null;
  return targets.map((target, at) => assignName(target, asDevice(context.expression(all[at]![0]!)), context));
}

const ITERATORS = /^(zip|map|filter|enumerate|reversed|iter)\(/;

/** What Python reads once: a generator, `zip(a, b)` */
function onceOnly(value: Code, [node, ...others]: readonly Node[]): Code {
  const isOnce =
    node?.name === "ComprehensionExpression" ||
    (node?.name === "CallExpression" && ITERATORS.test(node.text));
  if (!isOnce || others.length > 0 || !/\]|\)$/.test(value.text) || isTensor(value.kind)) return value;
  return node!.text.startsWith("iter(")
    ? { ...value, kind: `iterator ${elementOf(value.kind)}`.trim() }
    : code(`${receiver(value)}.values()`, `iterator ${elementOf(value.kind)}`.trim());
}

/** `"cuda" if torch.cuda.is_available() else "cpu"` names a device. */
function asDevice(value: Code): Code {
  const isDevice =
    value.kind === "text" &&
    /^(?:[^"]*\? "(?:mps|cuda(?::\d)?)" : )?"(?:mps|cpu|cuda(?::\d)?)"$/.test(value.text);
  return isDevice ? { ...value, kind: "device" } : value;
}

/** `x: int` says only a type, and the first assignment declares. */
function declaredOnly(target: Node, context: Context, indent: number, python: number): Line[] {
  const variable = context.scope.variables.get(target.text);
  if (variable === undefined || variable.declared) return [];
  variable.declared = true;
  return [{ text: `let ${variableText(target.text)}: any;`, indent, python }];
}

/** `os.environ["A"] = "1"` outside of blocks is a magic: libtorch reads the variables when it is loaded. */
function environmentLine(groups: readonly Node[][], values: readonly Node[], indent: number): string | null {
  const target = groups.length === 1 ? groups[0]![0]! : null;
  const value = values.length === 1 ? values[0]! : null;
  if (indent > 0 || target === null || value?.name !== "String" || !isSubscript(target)) return null;
  if (target.children[0]!.text !== "os.environ" || target.children[2]?.name !== "String") return null;
  return `%env ${valueOf(target.children[2])}=${valueOf(value)}`;
}

/** The loader of `next(iter(loader))`, of which a pattern takes the first. */
function iterated(values: readonly Node[], context: Context): string | null {
  const inner = values.length === 1 ? /^next\(iter\((.+)\)\)$/s.exec(values[0]!.text) : null;
  if (inner === null) return null;
  const list = values[0]!.children.at(-1)!.children[1]!.children.at(-1)!.children[1]!;
  return context.expression(list).text;
}

function destructured(target: readonly Node[], from: string, context: Context): string[] {
  const names = parts(target).map(([one]) => one!);
  const inner =
    names.length > 1
      ? patternText(names.map((one) => targetText(one, context)))
      : targetText(names[0]!, context);
  return [`${declare(names, "", context)}[${inner}] = ${from};`];
}

/** @param target nodes between the equals signs: one, or several of a tuple without brackets */
function assignTo(target: readonly Node[], value: Code, context: Context): string[] {
  const all = parts(target);
  const single = all.length === 1 && all[0]!.length === 1 && target.at(-1)!.name !== "," ? all[0]![0]! : null;
  if (single !== null && single.name === "VariableName")
    return single.text === value.text ? [] : [assignName(single, value, context)];
  if (single !== null && single.name === "MemberExpression")
    return setsBackend(single, context) ? [] : [`${assignMember(single, value, context)};`];
  const nodes = single === null ? all.map((part) => part.at(-1)!) : unpacked(single);
  const stars = single === null ? all.map((part) => part[0]!.name === "*") : nodes.map(() => false);
  const apart = eachPlace(nodes, value, context);
  if (apart !== null) return [apart];
  const texts = nodes.map(
    (one, at) =>
      (stars[at] ? "..." : "") + (isSubscript(one) ? placeText(one, context)! : targetText(one, context)),
  );
  if (stars.slice(0, -1).includes(true))
    mark(context, nodes[0]!, "what is starred stands last in a pattern here");
  const [kinds, before] = [nodes.map((_, at) => partOf(value.kind, at)), declareMissing(nodes, context)];
  const prefix = before === null ? "" : before;
  const line = `${prefix === "let " || prefix === "const " ? prefix : ""}${patternText(texts)} = ${value.text};`;
  nodes.forEach((one, at) => {
    for (const [name, kind] of targetKinds(one, stars[at] ? value.kind : kinds[at]!, context))
      learn(name, kind, context);
  });
  return prefix === "" || prefix === "let " || prefix === "const " ? [line] : [prefix, line];
}

/** `l[i], l[j] = l[j], l[i]`, where a place is assigned by a call: one by one, in a block. */
function eachPlace(nodes: readonly Node[], value: Code, context: Context): string | null {
  if (!nodes.some((one) => isSubscript(one) && placeText(one, context) === null)) return null;
  const isPlain = ({ name }: Node): boolean => name === "VariableName" || name === "MemberExpression";
  if (!nodes.every(isPlain)) mark(context, nodes[0]!, "a pattern in a pattern is assigned by hand here");
  const lines = nodes.map((one, at) => {
    const part = code(`parts[${at}]`, partOf(value.kind, at));
    return one.name === "MemberExpression"
      ? `${assignMember(one, part, context)};`
      : `${context.expression(one).text} = ${part.text};`;
  });
  const above = declareMissing(nodes, context);
  return `${above?.startsWith("let ") === true && above.endsWith(";") ? `${above} ` : ""}{ const parts: any[] = ${value.text}; ${lines.join(" ")} }`;
}

function unpacked(node: Node): Node[] {
  return node.children.filter(({ name }) => !"()[],".includes(name));
}

/** `let ` where all names are new, a line that declares those that are, or nothing. */
export function declareMissing(nodes: readonly Node[], context: Context): string | null {
  const names = [...new Set(nodes.flatMap(namesOf))];
  const missing = names.filter((name) => isUndeclared(context.scope.variables.get(name)));
  if (missing.length === 0) return null;
  const isPlain = nodes.every(({ name }) => name !== "MemberExpression");
  // What holds a number first and a tensor later, or objects of two classes, is declared as both.
  const isOfOneType = !missing.some((name) => {
    const kinds = everHolds(name, context);
    const known = kinds.filter((kind) => !["", "?", "none"].includes(kind));
    const isAlike = [isList, isNumber, isTensor].some((of) => known.every(of));
    return known.length > 1 ? !isAlike : known[0] === "object rnn.PackedSequence" && kinds.length > 1;
  });
  if (missing.length === names.length && isPlain && isOfOneType) return declare(nodes, "", context);
  for (const name of missing) context.scope.variables.get(name)!.declared = true;
  return `let ${missing.map((name) => `${variableText(name)}: any`).join(", ")};`;
}

const isUndeclared = (variable: Variable | undefined): boolean =>
  variable !== undefined && !variable.declared;

/** `let ` or `const `, where the names are new; they are declared then. */
export function declare(nodes: readonly Node[], kind: Kind, context: Context): string {
  const variables = nodes.flatMap(namesOf).map((name) => context.scope.variables.get(name));
  if (!variables.some(isUndeclared)) return "";
  const isConstant = variables.every(
    (one) => one === undefined || (one.assignments === 1 && (context.scope.parent !== null || one.isInBlock)),
  );
  for (const variable of variables) {
    if (variable === undefined) continue;
    variable.declared = true;
    if (kind !== "") variable.kind = kind;
  }
  return isConstant ? "const " : "let ";
}

function assignName(target: Node, value: Code, context: Context): string {
  const name = target.text;
  const isNew = isUndeclared(context.scope.variables.get(name));
  const opening = declare([target], "", context);
  learn(name, value.kind, context);
  const type = isNew ? declaredType(name, value, context) : "";
  const cast = !isNew && value.isNullable === true ? " as any" : "";
  const variable = context.scope.variables.get(name);
  if (variable?.assignments === 1 && value.transformed !== undefined)
    variable.transformed = value.transformed;
  if (variable !== undefined && variable.assignments === 1 && value.isCount === true)
    context.counts.add(variable);
  return `${opening}${variableText(name)}${type} = ${bound(value, cast === "" ? LEVEL.arrow : LEVEL.primary)}${cast};`;
}

/** Notes what a variable holds from here on, and for its declaration what it ever holds. */
export function learn(name: string, kind: Kind, context: Context): void {
  const found = variableOf(context.scope, name);
  if (found === null) return;
  // What was a figure is none any more.
  const was = `path ${context.imports.get(name) ?? ""}`;
  if (found.scope.parent === null && isDrawing(was) && !isDrawing(kind)) context.imports.delete(name);
  const evidence = context.learned.variables.get(`evidence ${name}`) ?? "";
  const key = `type ${found.scope.key} ${name}`;
  found.variable.kind = kind === "" ? evidence : kind;
  const before = context.learned.variables.get(key);
  const kinds = new Set(before === undefined ? [] : before.split("|"));
  context.learned.variables.set(key, [...kinds.add(kind === "" ? "?" : kind)].join("|"));
}

/** A number that is an int here and a float there may be either where a loop or a branch comes together. */
function merged(kind: Kind, ever: string | undefined): Kind {
  const others = (ever ?? "").split("|").filter((other) => other !== "" && other !== "?");
  if (isNumber(kind)) return others.filter(isNumber).reduce(either, kind);
  if (isTensor(kind)) return others.filter(isTensor).reduce(either, kind);
  // One class or another of the cell: what it gives is known when it runs.
  if (kind.startsWith("object "))
    return others.every((other) => other === kind || /^(path|object \w+\.)/.test(other)) ? kind : "";
  if (!isList(kind)) return kind;
  const lists = others.filter((other) => isList(other) && other !== "list");
  return kind === "list" && lists.length > 0 ? lists.reduce(either) : lists.reduce(either, kind);
}

/** Forgets which of several kinds variables hold, where a loop, a branch or a function begins or ends. */
export function widen({ scope, earlier }: Context): void {
  for (let at: Scope | null = scope; at !== null; at = at.parent)
    for (const [name, variable] of at.variables)
      variable.kind = merged(variable.kind, earlier.variables.get(`type ${at.key} ${name}`));
}

/** A text that TypeScript would take for any text. */
const LITERAL_DEVICE = /"$/;

/** The type, with the imports that it needs. */
export function importedType(kind: Kind, context: Context): string {
  const type = typeText(kind);
  if (/\bTensor\b/.test(type)) library(context, "Tensor");
  if (/\bDeviceName\b/.test(type)) need(context, "mpslab", "type DeviceName", "DeviceName");
  return type;
}

/** The kinds that a variable has been found to hold. */
const everHolds = (name: string, { scope, earlier }: Context): readonly Kind[] =>
  (earlier.variables.get(`type ${scope.key} ${name}`) ?? "").split("|");

/** A type where TypeScript would infer one that is too narrow. */
function declaredType(name: string, value: Code, context: Context): string {
  const kinds = everHolds(name, context);
  if (isDict(value.kind) && value.text.startsWith("{")) return ": Record<string, any>";
  const isOne = kinds.every(isList) || kinds.every(isNumber) || kinds.every(isTensor);
  if (value.kind === "none" || value.isNullable === true || (kinds.length > 1 && !isOne)) return ": any";
  if (value.kind === "device" && (kinds.length > 1 || LITERAL_DEVICE.test(value.text)))
    return `: ${importedType("device", context)}`;
  const isMixed =
    /^(list )?tuple /.test(value.kind) && /^\[|^Array\.from\(|\.map\((?!.* as const)/s.test(value.text);
  if (value.text !== "[]") return isMixed ? `: ${importedType(value.kind, context)}` : "";
  return `: ${importedType(kinds.find((kind) => kind.startsWith("list ")) ?? "list any", context)}`;
}

/** The declarations of variables above a block. */
export function hoisted(node: Node, context: Context, indent: number): Line[] {
  const lines: Line[] = [];
  for (const [name, variable] of context.scope.variables) {
    if (variable.above !== node || variable.declared) continue;
    variable.declared = true;
    const kinds = (context.earlier.variables.get(`type ${context.scope.key} ${name}`) ?? "?").split("|");
    const types = new Set(kinds.map((kind) => importedType(kind, context)));
    const type = types.size === 1 ? [...types][0]! : "any";
    lines.push({ text: declarationText(name, type), indent, python: lineOf(context, node) });
  }
  return lines;
}

/** Marks names that a block of the cell has for itself, because the one of an earlier cell holds something else. */
export function markOwnNames(node: Node, context: Context): void {
  for (const [name, { assignedBy, isInBlock }] of context.scope.variables)
    if (assignedBy === node && isInBlock && context.learned.variables.has(`session ${name}`))
      mark(
        context,
        node,
        `this ${name} ends with its block, and the ${name} of an earlier cell stays: rename one of them`,
      );
}

/** `torch.backends.cudnn.benchmark = True` sets what is not here: the mark says so, and the line is left out. */
function setsBackend(target: Node, context: Context): boolean {
  const { kind } = context.expression(target.children[0]!);
  if (!kind.startsWith("path torch.backends.")) return false;
  // It chooses among kernels that compute the same.
  if (kind === "path torch.backends.cudnn" && target.children.at(-1)!.text === "benchmark") return true;
  return isMissing(context.expression(target).kind.replace(/^path /, ""));
}

function assignMember(target: Node, value: Code, context: Context): string {
  if (isSubscript(target)) return assignSubscript(target, value, context);
  const [object, property] = [target.children[0]!, target.children.at(-1)!];
  const of = context.expression(object);
  if (of.kind.startsWith("object ")) {
    noteAttribute(of.kind.slice(7), property.text, value.kind, context);
    const wrapped = /^new nn\.(Parameter|Buffer)\(/.exec(value.text)?.[1];
    if (wrapped !== undefined)
      context.learned.variables.set(`field ${of.kind.slice(7)}.${property.text}`, `object nn.${wrapped}`);
  }
  if (property.text === "data" && !of.kind.startsWith("object "))
    return `${receiver(of)}.data = ${bound(value, LEVEL.arrow)}`;
  const place = context.expression(target).text.replace(/!$/, "");
  // The library's own settings are fixed in its types once a layer is made.
  const isFixed = of.kind.startsWith("object nn.") && !WRITABLE.has(property.text);
  const written = isFixed ? place.replace(receiver(of), `(${of.text} as any)`) : place;
  return `${written} = ${bound(value, LEVEL.arrow)}`;
}

/** Fields of layers that are assigned in PyTorch's own documents. */
const WRITABLE = new Set(["weight", "bias", "training"]);

export function noteAttribute(owner: string, name: string, kind: Kind, { learned }: Context): void {
  const key = `${owner}.${name}`;
  if (kind === "none") learned.variables.set(`none ${key}`, "");
  const before = learned.attributes.get(key);
  learned.attributes.set(key, before === undefined ? kind : either(before, kind));
}
