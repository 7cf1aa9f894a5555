// What PyTorch's official tutorials write, cell by cell, in words of our own: it prints what it prints in Python, or is marked.
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { runNotebook } from "../../helpers/python_cells.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());

it.each<[what: string, cells: readonly string[], printed: string]>([
  [
    "a tensor is the place of an element in a list",
    [
      "import torch\nnames = ('cat', 'dog')\nlabels = torch.tensor([1, 0])",
      "def name_of(i):\n    return names[i]\nprint(names[labels[0]], name_of(labels[1]), [names[k] for k in labels])",
    ],
    "dog cat [ 'dog', 'cat' ]\n",
  ],
  [
    "torch.Tensor of values, of a size and of a tensor",
    [
      "import torch\nrows = [[1, 2], [3, 4]]",
      "x = torch.Tensor(rows)\nprint(x.dtype, x.sum().item(), torch.Tensor(2, 3).shape, torch.LongTensor(x).dtype)",
    ],
    "float32 10 [ 2, 3 ] int64\n",
  ],
  [
    "a tensor of a tensor, which is a copy",
    ["import torch\nx = torch.ones(2)\ny = torch.tensor(x, dtype=torch.float64)", "y[0] = 5\nprint(x, y)"],
    "tensor([1., 1.]) tensor([5., 1.], dtype=torch.float64)\n",
  ],
  [
    "the nodes of a gradient",
    [
      "import torch\nx = torch.ones(2, requires_grad=True)\nloss = (x * 2).sum()",
      "print(loss.grad_fn)\nprint(loss.grad_fn.next_functions[0][0])\nprint(loss.grad_fn.next_functions[0][0].next_functions[0][0])",
    ],
    "<SumBackward0>\n<MulBackward0>\n<AccumulateGrad>\n",
  ],
  [
    "gradients that are set to zero, and gradients that are dropped",
    [
      "import torch\nw = torch.tensor([3.0], requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\n(w * 2).sum().backward()",
      "opt.zero_grad(set_to_none=False)\nprint(w.grad)\nopt.zero_grad()\nprint(w.grad)",
    ],
    "tensor([0.])\nnull\n",
  ],
  [
    "rows of a dataset of tensors",
    [
      "import torch\nfrom torch.utils.data import TensorDataset\nrows = TensorDataset(torch.arange(4), torch.arange(4) * 10)",
      "x, y = rows[1:3]\nprint(x, y)",
    ],
    "tensor([1, 2]) tensor([10, 20])\n",
  ],
  ["a number with underscores before its point", ["best = 1_000.\nprint(best - 0.5)"], "999.5\n"],
  [
    "beginnings that another cell lists",
    ["openings = ('i am ', 'he is')", "print('he is here'.startswith(openings), 'so'.startswith(openings))"],
    "true false\n",
  ],
  [
    "words of a text that a function is given",
    [
      "class Lang:\n    def __init__(self):\n        self.index = {'a': 3, 'b': 4}\nlang = Lang()",
      "def places(of, line):\n    return [of.index[word] for word in line.split(' ')]\nprint(places(lang, 'b a'))",
    ],
    "[ 4, 3 ]\n",
  ],
  [
    "pairs of a list and a text",
    [
      "words = 'a b c d'.split()\npairs = [([words[i - 1]], words[i]) for i in range(1, 3)]\nfor before, word in pairs:\n    print([one.upper() for one in before], word.upper())",
    ],
    "[ 'A' ] B\n[ 'B' ] C\n",
  ],
  [
    "a loader that is wrapped under its own name",
    [
      "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\ndef loaders():\n    rows = TensorDataset(torch.arange(3))\n    return DataLoader(rows, batch_size=2), DataLoader(rows, batch_size=3)\nclass Wrapped:\n    def __init__(self, of):\n        self.of = of\n    def __len__(self):\n        return len(self.of)",
      "train, valid = loaders()\ntrain = Wrapped(train)\nprint(len(train), len(valid))",
    ],
    "2 1\n",
  ],
  [
    "a number and a list that a function returns beside others, which change",
    [
      "def step(x):\n    return [x, 1.5], 0, True",
      "values, count, done = step(2)\ncount += 1\nvalues.append(3.5)\nprint(values, count, done)",
    ],
    "[ 2, 1.5, 3.5 ] 1 true\n",
  ],
  [
    "a function of torch over a list, by one argument each",
    ["import torch\nprint([x.item() for x in map(torch.sum, [torch.ones(2, 2), torch.ones(3)])])"],
    "[ 4, 3 ]\n",
  ],
  [
    "a layer of a Sequential, which is replaced",
    [
      "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))",
      "model[2] = nn.Linear(4, 10)\nprint(model(torch.ones(1, 4)).shape)\nmodel[-1] = nn.Linear(4, 3)\nprint(model(torch.ones(1, 4)).shape, len(model))",
    ],
    "[ 1, 10 ]\n[ 1, 3 ] 3\n",
  ],
  [
    "the keys of an optimizer's state",
    [
      "import torch\nopt = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)",
      "for key in opt.state_dict():\n    print(key)",
    ],
    "state\nparam_groups\n",
  ],
  [
    "the same object by its id, in another cell",
    ["a = [1]\nb = a\nold = id(a)", "print(id(b) == old, id([1]) == old)"],
    "true false\n",
  ],
  [
    "the data of what a function is given",
    [
      "import torch\ndef grown(x):\n    y = x * 2\n    while y.data.norm() < 100:\n        y = y * 2\n    return y",
      "print(grown(torch.ones(4)))",
    ],
    "tensor([64., 64., 64., 64.])\n",
  ],
  [
    "a block under the old profiler",
    [
      "import torch\nx = torch.ones(2)\nwith torch.autograd.profiler.profile() as prof:\n    y = x + 1\nprint(y)",
    ],
    "tensor([2., 2.])\n",
  ],
  [
    "a method of a class of the cells that the library has under another name",
    [
      "class Quiet:\n    def add_scalar(self, tag, value):\n        print(tag, value)",
      "def report(writer):\n    writer.add_scalar('loss', 0.5)\nreport(Quiet())",
    ],
    "loss 0.5\n",
  ],
  [
    "paths of pathlib",
    [
      "from pathlib import Path\nfolder = Path('output') / 'weights'",
      "print((folder / 'model.pt').exists(), folder.name, (folder / 'model.pt').suffix, folder.parent)",
    ],
    "false weights .pt output\n",
  ],
])("%s", async (_, cells, printed) => {
  expect(await runNotebook(kernel.client, cells)).toEqual({ printed, marks: [] });
});

it("patterns of re and signs of unicodedata, of all of Unicode", async () => {
  const cells = [
    'import re\nimport unicodedata\ns = "Où est-ce, M. O\'Neil? 12.5%\\nfin_1 (a/b)"',
    'print([re.sub(r"([.!?])", r" \\1", s), re.sub(r"(?P<x>\\d+)\\.(\\d)", r"\\2:\\g<x>$", "12.5")])',
    'print(re.findall(r"\\w+", s), re.findall(r"(\\w)(\\d)", s), re.findall("a(.)b", s), re.findall(r"\\b\\w", "où va"))',
    'print(re.split(r"[\\s,]+", "a, b\\nc"), [unicodedata.category(sign) for sign in "aA1 é,"], len(unicodedata.normalize("NFD", "é")))',
  ];
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: `[ "Où est-ce, M . O'Neil ? 12 .5%\\nfin_1 (a/b)", '5:12$' ]
[
  'Où', 'est', 'ce',
  'M',  'O',   'Neil',
  '12', '5',   'fin_1',
  'a',  'b'
] [ [ '1', '2' ], [ '_', '1' ] ] [ '/' ] [ 'o', 'v' ]
[ 'a', 'b', 'c' ] [ 'Ll', 'Lu', 'Nd', 'Zs', 'Ll', 'Po' ] 2
`,
    marks: [],
  });
});

it("a pattern that JavaScript reads otherwise is marked", async () => {
  const { marks } = await runNotebook(kernel.client, ['import re\nx = re.sub(r"(?i)o+", "0", "oO")']);
  expect(marks).toEqual([
    "line 2: this pattern is not converted: new RegExp(text, flags) takes it in JavaScript's own syntax",
  ]);
});

it("an array of numpy is a tensor of numpy's dtype", async () => {
  const cells = [
    "import numpy as np\nimport torch\na = np.array([[1, 2], [3, 4]])\nb = np.array([0.1, 0.2, 0.3])",
    "print(a.dtype, b.dtype, torch.from_numpy(b).dtype, np.zeros((2, 3), dtype=np.int32).dtype, np.ones(2).dtype)",
    "print(np.max(a), np.argmax(b), np.max(a, axis=1).tolist(), np.arange(0, 1, 0.25).tolist(), np.clip(b, 0.15, 0.25).tolist())",
    "print(np.transpose(np.zeros((3, 4, 5)), (1, 2, 0)).shape, np.concatenate([a, a], axis=1).shape)",
    "ids = np.zeros((2, 3), dtype=np.int64)\nids[0, :2] = [5, 6]\nprint(ids.tolist(), np.add(a, 1).tolist())",
  ];
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: `int64 float64 float64 int32 float64
4 2 [ 2, 4 ] [ 0, 0.25, 0.5, 0.75 ] [ 0.15, 0.2, 0.25 ]
[ 4, 5, 3 ] [ 2, 4 ]
[ [ 5, 6, 0 ], [ 0, 0, 0 ] ] [ [ 2, 3 ], [ 4, 5 ] ]
`,
    marks: ["line 1: there is no numpy here: an array is a tensor, and operators of torch do the rest"],
  });
});

it("what numpy sums is a number, with a mark: std divides by n as numpy's does", async () => {
  const cells = [
    "losses = [1.0, 3.0]",
    "print(np.mean(losses), np.std(losses), np.std(losses, ddof=1), np.mean([1, 2]))",
  ];
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: "2 1 1.4142135623730951 1.5\n",
    marks: ["line 1: torch adds in another order than numpy, so that the last digits may differ"],
  });
});

it("what matplotlib draws is left out, with a mark, and the rest of the cell runs", async () => {
  const cells = [
    "import torch\nx = torch.ones(2)\nfig, ax = plt.subplots()\nax.plot(x)\ny = x + 1",
    "ax.set_title('loss')\nprint(y)",
  ];
  const left =
    "there is no matplotlib here, and this is left out: lab.plot draws lines, points, histograms and images";
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: "tensor([2., 2.])\n",
    marks: [`line 3: ${left}`, `line 4: ${left}`, `line 1: ${left}`],
  });
});

it("a function of a cell below is found when it is called", async () => {
  const cells = [
    "def outer(x):\n    return inner(x) + 1",
    "def inner(x):\n    return x * 2",
    "print(outer(3))",
  ];
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: "7\n",
    marks: ["line 2: inner is of no cell above: a cell must define it before this runs"],
  });
});

it("the number of a device, which is a text here, is marked", async () => {
  const cells = ["import torch\nfirst = torch.device('cuda:1')\nprint(first.index)"];
  expect(await runNotebook(kernel.client, cells)).toEqual({
    printed: "1\n",
    marks: ["line 3: a device is a text here, as cuda:1: one without a number counts as the first"],
  });
});
