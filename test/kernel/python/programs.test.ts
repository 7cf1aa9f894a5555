// Programs print the same numbers here as under Python and PyTorch, once %%python has translated them. Those of the files
// called scripts have the shape of whole scripts: PyTorch's examples of their kind, in words of our own.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertAlone, outcome, pythonCells } from "../../helpers/python_cells.ts";

const folder = new URL("../../fixtures/python/", import.meta.url);
const files = ["programs", "scripts", "scripts_models", "scripts_images", "scripts_tasks", "scripts_loops"];
const programs = files.flatMap((name) => {
  const file = new URL(`${name}.py`, folder);
  const titles = [...readFileSync(file, "utf8").matchAll(/^# %% (.*)$/gm)].map(([, title]) => title!);
  const printed = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as Record<string, string>;
  const isScript = name.startsWith("scripts");
  return pythonCells(file).map((python, at) => {
    const title = titles[at]!;
    return [title, python, printed[title]!, isScript] as const;
  });
});

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

/** Words and numbers: brackets, commas and quotes of a printed list are another in each language. */
const tokens = (text: string): string[] => text.split(/[\s[\]{},'"()]+/).filter(Boolean);

/** Numbers of float32 agree to six digits. */
const near = (token: string): unknown =>
  /^-?[\d.]+(?:e[-+]?\d+)?$/.test(token) ? expect.closeTo(Number(token), 5) : token;
const value = (token: string): unknown => (/^-?[\d.]+(?:e[-+]?\d+)?$/.test(token) ? Number(token) : token);

/** The marks of scripts that do not run as Python wrote them, at most five lines of each. */
const MARKED: Readonly<Record<string, number>> = {
  "a transformer that translates, with padded batches and masks": 4,
};

it("most scripts need no mark", () => {
  const scripts = programs.filter(([, , , isScript]) => isScript);
  const marked = scripts.map(([title, python]) => [title, convertAlone(python).marks.length] as const);
  const unchanged = marked.filter(([, count]) => count === 0).length;
  console.log(`${unchanged} of ${scripts.length} scripts unchanged`);
  expect(Object.fromEntries(marked.filter(([, count]) => count > 0))).toEqual(MARKED);
});

it.each(programs)("%s", async (_, python, printed) => {
  const { typescript } = convertAlone(python);
  const output = await outcome(kernel.client, typescript);
  expect(output).not.toContain("FAILED");
  expect(tokens(output).map(value)).toEqual(tokens(printed).map(near));
});
