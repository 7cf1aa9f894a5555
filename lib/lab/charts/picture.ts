// Builds a chart's MIME bundle: its specification, its PNG and one line of text, or the reason why there is no PNG.
import type { MimeBundle } from "../../display.ts";
import type { Chart } from "./chart.ts";
import { themed, VEGA_LITE_MIME } from "./chart_style.ts";
import { type Picture, renderPng } from "./render.ts";

export interface ChartBundle {
  readonly data: MimeBundle;
  readonly metadata: MimeBundle;
}

/** While it changes: the picture comes with the last one. */
export function liveBundle({ specification, summary }: Chart): MimeBundle {
  return { [VEGA_LITE_MIME]: themed(specification, "screen"), "text/plain": summary };
}

export async function bundleWithPicture(chart: Chart): Promise<ChartBundle> {
  const { specification, summary } = chart;
  const picture = await renderPng(themed(specification, "paper")).catch((error: Error) => error);
  const { data, metadata } = pictureBundle(picture, summary);
  return { data: { ...liveBundle(chart), ...data }, metadata };
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
