// Losses against classes and labels. Checks targets before libtorch sees them, so that errors are readable; libtorch
// computes values and gradients.
import { shapeText } from "../../../vocabulary/arguments.ts";
import { floatingWay, isFloatingDType } from "../../../vocabulary/dtype.ts";
import { native } from "../../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../../tensor/operators.ts";
import { boolean, integer, number } from "../../../vocabulary/options.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { checkLengths, optionalTensor } from "../../../tensor/tensor_arguments.ts";
import {
  checkSameShape,
  loss,
  pairLoss,
  reduced,
  REDUCTION_PLACES,
  WEIGHTED_PLACES,
  reduction,
  reductionNumber,
  type LossOptions,
  type WeightedLossOptions,
} from "./loss.ts";

export interface ClassLossOptions extends LossOptions {
  /** A weight for each class. Default: none, and all count alike. */
  readonly weight?: Tensor | null;
  /** A class index that counts for nothing. Default: -100. */
  readonly ignoreIndex?: number;
}

export interface CrossEntropyOptions extends ClassLossOptions {
  /** Share of each target spread evenly over all classes, 0 to 1. Default: 0. */
  readonly labelSmoothing?: number;
}

type Inputs = [input: Tensor, target: Tensor];
const NAMES = ["input", "target"];

/** Input [N, C, ...] with a class index for each of [N, ...], or (where `allowed`) probabilities [N, C, ...]. */
function checkClassTarget(call: string, input: Tensor, target: Tensor, probabilities: boolean): void {
  const shape = native.shape(input);
  const given = native.shape(target);
  if (shape.length === 0)
    throw new RangeError(`${call}: the input must be [classes] or [batch, classes, ...], got shape [].`);
  if (probabilities && isFloatingDType(native.dtype(target)) && shapeText(given) === shapeText(shape)) return;
  const expected = shape.length === 1 ? [] : [shape[0]!, ...shape.slice(2)];
  if (shapeText(given) !== shapeText(expected)) {
    throw new RangeError(
      `${call}: an input of shape ${shapeText(shape)} takes class indices of shape ${shapeText(expected)}` +
        `${probabilities ? ` or probabilities of shape ${shapeText(shape)}` : ""}, got ${native.dtype(target)} of shape ${shapeText(given)}` +
        (probabilities && shapeText(given) === shapeText(shape)
          ? `: ${floatingWay(native.dtype(target))}.`
          : "."),
    );
  }
  checkIndexDType(call, target);
}

function checkIndexDType(call: string, target: Tensor): void {
  if (native.dtype(target) === "int64" || native.dtype(target) === "uint8") return;
  throw new TypeError(
    `${call}: class indices must be int64, got ${native.dtype(target)}; convert them with target.to("int64").`,
  );
}

function checkClassWeight(call: string, input: Tensor, weight: Tensor | null): void {
  if (!weight) return;
  const shape = native.shape(input);
  const classes = shape[shape.length === 1 ? 0 : 1]!;
  if (shapeText(native.shape(weight)) === `[${classes}]`) return;
  throw new RangeError(
    `${call}: weight must be one number for each of the ${classes} classes, got shape ${shapeText(native.shape(weight))}.`,
  );
}

const CLASS_RULES = {
  reduction,
  weight: optionalTensor,
  ignoreIndex: integer(-100, -Infinity),
};

const CLASS_PLACES = ["weight", "sizeAverage", "ignoreIndex", "reduce", "reduction"] as const;
const CROSS_ENTROPY_PLACES = [...CLASS_PLACES, "labelSmoothing"] as const;

/** Logits [N, C, ...] against class indices [N, ...] or class probabilities [N, C, ...]. */
export const crossEntropy = pairLoss<
  "crossEntropy",
  "classes",
  CrossEntropyOptions,
  typeof CROSS_ENTROPY_PLACES
>(
  "crossEntropy",
  { rules: { ...CLASS_RULES, labelSmoothing: number(0, { min: 0, max: 1 }) }, places: CROSS_ENTROPY_PLACES },
  (call, options, input, target) => {
    checkClassTarget(call, input, target, true);
    checkClassWeight(call, input, options.weight);
    const { weight, ignoreIndex, labelSmoothing } = options;
    const reductionIndex = reductionNumber(options);
    return nnFunctions.crossEntropyLoss(input, target, weight, reductionIndex, ignoreIndex, labelSmoothing);
  },
);

/** Log-probabilities [N, C, ...] against class indices [N, ...]. */
export const nllLoss = pairLoss<"nllLoss", "classes", ClassLossOptions, typeof CLASS_PLACES>(
  "nllLoss",
  { rules: CLASS_RULES, places: CLASS_PLACES },
  (call, options, input, target) => {
    checkClassTarget(call, input, target, false);
    checkClassWeight(call, input, options.weight);
    return nnFunctions.nllLossNd(
      input,
      target,
      options.weight,
      reductionNumber(options),
      options.ignoreIndex,
    );
  },
);

const WEIGHTED_RULES = { reduction, weight: optionalTensor };

/** Probabilities against 0 or 1. */
export const binaryCrossEntropy = pairLoss<
  "binaryCrossEntropy",
  "same",
  WeightedLossOptions,
  typeof WEIGHTED_PLACES
>(
  "binaryCrossEntropy",
  { rules: WEIGHTED_RULES, places: WEIGHTED_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    return nnFunctions.binaryCrossEntropy(input, target, options.weight, reductionNumber(options));
  },
);

export interface LogitLossOptions extends WeightedLossOptions {
  /** Multiplies the loss of the ones: a weight for each class, or each element. Default: none. */
  readonly posWeight?: Tensor | null;
}

const LOGIT_PLACES = [...WEIGHTED_PLACES, "posWeight"] as const;

/** Logits against 0 or 1. */
export const binaryCrossEntropyWithLogits = pairLoss<
  "binaryCrossEntropyWithLogits",
  "same",
  LogitLossOptions,
  typeof LOGIT_PLACES
>(
  "binaryCrossEntropyWithLogits",
  { rules: { ...WEIGHTED_RULES, posWeight: optionalTensor }, places: LOGIT_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    return torchFunctions.binaryCrossEntropyWithLogits(
      input,
      target,
      options.weight,
      options.posWeight,
      reductionNumber(options),
    );
  },
);

/** log(1 + exp(-target input)) for targets of 1 and -1. */
export const softMarginLoss = loss<Inputs, LossOptions, typeof REDUCTION_PLACES>(
  "softMarginLoss",
  { inputs: NAMES, rules: { reduction }, places: REDUCTION_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    return nnFunctions.softMarginLoss(input, target, reductionNumber(options));
  },
);

/** Scores [N, C] against the indices of the true classes [N, C], each row ended by -1. */
export const multilabelMarginLoss = loss<Inputs, LossOptions, typeof REDUCTION_PLACES>(
  "multilabelMarginLoss",
  { inputs: NAMES, rules: { reduction }, places: REDUCTION_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    if (native.dtype(target) !== "int64")
      throw new TypeError(`${call}: class indices must be int64, got ${native.dtype(target)}.`);
    return nnFunctions.multilabelMarginLoss(input, target, reductionNumber(options));
  },
);

/** Logits [N, C] against a 0 or 1 for each class; the mean over the classes. `weight` is one for each class. */
export const multilabelSoftMarginLoss = loss<Inputs, WeightedLossOptions, typeof WEIGHTED_PLACES>(
  "multilabelSoftMarginLoss",
  { inputs: NAMES, rules: WEIGHTED_RULES, places: WEIGHTED_PLACES },
  (call, options, input, target) => {
    checkSameShape(call, input, target);
    const positive = target.mul(nnFunctions.logSigmoid(input));
    const negative = torchFunctions.rsub(target, 1).mul(nnFunctions.logSigmoid(input.neg()));
    const losses = positive.add(negative).neg();
    const weighted = options.weight ? losses.mul(options.weight) : losses;
    return reduced(weighted.sum(-1).div(native.shape(input).at(-1)!), options);
  },
);

export interface MultiMarginOptions extends Omit<ClassLossOptions, "ignoreIndex"> {
  /** The exponent, 1 or 2. Default: 1. */
  readonly p?: number;
  /** How far apart the scores are to be. Default: 1. */
  readonly margin?: number;
}

const MULTI_MARGIN_PLACES = ["p", "margin", ...WEIGHTED_PLACES] as const;

/** max(0, margin - score of the class + other score)^p over scores [N, C] and class indices [N]. */
export const multiMarginLoss = loss<Inputs, MultiMarginOptions, typeof MULTI_MARGIN_PLACES>(
  "multiMarginLoss",
  {
    inputs: NAMES,
    rules: { ...WEIGHTED_RULES, p: number(1, { min: 1, max: 2 }), margin: number(1) },
    places: MULTI_MARGIN_PLACES,
  },
  (call, options, input, target) => {
    if (options.p !== 1 && options.p !== 2)
      throw new RangeError(`${call}: p must be 1 or 2, got ${options.p}.`);
    // libtorch takes one item's index as [1] too, and one score alone as that of one class.
    const isOneItem = native.dim(input) < 2 && native.dim(target) === (native.dim(input) === 0 ? 0 : 1);
    if (isOneItem && native.numel(target) === 1) checkIndexDType(call, target);
    else checkClassTarget(call, input, target, false);
    if (native.dim(input) > 0) checkClassWeight(call, input, options.weight);
    const { p, margin, weight } = options;
    return nnFunctions.multiMarginLoss(input, target, p, margin, weight, reductionNumber(options));
  },
);

export interface CtcOptions extends LossOptions {
  /** The label that stands for nothing. Default: 0. */
  readonly blank?: number;
  /** Makes infinite losses, of targets longer than their inputs, 0. Default: false. */
  readonly zeroInfinity?: boolean;
}

const CTC_PLACES = ["blank", "reduction", "zeroInfinity"] as const;

type Lengths = Tensor | readonly number[];

/**
 * Connectionist temporal classification (Graves et al., 2006): log-probabilities [time, batch, classes] against
 * labels [batch, length], or all labels one after the other, and the length of each input and target.
 */
export const ctcLoss = loss<
  [logProbs: Tensor, targets: Tensor, inputLengths: Lengths, targetLengths: Lengths],
  CtcOptions,
  typeof CTC_PLACES,
  readonly ["logProbs", "targets", "inputLengths", "targetLengths"]
>(
  "ctcLoss",
  {
    inputs: ["logProbs", "targets"],
    others: ["inputLengths", "targetLengths"],
    rules: { reduction, blank: integer(0, 0), zeroInfinity: boolean(false) },
    places: CTC_PLACES,
  },
  (call, options, logProbs, targets, inputLengths, targetLengths) => {
    const { blank, zeroInfinity } = options;
    const classes = native.shape(logProbs).at(-1) ?? 0;
    if (blank >= classes)
      throw new RangeError(`${call}: blank must be below the ${classes} classes, got ${blank}.`);
    return torchFunctions.ctcLoss(
      logProbs,
      targets,
      checkLengths(call, "inputLengths", inputLengths, 0),
      checkLengths(call, "targetLengths", targetLengths, 0),
      blank,
      reductionNumber(options),
      zeroInfinity,
    );
  },
);
