// Whether a text could run as it stands, needs more lines, or can never run: for consoles that decide on Enter. Knows
// the compiler's syntax errors only.
import { NO_BINDINGS } from "./cell/analyze.ts";
import { CellSyntaxError } from "./cell/compile.ts";
import type { Rooms } from "./rooms.ts";

export type Completeness =
  | { readonly status: "complete" | "invalid" }
  | { readonly status: "incomplete"; readonly indent: string };

const INDENT = "  ";

export function completeness(text: string, compile: Rooms["compile"]): Completeness {
  try {
    compile(text, NO_BINDINGS, { count: 0, flush: false });
    return { status: "complete" };
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    return endsTooEarly(error, text)
      ? { status: "incomplete", indent: nextIndent(text) }
      : { status: "invalid" };
  }
}

/** The parser ran into the end: more text may repair it. A string in quotes cannot go on in the next line. */
function endsTooEarly(error: CellSyntaxError, text: string): boolean {
  if (error.start >= text.trimEnd().length) return true;
  const opening = text.slice(error.start);
  return error.end >= text.trimEnd().length && (opening.startsWith("`") || opening.startsWith("/*"));
}

/** The last line's own indent, one step deeper after an opening bracket. */
function nextIndent(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const own = /^\s*/.exec(line)?.[0] ?? "";
  return /[{([]$/.test(line) ? own + INDENT : own;
}
