// Looks over a cell before it is converted: which functions and classes it has, and which names its own code treats as
// tensors, by members that nothing but tensors have.
import { baseOf } from "./statements/classes.ts";
import type { Context } from "./context.ts";
import { importLines } from "./names/imports.ts";
import { parametersOf } from "./statements/functions.ts";
import { camelCase, classesWith } from "./names/names.ts";
import { foundAt, pathOf } from "./names/members.ts";
import { type Node, operands, visit } from "./source/syntax.ts";

/** Members that Python's own types have too. */
const SHARED = new Set(
  "index count copy split data add pop remove update values keys items sort replace format size type name max min sum all any eq map fill round".split(
    " ",
  ),
);
/** Members that layers have too: they tell of a tensor where nothing tells of a layer. */
const MOVED = new Set(["to", "cpu", "cuda", "mps", "float", "half", "double"]);
const OF_LAYERS = new Set([
  "parameters",
  "named_parameters",
  "state_dict",
  "load_state_dict",
  "train",
  "eval",
  "modules",
  "children",
  "apply",
]);

export function collectEvidence(root: Node, context: Context): void {
  const { learned } = context;
  const tensors = new Set<string>();
  const moved = new Set<string>();
  const layers = new Set<string>();
  const numbers = new Set<string>();
  visit(root, (node) => {
    if (node.name === "ImportStatement") importLines(node, context);
    if (node.name === "ClassDefinition") lookAtClass(node, context);
    else if (node.name === "CallExpression") lookAtCall(node, context, tensors, layers, numbers);
    else if (node.name === "MemberExpression") lookAtMember(node, tensors, moved, layers);
    else if (node.name === "BinaryExpression" && node.children[1]?.text === "@")
      for (const side of [node.children[0]!, node.children[2]!])
        if (side.name === "VariableName") tensors.add(side.text);
  });
  for (const child of root.children) {
    const definition = child.name === "DecoratedStatement" ? child.children.at(-1)! : child;
    if (definition.name !== "FunctionDefinition") continue;
    const name = definition.children.find((one) => one.name === "VariableName")!.text;
    learned.parameters.set(name, parametersOf(definition, false));
  }
  for (const name of numbers)
    if (!tensors.has(name) && !layers.has(name)) learned.variables.set(`evidence ${name}`, "number");
  for (const name of moved) if (!layers.has(name)) tensors.add(name);
  for (const name of tensors) if (!layers.has(name)) learned.variables.set(`evidence ${name}`, "tensor");
  // Marks of imports are said again where they stand.
  context.marks.length = 0;
}

function lookAtClass(node: Node, context: Context): void {
  const { learned } = context;
  const name = node.children.find((one) => one.name === "VariableName")!.text;
  learned.classes.set(name, baseOf(node, context).key ?? "object");
  for (const member of node.children.at(-1)!.children) {
    const method = member.name === "DecoratedStatement" ? member.children.at(-1)! : member;
    if (method.name !== "FunctionDefinition") continue;
    const isStatic = member.text.startsWith("@staticmethod");
    const key = `${name}.${method.children.find((one) => one.name === "VariableName")!.text}`;
    learned.parameters.set(key, parametersOf(method, !isStatic));
    if (/^@(functools\.)?(cached_)?property\b/.test(member.text))
      learned.variables.set(`property ${key}`, "");
  }
}

/** Functions of the library that take a tensor first. */
function lookAtCall(
  node: Node,
  context: Context,
  tensors: Set<string>,
  layers: Set<string>,
  numbers: Set<string>,
): void {
  const callee = node.children[0]!;
  if (callee.name === "VariableName") layers.add(callee.text);
  const all = operands(node.children.at(-1)!);
  const [root = "", ...rest] = callee.text.split(".");
  const module = pathOf(context, root);
  // What a hook of a tensor gets is a tensor: `v.register_hook(lambda grad: grad * 2)`. So is what a function gets that
  // torch.func runs.
  const isOfTensors =
    /\.register_(post_accumulate_grad_)?hook$/.test(callee.text) ||
    /^torch\.(vmap$|func\.|autograd\.functional\.)/.test([module, ...rest].join("."));
  if (isOfTensors && all[0]?.name === "LambdaExpression")
    for (const { name, text } of all[0].children.find((one) => one.name === "ParamList")?.children ?? [])
      if (name === "VariableName") tensors.add(text);
  if (callee.text === "range") for (const one of all) if (one.name === "VariableName") numbers.add(one.text);
  if (module === null || !module.startsWith("torch") || callee.text.includes("(")) return;
  const found = foundAt([module, ...rest].join("."));
  const first = operands(node.children.at(-1)!)[0];
  // Layers are made with sizes.
  const isSized = found?.entry.made === true && found.space === "nn" && SIZED.test(found.name);
  if (isSized) for (const one of all) for (const name of sizesOf(one)) numbers.add(name);
  const takes = found?.entry.calls[0]?.positional[0]?.name;
  if (
    found?.entry.made === false &&
    first?.name === "VariableName" &&
    (takes === "input" || takes === "logits")
  )
    tensors.add(first.text);
}

const SIZED =
  /^(Linear|Embedding|Conv|LayerNorm|BatchNorm|GroupNorm|LSTM|GRU|RNN|Dropout|MultiheadAttention|Transformer|MaxPool|AvgPool)/;

/** `dim`, and both of `heads * dim` */
function sizesOf(node: Node): string[] {
  if (node.name === "VariableName") return [node.text];
  return node.name === "BinaryExpression" ? node.children.flatMap(sizesOf) : [];
}

function lookAtMember(node: Node, tensors: Set<string>, moved: Set<string>, layers: Set<string>): void {
  const [object, sign, property] = node.children;
  if (object?.name !== "VariableName") return;
  if (sign?.name === "[") {
    const inner = node.children.slice(2, -1);
    if (inner.some(({ name }) => name === "," || name === "None")) tensors.add(object.text);
    return;
  }
  const name = property?.text ?? "";
  if (OF_LAYERS.has(name)) layers.add(object.text);
  else if (MOVED.has(name)) moved.add(object.text);
  else if (!SHARED.has(name) && isTensors(name)) tensors.add(object.text);
}

function isTensors(name: string): boolean {
  const classes = classesWith(camelCase(name));
  return classes[0] === ":Tensor" && classes.length === 1;
}
