// The charts that a notebook's cells have shown, as pictures for a page: SVG of a specification that follows the page's
// theme, else the PNG that is stored beside it. Nothing is loaded from elsewhere, neither here nor by the page.
import { VEGA_LITE_MIME } from "../../../lib/charts/chart_style.ts";
import { renderSvg } from "../../../lib/charts/render.ts";
import type { DisplayOutput, Notebook } from "../notebook/format.ts";
import { figure, picture } from "./page.ts";

const SPECIFICATIONS = [VEGA_LITE_MIME, "application/vnd.vega.v5+json"] as const;
const PNG = "image/png";

/** Figures in the order of the cells. */
export async function storedCharts({ cells }: Notebook): Promise<string[]> {
  const outputs = cells.flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : []));
  const figures = await Promise.all(outputs.map((output) => ("data" in output ? chartFigure(output) : null)));
  return figures.filter((html) => html !== null);
}

async function chartFigure({ data }: DisplayOutput): Promise<string | null> {
  const summary = typeof data["text/plain"] === "string" ? data["text/plain"] : "a chart";
  const specification = SPECIFICATIONS.map((mime) => data[mime]).find((one) => one !== undefined);
  const svg = specification === undefined ? null : await svgOf(specification);
  if (svg !== null) return figure(svg, summary);
  const png = data[PNG];
  return typeof png === "string" ? picture(png.replaceAll(/\s/g, ""), summary) : null;
}

/** Null for what needs other files, what has colours of its own that no dark page shows, and what cannot be drawn. */
async function svgOf(specification: unknown): Promise<string | null> {
  const text = JSON.stringify(specification);
  if (text.includes('"url":') || !text.includes('"currentColor"')) return null;
  return await renderSvg(specification).catch(() => null);
}
