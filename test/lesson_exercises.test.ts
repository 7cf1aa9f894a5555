// The exercises of the lessons, solved in a kernel: what a lesson gives as a right answer passes its check, and a wrong one is
// told why it is wrong. Of a lesson, those cells run that make what its exercises read; the whole of it runs in
// `notebooks.test.ts`.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../kernel/cell/analyze.ts";
import { compile } from "../kernel/cell/compile.ts";
import { NotebookRun } from "../kernel/cli/client/notebook_run.ts";
import { readNotebook } from "../kernel/cli/notebook/file.ts";
import { type CodeCell, isProgram } from "../kernel/cli/notebook/format.ts";
import { WRONG_SOLUTIONS } from "./fixtures/wrong_solutions.ts";
import { type Output, textOf } from "./helpers/notebook_content.ts";

const notebooks = path.resolve(import.meta.dirname, "../notebooks");
const lessons = readdirSync(notebooks).filter((name) => /^\d\d-.*\.ipynb$/.test(name));
const CHECK = /\blab\.check\("(\w+)"/;
const ANSWER = /<summary>One right answer<\/summary>\n\n```\w+\n([^]*?)\n```/;

/** Answers that show the changed lines only: what they make of the exercise. */
const CHANGED_LINES: Readonly<Record<string, (exercise: string) => string>> = {
  train: (code) =>
    code.replaceAll("model(x);", "model(x).detach();").replace("model(x)]", "model(x).detach()]"),
  accumulate: (code) =>
    code
      .replace("labelParts[at]!)", "labelParts[at]!).div(4)")
      .replace("backward();\n  }", "backward();\n  }\n  scaler.unscale_(optimizer);"),
  SoftSign: (code) => code.replace("= 1.0 / (d * d)", "= dy[i] / (d * d)"),
  addRow: (code) => code.replace("row[at.y]", "row[at.x]"),
  healthyRun: (code) => code.replace(/losses\.push\((.+)\);/, "losses.push(torch.noGrad(() => $1));"),
  normalize: (code) =>
    code.replace("x[i] / 255.0f - 0.5f", "clamp((x[i] / 255.0f - 0.5f) / 0.25f, -1.0f, 1.0f)"),
};

const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-exercises-"));
cpSync(path.join(notebooks, "data"), path.join(folder, "data"), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

/** What the whole session depends on. */
const SETS_SESSION = /^%|\bmps\.simulate\(|\bmanualSeed\(/m;

/** The texts among these that the last of them needs to run: those that set the session, or make names that it reads. */
function neededBy(texts: readonly string[]): Set<string> {
  const needed = new Set(texts.filter((text, at) => at === texts.length - 1 || SETS_SESSION.test(text)));
  const names = new Set<string>();
  for (const text of texts.toReversed()) {
    const { declared, uses } = compile(text, NO_BINDINGS, { script: "1", flush: true });
    const { reads, assigns, late } = uses();
    const made = [...declared.map(({ name }) => name), ...assigns];
    if (!needed.has(text) && !made.some((name) => names.has(name))) continue;
    needed.add(text);
    for (const name of [...reads, ...[...late.values()].flatMap((later) => [...later])]) names.add(name);
  }
  return needed;
}

const told = ({ outputs }: CodeCell): string =>
  (outputs as readonly Output[])
    .map((output) => {
      if (output.output_type === "stream") return "";
      return "data" in output ? textOf(output.data["text/plain"] ?? "") : `${output.ename}: ${output.evalue}`;
    })
    .join("\n")
    .replaceAll(/\s+/g, " ");

describe.each(lessons)("%s", (lesson) => {
  it("passes its own right answers, and says of wrong ones why they are wrong", async () => {
    const { cells } = readNotebook(path.join(notebooks, lesson));
    const wrong = WRONG_SOLUTIONS[path.basename(lesson, ".ipynb")] ?? {};
    const run = await NotebookRun.start(folder);
    /** What a cell shows beneath code that stands in for the exercise's. */
    const checked = async (check: CodeCell, code: string): Promise<string> => {
      const [solution, again] = [
        { ...check, source: code, outputs: [] },
        { ...check, outputs: [] },
      ];
      await run.runCell(solution);
      await run.runCell(again);
      return told(solution) + told(again);
    };
    const solved: string[] = [];
    const done = new Set<string>();
    try {
      for (const [at, cell] of cells.entries()) {
        const [, exercise] = (isProgram(cell) && CHECK.exec(cell.source)) || [];
        if (!isProgram(cell) || exercise === undefined) continue;
        const above = cells.slice(0, at + 1).filter(isProgram);
        const needed = neededBy(above.map(({ source }) => source));
        for (const one of above) {
          if (!needed.has(one.source) || done.has(one.source)) continue;
          await run.runCell(one);
          done.add(one.source);
        }
        for (const { code, reason } of wrong[exercise] ?? []) {
          const says = await checked(cell, code);
          expect.soft(says).toContain(`${exercise}: not yet.`);
          expect.soft(says).toContain(reason);
        }
        const [, answer] = ANSWER.exec(cells[at + 1]!.source) ?? [];
        const right = CHANGED_LINES[exercise]?.(cells[at - 1]!.source) ?? answer!;
        expect.soft(await checked(cell, right)).toContain(`${exercise}: right.`);
        solved.push(exercise);
      }
    } finally {
      await run.stop();
    }
    expect(solved.length).toBeGreaterThanOrEqual(3);
    expect(Object.keys(wrong).filter((exercise) => !solved.includes(exercise))).toEqual([]);
  });
});
