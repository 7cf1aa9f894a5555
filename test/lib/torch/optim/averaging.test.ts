// Averaged models against PyTorch (test/fixtures/optimizers.py): their state dicts, batch norms' statistics anew, outputs;
// and what an averaged model shares with the model that it was made from.
import { describe, expect, it } from "vitest";
import { functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";
import { averages, expectWeights } from "./recorded.ts";

const OPTIONS: Record<string, optim.AveragedModelOptions> = {
  equal: {},
  "equal, buffers too": { useBuffers: true },
  "equal, one tensor at a time": { avgFn: optim.getSwaAvgFn() },
  exponential: { avgFn: optim.getEmaAvgFn(0.8) },
  "exponential in lists, buffers too": { multiAvgFn: optim.getEmaMultiAvgFn(0.8), useBuffers: true },
  "equal in lists": { multiAvgFn: optim.getSwaMultiAvgFn() },
};

it("every average that PyTorch recorded is tested here, and no other", () => {
  expect(Object.keys(OPTIONS)).toEqual(Object.keys(averages));
});

describe.each(Object.entries(OPTIONS))("an average: %s", (name, options) => {
  it("is PyTorch's, by its keys, and so are its statistics after updateBn", () => {
    torch.manualSeed(0);
    const model = new nn.Sequential(new nn.Linear(4, 8), new nn.BatchNorm1d(8), new nn.Linear(8, 3));
    const batches = [0, 1, 2].map(() => torch.randn([16, 4]));
    const target = torch.randint(0, 3, [16]);
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.5 });
    const average = new optim.AveragedModel(model, options);
    for (let step = 0; step < 6; step++) {
      optimizer.zeroGrad();
      F.crossEntropy(model(batches[step % 3]!), target).backward();
      optimizer.step();
      average.updateParameters(model);
    }
    const record = averages[name]!;
    expectWeights(average.stateDict(), record.averaged, 2e-6);
    optim.updateBn(batches, average);
    expectWeights(average.stateDict(), record.after, 2e-6);
    average.eval();
    expectWeights({ output: average(batches[0]!) }, { output: record.output }, 5e-6);
  });
});

describe("an averaged model", () => {
  it("runs with its own tensors and mode, and leaves the model's as they were", () => {
    const model = new nn.Linear(1, 1, { bias: false });
    const { weight } = model;
    nn.init.constant_(weight, 2);
    const average = new optim.AveragedModel(model).eval();
    nn.init.constant_(weight, 5);
    expect(average(torch.ones([1])).item()).toBe(2);
    expect(average.run((own) => [own === model, own.weight === weight, own.training])).toEqual([
      true,
      false,
      false,
    ]);
    expect(() =>
      average.run(() => {
        throw new RangeError("stopped");
      }),
    ).toThrow("stopped");
    expect([model.weight === weight, model.training, model(torch.ones([1])).item()]).toEqual([true, true, 5]);
  });

  it("stays in the model's place until a promise is settled", async () => {
    const model = new nn.Linear(1, 1, { bias: false });
    const { weight } = model;
    const average = new optim.AveragedModel(model);
    const during = average.run(async (own) => {
      await Promise.resolve();
      return own.weight !== weight;
    });
    expect(model.weight === weight).toBe(false);
    expect(await during).toBe(true);
    expect(model.weight === weight).toBe(true);
  });

  it("gives gradients to the averages, not to the model", () => {
    const model = new nn.Linear(2, 1);
    const average = new optim.AveragedModel(model);
    average(torch.ones([2]))
      .sum()
      .backward();
    expect(model.weight.grad === null).toBe(true);
    expect(average.module.getParameter("weight").grad!.tolist()).toEqual([[1, 1]]);
  });

  it("keeps tied weights tied, in lists and dictionaries too", () => {
    class Net extends nn.Module {
      layers = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
      heads = new nn.ModuleDict({ camelCase: new nn.Linear(2, 1) });
      tied = this.layers[0]!.weight;
      forward(x: Tensor) {
        return this.heads.get("camelCase")(this.layers[1]!(this.layers[0]!(x)).matmul(this.tied));
      }
    }
    const net = new Net();
    const average = new optim.AveragedModel(net);
    expect(Object.keys(average.stateDict())).toEqual([
      "n_averaged",
      ...Object.keys(net.stateDict()).map((key) => `module.${key}`),
    ]);
    expect(average.parameters().length).toBe(net.parameters().length);
    const x = torch.randn([3, 2]);
    expect(average(x).tolist()).toEqual(net(x).tolist());
  });

  it("is saved and loaded as any module", () => {
    const [from, to] = [1, 2].map(() => new optim.AveragedModel(new nn.Linear(2, 2)));
    from!.updateParameters(new nn.Linear(2, 2));
    to!.loadStateDict(from!.stateDict());
    expect(to!.nAveraged.item()).toBe(1);
    expect(to!(torch.ones([2])).tolist()).toEqual(from!(torch.ones([2])).tolist());
  });
});

describe("updateBn", () => {
  it("takes a loader's batches of inputs and targets, and leaves momentum and modes as they were", () => {
    const model = new nn.Sequential(new nn.BatchNorm1d(1, { momentum: 0.3 }), new nn.Dropout(0.5).eval());
    optim.updateBn(
      [
        [torch.tensor([[1], [3]], { dtype: "float32" }), torch.zeros([2])],
        [torch.tensor([[5], [7]], { dtype: "float32" }), torch.zeros([2])],
      ],
      model,
    );
    expect(model.stateDict()["0.running_mean"]!.tolist()).toEqual([4]);
    expect(model.stateDict()["0.running_var"]!.tolist()).toEqual([2]);
    expect(model.modules().map(({ training }) => training)).toEqual([true, true, false]);
    expect(String(model)).toContain("momentum=0.3");
  });
});

const linear = () => new nn.Linear(2, 2);
refuses([
  [
    "what is no module",
    () => new optim.AveragedModel(3 as never),
    "TypeError",
    "new optim.AveragedModel: expected a module, got 3.",
  ],
  [
    "two ways to average",
    () =>
      new optim.AveragedModel(linear(), {
        avgFn: optim.getSwaAvgFn(),
        multiAvgFn: optim.getSwaMultiAvgFn(),
      }),
    "TypeError",
    "new optim.AveragedModel: avgFn and multiAvgFn exclude each other; give one of them.",
  ],
  [
    "a lazy layer that saw no input",
    () => new optim.AveragedModel(new nn.LazyLinear(2)),
    "TypeError",
    "new optim.AveragedModel: the model has a lazy layer whose tensors have no shape yet; run the model once before.",
  ],
  [
    "another model's weights",
    () => new optim.AveragedModel(linear()).updateParameters(new nn.Linear(3, 2)),
    "RangeError",
    'AveragedModel.updateParameters: "weight" is [2, 3] in the model and [2, 2] in the average.',
  ],
  [
    "a model without one of them",
    () => new optim.AveragedModel(linear()).updateParameters(new nn.Linear(2, 2, { bias: false })),
    "RangeError",
    'AveragedModel.updateParameters: the average has "bias", the model has not.',
  ],
  [
    "a decay above 1",
    () => optim.getEmaAvgFn(2),
    "RangeError",
    "optim.getEmaAvgFn: decay must be at least 0 and at most 1, got 2.",
  ],
  [
    "batches that are no tensors",
    () => optim.updateBn([[1] as never], new nn.BatchNorm1d(2)),
    "TypeError",
    "optim.updateBn: a batch must be a tensor, got 1.",
  ],
]);
