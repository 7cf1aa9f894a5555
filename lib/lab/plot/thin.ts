// Chooses which points of a long line are drawn, because a chart in a notebook is stored as text. Keeps the lowest and
// the highest point of each interval, so that no spike is lost, and a gap between two points that have one between them: no line
// joins what is apart.

/** The most points of a chart. A point takes about 50 bytes. */
export const MAX_POINTS = 2000;

/** The indices of the points to draw, in ascending order; all if there are at most `max`. */
export function thinned(y: Float64Array, max: number): number[] {
  if (y.length <= max) return [...y.keys()];
  const stretches = Math.max(1, Math.floor(max / 2) - 1);
  const kept = new Set<number>([0]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const end = Math.floor(((stretch + 1) * y.length) / stretches);
    let [min, greatest] = [-1, -1];
    for (let at = Math.floor((stretch * y.length) / stretches); at < end; at++) {
      const value = y[at]!;
      if (!Number.isFinite(value)) continue;
      if (min < 0 || value < y[min]!) min = at;
      if (greatest < 0 || value > y[greatest]!) greatest = at;
    }
    for (const at of [min, greatest]) if (at >= 0) kept.add(at);
  }
  kept.add(y.length - 1);
  return withGaps(
    y,
    [...kept].toSorted((a, b) => a - b),
  );
}

/** With the first gap between two kept points, where there is one. */
function withGaps(y: Float64Array, kept: readonly number[]): number[] {
  return kept.flatMap((at, index) => {
    const next = kept[index + 1] ?? at;
    for (let between = at + 1; between < next; between++)
      if (!Number.isFinite(y[between])) return [at, between];
    return [at];
  });
}

/** Indices at even distances. */
export function sampled(length: number, max: number): number[] {
  if (length <= max) return Array.from({ length }, (_, at) => at);
  return Array.from({ length: max }, (_, at) => Math.floor((at * length) / max));
}
