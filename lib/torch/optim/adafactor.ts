// Adafactor (Shazeer and Stern, arXiv:1804.04235): the second moment of a matrix as the product of a column and a row,
// so that it costs next to no memory.
import { linalg, torchFunctions } from "../tensor/operators.ts";
import { boolean, number, type Rule } from "../vocabulary/options.ts";
import { describe } from "../vocabulary/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";

export interface AdafactorOptions extends MaximizeOption {
  /** Upper bound of the learning rate. Default: 1e-2. */
  lr: number;
  /** Exponent by which the decay rate of the second moment falls. Default: -0.8. */
  beta2Decay: number;
  /** Least root of the second moment (null for the dtype's resolution), and least size of a parameter. Default: [null, 1e-3]. */
  eps: readonly [number | null, number];
  /** Bound of an update's root mean square. Default: 1. */
  d: number;
  /** Taken off the parameter. Default: 0. */
  weightDecay: number;
}

const epsPair: Rule<AdafactorOptions["eps"]> = {
  fallback: [null, 1e-3],
  check(call, name, value) {
    const fits =
      Array.isArray(value) &&
      value.length === 2 &&
      (value[0] === null || (typeof value[0] === "number" && value[0] >= 0)) &&
      typeof value[1] === "number" &&
      value[1] >= 0;
    if (fits) return value as unknown as AdafactorOptions["eps"];
    throw new TypeError(
      `${call}: ${name} must be two numbers of at least 0, the first of which may be null, got ${describe(value)}.`,
    );
  },
};

/** The distance from 1 to the next number. */
const RESOLUTION: Readonly<Record<string, number>> = {
  float64: 2 ** -52,
  float32: 2 ** -23,
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
};

/** The mean of squares along a dimension, without a tensor of squares. */
function meanSquare(grad: Tensor, dim: number): Tensor {
  return linalg.vectorNorm(grad, 2, [dim], true).square_().div_(grad.size(dim));
}

export class Adafactor extends listOptimizer<AdafactorOptions>({
  lr: number(1e-2, { min: 0 }),
  beta2Decay: number(-0.8, { max: 0 }),
  eps: epsPair,
  d: number(1, { min: 1 }),
  weightDecay: number(0, { min: 0 }),
  maximize: boolean(false),
}) {
  protected override get freeState(): ReadonlySet<string> {
    return new Set(["step", "rowVar", "colVar"]);
  }

  /** It is taken off the parameters, and not into the gradient. */
  protected override decayOf(): number {
    return 0;
  }

  protected override stepList(group: ParamGroup<AdafactorOptions>, { params, grads, steps }: ListStep): void {
    const { lr, beta2Decay, eps, d, weightDecay } = group;
    for (const [i, parameter] of params.entries()) {
      const grad = grads[i]!;
      const step = steps[i]!;
      const min = eps[0] ?? RESOLUTION[parameter.dtype]!;
      const size = parameter.norm(2).item() / Math.sqrt(parameter.numel());
      const rate = Math.max(eps[1], size) * Math.min(lr, 1 / Math.sqrt(step));
      if (weightDecay !== 0) parameter.mul_(1 - lr * weightDecay);
      const update = this.#estimate(parameter, grad, step ** beta2Decay, min)
        .clampMin_(min * min)
        .rsqrt_()
        .mul_(grad);
      const rms = update.norm(2).item() / (Math.sqrt(update.numel()) * d);
      parameter.add_(update, { alpha: -rate / Math.max(1, rms) });
    }
  }

  /** Updates and returns the estimate of the second moment. */
  #estimate(parameter: Tensor, grad: Tensor, share: number, min: number): Tensor {
    if (grad.ndim < 2) {
      const [variance] = this.remembered([parameter], "variance") as [Tensor];
      return variance.lerp_(grad.mul(grad), share).clone();
    }
    const shape = grad.shape;
    const rows = [...shape.slice(0, -1), 1];
    const columns = [...shape.slice(0, -2), 1, shape.at(-1)!];
    const [row] = this.remembered([parameter], "rowVar", () => grad.newZeros(rows)) as [Tensor];
    const [column] = this.remembered([parameter], "colVar", () => grad.newZeros(columns)) as [Tensor];
    row.lerp_(meanSquare(grad, -1), share);
    column.lerp_(meanSquare(grad, -2), share);
    const product = torchFunctions.matmul(row, column);
    return product.div_(row.mean([-2], true).clampMin_(min));
  }
}
