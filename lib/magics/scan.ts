// Finds the lines of a cell that begin outside of brackets, literals and comments, and which of those are magics. Works
// on tokens, without a grammar.
import { readTokens } from "../typescript/tokens.ts";

const MAGIC = /([ \t]*)%%?[A-Za-z]\w*\??(?=[ \t\r\n]|$)/y;

export interface Scanned {
  /** Offsets of the lines that begin at the top level. */
  readonly topLevelLines: ReadonlySet<number>;
  /** Offsets of those that are magics: their text is not the language's. */
  readonly magicLines: ReadonlySet<number>;
  /** Offset of the first token of code, `Infinity` where there is none. */
  readonly firstCode: number;
}

export function scan(text: string): Scanned {
  const topLevelLines = new Set<number>();
  const magicLines = new Set<number>();
  let firstCode = Infinity;
  let lastToken = "";
  readTokens(text, {
    token({ text: token, start }) {
      firstCode = Math.min(firstCode, start);
      lastToken = token;
    },
    topLevelLine(start) {
      topLevelLines.add(start);
      MAGIC.lastIndex = start;
      const indent = MAGIC.exec(text)?.[1];
      // An indented one could be a remainder, unless the statement before it has ended.
      if (indent !== "" && !(indent !== undefined && (lastToken === "" || lastToken === ";"))) return;
      magicLines.add(start);
      lastToken = "";
      const end = text.indexOf("\n", start);
      return end < 0 ? text.length : end;
    },
  });
  return { topLevelLines, magicLines, firstCode };
}
