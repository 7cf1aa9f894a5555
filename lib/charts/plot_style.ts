// Styles the plots: sizes, colours, and the frame that all of them share. Text and axes have `currentColor`, so that
// they take the colour of the page: dark on light, light on dark, and black in a picture.
import { LABEL_SEPARATION, PALETTE, type Specification, TEN_COLOURS, wrapped } from "./chart_style.ts";

/** Dashes of the lines, for the first four, the next four and the last four. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];

/** How many lines a reader can tell apart by colour and dash. */
export const MAX_SERIES = PALETTE.length * DASHES.length;

/** How many series of a plot a reader can tell apart: ten by their colours, as many more by dash or shape too. */
export const MAX_PLOTTED = 2 * TEN_COLOURS.length;

/** Up to this many lines have a label at their end; more have a legend. */
export const MAX_LABELS = 4;

export const FONT_SIZE = 12;
export const TITLE_SIZE = 14;
/** The mean width of a character as a share of the font size. */
export const CHARACTER = 0.6;
/** Width of a chart with its axis and its labels: the page of a notebook, less its margins. */
export const CHART_WIDTH = 590;
/** The y axis with its labels. */
export const AXIS_WIDTH = 60;
const MIN_PLOT_WIDTH = 240;
export const PLOT_HEIGHT = 220;

const INK = "currentColor";

const CONFIG = {
  font: "sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: INK,
    titleColor: INK,
    domainColor: INK,
    tickColor: INK,
    gridColor: INK,
    domainOpacity: 0.4,
    tickOpacity: 0.4,
    gridOpacity: 0.15,
    labelFontSize: FONT_SIZE,
    titleFontSize: FONT_SIZE,
    titleFontWeight: "normal",
    labelLimit: 240,
    labelOverlap: true,
    labelSeparation: LABEL_SEPARATION,
  },
  axisX: { grid: false, labelAngle: 0, titlePadding: 8 },
  axisY: { domain: false, ticks: false, labelPadding: 6 },
  title: {
    color: INK,
    subtitleColor: INK,
    fontSize: TITLE_SIZE,
    subtitleFontSize: FONT_SIZE,
    subtitlePadding: 5,
    anchor: "start",
    frame: "bounds",
    offset: 12,
  },
  legend: {
    labelColor: INK,
    titleColor: INK,
    labelFontSize: FONT_SIZE,
    titleFontSize: FONT_SIZE,
    titleFontWeight: "normal",
    labelLimit: 150,
  },
  text: { color: INK, fontSize: FONT_SIZE },
} as const;

/** Pixels that a text takes at most. */
export function textWidth(text: string, fontSize = FONT_SIZE): number {
  return Math.ceil(text.length * fontSize * CHARACTER);
}

/** Pixels of a legend with these names. */
export function legendWidth(names: readonly string[]): number {
  return Math.min(CONFIG.legend.labelLimit, Math.max(...names.map((name) => textWidth(name)))) + 50;
}

/** The plot's width if something this wide stands beside it. */
export function plotWidth(beside: number): number {
  return Math.max(MIN_PLOT_WIDTH, CHART_WIDTH - AXIS_WIDTH - beside);
}

/** The fields with which the specification of every plot begins. */
export function frame(
  title: string,
  notes: readonly string[],
  size: { readonly width: number; readonly height: number },
) {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    title: {
      text: wrapped([title], CHART_WIDTH / (TITLE_SIZE * CHARACTER)),
      // An empty subtitle would take a line.
      ...(notes.length === 0 ? {} : { subtitle: wrapped(notes, CHART_WIDTH / (FONT_SIZE * CHARACTER)) }),
    },
    ...size,
    background: "transparent",
    padding: 4,
    // A canvas cannot follow the page's text colour.
    usermeta: { embedOptions: { renderer: "svg" } },
    config: CONFIG as Specification,
  };
}

/** Puts the title of the y axis above the axis, so that it can be read without turning the head. */
export function levelTitle(title: string | null): Specification {
  return title === null
    ? { title: null }
    : { title, titleAngle: 0, titleAlign: "left", titleAnchor: "end", titleX: -AXIS_WIDTH + 20, titleY: -12 };
}

/** Cuts a long name in its middle, `a run with…number 3`, because names often differ at their ends only. */
export function shortened(text: string, max = 24): string {
  if (text.length <= max) return text;
  const end = Math.floor((max - 1) * 0.4);
  return `${text.slice(0, max - 1 - end).trimEnd()}…${text.slice(text.length - end).trimStart()}`;
}
