// Finds the magic lines of a cell, reads their arguments, and replaces them with calls. Their handlers are in
// `kernel/magics/`.
//
// A magic is a line that begins with % directly followed by a letter, outside of brackets, strings, template literals
// and comments. An indented line counts where no expression can continue (`scan.ts`): `a`, newline, `  %b` is a
// remainder.
import type { Program } from "oxc-parser";
import type { MagicCall } from "./grammar.ts";
import { inPlaceOfCell, inPlaceOfLine } from "./magic_code.ts";
import { readMagicLine } from "./magic_line.ts";
import { scan } from "../parse/scan.ts";
import { CellSyntaxError } from "../parse/syntax_error.ts";

export interface MagicLine {
  readonly name: string;
  readonly call: MagicCall;
  /** 0-based line in the cell. */
  readonly line: number;
  /** `%memory?` asks what it does; it does not run. */
  readonly help: boolean;
  /** The offset of its name in the cell, the percent signs included. */
  readonly start: number;
  readonly end: number;
  /** How far its TypeScript stands to the right of where the user wrote it; null if the line has none. */
  readonly codeShift: number | null;
}

export interface CellWithoutMagics {
  readonly magics: readonly MagicLine[];
  /** Magic lines blanked but for their TypeScript, every offset as it was: what the type checker sees. */
  readonly typescript: string;
  /** Magic lines replaced by calls where the session runs them, every line as it was: what is compiled. */
  readonly source: string;
}

/**
 * A line that begins with `(` or `[` goes on with the statement of the line before, but a magic's code ends there.
 *
 * @param program of the whole cell
 * @throws CellSyntaxError
 */
export function refuseContinuedCode(
  { magics, typescript }: CellWithoutMagics,
  program: Pick<Program, "body">,
): void {
  for (const { name, start, end, codeShift } of magics) {
    if (codeShift === null) continue;
    const lineEnd = /$/m.exec(typescript.slice(end))!.index + end;
    const continued = program.body.some(
      (node) => node.start >= start && node.start < lineEnd && node.end > lineEnd,
    );
    if (!continued) continue;
    const message = `The next line goes on with the code of %${name}: end it with a semicolon, or write both below %%${name}`;
    throw new CellSyntaxError(message, start, lineEnd);
  }
}

/** @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong */
export function readMagics(text: string): CellWithoutMagics {
  if (!/^[ \t]*%%?[A-Za-z]/m.test(text)) return { magics: [], typescript: text, source: text };
  const { magicLines, firstCode } = scan(text);
  const magics: MagicLine[] = [];
  const typescript: string[] = [];
  const source: string[] = [];
  let start = 0;
  for (const [line, lineText] of text.split("\n").entries()) {
    const read = magicLines.has(start) ? readMagicLine(lineText, start) : null;
    const bodyStart = start + lineText.length + 1;
    if (read === null) {
      typescript.push(lineText);
      source.push(lineText);
    } else {
      const { magic, help, call } = read;
      const place = { name: magic.name, line, help, start: read.start, end: read.end };
      if (read.takesCell) {
        if (firstCode < start) {
          const message = `%%${magic.name} takes the whole cell: put it into the first line`;
          throw new CellSyntaxError(message, read.start, read.end);
        }
        const written = inPlaceOfCell(read, lineText, text.slice(bodyStart));
        magics.push({ ...place, call: written.call, codeShift: null });
        typescript.push(written.typescript);
        source.push(written.source);
        break;
      }
      const written = inPlaceOfLine(read, lineText, start);
      magics.push({ ...place, call, codeShift: written.codeShift });
      typescript.push(written.typescript);
      source.push(written.source);
    }
    start = bodyStart;
  }
  return { magics, typescript: typescript.join("\n"), source: source.join("\n") };
}
