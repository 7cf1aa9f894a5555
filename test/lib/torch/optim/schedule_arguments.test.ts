// The arguments of schedules, at PyTorch's places and by name, as the learning rates that they give; and what is refused.
import { describe, expect, it } from "vitest";
import { optim, torch } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const { lrScheduler } = optim;
type Optimizer = optim.SGD | optim.Adam;

const sgd = () => new optim.SGD([torch.zeros([1]).requiresGrad_()], { lr: 0.5, momentum: 0.9 });

describe("all arguments", () => {
  it("takes everything by name, the optimizer too", () => {
    const optimizer = sgd();
    const schedules = [
      new lrScheduler.StepLR({ optimizer, stepSize: 2, gamma: 0.5 }),
      new lrScheduler.LambdaLR({ optimizer, lrLambda: () => 1 }),
      new lrScheduler.CosineAnnealingLR({ optimizer, tMax: 4, etaMin: 0.1 }),
      new lrScheduler.ReduceLROnPlateau({ optimizer, mode: "max", patience: 1 }),
      new lrScheduler.SequentialLR({
        optimizer,
        schedulers: [new lrScheduler.ConstantLR(optimizer), new lrScheduler.ExponentialLR(optimizer, 0.9)],
        milestones: [3],
      }),
    ];
    expect(schedules.every((schedule) => schedule.optimizer === optimizer)).toBe(true);
  });

  it("takes options at PyTorch's places, null where Python has None", () => {
    const plateau = new lrScheduler.ReduceLROnPlateau(sgd(), "max", 0.5, 1, 0.01, "abs", 2, 1e-3, 1e-9);
    expect(plateau).toMatchObject({
      mode: "max",
      factor: 0.5,
      patience: 1,
      threshold: 0.01,
      thresholdMode: "abs",
      cooldown: 2,
      eps: 1e-9,
    });
    const named = new lrScheduler.OneCycleLR(sgd(), 0.8, { epochs: 2, stepsPerEpoch: 5, pctStart: 0.4 });
    const placed = new lrScheduler.OneCycleLR(sgd(), 0.8, null, 2, 5, 0.4);
    expect(placed.stateDict()).toEqual(named.stateDict());
    const cyclic = new lrScheduler.CyclicLR(sgd(), 0.1, 0.5, 3, 4, "expRange", { gamma: 0.9 });
    const cyclicByName = new lrScheduler.CyclicLR(sgd(), 0.1, 0.5, {
      stepSizeUp: 3,
      stepSizeDown: 4,
      mode: "expRange",
      gamma: 0.9,
    });
    expect(cyclic.stateDict()).toEqual(cyclicByName.stateDict());
  });
});

describe("arguments by name", () => {
  it("are those by place, all of them or the last", () => {
    const { StepLR, LinearLR, CosineAnnealingWarmRestarts, ExponentialLR, MultiStepLR } = lrScheduler;
    const rates = (make: (optimizer: Optimizer) => optim.lrScheduler.LRScheduler) => {
      const trained = sgd();
      const scheduler = make(trained);
      return Array.from({ length: 12 }, () => {
        scheduler.step();
        return trained.paramGroups[0]!.lr;
      });
    };
    const steps = rates((o) => new StepLR(o, 3, 0.5));
    expect(rates((o) => new StepLR(o, { stepSize: 3, gamma: 0.5 }))).toEqual(steps);
    expect(rates((o) => new StepLR(o, 3, { gamma: 0.5 }))).toEqual(steps);
    expect(rates((o) => new LinearLR(o, { totalIters: 8, startFactor: 0.5 }))).toEqual(
      rates((o) => new LinearLR(o, 0.5, 1, 8)),
    );
    expect(rates((o) => new CosineAnnealingWarmRestarts(o, 2, { etaMin: 0.1 }))).toEqual(
      rates((o) => new CosineAnnealingWarmRestarts(o, 2, 1, 0.1)),
    );
    expect(rates((o) => new ExponentialLR(o, { gamma: 0.9 }))).toEqual(
      rates((o) => new ExponentialLR(o, 0.9)),
    );
    expect(rates((o) => new MultiStepLR(o, { milestones: [2, 4] }))).toEqual(
      rates((o) => new MultiStepLR(o, [2, 4])),
    );
  });

  it("are those of every other schedule, too", () => {
    const { ChainedScheduler, CyclicLR, LambdaLR, MultiplicativeLR, OneCycleLR, SequentialLR, StepLR } =
      lrScheduler;
    const rates = (make: (optimizer: Optimizer) => optim.lrScheduler.LRScheduler) => {
      const trained = new optim.SGD([torch.ones([1]).requiresGrad_()], { lr: 1, momentum: 0.9 });
      const scheduler = make(trained);
      return Array.from({ length: 8 }, () => {
        scheduler.step();
        return trained.paramGroups[0]!.lr;
      });
    };
    const halves = (epoch: number) => 0.5 ** epoch;
    const both = (o: Optimizer) => [new StepLR(o, 2), new StepLR(o, 3)];
    const forms: ((o: Optimizer) => optim.lrScheduler.LRScheduler)[][] = [
      [(o) => new LambdaLR(o, halves), (o) => new LambdaLR(o, { lrLambda: halves })],
      [(o) => new MultiplicativeLR(o, halves), (o) => new MultiplicativeLR(o, { lrLambda: [halves] })],
      [
        (o) => new CyclicLR(o, 0.1, 0.5, { stepSizeUp: 3 }),
        (o) => new CyclicLR(o, 0.1, { maxLr: 0.5, stepSizeUp: 3 }),
        (o) => new CyclicLR(o, { stepSizeUp: 3, maxLr: 0.5, baseLr: 0.1 }),
      ],
      [
        (o) => new OneCycleLR(o, 0.5, { totalSteps: 9 }),
        (o) => new OneCycleLR(o, { maxLr: 0.5, epochs: 3, stepsPerEpoch: 3 }),
      ],
      [
        (o) => new SequentialLR(o, both(o), [3]),
        (o) => new SequentialLR(o, both(o), { milestones: [3] }),
        (o) => new SequentialLR(o, { schedulers: both(o), milestones: [3] }),
      ],
      [
        (o) => new ChainedScheduler(both(o)),
        (o) => new ChainedScheduler(both(o), o),
        (o) => new ChainedScheduler(both(o), { optimizer: o }),
        (o) => new ChainedScheduler({ schedulers: both(o) }),
      ],
      [
        (o) => new optim.SWALR(o, 0.05, { annealEpochs: 4 }),
        (o) => new optim.SWALR(o, { annealEpochs: 4, swaLr: 0.05 }),
      ],
    ];
    for (const [byPlace, ...others] of forms) {
      const expected = rates(byPlace!);
      expect(new Set(expected).size).toBeGreaterThan(1);
      for (const byName of others) expect(rates(byName)).toEqual(expected);
    }
  });

  refuses([
    [
      "a misspelt name",
      () => new lrScheduler.StepLR(sgd(), { stepsize: 3 } as never),
      "TypeError",
      'new optim.lrScheduler.StepLR: unknown option "stepsize"; it takes stepSize, gamma, lastEpoch.',
    ],
    [
      "what was given by place already",
      () => new lrScheduler.StepLR(sgd(), 3, { stepSize: 3 } as never),
      "TypeError",
      "new optim.lrScheduler.StepLR: stepSize is given twice, by place and by name; leave one out.",
    ],
    [
      "more behind the options",
      () => new lrScheduler.StepLR(sgd(), { stepSize: 3 } as never, 0.1),
      "TypeError",
      "new optim.lrScheduler.StepLR: nothing may follow the options, got 0.1; name it among them.",
    ],
    [
      "more than it takes",
      () => new lrScheduler.ExponentialLR(...([sgd(), 0.9, -1, 5] as unknown as [never, never])),
      "TypeError",
      "new optim.lrScheduler.ExponentialLR takes at most 3 arguments, and got 4: (optimizer, gamma, lastEpoch).",
    ],
    [
      "more than it takes beside its options",
      () =>
        new lrScheduler.OneCycleLR(
          ...([sgd(), 0.1, { totalSteps: 3 }, 5] as unknown as [never, never, never]),
        ),
      "TypeError",
      "new optim.lrScheduler.OneCycleLR: nothing may follow the options, got 5; name it among them.",
    ],
    [
      "a word in the place of a number",
      () => new lrScheduler.CyclicLR(sgd(), 0.1, 0.5, "fast" as never),
      "TypeError",
      'new optim.lrScheduler.CyclicLR: stepSizeUp must be an integer, got "fast".',
    ],
    [
      "no function by name",
      () => new lrScheduler.LambdaLR(sgd(), { lrLambda: 3 as never }),
      "TypeError",
      "new optim.lrScheduler.LambdaLR: lrLambda must be a function of the epoch, got 3.",
    ],
    [
      "options without a list of schedules",
      () => new lrScheduler.ChainedScheduler({} as never),
      "TypeError",
      "new optim.lrScheduler.ChainedScheduler: expected a list of schedules, got undefined.",
    ],
    [
      "options without what has no default",
      () => new lrScheduler.StepLR(sgd(), { gamma: 3 } as never),
      "TypeError",
      "new optim.lrScheduler.StepLR: stepSize must be an integer, got undefined.",
    ],
  ]);
});
