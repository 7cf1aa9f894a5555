// A line of Python means the same in TypeScript, or it is marked: small programs, run by Python once (programs_printed.py) and by
// the kernel here, once %%python has translated them. What they print is compared as values: True is not 1, and int64 not float32.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertAlone, outcome, pythonCells } from "../../helpers/python_cells.ts";

const folder = new URL("../../fixtures/python/", import.meta.url);
const file = new URL("meaning.py", folder);
const titles = [...readFileSync(file, "utf8").matchAll(/^# %% (.*)$/gm)].map(([, title]) => title!);
const cells = pythonCells(file);
const printed = JSON.parse(readFileSync(new URL("meaning.json", folder), "utf8")) as Record<string, string>;
const programs = titles.map((title, at) => [title, cells[at]!] as const);
const isMarked = ([title]: readonly [string, string]): boolean => title.startsWith("marked: ");

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  const output = await outcome(kernel.client, PRINT_VALUES);
  expect(output).toBe("");
});
afterAll(() => kernel.stop());

/** As the fixture's show() writes them. */
const PRINT_VALUES = `
function plain(value: any): any {
  if (typeof value?.setAt === "function") return { dtype: value.dtype, values: plain(value.tolist()) };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || value === undefined) return null;
  if (typeof value === "number" && !Number.isFinite(value))
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (value instanceof Error) return value.message;
  if (value.constructor === Object) return { keys: Object.keys(value), held: Object.values(value).map(plain) };
  return value;
}
const printValues = (...values: any[]) => void process.stdout.write(JSON.stringify(values.map(plain)) + "\\n");
`;
/** A cell's own `console.log` ends with it. */
const printing = (typescript: string) => `console.log = printValues;\n${typescript}`;

/** Numbers of float32 agree to six digits. */
const values = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("["))
    .map((line) =>
      JSON.parse(line, (_, value: unknown) =>
        typeof value === "number" ? Number(value.toPrecision(6)) : value,
      ),
    );

describe("means the same", () => {
  it.each(programs.filter((program) => !isMarked(program)))("%s", async (title, python) => {
    const { typescript, marks } = convertAlone(python);
    expect(marks).toEqual([]);
    const output = await outcome(kernel.client, printing(typescript));
    if (!printed[title]!.includes("fails: ")) expect(output).not.toContain("FAILED");
    else expect(output).toContain("FAILED");
    if (!output.startsWith("FAILED")) expect(values(output)).toEqual(values(printed[title]!));
  });
});

describe("says that it means something else", () => {
  it.each(programs.filter(isMarked))("%s", (_, python) => {
    const { marks } = convertAlone(python);
    expect(marks).not.toEqual([]);
  });
});
