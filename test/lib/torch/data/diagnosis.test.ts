// Tests what a loader reports about itself: time by stage, memory and descriptors, the best count of workers, and which
// call failed or hung. Workers run from built files, so programs run over `dist/`.
import { describe, expect, it } from "vitest";
import { data, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";
import { runWithDataset } from "./programs.ts";

const run = (body: string) => runWithDataset("pictures.mjs", body);

const STAGES = ["fetchMs", "decodeMs", "transformMs", "collateMs", "transferMs", "waitMs"] as const;

describe("a loader's timings", () => {
  const images = torch.zeros([6, 1, 4, 4], { dtype: "uint8" });
  const { Compose, RandomCrop, ToDtype } = data.transforms;
  const transform = new Compose([new RandomCrop(4, { padding: 1 }), new ToDtype("float32")]);

  it("tell fetching, transforming and collating apart, and count its batches", () => {
    const items = { length: 6, get: (i: number) => [transform(images.select(0, i)), i] as [Tensor, number] };
    const loader = new data.DataLoader(items, { batchSize: 2 });
    expect(loader.timings).toEqual({ batches: 0, ...Object.fromEntries(STAGES.map((stage) => [stage, 0])) });
    for (const _ of loader);
    const { batches, fetchMs, decodeMs, transformMs, collateMs, transferMs, waitMs } = loader.timings;
    expect([batches, decodeMs, transferMs]).toEqual([3, 0, 0]);
    for (const ms of [fetchMs, transformMs, collateMs]) expect(ms).toBeGreaterThan(0);
    expect(fetchMs + transformMs + collateMs).toBeLessThanOrEqual(waitMs);
  });

  it("are each loader's own, also where two run in turn", () => {
    const dataset = new data.TransformedDataset(new data.TensorDataset(images), transform);
    const [transformed, plain] = [dataset, new data.TensorDataset(images)].map(
      (source) => new data.DataLoader(source as data.TensorDataset<[Tensor]>),
    ) as [data.DataLoader<[Tensor]>, data.DataLoader<[Tensor]>];
    const other = plain[Symbol.iterator]();
    for (const _ of transformed) other.next();
    expect(transformed.timings.transformMs).toBeGreaterThan(0);
    expect([plain.timings.transformMs, plain.timings.batches]).toEqual([0, 6]);
  });

  it("come from the workers, with the transfer, and the workers say what they hold", () => {
    const result = run(`
      const loader = new data.DataLoader(await make(), { batchSize: 16, numWorkers: 2, persistentWorkers: true });
      for (const batch of loader);
      const { timings, usage } = loader;
      loader.close();
      return { timings, usage, after: loader.usage.workers };
    `) as { timings: data.LoaderTimings; usage: data.LoaderUsage; after: unknown[] };
    const { timings, usage } = result;
    expect([timings.batches, timings.decodeMs, timings.collateMs]).toEqual([4, 0, 0]);
    for (const ms of [timings.fetchMs, timings.transformMs, timings.transferMs, timings.waitMs])
      expect(ms).toBeGreaterThan(0);
    expect(usage.workers).toHaveLength(2);
    for (const worker of usage.workers) {
      expect(worker!.heapBytes).toBeGreaterThan(1e6);
      expect(worker!.externalBytes).toBeGreaterThan(0);
    }
    expect(usage.residentBytes).toBeGreaterThan(1e7);
    expect(usage.descriptors).toBeGreaterThan(2);
    expect(result.after).toEqual([]);
  });
});

describe("a TransformedDataset", () => {
  it("gives the same batches item by item as whole, one random crop after the other", () => {
    const images = torch.arange(4 * 36, { dtype: "float32" }).view([4, 1, 6, 6]);
    const crop = new data.transforms.RandomCrop(3);
    const inner = new data.TensorDataset(images, torch.arange(4));
    const whole = new data.TransformedDataset(inner, crop);
    const oneByOne = new data.TransformedDataset(inner, (image) => crop(image));
    expect([typeof whole.getBatch, typeof oneByOne.getBatch]).toEqual(["function", "undefined"]);
    const [first, second] = [whole, oneByOne].map((dataset) => {
      torch.manualSeed(1);
      const [batch] = [...new data.DataLoader(dataset, { batchSize: 4, shuffle: true })];
      return batch!.map((tensor) => (tensor as Tensor).tolist());
    });
    expect(first).toEqual(second);
    expect(whole.get(2)[0].shape).toEqual([1, 3, 3]);
  });

  const dataset = new data.TensorDataset(torch.zeros([2, 1, 4, 4]));
  refuses([
    [
      "a tensor for a dataset",
      () => new data.TransformedDataset(torch.ones([2]) as never, (x) => x),
      "TypeError",
      "new data.TransformedDataset: expected a dataset with length and get(index), got a Tensor.",
    ],
    [
      "no transform",
      () => new data.TransformedDataset(dataset, 3 as never),
      "TypeError",
      "new data.TransformedDataset: the transform must be a function, got 3.",
    ],
    [
      "items without an image",
      () => new data.TransformedDataset({ length: 1, get: () => "cat" } as never, (x) => x).get(0),
      "TypeError",
      'TransformedDataset: expected an image tensor or a tuple that begins with one, got "cat".',
    ],
  ]);
});

describe("transforms in workers", () => {
  it("draw from each worker's own generator: equal seeds give equal batches, and the session's draws are left alone", () => {
    const [first, second, next, expected] = run(`
      const dataset = await make({ length: 16 });
      const pass = () => {
        torch.manualSeed(3);
        const loader = new data.DataLoader(dataset, { batchSize: 4, numWorkers: 2 });
        return Array.from(loader, ([images]) => images.sum([1, 2, 3]).tolist());
      };
      const passes = [pass(), pass()];
      const next = torch.rand([]).item();
      torch.manualSeed(3);
      torch.empty([], { dtype: "int64" }).random_();
      return [...passes, next, torch.rand([]).item()];
    `) as [number[][], number[][], number, number];
    expect(first).toEqual(second);
    expect(first).toHaveLength(4);
    expect(next).toBe(expected);
  });
});

describe("the count of workers", () => {
  it("is one a processor, at most 8, for a dataset that workers can make, and none for others", () => {
    const counts = run(`
      const dataset = await make();
      const collateFn = (items) => items;
      return [{}, { numWorkers: 0 }, { collateFn }].map((options) => new data.DataLoader(dataset, options).numWorkers)
        .concat(new data.DataLoader([1, 2]).numWorkers, Math.min((await import("node:os")).availableParallelism(), 8));
    `) as number[];
    expect(counts).toEqual([counts[4], 0, 0, 0, counts[4]]);
  });
});

describe("diagnoseLoader", () => {
  interface Told {
    readonly trials: data.WorkerTrial[];
    readonly best: number | null;
    readonly text: string;
  }
  const told = (options: string, loaderOptions = "batchSize: 4") =>
    run(`
      const loader = new data.DataLoader(await make(${options}), { ${loaderOptions} });
      const diagnosis = data.diagnoseLoader(loader, { mostWorkers: 2, batches: 8, timeout: 1 });
      return { trials: diagnosis.trials, best: diagnosis.best, text: String(diagnosis) };
    `) as Told;

  it("tries a count of workers after the other, and says with figures which is best", () => {
    const { trials, best, text } = told("{ slowMs: 20 }");
    expect(trials.map(({ numWorkers, failure }) => [numWorkers, failure])).toEqual([
      [0, null],
      [1, null],
      [2, null],
    ]);
    // How much two workers help is the machine's affair: the fewest are best that come within a twentieth of the most.
    const rates = trials.map(({ batchesPerSecond }) => batchesPerSecond);
    expect(best).toBe(rates.findIndex((rate) => rate * 1.05 >= Math.max(...rates)));
    expect(text).toMatch(/^ +workers +batches\/s/);
    expect(text).toMatch(
      best === 0
        ? /Best: numWorkers 0, [\d.]+ batches\/s\.$/
        : new RegExp(
            `Best: numWorkers ${best}, [\\d.]+ batches/s, [\\d.]+ times as many as without workers\\.$`,
          ),
    );
    expect(trials[2]!.workerBytes).toBeGreaterThan(1e6);
  });

  it("names the worker and the call that failed, and stops there", () => {
    const { trials, text } = told("{ throwAt: 9 }");
    expect(trials.map(({ numWorkers, failure }) => [numWorkers, failure])).toEqual([
      [1, "DataLoader worker 0, in dataset.get(9): the file is damaged"],
    ]);
    expect(text.split("\n").at(-1)).toBe(
      "numWorkers 1 failed: DataLoader worker 0, in dataset.get(9): the file is damaged",
    );
  });

  it("names the worker and the call that hangs, and does not hang itself", () => {
    const { trials } = told("{ hangAt: 5 }");
    expect(trials.map(({ numWorkers, failure }) => [numWorkers, failure])).toEqual([
      [
        1,
        "DataLoader worker 0 has not answered within 1 s: it is in dataset.get(5); raise timeout (seconds, 0 for none), or look for what hangs with numWorkers: 0.",
      ],
    ]);
  });

  it("tries a dataset that workers cannot make without them, and says why it goes no further", () => {
    const diagnosis = data.diagnoseLoader(new data.DataLoader([1, 2, 3, 4]), { mostWorkers: 3, batches: 2 });
    expect(diagnosis.trials.map(({ numWorkers, failure }) => [numWorkers, failure])).toEqual([[0, null]]);
    expect(diagnosis.best).toBe(0);
    expect(String(diagnosis)).toMatch(
      /Workers cannot make this dataset: .*\nBest: numWorkers 0, [\d.]+ batches\/s\.$/,
    );
  });

  refuses([
    [
      "a dataset for a loader",
      () => data.diagnoseLoader([1] as never),
      "TypeError",
      "data.diagnoseLoader: expected a DataLoader, got [1].",
    ],
    [
      "a fraction of a worker",
      () => data.diagnoseLoader(new data.DataLoader([1]), { mostWorkers: 1.5 }),
      "RangeError",
      "data.diagnoseLoader: mostWorkers must be an integer of at least 0, got 1.5.",
    ],
    [
      "a misspelt option",
      () => data.diagnoseLoader(new data.DataLoader([1]), { workers: 2 } as never),
      "TypeError",
      'data.diagnoseLoader: unknown option "workers"; it takes mostWorkers, batches, seconds, timeout.',
    ],
  ]);
});
