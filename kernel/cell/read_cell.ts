// Reads a cell's text as the code that it means: without its magic lines, and with an object at its end as an object.
import { type CellWithoutMagics, readMagics } from "./magics/magics.ts";
import { withoutNpm } from "./foreign_specifiers.ts";
import { type ObjectResult, objectResult } from "./object_result.ts";

export interface CellCode extends CellWithoutMagics {
  /** Null for a cell that does not end with an object. */
  readonly object: ObjectResult | null;
}

/** @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong */
export function readCell(text: string): CellCode {
  const withMagics = readMagics(text);
  const written = { ...withMagics, typescript: withoutNpm(withMagics.typescript) };
  const object = takesCell(text) ? null : objectResult(written.typescript);
  if (object === null) return { ...written, object };
  return { ...written, typescript: object.text, source: object.insertInto(written.source), object };
}

/** Whether a magic takes the lines below it: they are in braces that are not the user's. */
const takesCell = (text: string): boolean => /^[ \t]*%%[A-Za-z]/m.test(text);
