// A right call of every activation, padding, reshaping and loss as a layer.
import { nn, type Tensor, torch } from "../../../../lib/index.ts";
import { callsOf, factory, line, image, volume, pooled, type RightLayerCall } from "./layer_calls.ts";
import { long, ones, type RightCalls } from "./right_calls.ts";

const inplace = { inplace: true };
const pair = () => ({ make: [{ reduction: "mean" }], input: [ones(2, 3), ones(2, 3)] });
const margin = () => ({ make: [{ margin: 0.5, reduction: "mean" }], input: [ones(2, 3), ones(2)] });
const elementwise =
  (...make: unknown[]) =>
  (): RightLayerCall => ({ make, input: [ones(2, 3)] });

export const simpleLayers: RightCalls = callsOf({
  Dropout: elementwise(0.5, inplace),
  Dropout1d: pooled([0.5, inplace], line),
  Dropout2d: pooled([0.5, inplace], image),
  Dropout3d: pooled([0.5, inplace], volume),
  AlphaDropout: elementwise(0.5, inplace),
  FeatureAlphaDropout: pooled([0.5, inplace], image),

  ReLU: elementwise(inplace),
  ReLU6: elementwise(inplace),
  SELU: elementwise(inplace),
  SiLU: elementwise(inplace),
  Mish: elementwise(inplace),
  Hardswish: elementwise(inplace),
  Hardsigmoid: elementwise(inplace),
  Sigmoid: elementwise(),
  Tanh: elementwise(),
  Tanhshrink: elementwise(),
  Softsign: elementwise(),
  LogSigmoid: elementwise(),
  LeakyReLU: elementwise(0.01, inplace),
  ELU: elementwise(1, inplace),
  CELU: elementwise(1, inplace),
  Softplus: elementwise(1, 20),
  Hardshrink: elementwise(0.5),
  Softshrink: elementwise(0.5),
  Threshold: elementwise(0.5, 1, inplace),
  Hardtanh: elementwise(-1, 1, inplace),
  GELU: elementwise({ approximate: "tanh" }),
  PReLU: elementwise(1, { init: 0.25, ...factory }),
  RReLU: elementwise(0.1, 0.3, inplace),
  GLU: () => ({ make: [-1], input: [ones(2, 4)] }),
  Softmax: elementwise(1),
  LogSoftmax: elementwise(1),
  Softmin: elementwise(1),
  Softmax2d: pooled([], image),
  AdaptiveLogSoftmaxWithLoss: () => ({
    make: [4, 6, [2, 4], { divValue: 2, headBias: true, ...factory }],
    input: [ones(2, 4), long(1, 5)],
  }),

  ConstantPad1d: pooled([1, 0.5], line),
  ConstantPad2d: pooled([[1, 1, 2, 2], 0.5], image),
  ConstantPad3d: pooled([1, 0.5], volume),
  ZeroPad1d: pooled([1], line),
  ZeroPad2d: pooled([1], image),
  ZeroPad3d: pooled([1], volume),
  ReflectionPad1d: pooled([1], line),
  ReflectionPad2d: pooled([1], image),
  ReflectionPad3d: pooled([1], volume),
  ReplicationPad1d: pooled([1], line),
  ReplicationPad2d: pooled([1], image),
  ReplicationPad3d: pooled([1], volume),
  CircularPad1d: pooled([1], line),
  CircularPad2d: pooled([1], image),
  CircularPad3d: pooled([1], volume),
  PixelShuffle: () => ({ make: [2], input: [ones(1, 4, 2, 2)] }),
  PixelUnshuffle: () => ({ make: [2], input: [ones(1, 1, 4, 4)] }),
  ChannelShuffle: pooled([2], image),
  Upsample: pooled([{ scaleFactor: 2, mode: "bilinear", alignCorners: false }], image),
  UpsamplingNearest2d: pooled([{ size: [4, 4] }], image),
  UpsamplingBilinear2d: pooled([{ scaleFactor: 2 }], image),

  MSELoss: pair,
  L1Loss: pair,
  SmoothL1Loss: () => ({ ...pair(), make: [{ beta: 1, reduction: "mean" }] }),
  HuberLoss: () => ({ ...pair(), make: [{ delta: 1, reduction: "mean" }] }),
  KLDivLoss: () => ({ ...pair(), make: [{ logTarget: false, reduction: "batchmean" }] }),
  PoissonNLLLoss: () => ({
    ...pair(),
    make: [{ logInput: true, full: false, eps: 1e-8, reduction: "mean" }],
  }),
  GaussianNLLLoss: () => ({
    make: [{ full: false, eps: 1e-6, reduction: "mean" }],
    input: [ones(2, 3), ones(2, 3), ones(2, 3)],
  }),
  CrossEntropyLoss: () => ({
    make: [{ weight: ones(3), ignoreIndex: -100, labelSmoothing: 0.1, reduction: "mean" }],
    input: [ones(2, 3), long(0, 2)],
  }),
  NLLLoss: () => ({
    make: [{ weight: ones(3), ignoreIndex: -100, reduction: "mean" }],
    input: [ones(2, 3), long(0, 2)],
  }),
  BCELoss: () => ({ make: [{ weight: ones(2, 3), reduction: "mean" }], input: [ones(2, 3), ones(2, 3)] }),
  BCEWithLogitsLoss: () => ({
    make: [{ weight: ones(3), posWeight: ones(3), reduction: "mean" }],
    input: [ones(2, 3), ones(2, 3)],
  }),
  SoftMarginLoss: pair,
  MultiLabelMarginLoss: () => ({ make: [{ reduction: "mean" }], input: [ones(3), long(1, -1, 0)] }),
  MultiLabelSoftMarginLoss: () => ({
    make: [{ weight: ones(3), reduction: "mean" }],
    input: [ones(2, 3), ones(2, 3)],
  }),
  MultiMarginLoss: () => ({
    make: [{ p: 1, margin: 1, weight: ones(3), reduction: "mean" }],
    input: [ones(2, 3), long(0, 2)],
  }),
  CTCLoss: () => ({
    make: [{ blank: 0, zeroInfinity: false, reduction: "mean" }],
    input: [torch.zeros([4, 1, 3]).logSoftmax(2), torch.tensor([[1, 2]]), [4], [2]],
  }),
  HingeEmbeddingLoss: () => ({ ...margin(), input: [ones(2), ones(2)] }),
  MarginRankingLoss: () => ({ ...margin(), input: [ones(2), ones(2), ones(2)] }),
  CosineEmbeddingLoss: () => ({ ...margin(), input: [ones(2, 3), ones(2, 3), ones(2)] }),
  TripletMarginLoss: () => ({
    make: [{ margin: 1, p: 2, eps: 1e-6, swap: false, reduction: "mean" }],
    input: [ones(2, 3), ones(2, 3), ones(2, 3)],
  }),
  TripletMarginWithDistanceLoss: () => ({
    make: [
      {
        distanceFunction: (a: Tensor, b: Tensor) => a.sub(b).abs().sum(1),
        margin: 1,
        swap: false,
        reduction: "mean",
      },
    ],
    input: [ones(2, 3), ones(2, 3), ones(2, 3)],
  }),

  Sequential: () => ({ make: [new nn.Linear(4, 3), new nn.ReLU()], input: [ones(2, 4)] }),
});
