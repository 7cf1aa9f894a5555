// Schedules of the learning rate, in usual and in wrong orders. schedulers.py has the same programs.
import { optim, torch } from "../../../lib/index.ts";
import { leaf, type Programs } from "./helpers.ts";

const lrs = optim.lrScheduler;

const optimizer = (others: Partial<optim.SgdOptions> = {}) =>
  new optim.SGD([leaf(1, 2)], { lr: 1, ...others });

function rates(
  make: (o: optim.SGD) => optim.lrScheduler.LRScheduler,
  steps = 8,
  others: Partial<optim.SgdOptions> = {},
) {
  const o = optimizer(others);
  const s = make(o);
  const seen = [o.paramGroups[0]!.lr];
  for (let i = 0; i < steps; i++) {
    o.step();
    s.step();
    seen.push(o.paramGroups[0]!.lr);
  }
  return [seen, s.getLastLr()];
}

export const schedulers: Programs = {
  stepLr: () => rates((o) => new lrs.StepLR(o, 3, 0.5)),
  multiStepWithAMilestoneTwice: () => rates((o) => new lrs.MultiStepLR(o, [2, 2, 5], 0.1)),
  multiStepUnsorted: () => rates((o) => new lrs.MultiStepLR(o, [5, 2], 0.1)),
  constantLr: () => rates((o) => new lrs.ConstantLR(o, 0.25, 4)),
  linearLr: () => rates((o) => new lrs.LinearLR(o, 0.1, 1, 5)),
  linearLrWithWrongFactor: () => rates((o) => new lrs.LinearLR(o, 2)),
  exponentialLr: () => rates((o) => new lrs.ExponentialLR(o, 0.9)),
  polynomialLr: () => rates((o) => new lrs.PolynomialLR(o, 5, 2)),
  lambdaLr: () => rates((o) => new lrs.LambdaLR(o, (epoch) => 0.95 ** epoch)),
  multiplicativeLr: () => rates((o) => new lrs.MultiplicativeLR(o, (epoch) => (epoch % 2 ? 0.5 : 1))),
  cosineAnnealing: () => rates((o) => new lrs.CosineAnnealingLR(o, 4, 0.1)),
  cosinePastItsEnd: () => rates((o) => new lrs.CosineAnnealingLR(o, 3), 10),
  warmRestarts: () => rates((o) => new lrs.CosineAnnealingWarmRestarts(o, 2, 2), 10),
  warmRestartsByZero: () => rates((o) => new lrs.CosineAnnealingWarmRestarts(o, 0)),
  oneCycle: () => rates((o) => new lrs.OneCycleLR(o, 0.5, { totalSteps: 8 }), 7, { momentum: 0.9 }),
  oneCyclePastItsEnd: () => rates((o) => new lrs.OneCycleLR(o, 0.5, { totalSteps: 5 }), 8, { momentum: 0.9 }),
  oneCycleThreePhases: () =>
    rates(
      (o) =>
        new lrs.OneCycleLR(o, 0.5, {
          epochs: 2,
          stepsPerEpoch: 5,
          threePhase: true,
          annealStrategy: "linear",
        }),
      8,
      { momentum: 0.9 },
    ),
  oneCycleWithoutMomentumToCycle: () => rates((o) => new lrs.OneCycleLR(o, 0.5, { totalSteps: 8 }), 7),
  oneCycleWithoutLength: () => rates((o) => new lrs.OneCycleLR(o, 0.5, {}), 7, { momentum: 0.9 }),
  cyclicTriangularTwo: () =>
    rates((o) => new lrs.CyclicLR(o, 0.1, 1, { stepSizeUp: 2, mode: "triangular2", cycleMomentum: false })),
  cyclicExpRange: () =>
    rates(
      (o) =>
        new lrs.CyclicLR(o, 0.1, 1, { stepSizeUp: 2, mode: "expRange", gamma: 0.9, cycleMomentum: false }),
    ),
  sequential: () =>
    rates(
      (o) => new lrs.SequentialLR(o, [new lrs.ConstantLR(o, 0.1, 2), new lrs.ExponentialLR(o, 0.9)], [3]),
    ),
  chained: () =>
    rates((o) => new lrs.ChainedScheduler([new lrs.ConstantLR(o, 0.1, 3), new lrs.ExponentialLR(o, 0.9)], o)),
  warmUpThenCosine: () =>
    rates(
      (o) =>
        new lrs.SequentialLR(
          o,
          [new lrs.LinearLR(o, 0.1, { totalIters: 3 }), new lrs.CosineAnnealingLR(o, 5)],
          [3],
        ),
    ),
  plateau() {
    const o = optimizer();
    const s = new lrs.ReduceLROnPlateau(o, { factor: 0.5, patience: 1 });
    return [1.0, 0.9, 0.9, 0.9, 0.95, 0.89995, 0.5, 0.6].map((loss) => {
      s.step(loss);
      return o.paramGroups[0]!.lr;
    });
  },
  plateauWithoutAMetric() {
    new lrs.ReduceLROnPlateau(optimizer()).step();
  },
  plateauOfNan() {
    const o = optimizer();
    const s = new lrs.ReduceLROnPlateau(o, { factor: 0.5, patience: 0 });
    s.step(1);
    s.step(NaN);
    return o.paramGroups[0]!.lr;
  },
  plateauWithCooldownAndLeastRate() {
    const o = optimizer();
    const s = new lrs.ReduceLROnPlateau(o, {
      mode: "max",
      factor: 0.1,
      patience: 0,
      cooldown: 1,
      minLr: 0.05,
    });
    return [0.5, 0.4, 0.4, 0.4, 0.4, 0.6, 0.1].map((accuracy) => {
      s.step(torch.tensor(accuracy));
      return o.paramGroups[0]!.lr;
    });
  },
  plateauFactorOfOne() {
    new lrs.ReduceLROnPlateau(optimizer(), { factor: 1 });
  },
  rateSetByHandBetweenSteps() {
    const o = optimizer();
    const s = new lrs.ExponentialLR(o, 0.5);
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      o.step();
      s.step();
      seen.push(o.paramGroups[0]!.lr);
      if (i === 1) o.paramGroups[0]!.lr = 0.8;
    }
    return seen;
  },
  stateOfAScheduleLoaded() {
    const o = optimizer();
    const s = new lrs.StepLR(o, 2, 0.5);
    for (let i = 0; i < 3; i++) {
      o.step();
      s.step();
    }
    const q = optimizer();
    const t = new lrs.StepLR(q, 2, 0.5);
    t.loadStateDict(structuredClone(s.stateDict()));
    q.loadStateDict(o.stateDict());
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) {
      q.step();
      t.step();
      seen.push(q.paramGroups[0]!.lr);
    }
    return [t.lastEpoch, seen];
  },
  twoSchedulesOfOneOptimizer() {
    const o = optimizer();
    const [s, t] = [new lrs.ExponentialLR(o, 0.9), new lrs.StepLR(o, 2, 0.5)];
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      o.step();
      s.step();
      t.step();
      seen.push(o.paramGroups[0]!.lr);
    }
    return seen;
  },
  groupsHaveRatesOfTheirOwn() {
    const [p, q] = [leaf(1), leaf(2)];
    const o = new optim.SGD([
      { params: [p], lr: 1 },
      { params: [q], lr: 0.1 },
    ]);
    const s = new lrs.LambdaLR(o, [(epoch) => 1 / (1 + epoch), () => 1]);
    for (let i = 0; i < 3; i++) {
      o.step();
      s.step();
    }
    return s.getLastLr();
  },
  oneFunctionForTwoGroups() {
    const [p, q] = [leaf(1), leaf(2)];
    const o = new optim.SGD([{ params: [p] }, { params: [q] }], { lr: 1 });
    new lrs.LambdaLR(o, [() => 1]);
  },
  scheduleOfNoOptimizer() {
    new lrs.StepLR(leaf(1, 2) as never, 3);
  },
};
