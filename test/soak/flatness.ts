// Whether a figure grows with the cells that run: the slope of a line through the last half of each process's samples,
// with its confidence.
//
// The first half is left out, because caches fill there. The rule: a figure is flat if the upper end of the slope's 95%
// interval is at most the limit, and grows if the lower end is above it. Between the two the samples do not decide.

export interface Sample {
  readonly cells: number;
  readonly value: number;
}

/** For each thousand cells. */
export interface Trend {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  /** Of the last half. */
  readonly samples: number;
}

export type Judgement = "flat" | "grows" | "not decided";

const LEAST_SAMPLES = 5;

/**
 * Least squares, with one slope for all processes and a level of its own for each: a session that follows another begins
 * lower. Null for too few samples.
 */
export function trendOf(all: readonly (readonly Sample[])[]): Trend | null {
  const processes = all.map((samples) => samples.slice(Math.floor(samples.length / 2)));
  const count = processes.reduce((sum, { length }) => sum + length, 0);
  const free = count - processes.length - 1;
  if (count < LEAST_SAMPLES || free < 1) return null;
  const points = processes.flatMap((samples) => {
    const mean = (of: (sample: Sample) => number) =>
      samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
    const [meanCells, meanValue] = [mean(({ cells }) => cells), mean(({ value }) => value)];
    return samples.map(({ cells, value }) => ({ x: (cells - meanCells) / 1000, y: value - meanValue }));
  });
  const spread = points.reduce((sum, { x }) => sum + x ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + x * y, 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - slope * x) ** 2, 0);
  const error = Math.sqrt(rest / free / spread) * studentQuantile(free);
  return { slope, low: slope - error, high: slope + error, samples: count };
}

export function judge(trend: Trend | null, limit: number): Judgement {
  if (trend === null) return "not decided";
  if (trend.high <= limit) return "flat";
  return trend.low > limit ? "grows" : "not decided";
}

/** The 97.5% quantile of Student's t, by the first terms of its expansion (Abramowitz and Stegun 26.7.5). */
function studentQuantile(degrees: number): number {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}
