// GradScaler: scales, skips and grows as PyTorch's does, tells the ledger of skipped steps, and misuse.
import { describe, expect, it } from "vitest";
import { amp, cuda, functional as F, lab, nn, optim, torch, type Tensor } from "../../../../lib/index.ts";
import type { AutocastDType } from "../../../../lib/torch/amp/autocast.ts";
import { readFixture } from "../fixtures.ts";
import { collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

interface Training {
  readonly losses: number[];
  readonly scales: number[];
  readonly norms: (number | null)[];
  readonly weight: number[];
  readonly state: {
    scale: number;
    growth_factor: number;
    backoff_factor: number;
    growth_interval: number;
    _growth_tracker: number;
  };
}

const recorded = readFixture<Record<AutocastDType, { training: Training }>>("amp.json");

function makeModel() {
  torch.manualSeed(0);
  const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Tanh(), new nn.Linear(8, 3));
  return { model, x: torch.randn([16, 4]), target: torch.randint(0, 3, [16]) };
}

/** A parameter with the gradient 1, scaled. */
function stepped(gradient: number, scaler: amp.GradScaler) {
  const p = torch.zeros([2]).requiresGrad_();
  const optimizer = new optim.SGD([p], { lr: 1 });
  scaler.scale(p.mul(gradient).sum()).backward();
  return { p, optimizer };
}

describe("a GradScaler", () => {
  it.each(["bfloat16", "float16"] as const)("trains with autocast to %s as PyTorch's does", (dtype) => {
    const expected = recorded[dtype].training;
    const { model, x, target } = makeModel();
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
    const scaler = new amp.GradScaler({ initScale: 1024, growthInterval: 3 });
    for (let step = 0; step < 10; step++) {
      optimizer.zeroGrad();
      const loss = torch.autocast({ deviceType: "cpu", dtype }, () => F.crossEntropy(model(x), target));
      scaler.scale(loss.mul(step === 4 ? Infinity : 1)).backward();
      scaler.unscale_(optimizer);
      const norm = step === 4 ? null : nn.utils.clipGradNorm_(model.parameters(), 0.5).item();
      scaler.step(optimizer);
      scaler.update();
      expect(loss.item()).toBeCloseTo(expected.losses[step]!, 5);
      expect(scaler.getScale()).toBe(expected.scales[step]);
      if (norm !== null) expect(norm).toBeCloseTo(expected.norms[step]!, 5);
    }
    const weight = model[0]!.parameters()[0]!.flatten().tolist() as number[];
    for (const [i, value] of weight.entries()) expect(value).toBeCloseTo(expected.weight[i]!, 5);
    expect(scaler.stateDict()).toEqual(expected.state);
  });

  it("has PyTorch's defaults", () => {
    const scaler = new amp.GradScaler();
    expect([
      scaler.getScale(),
      scaler.getGrowthFactor(),
      scaler.getBackoffFactor(),
      scaler.getGrowthInterval(),
      scaler.isEnabled(),
    ]).toEqual([65536, 2, 0.5, 2000, true]);
  });

  it("divides the gradients once, where unscale_ was called or not", () => {
    for (const byHand of [true, false]) {
      const scaler = new amp.GradScaler();
      const { p, optimizer } = stepped(3, scaler);
      expect(p.grad!.tolist()).toEqual([3 * 65536, 3 * 65536]);
      if (byHand) scaler.unscale_(optimizer);
      scaler.step(optimizer);
      expect([p.grad!.tolist(), p.tolist()]).toEqual([
        [3, 3],
        [-3, -3],
      ]);
    }
  });

  it("leaves out a step with an infinite gradient or one that is NaN, and halves the scale", () => {
    for (const gradient of [Infinity, NaN]) {
      const scaler = new amp.GradScaler();
      const { p, optimizer } = stepped(gradient, scaler);
      scaler.step(optimizer);
      scaler.update();
      expect([p.tolist(), scaler.getScale()]).toEqual([[0, 0], 32768]);
    }
  });

  it("tells the ledger which steps were left out, and in which epoch", () => {
    lab.ledger.clear();
    const scaler = new amp.GradScaler();
    for (const epoch of lab.epochs(2)) {
      const { optimizer } = stepped(epoch === 1 ? Infinity : 1, scaler);
      scaler.step(optimizer);
      scaler.update();
    }
    const { loop } = lab.ledger.epochs[0]!;
    expect(lab.ledger.skippedSteps).toEqual([
      { optimizer: "SGD", steps: 1, scale: 65536, loop, epoch: 1, atMs: expect.any(Number) },
    ]);
    lab.ledger.clear();
    expect(lab.ledger.skippedSteps).toEqual([]);
  });

  it("accumulates over small batches what one large batch gives", () => {
    const large = makeModel();
    const whole = new amp.GradScaler();
    whole.scale(F.crossEntropy(large.model(large.x), large.target)).backward();
    const optimizer = new optim.SGD(large.model.parameters(), { lr: 0.1 });
    whole.unscale_(optimizer);
    const small = makeModel();
    const scaler = new amp.GradScaler();
    for (const [x, target] of small.x.chunk(4).map((x, i) => [x, small.target.chunk(4)[i]!] as const))
      scaler.scale(F.crossEntropy(small.model(x), target).div(4)).backward();
    const accumulating = new optim.SGD(small.model.parameters(), { lr: 0.1 });
    scaler.step(accumulating);
    for (const [i, p] of small.model.parameters().entries())
      expect(torch.allclose(p.grad!, large.model.parameters()[i]!.grad!, 1e-5, 1e-7)).toBe(true);
  });

  it("steps several optimizers, of which the others step where one is left out", () => {
    const scaler = new amp.GradScaler();
    const [bad, good] = [stepped(Infinity, scaler), stepped(1, scaler)];
    scaler.step(bad.optimizer);
    scaler.step(good.optimizer);
    scaler.update();
    expect([bad.p.tolist(), good.p.tolist(), scaler.getScale()]).toEqual([[0, 0], [-1, -1], 32768]);
  });

  it("divides sparse gradients, and scales losses in arrays", () => {
    const scaler = new amp.GradScaler();
    const table = new nn.Embedding(3, 2, { sparse: true });
    const [a, [b]] = scaler.scale([table(torch.tensor([1])).sum(), [torch.ones([])]] as [Tensor, [Tensor]]);
    expect(b.item()).toBe(65536);
    a.backward();
    scaler.unscale_(new optim.SGD(table.parameters(), { lr: 1 }));
    expect(table.weight.grad!.toDense().tolist()).toEqual([
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
  });

  it("goes on from its state", () => {
    const scaler = new amp.GradScaler({ initScale: 8, growthInterval: 2 });
    const step = (each: amp.GradScaler) => {
      each.step(stepped(1, each).optimizer);
      each.update();
      return each.getScale();
    };
    step(scaler);
    const other = new amp.GradScaler();
    other.loadStateDict(scaler.stateDict());
    expect([step(scaler), step(other), step(other)]).toEqual([16, 16, 16]);
  });

  it("does nothing where it is not enabled", () => {
    const scaler = new amp.GradScaler({ enabled: false });
    const { p, optimizer } = stepped(2, scaler);
    scaler.unscale_(optimizer);
    scaler.step(optimizer);
    scaler.update();
    expect([p.tolist(), scaler.getScale(), scaler.stateDict()]).toEqual([[-2, -2], 1, {}]);
  });

  it("works in tidy, and holds no more after a thousand steps than after one", () => {
    const scaler = new amp.GradScaler();
    const p = torch.zeros([100]).requiresGrad_();
    const optimizer = new optim.SGD([p], { lr: 0.1 });
    const step = () => {
      optimizer.zeroGrad();
      scaler.scale(p.sum()).backward();
      scaler.step(optimizer);
      scaler.update();
    };
    torch.tidy(step);
    step();
    const before = collectedBytes();
    for (let i = 0; i < 1000; i++) step();
    expect(collectedBytes()).toBeLessThanOrEqual(before);
  });
});

it("takes the device and what follows it at PyTorch's places; without CUDA its device does nothing", () => {
  const scaler = new amp.GradScaler("cpu", 8, 4);
  expect([scaler.isEnabled(), scaler.getScale(), scaler.getGrowthFactor()]).toEqual([true, 8, 4]);
  expect(new amp.GradScaler("cuda").isEnabled()).toBe(cuda.isAvailable());
  expect(new amp.GradScaler({ device: "cpu", initScale: 16 }).getScale()).toBe(16);
});

describe("misuse", () => {
  const scaler = new amp.GradScaler();
  const { optimizer } = stepped(1, scaler);
  refuses([
    [
      "a growth that does not grow",
      () => new amp.GradScaler({ growthFactor: 1 }),
      "RangeError",
      "new amp.GradScaler: growthFactor must be more than 1, got 1.",
    ],
    [
      "a backoff that does not go back",
      () => new amp.GradScaler({ backoffFactor: 1 }),
      "RangeError",
      "new amp.GradScaler: backoffFactor must be at least 0 and below 1, got 1.",
    ],
    [
      "an unknown option",
      () => new amp.GradScaler({ init_scale: 1 } as never),
      "TypeError",
      'new amp.GradScaler: unknown option "init_scale"; it takes device, initScale, growthFactor, backoffFactor, growthInterval, enabled.',
    ],
    [
      "a loss that is no tensor",
      () => scaler.scale([1]),
      "TypeError",
      "GradScaler.scale: expected a tensor or an array of them, got 1.",
    ],
    [
      "a step before a loss was scaled",
      () => new amp.GradScaler().step(optimizer),
      "TypeError",
      "GradScaler.step: no loss was scaled yet: call scaler.scale(loss).backward() first.",
    ],
    [
      "what is no optimizer",
      () => scaler.step({} as never),
      "TypeError",
      "GradScaler.step: expected an optimizer, got an object.",
    ],
    [
      "dividing twice",
      () => {
        const twice = new amp.GradScaler();
        const { optimizer: own } = stepped(1, twice);
        twice.unscale_(own);
        twice.unscale_(own);
      },
      "TypeError",
      "GradScaler.unscale_: this optimizer's gradients were divided already since the last update().",
    ],
    [
      "two steps without an update",
      () => {
        const twice = new amp.GradScaler();
        const { optimizer: own } = stepped(1, twice);
        twice.step(own);
        twice.step(own);
      },
      "TypeError",
      "GradScaler.step: this optimizer has stepped already: call update() in between.",
    ],
    [
      "an update without a step",
      () => {
        const early = new amp.GradScaler();
        stepped(1, early);
        early.update();
      },
      "TypeError",
      "GradScaler.update: no step was taken since the last: call step(optimizer) first.",
    ],
    [
      "a step without gradients",
      () => {
        const early = new amp.GradScaler();
        early.scale(torch.ones([]));
        early.step(new optim.SGD([torch.zeros([1]).requiresGrad_()], { lr: 1 }));
      },
      "TypeError",
      "GradScaler.step: none of the optimizer's parameters has a gradient.",
    ],
    [
      "a float16 parameter",
      () => {
        const half = new amp.GradScaler();
        const p = torch.zeros([2], { dtype: "float16" }).requiresGrad_();
        half.scale(p.sum()).backward();
        half.step(new optim.SGD([p], { lr: 1 }));
      },
      "TypeError",
      "GradScaler.unscale_: a float16 parameter's gradient cannot be divided ...",
    ],
    [
      "a scale that is not above 0",
      () => scaler.update(0),
      "RangeError",
      "GradScaler.update: the scale must be a finite number above 0, got 0.",
    ],
    [
      "a state of something else",
      () => scaler.loadStateDict({ scale: 1 } as never),
      "TypeError",
      "GradScaler.loadStateDict: expected what stateDict() of an enabled scaler gives, got an object.",
    ],
  ]);
});
