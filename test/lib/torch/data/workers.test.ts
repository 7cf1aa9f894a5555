// Loaders with worker threads: PyTorch's batches and random numbers, order, streams, errors, deadlines, and ends. Node
// starts threads from built files only, so programs run over `dist/`, where the library's modules are loaded once.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { data, torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";
import { runWithDataset } from "./programs.ts";

const run = (body: string) => runWithDataset("numbers.mjs", body);

const recorded = JSON.parse(
  readFileSync(new URL("../../../fixtures/data.json", import.meta.url), "utf8"),
) as { workers: Record<string, { passes: { index: number[]; drawn: number[] }[][]; next: number }> };

describe("a DataLoader with workers", () => {
  it.each([
    ["that begin anew each pass", "anew"],
    ["that stay", "persistent"],
  ])("%s gives PyTorch's batches, and each worker draws PyTorch's random numbers", (_, kind) => {
    const [passes, next] = run(`
      torch.manualSeed(5);
      const options = { batchSize: 4, shuffle: true, numWorkers: 2, persistentWorkers: ${kind === "persistent"} };
      const loader = new data.DataLoader(await make(), options);
      const pass = () => Array.from(loader, ({ index, drawn }) => ({ index: index.tolist(), drawn: drawn.tolist() }));
      return [[pass(), pass()], torch.rand([]).item()];
    `) as [unknown, number];
    const { passes: expected, next: expectedNext } = recorded.workers[kind]!;
    expect(passes).toEqual(
      expected.map((pass) =>
        pass.map(({ index, drawn }) => ({ index, drawn: drawn.map((value) => expect.closeTo(value, 7)) })),
      ),
    );
    expect(next).toBeCloseTo(expectedNext, 7);
  });

  it("keeps a column's dtype, whichever worker made the batch", () => {
    const outcomes = run(`
      const outcome = async (labels) => {
        const loader = new data.DataLoader(await make({ labels, length: labels.length }), { batchSize: 2, numWorkers: 2 });
        return failure(() => [...loader])?.message ?? Array.from(loader, ({ label, index }) => label.dtype + " " + index.dtype);
      };
      return [await outcome([1.5, 2, 3, 1, 2, 1]), await outcome([1, 2, 2.5, 1, 2, 1])];
    `);
    expect(outcomes).toEqual([
      ["float32 int64", "float32 int64", "float32 int64"],
      expect.stringMatching(/^DataLoader: the column batch\.label was int64 .* and this one has 2\.5: /),
    ]);
  });

  it("hands out whole batches of any kind in order, made in turn by the workers", () => {
    const batches = run(`
      const subset = new data.Subset(await make(), [9, 8, 7, 6, 5]);
      return Array.from(new data.DataLoader(subset, { batchSize: 2, numWorkers: 2, prefetchFactor: 1 }), (batch) =>
        [batch.x.tolist(), batch.x.dtype, batch.name, batch.worker.tolist()]);
    `);
    expect(batches).toEqual([
      [
        [
          [9, 9],
          [8, 8],
        ],
        "float32",
        ["item 9", "item 8"],
        [0, 0],
      ],
      [
        [
          [7, 7],
          [6, 6],
        ],
        "float32",
        ["item 7", "item 6"],
        [1, 1],
      ],
      [[[5, 5]], "float32", ["item 5"], [0]],
    ]);
  });

  it("shares a stream by getWorkerInfo, and goes on with the others when one has ended", () => {
    const batches = run(`
      const stream = await make({ stream: true });
      return Array.from(new data.DataLoader(stream, { batchSize: 2, numWorkers: 3 }), (batch) => batch.tolist());
    `);
    expect(batches).toEqual([[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]);
  });

  it("names the worker of an error and keeps its class and stack; what ends or hangs is told too", () => {
    const errors = run(`
      const of = async (wrong, options) => {
        const dataset = await make({ wrong });
        const loader = new data.DataLoader(dataset, { batchSize: 2, numWorkers: 2, ...options });
        const { name, message, cause } = failure(() => [...loader]);
        return [name, message, /numbers\\.mjs:\\d+/.test(cause?.stack)];
      };
      return [await of({ throwAt: 7 }), await of({ exitAt: 4 }), await of({ hangAt: 4 }, { timeout: 0.5 })];
    `);
    expect(errors).toEqual([
      ["TypeError", "DataLoader worker 1, in dataset.get(7): item 7 is broken", true],
      [
        "Error",
        "DataLoader worker 0 ended of itself with exit code 3; the dataset's module must not end the process.",
        false,
      ],
      [
        "Error",
        "DataLoader worker 0 has not answered within 0.5 s: it is in dataset.get(4); raise timeout (seconds, 0 for none), or look for what hangs with numWorkers: 0.",
        false,
      ],
    ]);
  });

  it("goes on after a pass broken off, leaves the session's threads and seed alone, and lets the program end", () => {
    const result = run(`
      const before = torch.getNumThreads();
      const loader = new data.DataLoader(await make({ length: 100 }), { numWorkers: 2, persistentWorkers: true });
      for (const batch of loader) break;
      const count = [...loader].length;
      return [count, torch.getNumThreads() === before];
    `);
    expect(result).toEqual([100, true]);
  });
});

describe("a DataLoader with workers for a dataset in the session's memory", () => {
  it("makes the batches itself, as without workers, and says so once", async () => {
    await new Promise(setImmediate); // Until then Node delivers the warnings of the test before.
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on("warning", note);
    const squares = new data.TensorDataset(torch.arange(6), torch.arange(6).pow(2));
    const passes = [0, 2, 4].map((numWorkers) => {
      torch.manualSeed(3);
      const ofWorkers = numWorkers > 0 ? { persistentWorkers: true, prefetchFactor: 4 } : {};
      const loader = new data.DataLoader(squares, { batchSize: 4, shuffle: true, numWorkers, ...ofWorkers });
      expect(loader.numWorkers).toBe(0);
      return Array.from(loader, ([x, y]) => [x.tolist(), y.tolist()]);
    });
    await new Promise(setImmediate);
    process.off("warning", note);
    expect([passes[1], passes[2]]).toEqual([passes[0], passes[0]]);
    expect(warnings).toEqual([
      `DataLoader: numWorkers: 2 starts no threads: the dataset is in the session's own memory, so the session makes its batches; where items take work to make, put the dataset in a module: await data.workerDataset("./dataset.ts").`,
    ]);
  });

  it.each<[string, data.Dataset | unknown[]]>([
    ["a class of the cell's own", { length: 3, get: (index: number) => index }],
    ["an array", [0, 1, 2]],
    ["a part", new data.Subset(new data.TensorDataset(torch.arange(9)), [0, 1, 2])],
  ])("%s", (_, dataset) => {
    const loader = new data.DataLoader(dataset as data.Dataset, {
      numWorkers: 1,
      collateFn: (items) => items,
    });
    expect([...loader].length).toBe(3);
  });
});

describe("misuse", () => {
  const squares = { length: 10, get: (i: number) => i * i };
  const loader = "new data.DataLoader:";
  refuses([
    [
      "a negative number of workers",
      () => new data.DataLoader(squares, { numWorkers: -1 }),
      "RangeError",
      `${loader} numWorkers must be an integer of at least 0, got -1.`,
    ],
    [
      "prefetchFactor without workers",
      () => new data.DataLoader(squares, { prefetchFactor: 2 }),
      "TypeError",
      `${loader} prefetchFactor needs workers; give numWorkers of at least 1, or leave it out.`,
    ],
    [
      "persistentWorkers without workers",
      () => new data.DataLoader(squares, { persistentWorkers: true }),
      "TypeError",
      `${loader} persistentWorkers needs workers; give numWorkers of at least 1, or leave it out.`,
    ],
    [
      "a negative timeout",
      () => new data.DataLoader(squares, { timeout: -1 }),
      "RangeError",
      `${loader} timeout must be at least 0, got -1.`,
    ],
  ]);

  it("refuses a collateFn that would have to be sent to workers", () => {
    expect(
      run(`const dataset = await make();
        return failure(() => new data.DataLoader(dataset, { numWorkers: 1, collateFn: (items) => items })).message;`),
    ).toBe(
      `${loader} a collateFn cannot be sent to workers; export it as collateFn from the dataset's module, or use numWorkers: 0.`,
    );
  });

  it("refuses a module that is none, one without a default function, and arguments that are not data", async () => {
    await expect(data.workerDataset(3 as never)).rejects.toThrow(
      "data.workerDataset: the module must be a path or a URL, got 3.",
    );
    await expect(data.workerDataset("./x.ts", () => 1)).rejects.toThrow(
      "data.workerDataset: the arguments must be plain data that another thread can be sent (() => 1 could not be cloned.); make what else it needs in the module.",
    );
    const nodePath = new URL("../../../../native/setup/stamp.mjs", import.meta.url).href;
    await expect(data.workerDataset(nodePath)).rejects.toThrow(
      `data.workerDataset: ${nodePath} must have a default export that is a function and returns a dataset, got undefined.`,
    );
  });
});
