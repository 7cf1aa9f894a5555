// Bounds how deep the native parser can recurse on a text, from its tokens only. A text that nests too deeply
// overflows the parser's stack, which ends the process.
import { readTokens, type Token } from "./tokens.ts";

export interface Depth {
  /** An upper bound of the parser's nesting, in tokens. */
  readonly tokens: number;
  /** The offset at which the depth is reached. */
  readonly at: number;
}

/** A text has no more tokens than this finds, whatever the parser takes for a string or a comment. */
const ANY_TOKEN = /[\p{ID_Continue}$]+|[^\s\p{ID_Continue}$]/gu;

/** Words that go on with a statement after a `}` or a line that could have ended it. */
const CONTINUES = new Set(
  "else catch finally while as satisfies in of instanceof extends implements is from with infer".split(" "),
);
/** Words after which a new line goes on with the same construct. */
const UNFINISHED = new Set(
  `abstract accessor as assert asserts async await break case catch class const continue debugger declare default defer
   delete do else enum export extends finally for from function get global if implements import in infer instanceof
   interface is keyof let module namespace new of out override package private protected public readonly require return
   satisfies set source static switch throw try type typeof unique using var void while with yield`.split(
    /\s+/,
  ),
);

/**
 * The parser, its printers and its scopes descend on a native stack whose end ends the process. To use up the 4 MB that
 * a worker thread has, the least costly of some fifty constructs takes over 2,000 tokens; the main thread has 8 MB.
 */
export const DEEPEST = 1_500;

export function nestsTooDeeply(text: string): boolean {
  return text.length > DEEPEST && deepest(text).tokens > DEEPEST;
}

/** More than the tokens of a text, whatever its language makes of quotes. */
function mostTokens(text: string): number {
  return text.match(ANY_TOKEN)?.length ?? 0;
}

/** One bracket's inside, or the whole text. */
interface Level {
  /** Tokens since the last place where the parser was back at this bracket's own list. */
  tokens: number;
  /** Such tokens at the list's first comma; null before it. */
  atComma: number | null;
  /** Brackets of type arguments that may be open. */
  angles: number;
}

/**
 * How deep the parser's recursion can come: every level of it consumes a token, and it is back at the enclosing bracket
 * where a statement, a member or an element ends. So what counts is the tokens since the last such place, summed over
 * the brackets that are open. `a + b + c` nests like `((a + b) + c)`, for the parser's tree is what the compiler walks.
 */
export function deepest(text: string): Depth {
  let max: Depth = { tokens: 0, at: 0 };
  const levels: Level[] = [newLevel()];
  /** Tokens of all open brackets but the innermost. */
  let outer = 0;
  let previous: Token | null = null;
  /** Whether the last closed bracket was that of `if (...)` and its like. */
  const heads: boolean[] = [];
  let closedHead = false;
  /** A backslash that spells no letter of a name: what follows is a quote to this reader, and to the parser perhaps none. */
  let isMisread = false;

  const certain = readTokens(text, {
    token(token) {
      const level = levels.at(-1) as Level;
      isMisread ||= token.text === "\\" && !/^\\u[\da-f{]/i.test(text.slice(token.start, token.start + 3));
      if (previous !== null && endsBetween(previous, token, closedHead)) Object.assign(level, newLevel());
      count(level, token, previous);
      if (token.kind === "open") {
        heads.push(token.text === "(" && isHead(previous));
        outer += level.tokens;
        levels.push(newLevel());
      } else if (token.kind === "close") {
        levels.pop();
        closedHead = heads.pop() ?? false;
        outer -= (levels.at(-1) as Level).tokens;
      }
      const tokens = outer + (levels.at(-1) as Level).tokens;
      if (tokens > max.tokens) max = { tokens, at: token.start };
      previous = token;
    },
  });
  return certain && !isMisread ? max : { tokens: mostTokens(text), at: 0 };
}

const newLevel = (): Level => ({ tokens: 0, atComma: null, angles: 0 });

function isHead(previous: Token | null): boolean {
  return previous?.kind === "word" && /^(?:if|while|for|with|await)$/.test(previous.text);
}

/** Whether a statement or a member ended between two tokens of one bracket, whatever it was. */
function endsBetween(previous: Token, token: Token, closedHead: boolean): boolean {
  const isWord = token.kind === "word";
  if (previous.text === ";") return !(isWord && CONTINUES.has(token.text));
  if (previous.kind === "open" || !(isWord ? !CONTINUES.has(token.text) : token.text === "@")) return false;
  if (previous.kind === "close") {
    if (previous.text === "}") return true;
    return token.afterNewline && !(previous.text === ")" && closedHead);
  }
  if (!token.afterNewline) return false;
  return previous.kind === "literal" || (previous.kind === "word" && !UNFINISHED.has(previous.text));
}

function count(level: Level, { text, kind }: Token, previous: Token | null): void {
  if (text === "else") level.atComma = null;
  if (kind === "sign" && text === "<") level.angles += 1;
  if (kind === "sign" && text === ">" && previous?.text !== "=") level.angles = Math.max(0, level.angles - 1);
  if (kind === "sign" && text === "," && level.angles === 0) {
    level.atComma ??= level.tokens;
    level.tokens = level.atComma;
  } else if (kind !== "close") level.tokens += 1;
}
