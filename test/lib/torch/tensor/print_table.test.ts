// Every case of test/fixtures/printing.json: what PyTorch prints of tensors of all dtypes, layouts and sizes, under all
// options.
import { afterEach, describe, expect, it } from "vitest";
import { torch, type Tensor } from "../../../../lib/index.ts";
import type { DType } from "../../../../lib/torch/vocabulary/dtype.ts";
import type { PrintOptions } from "../../../../lib/torch/tensor/print/options.ts";
import { readFixture, reviveValues } from "../fixtures.ts";

interface Strided {
  readonly values: readonly unknown[];
  readonly shape: number[];
  readonly dtype: DType;
  readonly requiresGrad?: boolean;
  readonly view?: "conj" | "negImag" | "t" | "expand";
}
interface Quantized {
  readonly quantized: Strided;
  readonly dtype: DType;
  readonly scale?: number;
  readonly zeroPoint?: number;
  readonly scales?: number[];
  readonly zeroPoints?: number[];
  readonly axis?: number;
}
interface Sparse {
  readonly coo?: number[][];
  readonly csr?: [rows: number[], columns: number[]];
  readonly values: Strided;
  readonly size: number[];
  readonly coalesced?: boolean;
  readonly requiresGrad?: boolean;
}
interface Case {
  readonly make: Strided | Quantized | Sparse;
  readonly options: PrintOptions | null;
  readonly text: string;
}

const cases = readFixture<Case[]>("printing.json");

function makeStrided({ values, shape, dtype, requiresGrad = false }: Strided): Tensor {
  return torch.tensor(reviveValues(values), { dtype }).reshape(shape).requiresGrad_(requiresGrad);
}

const VIEWS: Record<NonNullable<Strided["view"]>, (x: Tensor) => Tensor> = {
  conj: (x) => x.conj(),
  negImag: (x) => x.conj().imag,
  t: (x) => x.t(),
  expand: (x) => x.expand([2, 3, 4]),
};

function make(one: Case["make"]): Tensor {
  if ("quantized" in one) {
    const x = makeStrided(one.quantized);
    if (one.scales === undefined) return torch.quantizePerTensor(x, one.scale!, one.zeroPoint!, one.dtype);
    const scales = torch.tensor(one.scales, { dtype: "float64" });
    return torch.quantizePerChannel(x, scales, torch.tensor(one.zeroPoints!), one.axis!, one.dtype);
  }
  if ("size" in one) {
    const values = makeStrided(one.values);
    const whole = (list: unknown) => torch.tensor(list as number[], { dtype: "int64" });
    if (one.csr !== undefined)
      return torch.sparseCsrTensor(whole(one.csr[0]), whole(one.csr[1]), values, one.size);
    const sparse = torch.sparseCooTensor(whole(one.coo!), values, one.size);
    return (one.coalesced === true ? sparse.coalesce() : sparse).requiresGrad_(one.requiresGrad ?? false);
  }
  const x = makeStrided(one);
  return one.view === undefined ? x : VIEWS[one.view](x);
}

const nameOf = ({ make: one, options }: Case): string => {
  const { values, ...rest } = "quantized" in one ? { values: null, ...one } : one;
  return JSON.stringify({ ...rest, ...options, values: JSON.stringify(values)?.slice(0, 40) });
};

afterEach(() => torch.setPrintoptions({ profile: "default" }));

describe("as PyTorch prints", () => {
  it.each(cases.map((one) => [nameOf(one), one] as const))("%s", (_, one) => {
    if (one.options !== null) torch.setPrintoptions(one.options);
    expect(String(make(one.make))).toBe(one.text);
  });
});
