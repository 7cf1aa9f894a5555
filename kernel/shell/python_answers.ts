// Answers errors about Python in a cell. The converter is loaded with the first of them.
import type { Problem } from "../errors/diagnostics.ts";

/** "Cannot find name 'x'.", "Property 'x' does not exist on type 'y'.", and the same with a guess; "(x) has no value". */
const UNKNOWN = new Set([2304, 2339, 2503, 2552, 2584, 18004]);

/**
 * The error of a text that is no TypeScript, answered where it is Python.
 *
 * @param typesOf asks for the printed types of variables that earlier cells left
 */
export async function answerSyntax(
  problem: Problem,
  code: string,
  typesOf: () => Promise<ReadonlyMap<string, string>>,
): Promise<Problem> {
  const { hintAtSyntaxError } = await import("../python/hints.ts");
  const hint = hintAtSyntaxError(code, problem.start, await typesOf());
  return hint === null ? problem : { ...problem, ...hint };
}

/**
 * Errors about names that there are not, each line answered once.
 *
 * @param isKnown whether a name is there without an import
 */
export async function answerNames<Found extends Problem>(
  problems: readonly Found[],
  code: string,
  isKnown: (name: string) => boolean,
): Promise<readonly Found[]> {
  if (!problems.some(({ code: number }) => number !== undefined && UNKNOWN.has(number))) return problems;
  const { hintAtUnknownName } = await import("../python/hints.ts");
  const answered = new Map<number, Found>();
  const lineOf = ({ start }: Problem) => code.slice(0, start).split("\n").length;
  for (const problem of problems) {
    if (problem.code === undefined || !UNKNOWN.has(problem.code) || answered.has(lineOf(problem))) continue;
    const hint = hintAtUnknownName(code, problem.start, isKnown);
    if (hint === null) continue;
    const said = problem.message.split("\n")[0]!.replace(/\.(?: Did you mean .*)?$/, "");
    answered.set(lineOf(problem), { ...problem, message: `${said}: ${hint.message}.` });
  }
  const told = new Set<number>();
  return problems.flatMap((problem) => {
    const line = lineOf(problem);
    const answer = answered.get(line);
    if (answer === undefined) return [problem];
    if (told.has(line)) return [];
    told.add(line);
    return [answer];
  });
}
