// Graphs of autograd: backward, grad, hooks, functions of one's own, modes. graphs.py has the same programs.
import { autograd, nn, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

class Cube extends autograd.Function {
  static forward(ctx: autograd.FunctionContext, x: Tensor): Tensor {
    ctx.saveForBackward(x);
    return x.pow(3);
  }
  static backward(ctx: autograd.FunctionContext, grad: Tensor): Tensor {
    const [x] = ctx.savedTensors;
    return grad.mul(3).mul(x!.pow(2));
  }
}

export const graphs: Programs = {
  backwardTwice() {
    const y = leaf(1, 2).pow(2).sum();
    y.backward();
    y.backward();
  },
  backwardTwiceOfASum() {
    const x = leaf(1, 2);
    const y = x.sum();
    y.backward();
    y.backward();
    return x.grad;
  },
  backwardTwiceWithRetainGraph() {
    const x = leaf(1, 2);
    const y = x.pow(2).sum();
    y.backward({ retainGraph: true });
    y.backward();
    return [x.grad, refused(() => y.backward())];
  },
  sharedGraphFreedByTheFirstLoss() {
    const x = leaf(1, 2);
    const h = x.exp();
    h.mul(2).sum().backward();
    return [x.grad, refused(() => h.mul(3).sum().backward())];
  },
  backwardOfManyElements() {
    leaf(1, 2).mul(2).backward();
  },
  backwardWithAGradient() {
    const x = leaf(1, 2);
    x.mul(2).backward(torch.tensor([1, 10], { dtype: "float32" }));
    return x.grad;
  },
  backwardWithAGradientOfAnotherShape() {
    leaf(1, 2)
      .mul(2)
      .backward(torch.ones([3]));
  },
  backwardWithoutAGraph() {
    torch.ones([2]).sum().backward();
  },
  backwardOfIntegers() {
    torch.tensor([1, 2], { dtype: "int64", requiresGrad: true });
  },
  argmaxHasNoGradient() {
    leaf(1, 2).argmax().backward();
  },
  gradientOfWhatIsNoLeaf() {
    const x = leaf(1, 2);
    const y = x.mul(2);
    y.sum().backward();
    return [y.grad, x.grad];
  },
  retainGrad() {
    const x = leaf(1, 2);
    const y = x.mul(2);
    y.retainGrad();
    y.mul(y).sum().backward();
    return [y.grad, x.grad];
  },
  retainGradOfWhatRequiresNone() {
    torch.ones([2]).retainGrad();
  },
  detachCuts() {
    const x = leaf(1, 2);
    const y = x.mul(2);
    y.detach().mul(y).sum().backward();
    return x.grad;
  },
  detachInPlaceOfAView() {
    const x = leaf(1, 2);
    const y = x.mul(2).at(0);
    y.detach_();
    return y;
  },
  requiresGradOfWhatIsNoLeaf() {
    const y = leaf(1, 2).mul(2);
    y.requiresGrad_(false);
  },
  requiresGradSwitchedOffInTheMiddle() {
    const x = leaf(1, 2);
    const y = x.mul(x).sum();
    x.requiresGrad_(false);
    y.backward();
    return [x.grad, x.requiresGrad];
  },
  gradOfUnused() {
    const [x, y] = [leaf(1, 2), leaf(3)];
    return [refused(() => torch.grad(x.sum(), [x, y])), torch.grad(x.sum(), [x, y], { allowUnused: true })];
  },
  gradDoesNotFillGrad() {
    const x = leaf(1, 2);
    const [g] = torch.grad(x.pow(2).sum(), x);
    return [g, x.grad];
  },
  secondDerivative() {
    const x = leaf(2, 3);
    const [g] = torch.grad(x.pow(3).sum(), x, { createGraph: true });
    const [h] = torch.grad(g!.sum(), x);
    return [g, h];
  },
  secondDerivativeWithoutCreateGraph() {
    const x = leaf(2, 3);
    const [g] = torch.grad(x.pow(3).sum(), x);
    torch.grad(g!.sum(), x);
  },
  gradientPenalty() {
    torch.manualSeed(0);
    const first = new nn.Linear(2, 3);
    const last = new nn.Linear(3, 1);
    const m = new nn.Sequential(first, new nn.Tanh(), last);
    const x = torch.ones([2, 2], { requiresGrad: true });
    const [g] = torch.grad(m(x).sum(), x, { createGraph: true });
    g!.norm(2, 1).sub(1).pow(2).mean().backward();
    return [first.weight.grad, last.bias!.grad];
  },
  inputsOfBackward() {
    const [x, y] = [leaf(1, 2), leaf(3, 4)];
    x.mul(y)
      .sum()
      .backward({ inputs: [x] });
    return [x.grad, y.grad];
  },
  hookChangesTheGradient() {
    const x = leaf(1, 2);
    const y = x.mul(3);
    y.registerHook((g) => g.mul(10));
    y.sum().backward();
    return x.grad;
  },
  hookRemoved() {
    const x = leaf(1, 2);
    const handle = x.registerHook((g) => g.mul(10));
    handle.remove();
    x.mul(3).sum().backward();
    return x.grad;
  },
  twoHooksInTheirOrder() {
    const x = leaf(1, 2);
    x.registerHook((g) => g.add(1));
    x.registerHook((g) => g.mul(10));
    x.mul(3).sum().backward();
    return x.grad;
  },
  hookOfAnotherShape() {
    const x = leaf(1, 2);
    x.registerHook(() => torch.ones([3]));
    x.mul(3).sum().backward();
    return x.grad;
  },
  hookOfWhatRequiresNone() {
    torch.ones([2]).registerHook((g) => g);
  },
  hookThatThrows() {
    const x = leaf(1, 2);
    x.registerHook(() => {
      throw new RangeError("no");
    });
    x.mul(3).sum().backward();
  },
  hookAfterAccumulation() {
    const x = leaf(1, 2);
    const seen: Tensor[] = [];
    x.registerPostAccumulateGradHook((p) => {
      seen.push(p.grad!.clone());
    });
    x.mul(3).sum().backward();
    x.mul(2).sum().backward();
    return seen;
  },
  gradientsMeetInASharedLeaf() {
    const x = leaf(2);
    const y = x.mul(2);
    const z = y.mul(y).add(y);
    z.backward(torch.ones([1]));
    return x.grad;
  },
  noGradGivesWhatRequiresNone() {
    const x = leaf(1, 2);
    const inside = torch.noGrad(() => {
      const y = x.mul(2);
      const z = torch.ones([2], { requiresGrad: true });
      return [y.requiresGrad, z.requiresGrad, torch.isGradEnabled()];
    });
    return [...inside, torch.isGradEnabled()];
  },
  enableGradInsideNoGrad() {
    const x = leaf(1, 2);
    const y = torch.noGrad(() => torch.enableGrad(() => x.mul(2)));
    y.sum().backward();
    return x.grad;
  },
  noGradEndsAfterAnError() {
    refused(() => torch.noGrad(() => leaf(0, 0).reshape([3])));
    return torch.isGradEnabled();
  },
  layerCalledUnderNoGrad() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    const y = torch.noGrad(() => m(torch.ones([1, 2])));
    y.sum().backward();
  },
  inferenceTensorInAutograd() {
    const x = leaf(1, 2);
    const y = torch.inferenceMode(() => torch.ones([2]));
    return [refused(() => x.mul(y).sum().backward()), x.add(y.clone()).requiresGrad];
  },
  inferenceTensorChangedOutside() {
    const y = torch.inferenceMode(() => torch.ones([2]));
    y.add_(1);
    return y;
  },
  parameterFrozen() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 2);
    m.weight.requiresGrad_(false);
    m(torch.ones([1, 2]))
      .sum()
      .backward();
    return [m.weight.grad, m.bias!.grad];
  },
  allFrozen() {
    const m = new nn.Linear(2, 2);
    for (const p of m.parameters()) p.requiresGrad_(false);
    m(torch.ones([1, 2]))
      .sum()
      .backward();
  },
  checkpointedGradient() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 2);
    const x = leaf(1, 2);
    torch
      .checkpoint((t: Tensor) => m(t).tanh(), [x])
      .sum()
      .backward();
    return [x.grad, m.weight.grad];
  },
  functionOfOnesOwn() {
    const x = leaf(2, 3);
    Cube.apply(x).sum().backward();
    return x.grad;
  },
  functionOfOnesOwnWhoseInputChanged() {
    const x = leaf(2, 3);
    const y = x.mul(1);
    const z = Cube.apply(y);
    y.add_(1);
    z.sum().backward();
    return x.grad;
  },
  functionOfOnesOwnTwiceDifferentiable() {
    const x = leaf(2, 3);
    const [g] = torch.grad(Cube.apply(x).sum(), x, { createGraph: true });
    const [h] = torch.grad(g!.sum(), x);
    return [g, h];
  },
  normAtZero() {
    const x = torch.zeros([3], { requiresGrad: true });
    x.norm().backward();
    return x.grad;
  },
  squareRootAtZero() {
    const x = torch.zeros([2], { requiresGrad: true });
    x.sqrt().sum().backward();
    return x.grad;
  },
  whereDoesNotHideNan() {
    const x = torch.zeros([2], { requiresGrad: true });
    torch.where(x.gt(0), x.sqrt(), x).sum().backward();
    return x.grad;
  },
  maxSharesAmongEquals() {
    const x = leaf(2, 2, 1);
    x.max().backward();
    const g = x.grad!.clone();
    x.grad = null;
    x.max(0).values.backward();
    return [g, x.grad];
  },
  absAtZero() {
    const x = leaf(-1, 0, 2);
    x.abs().sum().backward();
    return x.grad;
  },
};
