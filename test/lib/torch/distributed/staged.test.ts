// Data parallel of a device that gloo does not carry: simulated Metal. Gradients go through the host.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { nn, Tensor } from "../../../../lib/index.ts";
import { Ranks, type RankScope } from "./ranks.ts";

const METAL = { MPSLAB_METAL: "simulated 4GB" };

let three: Ranks;
beforeAll(async () => {
  three = await Ranks.connect(3, 60_000, METAL);
});
afterAll(() => three.stop());

const OPTIONS = {
  defaults: {},
  "small buckets": { bucketCapMb: 0.001 },
  gradientAsBucketView: { gradientAsBucketView: true },
  findUnusedParameters: { findUnusedParameters: true },
};

interface Asked {
  readonly device: "cpu" | "mps";
  readonly options: object;
}

/** Trains on a device; returns what the model has then. */
function train({ torch, nn, optim, functional, rank, argument }: RankScope<Asked>): string {
  const { device, options } = argument;
  torch.setNumThreads(1);
  torch.manualSeed(rank);
  const model = new nn.Sequential(
    new nn.Linear(6, 16),
    new nn.Tanh(),
    new nn.BatchNorm1d(16),
    new nn.Linear(16, 3),
  ).to(device);
  const ddp = new nn.parallel.DistributedDataParallel(model, options);
  const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1, momentum: 0.9 });
  const generator = new torch.Generator().manualSeed(100 + rank);
  for (let step = 0; step < 5; step++) {
    const x = torch.randn([8, 6], { generator }).to(device);
    const y = torch.randn([8, 3], { generator }).to(device);
    optimizer.zeroGrad();
    if (step === 3) ddp.noSync(() => functional.mseLoss(ddp(x), y).backward());
    functional.mseLoss(ddp(x), y).backward();
    optimizer.step();
  }
  return JSON.stringify(Object.entries(model.stateDict()).map(([name, tensor]) => [name, tensor.tolist()]));
}

describe("DistributedDataParallel on simulated Metal", () => {
  it.each(Object.entries(OPTIONS))("trains as on the CPU, to the bit: %s", async (_, options) => {
    const cpu = await three.values(train, { device: "cpu", options });
    const mps = await three.values(train, { device: "mps", options });
    expect(mps).toEqual(cpu);
  });

  it("leaves parameters out that a forward does not use, where it may", async () => {
    const got = await three.values(({ torch, nn, rank }) => {
      class Branches extends nn.Module {
        left = new nn.Linear(2, 2);
        right = new nn.Linear(2, 2);
        forward(x: Tensor): Tensor {
          return rank === 0 ? this.left(x) : this.right(x);
        }
      }
      torch.manualSeed(0);
      const model = new Branches().to("mps");
      const ddp = new nn.parallel.DistributedDataParallel(model, { findUnusedParameters: true });
      for (let step = 0; step < 2; step++) {
        ddp.zeroGrad();
        ddp(torch.ones([1, 2], { device: "mps" }))
          .sum()
          .backward();
      }
      return [model.left.bias!.grad!.mul(3).tolist(), model.right.bias!.grad!.mul(3).tolist()];
    });
    expect(got).toEqual(
      [0, 1, 2].map(() => [
        [1, 1],
        [2, 2],
      ]),
    );
  });

  it("shards its optimizer's states, and saves a file of each rank", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "staged-"));
    const got = await three.values(({ torch, nn, optim, distributed, argument }) => {
      torch.manualSeed(0);
      const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 4)).to("mps");
      const Zero = distributed.optim.ZeroRedundancyOptimizer;
      const optimizer = new Zero(model.parameters(), optim.Adam, { lr: 0.1 });
      for (const parameter of model.parameters()) parameter.grad = torch.onesLike(parameter);
      optimizer.step();
      optimizer.consolidateStateDict(0);
      distributed.checkpoint.save(model.stateDict(), { checkpointId: argument });
      const copy = new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 4)).to("mps");
      distributed.checkpoint.load(copy.stateDict(), { checkpointId: argument });
      const isEqual = model.parameters().every((one, i) => torch.equal(one, copy.parameters()[i]!));
      const states = distributed.getRank() === 0 ? optimizer.stateDict().state : {};
      const devices = Object.values(states).map(({ exp_avg }) => (exp_avg as Tensor).device);
      return [optimizer.state.size, isEqual, devices];
    }, folder);
    rmSync(folder, { recursive: true });
    expect(got).toEqual([
      [1, true, ["cpu", "cpu", "cpu", "cpu"]],
      [1, true, []],
      [2, true, []],
    ]);
  });

  it("refuses a model on two devices, and one without values", async () => {
    const [got] = await three.values((scope) => {
      const said = (model: nn.Module): string =>
        scope.messageOf(() => new scope.nn.parallel.DistributedDataParallel(model));
      const { Linear, Sequential } = scope.nn;
      const split = new Sequential(new Linear(1, 1).to("mps"), new Linear(1, 1));
      return [said(split), said(new Linear(1, 1, { device: "meta" }))];
    });
    const call = "new nn.parallel.DistributedDataParallel";
    expect(got).toEqual([
      `${call}: 0.weight is on mps, and 1.weight on cpu: move the model to one device with model.to("mps").`,
      `${call}: weight is on "meta" and has no values: use toEmpty() and load them first.`,
    ]);
  });

  it("names a rank that is killed in backward", async () => {
    const ranks = await Ranks.connect(2, 6000, METAL);
    try {
      const [outcome] = await ranks.run(({ torch, nn, distributed, rank }) => {
        const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(4, 2).to("mps"));
        const loss = ddp(torch.ones([1, 4], { device: "mps" })).sum();
        distributed.barrier();
        if (rank === 1) process.kill(process.pid, "SIGKILL");
        loss.backward();
      });
      expect(outcome?.error?.message).toMatch(/^backward: rank 0 of 2: .* No word from rank 1/);
    } finally {
      await ranks.stop();
    }
  });
});
