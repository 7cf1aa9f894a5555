// Data, precision, hooks and memory around a training. trainings.py has the same programs.
import { amp, data, functional as F, nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const ones = (...shape: number[]): Tensor => torch.ones(shape);
const whole = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const seeded = () => new torch.Generator().manualSeed(0);

function squares(length = 5) {
  return {
    length,
    get(i: number): [Tensor, number] {
      if (i >= length) throw new RangeError(`${i} is past the end`);
      return [torch.tensor([i], { dtype: "float32" }), i * i];
    },
  };
}

const half = <Result>(run: () => Result) => torch.autocast({ deviceType: "cpu", dtype: "bfloat16" }, run);
const second = (loader: Iterable<unknown>) => [...loader].map((batch) => (batch as unknown[])[1]);

export const trainings: Programs = {
  batchesWithARest: () => [
    [...new data.DataLoader(squares(), { batchSize: 2 })],
    new data.DataLoader(squares(), { batchSize: 2 }).length,
  ],
  batchesWithoutARest() {
    const loader = new data.DataLoader(squares(), { batchSize: 2, dropLast: true });
    return [second(loader), loader.length];
  },
  noBatches: () => second(new data.DataLoader(squares(3), { batchSize: null })),
  batchOfZero: () => void new data.DataLoader(squares(), { batchSize: 0 }),
  shuffleBesideASampler() {
    new data.DataLoader(squares(), { shuffle: true, sampler: new data.SequentialSampler(squares()) });
  },
  batchSizeBesideABatchSampler() {
    const batchSampler = new data.BatchSampler(new data.SequentialSampler(squares()), 2, false);
    new data.DataLoader(squares(), { batchSize: 2, batchSampler });
  },
  samplerPastTheEnd: () => second(new data.DataLoader(squares(3), { sampler: [0, 5] })),
  samplers: () => [
    [...new data.SubsetRandomSampler([3, 5, 7], seeded())],
    [...new data.WeightedRandomSampler([0, 1, 3], 6, { generator: seeded() })],
    [...new data.WeightedRandomSampler([1, 1, 3], 3, { replacement: false, generator: seeded() })],
    [...new data.BatchSampler(new data.SequentialSampler([0, 1, 2, 3, 4]), 2, true)],
  ],
  weightsThatAreTooFew: () => [...new data.WeightedRandomSampler([1, 0], 2, { replacement: false })],
  setsOfUnequalLengths() {
    new data.TensorDataset(ones(3), ones(2));
  },
  partsOfSets() {
    const d = new data.ConcatDataset([squares(2), squares(3)]);
    return [
      d.length,
      d.get(3)[1],
      new data.Subset(d, [4, 0]).get(0)[1],
      refused(() => d.get(5)),
      refused(() => d.get(-6)),
    ];
  },
  collatedItems: () => [
    data.defaultCollate([
      { x: ones(2), n: 1, name: "a", pair: [1, 0.5] },
      { x: torch.zeros([2]) as Tensor, n: 2, name: "b", pair: [3, 0.25] },
    ]).x,
    data.defaultCollate([1, 2]),
    data.defaultCollate(["a", "b"]),
    data.defaultCollate([
      [1, "x"],
      [2, "y"],
    ]),
  ],
  collatedShapesThatDiffer: () => data.defaultCollate([ones(2), ones(3)]),
  collatedListsThatDiffer: () => data.defaultCollate([[1, 2], [3]]),
  collatedNothing: () => data.defaultCollate([null, null]),
  collateOfOnesOwn() {
    const items = [ones(1), ones(3), ones(2)];
    const set = { length: 3, get: (i: number) => items[i]! };
    const collateFn = (some: Tensor[]) => nn.utils.rnn.padSequence(some, { batchFirst: true });
    return [...new data.DataLoader(set, { batchSize: 2, collateFn })];
  },
  twoPassesAtOnce() {
    const loader = new data.DataLoader(squares(3));
    const [a, b] = [loader[Symbol.iterator](), loader[Symbol.iterator]()];
    a.next();
    return second([a.next().value, b.next().value]);
  },
  autocastCastsProductsAlone() {
    const [a, b] = [ones(2, 2), ones(2, 2)];
    return half(() =>
      [
        a.matmul(b),
        a.add(b),
        a.matmul(b).softmax(0),
        F.mseLoss(a.matmul(b), b),
        a.matmul(b).add(a),
        a.sum(),
      ].map((t) => t.dtype),
    );
  },
  autocastOfALayerKeepsItsGradient() {
    torch.manualSeed(0);
    const m = new nn.Linear(2, 2);
    const y = half(() => m(ones(1, 2)));
    y.sum().backward();
    return [y, m.weight.grad];
  },
  autocastInsideOut() {
    const a = ones(2, 2);
    const both = half(() => {
      const inner = torch.autocast({ deviceType: "cpu", enabled: false }, () => a.matmul(a).dtype);
      return [inner, a.matmul(a).dtype];
    });
    return [...both, a.matmul(a).dtype, torch.isAutocastEnabled("cpu")];
  },
  autocastRefusesBinaryCrossEntropy: () =>
    half(() => F.binaryCrossEntropy(torch.tensor([0.5]), torch.tensor([1], { dtype: "float32" }) as Tensor)),
  autocastOfMixedMatrices: () => half(() => ones(2, 2).bfloat16().matmul(ones(2, 2)).dtype),
  halfPrecisionWithoutAutocast() {
    const m = new nn.Linear(2, 1).bfloat16();
    return [refused(() => m(ones(1, 2))), m(ones(1, 2).bfloat16()).dtype];
  },
  smallGradientsVanishInHalf() {
    const x: Tensor = torch.tensor([1], { dtype: "float16", requiresGrad: true });
    x.mul(1e-4).mul(1e-4).sum().backward();
    return x.grad;
  },
  gradientScaler() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    const s = new amp.GradScaler({ initScale: 4, growthInterval: 2 });
    const scales: number[] = [];
    for (let k = 0; k < 5; k++) {
      o.zeroGrad();
      const loss = p.mul(p).sum();
      s.scale(k === 2 ? loss.mul(Infinity) : loss).backward();
      s.step(o);
      s.update();
      scales.push(s.getScale());
    }
    return [scales, p];
  },
  gradientScalerWithClipping() {
    const p = leaf(3, 4);
    const o = new optim.Adam([p], { lr: 0.1 });
    const s = new amp.GradScaler({ initScale: 8 });
    s.scale(p.mul(p).sum()).backward();
    s.unscale_(o);
    const n = nn.utils.clipGradNorm_([p], 1);
    const g = p.grad!.clone();
    s.step(o);
    s.update();
    return [n, g, p, refused(() => s.unscale_(o))];
  },
  gradientScalerUnscaledTwice() {
    const p = leaf(3, 4);
    const o = new optim.SGD([p], { lr: 0.1 });
    const s = new amp.GradScaler({ initScale: 8 });
    s.scale(p.mul(p).sum()).backward();
    s.unscale_(o);
    s.unscale_(o);
  },
  gradientScalerWithoutGradients() {
    const o = new optim.SGD([leaf(3, 4)], { lr: 0.1 });
    const s = new amp.GradScaler();
    s.scale(ones(1));
    s.step(o);
  },
  gradientScalerUpdatedBeforeAStep() {
    new amp.GradScaler().update();
  },
  gradientScalerSwitchedOff() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    const s = new amp.GradScaler({ enabled: false });
    s.scale(p.mul(p).sum()).backward();
    s.step(o);
    s.update();
    return [p, s.getScale()];
  },
  hooksOfAnOptimizer() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    const seen: Tensor[] = [];
    const note = () => void seen.push(p.detach().clone());
    const h = o.registerStepPreHook(note);
    o.registerStepPostHook(note);
    p.mul(p).sum().backward();
    o.step();
    h.remove();
    o.step();
    return seen;
  },
  stepWithAClosure() {
    const p = leaf(1, 2);
    const o = new optim.SGD([p], { lr: 0.1 });
    const loss = o.step(() => {
      o.zeroGrad();
      const sum = p.mul(p).sum();
      sum.backward();
      return sum;
    });
    return [loss, p];
  },
  weightDecayForSome() {
    torch.manualSeed(0);
    const [first, norm] = [new nn.Linear(2, 3), new nn.LayerNorm(3)];
    const m = new nn.Sequential(first, norm);
    const o = new optim.AdamW(
      [
        { params: m.parameters().filter((p) => p.ndim > 1), weightDecay: 0.5 },
        { params: m.parameters().filter((p) => p.ndim <= 1), weightDecay: 0 },
      ],
      { lr: 0.1 },
    );
    m(torch.tensor([[1, 3]], { dtype: "float32" }))
      .pow(3)
      .mul(torch.arange(3, { dtype: "float32" }))
      .sum()
      .backward();
    o.step();
    return [first.weight, first.bias, norm.weight];
  },
  biasCorrectedLearningCurve() {
    torch.manualSeed(0);
    const m = new nn.Sequential(new nn.Linear(1, 8), new nn.Tanh(), new nn.Linear(8, 1));
    const o = new optim.Adam(m.parameters(), { lr: 0.05 });
    const x = torch.linspace(-1, 1, 16).reshape([16, 1]);
    return Array.from({ length: 20 }, () => {
      const loss = F.mseLoss(m(x), x.pow(2));
      o.zeroGrad();
      loss.backward();
      o.step();
      return loss.item();
    });
  },
  classifierOfImages() {
    torch.manualSeed(0);
    const m = new nn.Sequential(
      new nn.Conv2d(1, 4, 3, { padding: 1 }),
      new nn.BatchNorm2d(4),
      new nn.ReLU(),
      new nn.MaxPool2d(2),
      new nn.Flatten(),
      new nn.Dropout(0.1),
      new nn.Linear(16, 3),
    );
    const o = new optim.SGD(m.parameters(), { lr: 0.1, momentum: 0.9, weightDecay: 1e-3 });
    const [x, y] = [torch.rand([6, 1, 4, 4]), whole([0, 1, 2, 0, 1, 2])];
    const losses = Array.from({ length: 5 }, () => {
      o.zeroGrad();
      const loss = F.crossEntropy(m(x), y);
      loss.backward();
      o.step();
      return loss.item();
    });
    m.eval();
    return [losses, torch.noGrad(() => m(x))];
  },
  charactersByARecurrentNet() {
    torch.manualSeed(0);
    const [e, r] = [new nn.Embedding(5, 4), new nn.LSTM(4, 6, { batchFirst: true })];
    const h = new nn.Linear(6, 5);
    const o = new optim.AdamW(
      [e, r, h].flatMap((part) => part.parameters()),
      { lr: 0.05 },
    );
    const x = whole([
      [0, 1, 2, 3],
      [1, 2, 3, 4],
    ]);
    const [all, max, later] = [torch.slice(null), torch.slice(-1), torch.slice(1, null)];
    let state: [Tensor, Tensor] | undefined;
    const losses = Array.from({ length: 4 }, () => {
      o.zeroGrad();
      const [out, [hidden, cell]] = r(e(x.at(all, max)), state);
      state = [hidden.detach(), cell.detach()];
      const loss = F.crossEntropy(h(out).flatten(0, 1), x.at(all, later).flatten());
      loss.backward();
      nn.utils.clipGradNorm_(r.parameters(), 0.5);
      o.step();
      return loss.item();
    });
    return [losses, state![0]];
  },
  attentionBlock() {
    torch.manualSeed(0);
    const options = { dimFeedforward: 8, dropout: 0.1, batchFirst: true, normFirst: true };
    const m = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(4, 2, options), 2);
    const o = new optim.Adam(m.parameters(), { lr: 0.01 });
    const x = torch.rand([2, 3, 4]);
    return Array.from({ length: 3 }, () => {
      o.zeroGrad();
      const mask = nn.Transformer.generateSquareSubsequentMask(3);
      const loss = m(x, { mask, isCausal: true }).pow(2).mean();
      loss.backward();
      o.step();
      return loss.item();
    });
  },
  numbersOfWhatRequiresGrad() {
    const x = leaf(1, 2);
    return [x.tolist(), x.at(0).item(), refused(() => x.data()), refused(() => x.detach().data())];
  },
  numbersWrittenThroughAViewOfMemory() {
    const x = ones(2);
    x.data()[0] = 5;
    return x;
  },
  numbersWrittenBehindAutograd() {
    const x = leaf(1, 2);
    const y = x.mul(x).sum();
    x.detach().data()[0] = 100;
    y.backward();
    return x.grad;
  },
};
