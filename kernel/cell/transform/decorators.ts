// Compiles TC39 decorators and `accessor` fields, which V8 does not have. Only the classes that contain one go through
// esbuild; the rest of the cell stays as it is.
//
//     @d class A { @d m() {} }   ->   let A = ((() => { ...esbuild's helpers...; class A { ... } return A; })());
//
// The function around each class keeps esbuild's variables apart: classes of a loop's turns do not share them, and none
// stays behind in the session.
import { MagicString } from "magic-string";
import type { Class, Node, Program } from "oxc-parser";
import { runEsbuild } from "./esbuild.ts";
import { RESERVED_PREFIX } from "../names.ts";
import { type ParsedJavaScript, parseJavaScript } from "../../../lib/typescript/parse.ts";
import { type Mapped, replaceMapped, type Replacement, sourceOffset } from "./source_map.ts";
import { CellSyntaxError } from "../../../lib/typescript/syntax_error.ts";
import { childrenOf, isFunction, walk } from "../../../lib/typescript/walk.ts";

const RESULT = `${RESERVED_PREFIX}class`;

/** A class as it stands in its surroundings. */
interface FoundClass {
  readonly node: Class;
  /** The statement to replace: the class, or the `export default` statement that contains it. */
  readonly statement: Node;
  /** The name that JavaScript gives an anonymous class: `const Model = @d class {}`. */
  readonly inferredName: string | null;
}

/** Whether a text can hold what this file lowers. */
export function mayDecorate(text: string): boolean {
  return /@|\baccessor\b/.test(text);
}

/** JavaScript that was perhaps parsed on the way. */
export interface Lowered extends Mapped {
  readonly parsed?: ParsedJavaScript;
}

/** @throws CellSyntaxError if a decorator stands for what only its surroundings know, as `@super.d` */
export function lowerDecorators(javascript: Mapped, source: string): Lowered {
  const parsed = parseJavaScript(javascript.code);
  const replacements = outermost(parsed.program).map((found) => {
    try {
      return lowerClass(found, javascript.code);
    } catch (error) {
      const reason = (error as Partial<import("esbuild").TransformFailure>).errors?.[0]?.text;
      if (reason === undefined) throw error;
      const at = sourceOffset(javascript, startOf(found.node), source);
      throw new CellSyntaxError(`This class cannot be compiled with its decorators: ${reason}`, at, at);
    }
  });
  return replacements.length === 0 ? { ...javascript, parsed } : replaceMapped(javascript, replacements);
}

/** @throws CellSyntaxError for a decorator that the transformer left, where the older proposal has none */
export function refuseDecorators(javascript: Mapped, source: string): void {
  walk(parseJavaScript(javascript.code).program, (node) => {
    if (node.type !== "Decorator") return;
    const at = sourceOffset(javascript, node.start, source);
    const message = "Under experimentalDecorators a class expression takes no decorators: declare the class";
    throw new CellSyntaxError(message, at, at);
  });
}

/** Classes that hold a decorator somewhere, and lie in no other class that does. */
function outermost(program: Program): FoundClass[] {
  const found: FoundClass[] = [];
  const visit = (node: Node, parent: Node | null): void => {
    if (isClass(node) && holdsDecorator(node)) found.push(describe(node, parent));
    else for (const child of childrenOf(node)) visit(child, node);
  };
  visit(program, null);
  return found;
}

function isClass(node: Node): node is Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}

function holdsDecorator(node: Class): boolean {
  let holds = false;
  walk(node, (inner) => {
    holds ||= inner.type === "Decorator" || inner.type === "AccessorProperty";
    return !holds;
  });
  return holds;
}

function isDecorated(node: Class): boolean {
  if (node.decorators.length > 0) return true;
  return node.body.body.some(
    (member) =>
      member.type === "AccessorProperty" || ("decorators" in member && member.decorators.length > 0),
  );
}

function describe(node: Class, parent: Node | null): FoundClass {
  const exported = parent?.type === "ExportDefaultDeclaration";
  return {
    node,
    statement: exported ? parent : node,
    inferredName: exported ? "default" : nameFrom(node, parent),
  };
}

function nameFrom(node: Class, parent: Node | null): string | null {
  switch (parent?.type) {
    case "VariableDeclarator":
      return parent.init === node && parent.id.type === "Identifier" ? parent.id.name : null;
    case "AssignmentExpression":
    case "AssignmentPattern":
      return parent.right === node && parent.left.type === "Identifier" ? parent.left.name : null;
    case "Property":
      if (parent.value !== node || parent.computed) return null;
      return parent.key.type === "Identifier" ? parent.key.name : null;
    default:
      return null;
  }
}

/**
 * The class as esbuild takes it, and what stands in its place:
 *
 *     const __mpslab_class = () => {      let A = ((() => {
 *     @d class A {}                       ...helpers...
 *     return A;                           const __mpslab_class = () => { ... };
 *     };                                  return __mpslab_class(); })());
 */
function lowerClass(found: FoundClass, code: string): Replacement {
  const { node, statement } = found;
  const source = new MagicString(code);
  const start = startOf(node);
  source.remove(0, start);
  source.remove(node.end, code.length);
  for (const inner of classesIn(node)) wrapInner(inner, source);
  const [before, after] = returned(found);
  const waits = awaits(node);
  source.prepend(`const ${RESULT} = ${waits ? "async " : ""}() => {\n${before}`);
  source.append(`${after}\n};\n`);

  const lowered = runEsbuild(source.toString(), "js", "es2023");
  const declares = declaredName(node);
  const exports = statement !== node;
  const head = declares !== null ? `let ${declares} = ` : exports ? "export default " : "";
  const tail = declares !== null || exports ? ";" : "";
  const list = exports && declares !== null ? ` export { ${declares} as default };` : "";
  // The brackets are needed because a class may stand where a call may not: `new class {}()`.
  const [open, close] = waits ? ["(await (async () => {\n", "})())"] : ["((() => {\n", "})())"];
  return {
    start: exports ? statement.start : start,
    end: statement.end,
    text: `${head}${open}${lowered.code}return ${RESULT}();\n${close}${tail}${list}`,
    // One line stands above what esbuild wrote.
    mappings: `;${lowered.mappings}`,
    source,
  };
}

/** Returns the start of the class with its decorators, which may stand outside of the node. */
function startOf({ start, decorators: [first] }: Class): number {
  return Math.min(start, first?.start ?? start);
}

function declaredName({ type, id }: Class): string | null {
  return type === "ClassDeclaration" && id !== null ? id.name : null;
}

/** The decorated classes inside of a class. */
function classesIn(outer: Class): FoundClass[] {
  const found: FoundClass[] = [];
  const visit = (node: Node, parent: Node | null): void => {
    if (isClass(node) && node !== outer && isDecorated(node)) found.push(describe(node, parent));
    for (const child of childrenOf(node)) visit(child, node);
  };
  visit(outer, null);
  return found;
}

function wrapInner(found: FoundClass, source: MagicString): void {
  const { node } = found;
  const declares = declaredName(node);
  const [before, after] = returned(found);
  const [open, close] = awaits(node) ? ["(await (async () => {", "})())"] : ["((() => {", "})())"];
  const head = declares === null ? "" : `let ${declares} = `;
  source.prependRight(startOf(node), `${head}${open} ${before}`);
  source.appendLeft(node.end, `${after} ${close}${declares === null ? "" : ";"}`);
}

/** Returns the code before and after a class that make a function's body return the class. */
function returned({ node, inferredName }: FoundClass): [before: string, after: string] {
  const declares = declaredName(node);
  if (declares !== null) return ["", `\nreturn ${declares};`];
  if (inferredName === null || node.id !== null) return ["return (", ");"];
  const name = JSON.stringify(inferredName);
  return [`return ({ ${name}: `, ` })[${name}];`];
}

/** Whether a decorator, a computed name or what the class extends waits, in the function where the class stands. */
function awaits(node: Class): boolean {
  let found = false;
  walk(node, (inner) => {
    found ||= inner.type === "AwaitExpression";
    return !found && !isFunction(inner);
  });
  return found;
}
