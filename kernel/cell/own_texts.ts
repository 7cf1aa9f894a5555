// Finds what the user wrote for each function and class of a compiled cell: that is what it prints, and not the text that
// V8 runs, which holds the compiler's checks. Does no I/O; called for cells of which somebody reads a function's text.
import type { Node, Program } from "oxc-parser";
import type { TypeScriptOptions } from "./names.ts";
import { parseSync } from "../../lib/typescript/oxc.ts";
import { parseJavaScript } from "../../lib/typescript/parse.ts";
import { readProgram } from "./read_cell.ts";
import { childrenOf, isFunction } from "../../lib/typescript/walk.ts";
import { eraseTypes } from "./transform/erase_types.ts";
import { lowerCell } from "./transform/lower.ts";

export interface OwnText {
  /** As V8 has it. */
  readonly running: string;
  /** As the user wrote it, types removed; as the transformer wrote it where types are not all: JSX, enums, `using`. */
  readonly own: string;
}

interface Found {
  readonly node: Node;
  /** Where its text begins. A method's begins with `async`, `get`, or its name. */
  readonly start: number;
  /** Two texts of one function agree in it. */
  readonly shape: string;
}

/** The functions of one statement, and whether it moves to the top of the cell. */
interface Group {
  readonly functions: readonly Found[];
  readonly isHoisted: boolean;
}

/**
 * Outer functions come before those inside of them. Only the cell's own text and what became of it are compared: functions
 * stand in both in one order, but for those that `declarations.ts` moves to the top.
 *
 * @throws CellSyntaxError for a text that is no cell
 */
export function ownTexts(text: string, code: string, options: TypeScriptOptions): OwnText[] {
  const cell = readProgram(text);
  const { text: typescript } = cell;
  const lowered = lowerCell(cell, options).code;
  const running = groupsOf(parseJavaScript(code).program, code).flatMap(({ functions }) => functions);
  const transformed = inOrder(groupsOf(parseJavaScript(lowered).program, lowered));
  const written = inOrder(groupsOf(cell.program, typescript));
  if (running.length !== transformed.flat().length) return [];
  const areWritten = written.length === transformed.length;
  const own = transformed.flatMap((group, at) => {
    const originals = areWritten && agree(written[at]!, group) ? written[at]! : [];
    return group.map(({ node, start }, index) => {
      const original = originals[index];
      const erased = original && eraseTypes(typescript, original.node, original.start);
      return erased && parses(erased) ? erased : lowered.slice(start, node.end);
    });
  });
  return running.map(({ node, start }, index) => ({
    running: code.slice(start, node.end),
    own: own[index]!,
  }));
}

function agree(some: readonly Found[], others: readonly Found[]): boolean {
  return some.length === others.length && some.every(({ shape }, index) => shape === others[index]!.shape);
}

/** As a method, or else as an expression. */
function parses(text: string): boolean {
  return [`(class extends Object {${text}\n})`, `(${text}\n)`].some(
    (wrapped) => parseSync("own.js", wrapped, { lang: "js" }).errors.length === 0,
  );
}

function inOrder(groups: readonly Group[]): (readonly Found[])[] {
  const hoisted = groups.filter(({ isHoisted }) => isHoisted);
  return [...hoisted, ...groups.filter(({ isHoisted }) => !isHoisted)].map(({ functions }) => functions);
}

/** Of statements that hold functions, or become some. */
function groupsOf(program: Program, text: string): Group[] {
  return program.body.flatMap((statement) => {
    const node = "declaration" in statement && statement.declaration ? statement.declaration : statement;
    const functions = [...functionsIn(statement, text)];
    const becomesSome = node.type === "TSEnumDeclaration" || node.type === "TSModuleDeclaration";
    if (functions.length === 0 && !(becomesSome && !node.declare)) return [];
    return [{ functions, isHoisted: node.type === "FunctionDeclaration" && node.id !== null }];
  });
}

function* functionsIn(node: Node, text: string, parent: Node | null = null): Iterable<Found> {
  if ("declare" in node && node.declare) return;
  if (isFunction(node) && node.body) {
    const method = isMethod(parent) ? parent : null;
    const start = method === null ? node.start : startOfMethod(method, text);
    yield { node, start, shape: `${node.type} ${node.params.length - countThis(node.params)} ${node.async}` };
  } else if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
    // `abstract class A`
    yield { node, start: text.indexOf("class", node.start), shape: `class ${node.id?.name}` };
  }
  for (const child of childrenOf(node)) yield* functionsIn(child, text, node);
}

function countThis([first]: readonly Node[]): number {
  return first?.type === "Identifier" && first.name === "this" ? 1 : 0;
}

function isMethod(node: Node | null): node is Node {
  if (node?.type === "MethodDefinition") return true;
  return node?.type === "Property" && (node.method || node.kind !== "init");
}

/** Without what stands before it in a class: `public static async m() {}`. */
function startOfMethod({ start }: Node, text: string): number {
  const modifiers = /^(?:(?:public|private|protected|override|static)\s+(?![(=;}]))*/.exec(text.slice(start));
  return start + modifiers![0].length;
}
