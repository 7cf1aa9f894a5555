// Datasets and loaders name themselves in a line, and what a loader took in words and units.
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { data, torch } from "../../../../../lib/index.ts";

const dataset = () => new data.TensorDataset(torch.zeros([64, 4]), torch.zeros([64], { dtype: "int64" }));
const TEXT = "TensorDataset of 64 items: float32 [64, 4], int64 [64]";

it.each([
  ["a TensorDataset", dataset, TEXT],
  ["a part", () => new data.Subset(dataset(), [0]), `Subset of 1 item of ${TEXT}`],
  [
    "several",
    () => new data.ConcatDataset([dataset(), { length: 3, get: () => torch.zeros([4]) } as never]),
    `ConcatDataset of 67 items of ${TEXT}; Object of 3 items`,
  ],
  [
    "a loader",
    () => new data.DataLoader(dataset(), { batchSize: 8 }),
    `DataLoader of ${TEXT} in batches of 8`,
  ],
])("%s", (_, make, text) => expect(inspect(make())).toBe(text));

it("a loader that made batches says how many, and shows its times", () => {
  const loader = new data.DataLoader(dataset(), { batchSize: 32 });
  expect([...loader]).toHaveLength(2);
  expect(inspect(loader)).toBe(`DataLoader of ${TEXT} in batches of 32, 2 batches made`);
  expect(inspect(loader.timings)).toMatch(
    /^Times of 2 batches\n {2}stage +all +a batch\n {2}fetch +\S+ \S+ +\S+ \S+\n/,
  );
  expect(inspect(loader.usage)).toMatch(/^Memory of the loader\n {2}this process +\S+ [MG]iB\n/);
  expect(Object.keys(loader.timings)).toContain("fetchMs");
});
