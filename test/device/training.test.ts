// Layers, optimizers and whole training loops on the device under test, against the same on the CPU.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { data, functional as F, lab, nn, optim, torch, type Tensor } from "../../lib/index.ts";
import { device, expectNear, liveBytes } from "./device_under_test.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-states-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LAYERS: Record<string, [() => nn.Layer, number[]]> = {
  Linear: [() => new nn.Linear(5, 4), [3, 5]],
  Conv1d: [() => new nn.Conv1d(2, 4, 3, { stride: 2, padding: 1 }), [2, 2, 9]],
  Conv2d: [() => new nn.Conv2d(3, 6, 3, { padding: 1 }), [2, 3, 8, 8]],
  "Conv2d with groups and dilation": [() => new nn.Conv2d(4, 4, 3, { groups: 2, dilation: 2 }), [2, 4, 9, 9]],
  Conv3d: [() => new nn.Conv3d(1, 2, 2), [2, 1, 4, 4, 4]],
  MaxPool2d: [() => new nn.MaxPool2d(2), [2, 3, 8, 8]],
  AvgPool2d: [() => new nn.AvgPool2d(2), [2, 3, 8, 8]],
  AdaptiveAvgPool2d: [() => new nn.AdaptiveAvgPool2d([2, 3]), [2, 3, 8, 8]],
  BatchNorm1d: [() => new nn.BatchNorm1d(5), [8, 5]],
  BatchNorm2d: [() => new nn.BatchNorm2d(3), [4, 3, 5, 5]],
  LayerNorm: [() => new nn.LayerNorm([6]), [4, 6]],
  GroupNorm: [() => new nn.GroupNorm(2, 4), [2, 4, 5, 5]],
  RMSNorm: [() => new nn.RMSNorm(6), [4, 6]],
  PReLU: [() => new nn.PReLU(), [4, 6]],
  GELU: [() => new nn.GELU(), [4, 6]],
  Softmax: [() => new nn.Softmax(1), [4, 6]],
  CNN: [
    () =>
      new nn.Sequential(
        new nn.Conv2d(1, 4, 3, { padding: 1 }),
        new nn.BatchNorm2d(4),
        new nn.ReLU(),
        new nn.MaxPool2d(2),
        new nn.Flatten(),
        new nn.Linear(4 * 4 * 4, 3),
      ),
    [5, 1, 8, 8],
  ],
};

describe(`a layer on ${device}`, () => {
  it.each(Object.entries(LAYERS))("%s gives the CPU's output and gradients", (_, [build, shape]) => {
    torch.manualSeed(0);
    const here = build();
    const there = build();
    there.loadStateDict(here.stateDict());
    there.to(device);
    const input = torch.randn(shape);
    const [a, b] = [input.clone().requiresGrad_(), input.to(device, { copy: true }).requiresGrad_()];
    const [expected, found] = [here(a), there(b)];
    expectNear(found.detach(), expected.detach());
    expected.mul(expected.detach().cos()).sum().backward();
    found.mul(found.detach().cos()).sum().backward();
    expectNear(b.grad!, a.grad!);
    const gradients = new Map(here.namedParameters());
    for (const [name, parameter] of there.namedParameters())
      expectNear(parameter.grad!, gradients.get(name)!.grad!);
    for (const [name, tensor] of Object.entries(there.stateDict())) {
      expect(tensor.device.replace(/:0$/, "")).toBe(device);
      expectNear(tensor, here.stateDict()[name]!);
    }
  });
});

type AnyOptimizer = optim.SGD | optim.Adam | optim.AdamW;

const OPTIMIZERS: Record<string, (parameters: nn.Parameter[]) => AnyOptimizer> = {
  SGD: (parameters) => new optim.SGD(parameters, { lr: 0.1 }),
  "SGD with momentum": (parameters) => new optim.SGD(parameters, { lr: 0.05, momentum: 0.9, nesterov: true }),
  Adam: (parameters) => new optim.Adam(parameters, { lr: 0.02 }),
  "Adam with amsgrad": (parameters) =>
    new optim.Adam(parameters, { lr: 0.02, amsgrad: true, weightDecay: 0.1 }),
  AdamW: (parameters) => new optim.AdamW(parameters, { lr: 0.02 }),
};

const RESUMED: Record<string, (parameters: nn.Parameter[]) => optim.Optimizer> = {
  ...OPTIMIZERS,
  Adadelta: (parameters) => new optim.Adadelta(parameters),
  Adafactor: (parameters) => new optim.Adafactor(parameters),
  Adagrad: (parameters) => new optim.Adagrad(parameters),
  Adamax: (parameters) => new optim.Adamax(parameters),
  ASGD: (parameters) => new optim.ASGD(parameters),
  Muon: ([weight]) => new optim.Muon([weight!]),
  NAdam: (parameters) => new optim.NAdam(parameters),
  RAdam: (parameters) => new optim.RAdam(parameters),
  RMSprop: (parameters) => new optim.RMSprop(parameters, { momentum: 0.9, centered: true }),
  Rprop: (parameters) => new optim.Rprop(parameters),
};

describe(`a state that was read to the CPU goes on on ${device}`, () => {
  it.each(Object.entries(RESUMED))("%s", (_, build) => {
    torch.manualSeed(0);
    const [here, resumed] = [new nn.Linear(8, 6).to(device), new nn.Linear(8, 6).to(device)];
    const step = (model: nn.Linear, optimizer: optim.Optimizer) => {
      optimizer.zeroGrad();
      model(torch.ones([2, 8], { device }))
        .square()
        .mean()
        .backward();
      optimizer.step();
    };
    const own = build([...here.parameters()]);
    step(here, own);
    resumed.loadStateDict(here.stateDict());
    const file = path.join(folder, "optimizer.pt");
    torch.save(own.stateDict(), file);
    const other = build([...resumed.parameters()]);
    other.loadStateDict(torch.load(file, { mapLocation: "cpu" }));
    step(here, own);
    step(resumed, other);
    expectNear(resumed.weight.detach(), here.weight.detach().cpu());
  });
});

/** Weights after ten steps on a small classification problem, and the losses. */
function train(build: (parameters: nn.Parameter[]) => AnyOptimizer, on: typeof device) {
  torch.manualSeed(0);
  const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Tanh(), new nn.Linear(8, 3));
  const [x, target] = [torch.randn([16, 4]).to(on), torch.randint(0, 3, [16], { dtype: "int64" }).to(on)];
  model.to(on);
  const optimizer = build([...model.parameters()]);
  const losses: number[] = [];
  for (let step = 0; step < 10; step++) {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model(x), target);
    loss.backward();
    optimizer.step();
    losses.push(loss.item() as number);
  }
  return { losses, weights: model.stateDict() };
}

describe(`an optimizer on ${device}`, () => {
  it.each(Object.entries(OPTIMIZERS))("%s takes the CPU's ten steps", (_, build) => {
    const [there, here] = [train(build, device), train(build, "cpu")];
    expect(there.losses.at(-1)!).toBeLessThan(there.losses[0]!);
    for (const [i, loss] of here.losses.entries()) expect(there.losses[i]!).toBeCloseTo(loss, 2);
    for (const [name, weight] of Object.entries(here.weights)) expectNear(there.weights[name]!, weight, 1e-2);
  });
});

describe(`an epoch loop on ${device}`, () => {
  it("learns from a DataLoader, flushes, and holds the same bytes after every flush", () => {
    torch.manualSeed(0);
    const x = torch.randn([256, 10]);
    const target = x.select(1, 0).gt(0).to("int64");
    const loader = new data.DataLoader(new data.TensorDataset(x, target), { batchSize: 64, shuffle: true });
    const model = new nn.Sequential(new nn.Linear(10, 16), new nn.ReLU(), new nn.Linear(16, 2)).to(device);
    const optimizer = new optim.Adam(model.parameters(), { lr: 0.02 });
    const losses: number[] = [];
    const held: number[] = [];
    for (let epoch = 0; epoch < 6; epoch++) {
      let total = torch.zeros([], { device });
      for (const [inputs, labels] of loader as Iterable<[Tensor, Tensor]>) {
        optimizer.zeroGrad();
        const loss = F.crossEntropy(model(inputs.to(device)), labels.to(device));
        loss.backward();
        optimizer.step();
        total = total.add(loss.detach());
      }
      losses.push(total.item() as number);
      optimizer.zeroGrad();
      total.dispose();
      lab.flush();
      held.push(liveBytes());
    }
    expect(losses.at(-1)!).toBeLessThan(0.5 * losses[0]!);
    expect(new Set(held.slice(1)).size).toBe(1);
  });
});
