// Resolves names and members: what an import names, what the library has, and what is the user's own.
import { type Code, code, LEVEL, receiver, variableText } from "../code.ts";
import { type Context, helper, library, mark, need } from "../context.ts";
import { either, isDict, isTensor, type Kind } from "../kinds.ts";
import { camelCase, classesWith, type Entry, entryOf, memberOf, nearestIn } from "./names.ts";
import { isConverted, isHolder, parentOf, spaceOf, USUAL_IMPORTS } from "./paths.ts";
import { variableOf } from "../source/scope.ts";
import { pathAttribute } from "../standard/pathlib.ts";
import { hasValuesIn, valueOfPath } from "../standard/values.ts";
import type { Node } from "../source/syntax.ts";

export interface Found {
  /** The namespace, and the name in it. */
  readonly space: string;
  readonly name: string;
  readonly entry: Entry;
}

/** `x` */
export function nameCode(node: Node, context: Context): Code {
  const name = node.text;
  if (name === context.ownClass?.self) return code("this", `object ${context.ownClass.name}`);
  const found = variableOf(context.scope, name);
  if (found !== null) {
    const { variable } = found;
    const known = variable.transformed === undefined ? {} : { transformed: variable.transformed };
    return { ...code(variableText(name), variable.kind), isCount: context.counts.has(variable), ...known };
  }
  const { learned } = context;
  if (learned.classes.has(name)) return code(name, `class ${name}`);
  if (learned.parameters.has(name)) return code(variableText(name), `function ${name}`);
  const session = learned.variables.get(`session ${name}`) ?? "";
  if (session !== "" && !context.imports.has(name)) return code(variableText(name), session);
  const path = pathOf(context, name);
  if (path !== null) return pathCode(path, context, node, name);
  if (Object.hasOwn(FUNCTIONS, name))
    return code(FUNCTIONS[name]!, "", name === "len" ? LEVEL.arrow : LEVEL.primary);
  return code(variableText(name), learned.variables.get(`evidence ${name}`) ?? "");
}

/** Python's own functions where they are values: `key=len` */
const FUNCTIONS: Readonly<Record<string, string>> = {
  len: "(one: any) => one.length",
  str: "String",
  int: "Math.trunc",
  float: "Number",
  bool: "Boolean",
  abs: "Math.abs",
  min: "Math.min",
  max: "Math.max",
  print: "console.log",
};

/** Whether a cell above has defined the name. */
export const isAbove = (name: string, { learned }: Context): boolean =>
  learned.classes.has(name) || learned.parameters.has(name) || learned.variables.has(`session ${name}`);

/** `data.Corpus` after `import data`, a file of one's own that stands in a cell above: what that cell calls so, or null. */
export function fromCellAbove(path: string, context: Context): Code | null {
  const [module = "", name = "", ...rest] = path.split(".");
  if (rest.length > 0 || !context.learned.variables.has(`file ${module}`) || !isAbove(name, context))
    return null;
  const text = variableText(name);
  if (context.learned.classes.has(name)) return code(text, `class ${name}`);
  if (context.learned.parameters.has(name)) return code(text, `function ${name}`);
  return code(text, context.learned.variables.get(`session ${name}`));
}

/** What an import of this cell, or by custom of an earlier one, means by a name. */
export function pathOf(context: Context, name: string): string | null {
  const path = context.imports.get(name);
  if (path !== undefined) return path;
  return Object.hasOwn(USUAL_IMPORTS, name) ? (USUAL_IMPORTS[name] ?? null) : null;
}

/** @param local the name under which the cell has imported all of the path, or undefined */
function pathCode(path: string, context: Context, node: Node, local?: string): Code {
  const value = valueOfPath(path, context);
  if (value !== null) return value;
  const space = spaceOf(path);
  if (space !== null) return code(spaceText(space, context, local), `path ${path}`);
  const found = foundAt(path);
  if (found !== null) {
    const { space: at, name, entry } = found;
    if (at === "torch" && name === "Tensor") return code(library(context, "Tensor"), `path ${path}`);
    return code(
      `${spaceText(at, context)}.${name}`,
      entry.calls.length > 0 || entry.made ? `path ${path}` : entry.gives,
    );
  }
  if (!path.startsWith("torch")) context.learned.variables.set(`missing ${path}`, "");
  // A part of what is missing was marked with it.
  if (!isMissing(path) || isMissing(parentOf(path))) return code(path, `path ${path}`);
  const parent = spaceOf(parentOf(path));
  const last = path.replace(/^.*\./, "");
  const near = parent === null ? null : nearestIn(parent, camelCase(last));
  mark(
    context,
    node,
    `there is no ${path} here${near === null ? "" : `; ${parent}.${near} has a similar name`}`,
  );
  return code(path, `path ${path}`);
}

/** Packages that draw on a page: their calls are left out, and what they give is asked for nothing else. */
export const isDrawing = (kind: Kind): boolean => /^path (matplotlib|seaborn|IPython)\b/.test(kind);

/** Whether a path of PyTorch leads to nothing that is here. */
export function isMissing(path: string): boolean {
  const isThere = spaceOf(path) !== null || foundAt(path) !== null || isHolder(path);
  return path.startsWith("torch") && !isThere && !isConverted(path) && !hasValuesIn(path);
}

/** Old names of what changes its tensor in place: `torch.nn.init.xavier_uniform`. */
const WITHOUT_UNDERSCORE =
  /^(torch\.nn\.init\.(?:constant|dirac|eye|normal|orthogonal|sparse|uniform|(?:kaiming|xavier)_(?:normal|uniform))|torch\.nn\.utils\.clip_grad_norm)$/;

/** Names that PyTorch's documents look for elsewhere, and old ones that PyTorch still has. */
const MOVED: Readonly<Record<string, string>> = {
  "torch.spmm": "torch.mm",
  "torch.mps.metal_capture": "torch.mps.profiler.metal_capture",
  "torch.mps.is_metal_capture_enabled": "torch.mps.profiler.is_metal_capture_enabled",
};

/** The library's entry for a dotted path of PyTorch, or null. */
export function foundAt(written: string): Found | null {
  const path = MOVED[written] ?? written.replace(WITHOUT_UNDERSCORE, "$1_");
  const parent = parentOf(path);
  const last = path.slice(parent.length + 1);
  const space = parent === path ? null : spaceOf(parent);
  if (space === null || spaceOf(path) !== null) return null;
  for (const name of [camelCase(last), last]) {
    const entry = entryOf(space, name);
    if (entry !== null) return { space, name, entry };
  }
  return null;
}

/** `nn.init` with an import of `nn`; a whole namespace under another name is imported so: `functional as F`. */
function spaceText(space: string, context: Context, local?: string): string {
  const [root = "", ...rest] = space.split(".");
  if (rest.length === 0 && local !== undefined && local !== root && !space.startsWith("path")) {
    need(context, "mpslab", root, local);
    return local;
  }
  if (rest.length === 0 && root === "functional" && local === undefined) {
    const alias = [...context.imports].find(([, path]) => path === "torch.nn.functional")?.[0] ?? "F";
    need(context, "mpslab", root, alias);
    return alias;
  }
  return [library(context, root), ...rest].join(".");
}

/** `super()`, or as Python 2 had it `super(Net, self)` in the class Net */
export function isSuperCall({ name, text }: Node, { ownClass }: Context): boolean {
  const [, of] = /^super\((?:(\w+), *\w+)?\)$/.exec(text) ?? [null, null];
  return name === "CallExpression" && of !== null && (of === undefined || of === ownClass?.name);
}

/** `x.shape`, `self.fc`, `torch.nn.Linear` */
export function memberCode(node: Node, context: Context): Code {
  const [object, property] = [node.children[0]!, node.children.at(-1)!];
  if (isSuperCall(object, context)) return code(`super.${property.text}`, "");
  const value = context.expression(object);
  return methodValue(value, property.text, context) ?? memberOfCode(value, property.text, context, node);
}

/** A method as a value, which knows what it is of: `register_hook(self.keep)`, `relu = MyReLU.apply`. */
function methodValue(value: Code, name: string, context: Context): Code | null {
  const [, of, start = ""] = /^(object|class) (.*)$/.exec(value.kind) ?? [];
  if (of === "class") {
    if (name !== "apply" || baseIn(context, start) !== "autograd.Function") return null;
    return code(`(...given: any[]) => (${value.text} as any).apply(...given)`, "", LEVEL.arrow);
  }
  if (of === undefined || attributeKind(value.kind, name, context) !== null) return null;
  for (let at: string | undefined = start; at !== undefined; at = context.learned.classes.get(at)) {
    if (!context.learned.parameters.has(`${at}.${name}`)) continue;
    if (context.learned.variables.has(`property ${at}.${name}`)) return null;
    const isName = /^[\w.]+$/.test(value.text);
    return isName ? code(`${value.text}.${name}.bind(${value.text})`) : null;
  }
  return null;
}

/** The class of the library, or of nothing here, that a class of the cell goes back to. */
function baseIn({ learned }: Context, name: string): string {
  let base = name;
  while (learned.classes.has(base)) base = learned.classes.get(base)!;
  return base;
}

/** Fields of results that are several tensors: `torch.linalg.lstsq(a, b).singular_values` */
const RESULT_FIELDS = new Set(["bin_edges", "cloned_coefficient", "singular_values"]);

export function memberOfCode(value: Code, name: string, context: Context, node: Node): Code {
  if (value.kind.startsWith("path ")) {
    const path = `${value.kind.slice(5)}.${name}`;
    const known = foundAt(value.kind.slice(5));
    if (known === null) return fromCellAbove(path, context) ?? pathCode(path, context, node);
    return valueOfPath(path, context) ?? code(`${value.text}.${camelCase(name)}`, "");
  }
  if (value.kind === "limits") return code(`${value.text}.${name}`, "float");
  if (value.kind === "device") {
    if (name === "type") return { ...value, kind: "text" };
    if (name === "index") {
      mark(context, node, "a device is a text here, as cuda:1: one without a number counts as the first");
      return code(`Number(${receiver(value)}.split(":")[1] ?? 0)`, "int");
    }
  }
  if (isDict(value.kind) && name === "get")
    return code(`(key: any) => ${helper(context, "valueOr")}(${value.text}, key)`, "", LEVEL.arrow);
  const ofPath = value.kind === "text" ? pathAttribute(value, name, context) : null;
  if (ofPath !== null) return ofPath;
  const own = attributeKind(value.kind, name, context);
  if (own !== null) return code(`${receiver(value)}.${name}`, own);
  // `def train(args, model):` gets what the program's parser gave.
  const argument = context.earlier.attributes.get(`Arguments.${name}`);
  if (value.kind === "" && argument !== undefined && context.argumentParsers.results.has(value.text))
    return code(`${value.text}.${name}`, argument);
  if (name === "__name__" || name === "__class__")
    return code(
      `${receiver(value)}.${name === "__name__" ? "name" : "constructor"}`,
      name === "__name__" ? "text" : "",
    );
  // The fields of an object of the cell are its own; those of a module are not what PyTorch keeps.
  if (name === "__dict__" && value.kind.startsWith("object ") && !isModule(value.kind, context))
    return code(value.text, "dict");
  if (RESULT_FIELDS.has(name)) return code(`${receiver(value)}.${camelCase(name)}`, "tensor");
  if (name === "next_functions")
    return code(`${receiver(value)}${value.kind === "node" ? "!" : ""}.nextFunctions`, "list tuple node,int");
  if (name === "data" && isTensor(value.kind)) return code(`${receiver(value)}.detach()`, "tensor");
  if (Object.hasOwn(ON_DEVICE, name))
    return code(`${receiver(value)}.device.startsWith("${ON_DEVICE[name]}")`, "boolean");
  const member = libraryMember(value.kind, name, context);
  if (CONTEXT_MEMBERS.has(name))
    return code(`${receiver(value)}.${camelCase(name)}`, name === "saved_tensors" ? "list tensor" : "");
  if (member === null) return ofContainer(value, name, context) ?? code(`${receiver(value)}.${name}`, "");
  const isCall = member.entry.calls.length > 0;
  if (value.kind === "" && member.name !== name && !isCall) {
    mark(
      context,
      node,
      `which class ${value.text} is of is not known here: ${name} is ${member.name} of the library's classes`,
    );
    const isOwn = [...context.earlier.attributes.keys()].some((key) => key.endsWith(`.${name}`));
    if (isOwn) return code(`${receiver(value)}.${name}`, "");
  }
  // A gradient, and the bias of a layer, may be missing, which TypeScript asks about.
  if (["grad", "bias"].includes(member.name) && !isCall)
    return code(`${receiver(value)}.${member.name}!`, "tensor");
  if (member.name === "gradFn") return code(`${receiver(value)}.gradFn`, "node");
  if (member.name === "paramGroups") return code(`${receiver(value)}.paramGroups`, "list group");
  const kind = (name === "device" || name === "dtype") && !isCall ? name : member.entry.gives;
  return code(`${receiver(value)}.${member.name}`, isCall ? "" : kind);
}

/**
 * Members of a ModuleDict are its fields in PyTorch too; of a layer in a container the types here know only what all layers
 * have.
 */
function ofContainer(value: Code, name: string, context: Context): Code | null {
  if (value.kind === "object nn.Sequential") return code(`(${value.text} as any).${name}`);
  if (value.kind === "object nn.ModuleDict") return code(`${receiver(value)}.get(${JSON.stringify(name)})`);
  const isOwn = [...context.earlier.attributes.keys()].some((key) => key.endsWith(`.${name}`));
  if (value.kind !== "object :Module" || isOwn) return null;
  const camel = camelCase(name);
  const space = classesWith(camel).find((one) => one !== ":Tensor");
  const entry = space === undefined ? null : memberOf(space, camel);
  return entry === null
    ? null
    : code(`(${value.text} as any).${camel}`, entry.calls.length > 0 ? "" : entry.gives);
}

/** What a tensor tells of its device. */
const ON_DEVICE: Readonly<Record<string, string>> = Object.fromEntries(
  ["cpu", "cuda", "mps", "xpu", "meta"].map((device) => [`is_${device}`, device]),
);

/** Members of the context of an autograd.Function. */
export const CONTEXT_MEMBERS = new Set([
  "save_for_backward",
  "saved_tensors",
  "mark_dirty",
  "mark_non_differentiable",
  "needs_input_grad",
  "set_materialize_grads",
]);

/** The kind of an attribute that the cell's own class has, or null. */
function attributeKind(kind: Kind, name: string, { learned, earlier }: Context): Kind | null {
  if (!kind.startsWith("object ")) return null;
  for (let at: string | undefined = kind.slice(7); at !== undefined; at = learned.classes.get(at)) {
    const [now, ever] = [learned, earlier].map(({ attributes }) => attributes.get(`${at}.${name}`));
    // A list that is empty here has elements elsewhere.
    const found =
      now === "list"
        ? (ever ?? now)
        : now === undefined || ever === undefined
          ? (now ?? ever)
          : either(now, ever);
    if (found !== undefined) return found;
    const part = at === "nn.Transformer" ? PARTS[name] : undefined;
    if (part !== undefined) return part;
  }
  return null;
}

/** The layers that a layer of the library holds. */
const PARTS: Readonly<Record<string, Kind>> = {
  encoder: "object nn.TransformerEncoder",
  decoder: "object nn.TransformerDecoder",
};

/** The library's member of that name: `requires_grad` -> `requiresGrad`; null where it is the user's own. */
export function libraryMember(kind: Kind, name: string, context: Context): Found | null {
  const camel = camelCase(name === "add_module" ? "register_module" : name);
  const spaces = spacesOf(kind, context) ?? classesWith(camel);
  for (const space of spaces) {
    const entry = memberOf(space, camel);
    if (entry !== null) return { space, name: camel, entry };
  }
  return null;
}

/** The classes of the library that a value may be of; null where nothing is known. */
function spacesOf(kind: Kind, context: Context): string[] | null {
  if (isTensor(kind)) return [":Tensor"];
  if (kind.startsWith("object ")) return [instanceSpace(baseIn(context, kind.slice(7)))];
  return kind === "" || kind === "none" ? null : [];
}

const INSTANCES: readonly (readonly [RegExp, string])[] = [
  [/^nn\.(Sequential|ModuleList|ModuleDict|Linear|Embedding|LayerNorm|MultiheadAttention)$/, ":$1"],
  [/^nn\.Conv\w+$/, ":Conv"],
  [/^nn\.BatchNorm\w+$/, ":BatchNorm"],
  [/^nn\.(LSTM|GRU|RNN)$/, ":LSTM"],
  [/^nn\.Parameter$/, ":Tensor"],
  [/^rnn\.PackedSequence$/, ":PackedSequence"],
  [/^nn\..*$/, ":Module"],
  [/^optim\.lrScheduler\.ReduceLROnPlateau$/, ":Plateau"],
  [/^optim\.lrScheduler\..*$/, ":Scheduler"],
  [/^optim\.AveragedModel$/, ":AveragedModel"],
  [/^optim\..*$/, ":Optimizer"],
  [/^amp\.GradScaler$/, ":GradScaler"],
  [/^lab\.SummaryWriter$/, ":SummaryWriter"],
  [/^distributions\.[A-Z]\w+$/, ":Distribution"],
  [/^data\.DataLoader$/, ":DataLoader"],
  [/^(?:mps|cuda)\.Event$/, ":Event"],
  [/^torch\.Generator$/, ":Generator"],
  [/^torch\.profiler\.Profile$/, ":Profile"],
];

/** The table of members of a class: `nn.Conv2d` -> `:Conv` */
function instanceSpace(name: string): string {
  for (const [pattern, space] of INSTANCES) if (pattern.test(name)) return name.replace(pattern, space);
  return ":None";
}

/** Whether instances are called as functions that take tensors and give one. */
export function isModule(kind: Kind, context: Context): boolean {
  if (!kind.startsWith("object ")) return false;
  const of = baseIn(context, kind.slice(7));
  return of.startsWith("nn.") || of === "optim.AveragedModel";
}
