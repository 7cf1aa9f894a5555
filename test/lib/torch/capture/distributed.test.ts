// A captured step on two processes: a replay repeats its collectives, and those of data parallel. What it could not
// repeat is refused.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tensor } from "../../../../lib/index.ts";
import { Ranks } from "../distributed/ranks.ts";

let ranks: Ranks;
beforeAll(async () => {
  ranks = await Ranks.connect(2);
});
afterAll(() => ranks.stop());

describe("a captured step on two ranks", () => {
  it("repeats its collectives", async () => {
    const given = await ranks.values(({ torch, distributed, rank }) => {
      const step = torch.capture((x: Tensor) => {
        const sum = x.mul(2);
        distributed.allReduce(sum);
        const max = x.clone();
        distributed.allReduce(max, { op: "max" });
        const whole = torch.zeros([4]);
        distributed.allGatherIntoTensor(whole, max.add(rank));
        return [sum.add(1), whole];
      });
      const results = [];
      for (let i = 0; i < 6; i++)
        results.push(step(torch.tensor([i, rank], { dtype: "float32" })).map((x) => x.tolist()));
      return { results, replays: step.replays };
    });
    const expected = Array.from({ length: 6 }, (_, i) => [
      [4 * i + 1, 3],
      [i, 1, i + 1, 2],
    ]);
    expect(given).toEqual([0, 1].map(() => ({ results: expected, replays: 2 })));
  });

  it("trains with DistributedDataParallel as the step does, to the bit", async () => {
    const given = await ranks.values(({ torch, nn, optim, functional, rank }) => {
      const train = (isCaptured: boolean) => {
        torch.manualSeed(0);
        const model = new nn.Sequential(
          new nn.Linear(6, 16),
          new nn.BatchNorm1d(16),
          new nn.Tanh(),
          new nn.Linear(16, 3),
        );
        const ddp = new nn.parallel.DistributedDataParallel(model, { bucketCapMb: 0.001 });
        const optimizer = new optim.AdamW(ddp.parameters(), { lr: 0.01 });
        const generator = new torch.Generator().manualSeed(100 + rank);
        const run = (x: Tensor, y: Tensor) => {
          optimizer.zeroGrad();
          const loss = functional.mseLoss(ddp(x), y);
          loss.backward();
          optimizer.step();
          return loss;
        };
        const step = isCaptured ? torch.capture(run, { checkEvery: 5 }) : run;
        const losses = [];
        for (let i = 0; i < 12; i++)
          losses.push(step(torch.randn([8, 6], { generator }), torch.randn([8, 3], { generator })).item());
        return {
          losses,
          state: Object.values(ddp.stateDict()).map((tensor) => tensor.tolist()),
          parameters: ddp.parameters().map((parameter) => parameter.tolist()),
          replays: "replays" in step ? step.replays : 0,
        };
      };
      return [train(false), train(true)];
    });
    for (const [asEver, captured] of given) {
      expect(captured!.losses).toEqual(asEver!.losses);
      expect(captured!.state).toEqual(asEver!.state);
      expect(captured!.replays).toBe(5);
    }
    expect(given[0]![1]!.parameters).toEqual(given[1]![1]!.parameters);
  });

  it("sends gradients, or keeps them where noSync says so at the call", async () => {
    const given = await ranks.values(({ torch, nn, rank }) => {
      const train = (isCaptured: boolean) => {
        torch.manualSeed(0);
        const ddp = new nn.parallel.DistributedDataParallel(
          new nn.Sequential(new nn.Linear(3, 4), new nn.BatchNorm1d(4), new nn.Linear(4, 2)),
        );
        const generator = new torch.Generator().manualSeed(100 + rank);
        const run = (x: Tensor) => {
          const loss = ddp(x).square().mean();
          loss.backward();
          return loss;
        };
        const step = isCaptured ? torch.capture(run, { checkEvery: 0 }) : run;
        const rounds = [];
        for (let round = 0; round < 8; round++) {
          const batch = () => torch.randn([5, 3], { generator });
          if (round % 3 !== 0) ddp.noSync(() => step(batch()));
          step(batch());
          rounds.push(ddp.parameters().map((parameter) => parameter.grad!.tolist()));
          rounds.push(Object.values(ddp.stateDict()).map((tensor) => tensor.tolist()));
          ddp.zeroGrad();
        }
        return { rounds, replays: "replays" in step ? step.replays : 0 };
      };
      return [train(false), train(true)];
    });
    for (const [asEver, captured] of given) {
      expect(captured!.rounds).toEqual(asEver!.rounds);
      expect(captured!.replays).toBeGreaterThan(2);
    }
  });

  it("refuses what it could not repeat, with the way out", async () => {
    const [messages] = await ranks.values(({ torch, distributed, nn, messageOf }) => {
      const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1), {
        findUnusedParameters: true,
      });
      return [
        messageOf(torch.capture(() => distributed.barrier())),
        messageOf(torch.capture(() => ddp(torch.ones([1, 2])))),
      ];
    });
    expect(messages).toEqual([
      "torch.capture: distributed.barrier is not repeated by a replay: use allReduce, broadcast, reduce, allGatherIntoTensor, reduceScatterTensor, allToAllSingle, or call it outside of the step.",
      "torch.capture: DistributedDataParallel looks for unused parameters in each call, and a replay does not: leave findUnusedParameters out, or train without torch.capture.",
    ]);
  });
});
