// Reads one magic line by the grammar of the magic that it names. An error gives the place in the cell, and suggests a
// similar name or word.
import { ArgumentError, readArguments } from "./read_arguments.ts";
import { usageOf } from "./usage.ts";
import type { Argument, Grammar, MagicCall } from "./grammar.ts";
import { nearestName } from "./nearest_name.ts";
import { GRAMMARS } from "./grammars.ts";
import { hintForMagic } from "./habits.ts";
import { CellSyntaxError } from "../typescript/syntax_error.ts";

export interface ReadMagic {
  readonly magic: Grammar;
  /** Its arguments; empty if it asks for help. */
  readonly call: MagicCall;
  readonly help: boolean;
  /** Whether it is a `%%` that runs the lines below. */
  readonly takesCell: boolean;
  /** The offset of its name in the cell, the percent signs included. */
  readonly start: number;
  readonly end: number;
  /** TypeScript of the line and its column; empty if there is none. */
  readonly code: string;
  readonly codeColumn: number;
}

/** `  %%name? arguments` */
const MAGIC_LINE = /^([ \t]*)(%%?)([A-Za-z]\w*)(\?)?([ \t].*?)?[ \t]*\r?$/;

/**
 * @param lineStart where the line begins in the cell
 * @throws CellSyntaxError for a magic that does not exist, or whose arguments are wrong
 */
export function readMagicLine(lineText: string, lineStart: number): ReadMagic | null {
  const match = MAGIC_LINE.exec(lineText);
  if (match === null) return null;
  const [, indent = "", percents = "", name = "", question, argumentText = ""] = match;
  const written = `${percents}${name}`;
  const start = lineStart + indent.length;
  const end = start + written.length;
  const magic = GRAMMARS.get(name);
  if (magic === undefined)
    throw new CellSyntaxError(`There is no magic ${written}: ${hint(written)}`, start, end);
  const argument = percents === "%%" ? magic.cell?.argument : magic.line;
  if (argument === undefined) {
    const other = percents === "%%" ? "is for one line" : "takes the cell below it";
    const message = `${written} does not exist: write ${usageOf(magic)[0]}, which ${other}`;
    throw new CellSyntaxError(message, start, end);
  }
  const place = { magic, start, end };
  if (question !== undefined) {
    return { ...place, call: NOTHING, help: true, takesCell: false, code: "", codeColumn: 0 };
  }
  const read = argumentsOf(written, magic, argument, argumentText, { start, end });
  const isCode = argument.kind === "code";
  return {
    ...place,
    call: { options: read.options, text: isCode ? "" : read.text },
    help: false,
    takesCell: percents === "%%",
    code: isCode ? read.text : "",
    codeColumn: end - lineStart + read.start,
  };
}

const NOTHING: MagicCall = { options: {}, text: "" };

/** @param name where the magic's name stands; the arguments follow it */
function argumentsOf(
  written: string,
  magic: Grammar,
  argument: Argument,
  text: string,
  name: { readonly start: number; readonly end: number },
) {
  try {
    return readArguments(written, magic, argument, text);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const { message, start, end } = error;
    // If nothing is written there, the magic itself is at fault.
    if (start >= end) throw new CellSyntaxError(message, name.start, name.end);
    throw new CellSyntaxError(message, name.end + start, name.end + end);
  }
}

/** `%%memry` means `%memory`, as there is no `%%memory`. */
function hint(written: string): string {
  const name = written.replace(/^%+/, "");
  const pythonHint = hintForMagic(name);
  if (pythonHint !== null) return pythonHint;
  const nearest = nearestName(name, GRAMMARS.keys());
  if (nearest === null) return "%lsmagic lists those that exist";
  const magic = GRAMMARS.get(nearest);
  const wantsCell = written.startsWith("%%");
  const percents = (wantsCell ? magic?.cell : magic?.line) === undefined ? !wantsCell : wantsCell;
  return `did you mean ${percents ? "%%" : "%"}${nearest}?`;
}
