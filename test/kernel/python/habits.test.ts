// Habits of people who write PyTorch: each line of Python with the exact TypeScript that %%python makes of it, which then
// runs in a kernel. After a change: MPSLAB_UPDATE_PYTHON=1 npm test -- test/kernel/python/habits.test.ts, and read the
// difference of test/fixtures/python/habits.txt.
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { convertPython } from "../../../kernel/python/convert.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { outcome } from "../../helpers/python_cells.ts";

const FILE = new URL("../../fixtures/python/habits.txt", import.meta.url);

interface Habit {
  readonly python: string;
  readonly typescript: string;
}

const habits = readFileSync(FILE, "utf8")
  .split(/^# %%\n/m)
  .slice(1)
  .map((text): Habit => {
    const [python = "", typescript = ""] = text.split(/^→\n/m);
    return { python, typescript };
  });

/** What an earlier cell has made, and the types of it as the kernel prints them. */
const NOTEBOOK = `
import { data, functional as F, nn, optim, torch, type Tensor } from "mpslab";
torch.manualSeed(0);
let [x, y, w] = [torch.rand([2, 3]), torch.rand([2, 3]), torch.rand([3, 2])];
let layer = new nn.Linear(3, 3);
let model = new nn.Sequential(new nn.Linear(3, 3));
let optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
let loader = new data.DataLoader(new data.TensorDataset(torch.ones([4, 3]), torch.zeros([4])), { batchSize: 2 });
let a = 1;
let names: string[] = [];
let squares = [1];
torch.save(model.stateDict(), "habits.pt");
`;
const TYPES = new Map(
  Object.entries({
    x: "Tensor",
    y: "Tensor",
    w: "Tensor",
    layer: "nn.Linear",
    model: "nn.Sequential",
    loader: "data.DataLoader",
    optimizer: "SGD",
    a: "number",
    names: "string[]",
    squares: "number[]",
  }),
);

if (process.env["MPSLAB_UPDATE_PYTHON"]) {
  const texts = habits.map(({ python }) => `# %%\n${python}→\n${convertPython(python, TYPES).typescript}`);
  writeFileSync(FILE, texts.join(""));
}

describe("a habit of Python is written", () => {
  it.each(habits.map(({ python, typescript }) => [python.split("\n")[0]!, python, typescript] as const))(
    "%s",
    (_, python, typescript) => {
      expect(convertPython(python, TYPES).typescript).toBe(typescript);
    },
  );

  it("for a hundred habits", () => {
    expect(habits.length).toBeGreaterThanOrEqual(100);
  });
});

/** Habits that name what is not here: a mark says so, and the code does not run. */
const MISSING = /numpy|np\.|plt\./;

describe("the TypeScript runs", () => {
  let kernel: KernelProcess;
  beforeAll(async () => {
    kernel = await KernelProcess.start();
  });
  afterAll(() => kernel.stop());

  it.each(
    habits
      .filter(({ python }) => !MISSING.test(python))
      .map(({ python, typescript }) => [python.split("\n")[0]!, typescript] as const),
  )("%s", async (_, typescript) => {
    expect(await outcome(kernel.client, NOTEBOOK)).toBe("");
    expect(await outcome(kernel.client, typescript)).not.toContain("FAILED");
  });
});
