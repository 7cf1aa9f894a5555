// Tensors in cells: what the checker says of shapes before the cell runs, how their types read, and what later cells
// know of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    'import { functional as F, nn, torch, Tensor } from "mpslab"; const w = torch.randn([784, 128]);',
  );
});
afterAll(() => notebook.close());

describe("a cell that cannot run", () => {
  test("is refused with both shapes", async () => {
    expect(await notebook.problems("torch.zeros([2, 3]).matmul(torch.zeros([5, 4]))")).toEqual([
      "1:28 TS2345: matmul: [2, 3] and [5, 4] do not fit: 3 columns meet 5 rows.",
    ]);
  });

  test("is refused for a tensor of an earlier cell", async () => {
    expect(await notebook.problems("const x = torch.zeros([64, 28]);\nx.matmul(w)")).toEqual([
      "2:10 TS2345: matmul: [64, 28] and [784, 128] do not fit: 28 columns meet 784 rows.",
    ]);
  });

  test("is refused where the device has no such dtype, and not sent round by another form of the call", async () => {
    expect(await notebook.problems('torch.zeros([3], { dtype: "float64" }).to("mps")')).toEqual([
      expect.stringMatching(/^1:43 TS2769: to: [^:]*float64[^:]*\.$/),
    ]);
  });

  test.each([
    ["new nn.Linear(3)", "1:15 TS2345: outFeatures is missing: it follows inFeatures."],
    ["new nn.Conv2d(1)", "1:15 TS2345: outChannels and kernelSize are missing: they follow inChannels."],
    ["new nn.Conv2d(1, { outChannels: 2 })", "1:18 TS2345: kernelSize is missing."],
    ["w.transpose(0)", "1:13 TS2345: dim1 is missing: it follows dim0."],
    ["new nn.Threshold(1)", "1:18 TS2345: value is missing: it follows threshold."],
  ])("is refused where an argument is missing, with its name: %s", async (cell, problem) => {
    expect(await notebook.problems(cell)).toEqual([problem]);
  });

  test("of the user's own with an object too little is told as TypeScript tells it", async () => {
    const cell = "const area = (of: { w: number; h: number }) => of.w * of.h;\narea(3)";
    expect(await notebook.problems(cell)).toEqual([
      "2:6 TS2345: Argument of type 'number' is not assignable to parameter of type '{ w: number; h: number; }'.",
    ]);
  });

  test("is refused with both devices", async () => {
    const cell = 'torch.ones([2], { device: "mps" }).add(torch.ones([2], { device: "cpu" }))';
    expect(await notebook.problems(cell)).toEqual([
      '1:40 TS2345: add: one tensor is on mps, the other on cpu: write torch.ones([2], { device: "cpu" }).to("mps").',
    ]);
  });

  test.each([
    ["torch.zeros([2, 3]).sum(2)", "dim 2 is none of the 2 dimensions of [2, 3]"],
    ["torch.zeros([2, 3]).view([4])", "[2, 3] has 6 elements, and [4] holds 4"],
    ["torch.cat([torch.zeros([2, 3]), w], 0)", "[2, 3] and [784, 128] differ elsewhere than in dim 0"],
  ])("is refused in the same words where an operator has several forms: %s", async (cell, words) => {
    const [problem = ""] = await notebook.problems(cell);
    expect(problem).toMatch(/^1:\d+ TS2\d+: (sum|view|cat): /);
    expect(problem.endsWith(`: ${words}.`)).toBe(true);
  });

  test.each([
    [
      "new nn.Linear(784, 512)(torch.zeros([64, 700]))",
      "1:25 TS2345: Linear(784, 512): the input's last dimension must be 784, got 700 in shape [64, 700].",
    ],
    [
      "new nn.Sequential(new nn.Linear(784, 512), new nn.ReLU(), new nn.Linear(500, 10))",
      "1:19 TS2345: Linear(500, 10): the input's last dimension must be 500, and the layer before gives 512.",
    ],
    [
      "new nn.Conv2d(3, 16, 3)(torch.zeros([8, 1, 28, 28]))",
      "1:25 TS2345: Conv2d(3, 16): the input must have 3 channels, got 1 in shape [8, 1, 28, 28].",
    ],
    [
      "new nn.Embedding(100, 16)(torch.zeros([5]))",
      "1:27 TS2345: Embedding: indices are int64 or int32, not float32: write torch.zeros([5]).long().",
    ],
    [
      "F.crossEntropy(torch.zeros([64, 10]), torch.zeros([32]).long())",
      "1:39 TS2345: crossEntropy: an input of shape [64, 10] takes class indices of shape [64], got [32].",
    ],
  ])("is refused where a layer or a loss cannot take it: %s", async (cell, words) => {
    expect(await notebook.problems(cell)).toEqual([words]);
  });

  test("is refused for a layer of an earlier cell", async () => {
    expect(
      await notebook.run("const model = new nn.Sequential(new nn.Flatten(), new nn.Linear(784, 10));"),
    ).toEqual([]);
    expect(await notebook.problems("model(torch.zeros([64, 1, 20, 20]))")).toEqual([
      "1:7 TS2345: Linear(784, 10): the input's last dimension must be 784, got 400 in shape [64, 400].",
    ]);
    expect(
      await notebook.problems("model(torch.zeros([64, 1, 28, 28])).matmul(torch.zeros([9, 2]))"),
    ).toEqual(["1:44 TS2345: matmul: [64, 10] and [9, 2] do not fit: 10 columns meet 9 rows."]);
  });

  test("is refused for a result that is called as the method of lists", async () => {
    expect(await notebook.problems("const sorted = w.sort();\nsorted.values()")).toEqual([
      "2:1 TS2684: values is a tensor here, not the method that lists have.",
    ]);
  });

  test("says what is no tensor in tsc's words", async () => {
    expect(await notebook.problems("w.matmul(3)")).toEqual([
      "1:10 TS2345: Argument of type 'number' is not assignable to parameter of type 'Tensor'.",
    ]);
    expect(await notebook.problems("w.add(1, { alpha: w })")).toEqual([
      "1:12 TS2322: Type 'Tensor<[784, 128], \"float32\">' is not assignable to type 'Scalar | undefined'.",
    ]);
    expect(await notebook.problems("const text: string = w.shape[0]! > 2 ? w : torch.zeros([2]);")).toEqual([
      [
        "1:7 TS2322: Type 'Tensor<[2], \"float32\"> | Tensor<[784, 128], \"float32\">' is not assignable to type 'string'.",
        "  Type 'Tensor<[2], \"float32\">' is not assignable to type 'string'.",
      ].join("\n"),
    ]);
    expect(await notebook.problems("const named: { shape: string } = w;")).toEqual([
      [
        "1:7 TS2322: Type 'Tensor<[784, 128], \"float32\">' is not assignable to type '{ shape: string; }'.",
        "  Types of property 'shape' are incompatible.",
        "    Type 'number[]' is not assignable to type 'string'.",
      ].join("\n"),
    ]);
  });
});

describe("types read", () => {
  test.each([
    ["w|", 'const w: Tensor<[784, 128], "float32">'],
    ["const open = w.clamp(0); open|", "const open: Tensor"],
    ["const largest = w.max(1); largest|", 'const largest: ValuesAndIndices<[784], "float32">'],
    ["const { values } = w.max(1); values|", 'const values: Tensor<[784], "float32">'],
    ["const { values: top } = w.topk(2); top|", "const top: Tensor"],
    ["w.max(1).indi|ces", '(property) ValuesAndIndices<[784], "float32">.indices: Tensor<[784], "int64">'],
    [
      "w.to|pk(2)",
      "(method) Tensor.topk(\n  k: number,\n  dim?: number,\n  largest?: boolean,\n  sorted?: boolean\n): ValuesAndIndices\n\nReturns the `k` largest elements of the given `input` tensor along a given dimension. Defaults: dim = -1, largest = true, sorted = true.\n\nOptions:\n- dim: number  The dimension to sort along. Default: -1.\n- largest: boolean  Controls whether to return largest or smallest elements. Default: true.\n- sorted: boolean  Controls whether to return the elements in sorted order. Default: true.",
    ],
    [
      "class TensorBox { open = (lid: number): string => String(lid) } new TensorBox().ope|n(1)",
      "(property) TensorBox.open: (lid: number) => string",
    ],
    [
      "w.gra|d",
      "(property) Tensor.grad: Tensor | null\n\nThe sum of all gradients that `backward()` computed, one tensor for all reads; null before the first. Set it to null to start over.",
    ],
    [
      "const change = w.requires|Grad",
      "(property) Tensor.requiresGrad: boolean\n\nAutograd records operations on it. Can be set on tensors that no recorded operation made.",
    ],
    [
      "const either = w.requiresGrad ? w : torch.zeros([2]); eithe|r",
      'const either: Tensor<[2], "float32"> | Tensor<[784, 128], "float32">',
    ],
    [
      "w.squ|eeze",
      "(method) Tensor.squeeze(): Tensor\n(method) Tensor.squeeze(dim: number | readonly number[]): Tensor\n(method) Tensor.squeeze(...dim: readonly number[]): Tensor\n\nReturns a tensor with all specified dimensions of `input` of size `1` removed.",
    ],
    ["w.mat|mul", "(method) Tensor.matmul(other: Tensor): Tensor\n\nMatrix product of two tensors."],
    [
      "const relu = new nn.Sequential(new nn.ReLU()); rel|u(torch.zeros([4]))",
      'const relu: <Tensor<[4], "float32">>(input: Tensor<[4], "float32">) => Tensor<[4], "float32">\n\nRuns the layer on a tensor. Calls `forward`, and the hooks around it.',
    ],
    [
      "new nn.Seq|uential(new nn.ReLU())",
      "constructor Sequential<[nn.ReLU]>(...layers: [nn.ReLU]): nn.Sequential<[nn.ReLU]>\n\n`new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or\n`new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.",
    ],
    [
      "const own = <A, B>(x: A, y: B): A => x; ow|n<number, unknown>(2, 3)",
      "const own: <number, unknown>(x: number, y: unknown) => number",
    ],
    [
      "nn.Lin|ear",
      "constructor Linear<number, number>(\n  inFeatures: number,\n  outFeatures: number,\n  bias?: boolean | nn.LinearOptions,\n  device?: DeviceText | null | nn.FactoryOptions,\n  dtype?: DType | null\n): nn.Linear<number, number>\n\nx W^T + b over the last dimension: [..., inFeatures] -> [..., outFeatures].\n\nOptions:\n- device: DeviceText | null  Where the parameters are. Default: the default device, as null.\n- dtype: DType | null  The dtype of the parameters. Default: the default dtype, float32, as null.\n- bias: boolean  Whether a bias is added. Default: true.",
    ],
    [
      "class Head extends nn.Lin|ear {}",
      "class Linear<In extends number = number, Out extends number = number>\n\nx W^T + b over the last dimension: [..., inFeatures] -> [..., outFeatures].\n\nOptions:\n- device: DeviceText | null  Where the parameters are. Default: the default device, as null.\n- dtype: DType | null  The dtype of the parameters. Default: the default dtype, float32, as null.\n- bias: boolean  Whether a bias is added. Default: true.",
    ],
    [
      "nn.Sequ|ential",
      "class Sequential\n\n`new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or\n`new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.",
    ],
  ])("%s", async (cell, text) => {
    expect(await notebook.hover(cell)).toBe(text);
  });
});

describe("later cells know", () => {
  test.each([
    ["a const tensor", "const a = torch.zeros([2, 3]);", "a", 'Tensor<[2, 3], "float32">'],
    ["nothing of a let, which may become another", "let b = torch.zeros([2, 3]);", "b", "Tensor"],
    ["named results", "const m = torch.zeros([2, 3]).max(0);", "m", 'ValuesAndIndices<[3], "float32">'],
    ["nothing of those of a let", "let n = torch.zeros([2, 3]).max(0);", "n", "ValuesAndIndices"],
    [
      "a result by its name",
      "const { values, indices } = torch.zeros([2, 3]).max(0);",
      "values",
      'Tensor<[3], "float32">',
    ],
    ["nothing of what an array holds", "const c = [torch.zeros([2]), torch.zeros([3])];", "c", "Tensor[]"],
    ["nothing of what an object holds", "const d = { best: torch.zeros([2]) };", "d", "{ best: Tensor; }"],
    [
      "what a function says of its tensors",
      "const e = (x: Tensor) => torch.zeros([2, 3]);",
      "e",
      '(x: Tensor) => Tensor<[2, 3], "float32">',
    ],
  ])("%s", async (_, cell, name, type) => {
    expect(await notebook.run(cell)).toEqual([]);
    expect(await notebook.typeOf(name)).toBe(type);
  });

  test("a variable by its present tensor, cell after cell", async () => {
    expect(await notebook.run("let x = torch.zeros([2]);")).toEqual([]);
    expect(
      await notebook.run("x = torch.ones([3]); for (let i = 0; i < 2; i++) x = torch.cat([x, x]);"),
    ).toEqual([]);
    expect(await notebook.run("const x = torch.zeros([12, 784]); x.matmul(w)")).toEqual([]);
  });
});

describe("a function over any sizes, or devices, is refused nothing", () => {
  test.each([
    "function f<const S extends number[]>(s: S) { torch.zeros([2, 3]).matmul(torch.randn(s)).sum(1); return torch.zeros(s).relu().view([2, 3]); }",
    "function f<N extends number, M extends number>(n: N, m: M) { return torch.zeros([2, n]).matmul(torch.randn([m, 5])); }",
    "function f<N extends number>(n: N) { return F.crossEntropy(torch.zeros([n, 4]), torch.zeros([n]).long()); }",
    'function f<D extends "cpu" | "mps">(device: D) { return torch.zeros([2], { device }).add(torch.zeros([2], { device: "cpu" })); }',
  ])("%s", async (cell) => {
    expect(await notebook.problems(cell)).toEqual([]);
  });
});

describe("what a later cell changes in place", () => {
  test.each([
    [
      "a tensor",
      [
        "const v = torch.zeros([3]);",
        "v.unsqueeze_(0)",
        "v.matmul(torch.ones([3, 2])).matmul(torch.ones([2, 5]))",
      ],
    ],
    ["in the same cell", ["const v = torch.zeros([3]);", "v.unsqueeze_(1); v.matmul(torch.ones([1, 3]))"]],
    [
      "under another name",
      ["const v = torch.zeros([3]);", "const u = v;", "u.unsqueeze_(1)", "v.matmul(torch.ones([1, 3]))"],
    ],
    [
      "under another name of the same cell",
      ["const v = torch.zeros([3]); const u = v; u.unsqueeze_(1); v.matmul(torch.ones([1, 3]))"],
    ],
    [
      "by a function of an earlier cell",
      [
        "const column = (x: Tensor) => { x.unsqueeze_(1); };",
        "const v = torch.zeros([3]);",
        "column(v)",
        "v.matmul(torch.ones([1, 3]))",
      ],
    ],
    [
      "in an array",
      [
        "const vs = [torch.zeros([3])] as const;",
        "for (const v of vs) v.unsqueeze_(1)",
        "vs[0].matmul(torch.ones([1, 3]))",
      ],
    ],
    [
      "a container that grows",
      [
        "const s = new nn.Sequential(new nn.Linear(2, 3));",
        "s.append(new nn.Linear(3, 4))",
        "s(torch.zeros([1, 2])).matmul(torch.zeros([4, 1]))",
      ],
    ],
    [
      "a container by a function",
      [
        "function widen(model: nn.Sequential) { model.append(new nn.Linear(3, 4)); }",
        "const s = new nn.Sequential(new nn.Linear(2, 3));",
        "widen(s)",
        "s(torch.zeros([1, 2])).matmul(torch.zeros([4, 1]))",
      ],
    ],
  ])("%s", async (_, cells) => {
    for (const cell of cells) expect(await notebook.run(cell)).toEqual([]);
  });

  test("leaves what is known of all others", async () => {
    for (const cell of ["const kept = torch.zeros([2, 3]), v = torch.zeros([3]);", "v.unsqueeze_(0)"])
      await notebook.run(cell);
    expect(await notebook.problems("kept.matmul(torch.zeros([5, 4]))")).toEqual([
      "1:13 TS2345: matmul: [2, 3] and [5, 4] do not fit: 3 columns meet 5 rows.",
    ]);
    await notebook.run("const losses = [1]; const m = new nn.Sequential(new nn.Linear(2, 3));");
    await notebook.run("losses.pop()");
    expect(await notebook.problems("m(torch.zeros([1, 4]))")).toEqual([
      "1:3 TS2345: Linear(2, 3): the input's last dimension must be 2, got 4 in shape [1, 4].",
    ]);
  });
});

describe("a tensor that takes another's place hinders nothing", () => {
  test.each([
    ["in a let", "let h = torch.randn([8, 784]); h = h.matmul(w); h = h.matmul(torch.ones([128, 10]));"],
    [
      "in a let of a loop",
      "let all = torch.zeros([1, 3]); for (let i = 0; i < 3; i++) all = torch.cat([all, all]); all.add(torch.ones([8, 1]).mul(torch.ones([8, 3])));",
    ],
    [
      "in a field",
      "class Cell { h = torch.zeros([1, 2]); step(x: Tensor) { this.h = x; this.h.matmul(torch.ones([5, 4])); } }",
    ],
    [
      "in an object",
      "const kept = { best: torch.zeros([2]) }; kept.best = torch.ones([3]); kept.best.add(torch.ones([3]));",
    ],
    [
      "in an object in short",
      "const best = torch.zeros([2]); const kept = { best }; kept.best = torch.ones([3]); kept.best.add(torch.ones([3]));",
    ],
    [
      "in an object that a function gives",
      "const make = () => { return { h: torch.zeros([2]) }; }; const state = make(); state.h = torch.ones([3]);",
    ],
    [
      "in a list that something gave",
      "const parts = [1, 2].map((n) => torch.zeros([2])); parts.push(torch.ones([3]));",
    ],
    ["in a map", 'const named = new Map([["w", torch.zeros([2])]]); named.set("b", torch.ones([3]));'],
    ["in a set", "const all = new Set([torch.zeros([2])]); all.add(torch.ones([3]));"],
    [
      "after a null",
      "let best = w.requiresGrad ? torch.zeros([2]) : null; best = torch.ones([3]); best = null;",
    ],
    ["in an array", "const hs = [torch.zeros([2])]; hs.push(torch.ones([3])); hs[1]!.add(torch.ones([3]));"],
    ["a layer in a let", "let l = new nn.Linear(2, 3); l = new nn.Linear(4, 5); l(torch.zeros([1, 4]));"],
    [
      "a layer in a field",
      "class Net extends nn.Module { head = new nn.Linear(2, 3); forward(x: Tensor) { this.head = new nn.Linear(4, 5); return this.head(torch.zeros([1, 4])); } }",
    ],
    [
      "a layer more",
      "const s = new nn.Sequential(new nn.Linear(2, 3)); s.append(new nn.Linear(3, 4)); s(torch.zeros([1, 2])).matmul(torch.zeros([4, 1]));",
    ],
    ["in place", "const v = torch.zeros([3]); v.unsqueeze_(1); v.matmul(torch.ones([1, 3]));"],
  ])("%s", async (_, cell) => {
    expect(await notebook.problems(cell)).toEqual([]);
  });

  test("and what is wrong anyway is still refused", async () => {
    const cell = "let h = torch.zeros([2]);\nh = torch.ones([3]);\nh.matmul(w); w.matmul(torch.ones([3]));";
    expect(await notebook.problems(cell)).toEqual([
      "3:23 TS2345: matmul: [784, 128] and [3] do not fit: 128 columns meet 3 rows.",
    ]);
  });

  test("nor does what is computed from it, in a later cell", async () => {
    expect(
      await notebook.run("let g = torch.zeros([2]); g = torch.cat([g, g]); const twice = g.add(1);"),
    ).toEqual([]);
    expect(await notebook.problems("twice.add(torch.ones([4]))")).toEqual([]);
  });
});
