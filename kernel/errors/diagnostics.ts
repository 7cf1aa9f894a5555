// Formats type and syntax errors of a cell in the form in which the session shows thrown errors: name, message, code
// frame, position.
import { codeFrame, STYLE, frameLine, type Marked, placeText } from "./code_frame.ts";

/** An error and its place. Offsets are 0-based UTF-16 positions in the cell's text. */
export interface Problem {
  readonly start: number;
  readonly end: number;
  readonly category: "error" | "warning" | "suggestion";
  readonly message: string;
  /** TypeScript's number for the error; a syntax error has none. */
  readonly code?: number;
  /** The user's file that the offsets are in. Default: the cell. */
  readonly file?: { readonly name: string; readonly text: string };
  /** A replacement that fixes the error. */
  readonly advice?: Replacement;
}

export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly sentence: string;
  readonly also: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** The most errors that are printed: a cell with an error in every line needs no more. */
const MAX_PROBLEMS = 20;

/**
 * All problems of a cell as lines ready to print, a blank one between them, their count at the end.
 *
 *     TypeCheckError: Type 'string' is not assignable to type 'number'. (TS2322)
 *     > 2 | const x: number = "a";
 *         |       ^
 *         at Cell [3]:2:7
 *
 * @param title `TypeCheckError`, `SyntaxError`, or `Warning` where the cell runs all the same
 */
export function formatProblems(
  problems: readonly Problem[],
  text: string,
  count: number,
  title: string,
): string[] {
  const lines = problems
    .slice(0, MAX_PROBLEMS)
    .flatMap((problem) => [...formatProblem(problem, text, count, title), ""]);
  if (problems.length < 2) return lines.slice(0, -1);
  const places = new Set(problems.map(({ file }) => file?.name ?? `Cell [${count}]`));
  return [...lines, `Found ${problems.length} problems in ${[...places].join(", ")}.`];
}

function formatProblem(problem: Problem, cell: string, count: number, title: string): string[] {
  const { message, code, file } = problem;
  const { name, text } = file ?? { name: `Cell [${count}]`, text: cell };
  const [first = "", ...more] = message.split("\n");
  const number = code === undefined ? "" : ` ${STYLE.quiet}(TS${code})${STYLE.plain}`;
  const marked = locate(problem, text);
  return [
    `${STYLE.name}${title}${STYLE.plain}: ${first}${number}`,
    ...more,
    ...codeFrame(text, marked),
    frameLine(placeText(name, marked)),
  ];
}

/** One line without colour, for `evalue`: `Cell [3]:2:7 - TS2322: Type ...`. */
export function summarizeProblem(problem: Problem, cell: string, count: number): string {
  const { name, text } = problem.file ?? { name: `Cell [${count}]`, text: cell };
  const { line, column } = locate(problem, text);
  const code = problem.code === undefined ? "" : `TS${problem.code}: `;
  return `${name}:${line}:${column} - ${code}${problem.message.split("\n")[0]}`;
}

/** Only the part on the first line is marked. */
function locate({ start, end }: Problem, text: string): Required<Marked> {
  const before = text.slice(0, start);
  const lineStart = before.lastIndexOf("\n") + 1;
  const next = text.slice(start).search(/\r?\n/);
  const lineEnd = next < 0 ? text.length : start + next;
  return {
    line: before.split("\n").length,
    column: start - lineStart + 1,
    length: Math.max(1, Math.min(end, lineEnd) - start),
  };
}
