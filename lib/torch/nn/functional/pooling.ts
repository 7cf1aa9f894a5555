// Poolings without a single operator in libtorch: power means, unpooling, and randomly placed windows.
import { checkTensor } from "../../tensor/tensor_arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkList, checkNumber, checkSizes, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, checkedLater, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";

type Sizes = number | readonly number[];

function spatialOf(call: string, kernelSize: Sizes, input: Tensor): number {
  if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  const spatial = Array.isArray(kernelSize) ? kernelSize.length : Math.max(native.dim(input) - 2, 1);
  if (spatial >= 1 && spatial <= 3) return spatial;
  throw new RangeError(`${call}: windows have 1 to 3 dimensions, got ${spatial}; give as many sizes.`);
}

const AVG_POOLS = [torchFunctions.avgPool1d, nnFunctions.avgPool2d, nnFunctions.avgPool3d] as const;
const MAX_POOLS = [torchFunctions.maxPool1d, torchFunctions.maxPool2d, torchFunctions.maxPool3d] as const;

export interface LPPoolArguments {
  /** How far the window moves from one place to the next. Default: the kernel's size, as null. */
  readonly stride?: Sizes | null;
  /** A last window that reaches over the edge counts. Default: false. */
  readonly ceilMode?: boolean;
}

const LP_RULES = { stride: checkedLater<Sizes | null>(null), ceilMode: boolean(false) };

/** (sum of x^p)^(1/p) of each window, p being `normType`, over as many dimensions as the kernel has sizes. */
export function lpPool(
  input: Tensor,
  normType: number,
  kernelSize: Sizes,
  stride?: Sizes | null | LPPoolArguments,
  ceilMode?: boolean,
): Tensor;
export function lpPool(input: Tensor, normType: number, kernelSize: Sizes, ...places: unknown[]): Tensor {
  const call = "lpPool";
  const options = optionsByPlace<LPPoolArguments>(call, ["stride", "ceilMode"], places);
  const given = readOptions(call, options, LP_RULES);
  const spatial = spatialOf(call, kernelSize, input);
  const window = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
  const stride = checkSizes(call, "stride", given.stride ?? window, spatial, 1);
  const { ceilMode } = given;
  if (checkNumber(call, "normType", normType) === 0) throw new RangeError(`${call}: normType must not be 0.`);
  if (!Number.isFinite(normType)) {
    const magnitudes = normType > 0 ? input.abs() : input.abs().neg();
    const extreme = MAX_POOLS[spatial - 1]!(magnitudes, window, stride, 0, 1, ceilMode);
    return normType > 0 ? extreme : extreme.neg();
  }
  const mean = AVG_POOLS[spatial - 1]!(input.pow(normType), window, stride, 0, ceilMode);
  // The sign times the magnitude's positive part: a sum of 0 then has the gradient 0.
  const elements = window.reduce((product, size) => product * size, 1);
  return torchFunctions
    .sign(mean)
    .mul(torchFunctions.relu(mean.abs()))
    .mul(elements)
    .pow(1 / normType);
}

export interface MaxUnpoolOptions {
  /** The pooling's stride. Default: the kernel's size. */
  readonly stride?: Sizes | null;
  /** The pooling's. Default: 0. */
  readonly padding?: Sizes;
  /** Spatial sizes of the output where a stride leaves several possible. Default: as far as the windows reach. */
  readonly outputSize?: readonly number[] | null;
}

const UNPOOL_RULES = {
  stride: checkedLater<Sizes | null>(null),
  padding: checkedLater<Sizes>(0),
  outputSize: checkedLater<readonly number[] | null>(null),
} satisfies OpenRules<MaxUnpoolOptions>;

/** Puts each value at the place of the maximum that it was, as `indices` say, and zeros elsewhere: undoes max pooling. */
export function maxUnpool(
  input: Tensor,
  indices: Tensor,
  kernelSize: Sizes,
  stride?: Sizes | null | MaxUnpoolOptions,
  padding?: Sizes | MaxUnpoolOptions,
  outputSize?: readonly number[] | null,
): Tensor;
export function maxUnpool(input: Tensor, indices: Tensor, kernelSize: Sizes, ...places: unknown[]): Tensor {
  const call = "maxUnpool";
  const options = optionsByPlace<MaxUnpoolOptions>(call, ["stride", "padding", "outputSize"], places);
  const given = readOptions(call, options, UNPOOL_RULES);
  const spatial = spatialOf(call, kernelSize, input);
  const window = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
  const stride = checkSizes(call, "stride", given.stride ?? window, spatial, 1);
  const padding = checkSizes(call, "padding", given.padding, spatial, 0);
  const shape = native.shape(input);
  if (native.shape(checkTensor(call, "indices", indices)).join() !== shape.join()) {
    throw new RangeError(
      `${call}: indices must be of the input's shape [${shape.join(", ")}], got shape [${native.shape(indices).join(", ")}].`,
    );
  }
  if (native.dtype(indices) !== "int64")
    throw new TypeError(`${call}: indices must be int64, got ${native.dtype(indices)}.`);
  const usual = window.map(
    (size, i) => (shape[shape.length - spatial + i]! - 1) * stride[i]! + size - 2 * padding[i]!,
  );
  const size = given.outputSize ? checkUnpooledSize(call, given.outputSize, usual, stride) : usual;
  if (spatial === 1) {
    return nnFunctions.maxUnpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [size[0]!, 1]).squeeze(-1);
  }
  return spatial === 2
    ? nnFunctions.maxUnpool2d(input, indices, size)
    : nnFunctions.maxUnpool3d(input, indices, size, stride, padding);
}

function checkUnpooledSize(
  call: string,
  wished: readonly number[],
  usual: readonly number[],
  stride: readonly number[],
): number[] {
  checkList(call, "outputSize", wished);
  const sizes = wished.slice(-usual.length);
  if (wished.length !== usual.length && wished.length !== usual.length + 2) {
    throw new RangeError(
      `${call}: outputSize must be ${usual.length} spatial sizes, got ${describe(wished)}.`,
    );
  }
  for (const [i, size] of sizes.entries()) {
    checkInteger(call, `outputSize[${i}]`, size, 1);
    if (Math.abs(size - usual[i]!) < stride[i]!) continue;
    throw new RangeError(
      `${call}: outputSize[${i}] must be between ${usual[i]! - stride[i]!} and ${usual[i]! + stride[i]!}, got ${size}.`,
    );
  }
  return sizes;
}

export interface FractionalPoolOptions {
  /** Spatial sizes of the output; this or `outputRatio`. Default: none. */
  readonly outputSize?: Sizes | null;
  /** The output's share of the input's spatial sizes, above 0 and below 1. Default: none. */
  readonly outputRatio?: Sizes | null;
  /** Numbers in [0, 1) that place the windows, [batch, channels, spatial]. Default: drawn. */
  readonly randomSamples?: Tensor | null;
}

/** Sizes of the output or its share of the input's: one of the two, for each dimension. */
export type FractionalOutput =
  | { readonly outputSize: readonly number[]; readonly outputRatio: null }
  | { readonly outputSize: null; readonly outputRatio: readonly number[] };

export function readFractionalOutput(
  call: string,
  spatial: number,
  { outputSize = null, outputRatio = null }: FractionalPoolOptions,
): FractionalOutput {
  if (outputSize !== null && outputRatio === null)
    return { outputSize: checkSizes(call, "outputSize", outputSize, spatial, 1), outputRatio };
  if (outputSize !== null || outputRatio === null) {
    const got = outputSize === null ? "none" : "both";
    throw new TypeError(`${call}: give one of outputSize and outputRatio, got ${got}.`);
  }
  const list = Array.isArray(outputRatio) ? outputRatio : Array<number>(spatial).fill(outputRatio as number);
  if (list.length !== spatial) {
    throw new RangeError(
      `${call}: outputRatio takes one number or ${spatial} of them, got ${describe(outputRatio)}.`,
    );
  }
  const within = { min: Number.MIN_VALUE, max: 1, below: true };
  return {
    outputSize,
    outputRatio: list.map((share, i) => checkNumber(call, `outputRatio[${i}]`, share, within)),
  };
}

const FRACTIONAL_RULES = {
  outputSize: checkedLater<Sizes | null>(null),
  outputRatio: checkedLater<Sizes | null>(null),
  randomSamples: checkedLater<Tensor | null>(null),
} satisfies OpenRules<FractionalPoolOptions>;

const FRACTIONAL_PLACES = ["outputSize", "outputRatio", "returnIndices", "randomSamples"] as const;

/** The options of a fractional pooling at PyTorch's places, or from one place on by name. */
type FractionalPlaces = [
  outputSize: Sizes | null | FractionalPoolOptions,
  outputRatio?: Sizes | null | FractionalPoolOptions,
  returnIndices?: false | FractionalPoolOptions,
  randomSamples?: Tensor | null,
];

function pooledAtRandom(
  call: string,
  spatial: number,
  input: Tensor,
  kernelSize: Sizes,
  places: readonly unknown[],
): [output: Tensor, indices: Tensor] {
  const { returnIndices = false, ...named } =
    optionsByPlace<FractionalPoolOptions & { returnIndices?: unknown }>(call, FRACTIONAL_PLACES, places) ??
    {};
  if (returnIndices !== false)
    throw new TypeError(
      `${call}: returnIndices must be false, got ${describe(returnIndices)}: functional.fractionalMaxPool${spatial}dWithIndices gives [output, indices].`,
    );
  const { randomSamples, ...output } = readOptions(call, named, FRACTIONAL_RULES);
  const window = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
  const shape = native.shape(checkTensor(call, "input", input));
  const { outputSize, outputRatio } = readFractionalOutput(call, spatial, output);
  const sizes =
    outputSize ?? outputRatio.map((ratio, i) => Math.floor(shape[shape.length - spatial + i]! * ratio));
  const batch = shape.length === spatial + 1 ? 1 : shape[0]!;
  const samples =
    randomSamples ??
    torchFunctions.rand([batch, shape.at(-spatial - 1)!, spatial], {
      dtype: native.dtype(input),
      device: native.device(input),
    });
  const pool = spatial === 2 ? nnFunctions.fractionalMaxPool2d : nnFunctions.fractionalMaxPool3d;
  return pool(input, window, sizes, samples);
}

/** The maximum of windows placed at random (Graham, arXiv:1412.6071): `[output, indices]`. */
export function fractionalMaxPool(
  input: Tensor,
  kernelSize: readonly number[],
  options: FractionalPoolOptions,
): [output: Tensor, indices: Tensor] {
  const call = "fractionalMaxPool";
  const spatial = spatialOf(call, kernelSize, input);
  if (spatial === 1) throw new RangeError(`${call}: kernelSize must be 2 or 3 sizes, got 1.`);
  return pooledAtRandom(call, spatial, input, kernelSize, [options]);
}

/** The maximum of windows placed at random in [batch, channels, height, width]: [batch, channels, ...outputSize]. */
export function fractionalMaxPool2d(input: Tensor, kernelSize: Sizes, ...places: FractionalPlaces): Tensor {
  return pooledAtRandom("fractionalMaxPool2d", 2, input, kernelSize, places)[0];
}

/** The maximum of windows placed at random in [batch, channels, depth, height, width]: [batch, channels, ...outputSize]. */
export function fractionalMaxPool3d(input: Tensor, kernelSize: Sizes, ...places: FractionalPlaces): Tensor {
  return pooledAtRandom("fractionalMaxPool3d", 3, input, kernelSize, places)[0];
}

/** `fractionalMaxPool2d` with the place of each maximum: `[output, indices]`. */
export function fractionalMaxPool2dWithIndices(
  input: Tensor,
  kernelSize: Sizes,
  ...places: FractionalPlaces
): [output: Tensor, indices: Tensor] {
  return pooledAtRandom("fractionalMaxPool2dWithIndices", 2, input, kernelSize, places);
}

/** `fractionalMaxPool3d` with the place of each maximum: `[output, indices]`. */
export function fractionalMaxPool3dWithIndices(
  input: Tensor,
  kernelSize: Sizes,
  ...places: FractionalPlaces
): [output: Tensor, indices: Tensor] {
  return pooledAtRandom("fractionalMaxPool3dWithIndices", 3, input, kernelSize, places);
}
