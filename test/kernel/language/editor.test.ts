// Tests the questions of an editor while a cell is being written: completion and documentation, also while a check
// runs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calledName } from "../../../lib/typescript/cursor.ts";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
beforeAll(async () => {
  notebook = new NotebookSession({
    "local.ts": "export const a = 1;",
    "node_modules/pkg/package.json": "{}",
  });
  await notebook.run(
    [
      "/** How fast it learns. */",
      "const learningRate = 0.1;",
      "let losses: number[] = [];",
      "class Model {\n  /** Weights, by layer. */\n  weights = [1]; forward(x: number): number { return x } }",
      "const model = new Model();",
      "/** Adds up.\n * @param a the first */",
      "function total(a: number, b = 2): number { return a + b }",
      "enum Mode { Train, Eval }",
      "interface Options { rate: number }",
    ].join("\n"),
  );
  // Completion waits half a second for the names of a cell that has just run; the check of the next cell waits as long as
  // they take on a busy machine.
  await notebook.run("1;");
});
afterAll(() => notebook.close());

const kinds = async (text: string): Promise<Record<string, string>> => {
  const { items } = await notebook.service.complete(text.replace("|", ""), text.indexOf("|"));
  return Object.fromEntries(items.map((item) => [item.text, item.kind]));
};

describe("completion", () => {
  test("of a text that nests too deeply is nothing, and the server lives", async () => {
    const pid = await notebook.service.pid();
    expect(await kinds(`${"(".repeat(50_000)}model.|`)).toEqual({});
    expect(await notebook.service.hover(`model + ${"!".repeat(50_000)}model`, 2)).toBeNull();
    expect(await notebook.service.pid()).toBe(pid);
  });

  test("members after a dot, in a cell that does not parse yet", async () => {
    expect(await kinds("model.|")).toEqual({ forward: "method", weights: "field" });
    expect(await kinds("function f() {\n  if (model.we|")).toEqual({ weights: "field" });
    expect(await kinds("model?.f|\nconst later = 1")).toEqual({ forward: "method" });
    expect(await kinds("Mode.|")).toEqual({ Eval: "enum", Train: "enum" });
  });

  test("values of all cells first, then globals and keywords", async () => {
    const items = await notebook.completions("|");
    expect(items.slice(0, 6).sort()).toEqual(["Mode", "Model", "learningRate", "losses", "model", "total"]);
    expect(items).toEqual(expect.arrayContaining(["display", "process", "Promise", "await"]));
    expect(items.filter((item) => item.startsWith("__mpslab"))).toEqual([]);
  });

  test("names that begin with what is typed, each with its kind", async () => {
    expect(await kinds("lea|")).toEqual({ learningRate: "variable" });
    expect(await kinds("const x = tot|")).toEqual({ total: "function" });
    expect(await kinds("let o: Opt|")).toEqual({ Options: "interface", optim: "mpslab" });
    expect(await kinds("new Mode|l")).toMatchObject({ Model: "class", Mode: "enum" });
  });

  test("what the cell declares itself hides an earlier cell's name", async () => {
    expect(await kinds("const model = 'text';\nmodel.toUpper|")).toEqual({ toUpperCase: "method" });
    expect(await kinds("import { sep as losses } from 'node:path'\nlosses.trimS|")).toEqual({
      trimStart: "method",
    });
  });

  test("object keys, string literals, module names and paths", async () => {
    expect(await kinds("const o: Options = { | }")).toEqual({ rate: "field" });
    expect(await notebook.completions("const m: 'train' extends string ? 'eval' : never = '|'")).toEqual([
      "eval",
    ]);
    expect(await notebook.completions("import { readFi| } from 'node:fs'")).toEqual([
      "readFile",
      "readFileSync",
    ]);
    expect(await notebook.completions("import {} from './|'")).toContain("local");
    expect(await notebook.completions("import {} from 'node:f|'")).toContain("node:fs");
  });

  test("replaces the word before the cursor and nothing after it", async () => {
    const text = "const émoji = '😀'; model.forw";
    const { start, end } = await notebook.service.complete(text, text.length);
    expect(text.slice(start, end)).toBe("forw");
  });

  test("a short list has signatures", async () => {
    const signatures = async (text: string) => {
      const { items } = await notebook.service.complete(text, text.length);
      return Object.fromEntries(items.map((item) => [item.text, item.signature]));
    };
    expect(await signatures("model.")).toEqual({ forward: "(x: number): number", weights: "number[]" });
    expect(await signatures("tot")).toEqual({ total: "(a: number, b?: number): number" });
    expect(await signatures("displa")).toMatchObject({
      display: expect.stringMatching(/^\(value: unknown, options\?: \{/),
    });
    expect(await signatures("Mod")).toMatchObject({ Mode: undefined, Model: undefined, model: "Model" });
  });

  test("names of the library that the cell does not import, with the import", async () => {
    const complete = async (text: string) => (await notebook.service.complete(text, text.length)).items;
    expect(await complete("const t = torc")).toEqual([
      { text: "torch", kind: "mpslab", signature: 'import { torch } from "mpslab";' },
    ]);
    // At the beginning of a line the whole import can be taken.
    expect((await complete("const a = 1;\ntorc")).map(({ text }) => text)).toEqual([
      "torch",
      'import { torch } from "mpslab";',
    ]);
    expect((await complete("lab.led")).map(({ text }) => text)).toEqual(["ledger"]);
    expect((await complete('import { torch } from "mpslab";\ntorc')).map(({ kind }) => kind)).toEqual([
      "variable",
    ]);
    expect((await complete("const f = (data: number[]) => data.map")).map(({ text }) => text)).toEqual([
      "map",
    ]);
    expect((await complete("const torch = 1; torc")).map(({ kind }) => kind)).toEqual(["variable"]);
  });

  test("an import whose module is not written yet is taken for the library's", async () => {
    expect(await notebook.completions("import { opt|")).toEqual(["optim"]);
    expect(await notebook.completions("let a;\nimport { torch, opt| }")).toEqual(["optim"]);
    expect(await notebook.completions("import { | }\nconst b = 1;")).toContain("torch");
    expect(await notebook.completions('import { readFileS| } from "node:fs"')).toEqual(["readFileSync"]);
    expect(await notebook.completions("import {\n  sep,\n  reso|\n} from 'node:path'")).toEqual(["resolve"]);
  });

  test("a type error of such a name says how to import it", async () => {
    expect(await notebook.problems("optim")).toEqual([
      "1:1 TS2304: Cannot find name 'optim'. It is imported: write import { optim } from \"mpslab\".",
    ]);
  });

  test("a newer request supersedes an older one", async () => {
    const older = notebook.service.complete("model.", 6);
    const newer = notebook.service.complete("model.w", 7);
    expect((await older).items).toEqual([]);
    expect((await newer).items.map(({ text }) => text)).toEqual(["weights"]);
  });

  test("answers while a check runs", async () => {
    // A type that takes the checker seconds: every pair of 1,000 members is compared.
    const union = (suffix: string) =>
      Array.from({ length: 500 }, (_, i) => `{ k${i}: "${i}${suffix}"; n: ${i} }`).join(" | ");
    const order: string[] = [];
    const check = notebook.problems(
      `type A = ${union("a")}; type B = ${union("b")}; declare const b: B; const a: A = b;`,
    );
    const checked = check.then(() => order.push("check"));
    await kinds("model.|");
    order.push("completion");
    await checked;
    expect(order).toEqual(["completion", "check"]);
  });
});

describe("completion in a call of the library", () => {
  const library = new NotebookSession();
  beforeAll(async () => {
    await library.run('import { nn, optim, torch } from "mpslab"; const x = torch.zeros([2, 3]);');
    await library.run("class Model { weights = [1] } const model = new Model(); const learningRate = 0.1;");
  });
  afterAll(() => library.close());

  test.each([
    ["torch.zeros([2], { |", ["device", "dtype", "layout", "out", "pinMemory", "requiresGrad"]],
    ["torch.zeros([2], { dtype: 'bool', d|", ["device"]],
    [
      "new optim.Adam([x], {\n  lr: 1e-3,\n  |\n});",
      [
        "amsgrad",
        "betas",
        "capturable",
        "differentiable",
        "eps",
        "foreach",
        "fused",
        "maximize",
        "weightDecay",
      ],
    ],
    ["new nn.Conv2d(3, 6, 3, { p|})", ["padding", "paddingMode"]],
    [
      "new nn.Conv2d(3, 6, 3, { |",
      ["bias", "device", "dilation", "dtype", "groups", "padding", "paddingMode", "stride"],
    ],
    ["new nn.Conv2d(3, 6, 3, { paddingMode: '|", ["circular", "reflect", "replicate", "zeros"]],
    ["const { w| } = model", ["weights"]],
  ])("of %s: the options, and no variable", async (text, options) => {
    expect(await library.completions(text)).toEqual(options);
  });

  test.each([
    ["torch.zeros([2], { device: |", ['"cpu"', '"cuda"', '"meta"', '"mps"']],
    [
      "torch.zeros([2], { dtype: | })\nconst later = 1",
      ['"bfloat16"', '"bool"', '"complex128"', '"complex32"'],
    ],
    ["nn.functional.mseLoss(x, x, { reduction: |", ['"mean"', '"none"', '"sum"', "nn"]],
  ])("of %s: the strings that fit, before all names", async (text, values) => {
    expect((await library.completions(text)).slice(0, 4)).toEqual(values);
  });

  test("a block is no object: its names are those in scope", async () => {
    expect(await library.completions("function f() { |")).toContain("learningRate");
    expect((await library.service.complete("function f() { ", 15)).inScope).toBe(true);
    expect((await library.service.complete("torch.zeros([2], { ", 19)).inScope).toBe(false);
  });

  test("lists without regard to the case", async () => {
    const items = await library.completions('import { lab } from "mpslab"; lab.g|');
    expect(items).toEqual(["gates", "growth", "GROWTH_THRESHOLD"]);
  });
});

describe("documentation", () => {
  test.each([
    ["learning|Rate", "const learningRate: 0.1\n\nHow fast it learns."],
    ["lo|sses.push(1)", "let losses: number[]"],
    ["model.for|ward(1)", "(method) Model.forward(x: number): number"],
    ["model.wei|ghts", "(property) Model.weights: number[]\n\nWeights, by layer."],
    ["Mod|el", "class Model"],
    ["let o: Opt|ions", "interface Options"],
    ["Mode.Tr|ain", "(enum member) Mode.Train = 0"],
    ["const own = [model|];", "const model: Model"],
  ])("of %s", async (text, expected) => {
    expect(await notebook.hover(text)).toBe(expected);
  });

  test("of a name that nobody declared, and of a member that there is not, is nothing", async () => {
    expect(await notebook.hover("noth|ing")).toBeUndefined();
    expect(await notebook.hover("model.noth|ing")).toBeUndefined();
  });

  test("of a function, with its parameters' comments; of a call, its signature", async () => {
    expect(await notebook.hover("tot|al(1)")).toBe(
      "function total(a: number, b?: number): number\n\nAdds up.\n\nParameters:\n\n- `a`: the first",
    );
    expect(await notebook.hover("disp|lay(1)")).toMatch(
      /^function display\(\n {2}value: unknown,\n.*Shows a value below the cell/s,
    );
  });

  test("markdown has the type in a block of TypeScript", async () => {
    const hover = await notebook.service.hover("learningRate", 3);
    expect(hover?.markdown).toBe("```typescript\nconst learningRate: 0.1\n```\n\nHow fast it learns.");
  });

  test("is of the text that was asked about, whatever else is asked at the same time", async () => {
    const [first, items, second, third] = await Promise.all([
      notebook.hover("\n\n  learning|Rate"),
      notebook.completions("model.we|"),
      notebook.hover("total|"),
      notebook.hover("// a line\nlo|sses"),
    ]);
    expect(first).toMatch(/^const learningRate/);
    expect(items).toEqual(["weights"]);
    expect(second).toMatch(/^function total/);
    expect(third).toBe("let losses: number[]");
  });

  test("of a call: its signature, the parameter at the cursor marked, the others below", async () => {
    const signature = async (marked: string) => {
      const [text, offset] = [marked.replace("|", ""), marked.indexOf("|")];
      return (await notebook.service.signature(text, offset, calledName(text, offset) ?? offset))?.text;
    };
    expect(await signature("total(|")).toBe(
      ["total(a: number, b?: number): number", "      ^^^^^^^^^", "", "`a`: the first", "", "Adds up."].join(
        "\n",
      ),
    );
    expect(await signature("total(1, |)")).toMatch(/^total\(a: number, b\?: number\): number\n {17}\^{10}\n/);
    expect(await signature('import { torch } from "mpslab"; torch.ones([2]).sum(|')).toBe(
      [
        'sum(options?: { dtype?: "float32" | null }): Tensor<[], "float32">',
        `    ${"^".repeat('options?: { dtype?: "float32" | null }'.length)}`,
        "sum(",
        "  dim: number | readonly number[] | null,",
        "  keepdim?: boolean = false,",
        "  options?: { dtype?: DType | null }",
        "): Tensor",
        "sum(options: { dim: number | readonly number[] | null; keepdim?: boolean = false; dtype?: DType | null }): Tensor",
        "sum(",
        "  dim: number | readonly number[] | null,",
        "  options: { keepdim?: boolean = false; dtype?: DType | null }",
        "): Tensor",
        "",
        "Returns the sum of all elements in the `input` tensor.\n",
        "Options:\n- dtype: DType | null  The desired type of returned tensor. Default: null.\n- keepdim: boolean  Whether the result keeps reduced dimensions, each of size 1. Default: false.",
      ].join("\n"),
    );
    expect(await signature('import { torch } from "mpslab"; torch.ones([2, 3]).add(1, |')).toBe(
      [
        'add(other: number, options?: { alpha?: Scalar = 1 }): Tensor<[2, 3], "float32">',
        `                   ${"^".repeat("options?: { alpha?: Scalar = 1 }".length)}`,
        "",
        "Adds `other`, scaled by `alpha`, to `input`. Defaults: alpha = 1.\n",
        "Options:\n- alpha: Scalar  The multiplier for other. Default: 1.",
      ].join("\n"),
    );
    expect(await signature('import { torch } from "mpslab"; if (true) { torch.ones([2]).at(|')).toMatch(
      /^at\(\.\.\.indices: readonly Index\[\]\): Tensor\n {3}\^{28}\n\nPart of the tensor/,
    );
    expect(await signature('import { torch } from "mpslab"; torch.ones([2]).at(0, |)')).toMatch(
      /^at\(\.\.\.indices: readonly Index\[\]\): Tensor\n {3}\^{28}\n/,
    );
    expect(await signature("Math.max(1, |")).toMatch(
      /^max\(\.\.\.values: number\[\]\): number\n {4}\^{19}\n\n`values`: Numeric/,
    );
    expect(await signature('import { nn } from "mpslab"; nn.Linear(784, |')).toMatch(
      /^Linear\(\n {2}inFeatures: 784,\n {2}outFeatures: number,\n {2}\^{19}\n {2}bias\?: [^]*\n\): nn\.Linear<784, number>\n(?:Linear<[^]*?\): nn.*\n){3}\nx W\^T/,
    );
    expect(
      await signature('import { data, torch } from "mpslab"; new data.TensorDataset(torch.ones([2]), |'),
    ).toMatch(/^TensorDataset\(\.\.\.tensors: \[Tensor<\[2\], "float32">\]\): .*\n {14}\^+\n\nItems along/);
    expect(
      await signature('import { nn, torch } from "mpslab"; new nn.Linear(2, 3)(torch.ones([4, 2])|'),
    ).toMatch(/^\(input: Tensor<\[4, 2\], "float32">\): Tensor<\[4, 3\], "float32">\n \^+\n\nRuns the layer/);
    expect(await signature('import { nn } from "mpslab"; new nn.Dropout(|')).toMatch(
      /^Dropout\(.*\n +\^+\nDropout\(options: .*\n\nDrops single elements and scales the rest by 1 \/ \(1 - p\)\.\n\nOptions:\n- p: number {2}Probability .* Default: 0\.5\.\n- inplace: boolean {2}Overwrites .* Default: false\.$/,
    );
    expect(await signature("total|")).toBeUndefined();
  });

  test("of operators names what a user calls, on one line where it fits, else with a line for each parameter", async () => {
    const of = (text: string) =>
      notebook.hover(`import { nn, torch } from "mpslab"; const x = torch.ones([2]); ${text}`);
    expect(await of("x.ad|d(1)")).toMatch(
      /^\(method\) Tensor\.add\(\n {2}other: number,\n {2}options\?: \{ alpha\?: Scalar \}\n\): Tensor<\[2\], "float32">\n\n\w/,
    );
    expect(await of("x.ad|d")).toMatch(
      /^\(method\) Tensor\.add\(\n {2}other: Tensor \| Scalar,\n {2}options\?: \{ alpha\?: Scalar \}\n\): Tensor\n\n\w/,
    );
    expect(await of("torch.matm|ul")).toMatch(
      /^\(method\) torch\.matmul\([^]*options\?: \{ out\?: Tensor \}\n\): Tensor\n\n\w/,
    );
    expect(await of("torch.linalg.cond|(x)")).toMatch(/^\(method\) linalg\.cond\(/);
    expect(await of("n|n")).toBe("namespace nn");
  });

  test("of tags: parameters as a list, the others by their names", async () => {
    await notebook.run(
      "/**\n * Scales.\n *\n * @param by how much\n * @param at where\n * @returns the scaled one\n" +
        " * @throws RangeError for 0\n * @example\n * scale(2)\n */\nfunction scale(by: number, at = 0): number { return by + at }",
    );
    const { service } = notebook;
    expect((await service.hover("scale", 2))?.markdown).toBe(
      [
        "```typescript\nfunction scale(by: number, at?: number): number\n```",
        "Scales.",
        "**Parameters**",
        "- `by`: how much\n- `at`: where",
        "**Returns** the scaled one",
        "**Throws** RangeError for 0",
        "**Example**\n```typescript\nscale(2)\n```",
      ].join("\n\n"),
    );
  });

  test("of a library name that is not imported begins with its import", async () => {
    expect(await notebook.hover("tor|ch.zeros([1])")).toBe(
      'import { torch } from "mpslab";\n\nconst torch: Torch',
    );
    expect(await notebook.hover("const torch = 1; tor|ch")).toBe("const torch: 1");
  });

  test("of nothing is nothing", async () => {
    expect(await notebook.hover("  |  ")).toBeUndefined();
    expect(await notebook.hover("// comm|ent")).toBeUndefined();
  });
});

describe("source", () => {
  const source = (marked: string) => notebook.service.source(marked.replace("|", ""), marked.indexOf("|"));

  test("of what cells declare, as they were written", async () => {
    expect(await source("tot|al(1)")).toBe("function total(a: number, b = 2): number { return a + b }");
    expect(await source("model.for|ward")).toBe("forward(x: number): number { return x }");
    expect(await source("learning|Rate")).toBe("const learningRate = 0.1;");
    expect(await source("new Mod|el")).toMatch(
      /^class Model \{\n {2}\/\*\* Weights, by layer\. \*\/\n.*\}$/s,
    );
    expect(await source("let o: Opt|ions")).toBe("interface Options { rate: number }");
  });

  test("of a local file; of a declaration file its type says as much", async () => {
    expect(await source('import { a } from "./local.ts"; a|')).toBe("const a = 1;");
    expect(await source("Math.m|ax")).toBeNull();
    expect(await source("nothing|")).toBeNull();
  });
});
