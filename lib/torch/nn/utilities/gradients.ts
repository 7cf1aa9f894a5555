// Computes the norm of all gradients, and clips them by norm or by value, with kernels over lists of tensors.
import { byDeviceAndDType } from "../../tensor/by_device_and_dtype.ts";
import { checkTensors } from "../../tensor/tensor_arguments.ts";
import { norm } from "../../tensor/norm.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, nullable, number, readOptions, type Rules } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { ops, torchFunctions } from "../../tensor/operators.ts";

/** Gradients of those that have one; wrappers of the caller's own, to be freed when it is done. */
function gradientsOf(parameters: readonly Tensor[]): Tensor[] {
  return parameters.flatMap((parameter) => native.ownGrad(parameter) ?? []);
}

export interface ForeachOption {
  /** Taken and without effect: kernels run over lists where libtorch has them. Default: null. */
  readonly foreach?: boolean | null;
}

const FOREACH_RULES: Rules<ForeachOption> = { foreach: nullable(boolean(true)) };

export interface NormOptions extends ForeachOption {
  /** The norm's exponent. Default: 2; Infinity for the largest magnitude. */
  readonly normType?: number;
  /** Throws where the norm is NaN or infinite. Default: false. */
  readonly errorIfNonfinite?: boolean;
}

const NORM_RULES: Rules<NormOptions> = {
  normType: number(2),
  errorIfNonfinite: boolean(false),
  ...FOREACH_RULES,
};

function totalNorm(call: string, tensors: readonly Tensor[], options: Required<NormOptions>): Tensor {
  const { normType, errorIfNonfinite } = options;
  if (tensors.length === 0) return torchFunctions.zeros([]);
  const norms = byDeviceAndDType(tensors).flatMap((group) =>
    ops.aten._foreach_norm.Scalar<Tensor[]>(group, normType),
  );
  const device = native.device(norms[0]!);
  const together = torchFunctions.stack(norms.map((one) => one.to(device)));
  const total = norm(together, normType);
  if (errorIfNonfinite && !Number.isFinite(total.item())) {
    throw new RangeError(
      `${call}: the norm of order ${normType} is ${total.item()}; pass { errorIfNonfinite: false } to go on with it.`,
    );
  }
  return total;
}

/** The norm of all tensors as if they were one vector. */
export function getTotalNorm(tensors: Tensor | Iterable<Tensor>, options?: NormOptions): Tensor {
  const call = "getTotalNorm";
  return noGrad(() =>
    totalNorm(
      call,
      checkTensors(call, "parameters", tensors),
      readOptions<NormOptions>(call, options, NORM_RULES),
    ),
  );
}

/** Scales gradients so that their norm, which the caller knows, is at most `maxNorm`. */
function scaleTo(grads: readonly Tensor[], maxNorm: number, total: Tensor): void {
  const factor = total.add(1e-6).reciprocal().mul(maxNorm).clampMax(1);
  for (const group of byDeviceAndDType(grads))
    ops.aten._foreach_mul_.Tensor(group, factor.to(native.device(group[0]!)));
}

/** Scales all gradients together, in place, so that their norm is at most `maxNorm`. Returns the norm before. */
export function clipGradNorm_(
  parameters: Tensor | Iterable<Tensor>,
  maxNorm: number,
  normType?: number | NormOptions,
  errorIfNonfinite?: boolean | NormOptions,
  foreach?: boolean | null,
): Tensor;
export function clipGradNorm_(
  parameters: Tensor | Iterable<Tensor>,
  maxNorm: number,
  ...given: unknown[]
): Tensor {
  const call = "clipGradNorm_";
  const options = optionsByPlace<NormOptions>(call, ["normType", "errorIfNonfinite", "foreach"], given);
  const list = checkTensors(call, "parameters", parameters);
  checkNumber(call, "maxNorm", maxNorm, { min: 0 });
  const read = readOptions<NormOptions>(call, options, NORM_RULES);
  return noGrad(() => {
    const grads = gradientsOf(list);
    const total = totalNorm(call, grads, read);
    if (grads.length > 0) scaleTo(grads, maxNorm, total);
    for (const grad of grads) native.dispose(grad);
    return total;
  });
}

/** Scales all gradients together, in place, by a norm that was computed before. */
export function clipGradsWithNorm_(
  parameters: Tensor | Iterable<Tensor>,
  maxNorm: number,
  total: Tensor,
): void {
  const call = "clipGradsWithNorm_";
  const list = checkTensors(call, "parameters", parameters);
  checkNumber(call, "maxNorm", maxNorm, { min: 0 });
  if (!native.isTensor(total))
    throw new TypeError(`${call}: the norm must be a tensor, got ${describe(total)}.`);
  noGrad(() => {
    const grads = gradientsOf(list);
    scaleTo(grads, maxNorm, total);
    for (const grad of grads) native.dispose(grad);
  });
}

/** Cuts every element of every gradient, in place, to between -clipValue and clipValue. */
export function clipGradValue_(
  parameters: Tensor | Iterable<Tensor>,
  clipValue: number,
  foreach?: boolean | null | ForeachOption,
): void;
export function clipGradValue_(
  parameters: Tensor | Iterable<Tensor>,
  clipValue: number,
  ...given: unknown[]
): void {
  const call = "clipGradValue_";
  readOptions(call, optionsByPlace<ForeachOption>(call, ["foreach"], given), FOREACH_RULES);
  const list = checkTensors(call, "parameters", parameters);
  checkNumber(call, "clipValue", clipValue, { min: 0 });
  noGrad(() => {
    const grads = gradientsOf(list);
    for (const group of byDeviceAndDType(grads)) {
      ops.aten._foreach_clamp_min_.Scalar(group, -clipValue);
      ops.aten._foreach_clamp_max_.Scalar(group, clipValue);
    }
    for (const grad of grads) native.dispose(grad);
  });
}
