// A notebook of Python, converted cell by cell, prints what it prints in Python: a variable that a block sets is the notebook's,
// and a cell knows the functions, classes and imports of those above it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { convertCell, outcome, runNotebook } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

const notebook = (cells: readonly string[]) => runNotebook(kernel.client, cells);

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
  [
    "if and else, which both set a new one",
    ["x = 3", "if x > 5:\n    size = 'big'\nelse:\n    size = 'small'", "print(size)"],
    "small\n",
  ],
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

const NET = `import torch.nn as nn
class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.layer = nn.Linear(2, width)
    def forward(self, x, scale=1.0):
        return self.layer(x) * scale`;

it.each<[what: string, cells: readonly string[], printed: string]>([
  [
    "a model, by keyword",
    [
      NET,
      "import torch\nmodel = Net(width=4)",
      "print(model(torch.ones(1, 2), scale=0.0).abs().sum().item(), model.layer.weight.shape)",
    ],
    "0 [ 4, 2 ]\n",
  ],
  [
    "a class that extends it",
    [
      NET,
      "import torch\nclass Wide(Net):\n    def twice(self, x):\n        return self(x, scale=2.0)",
      "print(Wide(width=5).twice(torch.ones(1, 2)).shape)",
    ],
    "[ 1, 5 ]\n",
  ],
  ["a function, by keyword", ["def f(a, b=2, c=3):\n    return a + b * c", "print(f(1, c=5))"], "11\n"],
  [
    "a dataclass",
    [
      "from dataclasses import dataclass\n@dataclass\nclass Config:\n    rate: float = 0.5\n    steps: int = 3",
      "config = Config(steps=5)",
      "print(config.rate, config.steps)",
    ],
    "0.5 5\n",
  ],
  [
    "a function that another kind of value has replaced",
    ["def f(a, b=2):\n    return a", "f = [7]", "print(f[0])"],
    "7\n",
  ],
  [
    "a file of one's own, which a cell above stands for",
    [
      "class Corpus(object):\n    def __init__(self, path, limit=2):\n        self.words = path.split()[:limit]",
      "def longest(words):\n    return max(words, key=len)",
      "import data\nfrom tools.texts import longest\ncorpus = data.Corpus('a bee sees', limit=3)\nprint(longest(corpus.words), len(corpus.words))",
    ],
    "sees 3\n",
  ],
  [
    "a name that is imported",
    ["from torch.nn import Linear\nfrom math import sqrt", "print(Linear(2, 3).weight.shape, sqrt(16))"],
    "[ 3, 2 ] 4\n",
  ],
])("what an earlier cell made: %s", async (_, cells, printed) => {
  expect(await notebook(cells)).toEqual({ printed, marks: [] });
});

it("a class that a cell of TypeScript declares is made with new", async () => {
  await kernel.client.execute("%reset -f");
  await kernel.client.execute(
    "class Own { constructor(readonly size: number, readonly options: { rate?: number } = {}) {} }",
  );
  const { typescript, marks } = await convertCell(kernel.client, "own = Own(3, rate=0.5)\nprint(own.size)");
  expect([typescript, marks]).toEqual(["let own = new Own(3, { rate: 0.5 });\nconsole.log(own.size);", []]);
  expect(await outcome(kernel.client, typescript)).toBe("3\n");
});

it("a line of IPython is left out, with a mark", async () => {
  await kernel.client.execute("%reset -f");
  const { typescript, marks } = await convertCell(
    kernel.client,
    "!pip install torch\n%matplotlib inline\nx = (7\n%4)\nprint(x)",
  );
  const said = (line: number, text: string) =>
    `line ${line}: a line of IPython is left out, ${text}: %sh runs a command here, %npm installs a package`;
  expect(marks).toEqual([said(1, "!pip install torch"), said(2, "%matplotlib inline")]);
  expect(typescript).toContain(`// TODO: python ${said(1, "!pip install torch")}\n`);
  expect(await outcome(kernel.client, typescript)).toBe("3\n");
});
