// Initialises tensors in place, without recording in autograd. Formulas and the order of random draws are PyTorch's,
// so equal seeds give equal weights on the CPU.
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChoice, checkInteger, checkNumber, describe } from "../../vocabulary/arguments.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { linalg, torchFunctions } from "../../tensor/operators.ts";
import { fillingArguments, type GeneratorOptions } from "./init_arguments.ts";
import { fillTruncatedNormal } from "./truncated_normal.ts";

export type { GeneratorOptions };

/** The activations that `calculateGain` knows a gain for. */
export type Nonlinearity =
  | "linear"
  | "conv1d"
  | "conv2d"
  | "conv3d"
  | "sigmoid"
  | "tanh"
  | "relu"
  | "leakyRelu"
  | "selu";
/** Whether a Kaiming filling keeps the variance of the forward pass (`fanIn`) or of the backward pass (`fanOut`). */
export type FanMode = "fanIn" | "fanOut";

function fill(call: string, tensor: Tensor, write: (tensor: Tensor) => void): Tensor {
  if (!native.isTensor(tensor)) throw new TypeError(`${call}: expected a tensor, got ${describe(tensor)}.`);
  noGrad(() => write(tensor));
  return tensor;
}

/** Inputs that reach one output, and outputs that one input reaches: `[8, 3, 5, 5]` -> fanIn 75, fanOut 200. */
export function calculateFanInAndFanOut(tensor: Tensor): { readonly fanIn: number; readonly fanOut: number } {
  if (!native.isTensor(tensor)) {
    throw new TypeError(`init.calculateFanInAndFanOut: expected a tensor, got ${describe(tensor)}.`);
  }
  const [outputs, inputs, ...receptiveField] = native.shape(tensor);
  if (outputs === undefined || inputs === undefined) {
    throw new RangeError(
      `init: fan in and fan out need at least 2 dimensions, got shape [${native.shape(tensor).join(", ")}].`,
    );
  }
  const field = receptiveField.reduce((product, size) => product * size, 1);
  return { fanIn: inputs * field, fanOut: outputs * field };
}

/**
 * The factor by which weights before an activation are to be larger: sqrt(2) for ReLU, 5/3 for tanh, 1 for none.
 * `negativeSlope` is leaky ReLU's. torch/nn/init.py (calculate_gain)
 *
 * @throws TypeError for an unknown activation
 */
export function calculateGain(nonlinearity: Nonlinearity, negativeSlope = 0.01): number {
  const call = "init.calculateGain";
  checkNumber(call, "negativeSlope", negativeSlope);
  switch (nonlinearity) {
    case "linear":
    case "conv1d":
    case "conv2d":
    case "conv3d":
    case "sigmoid":
      return 1;
    case "tanh":
      return 5 / 3;
    case "relu":
      return Math.sqrt(2);
    case "leakyRelu":
      return Math.sqrt(2 / (1 + negativeSlope ** 2));
    case "selu":
      return 3 / 4;
    default:
      throw new TypeError(
        `${call}: unknown nonlinearity ${describe(nonlinearity)}; use "linear", "conv1d", "conv2d", "conv3d", ` +
          `"sigmoid", "tanh", "relu", "leakyRelu" or "selu".`,
      );
  }
}

function kaimingStd(
  call: string,
  tensor: Tensor,
  a: number,
  mode: FanMode,
  nonlinearity: Nonlinearity,
): number {
  checkChoice(call, "mode", mode, ["fanIn", "fanOut"]);
  return calculateGain(nonlinearity, a) / Math.sqrt(calculateFanInAndFanOut(tensor)[mode]);
}

function xavierStd(call: string, tensor: Tensor, gain: number): number {
  checkNumber(call, "gain", gain);
  const { fanIn, fanOut } = calculateFanInAndFanOut(tensor);
  return gain * Math.sqrt(2 / (fanIn + fanOut));
}

export interface UniformOptions extends GeneratorOptions {
  /** The lower bound. Default: 0. */
  readonly a?: number;
  /** The upper bound. Default: 1. */
  readonly b?: number;
}

export interface NormalOptions extends GeneratorOptions {
  /** The mean of the distribution. Default: 0. */
  readonly mean?: number;
  /** Its standard deviation. Default: 1. */
  readonly std?: number;
}

export interface TruncatedOptions extends NormalOptions {
  /** The least value. Default: -2. */
  readonly a?: number;
  /** The greatest value. Default: 2. */
  readonly b?: number;
}

export interface GainOptions extends GeneratorOptions {
  /** A factor of the deviation, as `nn.init.calculateGain` gives it. Default: 1. */
  readonly gain?: number;
}

export interface SparseOptions extends GeneratorOptions {
  /** The standard deviation of what is not zero. Default: 0.01. */
  readonly std?: number;
}

export interface KaimingOptions extends GeneratorOptions {
  /** The negative slope of leaky ReLU. Default: 0. */
  readonly a?: number;
  /** Whether the variance stays forward or backward: by the layer's inputs or its outputs. Default: "fanIn". */
  readonly mode?: FanMode;
  /** The function behind the layer. Default: "leakyRelu", which with `a` 0 is ReLU. */
  readonly nonlinearity?: Nonlinearity;
}

function kaimingArguments(call: string, given: readonly unknown[]) {
  const named = fillingArguments<KaimingOptions>(call, ["a", "mode", "nonlinearity"], given);
  return {
    ...named,
    a: named.a ?? 0,
    mode: named.mode ?? "fanIn",
    nonlinearity: named.nonlinearity ?? "leakyRelu",
  };
}

/** Uniform in [a, b), by default [0, 1), in place. Returns the tensor. */
export function uniform_(tensor: Tensor, options?: UniformOptions): Tensor;
export function uniform_(tensor: Tensor, a?: number, b?: number, options?: GeneratorOptions): Tensor;
export function uniform_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.uniform_";
  const { a = 0, b = 1, generator } = fillingArguments<{ a: number; b: number }>(call, ["a", "b"], given);
  for (const [name, value] of Object.entries({ a, b })) checkNumber(call, name, value);
  return fill(call, tensor, (t) => t.uniform_(a, b, { generator }));
}

/**
 * N(mean, std^2), in place. Returns the tensor.
 *
 * @throws RangeError where `std` is below 0
 */
export function normal_(tensor: Tensor, options?: NormalOptions): Tensor;
export function normal_(tensor: Tensor, mean?: number, std?: number, options?: GeneratorOptions): Tensor;
export function normal_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.normal_";
  const named = fillingArguments<{ mean: number; std: number }>(call, ["mean", "std"], given);
  const { mean = 0, std = 1, generator } = named;
  checkNumber(call, "mean", mean);
  checkNumber(call, "std", std, { min: 0 });
  return fill(call, tensor, (t) => t.normal_(mean, std, { generator }));
}

/**
 * N(mean, std^2), drawn again where it is below `a` or above `b`, in place. Returns the tensor.
 *
 * @throws RangeError where `std` is not above 0, or `a` not below `b`
 */
export function truncNormal_(tensor: Tensor, options?: TruncatedOptions): Tensor;
export function truncNormal_(
  tensor: Tensor,
  mean?: number,
  std?: number,
  a?: number,
  b?: number,
  options?: GeneratorOptions,
): Tensor;
export function truncNormal_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.truncNormal_";
  const named = fillingArguments<TruncatedOptions>(call, ["mean", "std", "a", "b"], given);
  const { mean = 0, std = 1, a = -2, b = 2, generator } = named;
  for (const [name, value] of Object.entries({ mean, a, b })) checkNumber(call, name, value);
  checkNumber(call, "std", std, { min: Number.MIN_VALUE });
  if (!(a < b)) throw new RangeError(`${call}: a must be below b, got ${a} and ${b}.`);
  return fill(call, tensor, (t) => fillTruncatedNormal(t, { mean, std, a, b, generator }));
}

/** One value everywhere, in place. Returns the tensor. */
export function constant_(tensor: Tensor, value: number): Tensor {
  checkNumber("init.constant_", "value", value);
  return fill("init.constant_", tensor, (t) => t.fill_(value));
}

/** 0 everywhere, in place, without autograd. Returns the tensor. */
export function zeros_(tensor: Tensor): Tensor {
  return fill("init.zeros_", tensor, (t) => t.zero_());
}

/** 1 everywhere, in place, without autograd. Returns the tensor. */
export function ones_(tensor: Tensor): Tensor {
  return fill("init.ones_", tensor, (t) => t.fill_(1));
}

/**
 * The identity matrix, or as much of it as the shape [rows, columns] holds, in place. Returns the tensor.
 *
 * @throws RangeError for other than 2 dimensions
 */
export function eye_(tensor: Tensor): Tensor {
  return fill("init.eye_", tensor, (t) => {
    const [rows, columns, ...rest] = native.shape(t);
    if (rows === undefined || columns === undefined || rest.length > 0) {
      throw new RangeError(
        `init.eye_: expected a tensor of 2 dimensions, got shape [${native.shape(t).join(", ")}].`,
      );
    }
    t.copy_(torchFunctions.eye(rows, columns));
  });
}

/** A convolution's weight that passes as many channels on unchanged as it can, in each of the groups. */
export function dirac_(tensor: Tensor, groups = 1): Tensor {
  const call = "init.dirac_";
  checkInteger(call, "groups", groups, 1);
  return fill(call, tensor, (t) => {
    const [rows = 0, columns = 0, ...window] = native.shape(t);
    if (window.length < 1 || window.length > 3 || rows % groups !== 0) {
      throw new RangeError(
        `${call}: expected 3 to 5 dimensions, the first a multiple of ${groups}, got shape [${native.shape(t).join(", ")}].`,
      );
    }
    t.zero_();
    const perGroup = rows / groups;
    const centre = window.map((size) => Math.floor(size / 2));
    for (let group = 0; group < groups; group++) {
      for (let channel = 0; channel < Math.min(perGroup, columns); channel++)
        t.setAt(group * perGroup + channel, channel, ...centre, 1);
    }
  });
}

/** N(0, std^2) with a share of each column, `sparsity`, set to zero at random (Martens, 2010). */
export function sparse_(tensor: Tensor, sparsity: number, options?: SparseOptions): Tensor;
export function sparse_(tensor: Tensor, sparsity: number, std?: number, options?: GeneratorOptions): Tensor;
export function sparse_(tensor: Tensor, sparsity: number, ...given: unknown[]): Tensor {
  const call = "init.sparse_";
  const { std = 0.01, generator } = fillingArguments<{ std: number }>(call, ["std"], given);
  checkNumber(call, "sparsity", sparsity, { min: 0, max: 1 });
  checkNumber(call, "std", std, { min: 0 });
  return fill(call, tensor, (t) => {
    const [rows = 0, columns = 0, ...rest] = native.shape(t);
    if (native.dim(t) !== 2 || rest.length > 0) {
      throw new RangeError(`${call}: expected 2 dimensions, got shape [${native.shape(t).join(", ")}].`);
    }
    const zeros = Math.ceil(sparsity * rows);
    t.normal_(0, std, { generator });
    for (let column = 0; column < columns; column++) {
      const chosen = torchFunctions.randperm(rows, { dtype: "int64" }).narrow(0, 0, zeros);
      t.select(1, column).indexFill_(0, chosen.to(native.device(t)), 0);
    }
  });
}

/** U(-bound, bound) with bound = gain * sqrt(3 / fan) (He et al., 2015). `a` is leaky ReLU's negative slope. Of at least 2 dimensions. */
export function kaimingUniform_(tensor: Tensor, options?: KaimingOptions): Tensor;
export function kaimingUniform_(
  tensor: Tensor,
  a?: number,
  mode?: FanMode,
  nonlinearity?: Nonlinearity,
  options?: GeneratorOptions,
): Tensor;
export function kaimingUniform_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.kaimingUniform_";
  const { a, mode, nonlinearity, generator } = kaimingArguments(call, given);
  return fill(call, tensor, (t) => {
    const bound = Math.sqrt(3) * kaimingStd(call, t, a, mode, nonlinearity);
    if (native.numel(t) > 0) t.uniform_(-bound, bound, { generator });
  });
}

/** N(0, std^2) with std = gain / sqrt(fan) (He et al., 2015). `a` is leaky ReLU's negative slope. Of at least 2 dimensions. */
export function kaimingNormal_(tensor: Tensor, options?: KaimingOptions): Tensor;
export function kaimingNormal_(
  tensor: Tensor,
  a?: number,
  mode?: FanMode,
  nonlinearity?: Nonlinearity,
  options?: GeneratorOptions,
): Tensor;
export function kaimingNormal_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.kaimingNormal_";
  const { a, mode, nonlinearity, generator } = kaimingArguments(call, given);
  return fill(call, tensor, (t) => {
    const std = kaimingStd(call, t, a, mode, nonlinearity);
    if (native.numel(t) > 0) t.normal_(0, std, { generator });
  });
}

/** U(-bound, bound) with bound = gain sqrt(6 / (fanIn + fanOut)) (Glorot & Bengio, 2010). Of at least 2 dimensions. */
export function xavierUniform_(tensor: Tensor, options?: GainOptions): Tensor;
export function xavierUniform_(tensor: Tensor, gain?: number, options?: GeneratorOptions): Tensor;
export function xavierUniform_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.xavierUniform_";
  const { gain = 1, generator } = fillingArguments<{ gain: number }>(call, ["gain"], given);
  return fill(call, tensor, (t) => {
    const bound = Math.sqrt(3) * xavierStd(call, t, gain);
    t.uniform_(-bound, bound, { generator });
  });
}

/** N(0, std^2) with std = gain sqrt(2 / (fanIn + fanOut)) (Glorot & Bengio, 2010). Of at least 2 dimensions. */
export function xavierNormal_(tensor: Tensor, options?: GainOptions): Tensor;
export function xavierNormal_(tensor: Tensor, gain?: number, options?: GeneratorOptions): Tensor;
export function xavierNormal_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.xavierNormal_";
  const { gain = 1, generator } = fillingArguments<{ gain: number }>(call, ["gain"], given);
  return fill(call, tensor, (t) => t.normal_(0, xavierStd(call, t, gain), { generator }));
}

/** A matrix with orthonormal rows or columns; trailing dimensions count as columns. */
export function orthogonal_(tensor: Tensor, options?: GainOptions): Tensor;
export function orthogonal_(tensor: Tensor, gain?: number, options?: GeneratorOptions): Tensor;
export function orthogonal_(tensor: Tensor, ...given: unknown[]): Tensor {
  const call = "init.orthogonal_";
  const { gain = 1, generator } = fillingArguments<{ gain: number }>(call, ["gain"], given);
  checkNumber(call, "gain", gain);
  return fill(call, tensor, (t) => {
    const [rows, second] = native.shape(t);
    if (rows === undefined || second === undefined) {
      throw new RangeError(
        `init.orthogonal_: expected at least 2 dimensions, got shape [${native.shape(t).join(", ")}].`,
      );
    }
    if (native.numel(t) === 0) return;
    const columns = native.numel(t) / rows;
    const drawn = torchFunctions
      .empty([rows, columns], { dtype: native.dtype(t), device: native.device(t) })
      .normal_(0, 1, { generator });
    const [q, r] = linalg.qr(rows < columns ? drawn.t() : drawn);
    // The signs of R's diagonal make Q uniform over the orthogonal matrices.
    const signed = q.mul(r.diagonal().sign());
    t.copy_((rows < columns ? signed.t() : signed).reshape(native.shape(t))).mul_(gain);
  });
}
