// `lab.plot.grid`: several plots beside and below each other, as one that shows and saves itself.
import { inspect } from "node:util";
import { checkInteger, checkList, describe } from "../../../torch/vocabulary/arguments.ts";
import { optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { type Specification, wrapped } from "../../../charts/chart_style.ts";
import {
  AXIS_WIDTH,
  CHARACTER,
  CHART_WIDTH,
  FONT_SIZE,
  textWidth,
  TITLE_SIZE,
} from "../../../charts/plot_style.ts";
import { FRAME } from "../frame_options.ts";
import { makePlot, type Plot, type PlotFields } from "../plot.ts";
import { together } from "../together.ts";

/** Options of `lab.plot.grid`. */
export interface GridOptions {
  /** How many plots stand beside each other, 1 to 4. Default: 1, which leaves each its width. */
  readonly columns?: number;
  /** What the plots show together. Default: only their own titles. */
  readonly title?: string;
}

const MAX_COLUMNS = 4;
const MAX_PLOTS = 24;
const GAP = 24;
/** The least width of a plot between its axis and its labels. */
const MIN_WIDTH = 90;

const RULES = {
  title: FRAME.title,
  columns: optional((call, name, value) => {
    const columns = checkInteger(call, name, value, 1);
    if (columns > MAX_COLUMNS)
      throw new RangeError(`${call}: ${name} must be at most ${MAX_COLUMNS}, got ${columns}.`);
    return columns;
  }),
} as const;

/**
 * Draws plots beside and below each other: `lab.plot.grid([lab.plot(losses), lab.plot.histogram(weights)])`. In several
 * columns plots become narrower.
 *
 * @throws TypeError for what is no plot of `lab.plot`, RangeError for no plots, and for one that has no room in its column
 */
export function grid(plots: readonly Plot[], options?: GridOptions): Plot {
  const call = "lab.plot.grid";
  const list = Array.from(checkList(call, "plots", plots));
  const { columns = 1, title } = readOptions(call, options, RULES);
  if (list.length === 0 || list.length > MAX_PLOTS)
    throw new RangeError(`${call}: plots must be 1 to ${MAX_PLOTS} plots, got ${list.length}.`);
  list.forEach((plot, at) => {
    if (!isPlot(plot))
      throw new TypeError(
        `${call}: plots[${at}] must be a plot of lab.plot with a width and layers, got ${describe(plot)}.`,
      );
  });
  const beside = Math.min(columns, list.length);
  const room = Math.floor((CHART_WIDTH - GAP * (beside - 1)) / beside);
  const parts = list.map((plot, at) => fitted(call, plot, at, room, beside));
  const whole = { ...together("concat", parts), columns: beside, spacing: GAP };
  return makePlot(
    {
      ...whole,
      ...(title === undefined ? {} : { title: { text: wrapped([title]) } }),
    } as unknown as PlotFields,
    list.map((plot) => inspect(plot)).join(" "),
  );
}

function isPlot(value: unknown): value is Plot {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<Plot>).width === "number" &&
    Array.isArray((value as Partial<Plot>).layer) &&
    typeof (value as Partial<Plot>).toSvg === "function"
  );
}

/** The plot with the width that its column has room for, beside its axis and labels. */
function fitted(call: string, plot: Plot, at: number, room: number, columns: number): Specification {
  const isNarrow = plot.width <= room - AXIS_WIDTH;
  // What stands beside a plot of the full width takes the same place beside a narrow one.
  const width = isNarrow ? plot.width : plot.width - (CHART_WIDTH - room);
  if (!isNarrow && columns > 1 && (width < MIN_WIDTH || !hasRoom(plot, width)))
    throw new RangeError(
      `${call}: plots[${at}] has no room in ${columns} columns, which have ${room} pixels each; give columns: ${columns - 1}.`,
    );
  return { ...plot, width, title: narrowTitle(plot.title, room) };
}

/** Whether its names have room beside each other; an axis of numbers always leaves out those that have none. */
function hasRoom(plot: Plot, width: number): boolean {
  const isImage = plot.layer.some(
    ({ mark }) => (mark as { readonly type?: string } | undefined)?.type === "image",
  );
  const { field, type } = (plot.encoding["x"] ?? {}) as { readonly field?: string; readonly type?: string };
  if (isImage || field === undefined || type === "quantitative" || type === "temporal") return !isImage;
  const rows = plot.data.values as readonly Readonly<Record<string, unknown>>[];
  const names = new Set(rows.map((row) => String(row[field])));
  const numbers = rows.map(({ text }) => (typeof text === "string" ? text : ""));
  return [...names, ...numbers].every((text) => textWidth(text) <= width / names.size);
}

function narrowTitle(title: PlotFields["title"], room: number): PlotFields["title"] {
  const { text, subtitle } = typeof title === "string" ? { text: title, subtitle: undefined } : title;
  const lines = (given: string | readonly string[], size: number) =>
    wrapped([given].flat(), room / (size * CHARACTER));
  return {
    text: lines([[text].flat().join(" ")], TITLE_SIZE),
    ...(subtitle === undefined ? {} : { subtitle: lines(subtitle, FONT_SIZE) }),
  };
}
