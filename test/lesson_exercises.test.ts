// The exercises of the lessons, solved in a kernel: what a lesson gives as a right answer passes its check, and a wrong one is
// told why it is wrong. Each lesson runs once, from the top to its last exercise, in a folder of its own.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
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
    const last = cells.findLastIndex((cell) => isProgram(cell) && CHECK.test(cell.source));
    try {
      for (const [at, cell] of cells.slice(0, last + 1).entries()) {
        if (!isProgram(cell)) continue;
        await run.runCell(cell);
        const [, exercise] = CHECK.exec(cell.source) ?? [];
        if (exercise === undefined) continue;
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
