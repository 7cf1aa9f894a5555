// Adds another model to an average: equally weighted (Izmailov et al., arXiv:1803.05407) or exponentially, one tensor
// at a time or lists of tensors in a few kernels.
import { checkNumber } from "../../vocabulary/arguments.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { isComplexDType, isFloatingDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { lerp_ } from "../foreach.ts";

/** The next average from the present one, the model's tensor, and how many models were averaged before. */
export type AverageFunction = (averaged: Tensor, value: Tensor, nAveraged: number) => Tensor;

/** The same for tensors of one device and dtype, written into the first list. */
export type MultiAverageFunction = (
  averaged: readonly Tensor[],
  values: readonly Tensor[],
  nAveraged: number,
) => void;

function checkDecay(call: string, decay: number): void {
  checkNumber(call, "decay", decay, { min: 0, max: 1 });
}

/** `decay * averaged + (1 - decay) * value`. */
export function getEmaAvgFn(decay = 0.999): AverageFunction {
  checkDecay("optim.getEmaAvgFn", decay);
  return (averaged, value) => averaged.mul(decay).add(value.mul(1 - decay));
}

/** The mean of all models. */
export function getSwaAvgFn(): AverageFunction {
  return (averaged, value, nAveraged) => averaged.add(value.sub(averaged).div(nAveraged + 1));
}

/** `weight` is the share of the new model; counts take no such steps, so `each` computes them as floats and cuts off. */
function inLists(weight: (nAveraged: number) => number, each: AverageFunction): MultiAverageFunction {
  return (averaged, values, nAveraged) =>
    noGrad(() => {
      const dtype = native.dtype(averaged[0]!);
      if (isFloatingDType(dtype) || isComplexDType(dtype)) lerp_(averaged, values, weight(nAveraged));
      else
        tidy(() => {
          for (const [i, one] of averaged.entries()) one.copy_(each(one, values[i]!, nAveraged));
        });
    });
}

/** The same as `getEmaAvgFn`, for lists. */
export function getEmaMultiAvgFn(decay = 0.999): MultiAverageFunction {
  checkDecay("optim.getEmaMultiAvgFn", decay);
  return inLists(() => 1 - decay, getEmaAvgFn(decay));
}

/** The same as `getSwaAvgFn`, for lists. */
export function getSwaMultiAvgFn(): MultiAverageFunction {
  return inLists((nAveraged) => 1 / (nAveraged + 1), getSwaAvgFn());
}
