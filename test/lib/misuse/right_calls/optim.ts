// A right call of every optimizer, schedule and average.
import { nn, optim, torch } from "../../../../lib/index.ts";
import { leaf, ofNames, type RightCalls, under } from "./right_calls.ts";

const params = () => [leaf(2, 2)];
const sgd = () => new optim.SGD(params(), { lr: 0.1, momentum: 0.9 });
const step = () => new optim.lrScheduler.StepLR(sgd(), 2);
const chained = () => new optim.lrScheduler.ChainedScheduler([step()]);
const adamLike = { lr: 0.1, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 };
const flags = { maximize: false };

const optimizers: RightCalls = {
  SGD: () => [
    params(),
    { lr: 0.1, momentum: 0.9, dampening: 0, weightDecay: 0.01, nesterov: true, ...flags },
  ],
  Adam: () => [params(), { ...adamLike, amsgrad: true, ...flags }],
  AdamW: () => [params(), { ...adamLike, amsgrad: true, ...flags }],
  Adamax: () => [params(), { ...adamLike, ...flags }],
  NAdam: () => [params(), { ...adamLike, momentumDecay: 0.004, decoupledWeightDecay: false, ...flags }],
  RAdam: () => [params(), { ...adamLike, decoupledWeightDecay: false, ...flags }],
  Adadelta: () => [params(), { lr: 1, rho: 0.9, eps: 1e-6, weightDecay: 0, ...flags }],
  Adafactor: () => [
    params(),
    { lr: 0.01, beta2Decay: -0.8, eps: [null, 0.001], d: 1, weightDecay: 0, ...flags },
  ],
  Adagrad: () => [
    params(),
    { lr: 0.01, lrDecay: 0, weightDecay: 0, initialAccumulatorValue: 0, eps: 1e-10, ...flags },
  ],
  ASGD: () => [params(), { lr: 0.01, lambda: 1e-4, alpha: 0.75, t0: 1e6, weightDecay: 0, ...flags }],
  RMSprop: () => [
    params(),
    { lr: 0.01, alpha: 0.99, eps: 1e-8, weightDecay: 0, momentum: 0.9, centered: true, ...flags },
  ],
  Rprop: () => [params(), { lr: 0.01, etas: [0.5, 1.2], stepSizes: [1e-6, 50], ...flags }],
  LBFGS: () => [
    params(),
    {
      lr: 1,
      maxIter: 2,
      maxEval: 3,
      toleranceGrad: 1e-7,
      toleranceChange: 1e-9,
      historySize: 5,
      lineSearchFn: "strongWolfe",
      ...flags,
    },
  ],
  Muon: () => [
    params(),
    {
      lr: 0.01,
      weightDecay: 0.1,
      momentum: 0.95,
      nesterov: true,
      nsCoefficients: [3.4445, -4.775, 2.0315],
      eps: 1e-7,
      nsSteps: 5,
      adjustLr: "original",
    },
  ],
  SparseAdam: () => [params(), { lr: 0.01, betas: [0.9, 0.999], eps: 1e-8, ...flags }],
};

const milestones = () => new optim.lrScheduler.MultiStepLR(sgd(), [1, 2]);

const schedules: RightCalls = under("lrScheduler", {
  LRScheduler: () => [sgd()],
  "LRScheduler#step": () => [step()],
  "LRScheduler#getLastLr": () => [step()],
  "LRScheduler#stateDict": () => [step()],
  "LRScheduler#loadStateDict": () => [step(), ofNames(step().stateDict())],
  StepLR: () => [sgd(), 2, 0.1],
  MultiStepLR: () => [sgd(), [1, 2], 0.1],
  "MultiStepLR#stateDict": () => [milestones()],
  "MultiStepLR#loadStateDict": () => [milestones(), ofNames(milestones().stateDict())],
  "CyclicLR#stateDict": () => [new optim.lrScheduler.CyclicLR(sgd(), 0.01, 0.1)],
  "LambdaLR#stateDict": () => [new optim.lrScheduler.LambdaLR(sgd(), () => 1)],
  ConstantLR: () => [sgd(), 0.3, 5],
  LinearLR: () => [sgd(), 0.3, 1, 5],
  ExponentialLR: () => [sgd(), 0.9],
  PolynomialLR: () => [sgd(), 5, 1],
  LambdaLR: () => [sgd(), (epoch: number) => 0.9 ** epoch],
  MultiplicativeLR: () => [sgd(), () => 0.9],
  CosineAnnealingLR: () => [sgd(), 10, 0],
  CosineAnnealingWarmRestarts: () => [sgd(), 5, 2, 0],
  "CosineAnnealingWarmRestarts#step": () => [
    new optim.lrScheduler.CosineAnnealingWarmRestarts(sgd(), 5),
    1.5,
  ],
  CyclicLR: () => [
    sgd(),
    0.01,
    0.1,
    {
      stepSizeUp: 2,
      stepSizeDown: 2,
      mode: "triangular",
      gamma: 1,
      scaleFn: (x: number) => x,
      scaleMode: "cycle",
      cycleMomentum: true,
      baseMomentum: 0.8,
      maxMomentum: 0.9,
    },
  ],
  OneCycleLR: () => [
    sgd(),
    0.1,
    {
      epochs: 2,
      stepsPerEpoch: 5,
      pctStart: 0.3,
      annealStrategy: "cos",
      cycleMomentum: true,
      baseMomentum: 0.85,
      maxMomentum: 0.95,
      divFactor: 25,
      finalDivFactor: 1e4,
      threePhase: false,
    },
  ],
  ReduceLROnPlateau: () => [
    sgd(),
    {
      mode: "min",
      factor: 0.1,
      patience: 2,
      threshold: 1e-4,
      thresholdMode: "rel",
      cooldown: 0,
      minLr: 0,
      eps: 1e-8,
    },
  ],
  "ReduceLROnPlateau#step": () => [new optim.lrScheduler.ReduceLROnPlateau(sgd()), 0.5],
  SequentialLR: () => {
    const optimizer = sgd();
    return [
      optimizer,
      [new optim.lrScheduler.ConstantLR(optimizer), new optim.lrScheduler.ExponentialLR(optimizer, 0.9)],
      [2],
    ];
  },
  ChainedScheduler: () => {
    const optimizer = sgd();
    return [
      [new optim.lrScheduler.ConstantLR(optimizer), new optim.lrScheduler.ExponentialLR(optimizer, 0.9)],
      optimizer,
    ];
  },
  "ChainedScheduler#stateDict": () => [chained()],
  "ChainedScheduler#loadStateDict": () => [chained(), ofNames(chained().stateDict())],
});

export const optimCalls: RightCalls = under("optim", {
  ...optimizers,
  ...schedules,
  "Optimizer#addParamGroup": () => [sgd(), { params: params(), lr: 0.2 }],
  "Optimizer#registerStepPreHook": () => [sgd(), () => {}],
  "Optimizer#registerStepPostHook": () => [sgd(), () => {}],
  "Optimizer#zeroGrad": () => [sgd()],
  "Optimizer#step": () => [sgd(), () => torch.tensor(1)],
  "Optimizer#stateDict": () => [sgd()],
  "Optimizer#loadStateDict": () => [sgd(), ofNames(sgd().stateDict())],
  "Optimizer#toString": () => [sgd()],
  "LBFGS#step": () => {
    const [w] = params();
    const closure = () => {
      w!.grad = null;
      const loss = w!.square().sum();
      loss.backward();
      return loss;
    };
    return [new optim.LBFGS([w!], { maxIter: 2 }), closure];
  },
  "LBFGS#stateDict": () => [new optim.LBFGS(params())],
  "LBFGS#loadStateDict": () => [new optim.LBFGS(params()), ofNames(new optim.LBFGS(params()).stateDict())],
  "Muon#addParamGroup": () => [new optim.Muon(params()), { params: params() }],
  getEmaAvgFn: () => [0.9],
  getEmaMultiAvgFn: () => [0.9],
  getSwaAvgFn: () => [],
  getSwaMultiAvgFn: () => [],
  SWALR: () => [sgd(), 0.05, { annealEpochs: 5, annealStrategy: "cos" }],
  AveragedModel: () => [
    new nn.Linear(2, 2),
    { multiAvgFn: optim.getEmaMultiAvgFn(0.9), useBuffers: true, device: "cpu" },
  ],
  "AveragedModel#forward": () => [new optim.AveragedModel(new nn.Linear(2, 2)), torch.ones([1, 2])],
  "AveragedModel#updateParameters": () => [new optim.AveragedModel(new nn.Linear(2, 2)), new nn.Linear(2, 2)],
  "AveragedModel#run": () => [new optim.AveragedModel(new nn.Linear(2, 2)), () => 1],
  updateBn: () => [[torch.randn([4, 2])], new nn.BatchNorm1d(2), "cpu"],
});
