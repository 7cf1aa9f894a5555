// The lazy layers: `new nn.LazyLinear(10)` takes its number of inputs from the first input, and then becomes an
// `nn.Linear`.
import { readLayerOptions, type FactoryOptions } from "../factory.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Conv1d, Conv2d, Conv3d, type ConvOptions } from "../conv/conv.ts";
import { WINDOW_OPTIONS, type ConvPlaces, type Sizes, type TransposedPlaces } from "../conv/geometry.ts";
import {
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
  TRANSPOSED_PLACES,
  type ConvTransposeOptions,
} from "../conv/transposed.ts";
import { Linear, LINEAR_PLACES, type LinearOptions } from "../linear.ts";
import { BatchNorm1d, BatchNorm2d, BatchNorm3d, type BatchNormOptions } from "../normalization/batch.ts";
import {
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
  type InstanceNormOptions,
} from "../normalization/instance.ts";
import { LEARNING_RULES, RUNNING_PLACES } from "../normalization/running.ts";
import { type LazyLayer, makeLazy, rememberDraws } from "./lazy.ts";
import type { ByName } from "../../types/index.ts";

/** An `nn.Linear` whose `inFeatures` are the last size of its first input. Until then it has no weights to read. */
export class LazyLinear extends Linear {
  constructor(
    outFeatures: number,
    bias?: boolean | LinearOptions,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { outFeatures: number } & LinearOptions);
  constructor(outFeatures: number);
  constructor(...all: unknown[]) {
    const [outFeatures, ...given] = neededByPlace<[outFeatures: number]>(["outFeatures"], all);
    const options = optionsByPlace<LinearOptions>("new nn.LazyLinear", LINEAR_PLACES, given);
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

/** Channels that any groups divide; the convolution itself refuses what are no groups. */
const placeholder = (options: { readonly groups?: number } | undefined): number =>
  typeof options?.groups === "number" ? options.groups : 1;

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

/** What a lazy convolution is given, at places or by name; its options are read by the layer that it becomes. */
function readLazy<Options extends object>(
  call: string,
  places: readonly (keyof Options & string)[],
  all: readonly unknown[],
) {
  const [outChannels, kernelSize, ...given] = neededByPlace<[outChannels: number, kernelSize: Sizes]>(
    ["outChannels", "kernelSize"],
    all,
  );
  return { outChannels, kernelSize, options: optionsByPlace<Options>(call, places, given) };
}

/**
 * An `nn.Conv1d` that takes `inChannels` from its first input, [batch, channels, length] or one item of it.
 *
 * @throws RangeError where `groups` does not divide the channels
 */
export class LazyConv1d extends Conv1d {
  constructor(outChannels: number, kernelSize: Sizes, ...options: ConvPlaces<ConvOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvOptions>(
      "new nn.LazyConv1d",
      WINDOW_OPTIONS,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(outChannels: number, kernelSize: Sizes, ...options: ConvPlaces<ConvOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvOptions>(
      "new nn.LazyConv2d",
      WINDOW_OPTIONS,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(outChannels: number, kernelSize: Sizes, ...options: ConvPlaces<ConvOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvOptions>(
      "new nn.LazyConv3d",
      WINDOW_OPTIONS,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(outChannels: number, kernelSize: Sizes, ...options: TransposedPlaces<ConvTransposeOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvTransposeOptions>(
      "new nn.LazyConvTranspose1d",
      TRANSPOSED_PLACES,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(outChannels: number, kernelSize: Sizes, ...options: TransposedPlaces<ConvTransposeOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvTransposeOptions>(
      "new nn.LazyConvTranspose2d",
      TRANSPOSED_PLACES,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(outChannels: number, kernelSize: Sizes, ...options: TransposedPlaces<ConvTransposeOptions>);
  constructor(named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, named: ByName & { kernelSize: Sizes } & ConvTransposeOptions);
  constructor(outChannels: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const { outChannels, kernelSize, options } = readLazy<ConvTransposeOptions>(
      "new nn.LazyConvTranspose3d",
      TRANSPOSED_PLACES,
      all,
    );
    const restore = rememberDraws(options);
    super(placeholder(options), outChannels, kernelSize, options);
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
  constructor(
    eps?: number | BatchNormOptions,
    momentum?: number | null | BatchNormOptions,
    affine?: boolean | BatchNormOptions,
    trackRunningStats?: boolean | BatchNormOptions,
    device?: DeviceText | null | BatchNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, optionsByPlace<BatchNormOptions>("new nn.LazyBatchNorm1d", RUNNING_PLACES, given));
    makeLazyNorm<BatchNorm1d>(this, BatchNorm1d, second);
  }
}

/** An `nn.BatchNorm2d` that takes `numFeatures` from its first input, [batch, channels, height, width]. */
export class LazyBatchNorm2d extends BatchNorm2d {
  constructor(
    eps?: number | BatchNormOptions,
    momentum?: number | null | BatchNormOptions,
    affine?: boolean | BatchNormOptions,
    trackRunningStats?: boolean | BatchNormOptions,
    device?: DeviceText | null | BatchNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, optionsByPlace<BatchNormOptions>("new nn.LazyBatchNorm2d", RUNNING_PLACES, given));
    makeLazyNorm<BatchNorm2d>(this, BatchNorm2d, second);
  }
}

/** An `nn.BatchNorm3d` that takes `numFeatures` from its first input, [batch, channels, depth, height, width]. */
export class LazyBatchNorm3d extends BatchNorm3d {
  constructor(
    eps?: number | BatchNormOptions,
    momentum?: number | null | BatchNormOptions,
    affine?: boolean | BatchNormOptions,
    trackRunningStats?: boolean | BatchNormOptions,
    device?: DeviceText | null | BatchNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, optionsByPlace<BatchNormOptions>("new nn.LazyBatchNorm3d", RUNNING_PLACES, given));
    makeLazyNorm<BatchNorm3d>(this, BatchNorm3d, second);
  }
}

/** PyTorch's lazy instance norms, unlike the others, learn and keep running statistics unless told not to. */
function learning(call: string, given: readonly unknown[]): InstanceNormOptions {
  const options = optionsByPlace<InstanceNormOptions>(call, RUNNING_PLACES, given);
  const { read, factory } = readLayerOptions(call, options, LEARNING_RULES);
  return { ...read, ...factory };
}

/**
 * An `nn.InstanceNorm1d` that takes `numFeatures` from its first input, [batch, channels, length] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm1d extends InstanceNorm1d {
  constructor(
    eps?: number | InstanceNormOptions,
    momentum?: number | null | InstanceNormOptions,
    affine?: boolean | InstanceNormOptions,
    trackRunningStats?: boolean | InstanceNormOptions,
    device?: DeviceText | null | InstanceNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, learning("new nn.LazyInstanceNorm1d", given));
    makeLazyNorm<InstanceNorm1d>(this, InstanceNorm1d, (input) => channelsOf(input, 1));
  }
}

/**
 * An `nn.InstanceNorm2d` that takes `numFeatures` from its first input, [batch, channels, height, width] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm2d extends InstanceNorm2d {
  constructor(
    eps?: number | InstanceNormOptions,
    momentum?: number | null | InstanceNormOptions,
    affine?: boolean | InstanceNormOptions,
    trackRunningStats?: boolean | InstanceNormOptions,
    device?: DeviceText | null | InstanceNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, learning("new nn.LazyInstanceNorm2d", given));
    makeLazyNorm<InstanceNorm2d>(this, InstanceNorm2d, (input) => channelsOf(input, 2));
  }
}

/**
 * An `nn.InstanceNorm3d` that takes `numFeatures` from its first input, [batch, channels, depth, height, width] or one item of it. Unlike
 * that, it learns a scale and keeps running statistics unless told not to, as PyTorch's does.
 */
export class LazyInstanceNorm3d extends InstanceNorm3d {
  constructor(
    eps?: number | InstanceNormOptions,
    momentum?: number | null | InstanceNormOptions,
    affine?: boolean | InstanceNormOptions,
    trackRunningStats?: boolean | InstanceNormOptions,
    device?: DeviceText | null | InstanceNormOptions,
    dtype?: DType | null,
  );
  constructor(...given: unknown[]) {
    super(1, learning("new nn.LazyInstanceNorm3d", given));
    makeLazyNorm<InstanceNorm3d>(this, InstanceNorm3d, (input) => channelsOf(input, 3));
  }
}
