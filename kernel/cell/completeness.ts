// Decides whether a text is complete, needs more lines, or is invalid, for consoles that ask on Enter. It reads from
// the parser's errors whether the text ended too early.
import { spanOf, type OxcProblem } from "../../lib/typescript/parse.ts";
import { readDraft } from "./read_cell.ts";
import { parseHelpQuery } from "./magics/help_query.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";

export type Completeness =
  /** `invalid` runs as well: to show its error. */
  | { readonly status: "complete" | "invalid" }
  /** `indent`: what the next line should begin with. */
  | { readonly status: "incomplete"; readonly indent: string };

/** Decides what Enter does with the text in a console: run it, or open another line. */
export function isComplete(text: string): Completeness {
  if (parseHelpQuery(text) !== null) return { status: "complete" };
  try {
    const { program, problem, text: typescript } = readDraft(text).parsed;
    const last = program.body.at(-1);
    // `function f()` is an overload as it stands; its body may follow in the next line.
    const waits =
      problem === null
        ? last?.type === "TSDeclareFunction" && !last.declare
        : breaksOffAtEnd(problem, typescript);
    if (waits) return { status: "incomplete", indent: nextIndent(typescript) };
    return { status: problem === null ? "complete" : "invalid" };
  } catch (error) {
    if (error instanceof CellSyntaxError) return { status: "invalid" };
    throw error;
  }
}

function breaksOffAtEnd(problem: OxcProblem, text: string): boolean {
  const { start, end } = spanOf(problem, text);
  if (start >= text.trimEnd().length) return true;
  const unterminated = problem.message.startsWith("Unterminated") && end >= text.length;
  return unterminated && (text[start] === "`" || text[start] === "}" || text.startsWith("/*", start));
}

function nextIndent(text: string): string {
  const lastLine = text.trimEnd().split("\n").at(-1) ?? "";
  const indent = /^[ \t]*/.exec(lastLine)?.[0] ?? "";
  return /[{([]$|=>$/.test(lastLine) ? `${indent}  ` : indent;
}
