// The cross entropy of a linear layer's output, in one call. torch/nn/functional.py (linear_cross_entropy)
import { shapeText } from "../../../arguments.ts";
import { native } from "../../../native.ts";
import { nnFunctions } from "../../../operators.ts";
import type { Tensor } from "../../../tensor.ts";
import { crossEntropy, type CrossEntropyOptions } from "./classification.ts";

export interface LinearCrossEntropyOptions extends CrossEntropyOptions {
  /** [classes] */
  readonly linearBias?: Tensor | null;
}

/** Of `input` [..., features] through `linearWeight` [classes, features], against class indices or probabilities. */
export function linearCrossEntropy(
  input: Tensor,
  linearWeight: Tensor,
  target: Tensor,
  options: LinearCrossEntropyOptions = {},
): Tensor {
  const { linearBias = null, ...others } = options;
  if (native.isTensor(input) && native.isTensor(linearWeight)) {
    const [features, weight] = [native.shape(input).at(-1), native.shape(linearWeight)];
    if (weight.length !== 2 || weight[1] !== features) {
      throw new RangeError(
        `linearCrossEntropy: linearWeight must be [classes, ${features}] for an input of ${features} features, got ${shapeText(weight)}.`,
      );
    }
  }
  return crossEntropy(nnFunctions.linear(input, linearWeight, linearBias), target, others);
}
