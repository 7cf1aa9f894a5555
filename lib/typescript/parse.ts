// Parses TypeScript into a syntax tree, with what the parser has to say of it. Knows neither cells nor files.
import type { Comment, Program } from "oxc-parser";
import { parseEither } from "./jsx.ts";
import { parseSync } from "./oxc.ts";
import { deepest, DEEPEST, nestsTooDeeply } from "./depth.ts";
import { CellSyntaxError } from "./syntax_error.ts";

/** An error of the parser or the transformer, in as much as they are alike. */
export interface OxcProblem {
  readonly message: string;
  readonly labels: readonly { readonly start: number; readonly end: number }[];
  readonly helpMessage: string | null;
}

/** A text that was parsed. Whoever has one hands it on, so that nobody parses the text again. */
export interface ParsedText {
  readonly text: string;
  /** The tree, as far as the parser came. */
  readonly program: Program;
  /** The parser's first complaint. */
  readonly problem: OxcProblem | null;
  readonly isJsx: boolean;
}

/**
 * With JSX, where the text has some.
 *
 * @throws CellSyntaxError if the text nests too deeply to ask the parser
 */
export function parseTypeScript(text: string): ParsedText {
  refuseDeepNesting(text);
  const { result, isJsx } = parseEither(text);
  const { program, errors } = result;
  return { text, program, problem: errors[0] ?? null, isJsx };
}

export interface ParsedJavaScript {
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** JavaScript that our own transformer wrote, so that it has no errors. */
export function parseJavaScript(code: string): ParsedJavaScript {
  const { program, comments } = parseSync("cell.js", code, { lang: "js", sourceType: "module" });
  return { program, comments };
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
