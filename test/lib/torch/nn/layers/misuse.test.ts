// Each layer with each wrong thing: no tensor, too few dimensions, an unknown option, NaN and negative numbers. All are
// refused before libtorch is asked, by the right class, in words that name the layer.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";
import { FEATURES } from "./features.ts";
import { SEQUENCES } from "./sequences.ts";
import { SPATIAL } from "./spatial.ts";

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It was not refused.");
}

const LAYERS = Object.entries({ ...SPATIAL, ...FEATURES, ...SEQUENCES });

/** Expects a message for the user: one sentence or two, nothing of C++. */
function expectReadable(error: Error): void {
  expect(["TypeError", "RangeError"]).toContain(error.name);
  expect(error.message).not.toMatch(/aten|at::|c10|INTERNAL|Exception raised|\.cpp/);
  expect(error.message.endsWith(".")).toBe(true);
}

describe.each(LAYERS)("%s", (_, { make }) => {
  it("refuses what is no tensor", () => {
    const layer = make() as unknown as (...inputs: unknown[]) => unknown;
    for (const wrong of [undefined, null, 3, "x", [1, 2], {}]) {
      const error = thrownBy(() => layer(wrong, wrong, wrong));
      expectReadable(error);
      expect(error.name).toBe("TypeError");
    }
  });
});

/** Every class with options: how it is made with some. */
const WITH_OPTIONS: Record<string, (options: never) => unknown> = {
  ReLU: (o) => new nn.ReLU(o),
  GELU: (o) => new nn.GELU(o),
  LeakyReLU: (o) => new nn.LeakyReLU(0.1, o),
  PReLU: (o) => new nn.PReLU(1, o),
  RReLU: (o) => new nn.RReLU(0.1, 0.2, o),
  Threshold: (o) => new nn.Threshold(0, 0, o),
  Hardtanh: (o) => new nn.Hardtanh(0, 1, o),
  Conv1d: (o) => new nn.Conv1d(1, 1, 1, o),
  Conv3d: (o) => new nn.Conv3d(1, 1, 1, o),
  ConvTranspose2d: (o) => new nn.ConvTranspose2d(1, 1, 1, o),
  MaxPool1d: (o) => new nn.MaxPool1d(1, o),
  MaxUnpool2d: (o) => new nn.MaxUnpool2d(1, o),
  AvgPool1d: (o) => new nn.AvgPool1d(1, o),
  LPPool2d: (o) => new nn.LPPool2d(2, 1, o),
  AdaptiveMaxPool2d: (o) => new nn.AdaptiveMaxPool2d(1, o),
  FractionalMaxPool2d: (o) => new nn.FractionalMaxPool2d(1, o),
  BatchNorm1d: (o) => new nn.BatchNorm1d(1, o),
  InstanceNorm2d: (o) => new nn.InstanceNorm2d(1, o),
  GroupNorm: (o) => new nn.GroupNorm(1, 1, o),
  LayerNorm: (o) => new nn.LayerNorm(1, o),
  RMSNorm: (o) => new nn.RMSNorm(1, o),
  Dropout1d: (o) => new nn.Dropout1d(0.5, o),
  Embedding: (o) => new nn.Embedding(1, 1, o),
  EmbeddingBag: (o) => new nn.EmbeddingBag(1, 1, o),
  Bilinear: (o) => new nn.Bilinear(1, 1, 1, o),
  AdaptiveLogSoftmaxWithLoss: (o) => new nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2], o),
  Fold: (o) => new nn.Fold(2, 1, o),
  Unfold: (o) => new nn.Unfold(1, o),
  Upsample: (o) => new nn.Upsample(o),
  UpsamplingNearest2d: (o) => new nn.UpsamplingNearest2d(o),
  RNN: (o) => new nn.RNN(1, 1, o),
  LSTM: (o) => new nn.LSTM(1, 2, o),
  GRU: (o) => new nn.GRU(1, 1, o),
  RNNCell: (o) => new nn.RNNCell(1, 1, o),
  LSTMCell: (o) => new nn.LSTMCell(1, 1, o),
  GRUCell: (o) => new nn.GRUCell(1, 1, o),
  MultiheadAttention: (o) => new nn.MultiheadAttention(2, 1, o),
  TransformerEncoderLayer: (o) => new nn.TransformerEncoderLayer(2, 1, o),
  TransformerDecoderLayer: (o) => new nn.TransformerDecoderLayer(2, 1, o),
  Transformer: (o) => new nn.Transformer(o),
  BCELoss: (o) => new nn.BCELoss(o),
  BCEWithLogitsLoss: (o) => new nn.BCEWithLogitsLoss(o),
  CrossEntropyLoss: (o) => new nn.CrossEntropyLoss(o),
  CTCLoss: (o) => new nn.CTCLoss(o),
  CosineEmbeddingLoss: (o) => new nn.CosineEmbeddingLoss(o),
  GaussianNLLLoss: (o) => new nn.GaussianNLLLoss(o),
  HingeEmbeddingLoss: (o) => new nn.HingeEmbeddingLoss(o),
  HuberLoss: (o) => new nn.HuberLoss(o),
  KLDivLoss: (o) => new nn.KLDivLoss(o),
  L1Loss: (o) => new nn.L1Loss(o),
  MarginRankingLoss: (o) => new nn.MarginRankingLoss(o),
  MultiMarginLoss: (o) => new nn.MultiMarginLoss(o),
  PoissonNLLLoss: (o) => new nn.PoissonNLLLoss(o),
  TripletMarginLoss: (o) => new nn.TripletMarginLoss(o),
};

describe.each(Object.entries(WITH_OPTIONS))("new nn.%s", (name, make) => {
  it("refuses an unknown option by its name, and what stands in no place", () => {
    const unknown = thrownBy(() => make({ paddin: 1 } as never));
    expect(unknown.name).toBe("TypeError");
    expect(unknown.message).toMatch(new RegExp(`^new nn\\.${name}: unknown option "paddin"; it takes `));
    // Each takes what PyTorch takes at that place (`test/lib/arguments/`), and none takes a function.
    const error = thrownBy(() => make((() => 1) as never));
    expect(error.name).toBe("TypeError");
    expect(error.message).toMatch(new RegExp(`^new nn\\.${name}: .*the function|a function`));
  });
});

/** Every class with sizes: how it is made with one that is wrong. */
const WITH_SIZES: Record<string, (size: never) => unknown> = {
  Conv1d: (n) => new nn.Conv1d(n, 1, 1),
  ConvTranspose3d: (n) => new nn.ConvTranspose3d(1, n, 1),
  MaxPool2d: (n) => new nn.MaxPool2d(n),
  MaxUnpool1d: (n) => new nn.MaxUnpool1d(n),
  AvgPool3d: (n) => new nn.AvgPool3d(n),
  LPPool1d: (n) => new nn.LPPool1d(2, n),
  FractionalMaxPool3d: (n) => new nn.FractionalMaxPool3d(n, { outputSize: 1 }),
  BatchNorm2d: (n) => new nn.BatchNorm2d(n),
  InstanceNorm1d: (n) => new nn.InstanceNorm1d(n),
  GroupNorm: (n) => new nn.GroupNorm(1, n),
  LocalResponseNorm: (n) => new nn.LocalResponseNorm(n),
  Embedding: (n) => new nn.Embedding(n, 1),
  EmbeddingBag: (n) => new nn.EmbeddingBag(1, n),
  Bilinear: (n) => new nn.Bilinear(1, n, 1),
  PixelShuffle: (n) => new nn.PixelShuffle(n),
  PixelUnshuffle: (n) => new nn.PixelUnshuffle(n),
  ChannelShuffle: (n) => new nn.ChannelShuffle(n),
  Fold: (n) => new nn.Fold(n, 1),
  Unfold: (n) => new nn.Unfold(n),
  ReflectionPad2d: (n) => new nn.ReflectionPad2d(n),
  ReplicationPad1d: (n) => new nn.ReplicationPad1d(n),
  CircularPad3d: (n) => new nn.CircularPad3d(n),
  LSTM: (n) => new nn.LSTM(n, 1),
  GRUCell: (n) => new nn.GRUCell(1, n),
  MultiheadAttention: (n) => new nn.MultiheadAttention(n, 1),
  TransformerEncoderLayer: (n) => new nn.TransformerEncoderLayer(2, 1, { dimFeedforward: n }),
};

describe.each(Object.entries(WITH_SIZES))("new nn.%s", (_, make) => {
  it("refuses sizes that are NaN, infinite, negative, fractions or no numbers", () => {
    for (const wrong of [NaN, Infinity, -1, 1.5]) {
      const error = thrownBy(() => make(wrong as never));
      expectReadable(error);
      expect(error.name).toBe("RangeError");
      expect(error.message).toContain(String(wrong));
    }
    for (const wrong of ["2", null, {}, true, 2n]) {
      const error = thrownBy(() => make(wrong as never));
      expectReadable(error);
      expect(error.name).toBe("TypeError");
    }
  });
});

const x = (...shape: number[]): Tensor => torch.zeros(shape);
const lstm = () => new nn.LSTM(4, 3);
const attention = () => new nn.MultiheadAttention(4, 2);

describe("an input of the wrong shape", () => {
  refuses([
    [
      "for a transposed convolution",
      () => new nn.ConvTranspose2d(2, 3, 3)(x(1, 3, 5, 5)),
      "RangeError",
      "ConvTranspose2d(2, 3, kernelSize=[3, 3], stride=[1, 1]): the input must have 2 channels, got 3 in shape [1, 3, 5, 5].",
    ],
    [
      "with an output that no stride gives",
      () => new nn.ConvTranspose1d(1, 1, 3, { stride: 2 })(x(1, 1, 4), [20]),
      "RangeError",
      "ConvTranspose1d(1, 1, kernelSize=[3], stride=[2]): outputSize must be from [9] to [10], got [20].",
    ],
    [
      "smaller than the window",
      () => new nn.Conv2d(1, 1, 5)(x(1, 1, 4, 8)),
      "RangeError",
      "Conv2d(1, 1, kernelSize=[5, 5], stride=[1, 1]): the window spans 5 of dimension -2, which has 4 with its padding; give a larger input or padding.",
    ],
    [
      "that reflects more than there is",
      () => new nn.ReflectionPad1d(4)(x(1, 1, 4)),
      "RangeError",
      'ReflectionPad1d([4, 4]): "reflect" padding of a dimension of size 4 must be at most 3, got 4.',
    ],
    [
      "for LSTM",
      () => lstm()(x(5, 2, 3)),
      "RangeError",
      "LSTM(4, 3): the input must be [time, batch, 4] or [time, 4], got shape [5, 2, 3].",
    ],
    [
      "for LSTM's state",
      () => lstm()(x(5, 2, 4), [x(1, 2, 3), x(1, 1, 3)]),
      "RangeError",
      "LSTM(4, 3): the state must be [1, 2, 3], got shape [1, 1, 3].",
    ],
    [
      "for a state that is no pair",
      () => lstm()(x(5, 2, 4), x(1, 2, 3) as never),
      "TypeError",
      "LSTM(4, 3): the state must be [hidden, cell], got a Tensor.",
    ],
    [
      "for a cell",
      () => new nn.GRUCell(2, 3)(x(1, 2), x(1, 2)),
      "RangeError",
      "GRUCell(2, 3): the state must be [1, 3], got shape [1, 2].",
    ],
    [
      "for attention",
      () => attention()(x(2, 1, 4), x(3, 1, 4), x(4, 1, 4)),
      "RangeError",
      "MultiheadAttention(4, 2): query, key and value must be [target, batch, 4], [source, batch, 4] and [source, batch, 4], got shapes [2, 1, 4], [3, 1, 4], [4, 1, 4].",
    ],
    [
      "for attention's mask",
      () => attention()(x(2, 1, 4), x(3, 1, 4), x(3, 1, 4), { attnMask: x(3, 2) }),
      "RangeError",
      "MultiheadAttention(4, 2): attnMask must be [2, 3] or [2, 2, 3], got shape [3, 2].",
    ],
    [
      "for a causal hint without a mask",
      () => attention()(x(2, 1, 4), x(2, 1, 4), x(2, 1, 4), { isCausal: true }),
      "TypeError",
      "MultiheadAttention(4, 2): isCausal says that attnMask is causal, and there is none; nn.Transformer.generateSquareSubsequentMask(length) makes it.",
    ],
    [
      "for a transformer",
      () =>
        new nn.Transformer({
          dModel: 4,
          nhead: 2,
          numEncoderLayers: 1,
          numDecoderLayers: 1,
          dimFeedforward: 4,
        })(x(3, 2, 4), x(3, 1, 4)),
      "RangeError",
      "Transformer: source and target must be [length, batch, 4], got shapes [3, 2, 4] and [3, 1, 4].",
    ],
    [
      "for one value a channel",
      () => new nn.BatchNorm2d(3)(x(1, 3, 1, 1)),
      "RangeError",
      "BatchNorm2d(3, eps=0.00001, momentum=0.1, affine=true, trackRunningStats=true): one value a channel has no variance, got shape [1, 3, 1, 1]; give a larger batch, or call eval().",
    ],
    [
      "for a bag without offsets",
      () => new nn.EmbeddingBag(4, 2)(torch.zeros([3], { dtype: "int64" })),
      "TypeError",
      "embeddingBag: an input of 1 dimension needs offsets, which say where each bag begins.",
    ],
    [
      "for a fold",
      () => new nn.Fold(4, 2)(x(1, 4, 8)),
      "RangeError",
      "Fold(outputSize=[4, 4], kernelSize=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[1, 1]): the input must be [batch, channels * 4, 9], got shape [1, 4, 8].",
    ],
    [
      "to be upsampled",
      () => new nn.Upsample({ scaleFactor: 2, mode: "bilinear" })(x(1, 1, 4)),
      "RangeError",
      'interpolate: mode "bilinear" does not serve an input of shape [1, 1, 4].',
    ],
    [
      "to be pooled to no size",
      () => new nn.AdaptiveAvgPool2d([NaN, 2]),
      "RangeError",
      "new nn.AdaptiveAvgPool2d: outputSize[0] must be an integer of at least 1, got NaN.",
    ],
    [
      "with an odd half",
      () => new nn.GLU()(x(2, 3)),
      "RangeError",
      "GLU(dim=-1): the dimension must have an even size, got shape [2, 3].",
    ],
  ]);
});
