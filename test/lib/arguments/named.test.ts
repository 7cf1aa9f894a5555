// Arguments of operators by name in the last object, from any place on that is not a needed tensor's: the same as by place,
// at run time and in types. What is missing is named in the error.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functional as F, torch } from "../../../lib/index.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";

/** Each call by name, and the same by place. `x` is [2, 3], `image` [1, 2, 4, 4], `weight` [3, 2, 3, 3], `bias` [3]. */
const CALLS: Readonly<Record<string, string>> = {
  "x.softmax({ dim: 1 })": "x.softmax(1)",
  "torch.softmax(x, { dim: 1 })": "torch.softmax(x, 1)",
  "F.softmax(x, { dim: 1 })": "F.softmax(x, 1)",
  'F.logSoftmax(x, { dim: 1, dtype: "float64" })': 'F.logSoftmax(x, 1, { dtype: "float64" })',
  "torch.cat([x, x], { dim: 1 })": "torch.cat([x, x], 1)",
  "torch.stack([x, x], { dim: 1 })": "torch.stack([x, x], 1)",
  "torch.linalg.matrixNorm(x, { ord: -1 })": "torch.linalg.matrixNorm(x, -1)",
  'torch.linalg.matrixNorm(x, { ord: "nuc", dim: [0, 1] })': 'torch.linalg.matrixNorm(x, "nuc", [0, 1])',
  "torch.linalg.vectorNorm(x, { ord: 1, dim: 1 })": "torch.linalg.vectorNorm(x, 1, 1)",
  "x.sum({ dim: 1, keepdim: true })": "x.sum(1, true)",
  "x.sum(1, { keepdim: true })": "x.sum(1, true)",
  "x.mean({ dim: 0 })": "x.mean(0)",
  "x.max({ dim: 1 })[0]": "x.max(1)[0]",
  "x.topk({ k: 2 })[0]": "x.topk(2)[0]",
  "x.topk(2, 1, { largest: false })[0]": "x.topk(2, 1, false)[0]",
  "x.transpose({ dim0: 0, dim1: 1 })": "x.transpose(0, 1)",
  "x.transpose(0, { dim1: 1 })": "x.transpose(0, 1)",
  "x.unsqueeze({ dim: 0 })": "x.unsqueeze(0)",
  "torch.unsqueeze(x, { dim: 0 })": "torch.unsqueeze(x, 0)",
  "x.gather({ dim: 1, index: at })": "x.gather(1, at)",
  "torch.gather(x, { dim: 1, index: at })": "torch.gather(x, 1, at)",
  "x.cumsum({ dim: 1 })": "x.cumsum(1)",
  "x.split({ splitSize: 1, dim: 1 })[2]": "x.split(1, 1)[2]",
  "x.chunk({ chunks: 3, dim: 1 })[2]": "x.chunk(3, 1)[2]",
  "x.narrow({ dim: 1, start: 0, length: 2 })": "x.narrow(1, 0, 2)",
  "x.maskedFill(x.gt(2), { value: 0 })": "x.maskedFill(x.gt(2), 0)",
  "torch.quantile(x, { q: 0.5, dim: 1 })": "torch.quantile(x, 0.5, 1)",
  "torch.repeatInterleave(x, { repeats: 2, dim: 0 })": "torch.repeatInterleave(x, 2, 0)",
  "torch.clamp(x, 1, { max: 2 })": "torch.clamp(x, 1, 2)",
  "torch.linspace(0, 1, { steps: 4 })": "torch.linspace(0, 1, 4)",
  "torch.linspace({ start: 0, end: 1, steps: 4 })": "torch.linspace(0, 1, 4)",
  "torch.randperm({ n: 3 }).sum()": "torch.randperm(3).sum()",
  "F.conv2d(image, weight, bias, { stride: 2 })": "F.conv2d(image, weight, bias, 2)",
  "F.conv2d(image, weight, bias, 1, { padding: 1 })": "F.conv2d(image, weight, bias, 1, 1)",
  "F.avgPool2d(image, { kernelSize: 2 })": "F.avgPool2d(image, 2)",
  "F.avgPool2d(image, { kernelSize: 2, stride: 1 })": "F.avgPool2d(image, 2, 1)",
  "F.layerNorm(x, { normalizedShape: [3] })": "F.layerNorm(x, [3])",
};

/** Calls without a needed argument, and its name, which the error says. */
const MISSING: Readonly<Record<string, string>> = {
  "x.softmax()": "dim",
  "x.softmax({})": "dim",
  "torch.softmax(x)": "dim",
  'torch.softmax(x, { dtype: "float64" })': "dim",
  "x.gather({ dim: 1 })": "index",
  "x.transpose(0)": "dim1",
  "x.transpose(0, {})": "dim1",
  "torch.linspace(0, 1, {})": "steps",
};

const tensors = {
  x: torch.arange(6).float().view(2, 3),
  at: torch.tensor([[0], [2]]),
  image: torch.arange(32).float().view(1, 2, 4, 4),
  weight: torch.ones(3, 2, 3, 3),
  bias: torch.arange(3).float(),
};
const evaluate = (text: string): unknown =>
  new Function("torch", "F", ...Object.keys(tensors), `return ${text}`)(torch, F, ...Object.values(tensors));
const read = (text: string) => {
  const result = evaluate(text) as typeof tensors.x;
  return { dtype: result.dtype, shape: result.shape, values: result.tolist() };
};

describe("arguments by name", () => {
  let notebook: NotebookSession;
  beforeAll(async () => {
    notebook = new NotebookSession();
    await notebook.run(
      `import { functional as F, torch } from "mpslab";
       const x = torch.zeros([2, 3]), at = torch.zeros([2, 1]).long(), image = torch.zeros([1, 2, 4, 4]),
         weight = torch.zeros([3, 2, 3, 3]), bias = torch.zeros([3]);`,
    );
  });
  afterAll(() => notebook.close());

  it.each(Object.entries(CALLS))("%s", (named, placed) => {
    expect(read(named)).toEqual(read(placed));
  });

  it("have the same type", async () => {
    const types = async (texts: readonly string[]) => {
      const lines = texts.map((text, at) => `const probe${at}: { __probe: 1 } = ${text};`);
      const problems = await notebook.problems(lines.join("\n"));
      return problems.map((problem) => problem.replace(/^(\d+):\d+/, "$1"));
    };
    const named = await types(Object.keys(CALLS));
    expect(named).toHaveLength(Object.keys(CALLS).length);
    expect(named).toEqual(await types(Object.values(CALLS)));
  });

  it.each(Object.entries(MISSING))("%s says what is missing", async (text, name) => {
    expect(() => evaluate(text)).toThrow(new RegExp(String.raw`'${name}' is missing`));
    expect(await notebook.problems(text)).not.toEqual([]);
  });

  it("a dimension that is not there is refused, by place in a sentence", async () => {
    expect(await notebook.problems("x.softmax({ dim: 2 })")).not.toEqual([]);
    expect((await notebook.problems("x.softmax(2)")).join()).toContain(
      "softmax: dim 2 is none of the 2 dimensions of [2, 3].",
    );
  });
});
