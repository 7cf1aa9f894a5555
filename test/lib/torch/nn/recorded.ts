// Numbers that PyTorch computed (test/fixtures/nn.py), and comparison with them.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { torch, type Tensor } from "../../../../lib/index.ts";

export interface Recorded {
  readonly shape: number[];
  readonly dtype: string;
  readonly values: number[];
}

interface LayerRecord {
  readonly initial: Record<string, Recorded>;
  readonly input: Recorded;
  readonly output: Recorded;
  readonly inputGrad: Recorded | null;
  readonly grads: Record<string, Recorded>;
  readonly after10Steps?: Record<string, Recorded>;
}

interface Fixtures {
  readonly layers: Record<string, LayerRecord>;
  readonly optimizers: Record<
    string,
    {
      losses: number[];
      after: Record<string, Recorded>;
      state: Record<string, Record<string, Recorded | null>>;
    }
  >;
  readonly losses: Record<
    string,
    { input: Recorded; target: Recorded; value: Recorded; inputGrad: Recorded }
  >;
  readonly initialisers: Record<string, [Recorded, Recorded]>;
  readonly loaders: Record<string, { passes: number[][][]; next: number }>;
  readonly training: { losses: number[] };
}

export const fixtures = JSON.parse(
  readFileSync(new URL("../../../fixtures/nn.json", import.meta.url), "utf8"),
) as Fixtures;

/** A recorded tensor, as one of ours. */
export function fromRecord({ shape, dtype, values }: Recorded): Tensor {
  return torch.tensor(values, { dtype: dtype as "float32" }).view(shape);
}

function values(tensor: Tensor): number[] {
  return Array.from(tensor.detach().contiguous().cpu().data<Float32Array | BigInt64Array>(), Number);
}

/** The same bits as PyTorch's: random numbers, and what is computed from them one by one. */
export function expectSame(tensor: Tensor | null, recorded: Recorded | null): void {
  if (!tensor || !recorded) {
    expect(tensor).toBe(recorded);
    return;
  }
  expect(tensor.shape).toEqual(recorded.shape);
  expect(tensor.dtype).toBe(recorded.dtype);
  const single = recorded.dtype === "float32" ? recorded.values.map(Math.fround) : recorded.values;
  expect(values(tensor)).toEqual(single);
}

/** PyTorch's up to rounding: vector units of other machines add in another order. */
export function expectClose(tensor: Tensor | null, recorded: Recorded | null, tolerance = 2e-6): void {
  if (!tensor || !recorded) {
    expect(tensor).toBe(recorded);
    return;
  }
  expect(tensor.shape).toEqual(recorded.shape);
  expect(tensor.dtype).toBe(recorded.dtype);
  const found = values(tensor);
  const scale = Math.max(1, ...recorded.values.map(Math.abs));
  const worst = Math.max(0, ...found.map((value, i) => Math.abs(value - recorded.values[i]!)));
  expect(worst / scale).toBeLessThan(tolerance);
  expect(found.every(Number.isFinite)).toBe(recorded.values.every(Number.isFinite));
}
