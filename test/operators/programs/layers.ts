// Layers with usual and with wrong inputs. layers.py has the same programs.
import { functional as F, nn, optim, torch, type Tensor } from "../../../lib/index.ts";
import { type Programs, refused } from "./helpers.ts";

function counted(...shape: number[]): Tensor {
  const count = shape.reduce((n, s) => n * s, 1);
  return torch.arange(count, { dtype: "float32" }).reshape(shape).div(count);
}
const float = (values: number[] | number[][] | number[][][]): Tensor =>
  torch.tensor(values, { dtype: "float32" });
const whole = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const truth = (values: boolean[][]): Tensor => torch.tensor(values);
const ones = (...shape: number[]): Tensor => torch.ones(shape);
const zeros = (...shape: number[]): Tensor => torch.zeros(shape);

export const layers: Programs = {
  linearOfManyDimensions() {
    const m = new nn.Linear(3, 2);
    return [m(counted(2, 4, 3)).shape, m(counted(3)).shape, refused(() => m(counted(2, 4)))];
  },
  linearOfAnEmptyBatch() {
    const m = new nn.Linear(3, 2);
    const y = m(zeros(0, 3));
    y.sum().backward();
    return [y.shape, m.weight.grad];
  },
  convolutionSameAndCircular() {
    const m = new nn.Conv1d(1, 1, 4, { padding: "same", paddingMode: "circular" });
    const n = new nn.Conv1d(1, 1, 3, { padding: "valid", dilation: 2 });
    return [m(counted(1, 1, 6)), n(counted(1, 1, 6))];
  },
  convolutionSameWithAStride: () => new nn.Conv1d(1, 1, 3, { stride: 2, padding: "same" }).kernelSize,
  convolutionOfAWindowTooLarge: () => new nn.Conv2d(1, 1, 5)(counted(1, 1, 3, 3)),
  convolutionInGroups() {
    const m = new nn.Conv2d(4, 4, 3, { groups: 4, stride: 2, padding: 1, bias: false });
    return [m(counted(2, 4, 5, 5)), m.weight.shape, refused(() => new nn.Conv2d(4, 6, 3, { groups: 4 }))];
  },
  convolutionWithoutABatch: () => [
    new nn.Conv2d(1, 2, 2)(counted(1, 3, 3)),
    refused(() => new nn.Conv2d(1, 2, 2)(counted(3, 3))),
  ],
  convolutionOfWrongChannels: () => new nn.Conv2d(3, 2, 2)(counted(1, 4, 3, 3)),
  transposedConvolution() {
    const m = new nn.ConvTranspose2d(1, 1, 3, { stride: 2, padding: 1, outputPadding: 1 });
    const x = counted(1, 1, 2, 2);
    return [m(x), m(x, [3, 3]).shape, refused(() => m(x, [9, 9]))];
  },
  outputPaddingTooLarge: () => new nn.ConvTranspose1d(1, 1, 3, { outputPadding: 1 })(counted(1, 1, 3)),
  poolingRoundsUp() {
    const x = counted(1, 1, 5, 5);
    return [
      F.maxPool2d(x, 2, { ceilMode: true }),
      F.avgPool2d(x, 3, { stride: 2, padding: 1 }),
      F.avgPool2d(x, 3, { stride: 2, padding: 1, countIncludePad: false }),
      refused(() => F.maxPool2d(x, 2, { padding: 2 })),
    ];
  },
  poolingIndicesGoBack() {
    const [y, i] = F.maxPool2dWithIndices(counted(1, 1, 4, 4), 2);
    return [i, F.maxUnpool2d(y, i, 2)];
  },
  adaptivePooling() {
    const x = counted(1, 1, 5);
    return [F.adaptiveAvgPool1d(x, 2), F.adaptiveMaxPool1d(x, 3), F.adaptiveAvgPool1d(x, 7)];
  },
  lpAndFractionalPooling: () => [
    F.lpPool1d(counted(1, 1, 4), 2, 2),
    F.maxPool1d(float([[[1, NaN, 2, 0]]]), 2),
  ],
  batchNormWithoutRunningStatistics() {
    const m = new nn.BatchNorm1d(2, { trackRunningStats: false }).eval();
    return [m(counted(3, 2)), m.runningMean];
  },
  batchNormOfACumulativeAverage() {
    const m = new nn.BatchNorm1d(2, { momentum: null });
    for (let k = 0; k < 3; k++) m(counted(3, 2).add(k));
    return [m.runningMean, m.runningVar, m.numBatchesTracked];
  },
  batchNormFrozenStillCounts() {
    const m = new nn.BatchNorm2d(2);
    m.weight!.requiresGrad_(false);
    m(counted(2, 2, 2, 2));
    return [m.runningMean, m.numBatchesTracked];
  },
  batchNormTwiceBeforeBackward() {
    const m = new nn.BatchNorm1d(2);
    const x = counted(3, 2).requiresGrad_();
    m(x)
      .pow(2)
      .sum()
      .add(m(x.mul(2)).sum())
      .backward();
    return [x.grad, m.weight!.grad];
  },
  normsOfShapes() {
    const x = counted(2, 4, 3);
    return [
      new nn.LayerNorm(3)(x),
      new nn.LayerNorm([4, 3], { elementwiseAffine: false })(x).shape,
      new nn.GroupNorm(2, 4)(x),
      new nn.InstanceNorm1d(4)(x),
      new nn.RMSNorm(3)(x),
      refused(() => new nn.LayerNorm(4)(x)),
      refused(() => new nn.GroupNorm(3, 4)),
    ];
  },
  instanceNormOfOneValue: () => new nn.InstanceNorm1d(2)(ones(1, 2, 1)),
  groupNormOfChannelsLast: () =>
    new nn.GroupNorm(2, 4)(counted(1, 4, 2, 2).contiguous({ memoryFormat: "channels_last" })),
  embeddingPaddingHasNoGradient() {
    const m = new nn.Embedding(4, 2, { paddingIdx: 1 });
    m(whole([1, 2, 2]))
      .sum()
      .backward();
    return [m.weight.grad, m.weight.at(1)];
  },
  embeddingOfANegativePadding: () => [
    new nn.Embedding(4, 2, { paddingIdx: -1 }).paddingIdx,
    refused(() => new nn.Embedding(4, 2, { paddingIdx: 4 })),
  ],
  embeddingOfFloats: () => new nn.Embedding(4, 2)(float([1])),
  embeddingRenormalizes() {
    const m = new nn.Embedding(2, 2, { maxNorm: 1 });
    torch.noGrad(() =>
      m.weight.copy_(
        float([
          [3, 4],
          [0.1, 0.1],
        ]),
      ),
    );
    const y = m(whole([0]));
    return [y, m.weight];
  },
  embeddingRenormalizesWhatWasUsed() {
    const m = new nn.Embedding(2, 2, { maxNorm: 1 });
    const a = m.weight.mul(2);
    const b = m(whole([0]));
    a.pow(2).sum().add(b.sum()).backward();
    return m.weight.grad!.shape;
  },
  embeddingWithSparseGradients() {
    const m = new nn.Embedding(3, 2, { sparse: true });
    m(whole([0, 2]))
      .sum()
      .backward();
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    const a = new optim.Adam(m.parameters());
    const before = m.weight.detach().clone();
    o.step();
    return [m.weight.grad!.layout === "sparse_coo", m.weight.sub(before), refused(() => a.step())];
  },
  bagsOfEmbeddings() {
    const m = new nn.EmbeddingBag(4, 2, { mode: "mean" });
    const i = whole([0, 1, 3]);
    return [m(i, whole([0, 2])), m(whole([[0, 1]])), m(i, whole([0, 0, 3])), refused(() => m(i))];
  },
  lstm() {
    const m = new nn.LSTM(2, 3, { numLayers: 2, bidirectional: true, batchFirst: true });
    const [y, [h, c]] = m(counted(2, 4, 2));
    return [y, h.shape, c.at(0)];
  },
  gruWithAStateOfAnotherSize: () => new nn.GRU(2, 3)(counted(4, 1, 2), zeros(1, 1, 4)),
  recurrentWithoutABatch: () => new nn.RNN(2, 3, { nonlinearity: "relu" })(counted(4, 2)),
  recurrentWithPackedSequences() {
    const m = new nn.GRU(2, 3, { batchFirst: true });
    const x = counted(2, 4, 2);
    const { packPaddedSequence, padPackedSequence } = nn.utils.rnn;
    const p = packPaddedSequence(x, whole([2, 4]), { batchFirst: true, enforceSorted: false });
    const [y, h] = m(p);
    const [z, n] = padPackedSequence(y, { batchFirst: true });
    return [z, n, h, refused(() => packPaddedSequence(x, whole([2, 4]), { batchFirst: true }))];
  },
  packedWithAnEmptySequence() {
    nn.utils.rnn.packPaddedSequence(counted(2, 4, 2), whole([4, 0]), { batchFirst: true });
  },
  paddedSequences: () =>
    nn.utils.rnn.padSequence([whole([1, 2, 3]), whole([4])], { batchFirst: true, paddingValue: -1 }),
  stateNotDetached() {
    torch.manualSeed(0);
    const m = new nn.GRU(1, 2);
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    let h: Tensor | undefined;
    const refusals: boolean[] = [];
    for (let i = 0; i < 2; i++) {
      const [y, next] = m(ones(2, 1, 1), h);
      h = next;
      refusals.push(refused(() => y.sum().backward()));
      o.step();
    }
    return refusals;
  },
  stateDetached() {
    torch.manualSeed(0);
    const m = new nn.GRU(1, 2);
    const o = new optim.SGD(m.parameters(), { lr: 0.1 });
    let h = zeros(1, 1, 2);
    for (let i = 0; i < 3; i++) {
      const [y, next] = m(ones(2, 1, 1), h.detach());
      h = next;
      o.zeroGrad();
      y.sum().backward();
      o.step();
    }
    return [h, m.getParameter("weightHhL0")];
  },
  attentionMasks() {
    const q = counted(1, 1, 3, 2);
    const attnMask = truth([
      [true, false, false],
      [true, true, false],
      [false, false, false],
    ]);
    const added = zeros(3, 3).maskedFill(attnMask.logicalNot(), -Infinity);
    return [
      F.scaledDotProductAttention(q, q, q, { isCausal: true }),
      F.scaledDotProductAttention(q, q, q, { attnMask }),
      F.scaledDotProductAttention(q, q, q, { attnMask: added }),
      refused(() => F.scaledDotProductAttention(q, q, q, { attnMask, isCausal: true })),
    ];
  },
  multiHeadAttentionHidesPadding() {
    torch.manualSeed(0);
    const m = new nn.MultiheadAttention(4, 2, { batchFirst: true });
    const x = counted(2, 3, 4);
    const keyPaddingMask = truth([
      [false, false, true],
      [false, true, true],
    ]);
    return m(x, x, x, { keyPaddingMask });
  },
  multiHeadAttentionHidesEverything() {
    torch.manualSeed(0);
    const m = new nn.MultiheadAttention(4, 2, { batchFirst: true });
    const x = counted(1, 2, 4);
    return m(x, x, x, { keyPaddingMask: truth([[true, true]]) })[0];
  },
  multiHeadAttentionOfHeadsThatDoNotDivide() {
    new nn.MultiheadAttention(4, 3);
  },
  transformerInBothModes() {
    torch.manualSeed(0);
    const m = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0, batchFirst: true });
    const x = counted(2, 3, 4);
    const srcKeyPaddingMask = truth([
      [false, false, true],
      [false, false, false],
    ]);
    const a = m(x, { srcKeyPaddingMask });
    const b = torch.noGrad(() => m.eval()(x, { srcKeyPaddingMask }));
    const seen = [torch.slice(null), torch.slice(null, 2)] as const;
    return [a.at(...seen), b.at(...seen)];
  },
  causalMask: () => nn.Transformer.generateSquareSubsequentMask(3),
  paddingModes() {
    const x = counted(1, 1, 4);
    return [
      F.pad(x, [1, 2]),
      F.pad(x, [2, 1], { mode: "reflect" }),
      F.pad(x, [1, 1], { mode: "replicate" }),
      F.pad(x, [-1, 0], { value: 9 }),
      refused(() => F.pad(x, [4, 0], { mode: "reflect" })),
    ];
  },
  interpolation() {
    const x = counted(1, 1, 2, 2);
    return [
      F.interpolate(x, { scaleFactor: 2 }),
      F.interpolate(x, { size: [3, 3], mode: "bilinear" }),
      F.interpolate(x, { size: [3, 3], mode: "bilinear", alignCorners: true }),
      F.interpolate(x, { size: [3, 3], mode: "bicubic" }),
      refused(() => F.interpolate(x, { size: 3, scaleFactor: 2 })),
      refused(() => F.interpolate(x, { size: [3, 3], mode: "linear" })),
    ];
  },
  activationsAtTheirEdges() {
    const x = float([-30, -1, 0, 1, 30]);
    return [
      F.gelu(x),
      F.gelu(x, { approximate: "tanh" }),
      F.softplus(x),
      F.leakyRelu(x, 0.1),
      F.elu(x, 2),
      F.hardswish(x),
      F.mish(x),
      F.glu(x.at(torch.slice(4))),
      refused(() => F.glu(x)),
    ];
  },
  softmaxOfMinusInfinity() {
    const x = float([
      [-Infinity, 0],
      [-Infinity, -Infinity],
    ]);
    return [x.softmax(1), x.logSoftmax(1), x.logsumexp(1)];
  },
  parametrizedWeight() {
    torch.manualSeed(0);
    const m = nn.utils.parametrizations.weightNorm(new nn.Linear(2, 2));
    m(ones(1, 2)).sum().backward();
    return [m.weight, m.parameters().map((p) => p.grad)];
  },
  sharedLayerTwice() {
    torch.manualSeed(0);
    const a = new nn.Linear(2, 2);
    const m = new nn.Sequential(a, new nn.Tanh(), a);
    m(ones(1, 2)).sum().backward();
    return [a.weight.grad, m.parameters().length];
  },
  hooksOfLayers() {
    torch.manualSeed(0);
    const first = new nn.Linear(2, 2);
    const m = new nn.Sequential(first, new nn.ReLU());
    const seen: Tensor[] = [];
    first.registerForwardPreHook((_, [x]) => [(x as Tensor).mul(2)]);
    const h = first.registerForwardHook((_module, _inputs, output) => (output as Tensor).add(1));
    first.registerFullBackwardHook((_module, _inputs, [g]) => {
      seen.push(g!.clone());
    });
    m(ones(1, 2)).sum().backward();
    h.remove();
    return [seen, first.weight.grad, m(ones(1, 2))];
  },
  lazyLayers() {
    torch.manualSeed(0);
    const m = new nn.LazyLinear(2);
    const y = m(ones(1, 3));
    return [y, m.weight.shape, refused(() => m(ones(1, 4)))];
  },
  unfoldAndFold() {
    const y = new nn.Unfold(2)(counted(1, 1, 3, 3));
    return [y, new nn.Fold([3, 3], 2)(y), F.pixelShuffle(counted(1, 4, 1, 1), 2)];
  },
};
