// What the ranks of `%%ranks` tell the kernel of an epoch loop, so that one chart shows all of them. Plain JSON data.

/** MIME type of a display that is a loop of one rank. No page shows it. */
export const RANK_LOOP_MIME = "application/vnd.mpslab.rank-loop+json";

/** One whole epoch on one rank. */
export interface RankEpoch {
  readonly epoch: number;
  readonly device: string;
  /** With the flush. */
  readonly totalMs: number;
  readonly flushMs: number;
  readonly peakBytes: number;
  /** After the flush. */
  readonly allocatedBytes: number;
  /** Null where a value is not finite. */
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** An epoch loop on one rank. */
export interface RankLoop {
  /** Tells the loops of a cell apart. */
  readonly loop: string;
  /** 1, 2, ...: a loop in a sweep runs many times. */
  readonly run: number;
  readonly epochs: readonly RankEpoch[];
  /** Whether the last epoch was cut off; it is not among the others. */
  readonly cut: boolean;
  /** What is said of memory that grows; empty where it does not. */
  readonly growth: string;
  readonly ended: boolean;
}
