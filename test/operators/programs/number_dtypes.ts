// Numbers that make a dtype. number_dtypes.py has the same programs. There 1.0 is a float, here it is 1: a float that is whole
// names its dtype.
import { data, functional as F, nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const t = torch.tensor;
const float32 = { dtype: "float32" } as const;
const kinds = (...tensors: Tensor[]): string[] => tensors.map(({ dtype }) => dtype);
const i = (im: number, re = 0) => ({ re, im });

export const numberDtypes: Programs = {
  singleNumbers: () => [t(3), t(-3), t(0.5), t(1e20), t(NaN), t(-Infinity), t(true)],
  listsOfWholeNumbers: () => [t([1, 2]), t([[1], [2]]), t([0]), t([true, 2]), t([1 - 2 ** 53])],
  oneFractionDecides: () => [
    t([1, 2.5]),
    t([
      [1, 2],
      [3, 0.5],
    ]),
    t([true, 0.5]),
    t([1, NaN]),
    t([Infinity, 1]),
    t([2 ** 60, 0.5]),
  ],
  wholeFloatsNameTheirDtype: () => [
    t([1.0, 0.0], float32),
    torch.full([2], 3.0, float32),
    torch.arange(3.0, float32),
    t(2.0, float32),
  ],
  beyondWhatADoubleCounts() {
    const stamp = 1767225600 * 1e9;
    return [t([stamp]), t(-(2 ** 62)), torch.full([1], 2 ** 60), torch.arange(2 ** 60, 2 ** 60 + 512, 256)];
  },
  beyondInt64: () => [t([1e19]), refused(() => t([2n ** 63n])), t([2 ** 64, 1])],
  zeroWithASign() {
    const x = t([-0.0, 0.0]);
    return [x, x.signbit(), torch.full([1], -0.0), leaf(1, 2).mul(-0.0), leaf(3).copysign(t(-0.0))];
  },
  complexBesideNumbers: () => [t([1, i(2)]), t([true, i(1, 1), 0.5]), torch.full([1], i(1))],
  listsOfNothing: () => [t([]), t([[]]), t([[], []])],
  arraysAmongLists: () => [
    t([Int32Array.of(1, 2), Float32Array.of(1.5, 2.5)]),
    t([Float32Array.of(1, 2), Float64Array.of(0.1, 2)]),
    t([[1, 2], Float32Array.of(1.5, 2.5)]),
    t([Int8Array.of(1, 2), [1.5, 2.5]]),
    t([Uint8Array.of(1, 2), [3, 4]]),
    t([Int8Array.of(1, 2), Uint8Array.of(3, 200)]),
    t([
      [1, 2],
      [1, 2],
    ]),
    refused(() => t([BigUint64Array.of(1n, 2n), [1, 2]])),
  ],
  arraysAlone: () => [
    ...kinds(
      ...[Float32Array, Float64Array, Int8Array, Int16Array, Int32Array].map((kind) => t(kind.of(1, 2))),
      t(BigInt64Array.of(1n, 2n)),
      t(Uint8Array.of(1, 2)),
    ),
    ...kinds(torch.asTensor([1, 2]), torch.asTensor([1, 2.5]), torch.asTensor(Float64Array.of(1, 2))),
  ],
  filled: () => [
    torch.full([2], 1),
    torch.full([2], 0.5),
    torch.full([], 7),
    torch.full([1], NaN),
    torch.full([1], true),
    torch.full([2], 1, { dtype: "float64" }),
    torch.full([1], 2.5, { dtype: "int32" }),
  ],
  filledLike() {
    const [x, y] = [t([1, 2]), t([0.5])];
    return [
      torch.fullLike(x, 2.5),
      torch.fullLike(y, 2),
      x.newFull([1], 2.5),
      y.newFull([1], 2),
      torch.scalarTensor(1),
    ];
  },
  writtenInPlace() {
    const [x, y, m] = [t([1, 2]), t([0.5, 1.5]), t([true, false])];
    return [
      x.clone().fill_(2.5),
      y.clone().fill_(2),
      x.maskedFill(m, 2.5),
      y.maskedFill(m, 2),
      refused(() => x.add_(0.5)),
    ];
  },
  counted: () => [
    torch.arange(3),
    torch.arange(1, 4),
    torch.arange(0, 1, 0.5),
    torch.arange(0.5, 3),
    torch.arange(0, 4, 2),
    torch.arange(3, float32),
    torch.linspace(0, 2, 3),
    torch.logspace(0, 1, 2),
  ],
  chosen() {
    const [m, x, y] = [t([true, false]), t([1, 2]), t([0.5, 1.5])];
    const w = torch.where;
    return [
      w(m, 1, 0),
      w(m, 0.5, 0),
      w(m, x, 0),
      w(m, x, 0.5),
      w(m, y, 0),
      w(m, x, y),
      w(m, true, false),
      w(m, 1, NaN),
    ];
  },
  besideIntegers() {
    const x = t([1, 2, 3]);
    return [
      ...[x.add(1), x.add(0.5), x.mul(2), x.div(2), x.sub(true), x.mul(Infinity), x.clamp(0, 2)],
      ...[x.clamp(0.5, 2), x.pow(2), x.pow(0.5), x.remainder(2), x.remainder(0.5)],
    ];
  },
  besideFloats() {
    const x = t([0.5, 1.5]);
    return [
      ...[x.add(1), x.mul(2), x.div(2), x.clamp(0, 1), x.pow(2), x.eq(1), x.gt(1)],
      ...[x.half().mul(2), x.double().mul(0.1)],
    ];
  },
  besideBytesAndTruth() {
    const [x, m] = [t([250], { dtype: "uint8" }), t([true, false])];
    return [x.add(1), x.add(0.5), x.mul(2), m.add(1), m.mul(0.5), m.mul(true), m.div(2)];
  },
  comparedWithNumbers() {
    const x = t([1, 2, 3]);
    return [x.eq(2), x.gt(1.5), x.maximum(t(2)), x.eq(2.5), torch.equal(x, t([1, 2, 3]))];
  },
  ofTwoNumbers() {
    const [x, y] = [t([1]), t([0.5])];
    const r = torch.resultType;
    return [r(1, 2), r(1, 0.5), r(x, 1), r(x, 0.5), r(y, 1), r(true, 1), r(x, true), r(t(1), 0.5)];
  },
  tensorsOfSingleNumbers() {
    const x = t([1, 2]);
    return [x.add(t(0.5)), t([0.5]).add(t(2)), torch.stack([t(1), t(0.5)]), torch.cat([x, t([0.5])])];
  },
  sumsAndMeans() {
    const [x, m] = [t([1, 2]), t([true, true])];
    return [
      ...[x.sum(), m.sum(), x.prod(), x.cumsum(0), refused(() => x.mean()), x.float().mean()],
      ...[x.bincount(), refused(() => t([0.5]).bincount())],
    ];
  },
  lossesOfWholeTargets() {
    const x = t([0.5, 0.25, 0.75]);
    const [whole, float] = [t([1, 0, 1]), t([1.0, 0.0, 1.0], float32)];
    return [
      refused(() => F.binaryCrossEntropy(x, whole)),
      F.binaryCrossEntropy(x, float),
      refused(() => F.binaryCrossEntropyWithLogits(x, whole)),
      F.binaryCrossEntropyWithLogits(x, float),
      refused(() => F.klDiv(x, whole)),
      F.mseLoss(x, whole),
      F.huberLoss(x, whole),
      F.l1Loss(x, whole),
    ];
  },
  labelsOfClasses() {
    const logits = t([
      [0.5, 1.5],
      [2.5, 0.5],
    ]);
    return [F.crossEntropy(logits, t([0, 1])), refused(() => F.crossEntropy(logits, t([0.0, 1.0], float32)))];
  },
  gradientsOfWholeNumbers: () => [
    refused(() => t([1, 2], { requiresGrad: true })),
    refused(() => torch.full([2], 1, { requiresGrad: true })),
    refused(() => new nn.Parameter(t([1, 2]))),
    t([1.0, 2.0], { dtype: "float32", requiresGrad: true }).sum(),
  ],
  layersOfWholeNumbers() {
    const layer = new nn.Linear(2, 1, { bias: false });
    nn.init.ones_(layer.weight);
    const embedding = new nn.Embedding(2, 1);
    nn.init.ones_(embedding.weight);
    return [
      refused(() => layer(t([1, 2]))),
      layer(t([1.0, 2.0], float32)),
      embedding(t([0, 1])),
      refused(() => embedding(t([0.5]))),
    ];
  },
  batchesOfNumbers: () => [
    data.defaultCollate([1, 2]),
    data.defaultCollate([true, false]),
    data.defaultCollate([2 ** 60, 1]),
  ],
  wholeLearningRate() {
    const p = leaf(1);
    p.grad = t([1.0], float32);
    const optimizer = new optim.SGD([p], { lr: 1 });
    optimizer.step();
    return [p, refused(() => (p.grad = t([1])))];
  },
};
