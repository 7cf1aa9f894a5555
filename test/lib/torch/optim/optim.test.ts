// Optimizers against PyTorch: losses, weights and state after ten steps; groups, state dicts, memory, misuse.
import { describe, expect, it } from "vitest";
import { functional as F, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import { expectClose, fixtures } from "../nn/recorded.ts";
import { refuses } from "../tensor/misuse.ts";

type AnyOptimizer = optim.SGD | optim.Adam | optim.AdamW;

const OPTIMIZERS: Record<string, (model: nn.Sequential) => AnyOptimizer> = {
  SGD: (m) => new optim.SGD(m.parameters(), { lr: 0.1 }),
  "SGD momentum": (m) => new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9, dampening: 0.1 }),
  "SGD nesterov": (m) =>
    new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.01 }),
  "SGD maximize": (m) => new optim.SGD(m.parameters(), { lr: 0.01, maximize: true }),
  "SGD groups": (m) =>
    new optim.SGD([{ params: m[0]!.parameters() }, { params: m[2]!.parameters(), lr: 0.5, momentum: 0.5 }], {
      lr: 0.1,
    }),
  Adam: (m) => new optim.Adam(m.parameters()),
  "Adam options": (m) =>
    new optim.Adam(m.parameters(), { lr: 0.02, betas: [0.8, 0.95], eps: 1e-6, weightDecay: 0.1 }),
  "Adam amsgrad": (m) => new optim.Adam(m.parameters(), { lr: 0.05, amsgrad: true }),
  "Adam maximize": (m) => new optim.Adam(m.parameters(), { maximize: true }),
  AdamW: (m) => new optim.AdamW(m.parameters(), { lr: 0.01 }),
  "AdamW options": (m) => new optim.AdamW(m.parameters(), { lr: 0.01, weightDecay: 0.3, amsgrad: true }),
};

function makeProblem() {
  torch.manualSeed(0);
  const model = new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU(), new nn.Linear(8, 3));
  const x = torch.randn([16, 4]);
  const target = torch.randint(0, 3, [16], { dtype: "int64" });
  const step = (optimizer: AnyOptimizer): number => {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model(x), target);
    loss.backward();
    optimizer.step();
    return loss.item();
  };
  return { model, step };
}

describe("an optimizer", () => {
  it("has its numbers in the fixtures, each of them tested here", () => {
    expect(Object.keys(OPTIMIZERS)).toEqual(Object.keys(fixtures.optimizers));
  });

  for (const [name, build] of Object.entries(OPTIMIZERS)) {
    it(`${name} gives PyTorch's losses, weights and state after ten steps`, () => {
      const record = fixtures.optimizers[name]!;
      const { model, step } = makeProblem();
      const optimizer = build(model);
      for (const expected of record.losses) expect(step(optimizer)).toBeCloseTo(expected, 5);
      for (const [key, tensor] of Object.entries(model.stateDict()))
        expectClose(tensor, record.after[key]!, 1e-5);
      for (const [number, tensors] of Object.entries(optimizer.stateDict().state)) {
        for (const [key, tensor] of Object.entries(tensors)) {
          expectClose(tensor as Tensor, record.state[number]![key]!, 1e-5);
        }
      }
    });
  }

  it("changes its learning rate between steps", () => {
    const weight = torch.zeros([1]).requiresGrad_();
    const optimizer = new optim.SGD([weight], { lr: 1 });
    weight.grad = torch.ones([1]);
    optimizer.step();
    optimizer.paramGroups[0]!.lr = 0.25;
    optimizer.step();
    expect(weight.item()).toBe(-1.25);
  });

  it("leaves alone what has no gradient, and takes it in when it gets one", () => {
    const [early, late] = [torch.zeros([1]).requiresGrad_(), torch.zeros([1]).requiresGrad_()];
    const optimizer = new optim.SGD([early, late], { lr: 1, momentum: 0.5 });
    early.grad = torch.ones([1]);
    optimizer.step();
    late.grad = torch.ones([1]);
    optimizer.step();
    expect([early.item(), late.item()]).toEqual([-2.5, -1]);
  });

  // Metal has no float64.
  it.skipIf(torch.getDefaultDevice() === "mps")("trains parameters of several dtypes together", () => {
    const single = torch.zeros([1]).requiresGrad_();
    const double = torch.zeros([1], { dtype: "float64" }).requiresGrad_();
    const optimizer = new optim.Adam([single, double], { lr: 0.5 });
    single.grad = torch.ones([1]);
    double.grad = torch.ones([1], { dtype: "float64" });
    optimizer.step();
    expect(single.item()).toBeCloseTo(-0.5, 6);
    expect(double.item()).toBeCloseTo(-0.5, 6);
  });

  it("steps with a closure and returns its loss", () => {
    const weight = torch.ones([1]).requiresGrad_();
    const optimizer = new optim.SGD([weight], { lr: 0.5 });
    const loss = optimizer.step(() => {
      optimizer.zeroGrad();
      const value = weight.mul(weight).sum();
      value.backward();
      return value;
    });
    expect(loss.item()).toBe(1);
    expect(weight.item()).toBe(0);
  });

  it("gives gradients' memory back when they are dropped", () => {
    const weight = torch.zeros([1]).requiresGrad_();
    const optimizer = new optim.SGD([weight]);
    weight.sum().backward();
    optimizer.zeroGrad();
    expect(weight.grad).toBeNull();
  });

  it("leaves a gradient that the user holds alone", () => {
    const weight = torch.ones([2]).requiresGrad_();
    weight.sum().backward();
    const held = weight.grad!;
    new optim.Adam([weight]).step();
    expect(held.tolist()).toEqual([1, 1]);
    expect(weight.grad!.tolist()).toEqual([1, 1]);
  });

  it("keeps its state when the step was inside tidy", () => {
    const { step, model } = makeProblem();
    const optimizer = new optim.Adam(model.parameters());
    for (let i = 0; i < 3; i++) torch.tidy(() => step(optimizer));
    expect(step(optimizer)).toBeCloseTo(fixtures.optimizers["Adam"]!.losses[3]!, 5);
  });

  it("makes no garbage: a thousand steps leave the allocator where it was", () => {
    const { model } = makeProblem();
    const optimizer = new optim.Adam(model.parameters(), { amsgrad: true });
    for (const parameter of model.parameters()) parameter.grad = torch.onesLike(parameter);
    optimizer.step();
    const before = native.memoryStats(torch.getDefaultDevice()).allocatedBytes;
    for (let i = 0; i < 1000; i++) optimizer.step();
    // Garbage from before may be collected meanwhile, so less is as good.
    expect(native.memoryStats(torch.getDefaultDevice()).allocatedBytes).toBeLessThanOrEqual(before);
  });
});

describe("an optimizer's state dict", () => {
  it("has PyTorch's structure", () => {
    const { model, step } = makeProblem();
    const optimizer = new optim.Adam([
      { params: model[0]!.parameters() },
      { params: model[2]!.parameters(), lr: 0.5 },
    ]);
    expect(optimizer.stateDict().state).toEqual({});
    step(optimizer);
    const { state, param_groups: groups } = optimizer.stateDict();
    expect(Object.keys(state)).toEqual(["0", "1", "2", "3"]);
    expect(Object.keys(state[0]!)).toEqual(["step", "exp_avg", "exp_avg_sq"]);
    expect((state[3]!["step"] as Tensor).item()).toBe(1);
    const options = { betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, amsgrad: false, maximize: false };
    expect(groups).toEqual([
      { lr: 0.001, ...options, params: [0, 1] },
      { lr: 0.5, ...options, params: [2, 3] },
    ]);
  });

  it("continues training where it was saved", () => {
    const one = makeProblem();
    const first = new optim.Adam(one.model.parameters(), { lr: 0.02 });
    for (let i = 0; i < 3; i++) one.step(first);

    const other = makeProblem();
    other.model.loadStateDict(one.model.stateDict());
    const second = new optim.Adam(other.model.parameters());
    second.loadStateDict(first.stateDict());
    expect(second.paramGroups[0]!.lr).toBe(0.02);
    for (let i = 0; i < 3; i++) expect(other.step(second)).toBe(one.step(first));
  });

  it("has the steps on the CPU, where reading them waits for no device, unless a kernel counts them", () => {
    for (const Optimizer of [optim.RMSprop, optim.Adagrad, optim.Adam]) {
      const weight = torch.zeros([1]).requiresGrad_();
      const [first, second] = [new Optimizer([weight]), new Optimizer([weight])];
      weight.grad = torch.ones([1]);
      first.step();
      second.loadStateDict(first.stateDict());
      const device = Optimizer === optim.Adam ? weight.device : "cpu";
      for (const one of [first, second])
        expect((one.stateDict().state[0]!["step"] as Tensor).device).toBe(device);
    }
  });

  const adam = () => new optim.Adam([torch.zeros([2]).requiresGrad_()]);
  const saved = () => {
    const optimizer = adam();
    optimizer.paramGroups[0]!.params[0]!.grad = torch.ones([2]);
    optimizer.step();
    return optimizer.stateDict();
  };
  refuses([
    [
      "no state",
      () => adam().loadStateDict(null as never),
      "TypeError",
      "Adam.loadStateDict: expected { state, param_groups } as stateDict() gives, got null.",
    ],
    [
      "other groups",
      () => adam().loadStateDict(new optim.Adam([torch.zeros([1]), torch.zeros([1])]).stateDict()),
      "RangeError",
      "Adam.loadStateDict: the state has groups of 2 parameters, the optimizer of 1. Nothing was loaded.",
    ],
    [
      "another shape",
      () => new optim.Adam([torch.zeros([3])]).loadStateDict(saved()),
      "RangeError",
      "Adam.loadStateDict: exp_avg is [2] in the state, its parameter is [3]. Nothing was loaded.",
    ],
    [
      "a parameter of no group",
      () => adam().loadStateDict({ ...saved(), state: { 7: {} } }),
      "RangeError",
      "Adam.loadStateDict: the state has a parameter 7 that is in none of its groups.",
    ],
    [
      "state that is no tensor",
      () => adam().loadStateDict({ ...saved(), state: { 0: { exp_avg: 1 } } }),
      "TypeError",
      "Adam.loadStateDict: exp_avg must be a tensor, got 1.",
    ],
    [
      "options of another optimizer",
      () => adam().loadStateDict(new optim.SGD([torch.zeros([2])]).stateDict()),
      "TypeError",
      `Adam.loadStateDict: the groups of the state have no "betas"; it is another optimizer's. Nothing was loaded.`,
    ],
  ]);
});

describe("misuse of an optimizer", () => {
  const weight = () => torch.zeros([2]).requiresGrad_();
  const result = () => weight().mul(2);
  const known = "it takes params, lr, betas, eps, weightDecay, amsgrad, maximize.";
  refuses([
    [
      "a model instead of its parameters",
      () => new optim.Adam(new nn.Linear(1, 1) as never),
      "TypeError",
      "new optim.Adam: expected a list of parameters as model.parameters() gives, got Linear(inFeatures=1, outFeatures=1, bias=true).",
    ],
    [
      "one tensor",
      () => new optim.Adam(weight() as never),
      "TypeError",
      "new optim.Adam: expected a list of parameters as model.parameters() gives, got a Tensor.",
    ],
    [
      "no parameters",
      () => new optim.SGD([]),
      "RangeError",
      "new optim.SGD: there are no parameters. A model's fields count when made by new nn.Parameter(...).",
    ],
    [
      "a number among parameters",
      () => new optim.SGD([weight(), 3 as never]),
      "TypeError",
      "SGD: parameter 1 must be a tensor, got 3.",
    ],
    [
      "a result instead of a leaf",
      () => new optim.SGD([result()]),
      "TypeError",
      "SGD: parameter 0 is a result, not a leaf; optimize the tensor it was computed from.",
    ],
    [
      "a parameter twice",
      () => {
        const w = weight();
        return new optim.SGD([w, w]);
      },
      "RangeError",
      "SGD: parameter 1 is given twice.",
    ],
    [
      "a parameter in two groups",
      () => {
        const w = weight();
        return new optim.SGD([{ params: [w] }, { params: [w] }]);
      },
      "RangeError",
      "SGD: parameter 0 is given twice.",
    ],
    [
      "an empty group",
      () => new optim.SGD([{ params: [] }]),
      "RangeError",
      "SGD: a parameter group has no parameters.",
    ],
    [
      "a misspelt option",
      () => new optim.Adam([weight()], { learningRate: 1 } as never),
      "TypeError",
      'new optim.Adam: unknown option "learningRate"; it takes lr, betas, eps, weightDecay, amsgrad, maximize.',
    ],
    [
      "a misspelt group option",
      () => new optim.Adam([{ params: [weight()], decay: 1 } as never]),
      "TypeError",
      `Adam: unknown option "decay"; ${known}`,
    ],
    [
      "a negative learning rate",
      () => new optim.SGD([weight()], { lr: -1 }),
      "RangeError",
      "new optim.SGD: lr must be at least 0, got -1.",
    ],
    [
      "NaN for a learning rate",
      () => new optim.Adam([weight()], { lr: Number.NaN }),
      "RangeError",
      "new optim.Adam: lr must be a number, got NaN.",
    ],
    [
      "a string for a learning rate",
      () => new optim.Adam([weight()], { lr: "0.1" as never }),
      "TypeError",
      'new optim.Adam: lr must be a number, got "0.1".',
    ],
    [
      "a beta of 1",
      () => new optim.Adam([weight()], { betas: [0.9, 1] }),
      "RangeError",
      "new optim.Adam: betas[1] must be at least 0 and below 1, got 1.",
    ],
    [
      "one beta",
      () => new optim.Adam([weight()], { betas: 0.9 as never }),
      "TypeError",
      "new optim.Adam: betas must be two numbers, got 0.9.",
    ],
    [
      "a negative eps",
      () => new optim.AdamW([weight()], { eps: -1 }),
      "RangeError",
      "new optim.AdamW: eps must be at least 0, got -1.",
    ],
    [
      "a number for amsgrad",
      () => new optim.AdamW([weight()], { amsgrad: 1 as never }),
      "TypeError",
      "new optim.AdamW: amsgrad must be true or false, got 1.",
    ],
    [
      "nesterov without momentum",
      () => new optim.SGD([weight()], { nesterov: true }),
      "RangeError",
      "SGD: nesterov needs a momentum above 0 and no dampening, got momentum 0 and dampening 0.",
    ],
    [
      "a closure that is no function",
      () => new optim.SGD([weight()]).step(1 as never),
      "TypeError",
      "SGD.step: the closure must be a function, got 1.",
    ],
    [
      "integer parameters",
      () => new optim.SGD([torch.zeros([1], { dtype: "int64" })]),
      "TypeError",
      "SGD: parameter 0 is int64; only floating tensors can be trained.",
    ],
    [
      "complex parameters",
      () => new optim.Adam([torch.zeros([1], { dtype: "complex64" })]),
      "TypeError",
      "Adam: parameter 0 is complex64; only floating tensors can be trained.",
    ],
  ]);
});
