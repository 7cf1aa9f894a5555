// Erases types from a piece of TypeScript and leaves everything else as it was written, comments and spaces too. Does not
// lower what runs as something else: enums, namespaces, decorators, parameter properties, JSX, `using`.
import { MagicString } from "magic-string";
import type { Class, Node } from "oxc-parser";
import { childrenOf } from "../../../lib/typescript/walk.ts";

/** Statements and members that leave nothing behind. */
const TYPES_ALONE: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSIndexSignature",
]);
const TYPES_IN_PLACE: ReadonlySet<string> = new Set([
  "TSTypeAnnotation",
  "TSTypeParameterDeclaration",
  "TSTypeParameterInstantiation",
]);
const MODIFIERS = /\b(?:public|private|protected|readonly|override|declare)\s+/g;

/** The text from `start`, where a node's text may begin later than the node, to the node's end. Null where types are not all. */
export function eraseTypes(text: string, node: Node, start: number): string | null {
  const output = new MagicString(text);
  const erased = erase(node, text, output) ? output.slice(start, node.end) : null;
  return erased?.trim() ?? null;
}

/** Whether nothing was met that runs as something else. */
function erase(node: Node, text: string, output: MagicString): boolean {
  const { type, start, end } = node;
  if (TYPES_ALONE.has(type) || ("declare" in node && node.declare) || isOverload(node)) {
    removeLine(start, end, text, output);
    return true;
  }
  if (TYPES_IN_PLACE.has(type)) {
    output.remove(start, end);
    return true;
  }
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
      output.remove(node.expression.end, end);
      return erase(node.expression, text, output);
    case "TSInstantiationExpression":
      output.remove(node.expression.end, end);
      return erase(node.expression, text, output);
    case "TSTypeAssertion":
      output.remove(start, node.expression.start);
      return erase(node.expression, text, output);
    case "Identifier":
      // Its range holds what stands behind the name: `a?: number`.
      if (end > start + node.name.length) output.remove(start + node.name.length, end);
      return true;
    case "VariableDeclaration":
      if (node.kind === "using" || node.kind === "await using") return false;
      break;
    case "VariableDeclarator":
      if (node.definite) eraseMark("!", node.id.start, text, output);
      break;
    case "PropertyDefinition":
    case "MethodDefinition":
      eraseModifiers(start, node.key.start, text, output);
      if (node.optional) eraseMark("?", node.key.end, text, output);
      if ("definite" in node && node.definite) eraseMark("!", node.key.end, text, output);
      break;
    case "ClassDeclaration":
    case "ClassExpression":
      if (node.abstract) output.remove(start, text.indexOf("class", start));
      eraseImplements(node, text, output);
      break;
    case "FunctionDeclaration":
    case "FunctionExpression":
      eraseThis(node.params, output);
      break;
    default:
      if (/^(?:TS|JSX)|^(?:Decorator|AccessorProperty)$/.test(type)) return false;
  }
  const kept = childrenOf(node).filter(({ type: child }) => child !== "TSClassImplements");
  return kept.every((child) => erase(child, text, output));
}

/** `m(a: string): void;` above the method that has a body. */
function isOverload(node: Node): boolean {
  return node.type === "MethodDefinition" && node.value.type === "TSEmptyBodyFunctionExpression";
}

function removeLine(start: number, end: number, text: string, output: MagicString): void {
  const before = /[ \t]*$/.exec(text.slice(0, start))![0].length;
  const after = /^[ \t]*\n/.exec(text.slice(end))?.[0].length;
  const isWhole = after !== undefined && (start === before || text[start - before - 1] === "\n");
  if (isWhole) output.remove(start - before, end + after);
  else output.remove(start, end);
}

function eraseMark(mark: string, from: number, text: string, output: MagicString): void {
  const at = text.indexOf(mark, from);
  output.remove(at, at + 1);
}

function eraseModifiers(start: number, end: number, text: string, output: MagicString): void {
  for (const { index, 0: word } of text.slice(start, end).matchAll(MODIFIERS))
    output.remove(start + index, start + index + word.length);
}

function eraseImplements({ implements: types }: Class, text: string, output: MagicString): void {
  const [first] = types ?? [];
  if (first === undefined) return;
  const keyword = /\s*implements\s*$/.exec(text.slice(0, first.start))?.index ?? first.start;
  output.remove(keyword, types!.at(-1)!.end);
}

/** `(this: Model, x: number)` */
function eraseThis(params: readonly Node[], output: MagicString): void {
  const [first, next] = params;
  if (first?.type !== "Identifier" || first.name !== "this") return;
  output.remove(first.start, next?.start ?? first.end);
}
