// Counts values in the buckets that TensorBoard's own writers use: their edges grow by a tenth, from 1e-12 on, and the
// same below zero. Source: torch/utils/tensorboard/summary.py (`make_histogram`), writer.py (`_get_default_bins`).
import type { HistogramSummary } from "../../records/tensorboard/event_file.ts";

function defaultEdges(): number[] {
  const above: number[] = [];
  for (let edge = 1e-12; edge < 1e20; edge *= 1.1) above.push(edge);
  return [...above.toReversed().map((edge) => -edge), 0, ...above];
}

let edges: readonly number[] | undefined;

/** How many edges are at most the value. */
function place(value: number, sorted: readonly number[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The empty buckets at both ends are left out, but for one at each. The values are finite, and at least one. */
export function histogramOf(values: ArrayLike<number>): HistogramSummary {
  edges ??= defaultEdges();
  const counts = Array<number>(edges.length - 1).fill(0);
  let [min, max, sum, sumOfSquares] = [Infinity, -Infinity, 0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    sumOfSquares += value * value;
    const bucket = place(value, edges) - 1;
    if (bucket >= 0 && bucket < counts.length) counts[bucket]! += 1;
  }
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  const begin = Math.max(first, 1) - 1;
  return {
    min,
    max,
    count: values.length,
    sum,
    sumOfSquares,
    limits: first < 0 ? [0] : edges.slice(begin + 1, last + 2),
    counts: first < 0 ? [0] : counts.slice(begin, last + 1),
  };
}
