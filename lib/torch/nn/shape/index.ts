// Layers that change the shape: padding, shuffling, windows, resizing.
export { Flatten, Unflatten } from "./flatten.ts";
export { Fold, Unfold, type FoldOptions } from "./fold.ts";
export {
  CircularPad1d,
  CircularPad2d,
  CircularPad3d,
  ConstantPad1d,
  ConstantPad2d,
  ConstantPad3d,
  ReflectionPad1d,
  ReflectionPad2d,
  ReflectionPad3d,
  ReplicationPad1d,
  ReplicationPad2d,
  ReplicationPad3d,
  ZeroPad1d,
  ZeroPad2d,
  ZeroPad3d,
} from "./padding.ts";
export { ChannelShuffle, PixelShuffle, PixelUnshuffle } from "./shuffle.ts";
export {
  Upsample,
  UpsamplingBilinear2d,
  UpsamplingNearest2d,
  type UpsampleOptions,
  type UpsamplingOptions,
} from "./upsample.ts";
