// Compiles a chart's specification as a page would, and finds its layers.
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { type Specification, themed } from "../../../lib/charts/chart_style.ts";

/** SVG of a chart in the theme of the page. */
export function svgOf(specification: Specification): Promise<string> {
  return strictSvgOf(themed(specification, "screen"));
}

/** SVG of a specification as it is. Throws whatever vega-lite or vega has to complain about, warnings included. */
export async function strictSvgOf(specification: Specification): Promise<string> {
  const complain = (...words: readonly unknown[]): never => {
    throw new Error(words.map(String).join(" "));
  };
  const logger = vega.logger(vega.Warn);
  logger.warn = complain;
  logger.error = complain;
  const compiled = compile(specification as unknown as TopLevelSpec, { logger }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger });
  return view.toSVG();
}

/** The rows of every layer that is drawn with a mark of this type. */
export function rowsOf(
  specification: Specification,
  mark: string,
  shape?: string,
): Record<string, unknown>[][] {
  const layers = specification["layer"] as {
    /** None where layers lie within. */
    mark?: { type: string; shape?: string };
    data: { values: never[] };
  }[];
  return layers
    .filter((layer) => layer.mark?.type === mark && (shape === undefined || layer.mark.shape === shape))
    .map((layer) => layer.data.values);
}

/** Returns the labels beside the plot, from the bottom up. */
export function labelsOf(specification: Specification): string[] {
  const layers = specification["layer"] as { data: { values: Record<string, unknown>[] } }[];
  const labels = layers.find(({ data }) => data.values.some((row) => "indent" in row));
  return (labels?.data.values ?? []).map((row) => String(row["text"]));
}

export function titleOf(specification: Specification): { text: string; subtitle: string[] } {
  return specification["title"] as { text: string; subtitle: string[] };
}
