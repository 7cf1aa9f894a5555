// DataLoader: PyTorch's order from PyTorch's seeds, batches of every kind of item, and misuse.
import { describe, expect, expectTypeOf, it } from "vitest";
import { data, functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import { fixtures } from "../nn/recorded.ts";
import { allocatedBytes, collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

const numbers = () => new data.TensorDataset(torch.arange(10, { dtype: "int64" }));

function passes(loader: Iterable<readonly [Tensor]>, count = 2): unknown[] {
  return Array.from({ length: count }, () => Array.from(loader, ([batch]) => batch.tolist()));
}

describe("a DataLoader", () => {
  for (const [name, options] of Object.entries({
    "in order": {},
    shuffled: { shuffle: true },
    "shuffled, dropLast": { shuffle: true, dropLast: true },
  })) {
    it(`${name} gives PyTorch's batches after manualSeed, and draws as many random numbers`, () => {
      const record = fixtures.loaders[name]!;
      torch.manualSeed(11);
      const loader = new data.DataLoader(numbers(), { batchSize: 4, ...options });
      expect(passes(loader)).toEqual(record.passes);
      expect(torch.rand([]).item()).toBe(Math.fround(record.next));
    });
  }

  it("with a seed of its own gives the batches of PyTorch's generator of that seed, and leaves the session's alone", () => {
    torch.manualSeed(1);
    const expected = torch.rand([]).item();
    torch.manualSeed(1);
    const loader = new data.DataLoader(numbers(), { batchSize: 4, shuffle: true, seed: 5 });
    expect(passes(loader)).toEqual(fixtures.loaders["seed 5"]!.passes);
    expect(torch.rand([]).item()).toBe(expected);
  });

  it("trains with shuffling, dropout and Adam to PyTorch's losses from one seed", () => {
    torch.manualSeed(42);
    const model = new nn.Sequential(
      new nn.Linear(6, 16),
      new nn.ReLU(),
      new nn.Dropout(0.25),
      new nn.Linear(16, 3),
    );
    const x = torch.randn([64, 6]);
    const target = x.narrow(1, 0, 3).argmax(1);
    const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });
    const loader = new data.DataLoader(new data.TensorDataset(x, target), { batchSize: 16, shuffle: true });
    const losses: number[] = [];
    for (let epoch = 0; epoch < 5; epoch++) {
      for (const [batch, labels] of loader) {
        optimizer.zeroGrad();
        const loss = F.crossEntropy(model(batch), labels);
        loss.backward();
        optimizer.step();
        losses.push(loss.item());
      }
    }
    expect(losses).toHaveLength(20);
    for (const [i, loss] of losses.entries()) expect(loss).toBeCloseTo(fixtures.training.losses[i]!, 4);
  });

  it("counts its batches", () => {
    expect(new data.DataLoader(numbers()).length).toBe(10);
    expect(new data.DataLoader(numbers(), { batchSize: 4 }).length).toBe(3);
    expect(new data.DataLoader(numbers(), { batchSize: 4, dropLast: true }).length).toBe(2);
    expect(new data.DataLoader(numbers(), { batchSize: 64 }).length).toBe(1);
  });

  it("frees the order of a pass that is broken off", () => {
    const dataset = new data.TensorDataset(torch.zeros([1000, 4]));
    const before = collectedBytes();
    for (const [batch] of new data.DataLoader(dataset, { shuffle: true })) {
      expect(batch.shape).toEqual([1, 4]);
      batch.dispose();
      break;
    }
    expect(allocatedBytes()).toBe(before);
  });

  it("survives tidy around each step", () => {
    const batches = new data.DataLoader(numbers(), { batchSize: 4 })[Symbol.iterator]();
    const sums = [1, 2, 3].map(() => torch.tidy(() => batches.next().value![0].sum().item()));
    expect(sums).toEqual([6, 22, 17]);
  });

  it("batches a dataset item by item: tensors are stacked, numbers and names gathered", () => {
    const words = ["zero", "one", "two"];
    const dataset = {
      length: 3,
      get: (i: number) => ({
        image: torch.full([2], i),
        label: i,
        weight: i / 2,
        even: i % 2 === 0,
        word: words[i]!,
        pair: [torch.ones([1]), i] as [Tensor, number],
      }),
    };
    const [batch] = [...new data.DataLoader(dataset, { batchSize: 3 })];
    expectTypeOf(batch!.image).toEqualTypeOf<Tensor>();
    expectTypeOf(batch!.word).toEqualTypeOf<string[]>();
    expect(batch!.image.tolist()).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
    expect([batch!.label.dtype, batch!.label.tolist()]).toEqual(["int64", [0, 1, 2]]);
    expect([batch!.weight.dtype, batch!.weight.tolist()]).toEqual(["float32", [0, 0.5, 1]]);
    expect([batch!.even.dtype, batch!.even.tolist()]).toEqual(["bool", [true, false, true]]);
    expect(batch!.word).toEqual(words);
    expect(batch!.pair[0].shape).toEqual([3, 1]);
    expect(batch!.pair[1].tolist()).toEqual([0, 1, 2]);
  });

  it("stacks typed arrays as tensors of their own dtype", () => {
    const rows = [0, 1, 2].map((i) => ({ pixels: Uint8Array.of(i, i + 1), mean: Float32Array.of(i) }));
    const [batch] = [...new data.DataLoader(rows, { batchSize: 3 })];
    expect([batch!.pixels.dtype, batch!.pixels.tolist()]).toEqual([
      "uint8",
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ]);
    expect([batch!.mean.dtype, batch!.mean.shape]).toEqual(["float32", [3, 1]]);
    rows[0]!.pixels[0] = 9;
    expect(batch!.pixels.at(0, 0).item()).toBe(0);
  });

  it("hands items to a collateFn", () => {
    const dataset = { length: 3, get: (i: number) => "ab".repeat(i) };
    const loader = new data.DataLoader(dataset, { batchSize: 2, collateFn: (items) => items.join("|") });
    expectTypeOf(loader).toExtend<Iterable<string>>();
    expect([...loader]).toEqual(["|ab", "abab"]);
  });

  const dataset = numbers();
  const items = (...list: unknown[]) => ({ length: list.length, get: (i: number) => list[i] });
  const batchOf = (...list: unknown[]) => [
    ...new data.DataLoader(items(...list), { batchSize: list.length }),
  ];
  const takes =
    "it takes batchSize, shuffle, sampler, batchSampler, dropLast, collateFn, generator, seed, numWorkers, prefetchFactor, persistentWorkers, timeout, pinMemory.";
  refuses([
    [
      "a tensor for a dataset",
      () => new data.DataLoader(torch.ones([3]) as never),
      "TypeError",
      "new data.DataLoader: expected a dataset with length and get(index), an array or an iterable, got a Tensor.",
    ],
    [
      "nothing for a dataset",
      () => new data.DataLoader(undefined as never),
      "TypeError",
      "new data.DataLoader: expected a dataset with length and get(index), an array or an iterable, got undefined.",
    ],
    [
      "a misspelt option",
      () => new data.DataLoader(dataset, { batchsize: 4 } as never),
      "TypeError",
      `new data.DataLoader: unknown option "batchsize"; ${takes}`,
    ],
    [
      "batches of nothing",
      () => new data.DataLoader(dataset, { batchSize: 0 }),
      "RangeError",
      "new data.DataLoader: batchSize must be an integer of at least 1, got 0.",
    ],
    [
      "a batch size of NaN",
      () => new data.DataLoader(dataset, { batchSize: Number.NaN }),
      "RangeError",
      "new data.DataLoader: batchSize must be an integer of at least 1, got NaN.",
    ],
    [
      "a batch size in words",
      () => new data.DataLoader(dataset, { batchSize: "4" as never }),
      "TypeError",
      'new data.DataLoader: batchSize must be an integer, got "4".',
    ],
    [
      "a number for shuffle",
      () => new data.DataLoader(dataset, { shuffle: 1 as never }),
      "TypeError",
      "new data.DataLoader: shuffle must be true or false, got 1.",
    ],
    [
      "a fraction for a seed",
      () => new data.DataLoader(dataset, { seed: 0.5 }),
      "RangeError",
      "new data.DataLoader: the seed must be a whole number, as a bigint beyond 2^53, got 0.5.",
    ],
    [
      "a collateFn that is no function",
      () => new data.DataLoader(dataset, { collateFn: {} as never }),
      "TypeError",
      "new data.DataLoader: collateFn must be a function, got an object.",
    ],
    [
      "items of two shapes",
      () => batchOf(torch.ones([2]), torch.ones([3])),
      "RangeError",
      "DataLoader: items differ in shape, [2] and [3], so they do not stack; pass a collateFn that pads.",
    ],
    [
      "lists of two lengths",
      () => batchOf([1], [1, 2]),
      "RangeError",
      "DataLoader: items differ in length (1, 2); pass a collateFn that pads.",
    ],
    [
      "items of two kinds",
      () => batchOf(1, "a"),
      "TypeError",
      'DataLoader: items cannot be batched: got 1 and "a"; pass a collateFn.',
    ],
    [
      "fields of two kinds",
      () => batchOf({ x: 1 }, { x: null }),
      "TypeError",
      "DataLoader: items.x cannot be batched: got 1 and null; pass a collateFn.",
    ],
    [
      "items of no kind",
      () => batchOf(Symbol.iterator),
      "TypeError",
      "DataLoader: items cannot be batched: got Symbol(Symbol.iterator); pass a collateFn.",
    ],
  ]);
});

describe("pinMemory", () => {
  it("is refused with the reason", () => {
    const { available } = native.devices();
    expect(() => new data.DataLoader(numbers(), { pinMemory: true })).toThrow(
      available.includes("mps")
        ? "DataLoader: pinMemory does nothing on mps: CPU and GPU share one memory, so there is no page to pin. Leave it out."
        : `DataLoader: pinMemory is not supported (devices here: ${available.join(", ")}). Leave it out.`,
    );
  });
});

describe("a TensorDataset", () => {
  it("gives items and whole batches along the first dimension", () => {
    const dataset = new data.TensorDataset(torch.arange(6).view([3, 2]), torch.tensor([5, 6, 7]));
    expect(dataset.length).toBe(3);
    expect(dataset.get(1).map((part) => part.tolist())).toEqual([[2, 3], 6]);
    expect(dataset.getBatch([2, 0]).map((part) => part.tolist())).toEqual([
      [
        [4, 5],
        [0, 1],
      ],
      [7, 5],
    ]);
  });

  refuses([
    [
      "no tensors",
      () => new data.TensorDataset(),
      "TypeError",
      "new data.TensorDataset: expected at least one tensor, got none.",
    ],
    [
      "an array",
      () => new data.TensorDataset([1, 2] as never),
      "TypeError",
      "new data.TensorDataset: argument 0 must be a tensor, got [1, 2].",
    ],
    [
      "a scalar",
      () => new data.TensorDataset(torch.ones([])),
      "RangeError",
      "new data.TensorDataset: argument 0 has no first dimension to take items from.",
    ],
    [
      "tensors of two lengths",
      () => new data.TensorDataset(torch.ones([3]), torch.ones([4])),
      "RangeError",
      "new data.TensorDataset: the tensors differ in length: 3, 4.",
    ],
    [
      "an index outside",
      () => numbers().get(10),
      "RangeError",
      "TensorDataset.get: index 10 is outside a dataset of 10 items.",
    ],
    [
      "a negative index",
      () => numbers().get(-1),
      "RangeError",
      "TensorDataset.get: index must be an integer of at least 0, got -1.",
    ],
  ]);
});

describe("a StackDataset", () => {
  const words = { length: 2, get: (i: number) => ["zero", "one"][i]! };

  it("has items of one item each, as lists or as objects", () => {
    const squares = { length: 2, get: (i: number) => i * i };
    expect(new data.StackDataset([words, squares]).get(1)).toEqual(["one", 1]);
    const named = new data.StackDataset({ word: words, square: squares });
    const [batch] = [...new data.DataLoader(named, { batchSize: 2 })];
    expect(batch!.word).toEqual(["zero", "one"]);
    expect(batch!.square.tolist()).toEqual([0, 1]);
  });

  refuses([
    [
      "no datasets",
      () => new data.StackDataset([]),
      "TypeError",
      "new data.StackDataset: expected a list or an object of datasets, got [].",
    ],
    [
      "datasets of other lengths",
      () => new data.StackDataset([words, { length: 3, get: (i: number) => i }]),
      "RangeError",
      "new data.StackDataset: the datasets differ in length: 2, 3.",
    ],
  ]);
});
