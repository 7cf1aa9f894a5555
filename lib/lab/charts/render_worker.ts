// Draws Vega-Lite specifications as PNG. It runs in a thread of its own, because a picture takes 60 ms of synchronous
// work.
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { Resvg } from "@resvg/resvg-js";
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import type { Picture, RenderReply, RenderRequest } from "./render.ts";

const FONT = "DejaVu Sans";
/** Mean of DejaVu Sans's lower-case letters and digits, in font sizes, rounded up. */
const LETTER_WIDTH = 0.6;
const { resolve } = createRequire(import.meta.url);
const fontFiles = [
  resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
];

// Without a canvas vega takes every letter for 0.8 of the font's size, and pictures come out a third too wide.
// `textMetrics` is exported but not in vega's declarations.
const { textMetrics } = vega as unknown as {
  textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
};
textMetrics.width = ({ fontSize = 11 }, text) => String(text).length * fontSize * LETTER_WIDTH;

async function draw(specification: unknown, pixelsPerUnit: number): Promise<Picture> {
  const logger = vega.logger(vega.None);
  const compiled = compile(specification as TopLevelSpec, { logger }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger });
  const svg = await view.toSVG();
  view.finalize();
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT, sansSerifFamily: FONT };
  const picture = new Resvg(svg, { fitTo: { mode: "zoom", value: pixelsPerUnit }, font }).render();
  return {
    png: picture.asPng(),
    width: picture.width / pixelsPerUnit,
    height: picture.height / pixelsPerUnit,
  };
}

parentPort?.on("message", async ({ id, specification, pixelsPerUnit }: RenderRequest) => {
  let reply: RenderReply;
  try {
    reply = { id, ...(await draw(specification, pixelsPerUnit)) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
