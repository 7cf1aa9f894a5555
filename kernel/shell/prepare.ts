// Compiles a cell under the notebook's switches and checks its types. A cell that must not run ends as a `CellStop`.
// Keeps no state.
import { cellText, type Language } from "../language/service.ts";
import { commit, type Bindings, type Declared } from "../cell/analyze.ts";
import type { TypeScriptOptions } from "../cell/names.ts";
import { withAskedVersion } from "../cell/foreign_specifiers.ts";
import { CellSyntaxError, type Compiled, UnparsableError } from "../cell/compile.ts";
import { wholeFloats } from "../language/whole_floats.ts";
import { STYLE } from "../errors/code_frame.ts";
import { toCodePoints } from "../protocol/code_points.ts";
import { formatProblems, summarizeProblem, type Problem } from "../errors/diagnostics.ts";
import { answerSyntax, pythonAdviser } from "./python_answers.ts";
import { type AppliedMagics, applyMagics, MagicLineError } from "./kernel_magics.ts";
import type { KernelState, Switches } from "../magics/kernel_side.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { SnapshotError } from "../snapshot/manifest.ts";
import { withRestored } from "../snapshot/restored_cell.ts";
import type { ErrorContent, Script, UserExpressionResult } from "../session/channel.ts";

/** Ends a cell before it runs, or because it failed, with the error for the user. */
export class CellStop extends Error {
  constructor(readonly content: ErrorContent) {
    super(content.evalue);
  }

  static because(ename: string, evalue: string): CellStop {
    return new CellStop(plainError(ename, evalue));
  }
}

export interface CellSource {
  readonly code: string;
  readonly count: number;
  /** The name of the cell's code in the session; cells may share an execution count. */
  readonly script: string;
}

/**
 * The cell with its `%restore` lines as declarations.
 *
 * @throws CellStop
 */
export function restoring(code: string, directory: string): string {
  try {
    return withRestored(code, directory);
  } catch (error) {
    if (error instanceof SnapshotError) throw CellStop.because(error.name, error.message);
    throw error;
  }
}

/**
 * Compiles a cell with the switches that the cell itself sets.
 *
 * @param language finds an advice for an error
 * @throws CellStop
 */
export async function compileCell(
  source: CellSource,
  compile: KernelDependencies["compile"],
  bindings: Bindings,
  state: KernelState & { readonly typescript: TypeScriptOptions },
  language: Language,
): Promise<AppliedMagics & { readonly compiled: Compiled }> {
  const { code, script } = source;
  const { switches, typescript } = state;
  try {
    const compiled = compile(code, bindings, { script, flush: switches.flush, typescript });
    const applied = await applyMagics(state, compiled.magics);
    const { flush } = applied.switches;
    if (flush === switches.flush) return { compiled, ...applied };
    return { compiled: compile(compiled, bindings, { script, flush, typescript }), ...applied };
  } catch (error) {
    if (error instanceof MagicLineError) {
      const { start, end } = error.magic;
      throw stopFor(error.reason.name, [{ start, end, category: "error", message: error.message }], source);
    }
    if (!(error instanceof CellSyntaxError)) throw error;
    const { name, start, end, message } = error;
    const problem: Problem = { start, end, category: "error", message };
    throw stopFor(name, [await repaired(problem, code, language, error)], source);
  }
}

const NO_ANSWER = { offers: [], remark: null };

/** The syntax error with an advice that fixes it, or with a remark if the line is Python. */
export async function repaired(
  problem: Problem,
  code: string,
  language: Language,
  error: CellSyntaxError,
): Promise<Problem> {
  const { start } = problem;
  try {
    const types = await language.types();
    const { offers, remark } =
      error instanceof UnparsableError ? await answerSyntax(code, start, types) : NO_ANSWER;
    const found = await language.repair(code, problem, offers);
    return found.advice === undefined && remark !== null
      ? { ...problem, ...remark }
      : { ...problem, ...found };
  } catch {
    return problem; // The checker does not answer: the parser's error is shown as it is.
  }
}

/**
 * Checks the types as `%check` says. Resolves with what is to be printed to stderr, empty if all is well.
 *
 * @throws CellStop
 */
export async function checkTypes(
  source: CellSource,
  compiled: Compiled,
  language: Language,
  { check }: Switches,
): Promise<string> {
  if (check === "off") return "";
  const inCell = <Found extends Problem>(found: Found): Found =>
    found.file === undefined ? moved(found, compiled.original) : found;
  let problems: readonly Problem[];
  try {
    const checked = await language.check(cellText(compiled, source.count), pythonAdviser);
    const found = checked
      .map(inCell)
      .map((problem) => ({ ...problem, message: withAskedVersion(problem.message, source.code) }));
    problems = found.filter(({ category }) => category === "error");
  } catch (error) {
    return `Types were not checked: ${(error as Error).message}\n`;
  }
  if (check === "error" && problems.length > 0) throw stopFor("TypeCheckError", problems, source);
  const note = language.takeNote();
  const told = note === null ? "" : `${STYLE.quiet}${note}${STYLE.plain}\n`;
  const warnings = [...problems, ...wholeFloats(compiled).map(inCell)];
  if (warnings.length === 0) return told;
  return `${told}${formatProblems(warnings, source.code, source.count, "Warning").join("\n")}\n`;
}

export interface CompiledExpressions {
  readonly compiled: Readonly<Record<string, Script>>;
  readonly refused: Readonly<Record<string, UserExpressionResult>>;
}

/**
 * Compiles the `user_expressions` of a cell that declares `declared`. An expression that does not parse does not stop
 * the others.
 *
 * @param cell the name of the cell's script, from which those of the expressions are made
 */
export function compileExpressions(
  expressions: Readonly<Record<string, string>>,
  compile: KernelDependencies["compile"],
  bindings: Bindings,
  declared: readonly Declared[],
  cell: string,
): CompiledExpressions {
  const compiled: Record<string, Script> = {};
  const refused: Record<string, UserExpressionResult> = {};
  const afterCell = commit(bindings, declared, new Set(declared.map(({ runtimeName }) => runtimeName)));
  for (const [index, [key, text]] of Object.entries(expressions).entries()) {
    try {
      const options = { script: `${cell}.${index}`, flush: false };
      const { url, code, map } = compile(text, afterCell, options);
      compiled[key] = { url, code, map, text };
    } catch (error) {
      if (!(error instanceof CellSyntaxError)) throw error;
      refused[key] = { status: "error", ...plainError(error.name, error.message) };
    }
  }
  return { compiled, refused };
}

/** The error for a problem: its place in the cell, and its advice. */
function moved<Found extends Problem>(problem: Found, original: (offset: number) => number): Found {
  const at = <Place extends { readonly start: number; readonly end: number }>(place: Place): Place => ({
    ...place,
    start: original(place.start),
    end: original(place.end),
  });
  const { advice } = problem;
  return advice === undefined
    ? at(problem)
    : { ...at(problem), advice: { ...at(advice), also: advice.also.map(at) } };
}

function stopFor(ename: string, problems: readonly Problem[], { code, count }: CellSource): CellStop {
  const evalue = summarizeProblem(problems[0] as Problem, code, count);
  const position = (offset: number) => toCodePoints(code, offset);
  const advice = problems.flatMap((problem) => moved(problem, position).advice ?? []);
  const traceback = formatProblems(problems, code, count, ename);
  return new CellStop({ ename, evalue, traceback, ...(advice.length > 0 && { advice }) });
}

function plainError(ename: string, evalue: string): ErrorContent {
  return { ename, evalue, traceback: [`${STYLE.name}${ename}${STYLE.plain}: ${evalue}`] };
}
