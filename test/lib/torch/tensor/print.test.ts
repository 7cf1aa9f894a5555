// Tensors print character for character as PyTorch prints them.
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { DISPLAY } from "../../../../lib/display.ts";
import { torch } from "../../../../lib/index.ts";
import { refuses } from "./misuse.ts";
import { type PrintedCase, readFixture, reviveValues } from "../fixtures.ts";

const cases = readFixture<PrintedCase[]>("printed.json");

function build({ values, counted, layout, dtype, requiresGrad = false }: PrintedCase) {
  if (layout !== undefined) {
    const dense = torch.tensor(reviveValues(values), { dtype });
    const blocks = layout === "sparse_bsr" ? [2, 2] : null;
    return dense.toSparse({ layout, blocksize: blocks }).requiresGrad_(requiresGrad);
  }
  if (counted === undefined) return torch.tensor(reviveValues(values), { dtype, requiresGrad });
  const count = counted.shape.reduce((product, size) => product * size, 1);
  const positions = torch.arange(count, { dtype: "float64" });
  return positions.mul(counted.step).add(counted.first).to(dtype).reshape(counted.shape);
}

describe("as PyTorch prints", () => {
  it.each(
    cases.map(
      (one) =>
        [
          `${one.dtype} ${one.layout ?? ""} ${JSON.stringify(one.counted ?? one.values).slice(0, 60)}`,
          one,
        ] as const,
    ),
  )("%s", (_, one) => {
    expect(build(one).toString()).toBe(one.text);
  });
});

describe("the result of an operation", () => {
  it("names the operation", () => {
    const x = torch.tensor([1, 2], { dtype: "float32", requiresGrad: true });
    expect(String(x.add(1))).toBe("tensor([2., 3.], grad_fn=<AddBackward0>)");
    expect(String(x.mul(x).sum())).toBe("tensor(5., grad_fn=<SumBackward0>)");
  });

  it("breaks the line before a suffix that would pass 80 columns", () => {
    const x = torch.arange(20, { dtype: "float32", requiresGrad: true });
    expect(String(x.mul(1))).toBe(
      "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n" +
        "        14., 15., 16., 17., 18., 19.], grad_fn=<MulBackward0>)",
    );
  });
});

it("a view prints its own elements, whatever their order in memory", () => {
  expect(String(torch.arange(6).reshape([2, 3]).t())).toBe(
    "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])",
  );
});

it("console.log and a cell's result show the same text", () => {
  const x = torch.tensor([1, 2, 3]);
  expect(inspect(x)).toBe("tensor([1, 2, 3])");
  expect(x[DISPLAY]()).toEqual({
    "text/plain": "tensor([1, 2, 3])",
    "text/html": expect.stringContaining("tensor([1, 2, 3])"),
  });
});

it("a meta tensor has no values to print", () => {
  expect(String(torch.empty([2, 3], { device: "meta" }))).toBe("tensor(..., device='meta', size=(2, 3))");
});

it("a disposed tensor says so", () => {
  const x = torch.ones([2]);
  x.dispose();
  expect(String(x)).toBe("tensor(<disposed>)");
});

describe("print options", () => {
  afterEach(() => torch.setPrintoptions({ profile: "default" }));

  it("change digits, notation and summaries", () => {
    torch.setPrintoptions({ precision: 2 });
    expect(String(torch.tensor([1.12345]))).toBe("tensor([1.12])");
    torch.setPrintoptions({ sciMode: true });
    expect(String(torch.tensor([1.12345]))).toBe("tensor([1.12e+00])");
    torch.setPrintoptions({ threshold: 5, edgeitems: 2 });
    expect(String(torch.arange(10))).toBe("tensor([0, 1,  ..., 8, 9])");
  });

  it("are told, so that they can be put back", () => {
    torch.setPrintoptions({ profile: "short", sciMode: false });
    const before = torch.getPrintoptions();
    expect(before).toEqual({ precision: 2, threshold: 1000, edgeitems: 2, linewidth: 80, sciMode: false });
    torch.setPrintoptions({ profile: "full" });
    expect(torch.getPrintoptions().threshold).toBe(Infinity);
    torch.setPrintoptions(before);
    expect(torch.getPrintoptions()).toEqual(before);
  });

  const call = "torch.setPrintoptions:";
  refuses([
    [
      "a negative precision",
      () => torch.setPrintoptions({ precision: -1 }),
      "RangeError",
      `${call} precision must be an integer of at least 0, got -1.`,
    ],
    [
      "a precision beyond JavaScript's",
      () => torch.setPrintoptions({ precision: 101 }),
      "RangeError",
      `${call} precision must be at most 100, got 101.`,
    ],
    [
      "half an item",
      () => torch.setPrintoptions({ edgeitems: 0.5 }),
      "RangeError",
      `${call} edgeitems must be an integer of at least 0, got 0.5.`,
    ],
    [
      "no columns",
      () => torch.setPrintoptions({ linewidth: 0 }),
      "RangeError",
      `${call} linewidth must be an integer of at least 1, got 0.`,
    ],
    [
      "a threshold of NaN",
      () => torch.setPrintoptions({ threshold: NaN }),
      "RangeError",
      `${call} threshold must be an integer of at least 0, got NaN.`,
    ],
    [
      "an unknown profile",
      () => torch.setPrintoptions({ profile: "long" as never }),
      "TypeError",
      `${call} profile must be one of "default", "short", "full", got "long".`,
    ],
    [
      "a word for a mode",
      () => torch.setPrintoptions({ sciMode: "yes" as never }),
      "TypeError",
      `${call} sciMode must be true or false, got "yes".`,
    ],
    [
      "an unknown option",
      () => torch.setPrintoptions({ precison: 2 } as never),
      "TypeError",
      `${call} unknown option "precison"; it takes precision, threshold, edgeitems, linewidth, profile, sciMode.`,
    ],
  ]);
});
