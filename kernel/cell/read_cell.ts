// Reads a cell's text, once: as the code that it means, without its magic lines and with an object at its end as an object.
// What is read goes through the compiler, the checker and their hints, and none of them reads the text again.
import { type Declared, declaredBy } from "./analyze.ts";
import { withoutNpm } from "./foreign_specifiers.ts";
import { type CellWithoutMagics, type MagicLine, readMagics, refuseContinuedCode } from "./magics/magics.ts";
import { type ObjectResult, objectResult } from "./object_result.ts";
import { refuseProblem } from "./refuse_problem.ts";
import { refuseUnsupported } from "./refuse.ts";
import { type ParsedText, parseTypeScript } from "../../lib/typescript/parse.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";

/** A line that is not the user's; how far its code stands to the right of where the user wrote it, if it has some. */
export type ShiftedLine = Pick<MagicLine, "line" | "codeShift">;

/** A cell that can be compiled. Its `text` has magic lines blanked, and an object at its end in parentheses. */
export interface CellProgram extends ParsedText {
  readonly magics: readonly MagicLine[];
  /** The text with calls in place of magic lines, every line as it was: what is compiled. */
  readonly source: string;
  /** The lines of `source` that are not as the user wrote them. */
  readonly shiftedLines: readonly ShiftedLine[];
  /** Top-level names that this cell declares, values and types. */
  readonly declared: readonly Declared[];
  /** Returns the offset in the cell as it was written for an offset in `text`. */
  original(offset: number): number;
}

/** @throws CellSyntaxError for what is no cell */
export function readProgram(written: string): CellProgram {
  const { parsed, magics, source, object } = readDraft(written);
  const original = object?.original ?? same;
  return inWritten(original, () => {
    refuseProblem(parsed);
    refuseContinuedCode(magics, parsed);
    refuseUnsupported(parsed.program, parsed.text);
    const declared = declaredBy(parsed.program);
    const shiftedLines =
      object === null ? magics : [...magics, { line: object.line, codeShift: object.shift }];
    return { ...parsed, magics, source, shiftedLines, declared, original };
  });
}

/** A cell that may not parse. */
export interface CellDraft extends Pick<CellWithoutMagics, "magics" | "source"> {
  readonly parsed: ParsedText;
  /** Null for a cell that does not end with an object. */
  readonly object: ObjectResult | null;
}

/** @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong */
export function readDraft(written: string): CellDraft {
  const { magics, typescript, source } = readMagics(written);
  const text = withoutNpm(typescript);
  const object = takesCell(written) ? null : objectResult(text);
  if (object === null) return { magics, source, parsed: parseTypeScript(text), object };
  return { magics, source: object.insertInto(source), parsed: object.parsed, object };
}

/** Does something with a cell of which an error tells a place; the error then tells it in the cell as it was written. */
export function inWritten<T>(original: CellProgram["original"], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CellSyntaxError) || original === same) throw error;
    const { message, start, end } = error;
    throw new CellSyntaxError(message, original(start), original(end));
  }
}

const same = (offset: number): number => offset;

/** Whether a magic takes the lines below it: they are in braces that are not the user's. */
const takesCell = (text: string): boolean => /^[ \t]*%%[A-Za-z]/m.test(text);
