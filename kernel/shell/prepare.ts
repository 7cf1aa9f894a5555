// Compiles a cell under the notebook's switches and checks its types. A cell that must not run ends as a `CellStop`.
// Keeps no state.
import type { Language } from "../language/service.ts";
import { commit, type Bindings, type Declared } from "../cell/analyze.ts";
import type { TypeScriptOptions } from "../cell/names.ts";
import { withAskedVersion } from "../cell/foreign_specifiers.ts";
import { CellSyntaxError, type Compiled, UnparsableError } from "../cell/compile.ts";
import { wholeFloats } from "../language/whole_floats.ts";
import { COLOUR } from "../errors/code_frame.ts";
import { formatProblems, summarizeProblem, type Problem } from "../errors/diagnostics.ts";
import { answerNames, answerSyntax } from "./python_answers.ts";
import { type AppliedMagics, applyMagics, MagicLineError } from "./kernel_magics.ts";
import type { KernelState, Switches } from "../magics/kernel_side.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { SnapshotError } from "../snapshot/manifest.ts";
import { withRestored } from "../snapshot/restored_cell.ts";
import type { ErrorContent, Script, UserExpressionResult } from "../session/channel.ts";

/** The cell ends here, with what the user is to read. */
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
  /** Names its code in the session; an execution count may be shared. */
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
 * Compiles under the switches that the cell itself sets.
 *
 * @param typesOf asks for the printed types of variables that earlier cells left
 * @throws CellStop
 */
export async function compileCell(
  source: CellSource,
  compile: KernelDependencies["compile"],
  bindings: Bindings,
  state: KernelState & { readonly typescript: TypeScriptOptions },
  typesOf: () => Promise<ReadonlyMap<string, string>>,
): Promise<AppliedMagics & { readonly compiled: Compiled }> {
  const { code, script } = source;
  const { switches, typescript } = state;
  try {
    const compiled = compile(code, bindings, { script, flush: switches.flush, typescript });
    const applied = await applyMagics(state, compiled.magics);
    const { flush } = applied.switches;
    if (flush === switches.flush) return { compiled, ...applied };
    return { compiled: compile(code, bindings, { script, flush, typescript }), ...applied };
  } catch (error) {
    if (error instanceof MagicLineError) {
      const { start, end } = error.magic;
      throw stopFor(error.reason.name, [{ start, end, category: "error", message: error.message }], source);
    }
    if (!(error instanceof CellSyntaxError)) throw error;
    const { name, start, end, message } = error;
    const problem: Problem = { start, end, category: "error", message };
    throw stopFor(
      name,
      [error instanceof UnparsableError ? await answerSyntax(problem, code, typesOf) : problem],
      source,
    );
  }
}

/**
 * Checks the types as `%check` says. Resolves with what is to be printed to stderr, empty if all is well.
 *
 * @param isKnown whether a cell has declared or imported a name
 * @throws CellStop
 */
export async function checkTypes(
  source: CellSource,
  compiled: Compiled,
  language: Language,
  { check }: Switches,
  isKnown: (name: string) => boolean,
): Promise<string> {
  if (check === "off") return "";
  const inCell = <Found extends Problem>(found: Found): Found =>
    found.file === undefined
      ? { ...found, start: compiled.original(found.start), end: compiled.original(found.end) }
      : found;
  let problems: readonly Problem[];
  try {
    const { typescript, declared } = compiled;
    const checked = await language.check({ count: source.count, text: typescript, declared });
    const found = checked
      .map(inCell)
      .map((problem) => ({ ...problem, message: withAskedVersion(problem.message, source.code) }));
    const errors = found.filter(({ category }) => category === "error");
    problems = await answerNames(errors, source.code, isKnown);
  } catch (error) {
    return `Types were not checked: ${(error as Error).message}\n`;
  }
  if (check === "error" && problems.length > 0) throw stopFor("TypeCheckError", problems, source);
  const note = language.takeNote();
  const told = note === null ? "" : `${COLOUR.quiet}${note}${COLOUR.plain}\n`;
  const warnings = [...problems, ...wholeFloats(compiled.typescript).map(inCell)];
  if (warnings.length === 0) return told;
  return `${told}${formatProblems(warnings, source.code, source.count, "Warning").join("\n")}\n`;
}

export interface CompiledExpressions {
  readonly compiled: Readonly<Record<string, Script>>;
  readonly refused: Readonly<Record<string, UserExpressionResult>>;
}

/**
 * `user_expressions` of a cell that declares `declared`. One that does not parse does not stop the others.
 *
 * @param cell the name of the cell's script; theirs are made from it
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

function stopFor(ename: string, problems: readonly Problem[], { code, count }: CellSource): CellStop {
  const evalue = summarizeProblem(problems[0] as Problem, code, count);
  return new CellStop({ ename, evalue, traceback: formatProblems(problems, code, count, ename) });
}

function plainError(ename: string, evalue: string): ErrorContent {
  return { ename, evalue, traceback: [`${COLOUR.error}${ename}${COLOUR.plain}: ${evalue}`] };
}
