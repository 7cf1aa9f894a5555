// A line of `lab.plot` within the limits of its axes: which of its points are drawn, how many lie outside, and where its
// label stands. Vega cuts the line itself at the edges.
import type { EndLabel } from "../../../charts/end_labels.ts";
import { shortened } from "../../../charts/plot_style.ts";
import { isWithin, type Limits, outsideText } from "../limits.ts";
import { endOf, endText, type Line } from "./line.ts";

export interface ClippedLine {
  /** The points between the limits of x, and one more on each side, so that the line reaches the edge. */
  readonly line: Line;
  /** The last value between the limits of x; null for none. */
  readonly end: number | null;
  /** How many points lie outside the limits. */
  readonly outside: number;
}

interface AxisLimits {
  readonly xLimits: Limits | undefined;
  readonly yLimits: Limits | undefined;
}

export function clippedTo(line: Line, { xLimits, yLimits }: AxisLimits): ClippedLine {
  const { x, y } = line;
  const isInside = (at: number) => isWithin(x[at]!, xLimits);
  let outside = 0;
  for (let at = 0; at < y.length; at++)
    if (Number.isFinite(y[at]) && !(isInside(at) && isWithin(y[at]!, yLimits))) outside++;
  // The positions are in ascending order.
  const before =
    xLimits === undefined ? -1 : x.findLastIndex((position) => (position as number) < xLimits[0]);
  const behind = xLimits === undefined ? -1 : x.findIndex((position) => (position as number) > xLimits[1]);
  const [first, end] = [before < 0 ? 0 : before, behind < 0 ? x.length : behind + 1];
  const drawn = {
    ...line,
    x: x.slice(first, end),
    y: y.slice(first, end),
    ...(line.error && { error: line.error.slice(first, end) }),
  };
  const inside = { ...drawn, y: drawn.y.filter((_, at) => isInside(first + at)) };
  return { line: drawn, end: endOf(inside), outside };
}

/** Whether a part of the line can lie within the limits: its points are not all on one side of them. */
export function isSeen({ x, y }: Line, { xLimits, yLimits }: AxisLimits): boolean {
  const placed = [...y.keys()].filter((at) => Number.isFinite(y[at]));
  const isReached = (limits: Limits | undefined, values: readonly number[]) =>
    limits === undefined ||
    (values.some((value) => value >= limits[0]) && values.some((value) => value <= limits[1]));
  const [xs, ys] = [placed.map((at) => x[at] as number), placed.map((at) => y[at]!)];
  return placed.length > 0 && isReached(xLimits, xs) && isReached(yLimits, ys);
}

/** The label at the end of a line. A line that leaves the plot has its name at the edge, without a value that is not seen. */
export function endLabelOf({ line, end }: ClippedLine, color: string, yLimits: Limits | undefined): EndLabel {
  if (end === null || isWithin(end, yLimits)) return { text: endText(line, end), color, y: end };
  const edge = end < yLimits![0] ? yLimits![0] : yLimits![1];
  return line.name === null
    ? { text: "", color, y: null }
    : { text: shortened(line.name, 18), color, y: edge };
}

export function outsideNote(all: readonly ClippedLine[]): string[] {
  return outsideText(all.reduce((sum, { outside }) => sum + outside, 0));
}
