// Parses TypeScript into a syntax tree, or throws the one error that a reader should see first. Rewords the parser's
// messages.
import type { Comment, Program } from "oxc-parser";
import { parseEither } from "./jsx.ts";
import { parseSync } from "./oxc.ts";
import { deepest, DEEPEST, nestsTooDeeply } from "./depth.ts";
import { hintForLine } from "../magics/habits.ts";
import { CellSyntaxError, UnparsableError } from "./syntax_error.ts";

/** An error of the parser or the transformer, in as much as they are alike. */
export interface OxcProblem {
  readonly message: string;
  readonly labels: readonly { readonly start: number; readonly end: number }[];
  readonly helpMessage: string | null;
}

/** @throws CellSyntaxError */
export function parseCell(typescript: string): Program {
  const { program, problem } = parseTypeScript(typescript);
  if (problem === null) return program;
  throw hintAt(problem, typescript) ?? syntaxError(problem, typescript);
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

/**
 * The tree, as far as the parser came, and its first complaint. With JSX, where the text has some.
 *
 * @throws CellSyntaxError if the text nests too deeply to ask the parser
 */
export function parseTypeScript(text: string): { program: Program; problem: OxcProblem | null } {
  refuseDeepNesting(text);
  const { program, errors } = parseEither(text).result;
  return { program, problem: errors[0] ?? null };
}

/** JavaScript that our own transformer wrote, so that it has no errors. */
export function parseJavaScript(code: string): { program: Program; comments: readonly Comment[] } {
  const { program, comments } = parseSync("cell.js", code, { lang: "js", sourceType: "module" });
  return { program, comments };
}

export function syntaxError(problem: OxcProblem, text: string): CellSyntaxError {
  const { start, end } = spanOf(problem, text);
  return new UnparsableError(readable(problem, text, start, end), start, end);
}

/** @throws CellSyntaxError */
export function refuseDeepNesting(text: string): void {
  if (!nestsTooDeeply(text)) return;
  const { tokens, at } = deepest(text);
  throw new CellSyntaxError(
    `The code nests some ${tokens} signs deep, and ${DEEPEST} is the most: put inner parts into variables, or data into a file`,
    at,
    at,
  );
}

export function spanOf(problem: OxcProblem, text: string): { start: number; end: number } {
  // Chooses the label to underline. If the parser names several places (a redeclaration names both), the last one is
  // the mistake. If the text ended too early (EOF), the first label marks the bracket that was never closed.
  const opened = problem.message.includes("EOF");
  const label = opened ? problem.labels[0] : problem.labels.at(-1);
  return label === undefined ? { start: 0, end: text.length } : { start: label.start, end: label.end };
}

function readable({ message, helpMessage }: OxcProblem, text: string, start: number, end: number): string {
  const token = text.slice(start, end);
  if (message === "Unexpected token")
    return token === "" ? "Unexpected end of the cell" : `Unexpected \`${token}\``;
  if (message === "Unterminated string" && token.startsWith("`")) return "Unterminated template literal";
  const said = message.replace("but found `EOF`", "but the cell ends here").replace(/\.$/, "");
  return helpMessage === null ? said : `${said}: ${helpMessage.trim().replace(/\.$/, "")}`;
}
