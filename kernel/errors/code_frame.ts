// Formats the code frame of an error: the lines around the place, a caret below, `Cell [3]:2:7`. The kernel process
// uses it for type errors, the session process for thrown errors.

/**
 * ANSI styles, without colours: JupyterLab draws an error on pink in its light theme and on dark red in its dark one, and
 * no colour has a contrast of 4.5 on both. Quiet text is dim in a terminal and looks like other text in a notebook.
 */
export const STYLE = {
  name: "\x1b[1m",
  caret: "\x1b[1m",
  quiet: "\x1b[2m",
  place: "\x1b[4m",
  plain: "\x1b[0m",
} as const;

/** 1-based, as editors count; columns in UTF-16 units. */
export interface Marked {
  readonly line: number;
  readonly column: number;
  /** Length of the marked text in characters. Default: 1. */
  readonly length?: number;
}

const CONTEXT_LINES = 2;
/**
 * A longer line would wrap in a notebook of usual width, and the caret would stand at the wrong place. Only the part
 * around the marked place is shown.
 */
const WIDEST = 90;
const BEFORE_MARK = 60;

/**
 *       1 | const rates = [0.1];
 *     > 2 | rates.push("fast");
 *         |            ^^^^^^
 */
export function codeFrame(text: string, { line, column, length = 1 }: Marked): string[] {
  const source = text.split("\n").map(withoutSecrets);
  const first = Math.max(1, line - CONTEXT_LINES);
  const last = Math.min(source.length, line + CONTEXT_LINES);
  const width = String(last).length;
  const cut = (source[line - 1] ?? "").length > WIDEST ? Math.max(0, column - 1 - BEFORE_MARK) : 0;
  const lines: string[] = [];
  for (let number = first; number <= last; number++) {
    const shown = shownPart(source[number - 1] ?? "", number === line ? cut : 0);
    const label = `${STYLE.quiet}${String(number).padStart(width)} |${STYLE.plain}`;
    if (number !== line) {
      lines.push(`  ${label} ${shown}`.trimEnd());
      continue;
    }
    const start = column - 1 - cut + (cut > 0 ? 1 : 0);
    const marks = "^".repeat(Math.max(1, columnsOf(shown.slice(start, start + length))));
    const margin = `  ${" ".repeat(width)} ${STYLE.quiet}|${STYLE.plain}`;
    lines.push(`${STYLE.caret}>${STYLE.plain} ${label} ${shown}`);
    lines.push(
      `${margin} ${" ".repeat(columnsOf(shown.slice(0, start)))}${STYLE.caret}${marks}${STYLE.plain}`,
    );
  }
  return lines;
}

/** `Cell [3]:2:7` */
export function placeText(place: string, { line, column }: Marked): string {
  return `${STYLE.place}${place}:${line}:${column}${STYLE.plain}`;
}

/** `    at fit (Cell [3]:2:7)`; at the top level of a cell there is no function's name. */
export function frameLine(where: string, name = ""): string {
  return `    ${STYLE.quiet}at${STYLE.plain} ${name === "" ? where : `${name} (${where})`}`;
}

const SECRET_LITERAL =
  /(\w*(?:token|password|passwd|secret|api_?key)["']?\s*[:=]\s*)(["'`])((?:(?!\2).)+)\2/gi;
const SECRET_PARAMETER = /([?&](?:token|access_token|password)=)([^&\s"'`]+)/gi;

/**
 * `{ token: "abc" }` -> `{ token: "***" }`, `?token=abc` -> `?token=***`: an error is stored with the notebook and sent
 * to colleagues. The line stays as wide, so that the caret points at the same place.
 */
function withoutSecrets(line: string): string {
  return line
    .replace(
      SECRET_LITERAL,
      (_, name: string, quote: string, value: string) => `${name}${quote}${"*".repeat(value.length)}${quote}`,
    )
    .replace(SECRET_PARAMETER, (_, name: string, value: string) => `${name}${"*".repeat(value.length)}`);
}

/** A tab is shown as one space: a terminal would widen it, and the caret below would stand at the wrong place. */
function shownPart(sourceLine: string, cut: number): string {
  const line = sourceLine.replace(/\r$/, "").replaceAll("\t", " ");
  const part = line.slice(cut, cut + WIDEST);
  return `${cut > 0 ? "…" : ""}${part}${line.length > cut + WIDEST ? "…" : ""}`;
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;
const WITHOUT_WIDTH = /[\p{Mark}\p{Format}]/u;

/** The width of a text in terminal columns: `数` takes two, a combining accent none. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WITHOUT_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
