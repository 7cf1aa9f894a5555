// A straight line through the points of a series, by least squares: `fit: "linear"` of `lab.plot.points`.
import { optional } from "../../torch/vocabulary/options.ts";
import { checkChoice } from "../../torch/vocabulary/arguments.ts";
import type { Scale } from "../../charts/ticks.ts";
import { numberText } from "../../units.ts";
import type { Column } from "./column.ts";

export interface FitOptions {
  /** The straight line of least squares through the points of each colour, with its equation and r². Default: none. */
  readonly fit?: "linear";
}

export const FIT = {
  fit: optional((call, name, value) => checkChoice(call, name, value as "linear", ["linear"])),
} as const;

interface Place {
  readonly x: number | string;
  readonly y: number;
}

/** `y = slope x + intercept`, and its ends: at the least and the greatest x. */
export interface Fit {
  readonly slope: number;
  readonly intercept: number;
  /** The share of the variance of y that the line explains; NaN where y is constant. */
  readonly r2: number;
  readonly ends: readonly [number, number];
}

/** @throws TypeError for an axis of names or dates, RangeError for a logarithmic one, on which no straight line is straight */
export function checkFit(
  call: string,
  kind: Column["kind"],
  { xScale, yScale }: { readonly xScale: Scale; readonly yScale: Scale },
): void {
  if (kind !== "quantitative")
    throw new TypeError(
      `${call}: fit is a line over numbers, and the x axis has ${kind === "temporal" ? "dates" : "names"}; leave fit out.`,
    );
  for (const [name, scale] of [
    ["x", xScale],
    ["y", yScale],
  ] as const)
    if (scale === "log")
      throw new RangeError(
        `${call}: fit: "linear" is a straight line, and ${name}Scale is "log"; leave one of them out, or draw the logarithms.`,
      );
}

/** Null for points that all have one x, through which no line is the best. */
export function fitOf(points: readonly Place[]): Fit | null {
  const xs = points.map(({ x }) => x as number);
  const count = points.length;
  const mean = (of: (point: Place, at: number) => number) =>
    points.reduce((sum, point, at) => sum + of(point, at), 0) / count;
  const ends = [Math.min(...xs), Math.max(...xs)] as const;
  if (count === 0 || ends[0] === ends[1]) return null;
  const [x, y] = [mean((_, at) => xs[at]!), mean((point) => point.y)];
  // Products around the means: those of large numbers would cancel each other out.
  const [xx, xy, yy] = [
    mean((_, at) => (xs[at]! - x) ** 2),
    mean((point, at) => (xs[at]! - x) * (point.y - y)),
    mean((point) => (point.y - y) ** 2),
  ];
  const slope = xy / xx;
  return { slope, intercept: y - slope * x, r2: yy === 0 ? NaN : (xy * xy) / (xx * yy), ends };
}

/** `rent = 13.3 area + 100, r² 0.995` */
export function equationOf({ slope, intercept, r2 }: Fit, x: string, y: string): string {
  const added = intercept < 0 ? `- ${numberText(-intercept)}` : `+ ${numberText(intercept)}`;
  return `${y} = ${numberText(slope)} ${x} ${added}${Number.isNaN(r2) ? "" : `, r² ${numberText(r2)}`}`;
}
