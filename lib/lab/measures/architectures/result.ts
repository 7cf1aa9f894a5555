// Declares the result of `lab.architectures` as plain data.

export interface ArchitectureRow {
  readonly name: string;
  readonly source: string;
  readonly parameters: number;
  /** Steps that ran to their end. */
  readonly steps: number;
  /** Of each step; null where it was no finite number. */
  readonly losses: readonly (number | null)[];
  readonly finite: boolean;
  /** Live tensors after the last step over those after the second, all garbage collected: 0 of a step that keeps nothing. */
  readonly growthBytes: number | null;
  readonly peakBytes: number;
  /** Operators that ran on the CPU instead; null where nobody counts them. */
  readonly fallbacks: readonly { readonly operator: string; readonly calls: number }[] | null;
  /** What stopped it, as an operator that the device lacks; null where nothing did. */
  readonly error: string | null;
}

export interface Architectures {
  readonly device: string;
  readonly steps: number;
  readonly seed: number;
  readonly rows: readonly ArchitectureRow[];
}
