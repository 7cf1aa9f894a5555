// Tensors print character for character as PyTorch prints them.
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { DISPLAY } from "../../../lib/display.ts";
import { torch } from "../../../lib/index.ts";
import { type PrintedCase, readFixture, reviveValues } from "./fixtures.ts";

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
  afterEach(() =>
    torch.setPrintOptions({ precision: 4, threshold: 1000, edgeItems: 3, lineWidth: 80, sciMode: null }),
  );

  it("change digits, notation and summaries", () => {
    torch.setPrintOptions({ precision: 2 });
    expect(String(torch.tensor([1.12345]))).toBe("tensor([1.12])");
    torch.setPrintOptions({ sciMode: true });
    expect(String(torch.tensor([1.12345]))).toBe("tensor([1.12e+00])");
    torch.setPrintOptions({ threshold: 5, edgeItems: 2 });
    expect(String(torch.arange(10))).toBe("tensor([0, 1,  ..., 8, 9])");
  });

  it("are checked", () => {
    expect(() => torch.setPrintOptions({ precision: -1 })).toThrow(RangeError);
    expect(() => torch.setPrintOptions({ edgeItems: 0.5 })).toThrow(RangeError);
  });

  it("that do not exist are refused by name", () => {
    expect(() => torch.setPrintOptions({ precison: 2 } as never)).toThrow(
      new TypeError(
        'torch.setPrintOptions: unknown option "precison"; it takes precision, threshold, edgeItems, lineWidth, sciMode.',
      ),
    );
  });
});
