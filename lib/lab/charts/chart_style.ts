// Styles the lab's charts: palette, sizes, themes, and the labels beside their lines.

/** A Vega-Lite 5 specification, or a part of one. JupyterLab 4.6 compiles it with vega-lite 5.6.1. */
export type Specification = Readonly<Record<string, unknown>>;

export const VEGA_LITE_MIME = "application/vnd.vegalite.v5+json";

/** `https://vega.github.io/schema/vega/v5.json`, which is no Vega-Lite. */
export function isVegaSchema(schema: unknown): boolean {
  return typeof schema === "string" && /\/schema\/vega\//.test(schema);
}

/** Okabe and Ito's colours that keep a contrast of 3 on white and on JupyterLab's dark #111; their blue, lightened for it. */
export const COLOR = {
  blue: "#1F83CC",
  vermillion: "#D55E00",
  green: "#009E73",
  purple: "#CC79A7",
} as const;

/** The plot alone; with axis and labels at most 640 pixels, the width of a notebook's page. */
export const PLOT = { width: 400, height: 190 } as const;

const LABEL_FONT_SIZE = 11;
/** Pixels from one label to the next. */
const LABEL_HEIGHT = 15;

/**
 * `screen` is transparent, its greys are readable on a light and on a dark page. `paper` is the PNG's: dark on white.
 */
type Theme = "screen" | "paper";

export function themed(specification: Specification, theme: Theme): Specification {
  const text = theme === "screen" ? "#7A7A7A" : "#444444";
  const title = theme === "screen" ? "#7A7A7A" : "#1A1A1A";
  const line = theme === "screen" ? "#8C8C8C" : "#888888";
  const font = theme === "screen" ? "sans-serif" : "DejaVu Sans";
  return {
    ...specification,
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
      },
      // The charts of one loop stand below each other: their plots begin at one place.
      axisY: { minExtent: 44 },
      title: {
        color: title,
        subtitleColor: text,
        fontSize: 14,
        subtitleFontSize: 11,
        subtitlePadding: 4,
        anchor: "start",
        frame: "group",
        offset: 14,
      },
      text: { color: text, fontSize: LABEL_FONT_SIZE },
    },
  };
}

/** Whole numbers from `first` to `last`, thinned to a step of 1, 2 or 5 times a power of ten. */
export function integerTicks(first: number, last: number): number[] {
  const step = integerStep((last - first) / 10);
  const ticks: number[] = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) ticks.push(tick);
  return ticks;
}

function integerStep(least: number): number {
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) if (digit * power >= least) return digit * power;
  }
}

/** The y axis from zero, its unit at every tick. */
export function measureAxis(top: number, unit: string): Specification {
  return {
    type: "quantitative",
    scale: { domain: [0, top], nice: false },
    axis: { title: null, tickCount: 5, labelExpr: `datum.label + ' ${unit}'` },
  };
}

export interface Label {
  readonly text: string;
  readonly color: string;
  /** The label's position in the unit of the y axis. */
  readonly y: number;
}

/** Layer of labels at the right end of the plot, each in its line's colour, moved apart where they would overlap. */
export function labelsLayer(labels: readonly Label[], x: number, yTop: number): Specification {
  return {
    data: { values: spread(labels, yTop).map((label) => ({ ...label, x })) },
    mark: { type: "text", align: "left", baseline: "middle", dx: 8, fontSize: LABEL_FONT_SIZE, clip: false },
    encoding: {
      x: { field: "x", type: "quantitative" },
      y: { field: "y", type: "quantitative" },
      text: { field: "text" },
      color: { field: "color", type: "nominal", scale: null },
    },
  };
}

/**
 * Lines of text in one column, moved apart where they would overlap. Lowest first; each is lifted above the one below it, and
 * a column that grew over the top is pushed down again.
 */
export function spread<Text extends { readonly y: number }>(labels: readonly Text[], top: number): Text[] {
  const gap = (LABEL_HEIGHT / PLOT.height) * top;
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
