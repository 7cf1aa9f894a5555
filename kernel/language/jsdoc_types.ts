// Gives variables and parameters the types that their comments name, as TypeScript reads a JavaScript file. A type
// annotation in the code takes precedence.
//
//     /** @type {any} */ let x = 1; x = "one";      ->  /** @type {any} */ let x: any = 1; x = "one";
//     /** @param {number} n */ function f(n) {}     ->  /** @param {number} n */ function f(n: number) {}
import type { Node } from "oxc-parser";
import { type ParsedText, parseTypeScript } from "../../lib/typescript/parse.ts";
import { walk } from "../../lib/typescript/walk.ts";
import { insert, type Insertion, type Surrounded } from "./insertions.ts";

const DOCUMENTED = new Set([
  "VariableDeclaration",
  "ExportNamedDeclaration",
  "FunctionDeclaration",
  "MethodDefinition",
]);
/** Types that contain braces are ignored: `@type {{ a: number }}`. */
const TYPE = /@type\s*\{([^{}]+)\}/;
const PARAMETER = /@param\s*\{([^{}]+)\}\s*(\[?)([\w$]+)/g;

/** Null if no comment gives a type to a declaration without one. */
export function withJsdocTypes({ text, program, problem }: ParsedText): Surrounded | null {
  if (problem !== null || !/@(?:type|param)\s*\{/.test(text)) return null;
  const insertions: Insertion[] = [];
  walk(program, (node) => {
    const comment = DOCUMENTED.has(node.type) ? commentAbove(text, node.start) : null;
    if (comment === null) return true;
    const statement = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    if (statement?.type === "VariableDeclaration") {
      const [only] = statement.declarations;
      const type = typeText(TYPE.exec(comment)?.[1]);
      if (statement.declarations.length === 1 && type !== null) annotate(only!.id, type, insertions);
    }
    for (const [, found, bracket, name] of comment.matchAll(PARAMETER)) {
      const parameter = parametersOf(statement).find((candidate) => nameOf(candidate) === name);
      const type = typeText(found);
      if (parameter === undefined || type === null) continue;
      const isOptional = bracket !== "" && parameter.type === "Identifier";
      annotate(parameter, type, insertions, isOptional ? "?: " : ": ");
    }
    return true;
  });
  return insertions.length === 0 ? null : insert(text, insertions);
}

function commentAbove(text: string, start: number): string | null {
  const above = text.slice(0, start).trimEnd();
  return above.endsWith("*/") ? above.slice(above.lastIndexOf("/**")) : null;
}

function annotate(target: Node, type: string, insertions: Insertion[], colon = ": "): void {
  const id = target.type === "AssignmentPattern" ? target.left : target;
  const isBare = id.type === "Identifier" && !id.typeAnnotation && !id.optional;
  if (isBare && !insertions.some(({ at }) => at === id.end))
    insertions.push({ at: id.end, text: `${colon}${type}` });
}

/** The parameters of a function declaration, or of a function that a variable holds. */
function parametersOf(statement: Node | null | undefined): readonly Node[] {
  if (statement?.type === "VariableDeclaration") return parametersOf(statement.declarations[0]?.init);
  if (statement?.type === "MethodDefinition") return parametersOf(statement.value);
  const isFunction =
    statement?.type === "FunctionDeclaration" ||
    statement?.type === "FunctionExpression" ||
    statement?.type === "ArrowFunctionExpression";
  return isFunction ? statement.params : [];
}

function nameOf(parameter: Node): string | null {
  const id = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
  return id.type === "Identifier" ? id.name : null;
}

/** Null for a JSDoc type that is no TypeScript: `?string`, `Object.<string, number>`. */
function typeText(found: string | undefined): string | null {
  const type = found?.trim() ?? "";
  if (type === "*") return "any";
  if (/^[?!]|[?!=]$|\.</.test(type)) return null;
  return type !== "" && parseTypeScript(`let x: ${type};`).problem === null ? type : null;
}
