// Tests what a cell is told whose error has an advice: the words, and that it is tried before it is told.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { type Candidate } from "../../../kernel/language/advice/advice.ts";
import { questionsOf } from "../../../kernel/language/advice/questions.ts";
import { type Problem, Trials } from "../../../kernel/language/advice/trials.ts";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    [
      'import { torch, nn, optim, button, data, type Tensor } from "mpslab";',
      "const x = torch.zeros([2, 3]); const loss = x.sum(); const mask = x.gt(0); let any: Tensor = x; let total = 0;",
      "class Plane { view(size: number[]) { return size } } const plane = new Plane(); const list = [1, 2];",
      "const model = new nn.Linear(2, 3); async function load() { return 1 }",
    ].join("\n"),
  );
});
afterAll(() => notebook.close());

/** Without the place and the code. */
const problem = async (text: string) => {
  const [first = ""] = await notebook.problems(text);
  return first.replace(/^\S+ TS\d+: /, "");
};

describe("an advice is told in words", () => {
  it.each([
    ["x[0] = 1", "A tensor is not indexed by brackets: write x.setAt(0, 1)."],
    [
      "list.index(2)",
      "Property 'index' does not exist on type 'number[]'. That is close to a name that there is: write list.indexOf.",
    ],
    // A device is a text, and PyTorch's index of one is its number.
    ['const device = "cuda:1"; device.index', "Property 'index' does not exist on type '\"cuda:1\"'."],
    ["list[loss]", "A tensor is no index: write loss.item()."],
    ["x + 1", "A tensor is no number: write x.add(1)."],
    ["total += loss", "A tensor is no number: write total += loss.item()."],
    ["x === x", "It compares no elements (Object.is(a, b) asks whether both are one tensor): write x.eq(x)."],
    ["const losses: number[] = [1, loss];", "A tensor is no number: write loss.item()."],
    ["const record: { loss: number } = { loss };", "A tensor is no number: write loss: loss.item()."],
    ["torch.flip(x, 0, 1)", "flip takes one list: write torch.flip(x, [0, 1])."],
    [
      "torch.zeros(2, 3, 'float32')",
      "zeros takes its options in one object: write torch.zeros(2, 3, { dtype: 'float32' }).",
    ],
    ['button("Stop")', 'button takes its options in one object: write button({ label: "Stop" }).'],
    ['x.at("1:")', "A slice is no text: write x.at(torch.slice(1, null))."],
    [
      "x.mean({ axis: 0, keepdim: true })",
      "The dimension comes before the options: write x.mean(0, { keepdim: true }).",
    ],
    // A form of the call that takes no such object is not what the reader has to mend.
    ['torch.ones(2, 3, { dtpe: "int32" })', 'ones has no option dtpe; dtype is near: write dtype: "int32".'],
    [
      "new nn.Conv2d(1, 2, 3, { paddin: 1 })",
      "Conv2d has no option paddin; padding is near: write padding: 1.",
    ],
    ["x.sum(0, { keepdm: true })", "sum has no option keepdm; keepdim is near: write keepdim: true."],
    [
      "const dtpe = 'int8'; torch.ones(2, { dtpe })",
      "ones has no option dtpe; dtype is near: write dtype: dtpe.",
    ],
    // Names are for what follows the tensors.
    ["torch.mul(x, { other: x })", "mul takes other at its place: write torch.mul(x, x)."],
    [
      "torch.sub({ other: x, input: loss, alpha: 2 })",
      "sub takes input and other at their places: write torch.sub(loss, x, { alpha: 2 }).",
    ],
    ["x.sum({ dims: 1 })", "sum has no option dims; dim is near: write dim: 1."],
    ["x.std(0, { axes: 1 })", "std has no option axes; it has correction, keepdim, unbiased and dim."],
    [
      "class Net extends nn.Module { override forward(y: Tensor) { return y; } clone(): Net { return new Net(); } }",
      "Property 'clone' in type 'Net' is not assignable to the same property in base type 'Module'. A class that extends this one gets its own type from it: write override clone(): this { return new Net() as this; }.",
    ],
    ["x.shape()", "shape is no method: write x.shape."],
    ["x.grad.sum()", "x.grad is null until backward() has run; where it has: write x.grad!."],
    ['torch.ones([2], { dtype: "float" })', '"float" is no dtype here: write "float32".'],
    [
      "torch.cross_entropy(x, x)",
      "Property 'cross_entropy' does not exist on type 'Torch'. torch does not have it, and functional does: write functional.crossEntropy(x, x), with import { functional } from \"mpslab\".",
    ],
    [
      "load() + 1",
      "Operator '+' cannot be applied to types 'Promise<number>' and '1'. `await` gives the value of a promise: write await load().",
    ],
    [
      "list.contains(1)",
      "Property 'contains' does not exist on type 'number[]'. It is called includes here: write list.includes(1).",
    ],
    [
      "np.array([1, 2])",
      "Cannot find name 'np'. It is called torch.tensor here: write torch.tensor([1, 2]).",
    ],
    [
      "F.relu(x)",
      "Cannot find name 'F'. It is called functional.relu here: write functional.relu(x), with import { functional } from \"mpslab\".",
    ],
    [
      "plt.scatter(list, list)",
      "Cannot find name 'plt'. It is called lab.plot.points here: write lab.plot.points(list, list), with import { lab } from \"mpslab\".",
    ],
    [
      'pd.read_csv("a.csv", { sep: ";" })',
      'Cannot find name \'pd\'. It is called data.readCsv here: write data.readCsv("a.csv", { sep: ";" }).',
    ],
    [
      "new nn.Sequential(model)[0].weight",
      "Property 'weight' does not exist on type 'Layer'. Where it is a Linear: write (new nn.Sequential(model)[0] as nn.Linear).weight.",
    ],
    [
      "x.copy()",
      "Property 'copy' does not exist on type 'Tensor<[2, 3], \"float32\">'. It is called clone here: write x.clone().",
    ],
    [
      "torch.no_grad()",
      "The mode is that of a function, and ends with it: write torch.noGrad(() => { ... }).",
    ],
    [
      "new optim.SGD(model.parameters()).lr = 1",
      "Property 'lr' does not exist on type 'SGD'. An optimizer has it in each group of parameters: write (new optim.SGD(model.parameters())).paramGroups[0]!.lr.",
    ],
    [
      "new optim.lrScheduler.StepLR(new optim.SGD(model.parameters()), { step_size: 2 })",
      "The option step_size is called stepSize here: write stepSize: 2.",
    ],
    [
      "torch.zeros([2], torch.int64)",
      "zeros takes its options in one object: write torch.zeros([2], { dtype: torch.int64 }).",
    ],
    ["torch.softmax(x)", "Expected 2-4 arguments, but got 1: dim is missing."],
    [
      "x.shape === any.shape",
      "=== compares two lists as objects (Object.is(a, b) asks whether both are one): write x.shape.join() === any.shape.join().",
    ],
    [
      "x.shape !== [2, 3]",
      "This condition will always return 'true' since JavaScript compares objects by reference, not value. Lists of numbers are compared as texts: write x.shape.join() !== [2, 3].join().",
    ],
    [
      "if (total !== NaN) total = 1",
      "This condition will always return 'true'. NaN equals nothing, itself included: write !Number.isNaN(total).",
    ],
    [
      "for (const row in x) console.log(row)",
      "`in` gives the names of fields, `of` the rows of a tensor: write for (const row of x) ....",
    ],
    [
      "for (const epoch in range(3)) console.log(epoch)",
      "Cannot find name 'range'. A loop counts by itself: write for (let epoch = 0; epoch < 3; epoch++) ....",
    ],
    [
      "for (const step in range(10, 0, -2)) console.log(step)",
      "Cannot find name 'range'. A loop counts by itself: write for (let step = 10; step > 0; step -= 2) ....",
    ],
  ])("%s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });

  it.each([
    ["function show() {} const shown: string = show();", "Type 'void' is not assignable to type 'string'."],
    ["Math.abs(1, 2)", "Expected 1 arguments, but got 2."],
    ["undefinedName.foo", "Cannot find name 'undefinedName'."],
    [
      "const f = (n: number) => n; f('x');",
      "Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    ["const { s } = JSON; JSON.parse(x)", "Property 's' does not exist on type 'JSON'."],
    ['const sizes: number[] = ["wide"]', "Type 'string' is not assignable to type 'number'."],
    ['const sizes: number[] = "wide"', "Type 'string' is not assignable to type 'number[]'."],
    ['x.at("first")', "Argument of type '\"first\"' is not assignable to parameter of type 'Index'."],
  ])("where nothing holds, TypeScript's words stand, without its guess: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });

  it("one that gives the words of another call's error is none", async () => {
    expect(
      await notebook.problems("torch.inverse({ other: x }); torch.matmul(x, { other: x });"),
    ).toHaveLength(2);
    const [, second] = await notebook.problems("torch.bmm(x); torch.matmul(x, { tensor2: x });");
    expect(second).toMatch(/'tensor2' does not exist in type 'Tensor[^']*'\.$/);
  });

  it("one that solves several errors is told once", async () => {
    expect(await notebook.problems("x.argmax(); nn.Sequential(nn.Linear(2, 3), nn.ReLU());")).toEqual([
      "1:13 TS2348: Sequential is a class: write new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU()).",
    ]);
  });
});

describe("an operator between tensors", () => {
  it.each([
    "x == x",
    "x === any",
    "any !== x",
    "x < any",
    "-any",
    "+x",
    "~mask",
    "x + (1 as any)",
    "any += x",
  ])("is an error: %s", async (text) => {
    const found = await notebook.problems(`${text};`);
    expect(found.map((one) => / TS(\d+): A tensor|It compares no elements/.test(one))).toEqual([true]);
  });

  it.each([
    "x === null || any == undefined",
    "Object.is(x, any)",
    '"loss: " + loss',
    "const word: string = `${loss}` + loss; word + x",
    "x.shape.join() === any.shape.join() && x.dtype === any.dtype",
    "const other = list; list === other",
    "typeof x === 'object'",
    "function same<T>(a: T, b: T) { return a === b; }",
    "const found: Tensor | null = null as Tensor | null; if (found === null) total = 1;",
  ])("is none: %s", async (text) => {
    expect(await notebook.problems(text)).toEqual([]);
  });
});

describe("what is tried", () => {
  const error = (text: string, code: number): Problem => ({
    start: 0,
    end: text.length,
    code,
    category: "error",
    message: "It is wrong.",
  });
  const trialsOf = (
    problems: Readonly<Record<string, readonly Problem[] | null>>,
    offers: readonly Candidate[],
  ) =>
    new Trials({
      diagnose: async (text) => problems[text] ?? null,
      offer: async () => offers,
      importOf: () => null,
    });
  const offer = (text: string): Candidate => ({
    start: 0,
    end: 3,
    text,
    sentence: "It is so",
    isWhole: true,
  });

  it("is not told if it does not parse, leaves the error, or brings one", async () => {
    const trials = trialsOf(
      { same: [error("same", 1)], worse: [error("worse", 2)], good: [] },
      ["unparsable", "same", "worse", "good"].map(offer),
    );
    const [told] = await trials.advised("bad", [error("bad", 1)]);
    expect(told).toEqual({
      start: 0,
      end: 3,
      code: 1,
      category: "error",
      message: "It is so: write good.",
      advice: { start: 0, end: 3, text: "good", sentence: "It is so", also: [] },
    });
  });

  it("is not told because a method of an `any` would give what fits everywhere", async () => {
    const cell = [
      "function draw(values: Record<string, number> | Record<string, { mean: number }>) {}",
      "const rows: any = []; draw(Object.fromEntries(rows.map((row: any) => [row.name, row.loss])))",
    ];
    expect(await problem(cell.join("\n"))).not.toContain("write");
  });

  it("must differ from what was written", async () => {
    const [told] = await trialsOf({ bad: [] }, [offer("bad")]).advised("bad", [error("bad", 1)]);
    expect(told).not.toHaveProperty("advice");
  });

  it("is written as it was tried but for what narrows it", async () => {
    const narrowed = { ...offer("good"), tried: "good satisfies string" };
    const held = await trialsOf({ "good satisfies string": [], good: [] }, [narrowed]).advised("bad", [
      error("bad", 1),
    ]);
    expect(held[0]?.advice?.text).toBe("good");
    const [refused] = await trialsOf({ good: [] }, [narrowed]).advised("bad", [error("bad", 1)]);
    expect(refused).not.toHaveProperty("advice");
  });

  it("a doubtful problem is told only with an advice", async () => {
    const doubtful = { ...error("bad", 1), isDoubtful: true };
    expect(await trialsOf({}, []).advised("bad", [doubtful])).toEqual([]);
    expect(await trialsOf({ good: [] }, [offer("good")]).advised("bad", [doubtful])).toHaveLength(1);
  });
});

describe("a tensor in a condition, which is always true", () => {
  it.each([
    ["if (x.gt(5).any()) total = 1;", "5", "write x.gt(5).any().item()"],
    ["while (x.isnan().all()) break;", "8", "write x.isnan().all().item()"],
    ["const sign = loss.gt(0) ? 1 : -1;", "14", "write loss.gt(0).item()"],
    ["if (total > 1 && !(x.lt(0).any())) total = 1;", "20", "write x.lt(0).any().item()"],
    ["for (const row of x) { if (row.eq(0).all()) total += 1; }", "28", "write row.eq(0).all().item()"],
    [
      "function stop(loss: Tensor) { return loss.gt(3).any() ? 1 : 0; }",
      "38",
      "write loss.gt(3).any().item()",
    ],
  ])("%s", async (text, column, instead) => {
    const declared = "let total = 0; ";
    expect(await notebook.problems(declared + text)).toEqual([
      `1:${Number(column) + declared.length} TS2872: A tensor is always true in a condition: ${instead}.`,
    ]);
  });

  it("is told of in a cell that declares something for all modules, which is looked at a second time in its place", async () => {
    const cell = "declare global { const sharedRate: number } if (x.gt(5).any()) console.log(sharedRate);";
    expect(await notebook.problems(cell)).toEqual([
      "1:49 TS2872: A tensor is always true in a condition: write x.gt(5).any().item().",
    ]);
    expect(await notebook.problems("if (x.gt(5).any().item()) console.log(1);")).toEqual([]);
  });

  it("is not looked for where the condition is written as it should be: that is checked once", () => {
    const asked = (text: string) => questionsOf(parseTypeScript(text), false)?.text ?? null;
    expect(asked("if (x.gt(5).any().item()) stop();")).toBeNull();
    expect(asked("while (!x.equal(y) && (x.allclose(y) || n > 1)) n++;")).toBeNull();
    expect(asked("if (x.item || item(x) || a === b || x.item().any()) stop(1 + n, -n);")).toBe(
      "if (x.item || __mpslab_ask(item(x)) || __mpslab_ask(__mpslab_ask_same(a)) === __mpslab_ask(__mpslab_ask_same(b)) || __mpslab_ask(x.item().any())) stop(1 + n, -__mpslab_ask(n));",
    );
  });

  it("is a warning of a variable, which may hold nothing where its type says otherwise", async () => {
    expect(await notebook.problems("const [best] = [x].slice(1); if (best) console.log(best);")).toEqual([
      "1:34 warning TS2872: A tensor is always true in a condition (all() asks of all elements, item() reads a single one): write best.any().item().",
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

it("a model is completed without what functions have, and a function without what throws", async () => {
  const layer = await notebook.completions("const layer = new nn.Linear(2, 3); layer.|");
  expect(layer).toEqual(expect.arrayContaining(["apply", "forward", "parameters", "weight"]));
  expect(layer.filter((name) => /^(arguments|bind|call|caller|prototype)$/.test(name))).toEqual([]);
  const called = await notebook.completions("function train() {} train.|");
  expect(called).toEqual(expect.arrayContaining(["apply", "bind", "call"]));
  expect(called.filter((name) => /^(arguments|caller)$/.test(name))).toEqual([]);
});
