// Replaces the magics of a cell with calls of the session's runtime.
import type { MagicCall } from "../../../lib/magics/grammar.ts";
import { inPlaceOfCell, inPlaceOfLine } from "./magic_code.ts";
import { magicsIn } from "../../../lib/magics/cell_code.ts";
import type { ParsedText } from "../../../lib/typescript/parse.ts";
import { CellSyntaxError } from "../../../lib/typescript/syntax_error.ts";

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
 * @throws CellSyntaxError
 */
export function refuseContinuedCode(
  magics: readonly MagicLine[],
  { text: typescript, program }: ParsedText,
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
  const magics: MagicLine[] = [];
  const typescript = text.split("\n");
  const source = text.split("\n");
  for (const { read, line, lineText, lineStart, body } of magicsIn(text)) {
    const { magic, help, call, start, end } = read;
    const place = { name: magic.name, line, help, start, end };
    if (body !== null) {
      const written = inPlaceOfCell(read, lineText, body);
      magics.push({ ...place, call: written.call, codeShift: null });
      typescript.splice(line, Infinity, written.typescript);
      source.splice(line, Infinity, written.source);
    } else {
      const written = inPlaceOfLine(read, lineText, lineStart);
      magics.push({ ...place, call, codeShift: written.codeShift });
      typescript[line] = written.typescript;
      source[line] = written.source;
    }
  }
  if (magics.length === 0) return { magics, typescript: text, source: text };
  return { magics, typescript: typescript.join("\n"), source: source.join("\n") };
}
