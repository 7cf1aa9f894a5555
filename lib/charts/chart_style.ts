// Styles the lab's charts: palette, sizes, themes, and the labels beside their lines.

/** A Vega-Lite 5 specification, or a part of one. JupyterLab 4.6 compiles it with vega-lite 5.6.1. */
export type Specification = Readonly<Record<string, unknown>>;

export const VEGA_LITE_MIME = "application/vnd.vegalite.v5+json";

/** Whether a `$schema` names Vega and not Vega-Lite: `https://vega.github.io/schema/vega/v5.json`. */
export function isVegaSchema(schema: unknown): boolean {
  return typeof schema === "string" && /\/schema\/vega\//.test(schema);
}

/**
 * Those of Okabe and Ito's colours that have a contrast of 3 on white and on JupyterLab's dark #111. Their blue is
 * lightened to reach it.
 */
export const COLOR = {
  blue: "#1F83CC",
  vermillion: "#D55E00",
  green: "#009E73",
  purple: "#CC79A7",
} as const;

/** Colours of lines, points and bars in their order. */
export const PALETTE: readonly string[] = Object.values(COLOR);

/**
 * Ten colours for plots of many series, the first four those of `PALETTE`. Each has a contrast of 3 on white and on #111,
 * and differs from the others by 30 or more in CIE's L*a*b*.
 */
export const TEN_COLOURS: readonly string[] = [
  ...PALETTE,
  "#8C6BC8",
  "#9C6644",
  "#E0403F",
  "#808080",
  "#86901E",
  "#1095A8",
];

/** The colour of the first, second, ... series; those after the last begin again. */
export const colorOf = (at: number): string => PALETTE[at % PALETTE.length]!;

/**
 * The plot without its axis and labels; with them a chart is at most 640 pixels wide, the width of a notebook's page.
 */
export const PLOT = { width: 380, height: 190 } as const;

/** The smallest text of a chart. */
export const LABEL_FONT_SIZE = 12;
/** Pixels that stay free between the labels of an axis; labels without this room are left out. */
export const LABEL_SEPARATION = 6;
/** Pixels from one label to the next. */
const LABEL_HEIGHT = 16;

/**
 * `screen` is transparent and its text has the page's text colour, because no fixed grey has a contrast of 4.5 both on
 * white and on #111. `paper` is for the PNG: dark on white.
 */
type Theme = "screen" | "paper";

export function themed(specification: Specification, theme: Theme): Specification {
  const text = theme === "screen" ? "currentColor" : "#444444";
  const title = theme === "screen" ? "currentColor" : "#1A1A1A";
  const line = theme === "screen" ? "#8C8C8C" : "#888888";
  const font = theme === "screen" ? "sans-serif" : "DejaVu Sans";
  return {
    ...specification,
    // A canvas keeps the colour of the moment at which it was drawn; SVG follows the page when its theme changes.
    usermeta: { embedOptions: { renderer: "svg" } },
    background: theme === "screen" ? "transparent" : "white",
    padding: theme === "screen" ? 4 : 12,
    config: {
      font,
      view: { stroke: null },
      axis: {
        labelColor: text,
        titleColor: text,
        domainColor: line,
        tickColor: line,
        gridColor: line,
        gridOpacity: 0.25,
        labelFontSize: LABEL_FONT_SIZE,
        titleFontSize: LABEL_FONT_SIZE,
        titleFontWeight: "normal",
        labelFlush: false,
        labelOverlap: true,
        labelSeparation: LABEL_SEPARATION,
      },
      // The charts of one loop stand below each other: their plots begin at one place.
      axisY: { minExtent: 44 },
      title: {
        color: title,
        subtitleColor: text,
        fontSize: 14,
        subtitleFontSize: LABEL_FONT_SIZE,
        subtitlePadding: 4,
        anchor: "start",
        frame: "group",
        offset: 14,
      },
      text: { color: text, fontSize: LABEL_FONT_SIZE },
    },
  };
}

/** Whole numbers from `first` to `last`, thinned to a step of 1, 2 or 5 times a power of ten: about `max` of them. */
export function integerTicks(first: number, last: number, max = 10): number[] {
  const step = integerStep((last - first) / max);
  const ticks: number[] = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) ticks.push(tick);
  return ticks;
}

function integerStep(min: number): number {
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) if (digit * power >= min) return digit * power;
  }
}

/** A y axis that begins at zero and writes its unit at every tick. */
export function measureAxis(top: number, unit: string): Specification {
  return {
    type: "quantitative",
    scale: { domain: [0, top], nice: false },
    axis: { title: null, tickCount: 5, labelExpr: `datum.label + ' ${unit}'` },
  };
}

/**
 * SVG paths of the symbols before labels, in coordinates from -1 to 1: each is a picture of the mark that its label
 * names.
 */
const SYMBOLS = {
  line: "M-1,0L1,0",
  dashed: "M-1,0L-0.6,0M-0.2,0L0.2,0M0.6,0L1,0",
  dash: "M-0.5,0L0.5,0",
  square: "M-0.7,-0.7L0.7,-0.7L0.7,0.7L-0.7,0.7Z",
  triangle: "M-0.6,-0.5L0.6,-0.5L0,0.6Z",
  diamond: "M0,-0.7L0.7,0L0,0.7L-0.7,0Z",
} as const;

export interface Label {
  readonly text: string;
  /** Colour of the symbol. The text has the page's colour, because these colours are too pale for text. */
  readonly color: string;
  /** The label's position in the unit of the y axis. */
  readonly y: number;
  /** What the label names. Default: "line". */
  readonly symbol?: keyof typeof SYMBOLS | "none";
}

/**
 * Layer of labels at the right end of the plot, each beside its symbol, moved apart where they would overlap.
 *
 * @param axis given if the plot does not begin at 0, or has a height of its own
 */
export function labelsLayer(
  labels: readonly Label[],
  x: number,
  yTop: number,
  axis: PlotAxis = {},
): Specification {
  const values = spread(labels, yTop, axis).map(({ symbol = "line", ...label }) => ({
    ...label,
    x,
    shape: symbol === "none" ? "M0,0" : SYMBOLS[symbol],
    indent: symbol === "none" ? LABEL_GAP : LABEL_GAP + SYMBOL_WIDTH,
  }));
  const color = { field: "color", type: "nominal", scale: null };
  const text = (indent: number): Specification => ({
    transform: [{ filter: `datum.indent == ${indent}` }],
    mark: { type: "text", align: "left", baseline: "middle", dx: indent, clip: false },
    encoding: { text: { field: "text" } },
  });
  return {
    data: { values },
    encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
    layer: [
      {
        mark: { type: "point", size: 144, strokeWidth: 2, opacity: 1, xOffset: LABEL_GAP + 6, clip: false },
        encoding: { shape: { field: "shape", type: "nominal", scale: null }, fill: color, stroke: color },
      },
      ...[...new Set(values.map(({ indent }) => indent))].map(text),
    ],
  };
}

export interface PlotAxis {
  /** The value at the foot of the axis. Default: 0. */
  readonly base?: number;
  /** Pixels. Default: that of `PLOT`. */
  readonly height?: number;
}

/** Pixels between the plot and its labels, and pixels that a symbol takes with the gap behind it. */
const LABEL_GAP = 8;
const SYMBOL_WIDTH = 18;

/** Characters in a line of a subtitle: at 12 pixels they fit into 640. */
const SUBTITLE_LETTERS = 84;

/** Breaks the lines of a subtitle between words. A longer word is a line of its own. */
export function wrapped(lines: readonly string[], letters = SUBTITLE_LETTERS): string[] {
  return lines.flatMap((line) => {
    const broken: string[] = [];
    for (const word of line.split(" ")) {
      const last = broken.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= letters)
        broken[broken.length - 1] = `${last} ${word}`;
      else broken.push(word);
    }
    return broken;
  });
}

/**
 * Lines of text in one column, moved apart where they would overlap. Returned lowest first: each is lifted above the
 * one below it, and a column that rises over the top is pushed down again.
 */
export function spread<Text extends { readonly y: number }>(
  labels: readonly Text[],
  top: number,
  { base = 0, height = PLOT.height }: PlotAxis = {},
): Text[] {
  const gap = (LABEL_HEIGHT / height) * (top - base);
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  const heights = sorted.map((label) => label.y);
  for (let i = 1; i < heights.length; i++) {
    heights[i] = Math.max(heights[i] as number, (heights[i - 1] as number) + gap);
  }
  for (let i = heights.length - 1, ceiling = top; i >= 0; i--, ceiling -= gap) {
    heights[i] = Math.min(heights[i] as number, ceiling);
  }
  return sorted.map((label, i) => ({ ...label, y: heights[i] as number }));
}
