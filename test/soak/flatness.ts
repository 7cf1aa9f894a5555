// Whether a figure grows with the cells that run: the slope of a line through the last half of each process's samples,
// with its confidence.
//
// The first half is left out, because caches fill there. Samples depend on their neighbours: an allocator that keeps 10 MB
// now keeps them for the next samples too. So a line is drawn through the means of a few long spans, as the method of batch
// means does (Conway 1963). Through the samples themselves an interval that is called 95% holds the true slope in half of
// the cases, where each sample is 0.8 of the one before and a draw.
//
// The rule: a figure is flat if the upper end of the slope's 95% interval is at most the limit, and grows if the lower end is
// above it. Between the two the samples do not decide.

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
/** Of one process. More are narrower, and depend on each other again: of 250 samples as above 8 hold 93%, 16 hold 91%. */
const SPANS = 8;

/**
 * Least squares, with one slope for all processes and a level of its own for each: a session that follows another begins
 * lower. Null for too few samples.
 */
export function trendOf(all: readonly (readonly Sample[])[]): Trend | null {
  const halves = all.map((samples) => samples.slice(Math.floor(samples.length / 2)));
  const processes = halves.map(meansOfSpans);
  const count = processes.flat().length;
  const free = count - processes.length - 1;
  if (count < LEAST_SAMPLES || free < 1) return null;
  const points = processes.flatMap((samples) => {
    const mean = meanOf(samples);
    return samples.map(({ cells, value }) => ({ x: (cells - mean.cells) / 1000, y: value - mean.value }));
  });
  const spread = points.reduce((sum, { x }) => sum + x ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + x * y, 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - slope * x) ** 2, 0);
  const error = Math.sqrt(rest / free / spread) * studentQuantile(free);
  return { slope, low: slope - error, high: slope + error, samples: halves.flat().length };
}

function meansOfSpans(samples: readonly Sample[]): Sample[] {
  const spans = Math.min(SPANS, samples.length);
  const start = (span: number): number => Math.floor((span * samples.length) / spans);
  return Array.from({ length: spans }, (_, span) => meanOf(samples.slice(start(span), start(span + 1))));
}

function meanOf(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  return { cells: mean(({ cells }) => cells), value: mean(({ value }) => value) };
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
