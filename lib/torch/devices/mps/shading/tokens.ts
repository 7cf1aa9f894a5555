// Splits a Metal source into tokens, each with its line. The joined tokens equal the source.

export type TokenKind = "word" | "number" | "text" | "sign" | "space";

export interface Token {
  readonly kind: TokenKind;
  /** The token's text, which a translation may replace. */
  text: string;
  readonly line: number;
}

const TOKEN =
  /(?<space>\s+|\\\r?\n|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<word>[A-Za-z_]\w*)|(?<number>(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[A-Za-z]*)|(?<sign>::|->|\[\[|\]\]|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|[^\s\w])/gy;

/** `# 12 "kernel.metal"`, a line marker that the preprocessor leaves: the next line is line 12. */
const LINE_MARK = /^# (\d+) "[^"\n]*"[^\n]*\n/;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  while (at < source.length) {
    const atLineStart = at === 0 || source[at - 1] === "\n";
    const mark = atLineStart ? LINE_MARK.exec(source.slice(at, at + 300)) : null;
    if (mark) {
      line = Number(mark[1]);
      tokens.push({ kind: "space", text: mark[0], line });
      at += mark[0].length;
      continue;
    }
    TOKEN.lastIndex = at;
    // Any other character is a token of its own.
    const found = TOKEN.exec(source)!;
    let text = found[0];
    const kind = Object.entries(found.groups!).find(([, part]) => part !== undefined)![0] as TokenKind;
    // White space ends with its line, so that a line marker may follow.
    if (kind === "space" && !text.startsWith("/") && text.includes("\n"))
      text = text.slice(0, text.indexOf("\n") + 1);
    tokens.push({ kind, text, line });
    at += text.length;
    line += text.split("\n").length - 1;
  }
  return tokens;
}

export function join(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join("");
}

const CLOSES: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]", "[[": "]]" };

/** The index of the bracket that closes the one at `open`; the end if none does. */
export function closing(tokens: readonly Token[], open: number): number {
  const wanted: string[] = [];
  for (let i = open; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "sign") continue;
    if (CLOSES[text]) wanted.push(CLOSES[text]);
    else if (text === wanted.at(-1)) wanted.pop();
    // The `]]` of `a[b[i]]` is two brackets and not the end of an attribute.
    else if (text === "]]" && wanted.at(-1) === "]") wanted.splice(-2);
    if (wanted.length === 0) return i;
  }
  return tokens.length - 1;
}

/** The index of the `>` for the `<` at `open`. */
export function closingAngle(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "sign") continue;
    if (text === "<") depth++;
    else if (text === ">" && --depth === 0) return i;
    else if (text === "(" || text === "[") i = closing(tokens, i);
    else if (text === ";" || text === "{") break;
  }
  return open;
}

/** The next token that is not white space, from `at` in steps of `by`; undefined at the end. */
export function neighbour(tokens: readonly Token[], at: number, by: 1 | -1): number | undefined {
  for (let i = at + by; i >= 0 && i < tokens.length; i += by) if (tokens[i]!.kind !== "space") return i;
  return undefined;
}
