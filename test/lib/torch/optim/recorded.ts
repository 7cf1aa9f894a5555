// Reads what PyTorch's optimizers and schedules did (test/fixtures/optimizers.py), and compares with it.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Tensor } from "../../../../lib/index.ts";

interface Stored {
  readonly shape: number[];
  readonly floats: string;
}

export interface TrainingRecord {
  readonly losses: number[];
  readonly after: Record<string, Stored>;
}

export interface ScheduleRecord {
  readonly rates: number[];
  readonly momentums?: number[];
}

export interface AverageRecord {
  readonly averaged: Record<string, Stored>;
  /** The state after the statistics of batch norms were computed anew. */
  readonly after: Record<string, Stored>;
  readonly output: Stored;
}

export const { optimizers, schedules, averages } = JSON.parse(
  readFileSync(new URL("../../../fixtures/optimizers.json", import.meta.url), "utf8"),
) as {
  optimizers: Record<string, TrainingRecord>;
  schedules: Record<string, ScheduleRecord>;
  averages: Record<string, AverageRecord>;
};

export function expectWeights(
  state: Record<string, Tensor>,
  after: Record<string, Stored>,
  tolerance: number,
) {
  expect(Object.keys(state)).toEqual(Object.keys(after));
  for (const [key, { shape, floats }] of Object.entries(after)) {
    const tensor = state[key]!;
    expect(tensor.shape).toEqual(shape);
    const expected = new Float32Array(new Uint8Array(Buffer.from(floats, "base64")).buffer);
    const found = tensor.contiguous().cpu().to("float32").detach().data();
    const worst = Math.max(...Array.from(found, (value, i) => Math.abs(value - expected[i]!)));
    expect(worst, key).toBeLessThan(tolerance);
  }
}
