// Converts subscripts. A tensor's go through `at` and `setAt`; a list's are JavaScript's.
import { bound, type Code, code, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, helper, library, mark, textKey } from "../context.ts";
import { elementOf, isDict, isList, isNumber, isTensor, type Kind, valueKind } from "../kinds.ts";
import { groupKey, isKeyOfGroup } from "../names/group_keys.ts";
import { isComparison, type Node, parts, visit } from "../source/syntax.ts";

/** One index: a value, or a slice with its ends. */
interface Index {
  readonly value: Code | null;
  /** Start, end and step; null for those that are not written. */
  readonly slice: readonly (Code | null)[] | null;
  /** Whether it compares: `x[x > 0]` */
  readonly isMask: boolean;
}

export function isSubscript({ name, children }: Node): boolean {
  return name === "MemberExpression" && children[1]?.name === "[";
}

function readIndices(node: Node, context: Context): Index[] {
  const inner = node.children.slice(2, -1);
  const isTuple = inner.length === 1 && inner[0]!.name === "TupleExpression";
  // A tuple in brackets is as if its brackets were not there.
  const all = isTuple ? parts(inner[0]!.children.slice(1, -1)) : parts(inner);
  return all.map((part) => {
    if (!part.some(({ name }) => name === ":"))
      return { value: context.expression(part[0]!), slice: null, isMask: isComparison(part[0]!) };
    const slice: (Code | null)[] = [null];
    for (const one of part) {
      if (one.name === ":") slice.push(null);
      else slice[slice.length - 1] = asNumber(context.expression(one));
    }
    return { value: null, slice, isMask: false };
  });
}

/** A tensor of one whole number is one where Python asks for a place: `data[i : i + 8]` */
const asNumber = (value: Code): Code =>
  isTensor(value.kind) ? code(`${receiver(value)}.item()`, "int") : value;

/** `x[0, 1:3]` only a tensor takes; `x[mask]`, `x[[0, 2]]` and `x[None]` too. */
function isTensors(of: Code, indices: readonly Index[]): boolean {
  if (isTensor(of.kind)) return true;
  if (of.kind !== "") return false;
  const isOfTensors = ({ value, isMask }: Index) =>
    value !== null && (isMask || isTensor(value.kind) || value.kind === "none" || isList(value.kind));
  return indices.length > 1 || indices.some(isOfTensors);
}

export function subscriptCode(node: Node, context: Context): Code {
  const of = context.expression(node.children[0]!);
  const indices = readIndices(node, context);
  if (isTensors(of, indices)) return tensorCode(of, indices, context);
  const { value, slice } = single(indices, of, context, node);
  if (slice !== null) return sliceCode(of, slice, context, node);
  return elementCode(of, groupKey(of.kind, value!, context, node), context);
}

function tensorCode(of: Code, indices: readonly Index[], context: Context): Code {
  const kind = isTensor(of.kind) ? of.kind : "tensor";
  return code(`${receiver(of)}.at(${indexTexts(indices, context).join(", ")})`, kind);
}

/** The one index of a list, an object, or of what is not known. */
function single(indices: readonly Index[], of: Code, context: Context, node: Node): Index {
  if (indices.length > 1 && of.kind !== "")
    mark(
      context,
      node,
      `a tuple is no key here; of a tensor this is ${tensorCode(of, indices, context).text}`,
    );
  return indices.length === 1
    ? indices[0]!
    : { value: code(`[${indexTexts(indices, context).join(", ")}]`), slice: null, isMask: false };
}

function sliceCode(
  of: Code,
  [start = null, end = null, step = null]: readonly (Code | null)[],
  context: Context,
  node: Node,
): Code {
  const { kind } = of;
  const isKnown = isList(kind) || kind === "text";
  if (kind === "" && context.isShownAlone)
    mark(context, node, `of a tensor this is ${receiver(of)}.at(${sliceText([start, end, step], context)})`);
  if ((isKnown || (kind === "" && context.isShownAlone)) && step === null)
    return code(`${receiver(of)}.slice(${ends(start, end)})`, sliced(kind));
  if (isList(kind) && step?.text === "-1" && start === null && end === null)
    return code(`${receiver(of)}.toReversed()`, sliced(kind));
  const texts = [start, end].map((one) => one?.text ?? "null");
  if (step !== null) texts.push(step.text);
  return code(`${helper(context, "sliceOf")}(${[of.text, ...texts].join(", ")})`, sliced(kind));
}

/** A part of a tuple has fewer parts. */
const sliced = (kind: Kind): Kind => (kind.startsWith("tuple ") ? "list" : kind);

function ends(start: Code | null, end: Code | null): string {
  const first = start === null || start.text === "null" ? "0" : start.text;
  if (end !== null && end.text !== "null") return `${first}, ${end.text}`;
  return first === "0" ? "" : first;
}

function elementCode(of: Code, given: Code, context: Context): Code {
  const index = isList(of.kind) || of.kind === "text" ? asNumber(given) : given;
  const kind = elementKind(of.kind, index);
  const isKnown = isList(of.kind) || of.kind === "text";
  const isRaising = context.catches.length > 0;
  if (isKnown && !isRaising && (index.isCount === true || index.text.endsWith(".length - 1")))
    return code(`${receiver(of)}[${index.text}]`, kind);
  if (isKnown && !isRaising && isNumber(index.kind)) return code(`${receiver(of)}.at(${index.text})!`, kind);
  if (of.kind === "group" && isKeyOfGroup(index) && !isRaising)
    return code(`${receiver(of)}[${index.text}]`, kind);
  if (isDict(of.kind) || (of.kind === "" && index.kind === "text")) {
    const key = /^"(.*)"$/.exec(index.text)?.[1];
    if (of.text === "process.env" || (key !== undefined && !isRaising && isWritten(key, context)))
      return placeCode(of, index, kind);
  }
  // Layers of a container are there by their number.
  const isOwn = context.learned.classes.has(of.kind.slice("object ".length));
  if (of.kind.startsWith("object ") && !isOwn && index.isCount === true)
    return code(`${receiver(of)}[${index.text}]`, kind);
  if (of.kind.startsWith("object nn.") && /^-\d+$/.test(index.text))
    return code(`${receiver(of)}.at(${index.text})`, kind);
  if (of.kind === "" && context.isShownAlone) return code(`${receiver(of)}[${index.text}]`, kind);
  return code(`${helper(context, "itemAt")}(${of.text}, ${index.text})`, kind);
}

function elementKind(kind: Kind, index: Code): Kind {
  if (kind === "map") return "state";
  if (kind === "group") return GROUP_KINDS[index.text] ?? "";
  if (isDict(kind)) return valueKind(kind);
  if (!kind.startsWith("tuple ")) return elementOf(kind);
  const parts = kind.slice(6).split(",");
  const at = Number(index.text);
  return Number.isInteger(at) ? (parts.at(at) ?? "") : elementOf(kind);
}

const GROUP_KINDS: Readonly<Record<string, Kind>> = {
  '"params"': "list tensor",
  '"lr"': "float",
  '"weightDecay"': "float",
};

/** `config.lr`, `env["A-B"]`: the place of a value in an object. */
function placeCode(of: Code, index: Code, kind: Kind = ""): Code {
  const key = /^"(.*)"$/.exec(index.text)?.[1];
  const isName = key !== undefined && keyText(key) === key && of.text !== "process.env" && isDict(of.kind);
  return code(isName ? `${receiver(of)}.${key}` : `${receiver(of)}[${index.text}]`, kind);
}

/** What every group of an optimizer has. */
const OF_GROUPS = new Set(["lr", "params", "weight_decay"]);

/** Whether the cell itself puts a value under a key, so that it is there. */
function isWritten(key: string, { text }: Context): boolean {
  if (OF_GROUPS.has(key) && text.includes("param_groups")) return true;
  const quoted = `["']${key.replace(/[^\w ]/g, "\\$&")}["']`;
  return new RegExp(`${quoted}\\s*:|\\[${quoted}\\]\\s*=[^=]|\\b${quoted.slice(4, -4)}\\s*=[^=]`).test(text);
}

function indexTexts(indices: readonly Index[], context: Context): string[] {
  return indices.map(({ value, slice }) => {
    if (slice !== null) return sliceText(slice, context);
    return bound(value!, LEVEL.arrow);
  });
}

/** `:` -> `torch.slice(null)`, `1:` -> `torch.slice(1, null)`, `:3` -> `torch.slice(3)` */
function sliceText(
  [start = null, end = null, step = null]: readonly (Code | null)[],
  context: Context,
): string {
  const slice = `${library(context, "torch")}.slice`;
  if (step !== null) return `${slice}(${start?.text ?? "null"}, ${end?.text ?? "null"}, ${step.text})`;
  if (start === null) return `${slice}(${end?.text ?? "null"})`;
  return `${slice}(${start.text}, ${end?.text ?? "null"})`;
}

/** The statement for `x[0, 1] = value`. */
export function assignSubscript(node: Node, value: Code, context: Context): string {
  const of = context.expression(node.children[0]!);
  const indices = readIndices(node, context);
  const written = bound(value, LEVEL.arrow);
  if (isTensors(of, indices)) {
    // numpy takes a list here.
    const values = isList(value.kind) ? `${library(context, "torch")}.tensor(${value.text})` : written;
    return `${receiver(of)}.setAt(${[...indexTexts(indices, context), values].join(", ")})`;
  }
  const { value: given, slice } = single(indices, of, context, node);
  if (slice !== null) return assignSlice(of, slice, value, context, node);
  const index = groupKey(of.kind, given!, context, node);
  if (of.kind === "group" && index.text.startsWith('"')) return `${receiver(of)}[${index.text}] = ${written}`;
  if (of.text === "process.env")
    return `${placeCode(of, index).text} = ${value.kind === "text" ? value.text : `String(${value.text})`}`;
  if (isDict(of.kind) || (of.kind === "" && index.kind === "text")) {
    if (isDict(of.kind)) textKey(index, context, node);
    return `${placeCode(of, index).text} = ${written}`;
  }
  const isRaising = context.catches.length > 0;
  if (isList(of.kind) && !isRaising && index.isCount === true)
    return `${receiver(of)}[${index.text}] = ${written}`;
  if (isList(of.kind) && !isRaising && /^-\d+$/.test(index.text))
    return `${receiver(of)}[${of.text}.length - ${index.text.slice(1)}] = ${written}`;
  // The types here keep a layer for good.
  if (of.kind === "object nn.Sequential" && isNumber(index.kind)) {
    const at = index.text.replace(/^-(?=\d+$)/, `${receiver(of)}.length - `);
    return `(${of.text} as any)[${at}] = ${written}`;
  }
  if (of.kind.startsWith("object ") && index.isCount === true)
    return `${receiver(of)}[${index.text}] = ${written}`;
  return `${helper(context, "setItem")}(${of.text}, ${index.text}, ${written})`;
}

/** A place that a pattern can assign: `l[0]`, `config.lr`; null where it takes a call. */
export function placeText(node: Node, context: Context): string | null {
  const text = assignSubscript(node, code("value"), context);
  return text.endsWith(" = value") ? text.slice(0, -" = value".length) : null;
}

function assignSlice(
  of: Code,
  slice: readonly (Code | null)[],
  value: Code,
  context: Context,
  node: Node,
): string {
  const index = sliceText(slice, context);
  if (of.kind === "" && !isList(value.kind)) {
    if (value.kind === "")
      mark(context, node, `of a list this is ${receiver(of)}.splice(start, count, ...${value.text})`);
    return `${receiver(of)}.setAt(${index}, ${bound(value, LEVEL.arrow)})`;
  }
  mark(
    context,
    node,
    `a part of a list is replaced by splice(start, count, ...), of a tensor by setAt(${index}, ...)`,
  );
  const [start, end] = [slice[0]?.text ?? "0", slice[1]?.text ?? `${of.text}.length`];
  const count = start === "0" ? end : `${end} - ${start}`;
  return `${receiver(of)}.splice(${start}, ${count}, ...${value.text})`;
}

/**
 * The statement for `x[index] += value` of a tensor, or null for what is no tensor's. An index that takes a copy, as a mask
 * does, is written back; all others are a view.
 *
 * @param method `add_`; null where Python makes a new tensor, as `x[0] @= y`
 */
export function updateTensor(
  node: Node,
  method: string | null,
  changed: (part: Code) => Code,
  value: Code,
  context: Context,
): string | null {
  const of = context.expression(node.children[0]!);
  const indices = readIndices(node, context);
  if (!isTensors(of, indices)) return null;
  const texts = indexTexts(indices, context).join(", ");
  const part = tensorCode(of, indices, context);
  const isView = indices.every(
    ({ value: index, slice }) =>
      slice !== null || index!.text === '"..."' || index!.kind === "none" || isNumber(index!.kind),
  );
  computedTwice(node, context);
  if (method === null) return `${receiver(of)}.setAt(${texts}, ${changed(part).text})`;
  const written = `${part.text}.${method}(${bound(value, LEVEL.arrow)})`;
  return isView ? written : `${receiver(of)}.setAt(${texts}, ${written})`;
}

/** A place that is read and written is written twice here; a call in it would run twice. */
export function computedTwice(node: Node, context: Context): void {
  let isCalled = false;
  visit(node, ({ name, children }) => {
    const callee = children[0]?.text ?? "";
    if (name === "CallExpression" && !/^(len|int|str|abs|min|max)$|^torch\./.test(callee)) isCalled = true;
  });
  if (isCalled)
    mark(context, node, "what is called in the brackets is called twice here: keep its result first");
}

/** `del l[0]`, `del d["a"]` */
export function deleteText(node: Node, context: Context): string {
  const of = context.expression(node.children[0]!);
  const { value, slice } = single(readIndices(node, context), of, context, node);
  if (slice !== null) {
    const [start, end, step] = slice;
    const isPlain = step === undefined && ![start, end].some((one) => one?.text.startsWith("-") === true);
    if (!isPlain) mark(context, node, "a part of a list is taken out by splice(start, count)");
    const first = start?.text ?? "0";
    const rest =
      end === null || end === undefined ? "" : `, ${first === "0" ? end.text : `${end.text} - ${first}`}`;
    return `${receiver(of)}.splice(${first}${rest})`;
  }
  if (of.text === "process.env") return `delete ${placeCode(of, value!).text}`;
  if (isDict(of.kind) && context.catches.length === 0) {
    const key = /^"(.*)"$/.exec(value!.text)?.[1];
    if (key !== undefined && isWritten(key, context)) return `delete ${placeCode(of, value!).text}`;
  }
  return `${helper(context, "deleteItem")}(${of.text}, ${value!.text})`;
}
