// What shares memory with what between forward, backward and step. aliases.py has the same programs.
import { functional as F, nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const ones = (...shape: number[]): Tensor => torch.ones(shape);
const whole = (...values: number[]): Tensor => torch.tensor(values, { dtype: "int64" });

class Holder extends nn.Module {
  declare x: Tensor;
  override forward(x: Tensor): Tensor {
    return x;
  }
}

export const aliases: Programs = {
  gradientGivenToBackwardIsNotKept() {
    const x = leaf(1, 2);
    const g = ones(2);
    x.backward(g);
    x.grad!.add_(5);
    return [g, x.grad];
  },
  gradientSetByHandIsAddedTo() {
    const x = leaf(1, 2);
    const g = ones(2);
    x.grad = g;
    x.mul(3).sum().backward();
    return [g, x.grad];
  },
  gradientHeldOverZeroGrad() {
    const x = leaf(1, 2);
    const o = new optim.SGD([x], { lr: 0.1 });
    x.mul(3).sum().backward();
    const g = x.grad;
    o.zeroGrad();
    x.mul(5).sum().backward();
    return [g, x.grad];
  },
  gradientOfASumCanBeWritten() {
    const x = leaf(1, 2, 3);
    x.sum().backward();
    x.grad!.setAt(0, 5);
    return x.grad;
  },
  gradientOfASumOfTwo() {
    const [x, y] = [leaf(1, 2), leaf(3, 4)];
    x.add(y).sum().backward();
    x.grad!.mul_(10);
    return [x.grad, y.grad];
  },
  hookThatWritesIntoTheGradient() {
    const [x, y] = [leaf(1, 2), leaf(3, 4)];
    const z = x.mul(2).add(y.mul(2));
    z.registerHook((g) => g.mul(2));
    x.registerHook((g) => g.clone().mul_(2));
    z.sum().backward();
    return [x.grad, y.grad];
  },
  gradientsOfGradDoNotShare() {
    const x = leaf(1, 2);
    const [a, b] = [x.mul(1), x.mul(1)];
    const [g, h] = torch.grad(a.add(b).sum(), [a, b]);
    return [g!.clone().mul_(3), h];
  },
  tensorMadeOfATensorIsACopy() {
    const x = ones(2);
    const [y, z] = [x.clone(), x.detach()];
    x.add_(1);
    return [y, z];
  },
  toTheSameIsTheSame() {
    const x = ones(2);
    const [y, z] = [x.to("float32"), x.float()];
    const w = x.to("float32", { copy: true });
    x.add_(1);
    return [y, z, w];
  },
  toAnotherDtypeIsACopy() {
    const x = ones(2);
    const y = x.double();
    x.add_(1);
    return y;
  },
  asTensorSharesAndTensorCopies() {
    const x = ones(2);
    const y = torch.asTensor(x);
    x.add_(1);
    return y;
  },
  parameterOfATensorShares() {
    const x = ones(2);
    const p = new nn.Parameter(x);
    x.add_(1);
    return p;
  },
  parameterOfAResultIsALeaf() {
    const x = leaf(1, 2);
    const p = new nn.Parameter(x.mul(2));
    p.mul(3).sum().backward();
    return [p.isLeaf, p.grad, x.grad];
  },
  bufferShares() {
    const m = new Holder();
    const x = ones(2);
    m.registerBuffer("x", x);
    x.add_(1);
    return m.x;
  },
  momentumIsNoGradient() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1, momentum: 0.9 });
    p.mul(3).sum().backward();
    o.step();
    p.grad!.zero_();
    return o.stateDict().state[0]!["momentum_buffer"];
  },
  weightsWrittenByHandBetweenForwardAndBackward() {
    const m = new nn.Linear(2, 2);
    const y = m(ones(1, 2).requiresGrad_()).sum();
    nn.init.zeros_(m.weight);
    y.backward();
  },
  biasesWrittenByHandBetweenForwardAndBackward() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 2);
    const x = ones(1, 2).requiresGrad_();
    const y = m(x).sum();
    nn.init.zeros_(m.bias!);
    y.backward();
    return x.grad;
  },
  stepBetweenForwardAndBackward() {
    const m = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 1));
    const o = new optim.RMSprop(m.parameters(), { lr: 0.1 });
    m(ones(1, 2)).sum().backward();
    const y = m(ones(1, 2)).sum();
    o.step();
    y.backward();
  },
  zeroGradBetweenForwardAndBackward() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    m(ones(1, 2)).sum().backward();
    const y = m(ones(1, 2).mul(3)).sum();
    m.zeroGrad();
    y.backward();
    return m.weight.grad;
  },
  sgdByHand() {
    const x = leaf(1, 2);
    for (let i = 0; i < 3; i++) {
      x.pow(2).sum().backward();
      torch.noGrad(() => x.sub_(x.grad!.mul(0.1)));
      x.grad = null;
    }
    return x;
  },
  sgdByHandLosesTheLeaf() {
    let x = leaf(1, 2);
    x.pow(2).sum().backward();
    x = x.sub(x.grad!.mul(0.1));
    x.pow(2).sum().backward();
    return x.grad;
  },
  sgdByHandWithoutNoGrad() {
    const x = leaf(1, 2);
    x.pow(2).sum().backward();
    x.sub_(x.grad!.mul(0.1));
  },
  batchNormEvaluatedThenTrained() {
    torch.manualSeed(0);
    const m = new nn.BatchNorm1d(2).eval();
    const x = torch.tensor(
      [
        [1, 2],
        [3, 7],
      ],
      { dtype: "float32", requiresGrad: true },
    );
    const y = m(x)
      .mul(torch.tensor([1, 3], { dtype: "float32" }))
      .sum();
    m.train()(x.detach());
    y.backward();
    return x.grad;
  },
  runningMeanSetBetween() {
    const m = new nn.BatchNorm1d(2).eval();
    const x = ones(2, 2).requiresGrad_();
    const y = m(x).pow(2).sum();
    m.resetRunningStats();
    m.runningVar!.fill_(4);
    return refused(() => y.backward());
  },
  inputChangedAfterTheLayer() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    const x = ones(1, 2);
    const y = m(x).sum();
    x.fill_(100);
    y.backward();
  },
  inputChangedAfterAnActivation() {
    const first = new nn.Linear(2, 2);
    const m = new nn.Sequential(first, new nn.ReLU());
    const x = ones(1, 2);
    const y = m(x.clone()).sum();
    x.fill_(100);
    y.backward();
    return [0, 1].includes(first.weight.grad!.at(0, 0).item());
  },
  targetChangedAfterTheLoss() {
    const x = leaf(1, 2);
    const t = torch.zeros([2]);
    const y = new nn.MSELoss()(x, t);
    t.fill_(9);
    y.backward();
  },
  classWeightsChangedAfterTheLoss() {
    const x: Tensor = torch.zeros([1, 2], { requiresGrad: true });
    const w = ones(2);
    const y = new nn.CrossEntropyLoss({ weight: w })(x, whole(1));
    w.fill_(9);
    y.backward();
  },
  indexChangedAfterTheGather() {
    const x = leaf(1, 2, 3);
    const i = whole(0, 1);
    const y = x.gather(0, i).sum();
    i.fill_(2);
    y.backward();
  },
  indexChangedAfterTheRead() {
    const x = leaf(1, 2, 3);
    const i = whole(0, 1);
    const y = x.at(i).sum();
    i.fill_(2);
    y.backward();
  },
  maskChangedAfterTheRead() {
    const x = leaf(1, 2, 3);
    const m = torch.tensor([true, false, true]);
    const y = x.at(m).pow(2).sum();
    m.fill_(true);
    y.backward();
  },
  embeddingIndexChanged() {
    const m = new nn.Embedding(3, 1);
    const i = whole(0, 1);
    const y = m(i).sum();
    i.fill_(2);
    y.backward();
  },
  dropoutResultChanged() {
    const x = torch.ones([4], { requiresGrad: true });
    const y = F.dropout(x, 0.5);
    y.mul_(2);
    y.sum().backward();
    return x.grad!.eq(y);
  },
  outWritesWhatBackwardNeeds() {
    const y = leaf(1, 2).mul(1);
    const z = y.mul(y).sum();
    torch.noGrad(() => torch.add(torch.ones([2]), 1, { out: y.detach() }));
    z.backward();
  },
  foreachWritesWhatBackwardNeeds() {
    const y = leaf(1, 2).mul(1);
    const z = y.mul(y).sum();
    torch.noGrad(() => torch.ops.aten._foreach_mul_.Scalar([y], 2));
    z.backward();
  },
  clipWritesGradientsOfAGraph() {
    const x = leaf(1, 2);
    x.pow(3).sum().backward({ createGraph: true });
    const g = x.grad!;
    const s = g.mul(g).sum();
    nn.utils.clipGradNorm_([x], 1);
    s.backward();
  },
  averageOfAModel() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    const a = new optim.AveragedModel(m);
    for (let k = 0; k < 3; k++) {
      torch.noGrad(() => m.weight.fill_(k));
      a.updateParameters(m);
    }
    return [a.module.getParameter("weight"), m.weight, a.nAveraged];
  },
  movingAverageOfAModel() {
    const m = new nn.Linear(2, 1);
    torch.noGrad(() => m.weight.fill_(1));
    const a = new optim.AveragedModel(m, { multiAvgFn: optim.getEmaMultiAvgFn(0.9) });
    for (let k = 0; k < 3; k++) {
      torch.noGrad(() => m.weight.fill_(k));
      a.updateParameters(m);
    }
    return a.module.getParameter("weight");
  },
  averageUpdatedBetweenForwardAndBackward() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 2);
    const a = new optim.AveragedModel(m);
    a.updateParameters(m);
    const x = ones(1, 2).requiresGrad_();
    const y = a(x).sum();
    torch.noGrad(() => m.weight.fill_(3));
    a.updateParameters(m);
    return refused(() => y.backward());
  },
  stateTakenBeforeTrainingChangesWithIt() {
    torch.manualSeed(0);
    const m = new nn.Linear(1, 1, { bias: false });
    const best = m.stateDict();
    const kept = m.weight.detach().clone();
    const o = new optim.SGD(m.parameters(), { lr: 1 });
    m(ones(1, 1)).sum().backward();
    o.step();
    return [best["weight"]!.eq(m.weight), kept.sub(m.weight)];
  },
  optimizerStateTakenBeforeTrainingChangesWithIt() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1, momentum: 0.5 });
    p.mul(3).sum().backward();
    o.step();
    const s = o.stateDict();
    o.step();
    return s.state[0]!["momentum_buffer"];
  },
  freedGraphFreesWhatItSaved() {
    const x = leaf(1, 2);
    const y = x.exp();
    const z = y.sum();
    z.backward();
    y.mul_(2);
    return [x.grad, y];
  },
};
