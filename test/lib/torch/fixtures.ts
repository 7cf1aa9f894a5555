// Fixtures that PyTorch wrote (`test/fixtures/make_fixtures.py`), as tensors of ours.
import { readFileSync } from "node:fs";
import path from "node:path";
import { torch, type Tensor } from "../../../lib/index.ts";
import type { DType, Layout } from "../../../lib/torch/vocabulary/dtype.ts";
import type { NestedValues } from "../../../lib/torch/tensor/values.ts";

export interface StoredTensor {
  readonly tensor: readonly unknown[];
  readonly shape: readonly number[];
  readonly dtype: DType;
}

export interface OperatorCase {
  readonly name: string;
  readonly self?: StoredTensor;
  readonly arguments: readonly unknown[];
  readonly result: StoredTensor | readonly StoredTensor[];
  readonly grad?: StoredTensor;
}

export interface PrintedCase {
  readonly values?: unknown;
  readonly counted?: { readonly shape: readonly number[]; readonly first: number; readonly step: number };
  readonly dtype: DType;
  readonly layout?: Layout;
  readonly requiresGrad?: boolean;
  readonly text: string;
}

export function readFixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "../../fixtures", name), "utf8")) as Content;
}

const WORDS: Record<string, number> = { inf: Infinity, "-inf": -Infinity, nan: NaN, "-0": -0 };

/** JSON has no infinities, no negative zero and no bigints: they are stored as words. */
export function reviveValues(stored: unknown): NestedValues {
  if (Array.isArray(stored)) return stored.map(reviveValues);
  if (typeof stored === "string") {
    const word = WORDS[stored];
    return word ?? BigInt(stored.replace(/n$/, ""));
  }
  if (typeof stored === "object" && stored !== null) {
    const { re, im } = stored as { re: unknown; im: unknown };
    return { re: reviveValues(re) as number, im: reviveValues(im) as number };
  }
  return stored as number | boolean;
}

export function reviveTensor({ tensor, shape, dtype }: StoredTensor): Tensor {
  return torch.tensor(reviveValues(tensor), { dtype }).reshape(shape);
}

const isStored = (value: unknown): value is StoredTensor =>
  typeof value === "object" && value !== null && "tensor" in value;

/** Arguments: tensors, and lists and options that hold tensors. */
export function reviveArgument(stored: unknown): unknown {
  if (isStored(stored)) return reviveTensor(stored);
  if (Array.isArray(stored)) return stored.map(reviveArgument);
  if (typeof stored === "object" && stored !== null) {
    return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, reviveArgument(value)]));
  }
  return stored;
}
