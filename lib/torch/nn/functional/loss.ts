// Losses without a layer: options by name, and arguments checked before libtorch sees them, so that a wrong target is
// told in words. Values and gradients are libtorch's.
import { native } from "../../native.ts";
import type { Tensor } from "../../tensor.ts";
import {
  checkBoolean,
  checkChoice,
  checkInteger,
  checkNumber,
  checkOptions,
  describe,
} from "../../arguments.ts";
import { nnFunctions, torchFunctions } from "../../operators.ts";

export type Reduction = "mean" | "sum" | "none";

/** libtorch's numbers for reductions. */
const REDUCTIONS: Readonly<Record<Reduction, number>> = { none: 0, mean: 1, sum: 2 };

export interface LossOptions {
  /** How the losses of the elements become one: their mean (the default), their sum, or not at all. */
  readonly reduction?: Reduction;
}

export interface ClassLossOptions extends LossOptions {
  /** A weight for each class. */
  readonly weight?: Tensor | null;
  /** A class index that counts for nothing, -100 unless given. */
  readonly ignoreIndex?: number;
}

export interface CrossEntropyOptions extends ClassLossOptions {
  /** Share of each target spread evenly over all classes, 0 to 1. */
  readonly labelSmoothing?: number;
}

export interface BinaryLossOptions extends LossOptions {
  /** A weight for each element; must broadcast to the target. */
  readonly weight?: Tensor | null;
}

function reductionNumber(call: string, { reduction = "mean" }: LossOptions): number {
  return REDUCTIONS[checkChoice(call, "reduction", reduction, ["mean", "sum", "none"])];
}

function shapeOf(call: string, name: string, tensor: Tensor): number[] {
  if (!native.isTensor(tensor))
    throw new TypeError(`${call}: ${name} must be a tensor, got ${describe(tensor)}.`);
  return native.shape(tensor);
}

function shapeText(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

function isFloating(tensor: Tensor): boolean {
  return /^(float|bfloat)/.test(native.dtype(tensor));
}

/** Input [N, C, ...] with a class index for each of [N, ...], or (where `allowed`) probabilities [N, C, ...]. */
function checkClassTarget(call: string, input: Tensor, target: Tensor, probabilities: boolean): void {
  const shape = shapeOf(call, "input", input);
  const given = shapeOf(call, "target", target);
  if (shape.length === 0)
    throw new RangeError(`${call}: the input must be [classes] or [batch, classes, ...], got shape [].`);
  if (probabilities && isFloating(target) && shapeText(given) === shapeText(shape)) return;
  const expected = shape.length === 1 ? [] : [shape[0]!, ...shape.slice(2)];
  if (shapeText(given) !== shapeText(expected)) {
    throw new RangeError(
      `${call}: an input of shape ${shapeText(shape)} takes class indices of shape ${shapeText(expected)}` +
        `${probabilities ? ` or probabilities of shape ${shapeText(shape)}` : ""}, got ${native.dtype(target)} of shape ${shapeText(given)}.`,
    );
  }
  if (native.dtype(target) !== "int64" && native.dtype(target) !== "uint8") {
    throw new TypeError(
      `${call}: class indices must be int64, got ${native.dtype(target)}; convert them with target.to("int64").`,
    );
  }
}

/** PyTorch broadcasts here with a warning; [N] against [N, 1] then silently trains on N x N differences. */
function checkSameShape(call: string, input: Tensor, target: Tensor): void {
  const shape = shapeText(shapeOf(call, "input", input));
  const given = shapeText(shapeOf(call, "target", target));
  if (shape !== given) {
    throw new RangeError(
      `${call}: input and target must have one shape, got ${shape} and ${given}; reshape one of them.`,
    );
  }
}

/** Logits [N, C, ...] against class indices [N, ...] or class probabilities [N, C, ...]. */
export function crossEntropy(input: Tensor, target: Tensor, options?: CrossEntropyOptions): Tensor {
  const call = "crossEntropy";
  const given = checkOptions<CrossEntropyOptions>(call, options, [
    "reduction",
    "weight",
    "ignoreIndex",
    "labelSmoothing",
  ]);
  const { weight = null, ignoreIndex = -100, labelSmoothing = 0 } = given;
  const reduction = reductionNumber(call, given);
  checkInteger(call, "ignoreIndex", ignoreIndex, -Infinity);
  checkNumber(call, "labelSmoothing", labelSmoothing, { least: 0, most: 1 });
  checkClassTarget(call, input, target, true);
  return nnFunctions.crossEntropyLoss(input, target, weight, reduction, ignoreIndex, labelSmoothing);
}

/** Log-probabilities [N, C, ...] against class indices [N, ...]. */
export function nllLoss(input: Tensor, target: Tensor, options?: ClassLossOptions): Tensor {
  const given = checkOptions<ClassLossOptions>("nllLoss", options, ["reduction", "weight", "ignoreIndex"]);
  const { weight = null, ignoreIndex = -100 } = given;
  checkInteger("nllLoss", "ignoreIndex", ignoreIndex, -Infinity);
  checkClassTarget("nllLoss", input, target, false);
  return nnFunctions.nllLossNd(input, target, weight, reductionNumber("nllLoss", given), ignoreIndex);
}

/** The squared difference. */
export function mseLoss(input: Tensor, target: Tensor, options?: LossOptions): Tensor {
  const reduction = reductionNumber("mseLoss", checkOptions<LossOptions>("mseLoss", options, ["reduction"]));
  checkSameShape("mseLoss", input, target);
  return nnFunctions.mseLoss(input, target, reduction);
}

/** The absolute difference. */
export function l1Loss(input: Tensor, target: Tensor, options?: LossOptions): Tensor {
  const reduction = reductionNumber("l1Loss", checkOptions<LossOptions>("l1Loss", options, ["reduction"]));
  checkSameShape("l1Loss", input, target);
  return nnFunctions.l1Loss(input, target, reduction);
}

/** Squared below `beta`, absolute above: 0.5 d^2 / beta, then |d| - 0.5 beta. */
export function smoothL1Loss(
  input: Tensor,
  target: Tensor,
  options?: LossOptions & { readonly beta?: number },
): Tensor {
  const given = checkOptions("smoothL1Loss", options, ["reduction", "beta"]);
  const beta = checkNumber("smoothL1Loss", "beta", given.beta ?? 1, { least: 0 });
  checkSameShape("smoothL1Loss", input, target);
  return nnFunctions.smoothL1Loss(input, target, reductionNumber("smoothL1Loss", given), beta);
}

/** Squared below `delta`, linear above: 0.5 d^2, then delta (|d| - 0.5 delta). */
export function huberLoss(
  input: Tensor,
  target: Tensor,
  options?: LossOptions & { readonly delta?: number },
): Tensor {
  const given = checkOptions("huberLoss", options, ["reduction", "delta"]);
  const delta = checkNumber("huberLoss", "delta", given.delta ?? 1, { least: Number.MIN_VALUE });
  checkSameShape("huberLoss", input, target);
  return nnFunctions.huberLoss(input, target, reductionNumber("huberLoss", given), delta);
}

/** Probabilities against 0 or 1. */
export function binaryCrossEntropy(input: Tensor, target: Tensor, options?: BinaryLossOptions): Tensor {
  const given = checkOptions<BinaryLossOptions>("binaryCrossEntropy", options, ["reduction", "weight"]);
  checkSameShape("binaryCrossEntropy", input, target);
  const reduction = reductionNumber("binaryCrossEntropy", given);
  return nnFunctions.binaryCrossEntropy(input, target, given.weight ?? null, reduction);
}

/** Logits against 0 or 1; `posWeight` multiplies the loss of the ones. */
export function binaryCrossEntropyWithLogits(
  input: Tensor,
  target: Tensor,
  options?: BinaryLossOptions & { readonly posWeight?: Tensor | null },
): Tensor {
  const call = "binaryCrossEntropyWithLogits";
  const given = checkOptions(call, options, ["reduction", "weight", "posWeight"]);
  checkSameShape(call, input, target);
  const { weight = null, posWeight = null } = given;
  return torchFunctions.binaryCrossEntropyWithLogits(
    input,
    target,
    weight,
    posWeight,
    reductionNumber(call, given),
  );
}

/**
 * Log-probabilities against probabilities (log-probabilities with `logTarget`). "batchmean" divides the sum by the
 * size of the batch, which is the mathematical definition; "mean" divides by all elements.
 */
export function klDiv(
  input: Tensor,
  target: Tensor,
  options?: { readonly reduction?: Reduction | "batchmean"; readonly logTarget?: boolean },
): Tensor {
  const given = checkOptions("klDiv", options, ["reduction", "logTarget"]);
  const reduction = checkChoice("klDiv", "reduction", given.reduction ?? "mean", [
    "mean",
    "batchmean",
    "sum",
    "none",
  ]);
  const logTarget = checkBoolean("klDiv", "logTarget", given.logTarget ?? false);
  checkSameShape("klDiv", input, target);
  if (reduction !== "batchmean")
    return torchFunctions.klDiv(input, target, REDUCTIONS[reduction], { logTarget });
  const batch = native.shape(input)[0];
  if (batch === undefined) throw new RangeError(`klDiv: "batchmean" needs a batch dimension, got shape [].`);
  return torchFunctions.klDiv(input, target, REDUCTIONS.sum, { logTarget }).div(batch);
}
