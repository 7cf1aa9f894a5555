// A notebook of Python, converted cell by cell, prints what it prints in Python: a variable that a block sets is the notebook's.
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell, outcome } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

/** Converts and runs the cells of a new notebook in their order. */
async function notebook(
  cells: readonly string[],
): Promise<{ readonly printed: string; readonly marks: string[] }> {
  await kernel.client.execute("%reset -f");
  const marks: string[] = [];
  let printed = "";
  for (const python of cells) {
    const converted = await convertCell(kernel.client, python);
    marks.push(...converted.marks);
    printed += await outcome(kernel.client, converted.typescript);
  }
  return { printed, marks };
}

it.each<[block: string, cells: readonly string[], printed: string]>([
  [
    "with",
    ["x = 1", "import torch\nwith torch.no_grad():\n    x = 2\n    y = x + 1", "print(x, y)"],
    "2 3\n",
  ],
  ["if", ["rate = 0.5", "if rate < 1:\n    rate = 0.25", "print(rate)"], "0.25\n"],
  ["if that is not taken", ["rate = 0.5", "if rate > 1:\n    rate = 0.25", "print(rate)"], "0.5\n"],
  ["for", ["last = 0", "for value in [3, 4]:\n    last = value", "print(last)"], "4\n"],
  [
    "for over a range, whose target holds the last number",
    ["i = 7", "for i in range(3):\n    pass", "print(i)"],
    "2\n",
  ],
  ["for over no element", ["i = 7", "for i in range(0):\n    pass", "print(i)"], "7\n"],
  [
    "for whose target was read before",
    ["i = 7", "print(i)\nfor i in range(3):\n    pass", "print(i)"],
    "7\n2\n",
  ],
  ["enumerate", ["i, x = 1, 2", "for i, x in enumerate([10, 20]):\n    x = x + 1", "print(i, x)"], "1 21\n"],
  ["while", ["n = 3", "while True:\n    n = 5\n    break", "print(n)"], "5\n"],
  ["try", ["n = 3", "try:\n    n = int('4')\nexcept ValueError:\n    n = 0", "print(n)"], "4\n"],
  ["a function, which has its own", ["n = 3", "def f():\n    n = 4\n    return n\nf()", "print(n)"], "3\n"],
])("the variable of an earlier cell that is set in a block: %s", async (_, cells, printed) => {
  expect(await notebook(cells)).toEqual({ printed, marks: [] });
});

it("a block that sets it to another kind of value has a variable of its own, and says so", async () => {
  const cells = ["x = 1", "import torch\nfor x in [torch.ones(2)]:\n    print(x.sum().item())", "print(x)"];
  expect(await notebook(cells)).toEqual({
    printed: "2\n1\n",
    marks: ["line 2: this x ends with its block, and the x of an earlier cell stays: rename one of them"],
  });
});
