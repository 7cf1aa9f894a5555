// Training that goes on: optimizers and schedules of PyTorch (test/fixtures/torch_files.py, after three steps) loaded here,
// and ours saved with the same keys and shapes, so that PyTorch loads them.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../lib/index.ts";

const { lrScheduler } = optim;
const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-training-"));
afterAll(() => rmSync(folder, { recursive: true }));

type AnyOptimizer = optim.Optimizer<{ lr: number; momentum?: number }>;
type Sgd = ConstructorParameters<typeof lrScheduler.ExponentialLR>[0];

interface Recorded {
  readonly optimizers: Record<string, { weight: Tensor; state: optim.OptimizerStateDict; next: Tensor }>;
  readonly schedules: Record<
    string,
    {
      optimizer: optim.OptimizerStateDict;
      schedule: Record<string, unknown>;
      lr: number;
      momentum: number;
    }
  >;
}

const recorded = torch.load(
  path.join(import.meta.dirname, "../../../fixtures/torch_files/training.pt"),
) as Recorded;

const OPTIMIZERS: Readonly<Record<string, (weight: Tensor) => unknown>> = {
  Adadelta: (weight) => new optim.Adadelta([weight]),
  Adafactor: (weight) => new optim.Adafactor([weight]),
  Adagrad: (weight) => new optim.Adagrad([weight]),
  Adam: (weight) => new optim.Adam([weight], { amsgrad: true }),
  AdamW: (weight) => new optim.AdamW([weight]),
  Adamax: (weight) => new optim.Adamax([weight]),
  ASGD: (weight) => new optim.ASGD([weight]),
  LBFGS: (weight) => new optim.LBFGS([weight], { lr: 0.3, maxIter: 2, historySize: 3 }),
  Muon: (weight) => new optim.Muon([weight], { adjustLr: "matchRmsAdamw" }),
  NAdam: (weight) => new optim.NAdam([weight]),
  RAdam: (weight) => new optim.RAdam([weight]),
  RMSprop: (weight) => new optim.RMSprop([weight], { centered: true, momentum: 0.9 }),
  Rprop: (weight) => new optim.Rprop([weight]),
  SGD: (weight) => new optim.SGD([weight], { lr: 0.1, momentum: 0.9 }),
  SparseAdam: (weight) => new optim.SparseAdam([weight]),
};

const SCHEDULES: Readonly<Record<string, (optimizer: Sgd) => optim.lrScheduler.LRScheduler>> = {
  StepLR: (optimizer) => new lrScheduler.StepLR(optimizer, 2),
  MultiStepLR: (optimizer) => new lrScheduler.MultiStepLR(optimizer, [1, 4, 4]),
  ConstantLR: (optimizer) => new lrScheduler.ConstantLR(optimizer),
  LinearLR: (optimizer) => new lrScheduler.LinearLR(optimizer),
  ExponentialLR: (optimizer) => new lrScheduler.ExponentialLR(optimizer, 0.9),
  CosineAnnealingLR: (optimizer) => new lrScheduler.CosineAnnealingLR(optimizer, 10),
  CosineAnnealingWarmRestarts: (optimizer) => new lrScheduler.CosineAnnealingWarmRestarts(optimizer, 2),
  CyclicLR: (optimizer) => new lrScheduler.CyclicLR(optimizer, 0.1, 0.2, { stepSizeUp: 2 }),
  OneCycleLR: (optimizer) => new lrScheduler.OneCycleLR(optimizer, 1, { totalSteps: 10 }),
  PolynomialLR: (optimizer) => new lrScheduler.PolynomialLR(optimizer),
  LambdaLR: (optimizer) => new lrScheduler.LambdaLR(optimizer, (epoch) => 0.9 ** epoch),
  MultiplicativeLR: (optimizer) => new lrScheduler.MultiplicativeLR(optimizer, () => 0.9),
  ReduceLROnPlateau: (optimizer) => new lrScheduler.ReduceLROnPlateau(optimizer, { patience: 0 }),
  SequentialLR: (optimizer) =>
    new lrScheduler.SequentialLR(
      optimizer,
      [new lrScheduler.ConstantLR(optimizer), new lrScheduler.ExponentialLR(optimizer, 0.9)],
      [2],
    ),
  SWALR: (optimizer) => new optim.SWALR(optimizer, 0.02, { annealEpochs: 6 }),
  ChainedScheduler: (optimizer) =>
    new lrScheduler.ChainedScheduler([
      new lrScheduler.ConstantLR(optimizer),
      new lrScheduler.ExponentialLR(optimizer, 0.9),
    ]),
};

function start(name: string): { readonly weight: Tensor; readonly optimizer: AnyOptimizer } {
  const weight = new nn.Parameter(torch.ones([2, 2]));
  return { weight, optimizer: OPTIMIZERS[name]!(weight) as AnyOptimizer };
}

function train({ weight, optimizer }: ReturnType<typeof start>): void {
  optimizer.step(() => {
    optimizer.zeroGrad();
    const loss = weight.pow(2).sum();
    if (optimizer instanceof optim.SparseAdam) weight.grad = torch.ones([2, 2]).toSparse();
    else loss.backward();
    return loss;
  });
}

const advance = (schedule: optim.lrScheduler.LRScheduler) =>
  schedule instanceof lrScheduler.ReduceLROnPlateau ? schedule.step(1) : schedule.step();

type OptimizerState = optim.OptimizerStateDict["state"][number];
type Saved = OptimizerState[string];

const shapeOf = (value: Saved): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  return typeof value === "number" ? [] : (value as Tensor).shape;
};

/** Without `al`, where PyTorch's L-BFGS leaves what it computes in a step. */
const shapes = ({ al: _, ...state }: OptimizerState) =>
  Object.fromEntries(Object.entries(state).map(([key, value]) => [key, shapeOf(value)]));

it("every optimizer and schedule was recorded", () => {
  const classes = (from: object, others: readonly string[]) =>
    Object.keys(from).filter((name) => /^[A-Z]/.test(name) && !others.includes(name));
  expect(Object.keys(recorded.optimizers).toSorted()).toEqual(
    classes(optim, ["Optimizer", "AveragedModel", "SWALR"]).toSorted(),
  );
  expect(Object.keys(recorded.schedules).toSorted()).toEqual(
    [...classes(lrScheduler, ["LRScheduler"]), "SWALR"].toSorted(),
  );
});

describe.each(Object.entries(recorded.optimizers))("PyTorch's %s", (name, { weight, state, next }) => {
  it("goes on here as there", () => {
    const run = start(name);
    torch.noGrad(() => run.weight.copy_(weight));
    run.optimizer.loadStateDict(state);
    train(run);
    expect(run.weight.sub(next).abs().max().item()).toBeLessThan(1e-7);
  });

  it("finds in ours what it needs: the same state, and options under its names", () => {
    const run = start(name);
    for (let step = 0; step < 3; step++) train(run);
    const file = path.join(folder, `${name}.pt`);
    torch.save(run.optimizer.stateDict(), file);
    const saved = torch.load(file) as optim.OptimizerStateDict;
    expect(shapes(saved.state[0]!)).toEqual(shapes(state.state[0]!));
    const { params, ...options } = saved.param_groups[0]!;
    expect(state.param_groups[0]).toMatchObject(JSON.parse(JSON.stringify(options)));
    expect(params).toEqual([0]);
  });
});

describe.each(Object.entries(recorded.schedules))(
  "PyTorch's %s",
  (name, { optimizer, schedule, lr, momentum }) => {
    it("goes on here as there", () => {
      const run = start("SGD");
      const resumed = SCHEDULES[name]!(run.optimizer);
      run.optimizer.loadStateDict(optimizer);
      resumed.loadStateDict(schedule);
      advance(resumed);
      expect(run.optimizer.paramGroups[0]!.lr).toBeCloseTo(lr, 14);
      expect(run.optimizer.paramGroups[0]!.momentum).toBeCloseTo(momentum, 14);
      expect(resumed.lastEpoch).toBe(4);
    });

    it("finds in ours what it needs", () => {
      const run = start("SGD");
      const ours = SCHEDULES[name]!(run.optimizer);
      for (let epoch = 0; epoch < 3; epoch++) advance(ours);
      const file = path.join(folder, `${name}.pt`);
      torch.save({ optimizer: run.optimizer.stateDict(), schedule: ours.stateDict() }, file);
      const saved = torch.load(file) as { optimizer: optim.OptimizerStateDict; schedule: object };
      const { _scale_fn_custom: _, mode: __, ...theirs } = schedule;
      const shared = Object.keys(theirs).filter((key) => key in saved.schedule && key !== "_step_count");
      expect(shared).toEqual(expect.arrayContaining(["_last_lr"]));
      for (const key of shared)
        expect([key, plain((saved.schedule as typeof theirs)[key])]).toEqual([key, plain(theirs[key])]);
      const kept = Object.keys(optimizer.param_groups[0]!).filter((key) =>
        /^(initial|max|min|base)_/.test(key),
      );
      for (const key of kept)
        expect(saved.optimizer.param_groups[0]![key]).toBe(optimizer.param_groups[0]![key]);
    });
  },
);

/** Without what a schedule within a schedule keeps for Python only, and to fourteen digits. */
function plain(value: unknown): unknown {
  if (typeof value === "number") return Number(value.toPrecision(14));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !/^_(is|get|step)_/.test(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, plain(one)]));
}
