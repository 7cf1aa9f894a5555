// Declares the result of `lab.architectures` as plain data.

export interface ArchitectureRow {
  readonly name: string;
  readonly source: string;
  readonly parameters: number;
  /** How many steps ran to their end. */
  readonly steps: number;
  /** The loss of each step; null if it was not finite. */
  readonly losses: readonly (number | null)[];
  readonly finite: boolean;
  /**
   * Live bytes after the last step minus those after the second, each after a full collection. 0 if a step keeps
   * nothing.
   */
  readonly growthBytes: number | null;
  readonly peakBytes: number;
  /** Operators that ran on the CPU instead; null if they are not counted. */
  readonly fallbacks: readonly { readonly operator: string; readonly calls: number }[] | null;
  /** The error that stopped it, for example an operator that the device lacks; null if none did. */
  readonly error: string | null;
}

export interface Architectures {
  readonly device: string;
  readonly steps: number;
  readonly seed: number;
  readonly rows: readonly ArchitectureRow[];
}
