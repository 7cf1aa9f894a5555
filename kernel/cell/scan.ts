// How deep brackets nest in a cell, which lines begin outside of brackets, strings, template literals and comments, and
// which of those are magics. Knows a few lexical rules of the language and no grammar: it must also read text that no
// parser accepts.

/** A `/` after one of these divides; after anything else it begins a regular expression. */
const ENDS_OPERAND = /[\w$)\]}"'`]/;
const KEYWORD_BEFORE_REGEXP =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/;

const MAGIC = /([ \t]*)%%?[A-Za-z]\w*\??(?=[ \t\r\n]|$)/y;

export interface Scanned {
  /** Offsets of the lines that begin at the top level. */
  readonly topLevelLines: ReadonlySet<number>;
  /** Offsets of those that are magics: their text is not the language's. */
  readonly magicLines: ReadonlySet<number>;
  /** Offset of the first character of code, `Infinity` where there is none. */
  readonly firstCode: number;
  readonly deepestNesting: number;
}

export function scan(text: string): Scanned {
  const topLevelLines = new Set<number>();
  const magicLines = new Set<number>();
  let firstCode = Infinity;
  let deepestNesting = 0;
  /** Closing brackets that are awaited; a template literal waits for its backtick, `${` for `}`. */
  const open: string[] = [];
  let lastCode = -1;
  let at = 0;
  const skipTo = (found: number, length: number) => (at = found < 0 ? text.length : found + length);

  while (at < text.length) {
    deepestNesting = Math.max(deepestNesting, open.length);
    if (open.length === 0 && (at === 0 || text[at - 1] === "\n")) {
      topLevelLines.add(at);
      if (beginsMagic()) {
        magicLines.add(at);
        lastCode = -1;
        skipTo(text.indexOf("\n", at), 0);
        continue;
      }
    }
    const character = text[at] as string;

    if (open.at(-1) === "`") {
      if (character === "\\") at += 2;
      else if (character === "$" && text[at + 1] === "{") {
        open.push("}");
        at += 2;
      } else {
        if (character === "`") open.pop();
        at += 1;
      }
      lastCode = at - 1;
      continue;
    }
    if (text.startsWith("//", at)) {
      skipTo(text.indexOf("\n", at), 0);
      continue;
    }
    if (text.startsWith("/*", at)) {
      skipTo(text.indexOf("*/", at + 2), 2);
      continue;
    }

    if (character === '"' || character === "'") skipString(character);
    else if (character === "/" && beginsRegExp()) skipRegExp();
    else {
      if (character === "`") open.push("`");
      else if (character === "(") open.push(")");
      else if (character === "[") open.push("]");
      else if (character === "{") open.push("}");
      else if (character === open.at(-1)) open.pop();
      at += 1;
    }
    if (character.trim() !== "") {
      firstCode = Math.min(firstCode, at);
      lastCode = at - 1;
    }
  }
  return { topLevelLines, magicLines, firstCode, deepestNesting: Math.max(deepestNesting, open.length) };

  /** An indented one could be a remainder, unless the statement before it has ended. */
  function beginsMagic(): boolean {
    MAGIC.lastIndex = at;
    const indent = MAGIC.exec(text)?.[1];
    return indent === "" || (indent !== undefined && (lastCode < 0 || text[lastCode] === ";"));
  }

  function skipString(quote: string): void {
    for (at += 1; at < text.length && text[at] !== "\n"; at += 1) {
      if (text[at] === "\\") at += 1;
      else if (text[at] === quote) {
        at += 1;
        return;
      }
    }
  }

  function skipRegExp(): void {
    let inClass = false;
    for (at += 1; at < text.length && text[at] !== "\n"; at += 1) {
      if (text[at] === "\\") at += 1;
      else if (text[at] === "[") inClass = true;
      else if (text[at] === "]") inClass = false;
      else if (text[at] === "/" && !inClass) {
        at += 1;
        return;
      }
    }
  }

  function beginsRegExp(): boolean {
    if (lastCode < 0 || !ENDS_OPERAND.test(text[lastCode] as string)) return true;
    return KEYWORD_BEFORE_REGEXP.test(text.slice(Math.max(0, lastCode - 10), lastCode + 1));
  }
}
