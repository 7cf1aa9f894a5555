// ZeroRedundancyOptimizer on two and three processes: against the plain optimizer to the bit, and what each rank keeps.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { nn, Tensor } from "../../../../../lib/index.ts";
import { Ranks, type RankScope } from "../ranks.ts";

let two: Ranks;
let three: Ranks;
beforeAll(async () => {
  [two, three] = await Promise.all([Ranks.connect(2), Ranks.connect(3)]);
});
afterAll(() => Promise.all([two.stop(), three.stop()]));

const OPTIMIZERS = {
  Adam: { lr: 0.01, amsgrad: true },
  AdamW: { lr: 0.01 },
  SGD: { lr: 0.1, momentum: 0.9, nesterov: true },
  RMSprop: { lr: 0.01, momentum: 0.5 },
  Adagrad: { lr: 0.1 },
  Adafactor: {},
  NAdam: {},
} as const;

type Asked = readonly [keyof typeof OPTIMIZERS, object];

/** Trains a model with a sharded optimizer and a copy with the plain one; returns the largest difference of the two. */
function trainBoth({ torch, nn, optim, functional, distributed, argument }: RankScope<Asked>): number[] {
  const [name, options] = argument;
  torch.manualSeed(0);
  const build = () => new nn.Sequential(new nn.Linear(6, 16), new nn.Tanh(), new nn.Linear(16, 3));
  const models = [build(), build()] as const;
  models[1].loadStateDict(models[0].stateDict());
  const parallel = models.map((model) => new nn.parallel.DistributedDataParallel(model));
  const Zero = distributed.optim.ZeroRedundancyOptimizer;
  const optimizers = [
    new Zero(parallel[0]!.parameters(), optim[name] as typeof optim.Adam, options),
    new (optim[name] as typeof optim.Adam)(parallel[1]!.parameters(), options),
  ];
  const schedules = optimizers.map((one) => new optim.lrScheduler.StepLR(one, 2));
  const x = torch.randn([8, 6]).add(distributed.getRank());
  for (let step = 0; step < 5; step++) {
    for (const [i, ddp] of parallel.entries()) {
      optimizers[i]!.zeroGrad();
      functional.mseLoss(ddp(x), torch.ones([8, 3])).backward();
      optimizers[i]!.step();
      schedules[i]!.step();
    }
  }
  return models[0].parameters().map((parameter, i) => {
    const other = models[1].parameters()[i]!;
    return parameter.sub(other).abs().max().item() as number;
  });
}

describe("ZeroRedundancyOptimizer", () => {
  it.each(Object.entries(OPTIMIZERS))(
    "updates as the plain optimizer does, to the bit: %s",
    async (name, options) => {
      const asked = [name, options] as unknown as Asked;
      const got = await Promise.all([two.values(trainBoth, asked), three.values(trainBoth, asked)]);
      expect(got).toEqual([2, 3].map((size) => Array.from({ length: size }, () => [0, 0, 0, 0])));
    },
  );

  it("keeps the states of a part of the parameters on each rank, the largest first", async () => {
    const run = ({ torch, nn, optim, distributed }: RankScope<undefined>) => {
      torch.manualSeed(0);
      const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 4));
      const names = new Map([...model.namedParameters()].map(([path, parameter]) => [parameter, path]));
      const optimizer = new distributed.optim.ZeroRedundancyOptimizer(model.parameters(), optim.Adam);
      for (const parameter of model.parameters()) parameter.grad = torch.onesLike(parameter);
      optimizer.step();
      const elements = [...optimizer.state.values()].map(({ expAvg }) => expAvg!.numel());
      return {
        own: [...optimizer.state.keys()].map((tensor) => names.get(tensor as nn.Parameter)),
        elements,
      };
    };
    expect(await two.values(run)).toEqual([
      { own: ["0.weight", "0.bias"], elements: [32, 8] },
      { own: ["1.weight", "1.bias"], elements: [32, 4] },
    ]);
    expect(await three.values(run)).toEqual([
      { own: ["0.weight"], elements: [32] },
      { own: ["1.weight"], elements: [32] },
      { own: ["0.bias", "1.bias"], elements: [8, 4] },
    ]);
  });

  it("works with more ranks than parameters, groups and a closure", async () => {
    const got = await three.values(({ torch, optim, distributed }) => {
      const weight = torch.ones([2]).requiresGrad_();
      const bias = torch.ones([1, 2]).t().requiresGrad_();
      const optimizer = new distributed.optim.ZeroRedundancyOptimizer(
        [{ params: [weight], lr: 1 }, { params: [bias] }],
        optim.SGD,
        { lr: 0.5 },
      );
      const loss = optimizer.step(() => {
        optimizer.zeroGrad();
        const sum = weight.sum().add(bias.sum());
        sum.backward();
        return sum;
      });
      return [loss.item(), weight.tolist(), bias.tolist(), optimizer.paramGroups.map(({ lr }) => lr)];
    });
    expect(got).toEqual([0, 1, 2].map(() => [4, [0, 0], [[0.5], [0.5]], [1, 0.5]]));
  });

  it("has the plain optimizer's state dict where it was brought together, and takes it back", async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "zero-")), "optimizer.pt");
    const got = await three.values(({ torch, nn, optim, distributed, rank, argument }) => {
      torch.manualSeed(0);
      const build = () => new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 4, { dtype: "bfloat16" }));
      const models = [build(), build()] as const;
      models[1].loadStateDict(models[0].stateDict());
      const Zero = distributed.optim.ZeroRedundancyOptimizer;
      const sharded = () => new Zero(models[0].parameters(), optim.Adam, { lr: 0.1 });
      const plain = new optim.Adam(models[1].parameters(), { lr: 0.1 });
      const step = (...optimizers: { step(): void }[]) => {
        for (const model of models)
          for (const [i, parameter] of model.parameters().entries())
            parameter.grad = torch.fullLike(parameter, i + 1);
        for (const optimizer of optimizers) optimizer.step();
      };
      const first = sharded();
      step(first, plain);
      first.consolidateStateDict(1);
      if (rank === 1) torch.save(first.stateDict(), argument);
      distributed.barrier();
      const texts = [torch.load(argument), plain.stateDict()].map(({ state, param_groups }) =>
        JSON.stringify([
          Object.values(state).map((tensors) =>
            Object.entries(tensors as Record<string, Tensor>).map(([name, x]) => [name, x.dtype, x.tolist()]),
          ),
          param_groups,
        ]),
      );
      const second = sharded();
      second.loadStateDict(torch.load(argument));
      step(second, plain);
      const differences = models[0]
        .parameters()
        .map((parameter, i) => parameter.sub(models[1].parameters()[i]!).abs().max().item());
      return { isEqual: texts[0] === texts[1], differences, kept: second.state.size };
    }, file);
    rmSync(path.dirname(file), { recursive: true });
    expect(got).toEqual([1, 1, 2].map((kept) => ({ isEqual: true, differences: [0, 0, 0, 0], kept })));
  });

  it("trains further parameters, which all ranks divide anew", async () => {
    const got = await two.values(({ torch, optim, distributed }) => {
      const [first, second] = [torch.ones([4]).requiresGrad_(), torch.ones([2]).requiresGrad_()];
      const Zero = distributed.optim.ZeroRedundancyOptimizer;
      const optimizer = new Zero([first], optim.SGD, { lr: 0.5, momentum: 0.9 });
      optimizer.addParamGroup({ params: [second], lr: 1 });
      first.sum().add(second.sum()).backward();
      optimizer.step();
      return [first.tolist(), second.tolist(), optimizer.state.has(first), optimizer.state.has(second)];
    });
    const values = [
      [0.5, 0.5, 0.5, 0.5],
      [0, 0],
    ];
    expect(got).toEqual([
      [...values, true, false],
      [...values, false, true],
    ]);
  });

  it("refuses what it cannot shard, and a state dict of a part", async () => {
    const got = await two.values(({ torch, optim, distributed, messageOf }) => {
      const Zero = distributed.optim.ZeroRedundancyOptimizer;
      const weights = [torch.ones([2]).requiresGrad_()];
      const optimizer = new Zero(weights, optim.SGD, { lr: 0.1 });
      return [
        messageOf(() => new Zero(weights, optim.LBFGS as never)),
        messageOf(() => new Zero(weights, "Adam" as never)),
        messageOf(() => new Zero(weights, optim.SGD, { learningRate: 1 } as never)),
        messageOf(() => new Zero(weights, optim.SGD, { processGroup: 1 as never })),
        messageOf(() => optimizer.stateDict()),
        messageOf(() => optimizer.consolidateStateDict(2)),
        messageOf(() => optimizer.loadStateDict({} as never)),
        messageOf(() => optimizer.step(1 as never)),
      ];
    });
    const call = "new distributed.optim.ZeroRedundancyOptimizer";
    expect(got[1]).toEqual(got[0]);
    expect(got[0]).toEqual([
      `${call}: LBFGS cannot be sharded: its step needs all parameters together. Take an optimizer that updates each parameter by itself, such as optim.AdamW, or LBFGS without sharding.`,
      `${call}: the second argument must be a class such as optim.Adam, got "Adam".`,
      'new optim.SGD: unknown option "learningRate"; it takes lr, momentum, dampening, weightDecay, nesterov, maximize.',
      `${call}: group must be a ProcessGroup or null, got 1.`,
      "ZeroRedundancyOptimizer.stateDict: the states are on 2 ranks, and were not brought to this one since the last step. Call consolidateStateDict(to) on all ranks first.",
      "ZeroRedundancyOptimizer.consolidateStateDict: to must be a rank of the group, one of 0, 1, got 2.",
      "SGD.loadStateDict: expected { state, param_groups } as stateDict() gives, got an object.",
      "ZeroRedundancyOptimizer.step: the closure must be a function, got 1.",
    ]);
  });

  it("names the parameter in which the ranks differ, on all of them", async () => {
    const outcomes = await two.run(({ nn, optim, distributed, rank }) => {
      const model = new nn.Linear(4 + rank, 2);
      void new distributed.optim.ZeroRedundancyOptimizer(model.parameters(), optim.Adam);
    });
    for (const { error } of outcomes)
      expect(error?.message).toBe(
        "new distributed.optim.ZeroRedundancyOptimizer: the ranks have other models. Rank 0 has parameter 0 of group 0: float32 [2, 4], where rank 1 has parameter 0 of group 0: float32 [2, 5]: build the same model on all ranks.",
      );
  });
});
