// Declares the result of `lab.budget` for a training step, as plain data.
import type { Part } from "./probe.ts";

export interface LayerBudget {
  /** The module's path; "" for what no layer saved, mostly the loss. */
  readonly layer: string;
  /** Bytes that it saves for backward. */
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
  /** What all layers save for backward: it is held when backward begins. */
  readonly activationBytes: number;
  /** The rest of the peak: results between layers, temporary gradients, workspaces of kernels. */
  readonly workspaceBytes: number;
  /**
   * Peak of live tensors. In a real step, results that are unreachable but not yet collected come on top: almost
   * nothing in a Sequential, which frees them itself, more if a layer's own code makes many.
   */
  readonly peakBytes: number;
  /** The part of the step in which the peak occurs. */
  readonly peakIn: Part;
  /** Largest first. */
  readonly layers: readonly LayerBudget[];
  /** Batches half and twice as large and, if a sequence was given, sequences half and twice as long. */
  readonly scaling: readonly ScaledBudget[];
  /** The batches that were run on the CPU to find it. */
  readonly probes: readonly number[];
}
