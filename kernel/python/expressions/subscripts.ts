// Converts subscripts. A tensor's go through `at` and `setAt`; a list's are JavaScript's.
import { bound, type Code, code, keyText, LEVEL, receiver } from "../code.ts";
import { type Context, library, mark } from "../context.ts";
import { elementOf, isList } from "../kinds.ts";
import { type Node, parts } from "../source/syntax.ts";

/** One index: a value, or a slice with its ends. */
interface Index {
  readonly value: Code | null;
  /** Start, end and step; null for those that are not written. */
  readonly slice: readonly (Code | null)[] | null;
}

export function isSubscript({ name, children }: Node): boolean {
  return name === "MemberExpression" && children[1]?.name === "[";
}

function readIndices(node: Node, context: Context): Index[] {
  const inner = node.children.slice(2, -1);
  return parts(inner).map((part) => {
    if (!part.some(({ name }) => name === ":")) {
      // A tuple in brackets is as if its brackets were not there.
      return { value: context.expression(part[0]!), slice: null };
    }
    const slice: (Code | null)[] = [null];
    for (const one of part) {
      if (one.name === ":") slice.push(null);
      else slice[slice.length - 1] = context.expression(one);
    }
    return { value: null, slice };
  });
}

/** `x[0, 1:3]` only a tensor takes; `x[mask]` and `x[None]` too. */
function isTensors(of: Code, indices: readonly Index[]): boolean {
  if (of.kind === "tensor") return true;
  if (of.kind !== "") return false;
  const isSeveral = indices.length > 1;
  return isSeveral || indices.some(({ value }) => value !== null && ["tensor", "none"].includes(value.kind));
}

export function subscriptCode(node: Node, context: Context): Code {
  const of = context.expression(node.children[0]!);
  const indices = readIndices(node, context);
  if (isTensors(of, indices))
    return code(`${receiver(of)}.at(${indexTexts(indices, context).join(", ")})`, "tensor");
  const [{ value, slice } = { value: null, slice: null }] = indices;
  if (slice !== null) return sliceCode(of, slice, context, node);
  return elementCode(of, value ?? code("0"));
}

function sliceCode(
  of: Code,
  [start = null, end = null, step = null]: readonly (Code | null)[],
  context: Context,
  node: Node,
): Code {
  if (of.kind === "")
    mark(context, node, `of a tensor this is ${receiver(of)}.at(${sliceText([start, end, step], context)})`);
  const kind = of.kind;
  if (step !== null) {
    if (step.text === "-1" && start === null && end === null)
      return kind === "text"
        ? code(`[...${of.text}].reverse().join("")`, "text")
        : code(`${receiver(of)}.toReversed()`, kind);
    return code(
      `${receiver(of)}.slice(${ends(start, end)}).filter((_: unknown, i: number) => i % ${step.text} === 0)`,
      kind,
    );
  }
  return code(`${receiver(of)}.slice(${ends(start, end)})`, kind);
}

function ends(start: Code | null, end: Code | null): string {
  if (end !== null) return `${start?.text ?? "0"}, ${end.text}`;
  return start?.text ?? "";
}

function elementCode(of: Code, index: Code): Code {
  const kind = of.kind === "dict" ? "" : elementOf(of.kind);
  if (/^-\d+$/.test(index.text) && of.kind !== "dict") {
    const sure = isList(of.kind) || of.kind === "text" ? "!" : "";
    return code(`${receiver(of)}.at(${index.text})${sure}`, kind);
  }
  const key = /^"(.*)"$/.exec(index.text)?.[1];
  const isName = key !== undefined && keyText(key) === key && of.kind === "dict" && of.text !== "process.env";
  return code(isName ? `${receiver(of)}.${key}` : `${receiver(of)}[${index.text}]`, kind);
}

function indexTexts(indices: readonly Index[], context: Context): string[] {
  return indices.map(({ value, slice }) => {
    if (slice !== null) return sliceText(slice, context);
    return value!.text === "..." ? '"..."' : bound(value!, LEVEL.arrow);
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
  if (isTensors(of, indices)) {
    const texts = [...indexTexts(indices, context), bound(value, LEVEL.arrow)];
    return `${receiver(of)}.setAt(${texts.join(", ")})`;
  }
  const [{ value: index, slice } = { value: null, slice: null }] = indices;
  if (slice !== null) {
    if (of.kind === "" && value.kind !== "list")
      return `${receiver(of)}.setAt(${sliceText(slice, context)}, ${bound(value, LEVEL.arrow)})`;
    mark(context, node, "a part of a list is replaced by splice");
    return `${receiver(of)}.splice(${slice[0]?.text ?? "0"}, ${slice[1]?.text ?? `${of.text}.length`}, ...${value.text})`;
  }
  if (of.text === "process.env")
    return `${elementCode(of, index!).text} = ${value.kind === "text" ? value.text : `String(${value.text})`}`;
  if (index !== null && /^-\d+$/.test(index.text) && of.kind !== "dict")
    return `${receiver(of)}[${of.text}.length - ${index.text.slice(1)}] = ${value.text}`;
  return `${elementCode(of, index!).text} = ${bound(value, LEVEL.arrow)}`;
}
