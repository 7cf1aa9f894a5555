// Tests what a cell is told whose call of the library has its arguments in another form.
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    'import { torch, nn, optim, button, slider, data } from "mpslab"; const x = torch.ones([2, 3]); const model = new nn.Linear(2, 3);',
  );
});
afterAll(() => notebook.close());

test.each([
  [
    'torch.ones([2, 3], "float32")',
    'ones takes its options in one object: write torch.ones([2, 3], { dtype: "float32" }).',
  ],
  [
    'torch.ones([2], "cpu")',
    'ones takes its options in one object: write torch.ones([2], { device: "cpu" }).',
  ],
  ['torch.zeros(2, 3, "float32")', 'zeros takes one list of numbers: write torch.zeros([2, 3], "float32").'],
  ['button("Stop")', 'button takes its options in one object: write button({ label: "Stop" }).'],
  ["slider(0, 10)", "slider takes its options in one object: write slider({ min: 0, max: 10 })."],
  [
    "new optim.Adam(model.parameters(), 0.1)",
    "Adam takes its options in one object: write new optim.Adam(model.parameters(), { lr: 0.1 }).",
  ],
  [
    "new data.DataLoader([1, 2], 2)",
    "DataLoader takes its options in one object: write new data.DataLoader([1, 2], { batchSize: 2 }).",
  ],
  [
    "new data.DataLoader({ batchSize: 2 })",
    "DataLoader takes the data first: write new data.DataLoader(dataset, { batchSize: 2 }).",
  ],
  [
    "torch.slice()",
    "slice needs where it stops: write torch.slice(null) for all, torch.slice(3) up to the third, torch.slice(1, 3) from the second to the third.",
  ],
  ['x.at(":", 0)', "A slice is no text: write x.at(torch.slice(null), 0)."],
  ['x.at("1:")', "A slice is no text: write x.at(torch.slice(1, null))."],
  ['x.at("::2")', "A slice is no text: write x.at(torch.slice(null, null, 2))."],
  ['x.at("first")', 'An index is a number, a torch.slice(...), a list or a mask, not "first".'],
  ["x.sum({ dim: 1 })", "The dimension comes before the options: write x.sum(1)."],
  [
    "x.mean({ axis: 0, keepdim: true })",
    "The dimension comes before the options: write x.mean(0, { keepdim: true }).",
  ],
  ['x.sum("0")', '"0" is text, and sum takes a number: write x.sum(0).'],
  ['torch.arange("3")', '"3" is text, and arange takes a number: write torch.arange(3).'],
  ['x.reshape("2,3")', '"2,3" is text, and reshape takes a list of numbers: write x.reshape([2, 3]).'],
  [
    'torch.tensor("1, 2")',
    "A tensor is made of numbers, booleans and lists of them: write torch.tensor([1, 2]).",
  ],
  ["nn.Linear(2, 3)", "Linear is a class: write new nn.Linear(2, 3)."],
  [
    "new nn.Linear({ inFeatures: 2, outFeatures: 3 })",
    "Linear takes its sizes one by one: write new nn.Linear(2, 3).",
  ],
  [
    "new optim.SGD(model, { lr: 0.1 })",
    "An optimizer takes the parameters of a model: write new optim.SGD(model.parameters(), { lr: 0.1 }).",
  ],
  [
    "new nn.Sequential([new nn.ReLU(), model])",
    "Sequential takes its layers one by one: write new nn.Sequential(new nn.ReLU(), model).",
  ],
  [
    "torch.stack(x, 1)",
    "stack takes a list of tensors: write torch.stack([x], 1) of one, [a, b] of several.",
  ],
  ["x.shape()", "shape is no method: write x.shape."],
  ["x.grad.sum()", "x.grad is null until backward() has run: write x.grad! where it has."],
  [
    "Math.max(x)",
    "A tensor is no number: write x.max() for a tensor, or x.item() for the value of a single one.",
  ],
  ["JSON.parse(x)", "A tensor is no text: write String(x), or x.tolist() for its numbers."],
  [
    'x.to("gpu")',
    'to: "gpu" is no device and no dtype: devices are "cpu", "mps" and "cuda", and dtypes such as "float32".',
  ],
  ['torch.ones([2], { dtype: "float" })', '"float" is no dtype here: write "float32".'],
  ['torch.ones([2], { dtype: "torch.int64" })', '"torch.int64" is no dtype here: write "int64".'],
  ["torch.cuda.isAvailable()", 'torch has no cuda inside: write import { cuda } from "mpslab".'],
  [
    "torch.utils.data",
    'torch has no utils inside: write import { data } from "mpslab", which has DataLoader.',
  ],
  [
    "torch.cross_entropy(x, x)",
    'Functions of torch.nn.functional are in functional: write import { functional } from "mpslab". It is functional.crossEntropy.',
  ],
])("%s", async (cell, sentence) => {
  const [problem = ""] = await notebook.problems(cell);
  expect(problem.replace(/^1:\d+ TS\d+: /, "")).toBe(sentence);
});

test.each([
  "const max = (n: number) => n; max('3' as any);",
  "torch.ones([2], { dtype: 'float32' }); x.at(torch.slice(1, 3)); new optim.Adam(model.parameters(), { lr: 1 });",
])("what is right is told nothing: %s", async (cell) => {
  expect(await notebook.problems(cell)).toEqual([]);
});

test("functions of the notebook keep TypeScript's own words", async () => {
  expect(await notebook.problems("const f = (n: number) => n; f('x');")).toEqual([
    "1:31 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
  expect(await notebook.problems("const g = (n: number) => n; g();")).toEqual([
    "1:29 TS2554: Expected 1 arguments, but got 0.",
  ]);
});
