// The cross entropy of a linear layer's output, in one call. torch/nn/functional.py (linear_cross_entropy)
import { checkOptionalTensor, checkTensor } from "../../../tensor_arguments.ts";
import { checkOptions, shapeText } from "../../../arguments.ts";
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
  const call = "linearCrossEntropy";
  const known = [
    "linearBias",
    ...(Object.keys(crossEntropy.rules) as (keyof CrossEntropyOptions)[]),
  ] as const;
  const { linearBias = null, ...others } = checkOptions<LinearCrossEntropyOptions>(call, options, known);
  checkOptionalTensor(call, "linearBias", linearBias);
  const features = native.shape(checkTensor(call, "input", input)).at(-1);
  const weight = native.shape(checkTensor(call, "linearWeight", linearWeight));
  if (weight.length !== 2 || weight[1] !== features) {
    throw new RangeError(
      `${call}: linearWeight must be [classes, ${features}] for an input of ${features} features, got ${shapeText(weight)}.`,
    );
  }
  return crossEntropy(nnFunctions.linear(input, linearWeight, linearBias), target, others);
}
