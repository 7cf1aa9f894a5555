// Declares what `lab.shadow` reports: what was compared, and a wrong result with everything that a report to PyTorch
// needs.
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import type { DType } from "../../../torch/vocabulary/dtype.ts";

export interface ShadowedOperator {
  /** The dispatcher's name, without `aten::`: `convolution`. */
  readonly operator: string;
  readonly calls: number;
  readonly compared: number;
  /** How many kinds of calls there were; calls with equal dtypes, sizes and strides are of one kind. */
  readonly kinds: number;
  readonly comparedKinds: number;
  readonly spentMs: number;
  /** Why some calls were not compared; null if all could be. */
  readonly leftOut: string | null;
}

/** A run in which no compared result was wrong. */
export interface Shadow {
  /** `mps`, `mps (simulated)` */
  readonly device: string;
  readonly steps: number;
  /** The share of the loop's time that comparisons might take; null where every call was compared. */
  readonly sample: number | null;
  readonly elapsedMs: number;
  /** How long the comparisons took. */
  readonly spentMs: number;
  readonly calls: number;
  readonly compared: number;
  /** Those that took longest to compare come first. */
  readonly operators: readonly ShadowedOperator[];
}

/** A tensor that the operator was given, as it lay in memory. */
export interface ShadowedTensor {
  /** `weight`, `tensors[2]` */
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly contiguous: boolean;
}

/** A result that the device got wrong. */
export interface ShadowFinding {
  readonly device: string;
  readonly operator: string;
  /** `default` if the overload has no name. */
  readonly overload: string;
  readonly pass: "forward" | "backward";
  /** The node of the backward pass, `ConvolutionBackward0`; null in a forward pass. */
  readonly node: string | null;
  /** `Cell [3]:4:12`; null if no line of the user's was on the stack. */
  readonly place: string | null;
  /** Which of the call's results is wrong: `result`, `grad_weight`, `self after the call`. */
  readonly result: string;
  readonly tensors: readonly ShadowedTensor[];
  /** Arguments other than tensors, as they would be written: `padding [1, 1]`. */
  readonly others: readonly string[];
  /** Copies of both results on the CPU; null if their shapes differ, which `shapes` describes. */
  readonly results: { readonly device: Tensor; readonly cpu: Tensor } | null;
  readonly shapes: string | null;
  /** The element that is furthest beyond its bound. */
  readonly worst: {
    readonly index: readonly number[];
    /** A bigint for an int64 beyond 2^53. */
    readonly device: number | bigint;
    readonly cpu: number | bigint;
    /** The result in double precision on the CPU. */
    readonly exact: number | bigint;
    /** The difference that rounding explains: 0 for results that must be equal. */
    readonly allowed: number;
  } | null;
  readonly wrongElements: number;
  /** Programs that show the wrong result on their own. */
  readonly reproduction: {
    /** TypeScript, for a cell. */
    readonly cell: string;
    /** Python, for a report to PyTorch. */
    readonly python: string;
    /**
     * Whether the wrong result also shows with drawn arguments; if not, both programs read the file of `saveInputs`.
     */
    readonly drawn: boolean;
  };
}
