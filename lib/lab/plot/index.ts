// `lab.plot`: charts of one line each, from numbers, tensors and records. Each is a plain Vega-Lite specification.
import { bars } from "./kinds/bars.ts";
import { box } from "./kinds/box.ts";
import { confusionMatrix } from "./kinds/confusion_matrix.ts";
import { grid } from "./kinds/grid.ts";
import { heatmap } from "./kinds/heatmap.ts";
import { histogram } from "./kinds/histogram.ts";
import { images } from "./kinds/images.ts";
import { lines } from "./kinds/lines.ts";
import { live } from "./kinds/live.ts";
import { points } from "./kinds/points.ts";

export type { BarsOptions } from "./kinds/bars.ts";
export type { BoxOptions } from "./kinds/box.ts";
export type { ConfusionMatrixOptions } from "./kinds/confusion_matrix.ts";
export type { GridOptions } from "./kinds/grid.ts";
export type { HeatmapOptions } from "./kinds/heatmap.ts";
export type { HistogramOptions } from "./kinds/histogram.ts";
export type { ImagesOptions } from "./kinds/images.ts";
export type { LinesOptions } from "./kinds/lines.ts";
export type { LiveOptions } from "./kinds/live.ts";
export type { Plot } from "./plot.ts";
export type { PointsOptions } from "./kinds/points.ts";

/** Draws lines, as `lab.plot.lines` does: a function of its own, to which the other kinds belong. */
const plotLines: typeof lines = (...given: readonly unknown[]) =>
  (lines as (...given: readonly unknown[]) => ReturnType<typeof lines>)(...given);

export const plot = Object.assign(plotLines, {
  lines,
  points,
  bars,
  box,
  histogram,
  heatmap,
  confusionMatrix,
  images,
  grid,
  live,
});
