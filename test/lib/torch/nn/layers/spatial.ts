// Layers over images and their like, made as in test/fixtures/layers.py.
import { nn, type Tensor } from "../../../../../lib/index.ts";
import type { Build } from "./recorded.ts";

const unpooled =
  (pool: nn.MaxPool1d<true> | nn.MaxPool2d<true> | nn.MaxPool3d<true>, outputSize?: readonly number[]) =>
  (layer: nn.MaxUnpool2d, input: Tensor) =>
    layer(...pool(input), outputSize);

const returnIndices = true as const;

const PADDINGS = {
  ZeroPad1d: nn.ZeroPad1d,
  ZeroPad2d: nn.ZeroPad2d,
  ZeroPad3d: nn.ZeroPad3d,
  ReflectionPad1d: nn.ReflectionPad1d,
  ReflectionPad2d: nn.ReflectionPad2d,
  ReflectionPad3d: nn.ReflectionPad3d,
  ReplicationPad1d: nn.ReplicationPad1d,
  ReplicationPad2d: nn.ReplicationPad2d,
  ReplicationPad3d: nn.ReplicationPad3d,
  CircularPad1d: nn.CircularPad1d,
  CircularPad2d: nn.CircularPad2d,
  CircularPad3d: nn.CircularPad3d,
};

function paddings(): Record<string, Build> {
  const builds = Object.entries(PADDINGS).map(([name, Padding]): [string, Build] => {
    const dimensions = Number(name.at(-2));
    return [name, { make: () => new Padding(Array.from({ length: dimensions }, () => [1, 2]).flat()) }];
  });
  return Object.fromEntries(builds);
}

export const SPATIAL: Record<string, Build> = {
  "Conv1d same": { make: () => new nn.Conv1d(4, 2, 4, { padding: "same", dilation: 2 }) },
  "Conv1d valid": { make: () => new nn.Conv1d(4, 2, 3, { padding: "valid" }) },
  "Conv1d circular": { make: () => new nn.Conv1d(4, 2, 3, { padding: 2, paddingMode: "circular" }) },
  "Conv1d without batch": { make: () => new nn.Conv1d(4, 2, 3) },
  "Conv2d replicate": { make: () => new nn.Conv2d(4, 2, 3, { padding: 1, paddingMode: "replicate" }) },
  "Conv2d same reflect": {
    make: () => new nn.Conv2d(4, 2, [3, 2], { padding: "same", paddingMode: "reflect" }),
  },
  "Conv3d groups": { make: () => new nn.Conv3d(2, 4, 3, { groups: 2, padding: 1, stride: [1, 2, 2] }) },
  ConvTranspose1d: { make: () => new nn.ConvTranspose1d(4, 2, 3, { stride: 2 }) },
  "ConvTranspose1d output size": {
    make: () => new nn.ConvTranspose1d(4, 2, 3, { stride: 3 }),
    run: (layer: nn.ConvTranspose1d, x) => layer(x, [20]),
  },
  ConvTranspose2d: {
    make: () => new nn.ConvTranspose2d(4, 6, 3, { stride: 2, padding: 1, outputPadding: 1, groups: 2 }),
  },
  "ConvTranspose2d dilation": { make: () => new nn.ConvTranspose2d(4, 2, 3, { dilation: 2, bias: false }) },
  ConvTranspose3d: { make: () => new nn.ConvTranspose3d(2, 3, 2, { stride: 2 }) },
  "MaxPool1d indices": { make: () => new nn.MaxPool1d(2, { returnIndices }) },
  "MaxPool2d indices": { make: () => new nn.MaxPool2d(3, { stride: 2, padding: 1, returnIndices }) },
  "MaxPool3d indices": { make: () => new nn.MaxPool3d(2, { returnIndices }) },
  "MaxPool2d dilation": { make: () => new nn.MaxPool2d(2, { stride: 1, dilation: 2 }) },
  MaxUnpool1d: { make: () => new nn.MaxUnpool1d(2), run: unpooled(new nn.MaxPool1d(2, { returnIndices })) },
  MaxUnpool2d: { make: () => new nn.MaxUnpool2d(2), run: unpooled(new nn.MaxPool2d(2, { returnIndices })) },
  "MaxUnpool2d output size": {
    make: () => new nn.MaxUnpool2d(2),
    run: unpooled(new nn.MaxPool2d(2, { returnIndices }), [5, 5]),
  },
  MaxUnpool3d: { make: () => new nn.MaxUnpool3d(2), run: unpooled(new nn.MaxPool3d(2, { returnIndices })) },
  "AvgPool2d divisor": { make: () => new nn.AvgPool2d(2, { divisorOverride: 3 }) },
  "AvgPool3d ceil": { make: () => new nn.AvgPool3d(3, { ceilMode: true, stride: 2 }) },
  LPPool1d: { make: () => new nn.LPPool1d(2, 2) },
  LPPool2d: { make: () => new nn.LPPool2d(1.5, 2, { stride: 1 }) },
  "LPPool2d infinite": { make: () => new nn.LPPool2d(Infinity, 2) },
  LPPool3d: { make: () => new nn.LPPool3d(3, 2) },
  AdaptiveAvgPool1d: { make: () => new nn.AdaptiveAvgPool1d(4) },
  "AdaptiveAvgPool2d null": { make: () => new nn.AdaptiveAvgPool2d([null, 4]) },
  AdaptiveAvgPool3d: { make: () => new nn.AdaptiveAvgPool3d([3, 2, 1]) },
  AdaptiveMaxPool1d: { make: () => new nn.AdaptiveMaxPool1d(4) },
  "AdaptiveMaxPool2d indices": { make: () => new nn.AdaptiveMaxPool2d([5, 4], { returnIndices }) },
  AdaptiveMaxPool3d: { make: () => new nn.AdaptiveMaxPool3d(3) },
  FractionalMaxPool2d: { make: () => new nn.FractionalMaxPool2d(2, { outputSize: [3, 4] }) },
  "FractionalMaxPool2d ratio": {
    make: () => new nn.FractionalMaxPool2d(2, { outputRatio: 0.6, returnIndices }),
  },
  FractionalMaxPool3d: { make: () => new nn.FractionalMaxPool3d(2, { outputRatio: 0.5 }) },
  ...paddings(),
  ConstantPad1d: { make: () => new nn.ConstantPad1d(2, 3.5) },
  ConstantPad2d: { make: () => new nn.ConstantPad2d([1, -1, 0, 2], 0.5) },
  ConstantPad3d: { make: () => new nn.ConstantPad3d(1, -1) },
  PixelShuffle: { make: () => new nn.PixelShuffle(2) },
  PixelUnshuffle: { make: () => new nn.PixelUnshuffle(3) },
  ChannelShuffle: { make: () => new nn.ChannelShuffle(2) },
  Unfold: { make: () => new nn.Unfold([2, 3], { dilation: 2, padding: 1, stride: 2 }) },
  Fold: { make: () => new nn.Fold([4, 5], [2, 2]) },
  "Upsample nearest": { make: () => new nn.Upsample({ scaleFactor: 2 }) },
  "Upsample linear": { make: () => new nn.Upsample({ size: 9, mode: "linear" }) },
  "Upsample bilinear": {
    make: () => new nn.Upsample({ scaleFactor: 1.5, mode: "bilinear", alignCorners: true }),
  },
  "Upsample bicubic": { make: () => new nn.Upsample({ size: [7, 9], mode: "bicubic" }) },
  "Upsample trilinear": { make: () => new nn.Upsample({ scaleFactor: 2, mode: "trilinear" }) },
  "Upsample area": { make: () => new nn.Upsample({ scaleFactor: 0.5, mode: "area" }) },
  "Upsample nearest-exact": { make: () => new nn.Upsample({ size: [4, 8], mode: "nearest-exact" }) },
  "Upsample recomputed": {
    make: () => new nn.Upsample({ scaleFactor: 1.7, mode: "bilinear", recomputeScaleFactor: true }),
  },
  UpsamplingNearest2d: { make: () => new nn.UpsamplingNearest2d({ scaleFactor: 2 }) },
  UpsamplingBilinear2d: { make: () => new nn.UpsamplingBilinear2d({ size: [8, 9] }) },
};
