// Splits a cell into words, literals and punctuators without a grammar, so that it also reads text that no parser
// accepts. Reports where the lexical rules alone do not decide what a `/` is.
import { NAME_PART } from "./identifiers.ts";

export type TokenKind = "word" | "literal" | "sign" | "open" | "close";

export interface Token {
  readonly kind: TokenKind;
  /** The token's text; of a literal its first character. */
  readonly text: string;
  readonly start: number;
  /** A line ended between the token before and this one. */
  readonly afterNewline: boolean;
}

export interface TokenVisitor {
  token?(token: Token): void;
  /**
   * Each line that begins outside of brackets, literals and comments.
   *
   * @returns where to go on, if the line is no code
   */
  topLevelLine?(start: number): number | void;
}

const WORD = new RegExp(`${NAME_PART}+`, "uy");
const NUMBER =
  /(?:0[xXoObB][\p{ID_Continue}]*|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?[\p{ID_Continue}]*)/uy;
const LINE_END = /[\n\r\u2028\u2029]/;
const LINE_COMMENT = /[^\n\r\u2028\u2029]*/y;
/** After these words an operand follows, so that a `/` begins a regular expression. */
const BEFORE_OPERAND = new Set(
  "return typeof case in of do else void delete throw new await yield instanceof extends default".split(" "),
);
/** `if (...) /x/` begins a statement where `f(...) / x` divides. */
const BEFORE_STATEMENT = new Set(["if", "while", "for", "with"]);

/** What stands behind the `<` of a closing tag: `/b>`, `/Chart.Axis>`, `/>` of a fragment. */
const CLOSING_TAG = /^\/[\w$.:-]*\s*>/;
const LONGEST_TAG = 100;

/** `maybe`: the token before is no help without a grammar. */
type Certainty = "yes" | "no" | "maybe";

interface Bracket {
  /** The sign that closes it; a template literal waits for its backtick, `${` for `}`. */
  readonly close: string;
  /** Whether an operand ends with it. */
  readonly isOperand: Certainty;
}

/** Visits the tokens in order. Returns whether every `/` was certain: if not, what follows one may be misread. */
export function readTokens(text: string, visitor: TokenVisitor): boolean {
  const open: Bracket[] = [];
  let certain = true;
  let at = text.startsWith("#!") ? lineEnd(0) : 0;
  let afterNewline = true;
  /** The last two tokens' texts, whether the last one ends an operand, and whether the one before it did. */
  let previous = "";
  let beforePrevious = "";
  let endsOperand: Certainty = "no";
  let operandBefore: Certainty = "no";

  if (at === 0) beginLine();
  while (at < text.length) {
    const character = text[at] as string;
    if (open.at(-1)?.close === "`" && character !== "`") readTemplate();
    else if (LINE_END.test(character)) {
      afterNewline = true;
      at += 1;
      if (open.length === 0 && character === "\n") beginLine();
    } else if (character.trim() === "") at += 1;
    else if (text.startsWith("//", at)) at = lineEnd(at);
    else if (text.startsWith("/*", at)) readBlockComment();
    else readToken(character);
  }
  return certain;

  function beginLine(): void {
    const next = visitor.topLevelLine?.(at);
    if (next === undefined) return;
    at = next;
    previous = beforePrevious = "";
    endsOperand = "no";
  }

  function readToken(character: string): void {
    const start = at;
    if (character === '"' || character === "'") {
      skipString(character);
      emit("literal", character, start, "yes");
    } else if (character === "`") {
      at += 1;
      const opened = open.at(-1)?.close === "`" ? open.pop() : undefined;
      if (opened === undefined) open.push({ close: "`", isOperand: "yes" });
      emit(opened === undefined ? "open" : "close", character, start, "yes");
    } else if (character === "/" && beginsRegExp()) {
      skipRegExp();
      emit("literal", character, start, "yes");
    } else if (/\d/.test(character) || (character === "." && /\d/.test(text[at + 1] ?? ""))) {
      at = matchEnd(NUMBER);
      emit("literal", character, start, "yes");
    } else {
      const end = matchEnd(WORD);
      if (end > at) readWord(end);
      else readSign(character);
    }
  }

  function readWord(end: number): void {
    const start = at;
    const word = text.slice(at, end);
    at = end;
    const isName = previous === "." || previous === "#";
    const operandFollows = !isName && BEFORE_OPERAND.has(word);
    // `...typeof x` is no property, and `of` is a name as well.
    const unclear = BEFORE_OPERAND.has(word) && ((isName && text[start - 2] === ".") || word === "of");
    emit("word", word, start, unclear ? "maybe" : operandFollows ? "no" : "yes");
  }

  function readSign(character: string): void {
    const start = at;
    at += 1;
    if (character === "(") {
      const statement = BEFORE_STATEMENT.has(previous) && beforePrevious !== ".";
      const closes = previous === "await" && beforePrevious === "for" ? "no" : statement ? "no" : "yes";
      push(")", closes, start, character);
    } else if (character === "[") push("]", "yes", start, character);
    else if (character === "{") push("}", "maybe", start, character);
    else if (character === open.at(-1)?.close) {
      const closed = open.pop() as Bracket;
      emit("close", character, start, closed.isOperand);
    } else if ((character === "+" || character === "-") && text[at] === character) {
      at += 1;
      emit("sign", character + character, start, afterPostfix());
    } else if (character === "!") emit("sign", character, start, afterPostfix());
    // `a > /x/` compares, `f<T>` and what divides it is a type; an arrow's body begins anew.
    else if (character === ">") emit("sign", character, start, previous === "=" ? "no" : "maybe");
    else emit("sign", character, start, "no");
  }

  /** Whether `++`, `--` or `!` end an operand: `i++ / 2`, and not `++/x/.lastIndex`. */
  function afterPostfix(): Certainty {
    return endsOperand === "yes" && afterNewline ? "maybe" : endsOperand;
  }

  function push(close: string, isOperand: Certainty, start: number, character: string): void {
    // `${`: the sign before belongs to the template's text.
    emit("open", character, start, "no");
    open.push({ close, isOperand });
  }

  function emit(kind: TokenKind, token: string, start: number, ends: Certainty): void {
    visitor.token?.({ kind, text: token, start, afterNewline });
    beforePrevious = previous;
    previous = token;
    operandBefore = endsOperand;
    endsOperand = ends;
    afterNewline = false;
  }

  function beginsRegExp(): boolean {
    // `</b>`: the end of an element.
    if (previous === "<" && text[at - 1] === "<" && CLOSING_TAG.test(text.slice(at, at + LONGEST_TAG)))
      return false;
    if (endsOperand === "maybe") certain = false;
    return endsOperand === "no" || (endsOperand === "maybe" && previous !== "}" && operandBefore !== "yes");
  }

  /** The text of a template literal, up to its end or its next `${`. */
  function readTemplate(): void {
    while (at < text.length && text[at] !== "`") {
      if (text[at] === "\\") at += 2;
      else if (text.startsWith("${", at)) {
        at += 1;
        push("}", "yes", at, "{");
        at += 1;
        return;
      } else at += 1;
    }
  }

  function readBlockComment(): void {
    const end = text.indexOf("*/", at + 2);
    const next = end < 0 ? text.length : end + 2;
    if (LINE_END.test(text.slice(at, next))) afterNewline = true;
    at = next;
  }

  function skipString(quote: string): void {
    for (at += 1; at < text.length; at += 1) {
      if (text[at] === "\\") at += text.startsWith("\r\n", at + 1) ? 2 : 1;
      else if (text[at] === quote) {
        at += 1;
        return;
      } else if (text[at] === "\n" || text[at] === "\r") return;
    }
  }

  function skipRegExp(): void {
    let inClass = false;
    for (at += 1; at < text.length && !LINE_END.test(text[at] as string); at += 1) {
      if (text[at] === "\\") at += 1;
      else if (text[at] === "[") inClass = true;
      else if (text[at] === "]") inClass = false;
      else if (text[at] === "/" && !inClass) {
        at += 1;
        return;
      }
    }
  }

  function lineEnd(from: number): number {
    LINE_COMMENT.lastIndex = from;
    LINE_COMMENT.test(text);
    return LINE_COMMENT.lastIndex;
  }

  function matchEnd(pattern: RegExp): number {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  }
}
