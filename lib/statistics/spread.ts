// Computes the median and the quartiles of measured values, which every result of the lab reports.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** Quartiles are interpolated as in numpy's default. */
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

/** Values of one thing that differ by this much were measured beside other programs, which another thing may have missed. */
const WIDE_SPREAD = 1 / 3;

/** Whether chance may decide between this and another one, from the spread of each. */
export const isWide = (relative: number): boolean => relative >= WIDE_SPREAD;

/**
 * Returns plain data in which each spread has its present keys. In journals, logbooks and remotes of earlier versions,
 * `min` and `max` of a spread are called `least` and `most`.
 */
export function withCurrentSpreadKeys(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withCurrentSpreadKeys);
  if (typeof data !== "object" || data === null) return data;
  const entries = Object.entries(data);
  if (!isOldSpread(entries))
    return Object.fromEntries(entries.map(([key, value]) => [key, withCurrentSpreadKeys(value)]));
  const { least, most, ...others } = data as Record<string, number>;
  return { ...others, min: least, max: most };
}

const OLD_KEYS = ["median", "least", "lowerQuartile", "upperQuartile", "most"];

/** A user's own result may have a key `most` too, so the keys must be exactly those of a spread. */
function isOldSpread(entries: readonly (readonly [string, unknown])[]): boolean {
  return (
    entries.length === OLD_KEYS.length &&
    entries.every(([key, value]) => OLD_KEYS.includes(key) && typeof value === "number")
  );
}
