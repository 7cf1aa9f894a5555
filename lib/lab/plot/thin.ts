// Chooses which points of a long line are drawn: a chart in a notebook is text of its file. Keeps the lowest and the
// highest of each stretch, so that no spike is lost, and one gap where there are gaps.

/** Points of a chart in all. A row takes about 50 bytes. */
export const MAX_POINTS = 2000;

/** Indices in ascending order, all where there are at most `max`. */
export function thinned(y: Float64Array, max: number): number[] {
  if (y.length <= max) return [...y.keys()];
  const stretches = Math.max(1, Math.floor(max / 2) - 1);
  const kept = new Set<number>([0]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const end = Math.floor(((stretch + 1) * y.length) / stretches);
    let [min, greatest, gap] = [-1, -1, -1];
    for (let at = Math.floor((stretch * y.length) / stretches); at < end; at++) {
      const value = y[at]!;
      if (!Number.isFinite(value)) gap = at;
      else {
        if (min < 0 || value < y[min]!) min = at;
        if (greatest < 0 || value > y[greatest]!) greatest = at;
      }
    }
    for (const at of [min, greatest, gap]) if (at >= 0) kept.add(at);
  }
  kept.add(y.length - 1);
  return [...kept].toSorted((a, b) => a - b);
}

/** Evenly spaced indices. */
export function sampled(length: number, max: number): number[] {
  if (length <= max) return Array.from({ length }, (_, at) => at);
  return Array.from({ length: max }, (_, at) => Math.floor((at * length) / max));
}
