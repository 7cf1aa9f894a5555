// What PyTorch's callables need, in TypeScript's text, for the walk over their places: `places.test.ts`. A text of
// several numbers stands for the sizes that a layer needs.

/** The arguments that a layer needs; none where it has no line. */
export const LAYERS: Readonly<Record<string, string>> = {
  AdaptiveAvgPool1d: "2",
  AdaptiveAvgPool2d: "2",
  AdaptiveAvgPool3d: "2",
  AdaptiveLogSoftmaxWithLoss: "8, 10, [4]",
  AdaptiveMaxPool1d: "2",
  AdaptiveMaxPool2d: "2",
  AdaptiveMaxPool3d: "2",
  AvgPool1d: "2",
  AvgPool2d: "2",
  AvgPool3d: "2",
  BatchNorm1d: "4",
  BatchNorm2d: "4",
  BatchNorm3d: "4",
  Bilinear: "2, 3, 4",
  ChannelShuffle: "2",
  CircularPad1d: "1",
  CircularPad2d: "1",
  CircularPad3d: "1",
  ConstantPad1d: "1, 0",
  ConstantPad2d: "1, 0",
  ConstantPad3d: "1, 0",
  Conv1d: "2, 4, 3",
  Conv2d: "2, 4, 3",
  Conv3d: "2, 4, 3",
  ConvTranspose1d: "2, 4, 3",
  ConvTranspose2d: "2, 4, 3",
  ConvTranspose3d: "2, 4, 3",
  Embedding: "10, 3",
  EmbeddingBag: "10, 3",
  Fold: "[4, 4], 2",
  FractionalMaxPool2d: "2",
  FractionalMaxPool3d: "2",
  GRU: "2, 3",
  GRUCell: "2, 3",
  GroupNorm: "2, 4",
  InstanceNorm1d: "4",
  InstanceNorm2d: "4",
  InstanceNorm3d: "4",
  LPPool1d: "2, 3",
  LPPool2d: "2, 3",
  LPPool3d: "2, 3",
  LSTM: "2, 3",
  LSTMCell: "2, 3",
  LayerNorm: "4",
  LazyConv1d: "4, 3",
  LazyConv2d: "4, 3",
  LazyConv3d: "4, 3",
  LazyConvTranspose1d: "4, 3",
  LazyConvTranspose2d: "4, 3",
  LazyConvTranspose3d: "4, 3",
  LazyLinear: "4",
  Linear: "2, 3",
  LocalResponseNorm: "2",
  MaxPool1d: "2",
  MaxPool2d: "2",
  MaxPool3d: "2",
  MaxUnpool1d: "2",
  MaxUnpool2d: "2",
  MaxUnpool3d: "2",
  MultiheadAttention: "4, 2",
  PixelShuffle: "2",
  PixelUnshuffle: "2",
  RMSNorm: "4",
  RNN: "2, 3",
  RNNCell: "2, 3",
  ReflectionPad1d: "1",
  ReflectionPad2d: "1",
  ReflectionPad3d: "1",
  ReplicationPad1d: "1",
  ReplicationPad2d: "1",
  ReplicationPad3d: "1",
  SyncBatchNorm: "4",
  Threshold: "0.1, 20",
  TransformerDecoder: "new nn.TransformerDecoderLayer(4, 2), 1",
  TransformerDecoderLayer: "4, 2",
  TransformerEncoder: "new nn.TransformerEncoderLayer(4, 2), 1",
  TransformerEncoderLayer: "4, 2",
  Unflatten: "1, [2, 2]",
  Unfold: "2",
  ZeroPad1d: "1",
  ZeroPad2d: "1",
  ZeroPad3d: "1",
};

/** In place of PyTorch's own default, where that is no right value or makes a slow or a refused call. */
export const VALUES: Readonly<Record<string, string>> = {
  "nn.FractionalMaxPool2d output_size": "4",
  "nn.FractionalMaxPool3d output_size": "4",
  "nn.Softmax dim": "1",
  "nn.LogSoftmax dim": "1",
  "nn.Softmin dim": "1",
  "nn.Upsample size": "4",
  "nn.UpsamplingBilinear2d size": "4",
  "nn.UpsamplingNearest2d size": "4",
  "nn.Transformer d_model": "8",
  "nn.Transformer nhead": "2",
  "nn.Transformer num_encoder_layers": "1",
  "nn.Transformer num_decoder_layers": "1",
  "nn.Transformer dim_feedforward": "8",
  "nn.TransformerEncoderLayer activation": '"relu"',
  "nn.TransformerDecoderLayer activation": '"relu"',
  "nn.Transformer activation": '"relu"',
};

/** Names that are not PyTorch's in camelCase, because those are PyTorch's own shorthand or its private ones. */
export const NAMES: Readonly<Record<string, string>> = {
  lambd: "lambda",
  _weight: "weight",
  _freeze: "freeze",
  _random_samples: "randomSamples",
  n_classes: "numClasses",
};

/** Places that are refused on purpose, or not there yet, each with the reason. A word alone is a parameter of any layer. */
export const REFUSED: Readonly<Record<string, string>> = {
  process_group: "one process has one batch: the layer takes no group",
  "nn.Hardtanh min_value": "PyTorch has given it up for `minVal`",
  "nn.Hardtanh max_value": "PyTorch has given it up for `maxVal`",
  "nn.TransformerEncoder enable_nested_tensor": "there are no nested tensors here",
  "nn.TransformerEncoder mask_check": "there are no nested tensors here",
  "nn.BatchNorm1d bias": "not there yet: a norm with a scale has a shift",
  "nn.BatchNorm2d bias": "not there yet: a norm with a scale has a shift",
  "nn.BatchNorm3d bias": "not there yet: a norm with a scale has a shift",
  "nn.SyncBatchNorm bias": "not there yet: a norm with a scale has a shift",
  "nn.InstanceNorm1d bias": "not there yet: a norm with a scale has a shift",
  "nn.InstanceNorm2d bias": "not there yet: a norm with a scale has a shift",
  "nn.InstanceNorm3d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyBatchNorm1d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyBatchNorm2d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyBatchNorm3d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyInstanceNorm1d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyInstanceNorm2d bias": "not there yet: a norm with a scale has a shift",
  "nn.LazyInstanceNorm3d bias": "not there yet: a norm with a scale has a shift",
  "nn.GroupNorm bias": "not there yet: a norm with a scale has a shift",
};

/** Places that take null alone, and have no name here, each with the reason, which the error says. */
export const NULL_ONLY: Readonly<Record<string, string>> = {
  size_average: "PyTorch has given it up for reduction",
  reduce: "PyTorch has given it up for reduction",
};

/** Layers that the walk leaves out, each with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  Module: "users extend it",
  ModuleDict: "it takes layers alone",
  ModuleList: "it takes layers alone",
  ParameterDict: "it takes parameters alone",
  ParameterList: "it takes parameters alone",
};

/** What the error of a wrong value shows where that is not the parameter's name: another call checks it. */
export const SHOWN: Readonly<Record<string, string>> = {
  "nn.FractionalMaxPool2d _random_samples": "nn.Buffer",
  "nn.FractionalMaxPool3d _random_samples": "nn.Buffer",
  "nn.Transformer num_encoder_layers": "numLayers",
  "nn.Transformer num_decoder_layers": "numLayers",
};

/** Layers that have no parameters unless asked for, so that nobody asks where they would lie. */
export const HAS_NO_PARAMETERS: ReadonlySet<string> = new Set([
  "InstanceNorm1d",
  "InstanceNorm2d",
  "InstanceNorm3d",
]);
