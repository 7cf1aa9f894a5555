// DistributedSampler: PyTorch's orders (`test/fixtures/data_parallel.py`), and refusals.
import { describe, expect, it } from "vitest";
import { data, torch } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";

interface Case {
  readonly items: number;
  readonly replicas: number;
  readonly options: { readonly shuffle?: boolean; readonly drop_last?: boolean; readonly seed?: number };
  readonly orders: readonly {
    readonly rank: number;
    readonly epoch: number;
    readonly order: readonly number[];
  }[];
}

const { sampled } = readFixture<{ sampled: readonly Case[] }>("data_parallel.json");

describe("DistributedSampler", () => {
  it.each(sampled.map((one) => [JSON.stringify([one.items, one.replicas, one.options]), one] as const))(
    "gives PyTorch's orders: %s",
    (_, { items, replicas, options, orders }) => {
      const { drop_last: dropLast = false, ...rest } = options;
      for (const { rank, epoch, order } of orders) {
        const sampler = new data.DistributedSampler(Array(items), {
          ...rest,
          dropLast,
          numReplicas: replicas,
          rank,
        });
        sampler.setEpoch(epoch);
        expect([...sampler]).toEqual(order);
        expect(sampler.length).toBe(order.length);
      }
    },
  );

  it("needs a process group, or to be told", () => {
    expect(() => new data.DistributedSampler([1, 2])).toThrow(
      "new data.DistributedSampler: there is no process group: call distributed.initProcessGroup() first, or pass numReplicas and rank.",
    );
    expect(() => new data.DistributedSampler([1, 2], { numReplicas: 2, rank: 2 })).toThrow(
      "new data.DistributedSampler: rank must be below numReplicas, 2, got 2.",
    );
  });

  it("feeds a DataLoader", () => {
    const set = new data.TensorDataset(torch.arange(5));
    const sampler = new data.DistributedSampler(set, { numReplicas: 2, rank: 1, shuffle: false });
    const seen = [...new data.DataLoader(set, { batchSize: 2, sampler })].map(([x]) => x!.tolist());
    expect(seen).toEqual([[1, 3], [0]]);
  });
});
