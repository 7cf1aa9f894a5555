// Type and syntax errors of a cell as text that reads like tsc's: position, message, the line, a caret. Knows the
// look, not where diagnostics come from.

/** What is wrong at which place; offsets are 0-based UTF-16 positions in the cell's text. */
export interface Problem {
  readonly start: number;
  readonly end: number;
  readonly category: "error" | "warning" | "suggestion";
  readonly message: string;
  /** TypeScript's number for it; a syntax error has none. */
  readonly code?: number;
}

const STYLE = {
  file: "\x1b[96m",
  position: "\x1b[93m",
  error: "\x1b[91m",
  warning: "\x1b[93m",
  suggestion: "\x1b[90m",
  code: "\x1b[90m",
  gutter: "\x1b[7m",
  reset: "\x1b[0m",
} as const;

const TABS = /\t/g;

/**
 * Lines ready to print:
 *
 *     Cell [3]:2:7 - error TS2322: Type 'string' is not assignable to type 'number'.
 *
 *     2 const x: number = "a";
 *             ~
 */
function formatProblem(problem: Problem, text: string, count: number): string[] {
  const { line, column, lineText } = locate(text, problem.start);
  const [first = "", ...more] = problem.message.split("\n");
  const colour = STYLE[problem.category];
  const code = problem.code === undefined ? "" : `${STYLE.code} TS${problem.code}`;
  const length = Math.max(1, Math.min(problem.end - problem.start, lineText.length - column));
  const gutter = String(line + 1);
  return [
    `${STYLE.file}Cell [${count}]${STYLE.reset}:${STYLE.position}${line + 1}${STYLE.reset}:` +
      `${STYLE.position}${column + 1}${STYLE.reset} - ` +
      `${colour}${problem.category}${STYLE.reset}${code}${STYLE.code}: ${STYLE.reset}${first}`,
    ...more,
    "",
    `${STYLE.gutter}${gutter}${STYLE.reset} ${lineText.replace(TABS, " ")}`,
    `${STYLE.gutter}${" ".repeat(gutter.length)}${STYLE.reset} ` +
      `${" ".repeat(column)}${colour}${"~".repeat(length)}${STYLE.reset}`,
  ];
}

/** One line without colour, for `evalue`: `Cell [3]:2:7 - TS2322: Type ...`. */
export function summarizeProblem(problem: Problem, text: string, count: number): string {
  const { line, column } = locate(text, problem.start);
  const code = problem.code === undefined ? "" : `TS${problem.code}: `;
  return `Cell [${count}]:${line + 1}:${column + 1} - ${code}${problem.message.split("\n")[0]}`;
}

/** All problems of a cell, a blank line between them, and tsc's count at the end. */
export function formatProblems(problems: readonly Problem[], text: string, count: number): string[] {
  const lines = problems.flatMap((problem) => [...formatProblem(problem, text, count), ""]);
  if (problems.length < 2) return lines.slice(0, -1);
  return [...lines, `Found ${problems.length} problems in Cell [${count}].`];
}

function locate(text: string, offset: number): { line: number; column: number; lineText: string } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const lineEnd = text.indexOf("\n", lineStart);
  return {
    line: before.split("\n").length - 1,
    column: offset - lineStart,
    lineText: text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).replace(/\r$/, ""),
  };
}
