// Normalizations without a single operator in libtorch, and batch norms with named options.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { checkedLater, number, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";

export interface LocalResponseNormArguments {
  /** The sum's factor. Default: 1e-4. */
  readonly alpha?: number;
  /** The exponent. Default: 0.75. */
  readonly beta?: number;
  /** Added to the sum. Default: 1. */
  readonly k?: number;
}

const RESPONSE_RULES = { alpha: number(1e-4), beta: number(0.75), k: number(1) };

/** Divides by a sum over neighbouring channels (Krizhevsky et al., 2012), over [batch, channels, ...]. */
export function localResponseNorm(
  input: Tensor,
  size: number,
  alpha?: number | LocalResponseNormArguments,
  beta?: number | LocalResponseNormArguments,
  k?: number,
): Tensor;
export function localResponseNorm(input: Tensor, size: number, ...given: unknown[]): Tensor {
  const call = "localResponseNorm";
  const options = optionsByPlace<LocalResponseNormArguments>(call, ["alpha", "beta", "k"], given);
  const { alpha, beta, k } = readOptions(call, options, RESPONSE_RULES);
  if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  checkInteger(call, "size", size, 1);
  const shape = native.shape(input);
  if (shape.length < 3) {
    throw new RangeError(
      `${call}: the input must be [batch, channels, ...], got shape [${shape.join(", ")}].`,
    );
  }
  if (native.numel(input) === 0) return input;
  const [batch, channels, height] = shape as [number, number, number];
  const edges = [Math.floor(size / 2), Math.floor((size - 1) / 2)];
  const squares = input.mul(input);
  const means =
    shape.length === 3
      ? nnFunctions
          .avgPool2d(nnFunctions.pad(squares.unsqueeze(1), [0, 0, ...edges]), [size, 1], 1)
          .squeeze(1)
      : nnFunctions
          .avgPool3d(
            nnFunctions.pad(squares.view([batch, 1, channels, height, -1]), [0, 0, 0, 0, ...edges]),
            [size, 1, 1],
            1,
          )
          .squeeze(1)
          .view(shape);
  return input.div(means.mul(alpha).add(k).pow(beta));
}

export interface BatchNormArguments {
  /** [channels], multiplied with what was normalized. Default: null, for none. */
  readonly weight?: Tensor | null;
  /** [channels], added to it. Default: null, for none. */
  readonly bias?: Tensor | null;
  /** Normalizes by the batch and updates the running statistics. Default: false. */
  readonly training?: boolean;
  /** Weight of the newest batch in the running statistics. Default: 0.1. */
  readonly momentum?: number;
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number;
}

const LEARNT_RULES = {
  weight: checkedLater<Tensor | null>(null),
  bias: checkedLater<Tensor | null>(null),
  momentum: checkedLater(0.1),
  eps: checkedLater(1e-5),
};

const BATCH_NORM_RULES = {
  ...LEARNT_RULES,
  training: checkedLater(false),
} satisfies OpenRules<BatchNormArguments>;

/** Normalizes each channel of [batch, channels, ...] by running statistics, or by the batch's while training. */
export function batchNorm(
  input: Tensor,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  weight?: Tensor | null | BatchNormArguments,
  bias?: Tensor | null | BatchNormArguments,
  training?: boolean | BatchNormArguments,
  momentum?: number | BatchNormArguments,
  eps?: number,
): Tensor;
export function batchNorm(
  input: Tensor,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  ...given: unknown[]
): Tensor {
  const places = ["weight", "bias", "training", "momentum", "eps"] as const;
  const options = optionsByPlace<BatchNormArguments>("batchNorm", places, given);
  const { weight, bias, training, momentum, eps } = readOptions("batchNorm", options, BATCH_NORM_RULES);
  return torchFunctions.batchNorm(
    input,
    weight,
    bias,
    runningMean,
    runningVar,
    training,
    momentum,
    eps,
    true,
  );
}

export interface InstanceNormArguments extends Omit<BatchNormArguments, "training"> {
  /** [channels], updated in place. Default: null, for none. */
  readonly runningMean?: Tensor | null;
  /** [channels], updated in place. Default: null, for none. */
  readonly runningVar?: Tensor | null;
  /** Normalizes by each item's own statistics. Default: true. */
  readonly useInputStats?: boolean;
}

const INSTANCE_NORM_RULES = {
  ...LEARNT_RULES,
  runningMean: checkedLater<Tensor | null>(null),
  runningVar: checkedLater<Tensor | null>(null),
  useInputStats: checkedLater(true),
} satisfies OpenRules<InstanceNormArguments>;

/** Normalizes each channel of each item of [batch, channels, ...]. */
export function instanceNorm(
  input: Tensor,
  runningMean?: Tensor | null | InstanceNormArguments,
  runningVar?: Tensor | null | InstanceNormArguments,
  weight?: Tensor | null | InstanceNormArguments,
  bias?: Tensor | null | InstanceNormArguments,
  useInputStats?: boolean | InstanceNormArguments,
  momentum?: number | InstanceNormArguments,
  eps?: number,
): Tensor;
export function instanceNorm(input: Tensor, ...given: unknown[]): Tensor {
  const places = ["runningMean", "runningVar", "weight", "bias", "useInputStats", "momentum", "eps"] as const;
  const options = optionsByPlace<InstanceNormArguments>("instanceNorm", places, given);
  const read = readOptions("instanceNorm", options, INSTANCE_NORM_RULES);
  const { weight, bias, runningMean, runningVar, useInputStats, momentum, eps } = read;
  return torchFunctions.instanceNorm(
    input,
    weight,
    bias,
    runningMean,
    runningVar,
    useInputStats,
    momentum,
    eps,
    true,
  );
}
