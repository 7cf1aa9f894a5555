// The cross entropy of a linear layer's output, in one call. torch/nn/functional.py (linear_cross_entropy)
import { checkOptionalTensor, checkTensor } from "../../../tensor/tensor_arguments.ts";
import { checkOptions, shapeText } from "../../../vocabulary/arguments.ts";
import { native } from "../../../engine/native.ts";
import { nnFunctions } from "../../../tensor/operators.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { crossEntropy, type CrossEntropyOptions } from "./classification.ts";

export interface LinearCrossEntropyOptions extends CrossEntropyOptions {
  /** [classes], or [classes, ...] as the weight. Default: none. */
  readonly linearBias?: Tensor | null;
}

/**
 * The loss of `input` [features] or [N, features] through `linearWeight` [classes, features], against class indices [N] or
 * probabilities [N, classes]. A weight [classes, ..., features] gives logits [N, classes, ...], a loss at each place:
 * the indices are then [N, ...], the probabilities [N, classes, ...].
 */
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
  const bias = checkOptionalTensor(call, "linearBias", linearBias);
  const shape = native.shape(checkTensor(call, "input", input));
  const weight = native.shape(checkTensor(call, "linearWeight", linearWeight));
  if (shape.length !== 1 && shape.length !== 2)
    throw new RangeError(
      `${call}: input must be [features] or [batch, features], got ${shapeText(shape)}; flatten what stands before the features into one batch.`,
    );
  const features = shape.at(-1)!;
  if (weight.length < 2 || weight.at(-1) !== features)
    throw new RangeError(
      `${call}: linearWeight must be [classes, ${features}] or [classes, ..., ${features}] for an input of ${features} features, got ${shapeText(weight)}.`,
    );
  const outputs = weight.slice(0, -1);
  if (bias !== null && shapeText(native.shape(bias)) !== shapeText(outputs))
    throw new RangeError(
      `${call}: linearBias must be ${shapeText(outputs)} for a linearWeight of shape ${shapeText(weight)}, got ${shapeText(native.shape(bias))}.`,
    );
  if (outputs.length === 1)
    return crossEntropy(nnFunctions.linear(input, linearWeight, bias), target, others);
  if (shape.length === 1)
    throw new RangeError(
      `${call}: a linearWeight of shape ${shapeText(weight)} takes a batch, [batch, ${features}], got ${shapeText(shape)}.`,
    );
  const logits = nnFunctions.linear(input, linearWeight.reshape([-1, features]), bias?.reshape([-1]));
  return crossEntropy(logits.reshape([shape[0]!, ...outputs]), target, others);
}
