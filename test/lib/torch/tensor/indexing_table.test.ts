// Every case of test/fixtures/indexing.json: what PyTorch read and wrote by that index, or that it refused.
import type { Index } from "../../../../lib/torch/types/indices.ts";
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";
import type { DType } from "../../../../lib/torch/vocabulary/dtype.ts";
import type { NestedValues } from "../../../../lib/torch/tensor/values.ts";
import { readFixture } from "../fixtures.ts";

type StoredSlice = { readonly slice: [start: number | null, stop: number | null, step: number | null] };
type StoredIndex = Index | StoredSlice | { readonly tensor: NestedValues; readonly dtype: DType };

interface Case {
  readonly shape: number[];
  readonly index: StoredIndex[];
  readonly error?: string;
}
interface Read extends Case {
  readonly result?: { readonly shape: number[]; readonly values: number[] };
}
interface Write extends Case {
  readonly value: number | boolean | number[];
  readonly values?: number[];
}

const { reads, writes } = readFixture<{ reads: Read[]; writes: Write[] }>("indexing.json");

function revive(part: StoredIndex): Index {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part as Index;
  if ("slice" in part) {
    const [start, stop, step] = (part as StoredSlice).slice;
    return torch.slice(start, stop, step ?? 1);
  }
  return "dtype" in part && !torch.isTensor(part)
    ? torch.tensor(part.tensor, { dtype: part.dtype })
    : (part as Index);
}

/** Returns the same as `torch.arange(count) * step + first`. */
function counted(shape: readonly number[], first = 0, step = 1) {
  const count = shape.reduce((product, size) => product * size, 1);
  return torch.arange(count).mul(step).add(first).reshape(shape);
}

const named = <One extends Case>(cases: readonly One[]) =>
  cases.map((one) => [JSON.stringify({ ...one, result: undefined, values: undefined }), one] as const);

const kindOf = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (error) {
    return (error as Error).name;
  }
};

describe("x.at(...) reads what Python's x[...] reads", () => {
  it.each(named(reads))("%s", (_, { shape, index, result, error }) => {
    const read = () => counted(shape).at(...index.map(revive));
    if (error !== undefined) expect(kindOf(read)).toMatch(/^(RangeError|TypeError)$/);
    else expect([read().shape, read().flatten().tolist()]).toEqual([result?.shape, result?.values]);
  });
});

describe("x.setAt(..., value) changes the elements that x.at(...) gives, and no others", () => {
  it.each(named(reads.filter(({ index, error }) => error === undefined && index.length > 0)))(
    "%s",
    (_, { shape, index, result }) => {
      const given = new Set(result!.values);
      const x = counted(shape);
      const changed = x.clone().setAt(...(index.map(revive) as [Index]), -1);
      const expected = (x.flatten().tolist() as number[]).map((element) =>
        given.has(element) ? -1 : element,
      );
      expect(changed.flatten().tolist()).toEqual(expected);
    },
  );
});

describe("x.setAt(..., value) writes what Python's x[...] = value writes", () => {
  it.each(named(writes))("%s", (_, { shape, index, value, values, error }) => {
    const given = Array.isArray(value) ? counted(value, -1, -1) : value;
    const write = () => counted(shape).setAt(...(index.map(revive) as [Index]), given);
    if (error !== undefined) expect(kindOf(write)).toMatch(/^(RangeError|TypeError)$/);
    else expect(write().flatten().tolist()).toEqual(values);
  });
});
