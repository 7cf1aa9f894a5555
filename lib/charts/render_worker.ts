// Draws Vega-Lite and Vega specifications as PNG or SVG. It runs in a thread of its own, because a picture takes 60 ms of synchronous
// work.
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { Resvg } from "@resvg/resvg-js";
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { isVegaSchema } from "./chart_style.ts";
import type { RenderReply, RenderRequest } from "./render.ts";

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

/** Vega and Vega-Lite report what is wrong in the midst of drawing to a logger, and draw on. */
function keepingLogger() {
  const [warnings, errors]: [string[], string[]] = [[], []];
  const into =
    (list: string[]) =>
    (...words: readonly unknown[]) => {
      list.push(words.map((word) => (word instanceof Error ? word.message : String(word))).join(" "));
      return logger;
    };
  const logger = {
    level: () => logger,
    error: into(errors),
    warn: into(warnings),
    info: () => logger,
    debug: () => logger,
  };
  return { logger: logger as unknown as ReturnType<typeof vega.logger>, warnings, errors };
}

async function draw(specification: unknown, pixelsPerUnit: number | null) {
  const { logger, warnings, errors } = keepingLogger();
  const isVega = isVegaSchema((specification as { $schema?: unknown }).$schema);
  const compiled = isVega
    ? (specification as vega.Spec)
    : compile(specification as TopLevelSpec, { logger }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger });
  const svg = await view.toSVG();
  view.finalize();
  if (errors[0] !== undefined) throw new Error(errors[0]);
  if (pixelsPerUnit === null) return { svg, warnings };
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT, sansSerifFamily: FONT };
  const picture = new Resvg(svg, { fitTo: { mode: "zoom", value: pixelsPerUnit }, font }).render();
  return {
    png: picture.asPng(),
    width: picture.width / pixelsPerUnit,
    height: picture.height / pixelsPerUnit,
    warnings,
  };
}

parentPort?.on("message", async ({ id, specification, pixelsPerUnit }: RenderRequest) => {
  let reply: RenderReply;
  try {
    reply = { id, ...(await draw(specification, pixelsPerUnit)) };
  } catch (error) {
    // What they throw names no place: the schemas do.
    const { faultIn } = await import("./specification_fault.ts");
    const message = error instanceof Error ? error.message : String(error);
    reply = { id, error: faultIn(specification) ?? message };
  }
  parentPort?.postMessage(reply);
});
