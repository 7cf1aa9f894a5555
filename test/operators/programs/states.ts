// States of layers and optimizers, saved and loaded, also wrongly. states.py has the same programs.
import { readFileSync, writeFileSync } from "node:fs";
import { nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused, scratch } from "./helpers.ts";

class Net extends nn.Module {
  readonly first: nn.Linear;
  readonly norm: nn.BatchNorm1d;
  readonly last: nn.Linear;
  constructor(hidden = 3) {
    super();
    this.first = new nn.Linear(2, hidden);
    this.norm = new nn.BatchNorm1d(hidden);
    this.last = new nn.Linear(hidden, 1);
  }
  override forward(x: Tensor): Tensor {
    return this.last(torch.relu(this.norm(this.first(x))));
  }
}

class Empty extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x;
  }
}

function net(seed = 0, hidden = 3): Net {
  torch.manualSeed(seed);
  return new Net(hidden);
}

const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);
const image = () => counted(1, 2, 4, 4).div(32);
const without = (state: Record<string, Tensor>, lost: string) =>
  Object.fromEntries(Object.entries(state).filter(([key]) => key !== lost));

export const states: Programs = {
  namesOfAState: () => [
    Object.keys(net().stateDict()),
    [...net().namedParameters()].map(([name]) => name),
    net().buffers().length,
  ],
  stateLoaded() {
    const [a, b] = [net(0), net(1)];
    b.loadStateDict(a.stateDict());
    return [b.first.weight, b.last.bias];
  },
  stateIsAlive() {
    const m = new nn.Linear(2, 1);
    const s = m.stateDict();
    torch.noGrad(() => m.weight.fill_(7));
    return [s["weight"], s["weight"]!.requiresGrad];
  },
  deepCopyOfAState() {
    const m = new nn.Linear(2, 1);
    const s = torch.noGrad(() => {
      m.weight.fill_(1);
      const copy = Object.fromEntries(Object.entries(m.stateDict()).map(([k, v]) => [k, v.clone()]));
      m.weight.fill_(7);
      return copy;
    });
    m.loadStateDict(s);
    return m.weight;
  },
  missingKey() {
    net().loadStateDict(without(net().stateDict(), "last.bias"));
  },
  unexpectedKey() {
    net().loadStateDict({ ...net().stateDict(), more: torch.zeros([1]) });
  },
  notStrict() {
    const s = { ...without(net(0).stateDict(), "last.bias"), more: torch.zeros([1]) };
    const m = net(1);
    const { missingKeys, unexpectedKeys } = m.loadStateDict(s, { strict: false });
    return [missingKeys, unexpectedKeys, m.first.weight];
  },
  wrongShape() {
    net(0, 3).loadStateDict(net(0, 4).stateDict());
  },
  wrongShapeNotStrict() {
    net(0, 3).loadStateDict(net(0, 4).stateDict(), { strict: false });
  },
  wrongShapeLeavesTheRestLoaded() {
    const m = net(1);
    const s = { ...net(0).stateDict(), "last.weight": torch.zeros([2, 2]) };
    return refused(() => m.loadStateDict(s));
  },
  anotherDtypeIsConverted() {
    const m = new nn.Linear(2, 1);
    m.loadStateDict({ weight: torch.ones([1, 2], { dtype: "float64" }), bias: torch.tensor([3]) });
    return [m.weight, m.bias];
  },
  assignedKeepsItsDtype() {
    const m = new nn.Linear(2, 1);
    const weight = torch.ones([1, 2], { dtype: "float64" });
    m.loadStateDict({ weight, bias: torch.zeros([1]) }, { assign: true });
    return [m.weight, m.weight.requiresGrad];
  },
  assignedSharesMemory() {
    const m = new nn.Linear(2, 1);
    const weight = torch.ones([1, 2]);
    m.loadStateDict({ weight, bias: torch.zeros([1]) }, { assign: true });
    weight.fill_(5);
    return m.weight;
  },
  loadedDoesNotShareMemory() {
    const m = new nn.Linear(2, 1);
    const weight = torch.ones([1, 2]);
    m.loadStateDict({ weight, bias: torch.zeros([1]) });
    weight.fill_(5);
    return m.weight;
  },
  aParameterInsteadOfAState() {
    new nn.Linear(2, 1).loadStateDict(torch.ones([1]) as never);
  },
  wholeCheckpointInsteadOfItsModel() {
    const m = net();
    m.loadStateDict({ model: m.stateDict(), epoch: 3 } as never);
  },
  prefixOfDataParallel() {
    const m = net();
    m.loadStateDict(Object.fromEntries(Object.entries(m.stateDict()).map(([k, v]) => [`module.${k}`, v])));
  },
  stateLoadedIntoAStep() {
    const m = net();
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    const rows = counted(4).at(torch.slice(null), null);
    m(torch.ones([4, 2]).mul(rows))
      .sum()
      .backward();
    m.loadStateDict(net(1).stateDict());
    o.step();
    return [m.last.bias, m.first.bias];
  },
  loadingBetweenForwardAndBackward() {
    const m = net();
    const y = m(counted(4, 2)).sum();
    m.loadStateDict(net(1).stateDict());
    y.backward();
  },
  batchNormStateGoesAlong() {
    const m = net();
    m(counted(4, 2));
    const s = m.stateDict();
    const b = net(1);
    b.loadStateDict(s);
    return [s["norm.num_batches_tracked"], b.norm.runningMean, b.norm.runningVar];
  },
  sharedParameter() {
    const [a, b] = [new nn.Linear(2, 2, { bias: false }), new nn.Linear(2, 2, { bias: false })];
    b.weight = a.weight;
    const m = new nn.Sequential(a, b);
    return [m.parameters().length, Object.keys(m.stateDict())];
  },
  weightTiedAfterTheOptimizer() {
    torch.manualSeed(0);
    const [a, b] = [new nn.Linear(2, 2, { bias: false }), new nn.Linear(2, 2, { bias: false })];
    const o = new optim.SGD([...a.parameters(), ...b.parameters()], { lr: 0.1 });
    b.weight = a.weight;
    b(a(torch.ones([1, 2])))
      .sum()
      .backward();
    o.step();
    return [a.weight, b.weight];
  },
  bufferThatIsNotKept() {
    const m = new Empty();
    m.registerBuffer("kept", torch.ones([1]));
    m.registerBuffer("lost", torch.ones([1]), { persistent: false });
    return Object.keys(m.stateDict());
  },
  listOfLayersIsNotRegistered() {
    class Lost extends Empty {
      layers = [new nn.Linear(2, 2)];
    }
    class Found extends Empty {
      layers = new nn.ModuleList([new nn.Linear(2, 2)]);
    }
    return [new Lost().parameters().length, Object.keys(new Found().stateDict())];
  },
  plainTensorIsNoParameter() {
    class Module extends Empty {
      w = torch.ones([2], { requiresGrad: true });
      p = new nn.Parameter(torch.ones([2]));
    }
    return [...new Module().namedParameters()].map(([name]) => name);
  },
  parameterReplacedByATensor() {
    const m = new nn.Linear(2, 1);
    // @ts-expect-error a tensor is no parameter
    m.weight = torch.ones([1, 2]);
  },
  parameterReplacedByAParameter() {
    const m = new nn.Linear(2, 1, { bias: false });
    m.weight = new nn.Parameter(torch.ones([1, 2]));
    return [m(torch.ones([1, 2])), Object.keys(m.stateDict())];
  },
  parameterOfIntegers() {
    new nn.Parameter(torch.tensor([1, 2], { dtype: "int64" }));
  },
  modesGoDown() {
    const m = net().eval();
    return [m.norm.training, m.train().norm.training, m.norm.eval().training, m.training];
  },
  evalUsesRunningStatistics() {
    const m = new nn.BatchNorm1d(2);
    const x = torch.tensor(
      [
        [1, 2],
        [3, 6],
      ],
      { dtype: "float32" },
    );
    const a = m(x);
    return [a, m.eval()(x), m.runningMean, m.runningVar];
  },
  batchNormOfOneValue() {
    new nn.BatchNorm1d(2)(torch.ones([1, 2]));
  },
  optimizerStateLoaded() {
    const [p, q] = [leaf(1, 2), leaf(1, 2)];
    const [a, b] = [new optim.Adam([p], { lr: 0.1 }), new optim.Adam([q], { lr: 0.5 })];
    for (let i = 0; i < 2; i++) {
      a.zeroGrad();
      p.mul(p).sum().backward();
      a.step();
    }
    b.loadStateDict(a.stateDict());
    torch.noGrad(() => q.copy_(p));
    q.mul(q).sum().backward();
    b.step();
    return [q, b.paramGroups[0]!.lr];
  },
  optimizerStateIsCopied() {
    const [p, q] = [leaf(1, 2), leaf(1, 2)];
    const a = new optim.SGD([p], { lr: 0.1, momentum: 0.9 });
    p.mul(p).sum().backward();
    a.step();
    const b = new optim.SGD([q], { lr: 0.1, momentum: 0.9 });
    b.loadStateDict(a.stateDict());
    a.step();
    q.grad = torch.ones([2]);
    b.step();
    return [p, q];
  },
  optimizerStateOfOtherGroups() {
    const a = new optim.SGD([leaf(1), leaf(2)], { lr: 0.1 });
    new optim.SGD([leaf(1)], { lr: 0.1 }).loadStateDict(a.stateDict());
  },
  optimizerStateOfMoreGroups() {
    const a = new optim.SGD([{ params: [leaf(1)] }, { params: [leaf(2)] }], { lr: 0.1 });
    new optim.SGD([leaf(1)], { lr: 0.1 }).loadStateDict(a.stateDict());
  },
  contiguousCheckpointInAChannelsLastModel() {
    torch.manualSeed(0);
    const x = image();
    const m = new nn.Conv2d(2, 2, 3);
    const o = new optim.Adam(m.parameters(), { lr: 0.1 });
    m(x).pow(2).sum().backward();
    o.step();
    const n = new nn.Conv2d(2, 2, 3).to({ memoryFormat: "channels_last" });
    const q = new optim.Adam(n.parameters(), { lr: 0.1 });
    n.loadStateDict(m.stateDict());
    q.loadStateDict(o.stateDict());
    for (let i = 0; i < 2; i++) {
      q.zeroGrad();
      n(x).pow(2).sum().backward();
      q.step();
    }
    return n.weight;
  },
  channelsLastCheckpointAssigned() {
    torch.manualSeed(0);
    const x = image();
    const m = new nn.Conv2d(2, 2, 3);
    const o = new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9 });
    m(x).pow(2).sum().backward();
    o.step();
    const s = Object.fromEntries(
      Object.entries(m.stateDict()).map(([k, v]) => [
        k,
        v.dim() === 4 ? v.clone().contiguous({ memoryFormat: "channels_last" }) : v,
      ]),
    );
    m.loadStateDict(s, { assign: true });
    const q = new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9 });
    q.loadStateDict(o.stateDict());
    m(x).pow(2).sum().backward();
    q.step();
    return [m.weight, s["weight"], m.bias];
  },
  optimizerMadeBeforeTheStateWasAssigned() {
    const m = new nn.Linear(2, 1, { bias: false });
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    m.loadStateDict({ weight: torch.ones([1, 2]) }, { assign: true });
    m(torch.ones([1, 2]))
      .sum()
      .backward();
    o.step();
    return m.weight;
  },
  assignedHasNoGradient() {
    const m = new nn.Linear(2, 1, { bias: false });
    m(torch.ones([1, 2]))
      .sum()
      .backward();
    m.loadStateDict({ weight: torch.ones([1, 2], { dtype: "float64" }) }, { assign: true });
    return [m.weight.grad, m.weight];
  },
  fileOfTensors() {
    const f = scratch("tensors.pt");
    const x = counted(2, 3);
    torch.save({ x, row: x.at(1), t: x.t(), half: x.half(), yes: x.gt(2), n: 3, s: "text", l: [1, 2.5] }, f);
    return torch.load(f);
  },
  fileKeepsSharedMemory() {
    const f = scratch("shared.pt");
    const x = torch.zeros([4]);
    torch.save({ whole: x, part: x.at(torch.slice(1, 3)) }, f);
    const loaded = torch.load(f) as Record<string, Tensor>;
    loaded["whole"]!.fill_(7);
    return loaded["part"];
  },
  fileKeepsRequiresGrad() {
    const f = scratch("leaf.pt");
    torch.save([leaf(1, 2), new nn.Parameter(torch.ones([1]))], f);
    const [a, b] = torch.load(f) as [Tensor, Tensor];
    return [a.requiresGrad, b.requiresGrad, a];
  },
  fileOfATraining() {
    const f = scratch("training.pt");
    const m = net();
    const o = new optim.AdamW(m.last.parameters(), { lr: 0.01 });
    const x = counted(4, 2);
    m(x).sum().backward();
    o.step();
    torch.save({ model: m.stateDict(), optimizer: o.stateDict(), epoch: 1 }, f);
    const n = net(1);
    const q = new optim.AdamW(n.last.parameters(), { lr: 0.5 });
    const c = torch.load(f) as {
      model: Record<string, Tensor>;
      optimizer: optim.OptimizerStateDict;
      epoch: number;
    };
    n.loadStateDict(c.model);
    q.loadStateDict(c.optimizer);
    n(x).sum().backward();
    q.step();
    return [n.last.weight, n.norm.runningMean, q.paramGroups[0]!.lr, c.epoch];
  },
  fileThatIsNotThere: () => torch.load(scratch("nowhere.pt")),
  fileThatIsNoCheckpoint() {
    const f = scratch("noise.pt");
    writeFileSync(f, "not a checkpoint");
    return torch.load(f);
  },
  fileCutShort() {
    const [f, g] = [scratch("whole.pt"), scratch("cut.pt")];
    torch.save({ x: counted(1000) }, f);
    writeFileSync(g, readFileSync(f).subarray(0, 2000));
    return torch.load(g);
  },
  folderThatIsNotThere() {
    torch.save(torch.ones([1]), scratch("no/folder.pt"));
  },
};
