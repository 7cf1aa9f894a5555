// Converts with-statements. A context manager of Python is a function here that takes a function.
import { declare, learn } from "./assignments.ts";
import { callCode } from "../expressions/calls.ts";
import { bound, LEVEL, type Line, returned, variableText } from "../code.ts";
import { type Context, lastLine, library, lineOf, mark, need, newName } from "../context.ts";
import { isMissing } from "../names/members.ts";
import { truth } from "../expressions/operators.ts";
import { assignsOneName } from "../source/scope.ts";
import { type Node, operands, parts, visit } from "../source/syntax.ts";

interface Item {
  readonly manager: Node;
  readonly target: Node | null;
}

export function withLines(node: Node, context: Context, indent: number): Line[] {
  const body = node.children.at(-1)!;
  const start = node.children.findIndex(({ name }) => name === "with") + 1;
  let inner = node.children.slice(start, -1);
  // Several in brackets, over several lines.
  if (inner.length === 1 && inner[0]!.name === "TupleExpression")
    inner = inner[0]!.children.filter(({ name }) => name !== "(" && name !== ")");
  const items = parts(inner).map((part): Item => ({
    manager: part[0]!,
    target: part[1]?.name === "as" ? part[2]! : null,
  }));
  return itemLines(items, body, node, context, indent);
}

/** Lines of a block that runs under the managers, the first outermost. */
function itemLines(items: readonly Item[], body: Node, node: Node, context: Context, indent: number): Line[] {
  const [item, ...more] = items;
  if (item === undefined) return context.block(body, indent);
  const inside = (to: number): Line[] => itemLines(more, body, node, context, to);
  const { manager } = item;
  const callee = manager.name === "CallExpression" ? manager.children[0]! : manager;
  const path = context.expression(callee).kind.replace(/^path /, "");
  if (callee.text === "open" || path === "io.open") return fileLines(item, context, indent, node, inside);
  if (path === "torch.serialization.safe_globals") return inside(indent);
  const name = path.replace(/^.*\./, "");
  const isGradMode =
    /^torch\.(autograd\.)?(grad_mode\.)?(no_grad|enable_grad|inference_mode|set_grad_enabled)$/.test(path);
  const leaves = leavesBlock(body);
  if (isGradMode && (name === "set_grad_enabled" || (leaves && !returnsLast(body))))
    return gradLines(name, manager, context, indent, node, inside);
  if (path === "torch.device") return deviceLines(manager, context, indent, node, inside);
  if (!isGradMode && (!RUNNERS.has(name) || isMissing(path))) {
    mark(
      context,
      manager,
      `${manager.text} is no function here that runs a block: the block runs without it`,
    );
    return inside(indent);
  }
  if (leaves && !returnsLast(body))
    mark(
      context,
      node,
      "the block is a function here, which break, continue and an early return do not leave",
    );
  return closureLines(item, more, name, body, node, context, indent, inside);
}

/** Functions of the library that run a function. */
const RUNNERS = new Set([
  "autocast",
  "profile",
  "record_function",
  "metal_capture",
  "stream",
  "fork_rng",
  "detect_anomaly",
  "set_detect_anomaly",
  "no_grad",
  "enable_grad",
  "inference_mode",
  "saved_tensors_hooks",
  "save_on_cpu",
]);

function closureLines(
  item: Item,
  more: readonly Item[],
  name: string,
  body: Node,
  node: Node,
  context: Context,
  indent: number,
  inside: (to: number) => Line[],
): Line[] {
  const python = lineOf(context, node);
  const PLACE = "\u0000";
  const call = (run: string): string => {
    if (name.endsWith("detect_anomaly")) return `${library(context, "torch")}.autograd.detectAnomaly(${run})`;
    const { manager } = item;
    const list = { name: "ArgList", from: manager.to, to: manager.to, text: "()", children: [] };
    const called =
      manager.name === "CallExpression"
        ? manager
        : { ...manager, name: "CallExpression", children: [manager, list] };
    return callCode(called, context, run).text;
  };
  const written = call(PLACE);
  const [before = "", after = ""] = written.split(PLACE);
  // A profile is given back, not what ran.
  const short = more.length === 0 && name !== "profile" ? single(body, context, before, after) : null;
  if (short !== null) return [{ text: short, indent, python }];
  const target = item.target;
  const opening =
    target === null || name !== "profile" || !written.includes("torch.profiler")
      ? ""
      : declareTarget(target, context);
  const parameter = opening !== "" && mentions(body, target!.text) ? variableText(target!.text) : "";
  const result = returnsLast(body) ? "return " : "";
  return [
    { text: `${result}${opening}${before}(${parameter}) => {`, indent, python },
    ...inside(indent + 1),
    { text: `}${after};`, indent, python: lastLine(context, body) },
  ];
}

function declareTarget(target: Node, context: Context): string {
  const opening = declare([target], "", context);
  learn(target.text, "object torch.profiler.Profile", context);
  return `${opening}${variableText(target.text)} = `;
}

/** A block of one return or one assignment to a name: `const y = torch.noGrad(() => model(x));` */
function single(body: Node, context: Context, before: string, after: string): string | null {
  const statements = body.children.filter(({ name }) => name !== ":");
  const only = statements.length === 1 ? statements[0]! : null;
  if (only?.name === "ReturnStatement" && only.children.length === 2) {
    const value = context.expression(only.children[1]!);
    context.returned.push(value.kind);
    return `return ${before}() => ${returned(value)}${after};`;
  }
  if (only === null || !assignsOneName(body)) return null;
  const target = only.children[0]!;
  const value = context.expression(only.children[2]!);
  const opening = declare([target], "", context);
  learn(target.text, value.kind, context);
  return `${opening}${variableText(target.text)} = ${before}() => ${returned(value)}${after};`;
}

function mentions(body: Node, name: string): boolean {
  let found = false;
  visit(body, (node) => void (found ||= node.name === "VariableName" && node.text === name));
  return found;
}

/** Whether a statement leaves the block before its end. */
function leavesBlock(body: Node): boolean {
  let found = false;
  visit(body, (node) => {
    if (["FunctionDefinition", "LambdaExpression", "ClassDefinition"].includes(node.name)) return false;
    if (node.name === "ReturnStatement") found = true;
    if (["BreakStatement", "ContinueStatement"].includes(node.name)) found ||= !isInLoop(body, node);
    return true;
  });
  return found;
}

function isInLoop(body: Node, leaf: Node): boolean {
  let found = false;
  visit(body, (node) => {
    const isLoop = node.name === "ForStatement" || node.name === "WhileStatement";
    if (isLoop && node.from <= leaf.from && leaf.to <= node.to) found = true;
  });
  return found;
}

const returnsLast = (body: Node): boolean => body.children.at(-1)!.name === "ReturnStatement";

/** Switches and puts back, so that the block may be left by break and return. */
function gradLines(
  name: string,
  manager: Node,
  context: Context,
  indent: number,
  node: Node,
  inside: (to: number) => Line[],
): Line[] {
  const torch = library(context, "torch");
  const list = manager.children.at(-1)!;
  const flag =
    name === "set_grad_enabled"
      ? bound(truth(context.expression(operands(list)[0]!), context), LEVEL.arrow)
      : String(name === "enable_grad");
  const before = newName("gradEnabled", context);
  return guarded(
    [`const ${before} = ${torch}.isGradEnabled();`, `${torch}.setGradEnabled(${flag});`],
    `${torch}.setGradEnabled(${before});`,
    inside,
    context,
    node,
    indent,
  );
}

function deviceLines(
  manager: Node,
  context: Context,
  indent: number,
  node: Node,
  inside: (to: number) => Line[],
): Line[] {
  const torch = library(context, "torch");
  const before = newName("deviceBefore", context);
  return guarded(
    [
      `const ${before} = ${torch}.getDefaultDevice();`,
      `${torch}.setDefaultDevice(${context.expression(manager).text});`,
    ],
    `${torch}.setDefaultDevice(${before});`,
    inside,
    context,
    node,
    indent,
  );
}

function fileLines(
  { manager, target }: Item,
  context: Context,
  indent: number,
  node: Node,
  inside: (to: number) => Line[],
): Line[] {
  need(context, "node:fs", "closeSync");
  const value = context.expression(manager);
  const name = target === null ? "file" : variableText(target.text);
  const opening = target === null ? "const " : declare([target], "file", context);
  if (target !== null) learn(target.text, "file", context);
  return guarded(
    [`${opening}${name} = ${value.text};`],
    `closeSync(${name});`,
    inside,
    context,
    node,
    indent,
  );
}

function guarded(
  before: readonly string[],
  after: string,
  inside: (to: number) => Line[],
  context: Context,
  node: Node,
  indent: number,
): Line[] {
  const python = lineOf(context, node);
  const end = lastLine(context, node);
  return [
    ...before.map((text): Line => ({ text, indent, python })),
    { text: "try {", indent, python },
    ...inside(indent + 1),
    { text: "} finally {", indent, python: end },
    { text: after, indent: indent + 1, python: end },
    { text: "}", indent, python: end },
  ];
}
