// A name that %%python has marked as missing stops the cell with the mark's own words, once, and not with the checker's.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

async function errorsOf(python: string): Promise<string[]> {
  const { typescript } = await convertCell(kernel.client, python);
  const { errors } = await kernel.client.execute(typescript);
  const lines = (errors[0]!["traceback"] as string[]).map(stripVTControlCharacters);
  return lines.filter((line) => line.startsWith("TypeCheckError") || line.startsWith("Found"));
}

it("a function that is not here", async () => {
  expect(await errorsOf("import torch\nprint(torch.no_such_thing(torch.ones(2)))")).toEqual([
    "TypeCheckError: There is no torch.no_such_thing here. (TS2339)",
  ]);
});

it("a module that is not here, named twice in a line", async () => {
  expect(await errorsOf("import shutil\nprint(shutil.which('a'), shutil.which('b'))")).toEqual([
    "TypeCheckError: There is no shutil here, unless npm has it. (TS2304)",
  ]);
});

it("an error beside a mark keeps the checker's words", async () => {
  const python = "import torch\ny = torch.no_such_thing(torch.ones(2).view('a'))";
  const [mark, other] = await errorsOf(python);
  expect(mark).toBe("TypeCheckError: There is no torch.no_such_thing here. (TS2339)");
  expect(other).toContain("TypeCheckError: ");
});
