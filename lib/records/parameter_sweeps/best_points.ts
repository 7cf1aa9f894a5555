// Finds the points of a sweep that a figure calls best: of points that differ in their seed alone the median counts, since the
// best seed says nothing of the parameters.
import { grouped } from "../../grouped.ts";
import { spreadOf } from "../../statistics/spread.ts";
import { type FiguredPoint, isRepetition } from "./figured_points.ts";

export interface BestPoints {
  readonly figure: string;
  readonly isLess: boolean;
  /** The value of the point, or the median of several. */
  readonly value: number;
  /** Their places among the points that were given; several where they differ in their seed alone. */
  readonly places: readonly number[];
  /** The parameters that they share. */
  readonly parameters: FiguredPoint["parameters"];
}

/** Whether a figure's name says that lower values are better. */
export function isLessBetter(figure: string): boolean {
  return /loss|error|perplexity|(?<![a-z])(r?mse|mae|mape|nll)(?![a-z])/i.test(figure);
}

/** Null where no two values differ: then none is best. */
export function bestPoints(points: readonly FiguredPoint[], figure: string): BestPoints | null {
  const measured = points.flatMap(({ parameters, figures }, place) => {
    const value = figures[figure];
    if (value === undefined) return [];
    const told = Object.entries(parameters).filter(([name]) => !isRepetition(name));
    return [[JSON.stringify(told), { place, value, parameters: Object.fromEntries(told) }] as const];
  });
  const groups = [...grouped(measured).values()].map((group) => ({
    figure,
    isLess: isLessBetter(figure),
    value: spreadOf(group.map(({ value }) => value)).median,
    places: group.map(({ place }) => place),
    parameters: group[0]!.parameters,
  }));
  const ordered = groups.toSorted((a, b) => (a.isLess ? a.value - b.value : b.value - a.value));
  const [best, last] = [ordered[0], ordered.at(-1)];
  return best === undefined || best.value === last!.value ? null : best;
}
