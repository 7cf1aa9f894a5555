// Reads an object at the end of a cell as an object, as the consoles of Node, Deno and Chrome do. By JavaScript's grammar
// `{ a: 1 }` is a block with a label, and `{ a: 1, b: 2 }` an error.
//
//     const rate = 0.1            const rate = 0.1
//     { rate, steps: 10 }    ->   ;({ rate, steps: 10 })
import { type ParsedText, parseTypeScript } from "../../lib/typescript/parse.ts";
import { readTokens } from "../../lib/typescript/tokens.ts";

const BEFORE = ";(";
const AFTER = ")";

export interface ObjectResult {
  /** The text with the object in parentheses. */
  readonly parsed: ParsedText;
  /** 0-based line on which the object begins: there its code stands `shift` to the right of where the user wrote it. */
  readonly line: number;
  readonly shift: number;
  /** Puts the parentheses into a text of the same lines. */
  insertInto(lines: string): string;
  /** Returns the offset in the user's text for an offset in the parsed one. */
  original(offset: number): number;
}

/** Null where the text does not end with an object that begins a line, and where nothing but a block fits. */
export function objectResult(text: string): ObjectResult | null {
  const found = lastBraces(text);
  if (found === null) return null;
  const { start, end } = found;
  const before = text.slice(0, start);
  if (!endsStatement(before) || !isObject(text.slice(start, end))) return null;
  const parsed = parseTypeScript(insert(text, start, end));
  if (parsed.problem !== null) return null;
  const line = before.split("\n").length - 1;
  return {
    parsed,
    line,
    shift: BEFORE.length,
    insertInto(lines) {
      // The lines from the object on are the same in both.
      const shift = lines.length - text.length;
      return insert(lines, start + shift, end + shift);
    },
    original(offset) {
      if (offset < start + BEFORE.length) return Math.min(offset, start);
      const withoutFirst = offset - BEFORE.length;
      return withoutFirst < end + AFTER.length ? Math.min(withoutFirst, end) : withoutFirst - AFTER.length;
    },
  };
}

const insert = (text: string, start: number, end: number): string =>
  `${text.slice(0, start)}${BEFORE}${text.slice(start, end)}${AFTER}${text.slice(end)}`;

/** The last braces of the text, where they begin a line and nothing but semicolons follows them. */
function lastBraces(text: string): { readonly start: number; readonly end: number } | null {
  if (!/^[ \t]*\{/m.test(text) || !text.includes("}")) return null;
  let depth = 0;
  let start = -1;
  let end = -1;
  readTokens(text, {
    token(token) {
      if (depth === 0 && token.text !== ";") {
        start = token.text === "{" && token.afterNewline ? token.start : -1;
        end = -1;
      }
      if (token.kind === "open") depth += 1;
      else if (token.kind === "close") depth -= 1;
      if (token.kind === "close" && depth === 0) end = token.start + 1;
    },
  });
  return start >= 0 && end >= 0 ? { start, end } : null;
}

/** Whether a statement may begin behind the text: not behind `if (x)`, `class A`, `function f()`. */
function endsStatement(text: string): boolean {
  const { program, problem } = parseTypeScript(text);
  if (problem !== null) return false;
  const last = program.body.at(-1);
  const declaration = last?.type === "ExportNamedDeclaration" ? last.declaration : last;
  const mayGoOn =
    declaration?.type === "TSDeclareFunction" ||
    (declaration?.type === "TSModuleDeclaration" && !declaration.body);
  return !mayGoOn;
}

function isObject(braces: string): boolean {
  const { program, problem } = parseTypeScript(`(${braces})`);
  const [statement, ...others] = program.body;
  if (problem !== null || others.length > 0 || statement?.type !== "ExpressionStatement") return false;
  const { expression } = statement;
  const inner = expression.type === "ParenthesizedExpression" ? expression.expression : expression;
  return inner.type === "ObjectExpression";
}
