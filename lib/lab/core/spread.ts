// How measured values lie: median and spread, of which every result of the lab tells both. Knows no units.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** Quartiles are interpolated as numpy's default does. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError("A spread takes one value at least.");
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)]!;
    return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
  };
  return {
    median: at(0.5),
    min: at(0),
    lowerQuartile: at(0.25),
    upperQuartile: at(0.75),
    max: at(1),
  };
}

/** Half of the distance between the quartiles, as a share of the median: 0.02 reads as ±2%. */
export function relativeSpread({ median, lowerQuartile, upperQuartile }: Spread): number {
  return median === 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / Math.abs(median);
}
