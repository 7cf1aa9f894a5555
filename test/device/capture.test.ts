// A captured step beside the same step run as ever, on the device under test. The CPU gives the same bits.
import { describe, expect, it } from "vitest";
import { type Tensor, amp, functional as F, lab, nn, optim, torch } from "../../lib/index.ts";
import { device, expectNear, liveBytes } from "./device_under_test.ts";

const bitwise = !device.startsWith("cuda");

function expectSame(found: Tensor, expected: Tensor): void {
  if (bitwise) expect(found.cpu().tolist()).toEqual(expected.cpu().tolist());
  else expectNear(found, expected);
}

interface Trained {
  readonly model: nn.Layer;
  readonly optimizer: optim.Optimizer<{ lr: number }>;
  readonly step: (x: Tensor, y: Tensor) => Tensor;
}

type MakeOptimizer = (parameters: nn.Parameter[]) => optim.Optimizer<{ lr: number }>;

function trained(makeOptimizer: MakeOptimizer, dropout = 0): Trained {
  torch.manualSeed(0);
  const model = new nn.Sequential(
    new nn.Linear(4, 8),
    new nn.BatchNorm1d(8),
    new nn.Tanh(),
    new nn.Dropout(dropout),
    new nn.Linear(8, 3),
  ).to(device);
  const optimizer = makeOptimizer(model.parameters());
  const step = (x: Tensor, y: Tensor) => {
    optimizer.zeroGrad();
    const loss = F.crossEntropy(model(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  };
  return { model, optimizer, step };
}

const batches = (count: number, size = 6): [Tensor, Tensor][] => {
  const generator = new torch.Generator().manualSeed(1);
  return Array.from({ length: count }, () => [
    torch.rand([size, 4], { generator }).to(device),
    torch.randint(3, [size], { generator }).to(device),
  ]);
};

function expectSameModel(found: Trained, expected: Trained): void {
  const state = expected.model.stateDict();
  for (const [name, tensor] of Object.entries(found.model.stateDict())) expectSame(tensor, state[name]!);
}

describe(`a captured training step on ${device}`, () => {
  it.each<[string, MakeOptimizer]>([
    ["Adam", (parameters) => new optim.Adam(parameters, { lr: 1e-2 })],
    ["AdamW with AMSGrad", (parameters) => new optim.AdamW(parameters, { lr: 1e-2, amsgrad: true })],
    ["SGD", (parameters) => new optim.SGD(parameters, { lr: 1e-2 })],
    ["SGD with momentum", (parameters) => new optim.SGD(parameters, { lr: 1e-2, momentum: 0.9 })],
  ])("with %s gives the losses and the parameters of the step", (_, makeOptimizer) => {
    const [eager, other] = [trained(makeOptimizer), trained(makeOptimizer)];
    const captured = torch.capture(other.step);
    for (const [x, y] of batches(30)) expectSame(captured(x, y), eager.step(x, y).detach());
    expectSameModel(other, eager);
    expect(captured.captures).toBe(1);
    expect(captured.replays).toBeGreaterThan(20);
  });

  it("follows a schedule inside of the step, and a rate that is set outside", () => {
    const make = () => {
      const one = trained((parameters) => new optim.Adam(parameters, { lr: 1e-2 }));
      const schedule = new optim.lrScheduler.StepLR(one.optimizer, 3, 0.5);
      const step = (x: Tensor, y: Tensor) => {
        const loss = one.step(x, y);
        schedule.step();
        return loss;
      };
      return { ...one, step, schedule };
    };
    const [eager, other] = [make(), make()];
    const captured = torch.capture(other.step);
    for (const [index, [x, y]] of batches(20).entries()) {
      if (index === 10) for (const { optimizer } of [eager, other]) optimizer.paramGroups[0]!.lr = 0.05;
      expectSame(captured(x, y), eager.step(x, y).detach());
    }
    expect(other.schedule.lastEpoch).toBe(20);
    expect(other.optimizer.paramGroups[0]!.lr).toBe(eager.optimizer.paramGroups[0]!.lr);
    expectSameModel(other, eager);
  });

  it("leaves a step out as GradScaler does, and its count with it", () => {
    const make = () => {
      const one = trained((parameters) => new optim.AdamW(parameters, { lr: 1e-2 }));
      const scaler = new amp.GradScaler({ initScale: 4, growthInterval: 5 });
      const step = (x: Tensor, y: Tensor) => {
        one.optimizer.zeroGrad();
        const loss = F.crossEntropy(one.model(x), y);
        scaler.scale(loss).backward();
        scaler.step(one.optimizer);
        scaler.update();
        return loss;
      };
      return { ...one, step, scaler };
    };
    const [eager, other] = [make(), make()];
    const captured = torch.capture(other.step);
    for (const [index, [x, y]] of batches(16).entries()) {
      const given = index === 7 ? x.mul(Infinity) : x;
      eager.step(given, y);
      captured(given, y);
      if (index === 7) for (const { model } of [eager, other]) repair(model);
    }
    expect(other.scaler.getScale()).toBe(eager.scaler.getScale());
    const counts = (one: Trained) => [...one.optimizer.state.values()].map((state) => state["step"]!.item());
    expect(counts(other)).toEqual(counts(eager));
    expect(counts(other)[0]).toBe(15);
    expectSameModel(other, eager);
  });

  it("draws the random numbers of dropout", () => {
    const make = () => trained((parameters) => new optim.SGD(parameters, { lr: 1e-2 }), 0.5);
    const [eager, other] = [make(), make()];
    const captured = torch.capture(other.step);
    const given = batches(12);
    torch.manualSeed(3);
    const expected = given.map(([x, y]) => eager.step(x, y).detach());
    torch.manualSeed(3);
    const found = given.map(([x, y]) => captured(x, y));
    if (bitwise) {
      for (const [index, loss] of found.entries()) expectSame(loss, expected[index]!);
    } else {
      expect(new Set(found.map((loss) => loss.item())).size).toBe(found.length);
    }
  });

  it("adds to gradients that are there, and begins anew where they were cleared", () => {
    const make = () => {
      const one = trained((parameters) => new optim.SGD(parameters, { lr: 1e-2 }));
      const micro = (x: Tensor, y: Tensor) => {
        const loss = F.crossEntropy(one.model(x), y);
        loss.backward();
        return loss;
      };
      return { ...one, micro };
    };
    const [eager, other] = [make(), make()];
    const captured = torch.capture(other.micro);
    for (const [index, [x, y]] of batches(24).entries()) {
      expectSame(captured(x, y), eager.micro(x, y).detach());
      if (index % 4 !== 3) continue;
      for (const { optimizer } of [eager, other]) {
        optimizer.step();
        optimizer.zeroGrad();
      }
    }
    expectSameModel(other, eager);
  });

  it("captures anew for another shape, and for evaluation", () => {
    const one = trained((parameters) => new optim.SGD(parameters, { lr: 1e-2 }));
    const captured = torch.capture((x: Tensor) => one.model(x));
    const [small, large] = [batches(6), batches(6, 9)];
    for (const [x] of [...small, ...large]) captured(x);
    expect(captured.captures).toBe(2);
    one.model.eval();
    for (const [x] of small) expectSame(captured(x), one.model(x).detach());
    expect(captured.captures).toBe(3);
  });

  it("follows an argument that is changed in place", () => {
    const add = torch.capture((x: Tensor) => {
      x.add_(1);
      return x.mul(2);
    });
    const x = torch.zeros([3], { device });
    for (let call = 1; call <= 8; call++) {
      expect(add(x).tolist()).toEqual([2 * call, 2 * call, 2 * call]);
      expect(x.tolist()).toEqual([call, call, call]);
    }
  });

  it("gives tensors that later calls leave alone", () => {
    const twice = torch.capture((x: Tensor) => x.mul(2));
    const results = [1, 2, 3, 4, 5, 6].map((value) =>
      twice(torch.full([2], value, { dtype: "float32", device })),
    );
    expect(results.map((result) => result.tolist())).toEqual(
      [2, 4, 6, 8, 10, 12].map((value) => [value, value]),
    );
  });

  it("keeps no memory from call to call", () => {
    const one = trained((parameters) => new optim.Adam(parameters, { lr: 1e-2 }));
    const captured = torch.capture(one.step);
    const given = batches(40);
    for (const [x, y] of given.slice(0, 10)) captured(x, y).dispose();
    const before = liveBytes();
    for (const [x, y] of given.slice(10)) captured(x, y).dispose();
    expect(liveBytes()).toBeLessThanOrEqual(before);
  });
});

/** Running statistics and weights that an infinite batch made NaN. */
function repair(model: nn.Layer): void {
  torch.noGrad(() => {
    for (const tensor of Object.values(model.stateDict()))
      if (tensor.isFloatingPoint()) tensor.nanToNum_(0.5, 1, 0);
  });
}

it.each(["MLP", "ResNet", "LSTM", "transformer", "diffusion model", "GAN", "graph network"])(
  "captured steps of the %s give the losses of the steps",
  (name) => {
    const options = { device, steps: 40, only: [name] };
    const [expected, found] = [false, true].map(
      (capture) => lab.architectures({ ...options, capture }).rows[0]!,
    );
    expect(found!.error).toBe(null);
    if (bitwise) expect(found!.losses).toEqual(expected!.losses);
    else for (const loss of found!.losses) expect(Number.isFinite(loss)).toBe(true);
    expect(found!.growthBytes).toBe(0);
  },
);
