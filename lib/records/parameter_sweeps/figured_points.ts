// Declares the points of parameter sweeps as what is drawn and compared needs them: plain data, whoever ran the points.
import { byteUnit, timeUnit, type Unit } from "../../units.ts";

/** A point that ran to its end. */
export interface FiguredPoint {
  /** Texts of the parameters' values. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What was measured: `{ loss: 0.25 }`. */
  readonly figures: Readonly<Record<string, number>>;
}

export interface FiguredSweep {
  /** Begins the names of its lines; empty where one sweep is drawn. */
  readonly name: string;
  readonly points: readonly FiguredPoint[];
}

/** The figures that every point has, whatever its cells show, by their names in `figures`. */
export const WALL_MS = "time of the point";
export const PEAK_BYTES = "peak memory";
export const UNITS: Readonly<Record<string, (value: number) => Unit>> = {
  [WALL_MS]: timeUnit,
  [PEAK_BYTES]: byteUnit,
};

const REPETITION = /^(.*_?seed|.*Seed|trial|repeat|repetition|fold|run)s?$/;

/** Whether points that differ in this parameter alone are one measurement several times: `seed`, `initSeed`, `trial`. */
export function isRepetition(parameter: string): boolean {
  return REPETITION.test(parameter);
}
