// Samplers, splits and the loader's options that choose the order: PyTorch's numbers from PyTorch's seeds
// (test/fixtures/data.py), and misuse.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { data, type Generator, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

type Passes = { passes: unknown[]; next: number };

const recorded = JSON.parse(
  readFileSync(new URL("../../../fixtures/data.json", import.meta.url), "utf8"),
) as {
  samplers: Record<string, Passes>;
  samplersOfGenerators: Record<string, Passes>;
  loaders: Record<string, Passes>;
  splits: Record<string, number[][]>;
};

const WEIGHTS = [0.1, 0.9, 0.4, 0.7, 3.0, 0.0];
const ten = { length: 10 };

const own = (generator?: Generator) => (generator ? { generator } : {});
const samplers: Record<string, (generator?: Generator) => data.Sampler> = {
  RandomSampler: (g) => new data.RandomSampler(ten, own(g)),
  "RandomSampler, numSamples 25": (g) => new data.RandomSampler(ten, { numSamples: 25, ...own(g) }),
  "RandomSampler, replacement": (g) => new data.RandomSampler(ten, { replacement: true, ...own(g) }),
  "RandomSampler, replacement, numSamples 70": (g) =>
    new data.RandomSampler(ten, { replacement: true, numSamples: 70, ...own(g) }),
  SubsetRandomSampler: (g) => new data.SubsetRandomSampler([3, 5, 7, 11, 13], g),
  WeightedRandomSampler: (g) => new data.WeightedRandomSampler(WEIGHTS, 12, own(g)),
  "WeightedRandomSampler, no replacement": (g) =>
    new data.WeightedRandomSampler(WEIGHTS, 4, { replacement: false, ...own(g) }),
};

describe("a sampler gives PyTorch's indices, pass by pass, and draws as many random numbers:", () => {
  it.each(Object.keys(samplers))("%s after manualSeed", (name) => {
    torch.manualSeed(3);
    const sampler = samplers[name]!();
    expect([[...sampler], [...sampler]]).toEqual(recorded.samplers[name]!.passes);
    expect(torch.rand([]).item()).toBe(Math.fround(recorded.samplers[name]!.next));
  });

  it.each(Object.keys(samplers))("%s with a generator of its own", (name) => {
    torch.manualSeed(3);
    const sampler = samplers[name]!(new torch.Generator().manualSeed(9));
    const { passes, next } = recorded.samplersOfGenerators[name]!;
    expect([[...sampler], [...sampler]]).toEqual(passes);
    expect(torch.rand([]).item()).toBe(Math.fround(next));
  });
});

describe("a DataLoader gives PyTorch's batches with", () => {
  const dataset = new data.TensorDataset(torch.arange(10));
  const numbers = Array.from({ length: 10 }, (_, i) => i);
  const stream = { [Symbol.iterator]: () => numbers.values() };
  const loaders: Record<string, () => Iterable<unknown>> = {
    sampler: () =>
      new data.DataLoader(dataset, {
        batchSize: 4,
        sampler: new data.WeightedRandomSampler([...Array<number>(9).fill(1), 9], 10),
      }),
    batchSampler: () =>
      new data.DataLoader(dataset, {
        batchSampler: new data.BatchSampler(new data.RandomSampler(dataset), 3, true),
      }),
    "batchSize null": () => new data.DataLoader(dataset, { batchSize: null, shuffle: true }),
    generator: () =>
      new data.DataLoader(dataset, {
        batchSize: 5,
        shuffle: true,
        generator: new torch.Generator().manualSeed(7),
      }),
    iterable: () => new data.DataLoader(stream, { batchSize: 4 }),
    "iterable, dropLast": () => new data.DataLoader(stream, { batchSize: 4, dropLast: true }),
  };
  it.each(Object.keys(loaders))("%s", (name) => {
    torch.manualSeed(21);
    const loader = loaders[name]!();
    const pass = () =>
      Array.from(loader, (batch) => ((Array.isArray(batch) ? batch[0] : batch) as Tensor).tolist());
    expect([pass(), pass()]).toEqual(recorded.loaders[name]!.passes);
    expect(torch.rand([]).item()).toBe(Math.fround(recorded.loaders[name]!.next));
  });
});

describe("a DataLoader", () => {
  it("takes an array for a dataset", () => {
    const batches = [...new data.DataLoader(["a", "b", "c"], { batchSize: 2 })];
    expect(batches).toEqual([["a", "b"], ["c"]]);
  });

  it("hands out the items themselves with batchSize null", () => {
    expect([...new data.DataLoader<string, string>(["a", "b"], { batchSize: null })]).toEqual(["a", "b"]);
  });

  it("pads sequences of different lengths with padCollate, and tells the lengths", () => {
    const items = [
      [torch.tensor([1, 2, 3]), 0],
      [torch.tensor([4]), 1],
    ] as [Tensor, number][];
    const collateFn = data.padCollate({ paddingValue: -1 });
    const [batch] = [...new data.DataLoader(items, { batchSize: 2, collateFn })];
    expect(batch!.map((part) => part.tolist())).toEqual([
      [
        [1, 2, 3],
        [4, -1, -1],
      ],
      [3, 1],
      [0, 1],
    ]);
  });

  it("does not know the length of a stream that does not tell it", () => {
    const stream = { [Symbol.iterator]: () => [1, 2, 3].values() };
    expect(() => new data.DataLoader(stream).length).toThrow(
      "DataLoader.length: the dataset or sampler does not tell its length; give it a length, or count the batches.",
    );
    expect(new data.DataLoader({ ...stream, length: 3 }, { batchSize: 2 }).length).toBe(2);
  });
});

describe("parts of datasets", () => {
  const squares = { length: 10, get: (i: number) => i * i };

  it("a Subset has the items at its indices, whole batches too", () => {
    const subset = new data.Subset(new data.TensorDataset(torch.arange(10)), [9, 2, 4]);
    expect([subset.length, subset.get(0)[0].item()]).toEqual([3, 9]);
    const [first] = [...new data.DataLoader(subset, { batchSize: 2 })];
    expect(first![0].tolist()).toEqual([9, 2]);
  });

  it("a ConcatDataset goes on in the next dataset", () => {
    const joined = new data.ConcatDataset([new data.Subset(squares, [3]), squares]);
    expect([joined.length, joined.get(0), joined.get(1), joined.get(10)]).toEqual([11, 9, 0, 81]);
  });

  it("a ChainDataset goes on in the next stream", () => {
    expect([...new data.ChainDataset([new Set([1, 2]), [3]])]).toEqual([1, 2, 3]);
  });

  it.each([[[7, 3]], [[0.5, 0.3, 0.2]], [[1 / 3, 1 / 3, 1 / 3]]])(
    "randomSplit into %j gives PyTorch's parts",
    (lengths) => {
      torch.manualSeed(4);
      const key = `[${lengths.map((length) => Math.round(length * 1e4) / 1e4).join(", ")}]`;
      expect(data.randomSplit(squares, lengths).map((part) => part.indices)).toEqual(recorded.splits[key]);
    },
  );

  it("randomSplit draws from a generator", () => {
    const parts = data.randomSplit(squares, [4, 6], new torch.Generator().manualSeed(8));
    expect(parts.map((part) => part.indices)).toEqual(recorded.splits["generator 8"]);
  });
});

describe("misuse", () => {
  const squares = { length: 10, get: (i: number) => i * i };
  const stream = { [Symbol.iterator]: () => [1].values() };
  const random = new data.RandomSampler(squares);
  const loader = "new data.DataLoader:";
  refuses([
    [
      "shuffle beside a sampler",
      () => new data.DataLoader(squares, { sampler: random, shuffle: true }),
      "TypeError",
      `${loader} sampler excludes shuffle; give one or the other.`,
    ],
    [
      "a batchSampler beside a batch size and dropLast",
      () => new data.DataLoader(squares, { batchSampler: [[1]], batchSize: 4, dropLast: true }),
      "TypeError",
      `${loader} batchSampler excludes batchSize, dropLast; give one or the other.`,
    ],
    [
      "dropLast without batches",
      () => new data.DataLoader(squares, { batchSize: null, dropLast: true }),
      "TypeError",
      `${loader} batchSize: null excludes dropLast; give one or the other.`,
    ],
    [
      "to shuffle a stream",
      () => new data.DataLoader(stream, { shuffle: true }),
      "TypeError",
      `${loader} an iterable dataset excludes shuffle; give one or the other.`,
    ],
    [
      "a seed beside a generator",
      () => new data.DataLoader(squares, { seed: 1, generator: new torch.Generator().manualSeed(1) }),
      "TypeError",
      `${loader} seed excludes generator; give one or the other.`,
    ],
    [
      "a number for a generator",
      () => new data.DataLoader(squares, { generator: 5 as never }),
      "TypeError",
      `${loader} generator must be a torch.Generator, got 5.`,
    ],
    [
      "a number for a sampler",
      () => new data.DataLoader(squares, { sampler: 5 as never }),
      "TypeError",
      `${loader} sampler must be a list, or iterable, got 5.`,
    ],
    [
      "a tensor for a batchSampler",
      () => new data.DataLoader(squares, { batchSampler: torch.ones([2]) as never }),
      "TypeError",
      `${loader} batchSampler must be a list, or iterable, got a Tensor.`,
    ],
    [
      "to shuffle nothing",
      () => new data.DataLoader([], { shuffle: true }),
      "RangeError",
      "new data.RandomSampler: the dataset is empty, so there is no index to draw.",
    ],
    [
      "no samples",
      () => new data.RandomSampler(squares, { numSamples: 0 }),
      "RangeError",
      "new data.RandomSampler: numSamples must be an integer of at least 1, got 0.",
    ],
    [
      "a sampler of nothing",
      () => new data.SequentialSampler(undefined as never),
      "TypeError",
      "new data.SequentialSampler: expected a dataset with a length, got undefined.",
    ],
    [
      "a negative weight",
      () => new data.WeightedRandomSampler([1, -1], 2),
      "RangeError",
      "new data.WeightedRandomSampler: weights[1] must be at least 0, got -1.",
    ],
    [
      "weights of 0 only",
      () => new data.WeightedRandomSampler([0, 0], 2),
      "RangeError",
      "new data.WeightedRandomSampler: no weight is above 0, so there is nothing to draw.",
    ],
    [
      "more samples than weights without replacement",
      () => new data.WeightedRandomSampler([1, 1, 0], 3, { replacement: false }),
      "RangeError",
      "new data.WeightedRandomSampler: 3 samples cannot be drawn without replacement from 2 weights above 0.",
    ],
    [
      "one weight that is no list",
      () => new data.WeightedRandomSampler(1 as never, 3),
      "TypeError",
      "new data.WeightedRandomSampler: weights must be a list of numbers, got 1.",
    ],
    [
      "a fraction for an index",
      () => new data.SubsetRandomSampler([0.5]),
      "RangeError",
      "new data.SubsetRandomSampler: indices[0] must be an integer of at least 0, got 0.5.",
    ],
    [
      "batches of no size",
      () => new data.BatchSampler(random, 0),
      "RangeError",
      "new data.BatchSampler: batchSize must be an integer of at least 1, got 0.",
    ],
    [
      "a subset beyond its dataset",
      () => new data.Subset(squares, [10]),
      "RangeError",
      "new data.Subset: index 10 is outside a dataset of 10 items.",
    ],
    [
      "no datasets",
      () => new data.ConcatDataset([]),
      "TypeError",
      "new data.ConcatDataset: expected a list of at least one dataset, got [].",
    ],
    [
      "numbers in a chain",
      () => new data.ChainDataset([1 as never]),
      "TypeError",
      "new data.ChainDataset: expected a list of iterables, got [1].",
    ],
    [
      "a split that leaves items over",
      () => data.randomSplit(squares, [3, 4]),
      "RangeError",
      "data.randomSplit: the lengths 3 + 4 make 7, the dataset has 10 items; give counts that make 10, or fractions that make 1.",
    ],
    [
      "a negative part",
      () => data.randomSplit(squares, [11, -1]),
      "RangeError",
      "data.randomSplit: lengths[1] must be at least 0, got -1.",
    ],
    [
      "padCollate itself for a collateFn",
      () => [...new data.DataLoader([torch.ones([1])], { collateFn: data.padCollate as never })],
      "TypeError",
      "data.padCollate: it makes the function to collate with: collateFn: data.padCollate().",
    ],
    [
      "to pad numbers",
      () => [...new data.DataLoader([1, 2], { batchSize: 2, collateFn: data.padCollate() })],
      "TypeError",
      "data.padCollate: each item must be a tensor [length, ...] or a tuple that begins with one, got 1.",
    ],
  ]);
});
