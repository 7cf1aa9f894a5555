// A column of a loader has one dtype in all batches, whichever of its numbers happen to be whole.
import { describe, expect, it } from "vitest";
import { data, functional as F, torch, type Tensor } from "../../../../lib/index.ts";

const targets = [1.5, 2, 3.5, 3, 5, 4];
const dtypes = (loader: Iterable<Tensor>): string[] => Array.from(loader, ({ dtype }) => dtype);

describe("a loader's column", () => {
  it("is float32 in all batches of a list that holds one fraction, in any order", () => {
    for (const list of [targets, targets.toReversed()])
      expect(dtypes(new data.DataLoader(list, { batchSize: 2 }))).toEqual(["float32", "float32", "float32"]);
    const pairs = targets.map((target, at) => ({ at, target: [target, target > 3] as const })).toReversed();
    for (const batch of new data.DataLoader(pairs, { batchSize: 2 }))
      expect([batch.at.dtype, batch.target[0].dtype, batch.target[1].dtype]).toEqual([
        "int64",
        "float32",
        "bool",
      ]);
  });

  it("takes every loss through an epoch of targets that are whole in some batches only", () => {
    const rows = [0.5, 1, 0, 1, 1, 0].map((target) => [torch.ones([1]), target] as const);
    const loader = new data.DataLoader(rows, { batchSize: 2, shuffle: true, seed: 3 });
    for (let epoch = 0; epoch < 4; epoch++)
      for (const [x, target] of loader) {
        expect(F.binaryCrossEntropyWithLogits(x.squeeze(1), target).dtype).toBe("float32");
        expect(F.huberLoss(x.squeeze(1), target).dtype).toBe("float32");
      }
  });

  it("is int64 where all numbers are whole, as class labels are", () => {
    expect(dtypes(new data.DataLoader([1.0, 2, 2 ** 60], { batchSize: 1 }))).toEqual([
      "int64",
      "int64",
      "int64",
    ]);
  });

  const items = (values: readonly number[]) => ({
    length: values.length,
    get: (at: number) => [at, values[at]!],
  });

  it("stays float32 where a fraction came first in items that are made when asked", () => {
    const batches = [...new data.DataLoader(items(targets), { batchSize: 2 })];
    expect(batches.map(([at, target]) => [at!.dtype, target!.dtype, target!.tolist()])).toEqual([
      ["int64", "float32", [1.5, 2]],
      ["int64", "float32", [3.5, 3]],
      ["int64", "float32", [5, 4]],
    ]);
  });

  it.each<[string, Iterable<unknown>, string, string]>([
    ["items", new data.DataLoader(items([1, 2, 2.5]), { batchSize: 2 }), "batch[1]", "2.5"],
    [
      "tensors of single numbers",
      new data.DataLoader({ length: 2, get: (at: number) => ({ y: torch.tensor([1, NaN][at]!) }) }),
      "batch.y",
      "NaN",
    ],
    [
      "batches of a collateFn",
      new data.DataLoader([1, 2, 0.5], { batchSize: 2, collateFn: (list: number[]) => torch.tensor(list) }),
      "batch",
      "0.5",
    ],
    ["a stream", new data.DataLoader(new Set([1, 0.25])), "batch", "0.25"],
  ])(
    "of %s is refused where a fraction comes after whole numbers, with its name and the way out",
    (_, loader, place, value) => {
      expect(() => [...loader]).toThrow(
        new TypeError(
          `DataLoader: the column ${place} was int64 in the batches before, whose numbers were whole, and this one has ${value}: ` +
            'make its items torch.tensor(value, { dtype: "float32" }) in the dataset, or the column in the collateFn.',
        ),
      );
    },
  );

  it("may be of a batch that holds itself", () => {
    const batch: unknown[] = [torch.tensor([1])];
    batch.push(batch, batch);
    expect([...new data.DataLoader([1], { collateFn: () => batch })]).toEqual([batch]);
  });

  it("remembers from one epoch to the next", () => {
    const values = [1, 2];
    const loader = new data.DataLoader(items(values), { batchSize: 2 });
    expect([...loader]).toHaveLength(1);
    values[0] = 0.5;
    expect(() => [...loader]).toThrow(/the column batch\[1\] was int64/);
  });

  it("keeps what the dataset says where that follows from no number", () => {
    const mixed = [torch.ones([1], { dtype: "int32" }), torch.ones([1], { dtype: "float64" })];
    expect(dtypes(new data.DataLoader(mixed))).toEqual(["int32", "float64"]);
    expect([...new data.DataLoader([1, 0.5], { batchSize: null })]).toEqual([1, 0.5]);
  });
});
