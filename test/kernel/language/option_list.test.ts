// The options of a call are listed below its signature, each with its type, its sentence and its default.
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";
import { optionedCalls } from "./public_options.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession();
  await notebook.run(
    'import { functional as F, lab, nn, optim, torch } from "mpslab"; const w = torch.randn([784, 128]); const x = w;',
  );
});
afterAll(() => notebook.close());

test("of a class by its name, and in its arguments", async () => {
  const linear = await notebook.hover("nn.Lin|ear");
  expect(linear).toContain("\nOptions:\n");
  expect(linear).toContain("- bias: boolean  Whether a bias is added. Default: true.");
  expect(linear).toContain("- dtype: DType | null  ");
  const code = "new optim.AdamW(";
  const made = await notebook.service.signature(code, code.length, code.length - 1);
  expect(made?.markdown).toContain("- `lr: number`  Learning rate. Default: 1e-3.");
  expect(made?.markdown).toContain("- `amsgrad: boolean`  Divides by the largest");
  expect(made?.markdown).toContain("- `fused: boolean | null`  Taken and without effect");
});
test.each([
  [
    "of a part of a type's options",
    "new optim.LBFGS(",
    "- maxIter: number  Iterations of one step. Default: 20.",
  ],
  [
    "of a namespace under another name",
    "F.crossEntropy(",
    "- ignoreIndex: number  A class index that counts",
  ],
  [
    "of what every function takes that makes a tensor",
    "torch.zeros(",
    "- requiresGrad: boolean  Autograd records",
  ],
  ["of an operator", "torch.add(", "- alpha: Scalar  The multiplier for other. Default: 1."],
  ["in place, too", "x.add_(", "- alpha: Scalar  The multiplier for other. Default: 1."],
  [
    "of an operator's argument that has a place",
    "torch.sum(",
    "- keepdim: boolean  Whether the result keeps reduced dimensions, each of size 1. Default: false.",
  ],
  [
    "of one under the name of a function of a layer",
    "F.avgPool2d(",
    "- stride: number | readonly number[] | null  The step of the window; an empty list is the window's size. Default: [].",
  ],
  ["of a class of layers", "new nn.GroupNorm(", "- affine: boolean  Learns a scale and a shift for"],
  ["of a type of the cell's own", "train(", "- rate: number  How fast. Default: 0.1."],
])("%s", async (_, call, line) => {
  const own = "interface TrainOptions {\n  /** How fast. Default: 0.1. */\n  rate: number }";
  await notebook.run(`${own}\nfunction train(options: TrainOptions) { return options; }`);
  const shown = await notebook.service.signature(call, call.length, call.length - 1);
  expect(shown?.text).toContain(line);
  expect(shown?.text).not.toContain("import(");
});
test("and no path of a file is shown of a type that the library does not export", async () => {
  const call = "new optim.RMSprop(";
  const shown = await notebook.service.signature(call, call.length, call.length - 1);
  expect(shown?.text).toMatch(
    /^RMSprop\(\n {2}params: Iterable<Tensor> \| .*NamedArguments<optim\.RMSpropOptions>,\n {2}\^{6}\n/,
  );
});
test("a parameter whose line a page breaks is marked at its name", async () => {
  const call = "new optim.AdamW(";
  const shown = await notebook.service.signature(call, call.length, call.length - 1);
  expect(shown?.text).toMatch(/^AdamW\(\n {2}params: .*\n {2}\^{6}\n {2}lr\?: number/);
});
test("of a function that an object holds, with the function's own documentation", async () => {
  const histogram = await notebook.hover("lab.plot.histo|gram");
  expect(histogram).toMatch(/Draws .*\n\nOptions:\n/s);
  expect(histogram).toContain("- bins: number  Bins of equal width");
});
test("and nothing is listed of a call without any, nor of a value", async () => {
  expect(await notebook.hover("torch.isTens|or")).not.toContain("Options:");
  expect(await notebook.hover("|w")).not.toContain("Options:");
});
test("a function that an interface declares is shown with its signatures", async () => {
  const dropout = await notebook.hover("F.drop|out");
  expect(dropout).toMatch(/^dropout\(\n {2}input: /);
  expect(dropout).not.toContain("^");
  expect(dropout).toContain("Sets elements to zero");
});

/** What a call does not name stays, or is not known: these fields have no defaults. `cause` is JavaScript's. */
const WITHOUT_DEFAULTS = /^lab\.(?:decide|diagnose|gates|logbook\.(?:record|draft))$|\)\.set$|Error$/;
/** Operators are written by one generator: every tenth of them stands for all. */
const ONE_OF = 10;

const all = optionedCalls();
const operators = all.filter(({ isOperator }) => isOperator);
const calls = all.filter((call) => !call.isOperator || operators.indexOf(call) % ONE_OF === 0);
const ownerOf = (code: string): string => /^(?:\(null! as InstanceType<typeof )?(\w+)/.exec(code)![1]!;
const owners = [...new Set(calls.map(({ code }) => ownerOf(code)))];

test("public calls with options are found", () => {
  expect(calls.length).toBeGreaterThan(400);
});
/** Types of options that stay without a name of their own, with the reason. */
const UNNAMED: Readonly<Record<string, string>> = {
  ValuesOnly: "tells the overload of torch.unique that gives elements alone; its fields are UniqueOptions'",
};

test("every type of options has a public name, so that the API reference has a page of it", () => {
  const hidden = all.flatMap(({ code, hidden: names }) => names.map((name) => ({ name, code })));
  expect(hidden.filter(({ name }) => UNNAMED[name] === undefined)).toEqual([]);
  expect(Object.keys(UNNAMED).filter((name) => !hidden.some((one) => one.name === name))).toEqual([]);
});
/** Options without a sentence, with the reason. */
const UNSAID: Readonly<Record<string, string>> = {
  cause: "JavaScript's option of every error, which its own library declares without a comment",
};

test("every option says what it does", () => {
  const unsaid = all.flatMap(({ code, unsaid: names }) => names.map((name) => ({ name, code })));
  expect(unsaid.filter(({ name }) => UNSAID[name] === undefined)).toEqual([]);
  expect(Object.keys(UNSAID).filter((name) => !unsaid.some((one) => one.name === name))).toEqual([]);
  expect(all.reduce((sum, { options }) => sum + options.size, 0)).toBeGreaterThan(2000);
});
test.each(owners)("every option of a call of %s has its type and its default", async (name) => {
  expect(await notebook.run(`import { ${name} } from "mpslab";`)).toEqual([]);
  // A question waits for names half a second at most, which a loaded machine does not keep.
  await notebook.service.types();
  const lacks: string[] = [];
  for (const { code, options } of calls.filter((one) => ownerOf(one.code) === name)) {
    const shown = (await notebook.service.hover(code, code.length))?.text ?? "";
    const lines = new Map(
      Array.from(shown.matchAll(/^- (\w+): .+$/gm), ([line, option = ""]) => [option, line]),
    );
    const isWhole = (line = ""): boolean =>
      line !== "" && (WITHOUT_DEFAULTS.test(code) || /\bDefault\b/.test(line));
    const wrong = [...options].filter((option) => !isWhole(lines.get(option)));
    if (wrong.length > 0) lacks.push(`${code}: ${wrong.join(", ")}`);
  }
  expect(lacks).toEqual([]);
});
