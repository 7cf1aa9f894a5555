// Declares the result of `lab.budget` for a training step, as plain data.
import type { Part } from "./probe.ts";

export interface LayerBudget {
  /** The module's path, "" for what no layer of the model saved: the loss, mostly. */
  readonly layer: string;
  /** What it saves for backward. */
  readonly savedBytes: number;
}

export interface ScaledBudget {
  readonly batch: number;
  readonly sequence: number | null;
  readonly peakBytes: number;
}

export interface Budget {
  readonly batch: number;
  readonly sequence: number | null;
  readonly parameterBytes: number;
  readonly bufferBytes: number;
  readonly gradientBytes: number;
  readonly optimizerBytes: number;
  /** Saved for backward, of all layers: what is there when backward begins. */
  readonly activationBytes: number;
  /** The rest of the peak: results between layers, gradients on their way, workspaces of kernels. */
  readonly workspaceBytes: number;
  /**
   * Of live tensors. Results that nobody holds any more and the collector has not found yet come on top: next to nothing
   * in a Sequential, which frees them itself, more where a layer's own code holds many.
   */
  readonly peakBytes: number;
  /** Where in the step the peak is. */
  readonly peakIn: Part;
  /** Largest first. */
  readonly layers: readonly LayerBudget[];
  /** Batches half and twice as large, and where a sequence was given, sequences half and twice as long. */
  readonly scaling: readonly ScaledBudget[];
  /** Batches that were run on the CPU for it. */
  readonly probes: readonly number[];
}
