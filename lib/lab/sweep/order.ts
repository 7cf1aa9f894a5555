// Orders the points of a sweep by a seed: a series of batches for each combination of the other parameters, or single
// points. If a machine warms up, the drift then affects all values of a parameter alike.
import { seededRandom, shuffled } from "../../statistics/seeded_random.ts";
import type { SweepPlan } from "./options.ts";
import type { ParameterValue, Point } from "../../records/batch_sweeps/point.ts";
import type { BatchRange } from "./search.ts";

type Combination = Readonly<Record<string, ParameterValue>>;

/** Either all points are known beforehand, or the batches of each combination are found one after the other. */
export type Order =
  | { readonly points: readonly Point[] }
  | { readonly range: BatchRange; readonly combinations: readonly Combination[] };

export function orderOf({ batch, grid, seed }: Pick<SweepPlan, "batch" | "grid" | "seed">): Order {
  const random = seededRandom(seed);
  const combinations = combined(Object.entries(grid));
  if (!isList(batch)) return { range: batch, combinations: shuffled(combinations, random) };
  const points = combinations.flatMap((combination) =>
    batch.map((each) => ({ batch: each, ...combination })),
  );
  return { points: shuffled(points, random) };
}

function isList(batch: SweepPlan["batch"]): batch is readonly number[] {
  return Array.isArray(batch);
}

/** `{ a: [1, 2], b: [3] }` -> `{ a: 1, b: 3 }` and `{ a: 2, b: 3 }` */
function combined(grid: readonly (readonly [string, readonly ParameterValue[]])[]): Combination[] {
  return grid.reduce<Combination[]>(
    (sofar, [name, values]) => sofar.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
