// Labels of lines at their ends: a dot in the line's colour, and the text beside it in the colour of the page, because
// no colour has a contrast of 4.5 on white and on black. They are moved apart where they would overlap.
import type { Specification } from "./chart_style.ts";
import { FONT_SIZE } from "./plot_style.ts";

export interface EndLabel {
  readonly text: string;
  readonly color: string;
  /** The end of the line in the unit of the y axis; null for a line without points. */
  readonly y: number | null;
}

export interface Placement {
  readonly height: number;
  readonly isLog: boolean;
}

/** Pixels from one label to the next. */
const LABEL_HEIGHT = FONT_SIZE + 4;

/** Layers of dots and texts. The rows are plain data: a text may be changed. */
export function endLabels(
  labels: readonly EndLabel[],
  values: readonly Float64Array[],
  { height, isLog }: Placement,
): Specification[] {
  const ended = labels.filter(({ y }) => y !== null) as (EndLabel & { readonly y: number })[];
  const scaled = (value: number) => (isLog ? Math.log(value) : value);
  let [min, max] = [Infinity, -Infinity];
  for (const line of values)
    for (const value of line) {
      if (!Number.isFinite(value)) continue;
      min = Math.min(min, scaled(value));
      max = Math.max(max, scaled(value));
    }
  const pixel = (y: number) => (max === min ? height / 2 : ((max - scaled(y)) / (max - min)) * height);
  const places = apart(
    ended.map(({ y }) => pixel(y)),
    height,
  );
  const rows = ended.map((label, at) => ({ ...label, dy: Math.round(places[at]! - pixel(label.y)) }));
  const encoding = {
    // The labels stand at the right edge, because other lines would run through a label at the end of a line that stops
    // early.
    x: { value: "width" },
    y: { field: "y", type: "quantitative" },
  };
  const dy = { expr: "datum.dy" };
  return [
    {
      data: { values: rows },
      mark: { type: "point", filled: true, size: 60, opacity: 1, xOffset: 11, yOffset: dy },
      encoding: { ...encoding, color: { field: "color", type: "nominal", scale: null } },
    },
    {
      data: { values: rows },
      mark: { type: "text", align: "left", baseline: "middle", dx: 20, dy },
      encoding: { ...encoding, text: { field: "text", type: "nominal" } },
    },
  ];
}

/**
 * Moves positions in a column apart, each below the one above it, and moves all of them up if the column would end
 * below the plot.
 */
function apart(places: readonly number[], height: number): number[] {
  const order = [...places.keys()].toSorted((a, b) => places[a]! - places[b]!);
  const moved = [...places];
  let floor = -Infinity;
  for (const at of order) floor = moved[at] = Math.max(moved[at]!, floor + LABEL_HEIGHT);
  let ceiling = height + LABEL_HEIGHT;
  for (const at of order.toReversed()) ceiling = moved[at] = Math.min(moved[at]!, ceiling - LABEL_HEIGHT);
  return moved;
}
