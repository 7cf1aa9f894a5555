// Throws the one error of a cell that a reader should see first. Rewords the parser's messages.
import { hintForLine } from "../../lib/magics/habits.ts";
import { type OxcProblem, type ParsedText, spanOf } from "../../lib/typescript/parse.ts";
import { CellSyntaxError, UnparsableError } from "../../lib/typescript/syntax_error.ts";

/** @throws CellSyntaxError */
export function refuseProblem({ problem, text }: ParsedText): void {
  if (problem !== null) throw hintAt(problem, text) ?? syntaxError(problem, text);
}

/** The line of a problem, where it is some other language's. */
function hintAt(problem: OxcProblem, text: string): CellSyntaxError | null {
  const at = Math.min(spanOf(problem, text).start, text.trimEnd().length);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const line = /^.*/.exec(text.slice(start))?.[0] ?? "";
  const hint = hintForLine(line);
  if (hint === null) return null;
  const end = start + line.trimEnd().length;
  return new UnparsableError(`This is no TypeScript: ${hint}`, start + line.search(/\S/), end);
}

export function syntaxError(problem: OxcProblem, text: string): CellSyntaxError {
  const { start, end } = spanOf(problem, text);
  return new UnparsableError(readable(problem, text, start, end), start, end);
}

function readable({ message, helpMessage }: OxcProblem, text: string, start: number, end: number): string {
  const token = text.slice(start, end);
  if (message === "Unexpected token")
    return token === "" ? "Unexpected end of the cell" : `Unexpected \`${token}\``;
  if (message === "Unterminated string" && token.startsWith("`")) return "Unterminated template literal";
  const said = message.replace("but found `EOF`", "but the cell ends here").replace(/\.$/, "");
  return helpMessage === null ? said : `${said}: ${helpMessage.trim().replace(/\.$/, "")}`;
}
