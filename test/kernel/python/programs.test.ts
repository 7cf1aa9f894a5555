// Programs print the same numbers here as under Python and PyTorch, once %%python has translated them. Those of
// scripts.py and scripts_models.py have the shape of whole scripts: PyTorch's examples of their kind, in words of our own.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertAlone, outcome, pythonCells } from "../../helpers/python_cells.ts";

const folder = new URL("../../fixtures/python/", import.meta.url);
const programs = ["programs", "scripts", "scripts_models"].flatMap((name) => {
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

it.each(programs)("%s", async (_, python, printed, isScript) => {
  const { typescript } = convertAlone(python);
  if (isScript) expect(typescript).not.toContain("TODO");
  const output = await outcome(kernel.client, typescript);
  expect(output).not.toContain("FAILED");
  expect(tokens(output).map(value)).toEqual(tokens(printed).map(near));
});
