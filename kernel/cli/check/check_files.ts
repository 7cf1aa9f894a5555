// `mpslab check`: looks for errors in TypeScript files and notebooks as a kernel does before it runs a cell, with the advice
// for each. Runs nothing, and needs neither libtorch nor Jupyter.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { failureReason } from "../../../lib/whole_file.ts";
import { type Bindings, commit, NO_BINDINGS } from "../../cell/analyze.ts";
import { CellSyntaxError, type Compiled, compile } from "../../cell/compile.ts";
import { formatProblems, type Problem } from "../../errors/diagnostics.ts";
import { cellText, LanguageService } from "../../language/service.ts";
import { repaired } from "../../shell/prepare.ts";
import { pythonAdviser } from "../../shell/python_answers.ts";
import { readNotebook } from "../notebook/file.ts";
import { CommandError } from "../project.ts";

interface Part {
  /** `train.ts`, `a.ipynb, cell 3` */
  readonly name: string;
  readonly text: string;
}

/** Resolves with the exit status: 1 where something is wrong. @param names paths as they were given */
export async function check(names: readonly string[]): Promise<number> {
  if (names.length === 0)
    throw new CommandError("check takes files and notebooks: mpslab check train.ts a.ipynb");
  const files = names.map((name) => path.resolve(name));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new CommandError(`There is no file ${missing}: check the path.`);
  let count = 0;
  for (const file of files) {
    for (const lines of await problemsOf(file)) {
      count++;
      const text = lines.join("\n");
      process.stdout.write(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n\n`);
    }
  }
  process.stdout.write(count === 0 ? "No problems.\n" : `Problems: ${count}\n`);
  return count === 0 ? 0 : 1;
}

async function problemsOf(file: string): Promise<string[][]> {
  const language = new LanguageService(path.dirname(file));
  const found: string[][] = [];
  let bindings: Bindings = NO_BINDINGS;
  try {
    for (const [index, { name, text }] of partsOf(file).entries()) {
      const count = index + 1;
      const { problems, compiled } = await checked(text, count, bindings, language);
      for (const problem of problems) {
        const title =
          problem.category === "error" ? (problem.code ? "TypeCheckError" : "SyntaxError") : "Warning";
        found.push(formatProblems([{ file: { name, text }, ...problem }], text, count, title));
      }
      if (compiled === null) continue;
      // The notebook's next cell sees what this one declares, even if this one has errors.
      const { declared } = compiled;
      bindings = commit(bindings, declared, new Set(declared.map(({ runtimeName }) => runtimeName)));
      language.commit(cellText(compiled, count), new Set(declared.map(({ name: own }) => own)));
    }
    return found;
  } finally {
    language.close();
  }
}

async function checked(
  text: string,
  count: number,
  bindings: Bindings,
  language: LanguageService,
): Promise<{ readonly problems: readonly Problem[]; readonly compiled: Compiled | null }> {
  const typescript = await language.typeScriptOptions(text);
  try {
    const compiled = compile(text, bindings, { script: String(count), flush: false, typescript });
    const problems = await language.check(cellText(compiled, count), pythonAdviser);
    const own = problems.map((problem) =>
      "file" in problem
        ? problem
        : { ...problem, start: compiled.original(problem.start), end: compiled.original(problem.end) },
    );
    return { problems: own, compiled };
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    const { start, end, message } = error;
    const problem: Problem = { start, end, category: "error", message };
    return { problems: [await repaired(problem, text, language, error)], compiled: null };
  }
}

/** A TypeScript file counts as one cell. */
function partsOf(file: string): readonly Part[] {
  const name = path.relative(process.cwd(), file);
  if (file.endsWith(".ipynb")) {
    const code = readNotebook(file).cells.filter(({ cell_type: type }) => type === "code");
    return code.map(({ source }, index) => ({ name: `${name}, cell ${index + 1}`, text: source }));
  }
  try {
    return [{ name, text: readFileSync(file, "utf8") }];
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${failureReason(file, error)}.`);
  }
}
