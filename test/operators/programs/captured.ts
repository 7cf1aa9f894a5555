// Trainings with a captured step: they compute what the steps of captured.py compute.
import { functional as F, nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs } from "./helpers.ts";

const CALLS = 9;

function parts(...extra: nn.Module[]) {
  torch.manualSeed(0);
  // In the order in which PyTorch draws their weights.
  const first = new nn.Linear(3, 4);
  const last = new nn.Linear(4, 2);
  return { first, last, model: new nn.Sequential(first, new nn.Tanh(), ...(extra as []), last) };
}

type Batch = readonly [x: Tensor, y: Tensor];

function batches(calls = CALLS, size = 4): Batch[] {
  const generator = new torch.Generator().manualSeed(1);
  return Array.from({ length: calls }, () => [
    torch.rand([size, 3], { generator }),
    torch.rand([size, 2], { generator }),
  ]);
}

type Model = nn.Module & ((x: Tensor) => Tensor);
type Stepped = { zeroGrad(): void; step(): unknown };

interface Others {
  readonly before?: (call: number) => unknown;
  readonly inside?: () => unknown;
  readonly given?: readonly Batch[];
}

function trained(model: Model, optimizer: Stepped, { before, inside, given = batches() }: Others = {}) {
  const step = torch.capture((x: Tensor, y: Tensor) => {
    optimizer.zeroGrad();
    const loss = F.mseLoss(model(x), y);
    loss.backward();
    inside?.();
    optimizer.step();
    return loss;
  });
  const losses = given.map(([x, y], call) => {
    before?.(call);
    return step(x, y).detach().clone();
  });
  return [losses, Object.values(model.stateDict())];
}

const sgd = (model: nn.Module, options: Partial<optim.SgdOptions> = {}) =>
  new optim.SGD(model.parameters(), { lr: 0.1, ...options });
const at = (wanted: number, act: () => unknown) => (call: number) => (call === wanted ? act() : null);

export const captured: Programs = {
  sgdWithMomentum() {
    const { model } = parts();
    return trained(model, sgd(model, { momentum: 0.9 }));
  },
  adamW() {
    const { model } = parts();
    return trained(model, new optim.AdamW(model.parameters(), { lr: 0.05 }));
  },
  adamAmsgrad() {
    const { model } = parts();
    return trained(model, new optim.Adam(model.parameters(), { lr: 0.05, amsgrad: true }));
  },
  rmsprop() {
    const { model } = parts();
    return trained(model, new optim.RMSprop(model.parameters(), { lr: 0.01 }));
  },
  adadelta() {
    const { model } = parts();
    return trained(model, new optim.Adadelta(model.parameters(), { lr: 1 }));
  },
  rprop() {
    const { model } = parts();
    return trained(model, new optim.Rprop(model.parameters(), { lr: 0.01 }));
  },
  rateChangedByHand() {
    const { model } = parts();
    const o = sgd(model);
    return trained(model, o, { before: (call) => (o.paramGroups[0]!.lr = 0.1 / (1 + call)) });
  },
  scheduleOutside() {
    const { model } = parts();
    const o = new optim.Adam(model.parameters(), { lr: 0.1 });
    const s = new optim.lrScheduler.ExponentialLR(o, 0.8);
    return trained(model, o, { before: (call) => (call > 0 ? s.step() : null) });
  },
  gradientsClippedInside() {
    const { model } = parts();
    const inside = () => nn.utils.clipGradNorm_(model.parameters(), 0.1);
    return trained(model, sgd(model, { lr: 0.5 }), { inside });
  },
  batchNorm() {
    const { model } = parts(new nn.BatchNorm1d(4));
    return trained(model, sgd(model));
  },
  dropout() {
    const { model } = parts(new nn.Dropout(0.5));
    return trained(model, sgd(model));
  },
  dropoutChanged() {
    const layer = new nn.Dropout(0.5);
    const { model } = parts(layer);
    return trained(model, sgd(model), { before: at(4, () => Object.assign(layer, { p: 0 })) });
  },
  layerFrozen() {
    const { model, first } = parts();
    return trained(model, sgd(model), { before: at(4, () => first.weight.requiresGrad_(false)) });
  },
  layerFrozenAndThawed() {
    const { model, first } = parts();
    const before = (call: number) => {
      if (call === 3 || call === 6) for (const p of first.parameters()) p.requiresGrad_(call === 6);
    };
    return trained(model, new optim.Adam(model.parameters(), { lr: 0.1 }), { before });
  },
  modeChanged() {
    const { model } = parts(new nn.BatchNorm1d(4), new nn.Dropout(0.3));
    return trained(model, sgd(model), { before: (call) => model.train(call !== 5) });
  },
  weightsWritten() {
    const { model, first } = parts();
    const before = at(5, () => torch.noGrad(() => first.weight.fill_(0.5)));
    return trained(model, sgd(model, { momentum: 0.5 }), { before });
  },
  stateLoaded() {
    const { model } = parts();
    const kept = Object.fromEntries(Object.entries(model.stateDict()).map(([k, v]) => [k, v.clone()]));
    return trained(model, new optim.AdamW(model.parameters(), { lr: 0.1 }), {
      before: at(5, () => model.loadStateDict(kept)),
    });
  },
  stateAssigned() {
    const { model } = parts();
    const kept = Object.fromEntries(Object.entries(model.stateDict()).map(([k, v]) => [k, v.clone()]));
    const before = at(5, () => model.loadStateDict(kept, { assign: true }));
    return trained(model, sgd(model, { lr: 0 }), { before });
  },
  momentumOptionChanged() {
    const { model } = parts();
    const o = sgd(model, { momentum: 0.9 });
    const before = (call: number) => {
      if (call === 4) o.paramGroups[0]!.nesterov = true;
      if (call === 6) o.paramGroups[0]!.maximize = true;
    };
    return trained(model, o, { before });
  },
  groupAdded() {
    const { model, first, last } = parts();
    const o = sgd(first);
    return trained(model, o, {
      before: at(4, () => o.addParamGroup({ params: last.parameters(), lr: 0.5 })),
    });
  },
  lastBatchSmaller() {
    const { model } = parts();
    const given = [...batches(4), ...batches(1, 2), ...batches(4), ...batches(1, 2)];
    return trained(model, sgd(model), { given });
  },
  normSettingChanged() {
    const norm = new nn.LayerNorm(4);
    const { model } = parts(norm);
    return trained(model, sgd(model), { before: at(4, () => Object.assign(norm, { eps: 1 })) });
  },
  layerReplaced() {
    const { first, last } = parts();
    class Net extends nn.Module {
      first = first;
      activation: Model = new nn.Tanh();
      last = last;
      override forward(x: Tensor): Tensor {
        return this.last(this.activation(this.first(x)));
      }
    }
    const net = new Net();
    return trained(net, sgd(net), { before: at(4, () => (net.activation = new nn.ReLU())) });
  },
  channelsLastBetween() {
    torch.manualSeed(0);
    const model = new nn.Sequential(new nn.Conv2d(2, 3, 3), new nn.Flatten());
    const x = torch.arange(32, { dtype: "float32" }).reshape([1, 2, 4, 4]).div(32);
    const given = Array.from({ length: 8 }, () => [x, torch.zeros([1, 12])] as const);
    return trained(model, new optim.Adam(model.parameters(), { lr: 0.01 }), {
      before: at(4, () => model.to({ memoryFormat: "channels_last" })),
      given,
    });
  },
  movingAverageInside() {
    const { model } = parts();
    const a = new optim.AveragedModel(model, { multiAvgFn: optim.getEmaMultiAvgFn(0.5) });
    const [losses] = trained(model, sgd(model), { before: () => a.updateParameters(model) });
    return [losses, a.module.parameters()];
  },
  evaluated() {
    const { model, first } = parts(new nn.Dropout(0.5));
    model.eval();
    const infer = torch.capture((x: Tensor) => torch.noGrad(() => model(x).sum()));
    return batches().map(([x], call) => {
      if (call === 4) torch.noGrad(() => first.bias!.add_(1));
      return infer(x).clone();
    });
  },
  noiseInside() {
    torch.manualSeed(3);
    const x = leaf(1, 2);
    const draw = torch.capture(() => x.add(torch.randn([2])).sum());
    return Array.from({ length: 6 }, () => draw().clone());
  },
  gradientsAccumulate() {
    const { model, first } = parts();
    const add = torch.capture((x: Tensor, y: Tensor) => F.mseLoss(model(x), y).backward());
    return batches(5).map(([x, y]) => {
      add(x, y);
      return first.weight.grad!.sum();
    });
  },
  gradientClearedOutside() {
    const { model, first } = parts();
    const add = torch.capture((x: Tensor, y: Tensor) => F.mseLoss(model(x), y).backward());
    return batches(8).map(([x, y], call) => {
      if (call % 3 === 0) model.zeroGrad();
      add(x, y);
      return first.weight.grad!.sum();
    });
  },
  mixedPrecision() {
    const { model, first } = parts();
    const o = sgd(model);
    const step = torch.capture((x: Tensor, y: Tensor) => {
      o.zeroGrad();
      const out = torch.autocast({ deviceType: "cpu", dtype: "bfloat16" }, () => model(x));
      const loss = F.mseLoss(out.float(), y);
      loss.backward();
      o.step();
      return out;
    });
    return [batches(6).map(([x, y]) => step(x, y).dtype), first.weight.dtype];
  },
};
