// Says what Lezer's grammar of Python does not know in words that it knows. Lines stay where they are, so that a place of the
// result is on the line that the user wrote.

/** Texts and comments, in which nothing is Python. */
const PASSED_OVER = String.raw`"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*`;

const GAPS: readonly (readonly [gap: string, (...groups: string[]) => string])[] = [
  // `yield` without a value
  [String.raw`^([ \t]*(?:\w+[ \t]*=[ \t]*)?yield)[ \t]*(?=#|$)`, (before) => `${before} None `],
  // `1.` before a bracket, and `1.j`
  [String.raw`(?<![\w.])(\d[\d_]*\.)(?=[jJ]\b|(?![\w.]))`, (number) => `${number}0`],
  // `lambda x, /: x`
  [String.raw`\b(lambda\b[^:()\n]*?),[ \t]*/(?=[ \t]*[,:])`, (before) => before],
  // a form feed, with which old files begin a page
  [String.raw`^(\f+)`, () => ""],
];

const GAP_PATTERNS = GAPS.map(
  ([gap, written]) => [new RegExp(`${PASSED_OVER}|${gap}`, "gm"), written] as const,
);

const OPENED_WITH = new RegExp(String.raw`${PASSED_OVER}|^([ \t]*(?:async[ \t]+)?with[ \t]*)\(`, "gm");

export function withoutGrammarGaps(text: string): string {
  let result = text;
  for (const [pattern, written] of GAP_PATTERNS)
    result = result.replace(pattern, (whole, group?: string) =>
      group === undefined ? whole : written(group),
    );
  return withoutBrackets(result);
}

/** `with (a as b, c as d):` over several lines -> the same without the brackets, with continued lines. */
function withoutBrackets(text: string): string {
  let result = text;
  for (const { index, 1: head } of [...text.matchAll(OPENED_WITH)].reverse()) {
    if (head === undefined) continue;
    const open = index + head.length;
    const close = closingBracket(text, open);
    const inner = text.slice(open + 1, close);
    if (close < 0 || !/^[ \t]*:/.test(text.slice(close + 1)) || !/\bas\b/.test(inner) || inner.includes("#"))
      continue;
    const items = inner.replace(/,(\s*)$/, "$1").replaceAll("\n", "\\\n");
    result = `${result.slice(0, open)} ${items} ${result.slice(close + 1)}`;
  }
  return result;
}

/** Where the bracket at `open` is closed; -1 if it is not. */
function closingBracket(text: string, open: number): number {
  const token = new RegExp(`${PASSED_OVER}|[()[\\]{}]`, "g");
  token.lastIndex = open;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if ("([{".includes(found[0])) depth++;
    else if (")]}".includes(found[0]) && --depth === 0) return found.index;
  }
  return -1;
}
