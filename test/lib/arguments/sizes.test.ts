// Sizes, dimensions and tensors one by one, where PyTorch takes them so: the same as in a list, at run time and in types, and
// refused where PyTorch refuses them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATORS } from "../../../lib/torch/tensor/ops.generated.ts";
import { torch } from "../../../lib/index.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";

/** Each call one by one, and the same with a list. `x` is [2, 3], `one` is [1, 2, 1], `row` is [3]. */
const CALLS: Readonly<Record<string, string>> = {
  "torch.zeros(2, 3)": "torch.zeros([2, 3])",
  'torch.zeros(2, 3, { dtype: "int64" })': 'torch.zeros([2, 3], { dtype: "int64" })',
  "torch.zeros(4)": "torch.zeros([4])",
  "torch.ones(2, 3, 4)": "torch.ones([2, 3, 4])",
  "torch.empty(2, 0)": "torch.empty([2, 0])",
  "torch.rand(2, 3, { generator: new torch.Generator().manualSeed(1) })":
    "torch.rand([2, 3], { generator: new torch.Generator().manualSeed(1) })",
  "torch.randn(2, 3, { generator: new torch.Generator().manualSeed(1) })":
    "torch.randn([2, 3], { generator: new torch.Generator().manualSeed(1) })",
  "x.newZeros(4, 5)": "x.newZeros([4, 5])",
  'x.newOnes(4, 5, { dtype: "int8" })': 'x.newOnes([4, 5], { dtype: "int8" })',
  "x.newEmpty(4, 0)": "x.newEmpty([4, 0])",
  "x.view(3, 2)": "x.view([3, 2])",
  "x.view(3, -1)": "x.view([3, -1])",
  "x.view(-1)": "x.view([-1])",
  "x.reshape(-1, 2)": "x.reshape([-1, 2])",
  "x.permute(1, 0)": "x.permute([1, 0])",
  "x.expand(4, 2, 3)": "x.expand([4, 2, 3])",
  "x.repeat(2, 1)": "x.repeat([2, 1])",
  "x.tile(2)": "x.tile([2])",
  "x.flip(0, 1)": "x.flip([0, 1])",
  "x.broadcastTo(4, 2, 3)": "x.broadcastTo([4, 2, 3])",
  "x.sumToSize(1, 3)": "x.sumToSize([1, 3])",
  "x.clone().resize_(3, 2)": "x.clone().resize_([3, 2])",
  "x.countNonzero(0, 1)": "x.countNonzero([0, 1])",
  "x.countNonzero(0)": "x.countNonzero([0])",
  "one.squeeze(0, 2)": "one.squeeze([0, 2])",
  "one.squeeze(0)": "one.squeeze([0])",
  "one.clone().squeeze_(0, 2)": "one.clone().squeeze_([0, 2])",
  "x.hsplit(1, 2)[1]": "x.hsplit([1, 2])[1]",
  "x.vsplit(1)[0]": "x.vsplit([])[0]",
  "one.dsplit(0, 1)[1]": "one.dsplit([0, 1])[1]",
  "torch.meshgrid(row, row)[1]": "torch.meshgrid([row, row])[1]",
  'torch.meshgrid(row, row, { indexing: "xy" })[1]': 'torch.meshgrid([row, row], { indexing: "xy" })[1]',
  "torch.meshgrid(row)[0]": "torch.meshgrid([row])[0]",
  "torch.broadcastTensors(x, row)[1]": "torch.broadcastTensors([x, row])[1]",
  "torch.blockDiag(x, x)": "torch.blockDiag([x, x])",
  "torch.cartesianProd(row, row)": "torch.cartesianProd([row, row])",
  "torch.chainMatmul(x, x.t(), x)": "torch.chainMatmul([x, x.t(), x])",
  'torch.einsum("ij,kj->ik", x, x)': 'torch.einsum("ij,kj->ik", [x, x])',
  "torch.atleast1d(x, row)[1]": "torch.atleast1d([x, row])[1]",
  "torch.atleast2d(x, row)[1]": "torch.atleast2d([x, row])[1]",
  "torch.atleast3d(x, row)[1]": "torch.atleast3d([x, row])[1]",
  "torch.atleast3d(row)": "torch.atleast3d([row])[0]",
};

/** Calls that PyTorch refuses, or reads otherwise; and what the error shows. */
const REFUSED: Readonly<Record<string, string>> = {
  "torch.zeros(2, 3.5)": "got number 3.5",
  "torch.zeros([2], 3)": "at most 1 positional argument",
  "torch.zeros(2, [3])": "element 1 is an array",
  "torch.permute(x, 1, 0)": "at most 2 positional arguments",
  "torch.flip(x, 0, 1)": "at most 2 positional arguments",
  "x.sum(0, 1)": "'keepdim' must be a boolean",
  "x.std(0, 1)": "must be a boolean",
  "x.movedim(0, 1, 2)": "at most 3 positional arguments",
  "x.view(2, '3')": "element 1 is string",
  "torch.meshgrid(row, 3)": "element 1 is number 3",
};

const tensors = {
  x: torch.arange(6).float().view([2, 3]),
  one: torch.ones([1, 2, 1]),
  row: torch.arange(3).float(),
};
const evaluate = (text: string): unknown =>
  new Function("torch", ...Object.keys(tensors), `return ${text}`)(torch, ...Object.values(tensors));
const read = (text: string) => {
  const result = evaluate(text) as typeof tensors.x;
  return { dtype: result.dtype, shape: result.shape, values: result.tolist() };
};

const SETUP =
  'import { torch } from "mpslab"; const x = torch.zeros([2, 3]), one = torch.ones([1, 2, 1]), row = torch.zeros([3]);';

it("the trial has every operator that takes them so", () => {
  const names = OPERATORS[""]
    .split(" ")
    .flatMap((entry) => /^(\w+)(?:=\w+)?:.*[*+]\d$/.exec(entry)?.[1] ?? []);
  expect(names.filter((name) => !Object.keys(CALLS).some((call) => call.includes(`.${name}(`)))).toEqual([]);
  expect(names.length).toBeGreaterThan(25);
});

describe("one by one as in a list", () => {
  it.each(Object.entries(CALLS))("%s", (given, listed) => {
    expect(read(given)).toEqual(read(listed));
  });

  it.each(Object.entries(REFUSED))("%s is refused", (given, shown) => {
    expect(() => evaluate(given)).toThrow(shown);
  });

  it("has the same type", async () => {
    const notebook = new NotebookSession();
    const calls = Object.entries(CALLS).filter(([given]) => !given.startsWith("one.squeeze(0, 2)"));
    const types = async (texts: readonly string[]) => {
      const lines = texts.map((text, at) => `const probe${at}: { __probe: 1 } = ${text};`);
      const problems = await notebook.problems([SETUP, ...lines].join("\n"));
      return problems.map((problem) => problem.replace(/^(\d+):\d+/, "$1"));
    };
    const given = await types(calls.map(([text]) => text));
    expect(given).toHaveLength(calls.length);
    expect(given).toEqual(await types(calls.map(([, text]) => text)));
    notebook.close();
  });
});

describe("a cell", () => {
  let notebook: NotebookSession;
  beforeAll(async () => {
    notebook = new NotebookSession();
    await notebook.run(SETUP);
  });
  afterAll(() => notebook.close());

  it("knows literal sizes, and leaves open what is not known", async () => {
    await notebook.run("const sizes: number[] = [2, 3], n = 3 as number, anything: any = 3;");
    const known = async (text: string) => (await notebook.typeOf(text)).replace(/"/g, "'");
    expect(await known("torch.zeros(2, 3)")).toBe("Tensor<[2, 3], 'float32'>");
    expect(await known('torch.zeros(2, 3, { dtype: "int64" })')).toBe("Tensor<[2, 3], 'int64'>");
    expect(await known("torch.zeros(n, 3)")).toBe("Tensor<[any, 3], 'float32'>");
    expect(await known("torch.zeros(...sizes)")).toBe("Tensor<any, 'float32'>");
    expect(await known("x.view(3, -1)")).toBe("Tensor<[3, 2], 'float32'>");
    expect(await known("x.view(...sizes)")).toBe("Tensor<any, 'float32'>");
    expect(await known("x.view(anything)")).toBe("Tensor<any, 'float32'>");
    expect(await known("x.permute(1, 0)")).toBe("Tensor<[3, 2], 'float32'>");
  });

  it.each([
    ["x.view(2, 4)", "view: [2, 3] has 6 elements, and [2, 4] holds 8."],
    ["x.view(5)", "view: [2, 3] has 6 elements, and [5] holds 5."],
    ["x.permute(0, 1, 2)", "permute: [2, 3] has 2 dimensions, and 3 are named."],
    ['torch.zeros(2, 3, { dtpe: "int8" })', "zeros has no option dtpe; dtype is near"],
    ['torch.zeros([2, 3], { dtpe: "int8" })', "zeros has no option dtpe; dtype is near"],
  ])("%s is refused before it runs", async (text, words) => {
    expect((await notebook.problems(text)).join()).toContain(words);
  });

  it("completes options behind sizes, and shows each form once", async () => {
    for (const text of ["torch.zeros(2, 3, { de", "torch.zeros([2, 3], { de"])
      expect((await notebook.service.complete(text, text.length)).items.map((one) => one.text)).toEqual([
        "device",
      ]);
    const call = "torch.zeros(2, 3)";
    const { text = "" } = (await notebook.service.signature(call, 12, 6)) ?? {};
    expect(text.match(/zeros\(\s*\.\.\.size/g)).toHaveLength(2);
    expect((await notebook.service.hover("x.view([3, 2])", 3))?.text).toContain("view(size: [3, 2])");
  });
});
