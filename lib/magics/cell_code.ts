// Finds the magics of a cell, and tells its TypeScript from their text. Their handlers are in `kernel/magics/`.
//
// A magic is a line that begins with % directly followed by a letter, outside of brackets, strings, template literals
// and comments. An indented line counts where no expression can continue (`scan.ts`): `a`, newline, `  %b` is a
// remainder.
import { readMagicLine, type ReadMagic } from "./magic_line.ts";
import { scan } from "./scan.ts";
import { CellSyntaxError } from "../typescript/syntax_error.ts";

export interface FoundMagic {
  readonly read: ReadMagic;
  /** 0-based line in the cell. */
  readonly line: number;
  readonly lineText: string;
  readonly lineStart: number;
  /** The lines below a magic that takes the cell; null for one that is a line. */
  readonly body: string | null;
}

/** Blank, and ends a statement of the line before that has no semicolon of its own. */
export const BLANK = ";";

/**
 * The magics in the order of their lines. None follows one that takes the cell.
 *
 * @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong, when it is come to
 */
export function* magicsIn(text: string): Iterable<FoundMagic> {
  if (!/^[ \t]*%%?[A-Za-z]/m.test(text)) return;
  const { magicLines, firstCode } = scan(text);
  let lineStart = 0;
  for (const [line, lineText] of text.split("\n").entries()) {
    const read = magicLines.has(lineStart) ? readMagicLine(lineText, lineStart) : null;
    const bodyStart = lineStart + lineText.length + 1;
    if (read?.takesCell && firstCode < lineStart) {
      const message = `%%${read.magic.name} takes the whole cell: put it into the first line`;
      throw new CellSyntaxError(message, read.start, read.end);
    }
    const body = read?.takesCell ? text.slice(bodyStart) : null;
    if (read !== null) yield { read, line, lineText, lineStart, body };
    if (body !== null) return;
    lineStart = bodyStart;
  }
}

/** Whether the session runs TypeScript that stands on the magic's line. */
export function holdsCode({ magic, help, code }: ReadMagic): boolean {
  return !help && magic.side === "session" && magic.forgetsNames !== true && code !== "";
}

/** The TypeScript of a magic's line, every column as it was. */
export function codeOfLine(read: ReadMagic, lineText: string): string {
  if (!holdsCode(read)) return BLANK.padEnd(lineText.length);
  return `${BLANK.padEnd(read.codeColumn)}${lineText.slice(read.codeColumn)}`;
}

/** Blanks a text, line by line. */
export function blanked(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/**
 * The TypeScript of a cell: all else is blank, and every offset is as it was.
 *
 * @throws CellSyntaxError
 */
export function codeOfCell(text: string): string {
  const lines = text.split("\n");
  for (const { read, line, lineText, body } of magicsIn(text)) {
    lines[line] = codeOfLine(read, lineText);
    if (body !== null && read.magic.cell?.body === "text")
      lines.splice(line + 1, Infinity, ...blanked(body).split("\n"));
  }
  return lines.join("\n");
}
