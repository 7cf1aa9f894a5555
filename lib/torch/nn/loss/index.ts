// The losses as layers, each with the options of its function in `functional/loss/`.
import type { CalledAsForward } from "../module/called.ts";
import * as functional from "../functional/loss/index.ts";
import { lossLayer } from "./layer.ts";
import type { Criterion } from "../../types/index.ts";

// Merged interfaces say how losses are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface CrossEntropyLoss extends Criterion<"CrossEntropyLoss", "classes"> {}

/** Logits [N, C, ...] against class indices [N, ...] or class probabilities [N, C, ...]. */
export class CrossEntropyLoss extends lossLayer(functional.crossEntropy) {}

export interface NLLLoss extends Criterion<"NLLLoss", "classes"> {}

/** Log-probabilities [N, C, ...] against class indices [N, ...]. */
export class NLLLoss extends lossLayer(functional.nllLoss) {}

export interface BCELoss extends Criterion<"BCELoss", "same"> {}

/** Probabilities against 0 or 1. */
export class BCELoss extends lossLayer(functional.binaryCrossEntropy) {}

export interface BCEWithLogitsLoss extends Criterion<"BCEWithLogitsLoss", "same"> {}

/** Logits against 0 or 1. */
export class BCEWithLogitsLoss extends lossLayer(functional.binaryCrossEntropyWithLogits) {}

export interface SoftMarginLoss extends CalledAsForward {}

/** log(1 + exp(-target input)) for targets of 1 and -1. */
export class SoftMarginLoss extends lossLayer(functional.softMarginLoss) {}

export interface MultiLabelMarginLoss extends CalledAsForward {}

/** Scores [N, C] against the indices of the true classes [N, C], each row ended by -1. */
export class MultiLabelMarginLoss extends lossLayer(functional.multilabelMarginLoss) {}

export interface MultiLabelSoftMarginLoss extends CalledAsForward {}

/** Logits [N, C] against a 0 or 1 for each class. */
export class MultiLabelSoftMarginLoss extends lossLayer(functional.multilabelSoftMarginLoss) {}

export interface MultiMarginLoss extends CalledAsForward {}

/** max(0, margin - score of the class + other score)^p over scores [N, C] and class indices [N]. */
export class MultiMarginLoss extends lossLayer(functional.multiMarginLoss) {}

export interface CTCLoss extends CalledAsForward {}

/** Connectionist temporal classification: `loss(logProbs, targets, inputLengths, targetLengths)`. */
export class CTCLoss extends lossLayer(functional.ctcLoss) {}

export interface MSELoss extends Criterion<"MSELoss", "same"> {}

/** The squared difference. */
export class MSELoss extends lossLayer(functional.mseLoss) {}

export interface L1Loss extends Criterion<"L1Loss", "same"> {}

/** The absolute difference. */
export class L1Loss extends lossLayer(functional.l1Loss) {}

export interface SmoothL1Loss extends Criterion<"SmoothL1Loss", "same"> {}

/** Squared below `beta`, absolute above. */
export class SmoothL1Loss extends lossLayer(functional.smoothL1Loss) {}

export interface HuberLoss extends Criterion<"HuberLoss", "same"> {}

/** Squared below `delta`, linear above. */
export class HuberLoss extends lossLayer(functional.huberLoss) {}

export interface KLDivLoss extends CalledAsForward {}

/** Log-probabilities against probabilities. */
export class KLDivLoss extends lossLayer(functional.klDiv) {}

export interface PoissonNLLLoss extends CalledAsForward {}

/** Counts under a Poisson distribution of the given rates. */
export class PoissonNLLLoss extends lossLayer(functional.poissonNllLoss) {}

export interface GaussianNLLLoss extends CalledAsForward {}

/** Samples under normal distributions: `loss(means, samples, variances)`. */
export class GaussianNLLLoss extends lossLayer(functional.gaussianNllLoss) {}

export interface HingeEmbeddingLoss extends CalledAsForward {}

/** x for targets of 1, max(0, margin - x) for targets of -1. */
export class HingeEmbeddingLoss extends lossLayer(functional.hingeEmbeddingLoss) {}

export interface MarginRankingLoss extends CalledAsForward {}

/** max(0, -target (x1 - x2) + margin) */
export class MarginRankingLoss extends lossLayer(functional.marginRankingLoss) {}

export interface CosineEmbeddingLoss extends CalledAsForward {}

/** 1 - cos for targets of 1, max(0, cos - margin) for targets of -1. */
export class CosineEmbeddingLoss extends lossLayer(functional.cosineEmbeddingLoss) {}

export interface TripletMarginLoss extends CalledAsForward {}

/** max(0, d(anchor, positive) - d(anchor, negative) + margin) */
export class TripletMarginLoss extends lossLayer(functional.tripletMarginLoss) {}

export interface TripletMarginWithDistanceLoss extends CalledAsForward {}

/** The triplet loss under any distance. */
export class TripletMarginWithDistanceLoss extends lossLayer(functional.tripletMarginWithDistanceLoss) {}
