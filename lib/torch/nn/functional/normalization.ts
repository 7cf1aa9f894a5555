// Normalizations without a single operator in libtorch, and batch norms with named options.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkNumber, checkOptions, describe } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";

/** Divides by a sum over neighbouring channels (Krizhevsky et al., 2012), over [batch, channels, ...]. */
export function localResponseNorm(input: Tensor, size: number, alpha = 1e-4, beta = 0.75, k = 1): Tensor {
  const call = "localResponseNorm";
  if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  checkInteger(call, "size", size, 1);
  for (const [name, value] of Object.entries({ alpha, beta, k })) checkNumber(call, name, value);
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
  readonly weight?: Tensor | null;
  readonly bias?: Tensor | null;
  /** Normalizes by the batch and updates the running statistics. Default: false. */
  readonly training?: boolean;
  readonly momentum?: number;
  readonly eps?: number;
}

const BATCH_NORM = ["weight", "bias", "training", "momentum", "eps"] as const;

/** Normalizes each channel of [batch, channels, ...] by running statistics, or by the batch's while training. */
export function batchNorm(
  input: Tensor,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  options?: BatchNormArguments,
): Tensor {
  const given = checkOptions<BatchNormArguments>("batchNorm", options, BATCH_NORM);
  const { weight = null, bias = null, training = false, momentum = 0.1, eps = 1e-5 } = given;
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
  readonly runningMean?: Tensor | null;
  readonly runningVar?: Tensor | null;
  /** Normalizes by each item's own statistics. Default: true. */
  readonly useInputStats?: boolean;
}

/** Normalizes each channel of each item of [batch, channels, ...]. */
export function instanceNorm(input: Tensor, options?: InstanceNormArguments): Tensor {
  const known = ["weight", "bias", "momentum", "eps", "runningMean", "runningVar", "useInputStats"] as const;
  const given = checkOptions<InstanceNormArguments>("instanceNorm", options, known);
  const { weight = null, bias = null, runningMean = null, runningVar = null } = given;
  const { useInputStats = true, momentum = 0.1, eps = 1e-5 } = given;
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
