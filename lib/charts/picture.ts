// Builds a chart's MIME bundle: its specification, its PNG and one line of text, or the reason why there is no PNG.
import { type MimeBundle, withMetadata } from "../display.ts";
import type { Chart } from "./chart.ts";
import { type Specification, themed, VEGA_LITE_MIME } from "./chart_style.ts";
import { type Picture, renderPng } from "./render.ts";

export interface ChartBundle {
  readonly data: MimeBundle;
  readonly metadata: MimeBundle;
}

/** The bundle of a chart that still changes. It has no picture: only the final bundle has one. */
export function liveBundle({ specification, summary }: Chart): MimeBundle {
  return { [VEGA_LITE_MIME]: themed(specification, "screen"), "text/plain": summary };
}

export async function bundleWithPicture(chart: Chart): Promise<ChartBundle> {
  const { specification, summary } = chart;
  return drawnBundle(themed(specification, "screen"), themed(specification, "paper"), summary);
}

/** The bundle of a specification that already has its themes: one for the page, one for the picture. */
async function drawnBundle(
  screen: Specification,
  paper: Specification,
  summary: string,
): Promise<ChartBundle> {
  const picture = await renderPng(paper).catch((error: Error) => error);
  const { data, metadata } = pictureBundle(picture, summary);
  return { data: { [VEGA_LITE_MIME]: screen, ...data }, metadata };
}

/**
 * The bundle of a specification that a person wrote or changed.
 *
 * @throws TypeError if it cannot be drawn: a page would show nothing, or an error message from Vega
 */
export async function checkedPicture(
  mime: string,
  screen: Specification,
  paper: Specification,
  summaryOf: (warnings: readonly string[]) => string,
): Promise<MimeBundle> {
  const picture = await renderPng(paper).catch((error: Error) => {
    if (error instanceof TypeError) throw error;
    return error;
  });
  const summary = summaryOf(picture instanceof Error ? [] : picture.warnings);
  const { data, metadata } = pictureBundle(picture, summary);
  return withMetadata({ [mime]: screen, ...data }, metadata);
}

function pictureBundle(picture: Picture | Error, summary: string): ChartBundle {
  if (picture instanceof Error) {
    return { data: { "text/plain": `${summary} (No picture: ${picture.message}.)` }, metadata: {} };
  }
  const { png, width, height } = picture;
  return {
    data: { "image/png": Buffer.from(png).toString("base64"), "text/plain": summary },
    metadata: { "image/png": { width: Math.round(width), height: Math.round(height) } },
  };
}
