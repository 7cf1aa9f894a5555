// Programs print the same numbers here as under Python and PyTorch, once %%python has translated them.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell, outcome, pythonCells } from "../../helpers/python_cells.ts";

const folder = new URL("../../fixtures/python/", import.meta.url);
const titles = [...readFileSync(new URL("programs.py", folder), "utf8").matchAll(/^# %% (.*)$/gm)].map(
  ([, title]) => title!,
);
const cells = pythonCells(new URL("programs.py", folder));
const printed = JSON.parse(readFileSync(new URL("programs.json", folder), "utf8")) as Record<string, string>;

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

it.each(titles.map((title, at) => [title, cells[at]!] as const))("%s", async (title, python) => {
  const { typescript } = await convertCell(kernel.client, python);
  const output = await outcome(kernel.client, typescript);
  expect(output).not.toContain("FAILED");
  expect(tokens(output).map(value)).toEqual(tokens(printed[title]!).map(near));
});
