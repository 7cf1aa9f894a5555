// Every schedule against PyTorch: the learning rates (and momentum) of thirty epochs; saving, combining, misuse.
import { describe, expect, it } from "vitest";
import { optim, torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";
import { schedules } from "./recorded.ts";

const { lrScheduler } = optim;
type Optimizer = optim.SGD | optim.Adam;

const sgd = () => new optim.SGD([torch.zeros([1]).requiresGrad_()], { lr: 0.5, momentum: 0.9 });
const adam = () => new optim.Adam([torch.zeros([1]).requiresGrad_()], { lr: 0.1 });

const METRICS = Array.from({ length: 30 }, (_, epoch) =>
  epoch < 8 ? 1 / (epoch + 1) : 0.12 + 0.001 * (epoch % 3),
);

interface Build {
  readonly make: (optimizer: Optimizer) => optim.lrScheduler.LRScheduler;
  readonly optimizer?: () => Optimizer;
  readonly metrics?: readonly number[];
}

const BUILDS: Record<string, Build> = {
  LambdaLR: { make: (o) => new lrScheduler.LambdaLR(o, (epoch) => 0.95 ** epoch) },
  MultiplicativeLR: { make: (o) => new lrScheduler.MultiplicativeLR(o, () => 0.9) },
  StepLR: { make: (o) => new lrScheduler.StepLR(o, 7, 0.3) },
  MultiStepLR: { make: (o) => new lrScheduler.MultiStepLR(o, [3, 10, 10, 20], 0.5) },
  ConstantLR: { make: (o) => new lrScheduler.ConstantLR(o, 0.25, 4) },
  LinearLR: { make: (o) => new lrScheduler.LinearLR(o, 0.1, 0.8, 12) },
  ExponentialLR: { make: (o) => new lrScheduler.ExponentialLR(o, 0.9) },
  PolynomialLR: { make: (o) => new lrScheduler.PolynomialLR(o, 20, 2) },
  CosineAnnealingLR: { make: (o) => new lrScheduler.CosineAnnealingLR(o, 10, 0.05) },
  CosineAnnealingWarmRestarts: { make: (o) => new lrScheduler.CosineAnnealingWarmRestarts(o, 4, 2, 0.01) },
  OneCycleLR: { make: (o) => new lrScheduler.OneCycleLR(o, 0.8, { totalSteps: 30 }) },
  "OneCycleLR three phases": {
    make: (o) =>
      new lrScheduler.OneCycleLR(o, 0.8, {
        epochs: 6,
        stepsPerEpoch: 5,
        pctStart: 0.4,
        annealStrategy: "linear",
        threePhase: true,
        divFactor: 10,
      }),
    optimizer: adam,
  },
  CyclicLR: { make: (o) => new lrScheduler.CyclicLR(o, 0.1, 0.9, { stepSizeUp: 4, stepSizeDown: 7 }) },
  "CyclicLR triangular2": {
    make: (o) =>
      new lrScheduler.CyclicLR(o, 0.1, 0.9, { stepSizeUp: 5, mode: "triangular2", cycleMomentum: false }),
  },
  "CyclicLR expRange": {
    make: (o) => new lrScheduler.CyclicLR(o, 0.1, 0.9, { stepSizeUp: 5, mode: "expRange", gamma: 0.97 }),
    optimizer: adam,
  },
  ReduceLROnPlateau: {
    make: (o) => new lrScheduler.ReduceLROnPlateau(o, { factor: 0.5, patience: 3, cooldown: 2 }),
    metrics: METRICS,
  },
  "ReduceLROnPlateau max": {
    make: (o) =>
      new lrScheduler.ReduceLROnPlateau(o, {
        mode: "max",
        patience: 2,
        threshold: 0.01,
        thresholdMode: "abs",
        minLr: 0.01,
      }),
    metrics: METRICS,
  },
  SequentialLR: {
    make: (o) =>
      new lrScheduler.SequentialLR(
        o,
        [
          new lrScheduler.LinearLR(o, 0.1, 1, 5),
          new lrScheduler.ExponentialLR(o, 0.9),
          new lrScheduler.CosineAnnealingLR(o, 10),
        ],
        [5, 14],
      ),
  },
  SWALR: { make: (o) => new optim.SWALR(o, 0.05) },
  "SWALR linear": {
    make: (o) => new optim.SWALR(o, 0.7, { annealEpochs: 20, annealStrategy: "linear" }),
  },
  "SWALR at once": { make: (o) => new optim.SWALR(o, 0.05, { annealEpochs: 0 }) },
  ChainedScheduler: {
    make: (o) =>
      new lrScheduler.ChainedScheduler([
        new lrScheduler.ConstantLR(o, 0.1, 6),
        new lrScheduler.ExponentialLR(o, 0.95),
      ]),
  },
};

const momentumOf = (group: Optimizer["paramGroups"][number]) =>
  "betas" in group ? group.betas[0] : group.momentum;

function advance(scheduler: optim.lrScheduler.LRScheduler, metric: number | undefined): void {
  if (scheduler instanceof lrScheduler.ReduceLROnPlateau) scheduler.step(metric);
  else scheduler.step();
}

it("every schedule that PyTorch recorded is tested here, and no other", () => {
  expect(Object.keys(BUILDS).sort()).toEqual(Object.keys(schedules).sort());
});

describe.each(Object.entries(BUILDS))("%s", (name, { make, optimizer = sgd, metrics }) => {
  const record = schedules[name]!;

  it("gives PyTorch's rates for thirty epochs", () => {
    const trained = optimizer();
    const scheduler = make(trained);
    const group = trained.paramGroups[0]!;
    for (const [epoch, rate] of record.rates.entries()) {
      if (epoch > 0) advance(scheduler, metrics?.[epoch - 1]);
      expect(group.lr).toBeCloseTo(rate, 14);
      expect(scheduler.getLastLr()).toEqual([group.lr]);
      if (record.momentums) expect(momentumOf(group)).toBeCloseTo(record.momentums[epoch]!, 14);
    }
  });

  it("goes on from a saved state", () => {
    const trained = optimizer();
    const scheduler = make(trained);
    for (let epoch = 0; epoch < 12; epoch++) advance(scheduler, metrics?.[epoch]);
    const resumed = optimizer();
    const again = make(resumed);
    resumed.loadStateDict(trained.stateDict() as never);
    again.loadStateDict(scheduler.stateDict());
    for (let epoch = 12; epoch < 30; epoch++) {
      advance(scheduler, metrics?.[epoch]);
      advance(again, metrics?.[epoch]);
      expect(resumed.paramGroups[0]!.lr).toBe(trained.paramGroups[0]!.lr);
    }
  });
});

describe("a schedule", () => {
  it("has a rate for each group", () => {
    const [a, b] = [torch.zeros([1]).requiresGrad_(), torch.zeros([1]).requiresGrad_()];
    const optimizer = new optim.SGD([{ params: [a] }, { params: [b], lr: 0.01 }], { lr: 1 });
    new lrScheduler.LambdaLR(optimizer, [(epoch) => epoch, () => 2]).step();
    expect(optimizer.paramGroups.map(({ lr }) => lr)).toEqual([1, 0.02]);
  });

  it("moves with the batches of a warm restart", () => {
    const optimizer = sgd();
    const scheduler = new lrScheduler.CosineAnnealingWarmRestarts(optimizer, 2);
    scheduler.step(0.5);
    expect(optimizer.paramGroups[0]!.lr).toBeCloseTo(0.25 * (1 + Math.SQRT1_2), 12);
  });

  refuses([
    [
      "what is no optimizer",
      () => new lrScheduler.StepLR({ paramGroups: [] }, 3),
      "TypeError",
      "new optim.lrScheduler.StepLR: expected an optimizer, got an object.",
    ],
    [
      "a step of 0 epochs",
      () => new lrScheduler.StepLR(sgd(), 0),
      "RangeError",
      "new optim.lrScheduler.StepLR: stepSize must be an integer of at least 1, got 0.",
    ],
    [
      "a NaN gamma",
      () => new lrScheduler.ExponentialLR(sgd(), NaN),
      "RangeError",
      "new optim.lrScheduler.ExponentialLR: gamma must be a number, got NaN.",
    ],
    [
      "milestones that are no list",
      () => new lrScheduler.MultiStepLR(sgd(), 3 as never),
      "TypeError",
      "new optim.lrScheduler.MultiStepLR: milestones must be a list of epochs, got 3.",
    ],
    [
      "a function that is none",
      () => new lrScheduler.LambdaLR(sgd(), 0.5 as never),
      "TypeError",
      "new optim.lrScheduler.LambdaLR: lrLambda must be a function of the epoch, got 0.5.",
    ],
    [
      "a function that gives no number",
      () => new lrScheduler.LambdaLR(sgd(), () => NaN),
      "RangeError",
      "LambdaLR: lrLambda[0](0) must be a number, got NaN.",
    ],
    [
      "two functions for one group",
      () => new lrScheduler.LambdaLR(sgd(), [() => 1, () => 1]),
      "RangeError",
      "new optim.lrScheduler.LambdaLR: lrLambda takes one value or one for each of the 1 groups, got 2.",
    ],
    [
      "a cycle without a length",
      () => new lrScheduler.OneCycleLR(sgd(), 1, { epochs: 3 }),
      "TypeError",
      "new optim.lrScheduler.OneCycleLR: give totalSteps, or epochs and stepsPerEpoch.",
    ],
    [
      "steps after the cycle",
      () => {
        const scheduler = new lrScheduler.OneCycleLR(sgd(), 1, { totalSteps: 2 });
        for (let step = 0; step < 4; step++) scheduler.step();
      },
      "RangeError",
      "OneCycleLR.step: the cycle has 2 steps, and this would be step 3; make it longer.",
    ],
    [
      "a momentum that the optimizer has not",
      () => new lrScheduler.CyclicLR(new optim.Rprop([torch.zeros([1]).requiresGrad_()]), 0.1, 1),
      "TypeError",
      "new optim.lrScheduler.CyclicLR: the optimizer has neither momentum nor betas to move; pass { cycleMomentum: false }.",
    ],
    [
      "a plateau without a metric",
      () => new lrScheduler.ReduceLROnPlateau(sgd()).step(),
      "TypeError",
      "ReduceLROnPlateau.step: expected the metric, a number or a tensor of one element, got undefined.",
    ],
    [
      "a plateau among others",
      () => {
        const optimizer = sgd();
        return new lrScheduler.ChainedScheduler([new lrScheduler.ReduceLROnPlateau(optimizer)]);
      },
      "TypeError",
      "new optim.lrScheduler.ChainedScheduler: schedule 0 is a ReduceLROnPlateau, which needs a metric; step it yourself.",
    ],
    [
      "schedules of two optimizers",
      () =>
        new lrScheduler.ChainedScheduler([
          new lrScheduler.ExponentialLR(sgd(), 1),
          new lrScheduler.ExponentialLR(sgd(), 1),
        ]),
      "TypeError",
      "new optim.lrScheduler.ChainedScheduler: schedule 1 belongs to another optimizer than the one given, a SGD.",
    ],
    [
      "too few milestones",
      () => {
        const optimizer = sgd();
        const parts = [1, 2, 3].map(() => new lrScheduler.ExponentialLR(optimizer, 1));
        return new lrScheduler.SequentialLR(optimizer, parts, [4]);
      },
      "RangeError",
      "new optim.lrScheduler.SequentialLR: 3 schedules need 2 milestones, got [4].",
    ],
    [
      "another schedule's state",
      () =>
        new lrScheduler.StepLR(sgd(), 2).loadStateDict(new lrScheduler.ExponentialLR(sgd(), 1).stateDict()),
      "TypeError",
      'StepLR.loadStateDict: the state has no "step_size"; it is another schedule\'s.',
    ],
  ]);
});
