// The lazy layers: `new nn.LazyLinear(10)` takes its number of inputs from the first input, and then becomes an
// `nn.Linear`.
import { readLayerOptions } from "../factory.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Conv1d, Conv2d, Conv3d, type ConvOptions } from "../conv/conv.ts";
import type { Sizes } from "../conv/geometry.ts";
import {
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
  type ConvTransposeOptions,
} from "../conv/transposed.ts";
import { Linear, type LinearOptions } from "../linear.ts";
import { BatchNorm1d, BatchNorm2d, BatchNorm3d, type BatchNormOptions } from "../normalization/batch.ts";
import {
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
  type InstanceNormOptions,
} from "../normalization/instance.ts";
import { LEARNING_RULES } from "../normalization/running.ts";
import { type LazyLayer, makeLazy, rememberDraws } from "./lazy.ts";

/** An `nn.Linear` whose `inFeatures` are the last size of its first input. Until then it has no weights to read. */
export class LazyLinear extends Linear {
  constructor(outFeatures: number, options?: LinearOptions) {
    const restore = rememberDraws(options);
    super(1, outFeatures, options);
    restore();
    makeLazy<Linear>(this, {
      becomes: Linear,
      count: "inFeatures",
      countOf: (input) => native.shape(input).at(-1) ?? 1,
      shapeOf: (shape, count) => (shape.length === 2 ? [shape[0]!, count] : shape),
    });
  }
}

/** The channels of [batch, channels, ...spatial], or of one item of it. */
function channelsOf(input: Tensor, spatial: number): number {
  return native.shape(input).at(-spatial - 1) ?? 1;
}

interface Convolved extends LazyLayer {
  readonly inChannels: number;
  readonly groups: number;
  readonly kernelSize: readonly number[];
}

function makeLazyConvolution<Layer extends Convolved>(
  layer: Layer,
  becomes: { readonly prototype: Layer },
  transposed: boolean,
): void {
  const { groups } = layer;
  const spatial = layer.kernelSize.length;
  makeLazy<Layer>(layer, {
    becomes,
    count: "inChannels",
    countOf(input) {
      const channels = channelsOf(input, spatial);
      if (channels % groups === 0) return channels;
      throw new RangeError(
        `${layer}: the input's channels must be a multiple of groups, got ${channels} and ${groups}.`,
      );
    },
    shapeOf(shape, count) {
      if (shape.length === 1) return shape;
      const [outer, inner, ...window] = shape as [number, number, ...number[]];
      return transposed ? [count, inner, ...window] : [outer, count / groups, ...window];
    },
  });
}

/**
 * An `nn.Conv1d` that takes `inChannels` from its first input, [batch, channels, length] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConv1d extends Conv1d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<Conv1d>(this, Conv1d, false);
  }
}

/**
 * An `nn.Conv2d` that takes `inChannels` from its first input, [batch, channels, height, width] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConv2d extends Conv2d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<Conv2d>(this, Conv2d, false);
  }
}

/**
 * An `nn.Conv3d` that takes `inChannels` from its first input, [batch, channels, depth, height, width] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConv3d extends Conv3d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<Conv3d>(this, Conv3d, false);
  }
}

/**
 * An `nn.ConvTranspose1d` that takes `inChannels` from its first input, [batch, channels, length] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConvTranspose1d extends ConvTranspose1d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvTransposeOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<ConvTranspose1d>(this, ConvTranspose1d, true);
  }
}

/**
 * An `nn.ConvTranspose2d` that takes `inChannels` from its first input, [batch, channels, height, width] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConvTranspose2d extends ConvTranspose2d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvTransposeOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<ConvTranspose2d>(this, ConvTranspose2d, true);
  }
}

/**
 * An `nn.ConvTranspose3d` that takes `inChannels` from its first input, [batch, channels, depth, height, width] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConvTranspose3d extends ConvTranspose3d {
  constructor(outChannels: number, kernelSize: Sizes, options?: ConvTransposeOptions) {
    const restore = rememberDraws(options);
    super(options?.groups ?? 1, outChannels, kernelSize, options);
    restore();
    makeLazyConvolution<ConvTranspose3d>(this, ConvTranspose3d, true);
  }
}

interface Normalized extends LazyLayer {
  readonly numFeatures: number;
}

/** @param countOf the channels of the first input */
function makeLazyNorm<Layer extends Normalized>(
  layer: Layer,
  becomes: { readonly prototype: Layer },
  countOf: (input: Tensor) => number,
): void {
  makeLazy<Layer>(layer, { becomes, count: "numFeatures", countOf, shapeOf: (_, count) => [count] });
}

/** A batch norm has a batch always. */
const second = (input: Tensor) => native.shape(input)[1] ?? 1;

/**
 * An `nn.BatchNorm1d` that takes `numFeatures` from its first input, [batch, features] or [batch, features, length].
 */
export class LazyBatchNorm1d extends BatchNorm1d {
  constructor(options?: BatchNormOptions) {
    super(1, options);
    makeLazyNorm<BatchNorm1d>(this, BatchNorm1d, second);
  }
}

/** An `nn.BatchNorm2d` that takes `numFeatures` from its first input, [batch, channels, height, width]. */
export class LazyBatchNorm2d extends BatchNorm2d {
  constructor(options?: BatchNormOptions) {
    super(1, options);
    makeLazyNorm<BatchNorm2d>(this, BatchNorm2d, second);
  }
}

/** An `nn.BatchNorm3d` that takes `numFeatures` from its first input, [batch, channels, depth, height, width]. */
export class LazyBatchNorm3d extends BatchNorm3d {
  constructor(options?: BatchNormOptions) {
    super(1, options);
    makeLazyNorm<BatchNorm3d>(this, BatchNorm3d, second);
  }
}

/** PyTorch's lazy instance norms, unlike the others, learn and keep running statistics unless told not to. */
function learning(call: string, options: InstanceNormOptions | undefined): InstanceNormOptions {
  const { read, factory } = readLayerOptions(call, options, LEARNING_RULES);
  return { ...read, ...factory };
}

/**
 * An `nn.InstanceNorm1d` that takes `numFeatures` from its first input, [batch, channels, length] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm1d extends InstanceNorm1d {
  constructor(options?: InstanceNormOptions) {
    super(1, learning("new nn.LazyInstanceNorm1d", options));
    makeLazyNorm<InstanceNorm1d>(this, InstanceNorm1d, (input) => channelsOf(input, 1));
  }
}

/**
 * An `nn.InstanceNorm2d` that takes `numFeatures` from its first input, [batch, channels, height, width] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm2d extends InstanceNorm2d {
  constructor(options?: InstanceNormOptions) {
    super(1, learning("new nn.LazyInstanceNorm2d", options));
    makeLazyNorm<InstanceNorm2d>(this, InstanceNorm2d, (input) => channelsOf(input, 2));
  }
}

/**
 * An `nn.InstanceNorm3d` that takes `numFeatures` from its first input, [batch, channels, depth, height, width] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm3d extends InstanceNorm3d {
  constructor(options?: InstanceNormOptions) {
    super(1, learning("new nn.LazyInstanceNorm3d", options));
    makeLazyNorm<InstanceNorm3d>(this, InstanceNorm3d, (input) => channelsOf(input, 3));
  }
}
