// The charts that a notebook's cells have shown, as pictures for a page: SVG of a specification that follows the page's
// theme, else the PNG that is stored beside it. Nothing is loaded from elsewhere, neither here nor by the page.
import { VEGA_LITE_MIME } from "../../../lib/charts/chart_style.ts";
import { ApartRenderer } from "../../../lib/charts/render_apart.ts";
import type { DisplayOutput, Notebook } from "../notebook/format.ts";
import { figure, paragraph, picture } from "./page.ts";

const SPECIFICATIONS = [VEGA_LITE_MIME, "application/vnd.vega.v5+json"] as const;
const PNG = "image/png";
/** Charts are rendered without loading anything, because a notebook may come from anybody. */
const renderer = new ApartRenderer();

/** Figures in the order of the cells. */
export async function storedCharts({ cells }: Notebook): Promise<string[]> {
  const outputs = cells.flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : []));
  const figures = await Promise.all(outputs.map((output) => ("data" in output ? chartFigure(output) : null)));
  return figures.filter((html) => html !== null);
}

async function chartFigure({ data }: DisplayOutput): Promise<string | null> {
  const summary = typeof data["text/plain"] === "string" ? data["text/plain"] : "a chart";
  const specification = SPECIFICATIONS.map((mime) => data[mime]).find((one) => one !== undefined);
  const drawn = specification === undefined ? null : await drawnOf(specification);
  if (drawn !== null && "svg" in drawn) return figure(drawn.svg, summary);
  const png = data[PNG];
  if (typeof png === "string") return picture(png.replaceAll(/\s/g, ""), summary);
  return drawn === null ? null : paragraph(`${summary} (Chart not drawn: ${drawn.reason}.)`);
}

type Drawn = { readonly svg: string } | { readonly reason: string };

/** Null for a chart with colours of its own, which could not be read on a dark page. */
async function drawnOf(specification: unknown): Promise<Drawn | null> {
  try {
    const text = JSON.stringify(specification);
    if (text.includes('"url":'))
      return { reason: "its specification names files or addresses, which are not loaded" };
    return text.includes('"currentColor"') ? { svg: await renderer.svgOf(specification) } : null;
  } catch (error) {
    return { reason: (error as Error).message.replace(/\.$/, "") };
  }
}
