// A right call of every layer with weights, windows or a state: how it is made, and what it is given.
import { nn, type Tensor, torch } from "../../../../lib/index.ts";
import { callsOf, factory, line, image, volume, pooled, type RightLayerCall } from "./layer_calls.ts";
import { anything, long, ones, type RightCalls } from "./right_calls.ts";

const windows = (sizes: number, more = {}) => [
  2,
  4,
  3,
  {
    stride: 1,
    padding: sizes,
    dilation: 1,
    groups: 2,
    bias: true,
    paddingMode: "zeros",
    ...more,
    ...factory,
  },
];
const transposed = [
  2,
  4,
  3,
  {
    stride: 2,
    padding: 1,
    outputPadding: 1,
    dilation: 1,
    groups: 2,
    bias: true,
    paddingMode: "zeros",
    ...factory,
  },
];
const norm = { eps: 1e-5, momentum: 0.1, affine: true, trackRunningStats: true, ...factory };
const recurrent = {
  numLayers: 1,
  bias: true,
  batchFirst: false,
  dropout: 0,
  bidirectional: false,
  ...factory,
};
const transformer = {
  dimFeedforward: 8,
  dropout: 0.1,
  activation: "relu",
  layerNormEps: 1e-5,
  batchFirst: true,
  normFirst: false,
  bias: true,
  ...factory,
};
const pool = { stride: 2, padding: 1, ceilMode: false };
const avg = { ...pool, countIncludePad: true };
const max = { ...pool, dilation: 1, returnIndices: false };
const unpooled =
  (input: () => Tensor, operator: (x: Tensor, kernelSize: number) => Tensor[]) => (): RightLayerCall => ({
    make: [2, { stride: 2, padding: 0 }],
    input: [...operator(input(), 2), input().shape],
  });

export const layers: RightCalls = callsOf({
  Linear: () => ({ make: [4, 2, { bias: true, ...factory }], input: [ones(3, 4)] }),
  LazyLinear: () => ({ make: [2, { bias: true, ...factory }], input: [ones(3, 4)] }),
  Bilinear: () => ({ make: [2, 3, 4, { bias: true, ...factory }], input: [ones(5, 2), ones(5, 3)] }),
  Identity: () => ({ make: [], input: [anything] }),
  Flatten: () => ({ make: [1, -1], input: [ones(2, 3, 4)] }),
  Unflatten: () => ({ make: [1, [2, 3]], input: [ones(4, 6)] }),
  CosineSimilarity: () => ({ make: [1, 1e-8], input: [ones(2, 3), ones(2, 3)] }),
  PairwiseDistance: () => ({ make: [2, 1e-6, false], input: [ones(2, 3), ones(2, 3)] }),

  Conv1d: pooled(windows(1), line),
  Conv2d: pooled(windows(1), image),
  Conv3d: pooled(windows(1), volume),
  LazyConv1d: pooled(windows(1).slice(1), line),
  LazyConv2d: pooled(windows(1).slice(1), image),
  LazyConv3d: pooled(windows(1).slice(1), volume),
  ConvTranspose1d: () => ({ make: transposed, input: [line(), [16]] }),
  ConvTranspose2d: () => ({ make: transposed, input: [image(), [16, 16]] }),
  ConvTranspose3d: () => ({ make: transposed, input: [volume(), [16, 16, 16]] }),
  LazyConvTranspose1d: () => ({ make: transposed.slice(1), input: [line(), [16]] }),
  LazyConvTranspose2d: () => ({ make: transposed.slice(1), input: [image(), [16, 16]] }),
  LazyConvTranspose3d: () => ({ make: transposed.slice(1), input: [volume(), [16, 16, 16]] }),
  Unfold: pooled([3, { dilation: 1, padding: 1, stride: 2 }], image),
  Fold: () => ({ make: [[4, 4], 2, { dilation: 1, padding: 0, stride: 2 }], input: [ones(2, 12, 4)] }),

  AvgPool1d: pooled([2, avg], line),
  AvgPool2d: pooled([2, { ...avg, divisorOverride: 3 }], image),
  AvgPool3d: pooled([2, { ...avg, divisorOverride: 3 }], volume),
  MaxPool1d: pooled([2, max], line),
  MaxPool2d: pooled([2, max], image),
  MaxPool3d: pooled([2, max], volume),
  LPPool1d: pooled([2, 3, { stride: 2, ceilMode: false }], line),
  LPPool2d: pooled([2, 3, { stride: 2, ceilMode: false }], image),
  LPPool3d: pooled([2, 3, { stride: 2, ceilMode: false }], volume),
  AdaptiveAvgPool1d: pooled([4], line),
  AdaptiveAvgPool2d: pooled([[4, null]], image),
  AdaptiveAvgPool3d: pooled([[4, null, 4]], volume),
  AdaptiveMaxPool1d: pooled([4, { returnIndices: true }], line),
  AdaptiveMaxPool2d: pooled([[4, null], { returnIndices: true }], image),
  AdaptiveMaxPool3d: pooled([[4, null, 4], { returnIndices: true }], volume),
  FractionalMaxPool2d: pooled([2, { outputSize: 4, returnIndices: false }], image),
  FractionalMaxPool3d: pooled([2, { outputRatio: 0.5, returnIndices: false }], volume),
  MaxUnpool1d: unpooled(line, (x, size) => nn.functional.maxPool1dWithIndices(x, size)),
  MaxUnpool2d: unpooled(image, (x, size) => nn.functional.maxPool2dWithIndices(x, size)),
  MaxUnpool3d: unpooled(volume, (x, size) => nn.functional.maxPool3dWithIndices(x, size)),

  BatchNorm1d: pooled([2, norm], line),
  BatchNorm2d: pooled([2, norm], image),
  BatchNorm3d: pooled([2, norm], volume),
  SyncBatchNorm: pooled([2, norm], image),
  LazyBatchNorm1d: pooled([norm], line),
  LazyBatchNorm2d: pooled([norm], image),
  LazyBatchNorm3d: pooled([norm], volume),
  InstanceNorm1d: pooled([2, norm], line),
  InstanceNorm2d: pooled([2, norm], image),
  InstanceNorm3d: pooled([2, norm], volume),
  LazyInstanceNorm1d: pooled([norm], line),
  LazyInstanceNorm2d: pooled([norm], image),
  LazyInstanceNorm3d: pooled([norm], volume),
  GroupNorm: pooled([1, 2, { eps: 1e-5, affine: true, ...factory }], image),
  LayerNorm: pooled([[8, 8], { eps: 1e-5, elementwiseAffine: true, bias: true, ...factory }], image),
  RMSNorm: pooled([[8, 8], { eps: 1e-5, elementwiseAffine: true, ...factory }], image),
  LocalResponseNorm: pooled([2, 1e-4, 0.75, 1], image),

  Embedding: () => ({
    make: [
      5,
      2,
      {
        paddingIdx: 0,
        maxNorm: 1,
        normType: 2,
        scaleGradByFreq: false,
        sparse: false,
        weight: ones(5, 2),
        ...factory,
      },
    ],
    input: [long(1, 4)],
  }),
  EmbeddingBag: () => ({
    make: [
      5,
      2,
      {
        mode: "sum",
        includeLastOffset: false,
        paddingIdx: 0,
        maxNorm: 1,
        normType: 2,
        scaleGradByFreq: false,
        sparse: false,
        ...factory,
      },
    ],
    input: [long(1, 4), long(0, 1), ones(2)],
  }),

  RNN: () => ({
    make: [3, 4, { nonlinearity: "tanh", ...recurrent }],
    input: [ones(5, 2, 3), ones(1, 2, 4)],
  }),
  GRU: () => ({ make: [3, 4, recurrent], input: [ones(5, 2, 3), ones(1, 2, 4)] }),
  LSTM: () => ({
    make: [3, 4, { projSize: 0, ...recurrent }],
    input: [ones(5, 2, 3), [ones(1, 2, 4), ones(1, 2, 4)]],
  }),
  RNNCell: () => ({
    make: [3, 4, { nonlinearity: "tanh", bias: true, ...factory }],
    input: [ones(2, 3), ones(2, 4)],
  }),
  GRUCell: () => ({ make: [3, 4, { bias: true, ...factory }], input: [ones(2, 3), ones(2, 4)] }),
  LSTMCell: () => ({
    make: [3, 4, { bias: true, ...factory }],
    input: [ones(2, 3), [ones(2, 4), ones(2, 4)]],
  }),

  MultiheadAttention: () => ({
    make: [
      4,
      2,
      {
        dropout: 0,
        bias: true,
        addBiasKv: false,
        addZeroAttn: false,
        kdim: 4,
        vdim: 4,
        batchFirst: false,
        ...factory,
      },
    ],
    input: [
      ones(3, 1, 4),
      ones(3, 1, 4),
      ones(3, 1, 4),
      {
        attnMask: torch.zeros([3, 3]),
        keyPaddingMask: torch.zeros([1, 3]),
        isCausal: false,
        needWeights: true,
        averageAttnWeights: true,
      },
    ],
  }),
  TransformerEncoderLayer: () => ({
    make: [4, 2, transformer],
    input: [
      ones(1, 3, 4),
      { srcMask: torch.zeros([3, 3]), srcKeyPaddingMask: torch.zeros([1, 3]), isCausal: false },
    ],
  }),
  TransformerDecoderLayer: () => ({
    make: [4, 2, transformer],
    input: [
      ones(1, 3, 4),
      ones(1, 5, 4),
      {
        tgtMask: torch.zeros([3, 3]),
        memoryMask: torch.zeros([3, 5]),
        tgtIsCausal: false,
        memoryIsCausal: false,
      },
    ],
  }),
  TransformerEncoder: () => ({
    make: [
      () => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8 }),
      1,
      { norm: new nn.LayerNorm(4) },
    ],
    input: [
      ones(3, 1, 4),
      { mask: torch.zeros([3, 3]), srcKeyPaddingMask: torch.zeros([1, 3]), isCausal: false },
    ],
  }),
  TransformerDecoder: () => ({
    make: [
      () => new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 8 }),
      1,
      { norm: new nn.LayerNorm(4) },
    ],
    input: [ones(3, 1, 4), ones(5, 1, 4), { tgtMask: torch.zeros([3, 3]) }],
  }),
  Transformer: () => ({
    make: [{ dModel: 4, nhead: 2, numEncoderLayers: 1, numDecoderLayers: 1, ...transformer }],
    input: [ones(1, 3, 4), ones(1, 5, 4), { srcMask: torch.zeros([3, 3]), tgtMask: torch.zeros([5, 5]) }],
  }),
});
