// Finds in a cell's text what the list of its declarations lacks: comments, exports, merged declarations. Uses
// patterns, because a parser would reject a half-written cell.
import type { Declared } from "../cell/analyze.ts";
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { IDENTIFIER, NAME_PART } from "../../lib/typescript/identifiers.ts";
import { closing } from "./editor/signature_text.ts";

/** A cell as the compiler has read it. */
export interface CellText extends ParsedText {
  readonly count: number;
  readonly declared: readonly Declared[];
}

/** What the checker keeps of a cell: without what it runs as. */
export function cellText(
  { text, program, problem, isJsx, declared }: Omit<CellText, "count">,
  count: number,
): CellText {
  return { count, text, program, problem, isJsx, declared };
}

const IDENTIFIERS = new RegExp(IDENTIFIER, "gu");
/** Declarations that begin a line: enough to find what a half-written cell declares again. */
const TOP_LEVEL_DECLARATION =
  /^(?:export\s+|declare\s+|default\s+|abstract\s+|async\s+|const(?=\s+enum))*\s*(?:const|let|var|using|class|function\s*\*?|enum|namespace|type|interface)\s+(\{[^}]*\}|\[[^\]]*\]|[^\s=(<:;{]+)/gmu;

/** `import "x"`, `import ... from "x"` and `export ... from "x"` where a line or a statement begins. */
const MODULE_IMPORT = /(?:^|;)[ \t]*(?:import|export)\b(?:[^"';()=]*?\bfrom)?\s*["']([^"'\n]+)["']/gm;
const IMPORT_CLAUSE = /^import\s+([^"';]+?)\s*from\b/gm;

export function identifiers(text: string): string[] {
  return text.match(IDENTIFIERS) ?? [];
}

/** Names that a half-written cell declares at its top level, as far as its lines show. */
export function draftDeclarations(text: string): string[] {
  return [...text.matchAll(TOP_LEVEL_DECLARATION), ...text.matchAll(IMPORT_CLAUSE)].flatMap(
    ([, names = ""]) => identifiers(names),
  );
}

/** Those of these names that it imports. */
export function importedInDraft(text: string): string[] {
  return [...text.matchAll(IMPORT_CLAUSE)].flatMap(([, names = ""]) => identifiers(names));
}

/** Modules that a cell imports, in its order and as often as it does. */
export function importedModules(text: string): string[] {
  return [...text.matchAll(MODULE_IMPORT)].map(([, specifier = ""]) => specifier);
}

/** Packages whose notebooks are checked and compiled in their own style. */
export type Style = "tslab" | "react";

const TSLAB_IMPORT = /\b(?:from|import|import\s*\(|require\s*\()\s*["']tslab["']/;
const REACT = String.raw`["'](?:npm:)?react(?:@[^"']*)?["']`;
const REACT_IMPORT = new RegExp(
  String.raw`\bimport\s+(?:\*\s+as\s+)?React\b[^;'"]*from\s*${REACT}|\bReact\s*=\s*require\s*\(\s*${REACT}`,
);

/** `import * as tslab from "tslab"`, `require("tslab")`; React only under the name with which elements are compiled. */
export function importedStyles(text: string): readonly Style[] {
  const found: Style[] = [];
  if (TSLAB_IMPORT.test(text)) found.push("tslab");
  if (REACT_IMPORT.test(text)) found.push("react");
  return found;
}

/** A variable or a parameter, however deep: `(data: number[]) => data.`. May also take an argument for a parameter. */
export function declaresSomewhere(text: string, name: string): boolean {
  const escaped = name.replaceAll("$", String.raw`\$`);
  const keyword = String.raw`\b(?:const|let|var|using|function|class|enum|namespace|type|interface|for\s*\(\s*const)\s+${escaped}(?!${NAME_PART})`;
  const parameter = String.raw`[([{,]\s*(?:\.\.\.)?${escaped}\s*[?:=,)\]}]`;
  return new RegExp(`${keyword}|${parameter}`, "u").test(text);
}

/** Whether the cell writes `export` itself: a cell may, as a file may. */
export function isExported(text: string, name: string): boolean {
  if (!/\bexport\b/.test(text)) return false;
  const escaped = name.replaceAll("$", String.raw`\$`);
  const statement = String.raw`\bexport\s+(?:[a-z]+\s+)*?(?:const|let|var|using|class|function\s*\*?|enum|namespace|module|type|interface)\s+${escaped}(?!${NAME_PART})`;
  return (
    new RegExp(statement, "u").test(text) ||
    [...text.matchAll(/\bexport\s+(?:type\s*)?\{([^}]*)\}/g)].some(([, names = ""]) =>
      identifiers(names).includes(name),
    )
  );
}

/** `// @ts-nocheck` works only at a module's first line, and the first line of a cell's module is not the user's. */
export function refusesChecks(text: string): boolean {
  return /^\s*\/\/\s*@ts-nocheck\b/.test(text);
}

/** `declare global` and `declare module` affect every later cell, although they declare no name. */
export function declaresGlobally(text: string): boolean {
  return /^\s*declare\s+(?:global|module)\b/m.test(text);
}

/** `const Shape` beside `type Shape`: a printed value would lose the type. */
export function isAlsoType(text: string, name: string): boolean {
  const escaped = name.replaceAll("$", String.raw`\$`);
  return new RegExp(
    String.raw`\b(?:type|interface|namespace|class|enum)\s+${escaped}(?!${NAME_PART})`,
    "u",
  ).test(text);
}

/** Returns the offset of the name in its declaration, or -1 if the lines do not show it. */
export function declarationOffset(text: string, name: string): number {
  const found = [...text.matchAll(TOP_LEVEL_DECLARATION), ...text.matchAll(IMPORT_CLAUSE)].find(
    ([, names = ""]) => identifiers(names).includes(name),
  );
  return found === undefined ? -1 : found.index + found[0].indexOf(name);
}

/** The comment that a declaration has above it, for later cells to show. */
export function documentationOf(text: string, name: string): string {
  if (!text.includes("/**")) return "";
  const escaped = name.replaceAll("$", String.raw`\$`);
  const declaration = String.raw`(\/\*\*(?:(?!\*\/)[^])*\*\/\s*)(?:export\s+)?(?:async\s+)?(?:const|let|var|using|function\s*\*?)\s+${escaped}(?!${NAME_PART})`;
  return new RegExp(declaration, "u").exec(text)?.[1] ?? "";
}

/**
 * The type of a function whose result is written in its declaration; null for others, and for one with overloads or with
 * defaults.
 *
 *     function largest<T extends Shape>(shapes: T[]): T {   ->   <T extends Shape>(shapes: T[]) => T
 */
export function writtenType(text: string, name: string): string | null {
  const escaped = name.replaceAll("$", String.raw`\$`);
  const pattern = new RegExp(String.raw`\bfunction\s*\*?\s*${escaped}(?!${NAME_PART})\s*`, "gu");
  const [found, ...overloads] = text.matchAll(pattern);
  if (found === undefined || overloads.length > 0) return null;
  const start = found.index + found[0].length;
  const parameters = text[start] === "<" ? closing(text, start) + 1 : start;
  const end = text[parameters] === "(" ? closing(text, parameters) + 1 : text.length;
  const colon = /^\s*:\s*/.exec(text.slice(end))?.[0];
  const hasDefault = /=(?!>)/.test(text.slice(parameters, end));
  if (colon === undefined || hasDefault) return null;
  const result = text.slice(end + colon.length, bodyAfter(text, end + colon.length)).trimEnd();
  return `${text.slice(start, end)} => ${result}`.replace(/\s+/g, " ");
}

/** Offset of the brace that opens a function's body, behind the type of its result: `{ x: number }[] {` has two. */
function bodyAfter(text: string, type: number): number {
  let at = type;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    const isType = /(?:^|[|&?:]|=>|\bis)\s*$/.test(text.slice(type, at));
    if (character === "{" && !isType) return at;
    if ("<([{".includes(character)) at = closing(text, at);
  }
  return at;
}
