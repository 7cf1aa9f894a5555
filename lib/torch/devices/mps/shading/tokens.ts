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

/** `# 12 "kernel.metal"`, as the preprocessor leaves: what follows is line 12. */
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
    // Whatever is nothing else is a sign.
    const found = TOKEN.exec(source)!;
    let text = found[0];
    const kind = Object.entries(found.groups!).find(([, part]) => part !== undefined)![0] as TokenKind;
    // A space ends with its line, so that the next may be a mark.
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

/** The index of what closes the bracket at `open`; the end where nothing does. */
export function closing(tokens: readonly Token[], open: number): number {
  const wanted: string[] = [];
  for (let i = open; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "sign") continue;
    if (CLOSES[text]) wanted.push(CLOSES[text]);
    else if (text === wanted.at(-1)) wanted.pop();
    // `a[b[i]]` ends in two brackets, not in an attribute's.
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

/** The next token that is no space, from `at` on in steps of `by`; undefined at the end. */
export function neighbour(tokens: readonly Token[], at: number, by: 1 | -1): number | undefined {
  for (let i = at + by; i >= 0 && i < tokens.length; i += by) if (tokens[i]!.kind !== "space") return i;
  return undefined;
}
