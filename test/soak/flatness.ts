// Whether a figure grows with the cells that run: the slope of a line through its last half, with its confidence.
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

/** Least squares. Null for too few samples. */
export function trendOf(all: readonly Sample[]): Trend | null {
  const samples = all.slice(Math.floor(all.length / 2));
  const count = samples.length;
  if (count < LEAST_SAMPLES) return null;
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const [meanCells, meanValue] = [mean(({ cells }) => cells / 1000), mean(({ value }) => value)];
  let [spread, common] = [0, 0];
  for (const { cells, value } of samples) {
    spread += (cells / 1000 - meanCells) ** 2;
    common += (cells / 1000 - meanCells) * (value - meanValue);
  }
  const slope = common / spread;
  const rest = samples.reduce(
    (sum, { cells, value }) => sum + (value - meanValue - slope * (cells / 1000 - meanCells)) ** 2,
    0,
  );
  const error = Math.sqrt(rest / (count - 2) / spread) * studentQuantile(count - 2);
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
