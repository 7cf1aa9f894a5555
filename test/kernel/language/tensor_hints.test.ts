// Tests hints for people who know PyTorch from Python: the type error says what to write here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withConditions } from "../../../kernel/language/conditions.ts";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    [
      'import { torch, nn, type Tensor } from "mpslab";',
      "const x = torch.zeros([2, 3]); const loss = x.sum(); const mask = x.gt(0); let any: Tensor = x; let total = 0;",
      "class Plane { view(size: number[]) { return size } } const plane = new Plane(); const list = [1, 2];",
    ].join("\n"),
  );
});
afterAll(() => notebook.close());

/** Without the place and the code. */
const problem = async (text: string) => {
  const [first = ""] = await notebook.problems(text);
  return first.replace(/^\S+ TS\d+: /, "");
};

it("a model is completed without what functions have, and a function without what throws", async () => {
  const layer = await notebook.completions("const layer = new nn.Linear(2, 3); layer.|");
  expect(layer).toEqual(expect.arrayContaining(["apply", "forward", "parameters", "weight"]));
  expect(layer.filter((name) => /^(arguments|bind|call|caller|prototype)$/.test(name))).toEqual([]);
  const called = await notebook.completions("function train() {} train.|");
  expect(called).toEqual(expect.arrayContaining(["apply", "bind", "call"]));
  expect(called.filter((name) => /^(arguments|caller)$/.test(name))).toEqual([]);
});

describe("indices", () => {
  it.each([
    ["x[0]", "x.at(0)"],
    ["any[0, -1]", "any.at(0, -1)"],
    ["x[total]", "x.at(total)"],
    ["x[0][1]", "x.at(0)"],
    ["x[0] = 1", "x.setAt(0, 1)"],
    ["x[0, 1] = 2", "x.setAt(0, 1, 2)"],
  ])("%s -> %s", async (text, expected) => {
    expect(await problem(text)).toBe(`A tensor is not indexed by brackets: write ${expected}.`);
  });

  it.each([
    ["x[mask]", "A tensor is no index: write x.at(mask) for the part of a tensor, mask.item() for a number."],
    [
      "x[mask] = 0",
      "A tensor is no index: write x.setAt(mask, 0) for the part of a tensor, mask.item() for a number.",
    ],
    [
      "list[loss]",
      "A tensor is no index: write list.at(loss) for the part of a tensor, loss.item() for a number.",
    ],
  ])("%s: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });
});

describe("operators", () => {
  it.each([
    ["x + 1", "A tensor is no number: write x.add(1)."],
    ["1 + x", "A tensor is no number: write x.add(1)."],
    ["x > 2", "A tensor is no number: write x.gt(2)."],
    ["2 > x", "A tensor is no number: write x.lt(2)."],
    ["x === 2", "A tensor is no number: write x.eq(2)."],
    ["loss < 3 ? 1 : 2", "A tensor is no number: write loss.lt(3), or loss.item() for its value."],
    ["total += loss", "A tensor is no number: loss.item() reads the value of a single one."],
    ["any += 1", "A tensor is no number: write any = any.add(1)."],
  ])("%s: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });

  it.each([
    ["x - x", "x.sub(x)"],
    ["x * 2", "x.mul(2)"],
    ["2 * x", "x.mul(2)"],
    ["1 - x", "x.neg().add(1)"],
    ["1 / x", "x.reciprocal().mul(1)"],
    ["2 ** x", "torch.pow(2, x)"],
  ])("%s, of which the error names no type, has %s at its end", async (text, expected) => {
    expect(await problem(text)).toMatch(
      /^The (left|right)-hand side of an arithmetic operation must be of type .* Of a tensor: /,
    );
    expect(await problem(text)).toContain(` Of a tensor: ${expected}.`);
  });

  it("of strings are none of tensors'", async () => {
    expect(await problem('"abc" * 2')).not.toContain("tensor");
  });
});

describe("a tensor where a number is wanted", () => {
  it.each([
    ["function count(): number {\n  return mask.sum();\n}", "mask.sum().item() for its value"],
    ["const count = (): number => mask.sum();", "mask.sum().item() for its value"],
    ["const first: number = loss;", "loss.item() for its value"],
    ["total = loss;", "loss.item() for its value"],
    ["total = x;", "x.item() for the value of a single one"],
    ["total = loss as typeof loss;", "(loss as typeof loss).item() for its value"],
    ["const losses: number[] = [1, loss];", "loss.item() for its value"],
    ["const record: { loss: number } = { loss: loss };", "loss.item() for its value"],
    ["const record: { loss: number } = { loss };", "loss.item() for its value"],
  ])("%s", async (text, expected) => {
    expect(await problem(text)).toBe(`A tensor is no number: write ${expected}.`);
  });
});

describe("lists", () => {
  it.each([
    ["torch.zeros(2, 3)", "zeros takes one list of numbers: write torch.zeros([2, 3])."],
    [
      'torch.ones(2, 3, { dtype: "int64" })',
      'ones takes one list of numbers: write torch.ones([2, 3], { dtype: "int64" }).',
    ],
    ["torch.tensor(1, 2)", "tensor takes one list of numbers: write torch.tensor([1, 2])."],
    [
      "x.view(3, 2)",
      "Expected 1 arguments, but got 2. Of a tensor, sizes and dimensions go into one list: x.view([3, 2]).",
    ],
    [
      "x.permute(1, 0)",
      "Expected 1 arguments, but got 2. Of a tensor, sizes and dimensions go into one list: x.permute([1, 0]).",
    ],
    ["x.expand(2, 3)", "expand takes one list of numbers: write x.expand([2, 3])."],
    [
      "plane.view(3, 2)",
      "Expected 1 arguments, but got 2. Of a tensor, sizes and dimensions go into one list: plane.view([3, 2]).",
    ],
    ["torch.cat(x, x)", "cat takes one list of tensors: write torch.cat([x, x])."],
    ["torch.cat(x, x, 1)", "cat takes one list of tensors: write torch.cat([x, x], 1)."],
    [
      'torch.einsum("ij,kj->ik", x, x)',
      'einsum takes one list of tensors: write torch.einsum("ij,kj->ik", [x, x]).',
    ],
  ])("%s: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });

  it("of other functions with too many arguments stay tsc's", async () => {
    expect(await problem("Math.abs(1, 2)")).toBe("Expected 1 arguments, but got 2.");
  });
});

describe("names", () => {
  it.each([
    ["x.sum(dim=1)", "Cannot find name 'dim': arguments have no names here; write x.sum(1)."],
    [
      "x.sum(1, keepdim=True)",
      "Cannot find name 'keepdim': arguments have no names here; options go into a last object, as { keepdim: true }.",
    ],
    [
      "x.numpy()",
      "Property 'numpy' does not exist on type 'Tensor<[2, 3], \"float32\">'. Of a tensor, data() is a typed array over the same memory, tolist() plain numbers in lists.",
    ],
    [
      "x.data.float()",
      "data() is a method, which gives a typed array and has no float: write x.detach().float. torch.noGrad(() => x.copy_(x)) writes values, and model.to(dtype) converts a model's parameters.",
    ],
    [
      "loss.toFixed(2)",
      "Property 'toFixed' does not exist on type 'Tensor<[], \"float32\">'. Of a tensor, item() reads the number of a tensor that has one.",
    ],
    ["new nn.linear(2, 3)", "Property 'linear' does not exist on type 'typeof nn'. Did you mean 'Linear'?"],
  ])("%s: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });
});

describe("a tensor in a condition, which is always true", () => {
  it.each([
    ["if (x.gt(5).any()) total = 1;", "5", "write x.gt(5).any().item()"],
    ["while (x.isnan().all()) break;", "8", "write x.isnan().all().item()"],
    ["const sign = loss.gt(0) ? 1 : -1;", "14", "write loss.gt(0).item()"],
    ["if (total > 1 && !(x.lt(0).any())) total = 1;", "20", "write x.lt(0).any().item()"],
    [
      "const flags = x.gt(0) || 1;",
      "15",
      "write x.gt(0).item() for the value of a single one, x.gt(0).any().item() or x.gt(0).all().item() for several",
    ],
    ["for (const row of x) { if (row.eq(0).all()) total += 1; }", "28", "write row.eq(0).all().item()"],
    [
      "function stop(loss: Tensor) { return loss.gt(3).any() ? 1 : 0; }",
      "38",
      "write loss.gt(3).any().item()",
    ],
  ])("%s", async (text, column, instead) => {
    const declared = "let total = 0; ";
    expect(await notebook.problems(declared + text)).toEqual([
      `1:${Number(column) + declared.length} TS2345: A tensor is always true in a condition: ${instead}.`,
    ]);
  });

  it("is told of in a cell that declares something for all modules, which is looked at a second time in its place", async () => {
    const cell = "declare global { const sharedRate: number } if (x.gt(5).any()) console.log(sharedRate);";
    expect(await notebook.problems(cell)).toEqual([
      "1:49 TS2345: A tensor is always true in a condition: write x.gt(5).any().item().",
    ]);
    expect(await notebook.problems("if (x.gt(5).any().item()) console.log(1);")).toEqual([]);
  });

  it("is not looked for where the condition is written as it should be: that is checked once", () => {
    expect(withConditions("if (x.gt(5).any().item()) stop();")).toBeNull();
    expect(withConditions("while (!x.equal(y) && (x.allclose(y) || n > 1)) n++;")).toBeNull();
    expect(withConditions("if (x.item || item(x) || x.item().any()) stop();")?.text).toBe(
      "if (__mpslab_condition(x.item) || __mpslab_condition(item(x)) || __mpslab_condition(x.item().any())) stop();",
    );
  });

  it("is a warning of a variable, which may hold nothing where its type says otherwise", async () => {
    expect(await notebook.problems("const [best] = [x].slice(1); if (best) console.log(best);")).toEqual([
      "1:34 warning TS2345: A tensor is always true in a condition: write best.item() for the value of a single one, best.any().item() or best.all().item() for several.",
    ]);
  });

  it.each([
    "if (x.gt(5).any().item()) console.log(1);",
    "let best: Tensor | null = null; for (const row of x) { if (!best || row.sum().item() > 1) best = row; }",
    "const cache = new Map<string, Tensor>(); if (!cache.get('a')) cache.set('a', x);",
    "if (x.grad) x.grad = null;",
    "const grad = x.grad ?? x; function first<T>(value: T) { if (value) return value; return null; }",
    "declare const anything: any; if (anything.gt(3)) console.log(x);",
    "if (torch.isTensor(x) && x.isContiguous() && !x.requiresGrad) console.log(1);",
    "const net = new nn.Linear(2, 3); if (net.bias) console.log(net.bias.shape);",
  ])("is none: %s", async (text) => {
    expect(await notebook.problems(text)).toEqual([]);
  });
});

describe("a tensor with more", () => {
  it("is an interface that extends it", async () => {
    const declared = "interface Labelled extends Tensor { label: number } declare const one: Labelled;";
    const used = "one.add(x).relu(); torch.cat([one, x]); const sum: number = one.label + 1;";
    expect(await notebook.problems(`${declared} ${used}`)).toEqual([]);
  });

  it("is a tensor and its other fields", async () => {
    const declared = "type Labelled = Tensor & { label: number }; declare const one: Labelled;";
    expect(
      await notebook.problems(
        `${declared} one.add(x).relu(); torch.cat([one, x]); const sum: number = one.label + 1;`,
      ),
    ).toEqual([]);
  });
});

describe("a layer's parameter", () => {
  it("is replaced by a Parameter: a plain tensor would not be trained", async () => {
    await notebook.run("const layer = new nn.Linear(3, 2);");
    expect(await problem("layer.weight = torch.ones([2, 3])")).toBe(
      "A layer trains Parameters: write layer.weight = new nn.Parameter(torch.ones([2, 3])).",
    );
    expect(await notebook.problems("layer.weight = new nn.Parameter(torch.ones([2, 3]))")).toEqual([]);
  });
});

describe("a checkpoint", () => {
  it("has the type of what it is loaded for, or the one that it is said to have", async () => {
    await notebook.run("const net = new nn.Linear(3, 2);");
    expect(await notebook.problems('net.loadStateDict(torch.load("net.pt"))')).toEqual([]);
    expect(
      await notebook.problems('torch.load<{ epoch: number }>("net.pt").epoch + torch.load<number>("n.pt")'),
    ).toEqual([]);
    expect(await notebook.problems('torch.load("net.pt").epoch')).toEqual([]);
  });
});
