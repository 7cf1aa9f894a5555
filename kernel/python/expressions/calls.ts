// Converts calls: of the library, of Python's own functions and types, of the cell's functions and classes.
import { type Arguments, arrange, readArguments } from "./arguments.ts";
import { arrangeOwn, arrangeUnknown } from "./own_arguments.ts";
import { sortCall } from "./aggregates.ts";
import { BUILTINS } from "./builtins.ts";
import { type Code, code, LEVEL, receiver } from "../code.ts";
import { type Context, helper, library, mark, need } from "../context.ts";
import { ofScalars, ofTensor, tensorMethod, zeroGradText } from "./tensor_calls.ts";
import { isTransform, either, elementOf, isDict, isList, isTensor, type Kind, listOf } from "../kinds.ts";
import {
  CONTEXT_MEMBERS,
  foundAt,
  isDrawing,
  fromCellAbove,
  isMissing,
  isModule,
  isSuperCall,
  libraryMember,
  memberOfCode,
  pathOf,
} from "../names/members.ts";
import { FILE_CALLS, methodCall } from "./methods.ts";
import { callTexts, hasTensor, initOf, learnParameters, ownMethod, valueCall } from "./own_calls.ts";
import { transformedBy, withForwardPlaces, withKeywords } from "./transforms.ts";
import { ofCuda, ofRows, withDevice, withoutWorkers } from "./library_arguments.ts";
import { camelCase, classesWith, entryOf, nearestIn } from "../names/names.ts";
import { noteLater } from "../names/later.ts";
import { parentOf, spaceOf } from "../names/paths.ts";
import { variableOf } from "../source/scope.ts";
import { alikeMessage, numpyCall } from "../standard/numpy.ts";
import { standardCall } from "../standard/calls.ts";
import type { Node } from "../source/syntax.ts";
import { noteElement } from "./sets.ts";

/** @param run a function that goes last, in place of a with-statement's block */
export function callCode(node: Node, context: Context, run?: string): Code {
  const [callee, list] = [node.children[0]!, node.children.at(-1)!];
  const given = readArguments(list, context);
  if (callee.name === "VariableName") {
    const called = builtinCall(callee, given, context, node);
    if (called !== null) return called;
    noteLater(callee, context);
  }
  if (callee.name === "MemberExpression" && callee.children[1]?.name === ".")
    return methodOf(callee, given, context, node, run);
  const value = context.expression(callee);
  if (value.kind.startsWith("path ")) return pathCall(value.kind.slice(5), given, context, node, run);
  return withKeywords(value, given, context, node) ?? valueCall(value, given, context, node);
}

function builtinCall(callee: Node, given: Arguments, context: Context, node: Node): Code | null {
  const name = callee.text;
  const isOwn =
    variableOf(context.scope, name) !== null ||
    context.learned.parameters.has(name) ||
    pathOf(context, name) !== null;
  if (isOwn || !Object.hasOwn(BUILTINS, name)) return null;
  return BUILTINS[name]!(given, context, node);
}

function methodOf(callee: Node, given: Arguments, context: Context, node: Node, run?: string): Code {
  const object = callee.children[0]!;
  const name = callee.children.at(-1)!.text;
  if (isSuperCall(object, context)) {
    const base = context.learned.classes.get(context.ownClass?.name ?? "") ?? "";
    const key =
      name === "__init__" ? initOf(base, context) : ownMethod(code("", `object ${base}`), name, context);
    const made = name === "__init__" ? entryOf(parentOf(base), base.replace(/^.*\./, "")) : null;
    const texts =
      key === null
        ? made === null
          ? arrangeUnknown(context, node, name, given)
          : arrange(context, node, base, made, given).text
        : arrangeOwn(context, node, context.learned.parameters.get(key)!, given);
    if (key !== null) learnParameters(key, given, context);
    const gives = key === null ? "" : (context.learned.returns.get(key) ?? "");
    return code(`super${name === "__init__" ? "" : `.${name}`}(${texts})`, gives);
  }
  const of = ofData(context.expression(object), name, context);
  if (of.kind.startsWith("path ")) {
    const path = of.kind.slice(5);
    const above = fromCellAbove(`${path}.${name}`, context);
    if (above !== null)
      return withKeywords(above, given, context, node) ?? valueCall(above, given, context, node);
    const found = foundAt(path);
    if (found === null || spaceOf(path) !== null)
      return pathCall(`${path}.${name}`, given, context, node, run);
  }
  // Only a bar of progress has these, and there is none here.
  if (SHOWN_BY_BARS.has(name)) return code("undefined", "none");
  if (of.text === "process.env" && name === "get")
    return standardCall("os.environ.get", given, context, node)!;
  const isListSort = given.keywords.some((one) => /^(key|reverse)$/.test(one.name));
  if (name === "sort" && (isList(of.kind) || (of.kind === "" && isListSort)))
    return sortCall(of, given, context);
  if (name === "sort" && of.kind === "" && given.positional.length + given.keywords.length === 0)
    return code(`${helper(context, "sortOf")}(${of.text})`);
  const added = GROWS[name]?.(given.positional.map(({ value }) => value.kind));
  if (added !== undefined && object.name === "VariableName") grow(object.text, added, context);
  if (added !== undefined && object.name === "MemberExpression") growAttribute(object, added, context);
  const element = given.positional[0]?.value.kind;
  if (name === "add" && element !== undefined && !isTensor(of.kind)) noteElement(element, context);
  const method =
    given.comprehension === null
      ? methodCall(of, name, given, context, node)
      : joined(of, name, given, context, node);
  if (method !== null) {
    if (of.kind === "file" && FILE_CALLS[name] !== undefined) need(context, "node:fs", FILE_CALLS[name]);
    return method;
  }
  return memberCall(of, name, given, context, node);
}

/** `y.data.norm()` of a y that is not known: what has a method of tensors alone is the tensor without its history. */
function ofData(of: Code, name: string, context: Context): Code {
  const isData = of.kind === "" && /^[\w.]+\.data$/.test(of.text) && !hasOwnData(context);
  const classes = isData ? classesWith(camelCase(name)) : [];
  return classes.length === 1 && classes[0] === ":Tensor"
    ? code(of.text.replace(/data$/, "detach()"), "tensor")
    : of;
}

const hasOwnData = ({ earlier }: Context): boolean =>
  [...earlier.attributes.keys()].some((key) => key.endsWith(".data"));

const SHOWN_BY_BARS = new Set(["set_postfix", "set_description"].flatMap((name) => [name, `${name}_str`]));

/** `self.losses.append(1.0)` */
function growAttribute(node: Node, element: Kind, context: Context): void {
  if (node.children[1]?.name !== ".") return;
  const owner = context.expression(node.children[0]!).kind;
  if (!owner.startsWith("object ")) return;
  const key = `${owner.slice(7)}.${node.children.at(-1)!.text}`;
  const before = context.learned.attributes.get(key) ?? context.earlier.attributes.get(key) ?? "";
  if (isList(before))
    context.learned.attributes.set(
      key,
      listOf(before === "list" ? element : either(elementOf(before), element)),
    );
}

/** What a list's methods add to it. */
const GROWS: Readonly<Record<string, (kinds: readonly Kind[]) => Kind | undefined>> = {
  append: ([kind]) => kind,
  appendleft: ([kind]) => kind,
  insert: ([, kind]) => kind,
  extend: ([kind]) => (kind === undefined ? undefined : elementOf(kind)),
};

/** What is added tells of the other elements. */
function grow(name: string, element: Kind, context: Context): void {
  const found = variableOf(context.scope, name);
  if (found === null || !isList(found.variable.kind)) return;
  const { variable, scope } = found;
  const before = elementOf(variable.kind);
  variable.kind = listOf(variable.kind === "list" ? element : either(before, element));
  context.learned.variables.set(`type ${scope.key} ${name}`, variable.kind);
}

/** `", ".join(str(x) for x in xs)` */
function joined(of: Code, name: string, given: Arguments, context: Context, node: Node): Code | null {
  if (given.comprehension === null) return null;
  const { whole } = context.comprehension(given.comprehension);
  return methodCall(
    of,
    name,
    { ...given, comprehension: null, positional: [{ value: whole, spread: false, node }] },
    context,
    node,
  );
}

function memberCall(of: Code, name: string, given: Arguments, context: Context, node: Node): Code {
  const own = ownMethod(of, name, context);
  if (own !== null) {
    learnParameters(own, given, context);
    const returns = context.learned.returns.get(own) ?? "";
    return code(
      `${receiver(of)}.${name}(${arrangeOwn(context, node, context.learned.parameters.get(own)!, given)})`,
      returns,
    );
  }
  const isTensors = isTensor(of.kind) || (of.kind === "" && name === "new_tensor");
  const changed = isTensors ? tensorMethod(of, name, given, context, node) : null;
  if (changed !== null) return changed;
  if (name === "register_buffer" && of.text === "this") return bufferCode(of, given, context);
  const isOptimizer = of.kind.startsWith("object optim");
  if (name === "state_dict" && (isOptimizer || libraryMember(of.kind, name, context) !== null))
    return code(`${receiver(of)}.stateDict()`, isOptimizer ? "dict" : "dict tensor");
  if (name === "zero_grad") return code(`${receiver(of)}.zeroGrad(${zeroGradText(given)})`);
  // In Python a dictionary has no to() either; what is meant are its tensors.
  if (isDict(of.kind) && MOVES.has(name)) {
    mark(context, node, "a dictionary has no " + name + "(): its values are moved one by one");
    const moved = `Object.entries<any>(${of.text}).map(([key, value]) => [key, value.${camelCase(name)}(${given.positional.map(({ value }) => value.text).join(", ")})])`;
    return code(`Object.fromEntries(${moved})`, "dict");
  }
  // What is not known may be of a class of the cells that has a method of this very name.
  const isOfCells = of.kind === "" && camelCase(name) !== name && hasOwnMethod(name, context);
  if (isOfCells)
    return code(`${receiver(of)}.${name}(${arrangeUnknown(context, node, `${of.text}.${name}`, given)})`);
  const attribute = memberOfCode(of, name, context, node);
  const isMember =
    /^object nn\.(ModuleDict|Sequential)$/.test(of.kind) && libraryMember(of.kind, name, context) === null;
  if (isMember || attribute.kind.startsWith("object ") || attribute.kind.startsWith("class "))
    return valueCall(attribute, given, context, node);
  const member = libraryMember(of.kind, name, context);
  if (member === null) {
    // `nn.Embedding.from_pretrained(weights)`, a function of a class
    const owner = of.kind.startsWith("path ") ? foundAt(of.kind.slice(5)) : null;
    if (owner?.entry.made === true)
      return code(
        `${of.text}.${camelCase(name)}(${callTexts(given, context, node, of.text, name)})`,
        `object ${owner.space}.${owner.name}`,
      );
    const near = isTensor(of.kind) ? nearestIn(":Tensor", camelCase(name)) : null;
    if (isTensor(of.kind))
      mark(context, node, `a tensor has no ${name} here${near === null ? "" : `; ${near} is there`}`);
    if (["dict", "set", "text", "number"].includes(of.kind) || isList(of.kind))
      mark(context, node, `${name} has no equal for what ${of.text} is here`);
    const gives = hasTensor(given) && isModule(of.kind, context) ? "tensor" : "";
    if (/^object (torch|optim|data|amp|mps|cuda)\./.test(of.kind) || CONTEXT_MEMBERS.has(name))
      return code(
        `${receiver(of)}.${camelCase(name)}(${arrangeUnknown(context, node, `${of.text}.${name}`, given)})`,
        name === "manual_seed" ? of.kind : "",
      );
    return code(
      `${receiver(of)}.${name}(${arrangeUnknown(context, node, `${of.text}.${name}`, given)})`,
      gives,
    );
  }
  if (name === "item" && of.kind === "tensor float") return code(`${receiver(of)}.item()`, "float");
  const { text, gives } = arrange(
    context,
    node,
    `${of.text}.${member.name}`,
    member.entry,
    given,
    undefined,
    isTensor(of.kind) ? of.kind : "",
  );
  if (isTensor(of.kind) && COUNTS.has(member.name))
    return { ...code(`${receiver(of)}.${member.name}(${text})`, "int"), isCount: true };
  // A layer and a tensor have to() and float(); each gives its own kind.
  const ambiguous = of.kind === "" && MOVES.has(name);
  const kind = ambiguous
    ? ""
    : of.kind.startsWith("object ") && isTensor(gives) && MOVES.has(name)
      ? of.kind
      : gives;
  return code(
    `${receiver(of)}.${member.name}(${text})`,
    ["train", "eval", "apply"].includes(name) ? of.kind : kind,
  );
}

const hasOwnMethod = (name: string, { learned }: Context): boolean =>
  [...learned.parameters.keys()].some((key) => key.endsWith(`.${name}`));

/** `self.register_buffer("mean", x)` -> `this.mean = new nn.Buffer(x)` */
function bufferCode(of: Code, given: Arguments, context: Context): Code {
  const [name, value] = given.positional.map((one) => one.value);
  const field = (JSON.parse(name!.text) as string).trim();
  const options = given.keywords.map((one) => `, { ${one.name}: ${one.value.text} }`).join("");
  context.learned.attributes.set(`${of.kind.slice(7)}.${field}`, "tensor");
  context.learned.variables.set(`field ${of.kind.slice(7)}.${field}`, "object nn.Buffer");
  return code(
    `this.${field} = new ${library(context, "nn")}.Buffer(${value!.text}${options})`,
    "",
    LEVEL.arrow,
  );
}

/** Whole numbers that a tensor tells of itself. */
const COUNTS = new Set(["size", "numel", "dim", "storageOffset"]);

const MOVES = new Set(["to", "cpu", "cuda", "float", "half", "double", "requires_grad_", "type", "bfloat16"]);

/** A call of what an import names. */
function pathCall(path: string, given: Arguments, context: Context, node: Node, run?: string): Code {
  const standard = standardCall(path, given, context, node);
  if (standard !== null) {
    context.learned.variables.delete(`missing ${path}`);
    return standard;
  }
  const found = foundAt(path);
  if (found === null) return unknownCall(path, given, context, node);
  const { space, name, entry } = found;
  const [root = "", ...rest] = space.split(".");
  const text = [spaceName(root, context), ...rest, name].join(".");
  let arguments_ = given;
  if (name === "autocast" && given.positional.length > 0) {
    const names = path.startsWith("torch.cuda.amp")
      ? ["enabled", "dtype", "cache_enabled"]
      : ["device_type", "dtype", "enabled", "cache_enabled"];
    const placed = given.positional.map(({ value, node: at }, place) => ({
      name: names[place] ?? "enabled",
      value,
      node: at,
    }));
    arguments_ = { ...given, positional: [], keywords: [...placed, ...given.keywords] };
  }
  if (space === "amp" && name === "autocast" && path.startsWith("torch.cuda.amp"))
    arguments_ = withDevice(arguments_, "cuda", node);
  if (name === "metalCapture" && given.positional.length === 0)
    arguments_ = { ...given, positional: [{ value: code('"capture"', "text"), spread: false, node }] };
  const [values] = given.positional;
  if (
    path === "torch.tensor" &&
    values !== undefined &&
    isTensor(elementOf(values.value.kind)) &&
    isList(values.value.kind)
  )
    return ofScalars(values.value, given, context);
  if (
    (path === "torch.tensor" || path === "torch.as_tensor") &&
    values !== undefined &&
    isTensor(values.value.kind)
  )
    return ofTensor(values.value, given, path === "torch.as_tensor");
  if (space === "data" && name === "DataLoader") arguments_ = withoutWorkers(ofRows(given), context, node);
  if (path.startsWith("torch.cuda.amp.GradScaler")) arguments_ = ofCuda(given, node);
  const forward = given.positional[0] && ownMethod(given.positional[0].value, "forward", context);
  if (path === "torch.func.functional_call" && forward)
    arguments_ = withForwardPlaces(forward, given, context, node);
  const called = arrange(context, node, `${space}.${name}`, entry, arguments_, run);
  const isData = name === "Parameter" || name === "Buffer";
  if (entry.made) return code(`new ${text}(${called.text})`, isData ? "tensor" : `object ${space}.${name}`);
  if (name === "currentAccelerator") return code(`${text}(${called.text})!`, "device");
  const gives = GIVES[path] ?? (isTransform(text) ? "transform" : called.gives);
  const transformed = transformedBy(path, text, called.text, given);
  return { ...code(`${text}(${called.text})`, gives), ...(transformed !== null && { transformed }) };
}

/** What functions give of which the types here say less. */
const GIVES: Readonly<Record<string, Kind>> = {
  "torch.load": "dict",
  "torch.utils.data.random_split": "list object data.Subset",
  "torch.nn.utils.rnn.pack_padded_sequence": "object rnn.PackedSequence",
  "torch.nn.utils.rnn.pack_sequence": "object rnn.PackedSequence",
  "torch.nn.utils.rnn.pad_packed_sequence": "tuple tensor,tensor",
};

function spaceName(root: string, context: Context): string {
  if (root !== "functional") return library(context, root);
  const alias = [...context.imports].find(([, path]) => path === "torch.nn.functional")?.[0] ?? "F";
  need(context, "mpslab", root, alias);
  return alias;
}

function unknownCall(path: string, given: Arguments, context: Context, node: Node): Code {
  const last = path.replace(/^.*\./, "");
  if (!path.startsWith("torch")) context.learned.variables.set(`missing ${path}`, "");
  if (path.startsWith("numpy.")) {
    const known = numpyCall(path, given, context, node);
    if (known !== null) return known;
    const twin = foundAt(`torch.${TWINS[last] ?? last}`);
    if (twin !== null) {
      mark(context, node, alikeMessage(last, twin.name));
      const called = arrange(context, node, `torch.${twin.name}`, twin.entry, given);
      return code(`${library(context, "torch")}.${twin.name}(${called.text})`, called.gives);
    }
  }
  if (isDrawing(`path ${path}`)) {
    const [root = ""] = path.split(".");
    const instead = root === "IPython" ? "" : ": lab.plot draws lines, points, histograms and images";
    mark(context, node, `there is no ${root} here, and this is left out${instead}`);
    return code("undefined", `path ${path}`);
  }
  const parent = spaceOf(parentOf(path));
  const near = parent === null ? null : nearestIn(parent, camelCase(last));
  const module = path.split(".")[0]!;
  const say = path.startsWith("torch")
    ? `there is no ${path} here`
    : `there is no ${module} here: ${last} has no twin`;
  if (!isMissing(parentOf(path)))
    mark(context, node, `${say}${near === null ? "" : `; ${parent}.${near} has a similar name`}`);
  return code(`${path}(${arrangeUnknown(context, node, null, given)})`);
}

/** Functions of numpy under other names. */
const TWINS: Readonly<Record<string, string>> = {
  array: "tensor",
  asarray: "tensor",
  concatenate: "cat",
  power: "pow",
};
