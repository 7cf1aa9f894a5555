// Declares the result of `lab.tune` as plain data.
import type { ParameterValue, Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import type { KnobValue, TuneKnob, TuneSettings } from "./settings.ts";

/** How much the results under two settings differ after a few steps; see `lab.parity`. */
export interface SameResults {
  readonly within: boolean;
  readonly steps: number;
  /**
   * The gradient, weight or statistic that uses most of its tolerance, or the first loss beyond its own. `tolerances`
   * is null for a loss, and for values that are not finite.
   */
  readonly worst: { readonly name: string; readonly tolerances: number | null };
  /** Why they could not be compared; null if they were. */
  readonly error: string | null;
}

/** One value of a knob, measured in turns with the others. */
export interface TuneTrial {
  readonly value: ParameterValue;
  /** Medians over the turns; null if the value could not be measured. */
  readonly stepMs: number | null;
  readonly samplesPerSecond: number | null;
  /**
   * Half of the distance between the quartiles of the windows, or between those of the turns if that is more, as a
   * share of the median.
   */
  readonly spread: number | null;
  /**
   * The relative gain in samples a second over the previous value: 0.25 is a quarter more. Null for the previous value
   * itself.
   */
  readonly gain: number | null;
  readonly peakBytes: number | null;
  /** Null if results were not compared: there was no gain, or the batch differs. */
  readonly results: SameResults | null;
  /** Why it could not be measured. */
  readonly error: string | null;
}

/** `no gain`: the gain is not more than the spread. `not asked for`: the option `only` leaves the knob out. */
export type TuneVerdict =
  | "kept"
  | "no gain"
  | "other results"
  | "failed"
  | "does not apply"
  | "not asked for";

export interface TunedKnob {
  readonly knob: TuneKnob;
  readonly verdict: TuneVerdict;
  readonly before: KnobValue;
  /** The value that is used from here on. */
  readonly value: KnobValue;
  /** One sentence. */
  readonly reason: string;
  /** The previous value comes first; empty if nothing was tried. */
  readonly trials: readonly TuneTrial[];
}

export interface LargestBatch {
  /** Null if there is no limit, or none was searched for. */
  readonly batch: number | null;
  /** Why no larger batch fits, or why no limit was searched for. */
  readonly end: string;
  /** The settings under which it was found. */
  readonly settings: TuneSettings;
  /** The points of the search, in the order in which they ran. */
  readonly points: readonly PointRecord[];
}

export interface Tuned {
  readonly name: string;
  readonly device: string;
  readonly seed: number;
  readonly before: TuneSettings;
  readonly settings: TuneSettings;
  /**
   * Samples a second under `settings` compared with those before, measured in turns at the end; null if nothing was
   * kept.
   */
  readonly whole: { readonly before: TuneTrial; readonly after: TuneTrial } | null;
  /** The knobs in the order in which they were tried, then those that were not. */
  readonly knobs: readonly TunedKnob[];
  /** Null if the batch was not tried. */
  readonly largestBatch: LargestBatch | null;
  /** TypeScript to paste, which applies `settings`. */
  readonly code: string;
  /** How many measurements were taken from the journal instead of being made again. */
  readonly resumedPoints: number;
  /** Measurements that were running when an earlier session ended; they were made again. */
  readonly cutOffPoints: readonly Point[];
  readonly journal: string | null;
  readonly notes: readonly string[];
}
