// Finds what surrounds the cursor in a half-written cell: a string, a member access, the arguments of a call. Works on
// text with a few lexical rules, because no parser accepts such code yet.
import { IDENTIFIER, NAME_PART, wordAfter } from "./identifiers.ts";

/** Names from a variable on: `weights.layers[0]["bias"]`. Reading them one after the other runs no code. */
export type ValuePath = readonly [root: string, ...keys: (string | number)[]];

/** `text`: a comment, or a template behind its first value. */
export type LexicalPlace = "code" | "text" | StringAt;

/** A string literal around the cursor, or the part of a template before its first value. */
export interface StringAt {
  /** Offset of the first character within the quotes. */
  readonly start: number;
  /** The text from there to the cursor. */
  readonly typed: string;
}

const KEY = String.raw`\?*\.${IDENTIFIER}|(?:\?\.)?\[(?:\d+|"[^"\\\n]*"|'[^'\\\n]*')\]`;
const PATH = new RegExp(String.raw`(?<!${NAME_PART}|[.)\]])${IDENTIFIER}(?:${KEY})*$`, "u");
const KEYS = new RegExp(KEY, "gu");
const NAME_CHARACTER = new RegExp(NAME_PART, "u");

export function lexicalPlace(code: string, cursor: number): LexicalPlace {
  /** Templates hold code, which holds templates: how many braces were open at each `${` that waits for its end. */
  const values: number[] = [];
  let braces = 0;
  let at = 0;
  while (at < cursor) {
    const character = code[at] as string;
    if (code.startsWith("//", at) || code.startsWith("/*", at)) {
      const end = code[at + 1] === "/" ? endOf(code, "\n", at) : endOf(code, "*/", at + 2);
      // An unterminated comment includes its last position.
      if (cursor < end || end > code.length) return "text";
      at = end - 1;
    } else if (character === '"' || character === "'") {
      const end = endOfString(code, at);
      if (cursor <= end) return { start: at + 1, typed: code.slice(at + 1, cursor) };
      at = end;
    } else if (character === "`" || (character === "}" && values.at(-1) === braces)) {
      if (character === "}") values.pop();
      const end = endOfTemplatePart(code, at + 1);
      if (cursor <= end)
        return character === "}" ? "text" : { start: at + 1, typed: code.slice(at + 1, cursor) };
      if (code[end] === "$") values.push(braces);
      at = code[end] === "$" ? end + 1 : end;
    } else if (character === "{") braces += 1;
    else if (character === "}") braces -= 1;
    at += 1;
  }
  return "code";
}

/** Offset behind the mark; behind the code's end where there is none. */
function endOf(code: string, mark: string, from: number): number {
  const found = code.indexOf(mark, from);
  return found < 0 ? code.length + 1 : found + mark.length;
}

/** Offset of the closing quote, or of the line's end where it has none yet. */
function endOfString(code: string, start: number): number {
  let at = start + 1;
  while (at < code.length && code[at] !== code[start] && code[at] !== "\n") at += code[at] === "\\" ? 2 : 1;
  return Math.min(at, code.length);
}

/** Offset of the backtick, or of the `${`, that ends this part of a template. */
function endOfTemplatePart(code: string, from: number): number {
  let at = from;
  while (at < code.length && code[at] !== "`" && !code.startsWith("${", at)) at += code[at] === "\\" ? 2 : 1;
  return Math.min(at, code.length);
}

/** The path that ends at an offset: before `[` or `.`, or behind a name. Null for `f().x`, which would run code. */
export function pathBefore(code: string, offset: number): ValuePath | null {
  const [whole] = PATH.exec(code.slice(0, offset)) ?? [];
  if (whole === undefined) return null;
  const keys = whole.match(KEYS) ?? [];
  const root = whole.slice(0, whole.length - keys.join("").length);
  return [root, ...keys.map(keyOf)];
}

/** `.bias` -> "bias", `["bias"]` -> "bias", `[0]` -> 0 */
function keyOf(text: string): string | number {
  const bracketed = /\[(.*)\]$/.exec(text)?.[1];
  if (bracketed === undefined) return text.replace(/^\?*\./, "");
  return /^\d/.test(bracketed) ? Number(bracketed) : bracketed.slice(1, -1);
}

/** The path whose name the cursor touches, up to the end of that name: `model.weight` for a cursor in `weight`. */
export function pathAt(code: string, cursor: number): ValuePath | null {
  const offset = touchedName(code, cursor);
  if (offset === null) return null;
  return pathBefore(code, offset + wordAfter(code, offset).length);
}

/** An offset within the name that the cursor touches. */
export function touchedName(code: string, cursor: number): number | null {
  if (NAME_CHARACTER.test(code[cursor] ?? "")) return cursor;
  return NAME_CHARACTER.test(code[cursor - 1] ?? "") ? cursor - 1 : null;
}

/** An offset within the name of the function in whose arguments the cursor stands. */
export function calledName(code: string, cursor: number): number | null {
  let closed = 0;
  for (let at = cursor - 1; at > 0; at--) {
    const character = code[at] as string;
    if (")]}".includes(character)) closed++;
    else if ("([{".includes(character) && closed-- === 0) {
      if (character === "(") return touchedName(code, at - 1);
      closed = 0; // Within an object or an array that is an argument itself.
    }
  }
  return null;
}
