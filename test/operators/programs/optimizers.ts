// Optimizers in usual and in wrong orders. optimizers.py has the same programs.
import { nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

type Stepped = { zeroGrad(): void; step(): unknown };

const slope = (...params: Tensor[]): Tensor =>
  params.map((p) => p.mul(p).mul(0.5).sum()).reduce((sum, one) => sum.add(one));

function trained(make: (params: Tensor[]) => Stepped, steps = 3): Tensor {
  const p = leaf(1, -2, 3);
  const o = make([p]);
  for (let i = 0; i < steps; i++) {
    o.zeroGrad();
    slope(p).backward();
    o.step();
  }
  return p;
}

export const optimizers: Programs = {
  sgd: () => trained((ps) => new optim.SGD(ps, { lr: 0.1 })),
  sgdWithMomentumAndDampening: () =>
    trained((ps) => new optim.SGD(ps, { lr: 0.1, momentum: 0.9, dampening: 0.5 })),
  sgdNesterov: () => trained((ps) => new optim.SGD(ps, { lr: 0.1, momentum: 0.9, nesterov: true })),
  sgdNesterovWithoutMomentum: () => trained((ps) => new optim.SGD(ps, { lr: 0.1, nesterov: true })),
  sgdWithNegativeRate: () => trained((ps) => new optim.SGD(ps, { lr: -0.1 })),
  sgdMaximizes: () => trained((ps) => new optim.SGD(ps, { lr: 0.1, momentum: 0.5, maximize: true })),
  adam: () => trained((ps) => new optim.Adam(ps, { lr: 0.1 })),
  adamWithWeightDecay: () => trained((ps) => new optim.Adam(ps, { lr: 0.1, weightDecay: 0.1 })),
  adamWDefaultDecay: () => trained((ps) => new optim.AdamW(ps, { lr: 0.1 })),
  adamAmsgrad: () => trained((ps) => new optim.Adam(ps, { lr: 0.1, amsgrad: true }), 5),
  adamWithWrongBetas: () => trained((ps) => new optim.Adam(ps, { lr: 0.1, betas: [1.0, 0.999] })),
  adamWithZeroEps: () => trained((ps) => new optim.Adam(ps, { lr: 0.1, eps: 0 })),
  rmspropCenteredWithMomentum: () =>
    trained((ps) => new optim.RMSprop(ps, { lr: 0.1, centered: true, momentum: 0.9 })),
  adagradWithRateDecay: () => trained((ps) => new optim.Adagrad(ps, { lr: 0.1, lrDecay: 0.1 })),
  adadelta: () => trained((ps) => new optim.Adadelta(ps)),
  adamax: () => trained((ps) => new optim.Adamax(ps, { lr: 0.1 })),
  nadam: () => trained((ps) => new optim.NAdam(ps, { lr: 0.1 })),
  radam: () => trained((ps) => new optim.RAdam(ps, { lr: 0.1 }), 8),
  rprop: () => trained((ps) => new optim.Rprop(ps, { lr: 0.1 })),
  asgd: () => trained((ps) => new optim.ASGD(ps, { lr: 0.1 })),
  lbfgsWithoutAClosure: () => trained((ps) => new optim.LBFGS(ps)),
  lbfgsWithAClosure() {
    const p = leaf(3, -2);
    const o = new optim.LBFGS([p], { lr: 1, maxIter: 5 });
    const closure = () => {
      o.zeroGrad();
      const loss = p.sub(1).pow(4).sum();
      loss.backward();
      return loss;
    };
    const first = o.step(closure);
    o.step(closure);
    return [first, p];
  },
  lbfgsWithLineSearch() {
    const p = leaf(-1.5, 2);
    const o = new optim.LBFGS([p], { maxIter: 10, lineSearchFn: "strongWolfe" });
    o.step(() => {
      o.zeroGrad();
      const valley = p.at(1).sub(p.at(0).pow(2)).pow(2).mul(100);
      const loss = p.at(0).neg().add(1).pow(2).add(valley);
      loss.backward();
      return loss;
    });
    return p;
  },
  noParameters() {
    new optim.SGD([], { lr: 0.1 });
  },
  aTensorInsteadOfAList() {
    new optim.SGD(leaf(1, 2), { lr: 0.1 });
  },
  parameterThatIsNoLeaf() {
    new optim.SGD([leaf(1, 2).mul(2)], { lr: 0.1 });
  },
  parameterThatRequiresNoGrad() {
    const p = torch.ones([2]);
    const o = new optim.SGD([p], { lr: 0.1 });
    o.step();
    return p;
  },
  theSameParameterTwice() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p, p], { lr: 0.1 });
    slope(p).backward();
    o.step();
    return p;
  },
  theSameParameterInTwoGroups() {
    const p = leaf(1, 2);
    new optim.SGD([{ params: [p] }, { params: [p] }], { lr: 0.1 });
  },
  twoGroupsWithRates() {
    const [p, q] = [leaf(1, 2), leaf(3)];
    const o = new optim.SGD([{ params: [p], lr: 0.5 }, { params: [q] }], { lr: 0.1, momentum: 0.9 });
    for (let i = 0; i < 2; i++) {
      o.zeroGrad();
      slope(p, q).backward();
      o.step();
    }
    return [p, q, o.paramGroups.map(({ lr }) => lr)];
  },
  stepBeforeBackward() {
    const p = leaf(1, 2);
    const o = new optim.Adam([p], { lr: 0.1 });
    o.step();
    slope(p).backward();
    o.step();
    return p;
  },
  forgottenZeroGradAddsGradients() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    for (let i = 0; i < 3; i++) {
      slope(p).backward();
      o.step();
    }
    return [p, p.grad];
  },
  zeroGradAfterBackwardDoesNothing() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    slope(p).backward();
    o.zeroGrad();
    o.step();
    return [p, p.grad];
  },
  stepBetweenTwoBackwardsOfOneGraph() {
    const [p, q] = [leaf(1, 2), leaf(3, 4)];
    const o = new optim.SGD([q], { lr: 0.1 });
    const loss = p.mul(q).sum();
    loss.backward(null, { retainGraph: true });
    o.step();
    loss.backward();
    return p.grad;
  },
  adamStepBetweenTwoBackwards() {
    const [p, q] = [leaf(1, 2), leaf(3, 4)];
    const o = new optim.Adam([q], { lr: 0.1 });
    const loss = p.mul(q).sum();
    loss.backward(null, { retainGraph: true });
    o.step();
    return [refused(() => loss.backward()), p.grad];
  },
  generatorStepsBeforeDiscriminatorsBackward() {
    torch.manualSeed(3);
    const [g, d] = [new nn.Linear(2, 2), new nn.Linear(2, 1)];
    const og = new optim.AdamW(g.parameters(), { lr: 0.1 });
    const score = d(g(torch.ones([1, 2])));
    const loss = score.neg().add(1).sum();
    loss.backward(null, { retainGraph: true });
    og.step();
    score.mul(score).sum().backward();
    return d.weight.grad;
  },
  discriminatorStepsBeforeGeneratorsBackward() {
    torch.manualSeed(3);
    const [g, d] = [new nn.Linear(2, 2), new nn.Linear(2, 1)];
    const od = new optim.SGD(d.parameters(), { lr: 0.1 });
    const score = d(g(torch.ones([1, 2])));
    score.sum().backward(null, { retainGraph: true });
    od.step();
    score.neg().add(1).sum().backward();
    return g.weight.grad;
  },
  ganWithDetach() {
    torch.manualSeed(3);
    const [g, d] = [new nn.Linear(2, 2), new nn.Linear(2, 1)];
    const og = new optim.SGD(g.parameters(), { lr: 0.1 });
    const od = new optim.SGD(d.parameters(), { lr: 0.1 });
    for (let i = 0; i < 2; i++) {
      const fake = g(torch.ones([1, 2]));
      od.zeroGrad();
      d(fake.detach()).pow(2).sum().backward();
      od.step();
      og.zeroGrad();
      d(fake).neg().add(1).pow(2).sum().backward();
      og.step();
    }
    return [g.weight, d.weight];
  },
  rateChangedByHand() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    for (const lr of [0.1, 0.01]) {
      o.zeroGrad();
      slope(p).backward();
      o.paramGroups[0]!.lr = lr;
      o.step();
    }
    return p;
  },
  parameterFrozenBetweenSteps() {
    const [p, q] = [leaf(1, 2), leaf(3)];
    const o = new optim.SGD([p, q], { lr: 0.1, momentum: 0.9 });
    for (let i = 0; i < 3; i++) {
      o.zeroGrad();
      slope(p, q).backward();
      o.step();
      if (i === 0) q.requiresGrad_(false);
    }
    return [p, q];
  },
  gradientOfZerosStillMovesByMomentum() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1, momentum: 0.9 });
    slope(p).backward();
    o.step();
    p.grad!.zero_();
    o.step();
    return p;
  },
  gradientOfNoneDoesNotMove() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1, momentum: 0.9 });
    slope(p).backward();
    o.step();
    p.grad = null;
    o.step();
    return p;
  },
  groupAddedLater() {
    const [p, q] = [leaf(1, 2), leaf(3)];
    const o = new optim.Adam([p], { lr: 0.1 });
    slope(p).backward();
    o.step();
    o.addParamGroup({ params: [q], lr: 0.01 });
    o.zeroGrad();
    slope(p, q).backward();
    o.step();
    return [p, q];
  },
  groupAddedTwice() {
    const p = leaf(1, 2);
    const o = new optim.Adam([p], { lr: 0.1 });
    o.addParamGroup({ params: [p] });
  },
  gradientOfAnotherShape() {
    const p = leaf(1, 2);
    p.grad = torch.ones([3]);
  },
  gradientOfAnotherDtype() {
    const p = leaf(1, 2);
    p.grad = torch.ones([2], { dtype: "float64" });
  },
  channelsLastBetweenSteps() {
    torch.manualSeed(1);
    const m = new nn.Conv2d(2, 3, 3);
    const o = new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9 });
    const x = torch.arange(32, { dtype: "float32" }).reshape([1, 2, 4, 4]).div(32);
    for (let i = 0; i < 4; i++) {
      if (i === 2) m.to({ memoryFormat: "channels_last" });
      o.zeroGrad();
      m(x).pow(2).sum().backward();
      o.step();
    }
    return [m.weight, m.bias];
  },
  adamOnATransposedParameter() {
    const p = torch.arange(6, { dtype: "float32" }).reshape([2, 3]).t().requiresGrad_();
    const o = new optim.Adam([p], { lr: 0.1 });
    for (let i = 0; i < 2; i++) {
      o.zeroGrad();
      p.mul(torch.arange(6, { dtype: "float32" }).reshape([3, 2]))
        .sum()
        .backward();
      o.step();
    }
    return p;
  },
  clippedByNorm() {
    const p = leaf(3, 4);
    const o = new optim.SGD([p], { lr: 1 });
    slope(p).backward();
    const norm = nn.utils.clipGradNorm_([p], 1);
    o.step();
    return [norm, p];
  },
  clippedByValue() {
    const p = leaf(3, -4, 0.5);
    slope(p).backward();
    nn.utils.clipGradValue_([p], 1);
    return p.grad;
  },
  clippedBeforeBackward() {
    const p = leaf(3, 4);
    const norm = nn.utils.clipGradNorm_([p], 1);
    return [norm, p.grad];
  },
  nanGradientSpoilsAdam() {
    const p = leaf(1, 2);
    const o = new optim.Adam([p], { lr: 0.1 });
    p.grad = torch.tensor([NaN, 1]);
    o.step();
    p.grad = torch.ones([2]);
    o.step();
    return p;
  },
  gradientAccumulationOverTwoBatches() {
    torch.manualSeed(2);
    const m = new nn.Linear(2, 1);
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    const data = torch.arange(8, { dtype: "float32" }).reshape([4, 2]);
    for (let i = 0; i < 4; i++) {
      m(data.at(torch.slice(i, i + 1)))
        .pow(2)
        .mean()
        .div(2)
        .backward();
      if (i % 2 === 1) {
        o.step();
        o.zeroGrad();
      }
    }
    return [m.weight, m.bias];
  },
};
