// Converts for and while.
import { declare, declareMissing, importedType, learn, widen } from "./assignments.ts";
import { type Code, type Line, receiver, variableText } from "../code.ts";
import { partKind, patternText, targetKinds, targetText } from "../expressions/comprehensions.ts";
import { type Context, lastLine, lineOf, mark, need, newName } from "../context.ts";
import { valuesCode } from "../expressions/expressions.ts";
import { elementOf, isDict, isList } from "../kinds.ts";
import { truth } from "../expressions/operators.ts";
import { readArguments } from "../expressions/arguments.ts";
import { linesText } from "../expressions/methods.ts";
import { rangeParts } from "../expressions/builtins.ts";
import { namesOf, type Node, parts, visit } from "../source/syntax.ts";

export function forLines(node: Node, context: Context, indent: number): Line[] {
  widen(context);
  const { children } = node;
  const python = lineOf(context, node);
  const start = children.findIndex(({ name }) => name === "for") + 1;
  const middle = children.findIndex(({ name }) => name === "in");
  const bodyAt = children.findIndex(({ name }) => name === "Body");
  const targets = parts(children.slice(start, middle)).map((part) => part.at(-1)!);
  const over = children.slice(middle + 1, bodyAt);
  const starred = parts(children.slice(start, middle)).findIndex(([first]) => first!.name === "*");
  if (starred >= 0)
    mark(context, node, `what is starred is written ...${targets[starred]!.text} here, and stands last`);
  const body = children[bodyAt]!;
  if (children[0]!.name === "async") mark(context, node, "an async loop is for await (... of ...)");
  const only = over.length === 1 && over[0]!.name === "VariableName" ? context.expression(over[0]!) : null;
  const isReadOn = only !== null && new RegExp(`\\b${over[0]!.text}\\b`).test(context.text.slice(node.to));
  if (only?.kind === "generator" && isReadOn && /\b(break|return)\b/.test(body.text))
    mark(context, node, `a loop that is left ends ${only.text} here; in Python it can be read on`);
  const header =
    rangeHeader(targets, over, body, context) ??
    enumerated(targets, over, context) ??
    overValues(targets, over, context);
  const before = header.before.map((text): Line => ({ text, indent, python }));
  return [...before, ...loopLines(node, header.text, header.first, context, indent)];
}

/** The loop, and behind it its `else`, which runs where no `break` did. */
function loopLines(
  node: Node,
  opening: string,
  first: readonly string[],
  context: Context,
  indent: number,
): Line[] {
  const python = lineOf(context, node);
  const [body, otherwise] = node.children.filter(({ name }) => name === "Body");
  const isLeft = otherwise !== undefined && leavesByBreak(body!);
  const flag = isLeft ? newName("isBroken", context) : null;
  context.breakFlags.push(flag);
  const lines: Line[] = [
    ...(flag === null ? [] : [{ text: `let ${flag} = false;`, indent, python }]),
    { text: opening, indent, python },
    ...first.map((text): Line => ({ text, indent: indent + 1, python })),
    ...context.block(body!, indent + 1),
    { text: "}", indent, python: lastLine(context, body!) },
  ];
  context.breakFlags.pop();
  if (otherwise === undefined) return lines;
  if (flag === null) return [...lines, ...context.block(otherwise, indent)];
  const place = { indent, python: lineOf(context, otherwise) };
  return [
    ...lines,
    { text: `if (!${flag}) {`, ...place },
    ...context.block(otherwise, indent + 1),
    { text: "}", ...place },
  ];
}

/** Whether a `break` leaves the loop of this body: one of a loop inside leaves that one, but for its `else`. */
function leavesByBreak(body: Node): boolean {
  let isFound = false;
  visit(body, (node) => {
    if (node.name === "BreakStatement") isFound = true;
    if (node.name === "FunctionDefinition" || node.name === "ClassDefinition") return false;
    if (node.name !== "ForStatement" && node.name !== "WhileStatement") return true;
    const [, otherwise] = node.children.filter(({ name }) => name === "Body");
    if (otherwise !== undefined && leavesByBreak(otherwise)) isFound = true;
    return false;
  });
  return isFound;
}

interface Header {
  readonly before: readonly string[];
  readonly text: string;
  /** Lines at the head of the body. */
  readonly first: readonly string[];
}

function callOf(over: readonly Node[], name: string): Node | null {
  const call = over.length === 1 && over[0]!.name === "CallExpression" ? over[0]! : null;
  return call?.children[0]?.text === name ? call : null;
}

/** `for i in range(n)` -> `for (let i = 0; i < n; i++)` */
function rangeHeader(
  targets: readonly Node[],
  over: readonly Node[],
  body: Node,
  context: Context,
): Header | null {
  const inner = callOf(over, "tqdm")?.children.at(-1)!.children[1];
  const call = callOf(over, "range") ?? (inner === undefined ? null : callOf([inner], "range"));
  const target = targets[0]!;
  if (call === null || targets.length !== 1 || target.name !== "VariableName") return null;
  const given = readArguments(call.children.at(-1)!, context);
  const [from, to, step] = rangeParts(given);
  const [first, second] = given.positional.map((one) => one.node.text);
  const isKept = mayChange(second ?? first ?? "", body);
  const name = variableText(target.text);
  const variable = context.scope.variables.get(target.text);
  // A variable of an earlier cell, or of the function around, holds the last number after the loop.
  const isApart = variable === undefined || variable.outlives || variable.isReassigned;
  const counter = isApart ? (name === "_" ? "round" : `${name}Next`) : name;
  const isNegative = step.startsWith("-");
  const change =
    step === "1"
      ? `${counter}++`
      : step === "-1"
        ? `${counter}--`
        : isNegative
          ? `${counter} -= ${step.slice(1)}`
          : `${counter} += ${step}`;
  const end = isKept ? newName(`${counter}End`, context) : to;
  const onward = isNegative ? `${counter} > ${end}` : `${counter} < ${end}`;
  const isEither = !/^-?\d+$/.test(step);
  const goesOn = isEither ? `${step} < 0 ? ${counter} > ${end} : ${counter} < ${end}` : onward;
  const opening = declare([target], "int", context);
  learn(target.text, "int", context);
  const isCount =
    given.positional.every(({ value }) => value.isCount === true) || given.positional.length === 1;
  if (variable !== undefined && isCount && !variable.isReassigned) context.counts.add(variable);
  return {
    before: [],
    text: `for (let ${counter} = ${from}${isKept ? `, ${end} = ${to}` : ""}; ${goesOn}; ${change}) {`,
    first: isApart
      ? [`${opening === "" ? "" : "let "}${name}${opening === "" ? "" : ": any"} = ${counter};`]
      : [],
  };
}

const CHANGES_LENGTH = /\.(?:append|appendleft|extend|insert|remove|pop|popleft|clear)\(|\bdel\b/;

/** Whether the end of a range may be another one in a later round. Python computes it once, before the first. */
function mayChange(end: string, body: Node): boolean {
  const counted = /^len\(([\w.]+)\)$/.exec(end)?.[1];
  if (counted === undefined && end.includes("(")) return true;
  if (counted !== undefined && CHANGES_LENGTH.test(body.text)) return true;
  return (end.match(/[A-Za-z_][\w.]*/g) ?? []).some((name) => {
    const place = name.replaceAll(".", String.raw`\.`);
    const part = String.raw`(?:\[[^\]\n]*:[^\]\n]*\])?`;
    const isAssigned = new RegExp(
      String.raw`(?<![\w.[(])${place}${part}\s*(?:,[^=\n]*)?(?:[-+*/%&|^@:]|\*\*|//|<<|>>)?=(?!=)`,
    ).test(body.text);
    const isGiven = new RegExp(String.raw`(?<!\blen)\((?:[^()]*,)?\s*${place}\s*[,)]`).test(body.text);
    return isAssigned || (counted !== undefined && isGiven);
  });
}

/** `for i, (x, y) in enumerate(loader)`: an array has entries, and beside all else a number counts. */
function enumerated(targets: readonly Node[], over: readonly Node[], context: Context): Header | null {
  const call = callOf(over, "enumerate");
  if (call === null || targets.length !== 2 || targets[0]!.name !== "VariableName") return null;
  const given = readArguments(call.children.at(-1)!, context);
  const values = given.positional[0]!.value;
  const start =
    given.positional[1]?.value.text ?? given.keywords.find(({ name }) => name === "start")?.value.text ?? "0";
  const [count, element] = [targets[0]!, targets[1]!];
  const elementKind = elementOf(values.kind);
  if (isList(values.kind) && start === "0" && context.scope.variables.get(count.text)?.outlives !== true) {
    const { before, opening } = declareTargets([count, element], context);
    learnTargets(element, elementKind, context);
    learn(count.text, "int", context);
    countUp(count, start, context);
    return {
      before,
      text: `for (${constant(opening, targets, context)}[${variableText(count.text)}, ${targetText(element, context)}] of ${receiver(values)}.entries()) {`,
      first: [],
    };
  }
  const declaring = declare([count], "int", context);
  learn(count.text, "int", context);
  countUp(count, start, context);
  const name = variableText(count.text);
  const { before: above, opening } = declareTargets([element], context);
  learnTargets(element, elementKind, context);
  const loop = `for (${constant(opening, [element], context)}${targetText(element, context)} of ${values.text}) {`;
  // A second counter in the same block, or one that the body sets, counts under another name.
  const place = `${context.scope.key} ${name}`;
  const isApart = context.madeNames.has(place) || context.scope.variables.get(count.text)?.isReassigned;
  context.madeNames.add(place);
  if (isApart) {
    const counter = newName(`${name}Next`, context);
    const first = `${constant(declaring, [count], context)}${name} = ${counter}++;`;
    return { before: [...above, `let ${counter} = ${start};`], text: loop, first: [first] };
  }
  const before = /^\d+$/.test(start) ? String(Number(start) - 1) : `${start} - 1`;
  return {
    before: [...above, `${declaring === "" ? "" : "let "}${name} = ${before};`],
    text: loop,
    first: [`${name}++;`],
  };
}

/** Where a variable of the block around is among the targets, the others are declared above the loop. */
function declareTargets(
  targets: readonly Node[],
  context: Context,
): { readonly before: readonly string[]; readonly opening: string } {
  const text = declareMissing(targets, context) ?? "";
  return text.endsWith(";") ? { before: [text], opening: "" } : { before: [], opening: text };
}

function countUp(target: Node, start: string, { scope, counts }: Context): void {
  const variable = scope.variables.get(target.text);
  if (variable !== undefined && !variable.isReassigned && /^\d+$/.test(start)) counts.add(variable);
}

function overValues(targets: readonly Node[], over: readonly Node[], context: Context): Header {
  const values = valuesCode(over, context);
  const { before, opening } = declareTargets(targets, context);
  targets.forEach((target, at) =>
    learnTargets(target, targets.length > 1 ? partKind(values, at) : elementOf(values.kind), context),
  );
  const names = targets.map((target) => targetText(target, context));
  const pattern = names.length > 1 ? patternText(names) : names[0]!;
  return {
    before,
    text: `for (${constant(opening, targets, context)}${pattern} of ${iterable(values, context)}) {`,
    first: [],
  };
}

/** A loop's variable is another one in each round, and stays as it is unless the body assigns it. */
function constant(opening: string, targets: readonly Node[], { scope }: Context): string {
  if (opening === "") return "";
  const isAssigned = targets
    .flatMap(namesOf)
    .some((name) => (scope.variables.get(name)?.assignments ?? 1) > 1);
  return isAssigned ? "let " : "const ";
}

function iterable(values: Code, context: Context): string {
  if (isDict(values.kind)) return `Object.keys(${values.text})`;
  if (values.kind === "file") need(context, "node:fs", "readFileSync");
  if (values.kind === "file") return linesText(values.text);
  // A list of tuples that is written here would be one of mixed elements.
  if (values.kind.startsWith("list tuple ") && values.text.startsWith("["))
    return `${values.text} as ${importedType(values.kind, context)}`;
  return values.text;
}

function learnTargets(target: Node, kind: string, context: Context): void {
  for (const [name, one] of targetKinds(target, kind, context)) learn(name, one, context);
}

export function whileLines(node: Node, context: Context, indent: number): Line[] {
  widen(context);
  const condition = truth(context.expression(node.children[1]!), context);
  return loopLines(node, `while (${condition.text}) {`, [], context, indent);
}
