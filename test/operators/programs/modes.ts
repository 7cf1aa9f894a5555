// Modes, functions of one's own and second derivatives. modes.py has the same programs.
import { autograd, functional as F, nn, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

type Context = autograd.FunctionContext;
const ones = (...shape: number[]): Tensor => torch.ones(shape);
const float = (...values: number[]): Tensor => torch.tensor(values, { dtype: "float32" });
const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);

class Double extends autograd.Function {
  static forward(ctx: Context & { by?: number }, x: Tensor, by: number): Tensor {
    ctx.by = by;
    return x.mul(by);
  }
  static backward(ctx: Context & { by?: number }, grad: Tensor): (Tensor | null)[] {
    return [grad.mul(ctx.by!), null];
  }
}

class TooFew extends autograd.Function {
  static forward(_: Context, x: Tensor, y: Tensor): Tensor {
    return x.mul(y);
  }
  static backward(_: Context, grad: Tensor): Tensor {
    return grad;
  }
}

class WrongShape extends autograd.Function {
  static forward(_: Context, x: Tensor): Tensor {
    return x.sum();
  }
  static backward(): Tensor {
    return torch.ones([3]);
  }
}

class InPlace extends autograd.Function {
  static forward(ctx: Context, x: Tensor): Tensor {
    x.mul_(2);
    ctx.markDirty(x);
    return x;
  }
  static backward(_: Context, grad: Tensor): Tensor {
    return grad.mul(2);
  }
}

class Sorted extends autograd.Function {
  static forward(ctx: Context, x: Tensor): Tensor[] {
    const [values, order] = x.sort();
    ctx.markNonDifferentiable(order);
    ctx.saveForBackward(order);
    return [values, order];
  }
  static backward(ctx: Context, grad: Tensor): Tensor {
    const [order] = ctx.savedTensors;
    return torch.zerosLike(grad).scatter_(0, order!, grad);
  }
}

class Round extends autograd.Function {
  static forward(_: Context, x: Tensor): Tensor {
    return x.round();
  }
  static backward(_: Context, grad: Tensor): Tensor {
    return grad;
  }
}

export const modes: Programs = {
  gradModeSetByHand() {
    const before = torch.isGradEnabled();
    torch.setGradEnabled(false);
    const y = leaf(1, 2).mul(2);
    torch.setGradEnabled(true);
    return [before, y.requiresGrad, torch.isGradEnabled()];
  },
  inferenceModeInsideNoGrad: () =>
    torch.noGrad(() => {
      const x = torch.inferenceMode(() => torch.ones([1]));
      return [x.isInference(), torch.ones([1]).isInference()];
    }),
  inferenceTensorViewedAndCopied() {
    const x = torch.inferenceMode(() => torch.ones([2]));
    return [
      refused(() => x.requiresGrad_()),
      refused(() => x.view([2]).add_(1)),
      x.clone().requiresGrad_().requiresGrad,
    ];
  },
  layerMadeInInferenceMode() {
    torch.manualSeed(0);
    const m = torch.inferenceMode(() => new nn.Linear(2, 1));
    m(ones(1, 2)).sum().backward();
  },
  layerMadeUnderNoGrad() {
    torch.manualSeed(0);
    const m = torch.noGrad(() => new nn.Linear(2, 1));
    m(ones(1, 2)).sum().backward();
    return m.weight.grad;
  },
  viewMadeUnderNoGradAndChanged() {
    const x = leaf(1, 2).mul(1);
    const v = torch.noGrad(() => x.at(torch.slice(1)));
    return [refused(() => v.add_(1)), x];
  },
  viewChangedUnderNoGrad() {
    const x = leaf(1, 2);
    const y = x.mul(1);
    const v = y.at(torch.slice(1));
    torch.noGrad(() => v.zero_());
    y.mul(3).sum().backward();
    return [y, x.grad];
  },
  anomalyFindsNan: () => autograd.detectAnomaly(() => leaf(0).sqrt().mul(0).sum().backward()),
  savedTensorsPacked() {
    const x = leaf(2, 3);
    const seen: unknown[] = [];
    const pack = (t: Tensor) => {
      seen.push(t.shape);
      return t.mul(10);
    };
    const y = autograd.graph.savedTensorsHooks(
      pack,
      (t) => t,
      () => x.exp(),
    );
    y.sum().backward();
    return [seen, x.grad];
  },
  checkpointDrawsTheSameDropout() {
    torch.manualSeed(0);
    const x: Tensor = torch.ones([8], { requiresGrad: true });
    const y = torch.checkpoint((t: Tensor) => F.dropout(t, 0.5).mul(t), [x]);
    y.sum().backward();
    return x.grad!.div(2).sub(y).abs().sum();
  },
  checkpointOfWhatChanged() {
    const x = leaf(1, 2);
    const w = ones(2).requiresGrad_();
    const y = torch.checkpoint((t: Tensor) => t.mul(w).exp(), [x]);
    torch.noGrad(() => w.mul_(2));
    return refused(() => y.sum().backward());
  },
  functionWithANumber() {
    const x = leaf(1, 2);
    Double.apply(x, 3).sum().backward();
    return x.grad;
  },
  functionThatReturnsTooFew: () => TooFew.apply(leaf(1), leaf(2)).sum().backward(),
  functionThatReturnsAWrongShape: () => WrongShape.apply(leaf(1, 2)).backward(),
  functionThatWritesItsInput() {
    const x = leaf(1, 2);
    const y = x.mul(1);
    InPlace.apply(y).sum().backward();
    return [y, x.grad, refused(() => InPlace.apply(leaf(1)))];
  },
  functionOfTwoResults() {
    const x = leaf(3, 1, 2);
    const [values, order] = Sorted.apply(x);
    values!
      .mul(float(1, 10, 100))
      .sum()
      .backward();
    return [x.grad, order!.requiresGrad];
  },
  straightThrough() {
    const [x, y] = [leaf(0.4, 1.6), leaf(0.4, 1.6)];
    Round.apply(x).mul(x).sum().backward();
    y.add(y.round().sub(y).detach()).mul(y).sum().backward();
    return [x.grad, y.grad];
  },
  secondDerivativesOfLayers() {
    torch.manualSeed(0);
    const some: [(x: Tensor) => Tensor, number[]][] = [
      [new nn.Linear(2, 2), [3, 2]],
      [new nn.Conv1d(1, 2, 2), [1, 1, 4]],
      [new nn.BatchNorm1d(2), [3, 2]],
      [new nn.LayerNorm(2), [3, 2]],
      [new nn.Sequential(new nn.Linear(2, 2), new nn.Softplus()), [3, 2]],
    ];
    return some.map(([m, shape]) => {
      const x = counted(...shape)
        .div(5)
        .requiresGrad_();
      const [g] = torch.grad(m(x).pow(2).sum(), x, { createGraph: true });
      g!.pow(2).sum().backward();
      return x.grad;
    });
  },
  secondDerivativeOfReluAndMaxPool() {
    const x = leaf(-1, 2, 3, 1);
    const pooled = F.maxPool1d(x.relu().at(null), 2);
    const [g] = torch.grad(pooled.pow(3).sum(), x, { createGraph: true });
    g!.sum().backward();
    return [g, x.grad];
  },
  secondDerivativeOfAttention() {
    const q = counted(1, 1, 3, 2).div(5).requiresGrad_();
    const loss = F.scaledDotProductAttention(q, q, q).pow(2).sum();
    const [g] = torch.grad(loss, q, { createGraph: true });
    g!.sum().backward();
    return q.grad;
  },
  secondDerivativeOfLosses() {
    const x: Tensor = torch.tensor([[1, 2, 0.5]], { requiresGrad: true });
    const target: Tensor = torch.tensor([1], { dtype: "int64" });
    const [g] = torch.grad(F.crossEntropy(x, target), x, { createGraph: true });
    g!
      .mul(float(1, 2, 3))
      .sum()
      .backward();
    return x.grad;
  },
  learnedLearningRate() {
    const [w, lr] = [leaf(1, 2), leaf(0.1)];
    const [g] = torch.grad(w.pow(2).sum(), w, { createGraph: true });
    w.sub(lr.mul(g!)).pow(2).sum().backward();
    return [lr.grad, w.grad];
  },
  innerStepOfMetaLearning() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    const x = ones(1, 2);
    const grads = torch.grad(m(x).pow(2).sum(), m.parameters(), { createGraph: true });
    const [w, b] = m.parameters().map((p, i) => p.sub(grads[i]!.mul(0.1)));
    F.linear(x.mul(2), w!, b!).pow(2).sum().backward();
    return [m.weight.grad, m.bias!.grad];
  },
  gradientsOfABatchOneByOne() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 1);
    const x = counted(3, 2);
    const each = [...x].map((row) => {
      m.zeroGrad();
      m(row).pow(2).sum().backward();
      return m.weight.grad!.clone();
    });
    m.zeroGrad();
    m(x).pow(2).sum().backward();
    return [each, m.weight.grad];
  },
  complexGradient() {
    const z: Tensor = torch.tensor([{ re: 1, im: 2 }], { requiresGrad: true });
    z.abs().pow(2).sum().backward();
    return z.grad;
  },
};
