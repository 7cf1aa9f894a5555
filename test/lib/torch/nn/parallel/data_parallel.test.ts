// DistributedDataParallel on two processes: against PyTorch's to the bit (`test/fixtures/data_parallel.py`), and against
// one process with all of the data.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tensor } from "../../../../../lib/index.ts";
import { readFixture } from "../../fixtures.ts";
import { OPTIONS, type Trained, trainAsFixture } from "../../distributed/fixture_training.ts";
import { Ranks } from "../../distributed/ranks.ts";

/** For each processor on which PyTorch was run, what it gave on each rank. */
const { trained } = readFixture<{ trained: readonly (readonly Readonly<Record<string, Trained>>[])[] }>(
  "data_parallel.json",
);

let ranks: Ranks;
beforeAll(async () => {
  ranks = await Ranks.connect(2);
});
afterAll(() => ranks.stop());

describe("DistributedDataParallel", () => {
  it.each(Object.entries(OPTIONS))(
    "trains as PyTorch's on two ranks, to the bit: %s",
    async (name, options) => {
      const ours = await ranks.values(trainAsFixture, { device: "cpu", options });
      expect(trained.map((processor) => processor.map((rank) => rank[name]))).toContainEqual(ours);
    },
  );

  it("has the gradients of one process on the joined batch", async () => {
    const [first, second] = await ranks.values(({ torch, nn, functional, rank }) => {
      torch.manualSeed(0);
      const alone = new nn.Sequential(new nn.Linear(6, 16), new nn.ReLU(), new nn.Linear(16, 3));
      const copy = new nn.Sequential(new nn.Linear(6, 16), new nn.ReLU(), new nn.Linear(16, 3));
      copy.loadStateDict(alone.stateDict());
      const x = torch.randn([8, 6]);
      const y = torch.randn([8, 3]);
      functional.mseLoss(alone(x), y).backward();
      const ddp = new nn.parallel.DistributedDataParallel(copy);
      functional.mseLoss(ddp(x.narrow(0, 4 * rank, 4)), y.narrow(0, 4 * rank, 4)).backward();
      const differences = ddp
        .parameters()
        .map((parameter, i) => parameter.grad!.sub(alone.parameters()[i]!.grad!).abs().max().item());
      return { differences, gradients: ddp.parameters().map((parameter) => parameter.grad!.tolist()) };
    });
    expect(first!.gradients).toEqual(second!.gradients);
    for (const difference of first!.differences) expect(difference).toBeLessThan(1e-7);
  });

  it("leaves parameters out that a forward does not use, where it may", async () => {
    const got = await ranks.values(({ torch, nn, rank }) => {
      class Branches extends nn.Module {
        used = new nn.Linear(2, 2);
        left = new nn.Linear(2, 2);
        right = new nn.Linear(2, 2);
        forward(x: Tensor): Tensor[] {
          const y = this.used(x);
          // Each rank takes another branch; the second output enters no loss.
          return [rank === 0 ? this.left(y) : this.right(y), y];
        }
      }
      torch.manualSeed(0);
      const ddp = new nn.parallel.DistributedDataParallel(new Branches(), { findUnusedParameters: true });
      const steps = [0, 1, 2].map(() => {
        ddp.zeroGrad();
        const [y] = ddp(torch.ones([1, 2]));
        y!.sum().backward();
        return ddp.parameters().map((parameter) => parameter.grad!.tolist());
      });
      return steps;
    });
    expect(got[0]).toEqual(got[1]);
    // Half of the gradient on one rank, none on the other: the average of both.
    expect(got[0]![2]![3]).toEqual([0.5, 0.5]);
    expect(got[0]![2]![5]).toEqual([0.5, 0.5]);
  });

  it("names parameters that got no gradient where none may be left out", async () => {
    const outcomes = await ranks.run(({ torch, nn }) => {
      class Unused extends nn.Module {
        used = new nn.Linear(2, 2);
        spare = new nn.Linear(2, 2);
        forward(x: Tensor): Tensor {
          return this.used(x);
        }
      }
      const ddp = new nn.parallel.DistributedDataParallel(new Unused());
      for (let step = 0; step < 2; step++)
        ddp(torch.ones([1, 2]))
          .sum()
          .backward();
    });
    for (const { error } of outcomes)
      expect(error?.message).toBe(
        "DistributedDataParallel: spare.weight, spare.bias got no gradient in the last backward, so it did not end on this rank. Pass { findUnusedParameters: true } if a forward may leave parameters out; otherwise let all outputs of forward enter the loss.",
      );
  });

  it("averages sparse gradients of an embedding", async () => {
    const got = await ranks.values(({ torch, nn, rank }) => {
      torch.manualSeed(0);
      const ddp = new nn.parallel.DistributedDataParallel(new nn.Embedding(4, 1, { sparse: true }));
      ddp(torch.tensor([rank, 3]))
        .sum()
        .backward();
      return ddp.parameters()[0]!.grad!.toDense().tolist();
    });
    expect(got).toEqual([0, 1].map(() => [[0.5], [0.5], [0], [1]]));
  });

  it("gives NaN on all ranks where one has it", async () => {
    const got = await ranks.values(({ torch, nn, rank }) => {
      const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(1, 1));
      ddp(torch.full([1, 1], rank === 1 ? NaN : 0.5))
        .sum()
        .backward();
      return Number.isNaN(ddp.parameters()[0]!.grad!.item() as number);
    });
    expect(got).toEqual([true, true]);
  });

  it("starts without the values of rank 0 under initSync: false", async () => {
    const got = await ranks.values(({ nn, torch, rank }) => {
      const layer = new nn.Linear(1, 1, { bias: false });
      torch.noGrad(() => layer.weight.fill_(rank));
      const options = [{ initSync: false }, {}];
      return options.map((option) => {
        const ddp = new nn.parallel.DistributedDataParallel(layer, option);
        return ddp.module.weight.item();
      });
    });
    expect(got).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it("is called, printed and saved as its model", async () => {
    const [got] = await ranks.values(({ torch, nn }) => {
      const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1));
      return [String(ddp), Object.keys(ddp.stateDict()), ddp(torch.ones([3, 2])).shape];
    });
    expect(got).toEqual([
      "DistributedDataParallel([0, 1])\nLinear(inFeatures=2, outFeatures=1, bias=true)",
      ["module.weight", "module.bias"],
      [3, 1],
    ]);
  });

  it("refuses what it cannot train", async () => {
    const [got] = await ranks.values(({ torch, nn, messageOf }) => {
      const DDP = nn.parallel.DistributedDataParallel;
      const ddp = new DDP(new nn.Linear(1, 1));
      return [
        messageOf(() => new DDP(new nn.ReLU())),
        messageOf(() => new DDP(torch.ones([1]) as never)),
        messageOf(() => ddp.noSync(async () => 1)),
      ];
    });
    expect(got).toEqual([
      "new nn.parallel.DistributedDataParallel: no parameter of ReLU requires a gradient, so there is nothing to average.",
      "new nn.parallel.DistributedDataParallel: expected a module, got a Tensor.",
      "DistributedDataParallel.noSync cannot wait: its function returned a promise, and the block is over when it returns: await before it, and run the step inside.",
    ]);
  });
});
