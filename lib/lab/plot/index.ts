// `lab.plot`: charts of one line each, from numbers, tensors and records. Each is a plain Vega-Lite specification.
import { bars } from "./bars.ts";
import { confusionMatrix } from "./confusion_matrix.ts";
import { heatmap } from "./heatmap.ts";
import { histogram } from "./histogram.ts";
import { images } from "./images.ts";
import { lines } from "./lines.ts";
import { live } from "./live.ts";
import { points } from "./points.ts";

export type { BarsOptions } from "./bars.ts";
export type { ConfusionMatrixOptions } from "./confusion_matrix.ts";
export type { HeatmapOptions } from "./heatmap.ts";
export type { HistogramOptions } from "./histogram.ts";
export type { ImagesOptions } from "./images.ts";
export type { LinesOptions } from "./lines.ts";
export type { LiveOptions } from "./live.ts";
export type { Plot } from "./plot.ts";
export type { PointsOptions } from "./points.ts";

/** Draws lines, as `lab.plot.lines` does: a function of its own, to which the other kinds belong. */
const plotLines: typeof lines = (values, options) => lines(values, options);

export const plot = Object.assign(plotLines, {
  lines,
  points,
  bars,
  histogram,
  heatmap,
  confusionMatrix,
  images,
  live,
});
