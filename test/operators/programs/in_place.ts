// Tensors changed in place under autograd. in_place.py has the same programs.
import { functional as F, nn, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

export const inPlace: Programs = {
  expNeedsItsResult() {
    const x = leaf(1, 2, 3);
    const y = x.exp();
    y.add_(1);
    y.sum().backward();
    return x.grad;
  },
  reluInPlaceThenChanged() {
    const x = leaf(-1, 2, 3);
    const y = x.mul(2).relu_();
    y.mul_(3);
    y.sum().backward();
    return x.grad;
  },
  addDoesNotNeedItsResult() {
    const x = leaf(1, 2, 3);
    const y = x.add(1);
    y.mul_(2);
    y.sum().backward();
    return x.grad;
  },
  squareNeedsItsInput() {
    const x = leaf(1, 2, 3);
    const y = x.mul(1);
    const z = y.pow(2);
    y.add_(1);
    z.sum().backward();
    return x.grad;
  },
  mulByNumberDoesNotNeedItsInput() {
    const x = leaf(1, 2, 3);
    const y = x.mul(1);
    const z = y.mul(5);
    y.zero_();
    z.sum().backward();
    return [x.grad, y];
  },
  leafThatRequiresGrad() {
    const x = leaf(1, 2);
    x.add_(1);
    return x;
  },
  leafUnderNoGrad() {
    const x = leaf(1, 2);
    torch.noGrad(() => x.add_(1));
    x.mul(x).sum().backward();
    return [x, x.grad, x.requiresGrad];
  },
  leafChangedBetweenForwardAndBackward() {
    const x = leaf(1, 2);
    const y = x.mul(x).sum();
    torch.noGrad(() => x.mul_(10));
    y.backward();
    return x.grad;
  },
  viewOfLeaf() {
    const x = leaf(1, 2, 3);
    x.at(torch.slice(null, 2)).zero_();
    return x;
  },
  viewOfLeafUnderNoGrad() {
    const x = leaf(1, 2, 3);
    torch.noGrad(() => x.at(torch.slice(null, 2)).zero_());
    x.mul(2).sum().backward();
    return [x, x.grad];
  },
  detachSharesMemoryAndVersion() {
    const x = leaf(1, 2, 3);
    const y = x.mul(x);
    x.detach().zero_();
    return [refused(() => y.sum().backward()), x];
  },
  dataDoesNotShareItsVersion() {
    const x = leaf(1, 2, 3);
    const y = x.mul(x);
    const z = torch.noGrad(() => x.detach().clone());
    z.zero_();
    y.sum().backward();
    return x.grad;
  },
  sigmoidInPlaceTwice() {
    const x = leaf(0.5, -0.5);
    const y = x.clone().sigmoid_();
    const z = y.sigmoid();
    z.sum().backward();
    return x.grad;
  },
  sigmoidResultOverwritten() {
    const x = leaf(0.5, -0.5);
    const y = x.clone().sigmoid_();
    y.sigmoid_();
    y.sum().backward();
    return x.grad;
  },
  gradientThroughIndexAssignment() {
    const x = leaf(1, 2, 3);
    const y = torch.zeros([3]);
    y.setAt(1, x.at(0).mul(x.at(2)));
    y.sum().backward();
    return [y, x.grad];
  },
  overwrittenElementHasNoGradient() {
    const x = leaf(1, 2, 3);
    const y = x.mul(2);
    y.setAt(0, 0);
    y.sum().backward();
    return x.grad;
  },
  fillCutsTheGradient() {
    const x = leaf(1, 2, 3);
    const y = x.mul(2);
    y.fill_(7);
    y.sum().backward();
    return [y, x.grad];
  },
  maskedFillInPlace() {
    const x = leaf(1, -2, 3);
    const y = x.clone();
    y.maskedFill_(x.lt(0), 0);
    y.mul(y).sum().backward();
    return [y, x.grad];
  },
  copyPassesTheGradient() {
    const x = leaf(1, 2, 3);
    const y = torch.zeros([3]);
    y.copy_(x.mul(2));
    y.mul(y).sum().backward();
    return [y.requiresGrad, x.grad];
  },
  cloneThenChange() {
    const x = leaf(1, 2, 3);
    const y = x.exp();
    const z = y.clone();
    z.add_(1);
    y.sum().add(z.sum()).backward();
    return x.grad;
  },
  softmaxThenDividedInPlace() {
    const x = leaf(1, 2, 3);
    const y = x.softmax(0);
    y.div_(2);
    y.sum().backward();
    return x.grad;
  },
  matmulNeedsBoth() {
    const a = torch.ones([2, 2], { requiresGrad: true });
    const b = torch.ones([2, 2], { requiresGrad: true });
    const c = b.mul(1);
    const d = a.matmul(c);
    c.zero_();
    d.sum().backward();
    return a.grad;
  },
  matmulNeedsOnlyWhatRequiresGrad() {
    const a = torch.ones([2, 2], { requiresGrad: true });
    const b = torch.ones([2, 2]);
    const d = a.matmul(b);
    a.detach().zero_();
    d.sum().backward();
    return a.grad;
  },
  accumulatedSum() {
    const x = leaf(1, 2, 3);
    const total = torch.zeros([1]);
    for (let i = 0; i < 3; i++) total.add_(x.at(i).mul(x.at(i)));
    total.backward();
    return [total, x.grad];
  },
  runningStateInPlaceKeepsTheGraph() {
    const w = leaf(2);
    const h = torch.zeros([1]);
    for (let i = 0; i < 3; i++) h.mul_(w).add_(1);
    h.sum().backward();
    return w.grad;
  },
  runningStateOutOfPlace() {
    const w = leaf(2);
    let h: Tensor = torch.zeros([1]);
    for (let i = 0; i < 3; i++) h = h.mul(w).add(1);
    h.sum().backward();
    return w.grad;
  },
  dropoutInPlaceThenLinear() {
    const x = torch.ones([2, 4], { requiresGrad: true });
    const y = torch.dropout_(x.mul(1), 0.5, true);
    y.sum().backward();
    return [y, x.grad];
  },
  reluInPlaceModuleAfterLinear() {
    torch.manualSeed(1);
    const net = new nn.Sequential(new nn.Linear(3, 2), new nn.ReLU({ inplace: true }), new nn.Linear(2, 1));
    net(torch.ones([2, 3]))
      .sum()
      .backward();
    return [...net.parameters()].map((p) => p.grad);
  },
  residualAddedInPlace() {
    torch.manualSeed(1);
    const a = new nn.Linear(2, 2);
    const x = torch.ones([1, 2]);
    const y = F.relu(a(x));
    y.add_(x);
    y.sum().backward();
    return [y, a.weight.grad];
  },
  sigmoidThenResidualInPlace() {
    torch.manualSeed(1);
    const a = new nn.Linear(2, 2);
    const y = torch.sigmoid(a(torch.ones([1, 2])));
    y.add_(1);
    y.sum().backward();
    return a.weight.grad;
  },
  unbindGivesViewsThatMayNotChange() {
    const x = leaf(1, 2, 3);
    const [a] = x.mul(2).unbind(0);
    a!.add_(1);
    return a;
  },
  chunkGivesViewsThatMayNotChange() {
    const x = leaf(1, 2, 3, 4);
    const [a, b] = x.mul(2).chunk(2);
    return [refused(() => a!.mul_(2)), b];
  },
  viewChangedBaseUsed() {
    const x = leaf(1, 2, 3, 4);
    const y = x.mul(1);
    y.view([2, 2]).at(0).mul_(10);
    y.mul(torch.arange(4, { dtype: "float32" }))
      .sum()
      .backward();
    return [y, x.grad];
  },
  baseChangedViewUsed() {
    const x = leaf(1, 2, 3, 4);
    const y = x.mul(1);
    const v = y.view([2, 2]);
    y.mul_(3);
    v.at(1).sum().backward();
    return [v, x.grad];
  },
  transposedViewChanged() {
    const x = torch.arange(6, { dtype: "float32" }).reshape([2, 3]).requiresGrad_();
    const y = x.mul(1);
    y.t().setAt(0, 5);
    y.sum().backward();
    return [y, x.grad];
  },
  expandedCannotBeWritten() {
    const x = torch.zeros([1, 3]).expand([2, 3]);
    x.add_(1);
    return x;
  },
  indexPutAccumulatesWithGradient() {
    const x = torch.zeros([4]);
    const v = leaf(1, 2, 3);
    const y = x.indexPut([torch.tensor([0, 1, 1])], v, true);
    y.mul(y).sum().backward();
    return [y, v.grad];
  },
  scatterAddInPlaceWithGradient() {
    const v = leaf(1, 2, 3);
    const y = torch.zeros([2]).scatterAdd_(0, torch.tensor([0, 1, 0]), v);
    y.mul(y).sum().backward();
    return [y, v.grad];
  },
  indexAddInPlaceWithGradient() {
    const v = leaf(1, 2, 3);
    const y = torch.ones([2]).indexAdd_(0, torch.tensor([1, 1, 0]), v, { alpha: 2 });
    y.mul(y).sum().backward();
    return [y, v.grad];
  },
  clampInPlace() {
    const x = leaf(-2, 0.5, 2);
    const y = x.mul(1).clamp_(-1, 1);
    y.sum().backward();
    return [y, x.grad];
  },
  outRefusesWhatRequiresGrad() {
    const a = leaf(1, 2);
    const out = torch.zeros([2]);
    torch.add(a, a, { out });
    return out;
  },
  outUnderNoGrad() {
    const a = leaf(1, 2);
    const out = torch.zeros([2]);
    torch.noGrad(() => torch.add(a, a, { out }));
    return [out, out.requiresGrad];
  },
  squeezeAndUnsqueezeInPlace() {
    const x = leaf(1, 2, 3);
    const y: Tensor = x.mul(2).unsqueeze_(0);
    y.squeeze_(0).mul_(2);
    y.sum().backward();
    return [y, x.grad];
  },
  gradientChangedInPlaceAfterBackward() {
    const x = leaf(1, 2);
    x.mul(3).sum().backward();
    x.grad!.mul_(2);
    x.mul(3).sum().backward();
    return x.grad;
  },
  gradientZeroedInPlaceIsTheSameTensor() {
    const x = leaf(1, 2);
    x.mul(3).sum().backward();
    const g = x.grad;
    x.grad!.zero_();
    x.mul(5).sum().backward();
    return g;
  },
  swappedRowsNeedAClone() {
    const x = torch.arange(4, { dtype: "float32" }).reshape([2, 2]);
    x.setAt(0, x.at(1).clone());
    x.setAt(1, x.at(0));
    return x;
  },
  whereThenInplaceOnCondition() {
    const x = leaf(1, -2, 3);
    const mask = x.detach().gt(0);
    const y = torch.where(mask, x.mul(2), x.mul(3));
    mask.fill_(true);
    y.sum().backward();
    return x.grad;
  },
  maxNeedsItsIndices() {
    const x = leaf(1, 5, 3);
    const [values, indices] = x.mul(2).max(0);
    indices.zero_();
    values.backward();
    return x.grad;
  },
};
