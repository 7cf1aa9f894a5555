// Draws Vega-Lite and Vega specifications as PNG or SVG. It runs in a thread of its own, because a picture takes 60 ms of
// synchronous work; where specifications of others are drawn, in a process of its own.
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { Resvg } from "@resvg/resvg-js";
import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { isVegaSchema } from "./chart_style.ts";
import type { RenderReply, RenderRequest } from "./render.ts";

const FONT = "DejaVu Sans";
/** The mean width of DejaVu Sans's lower-case letters and digits as a share of the font size, rounded up. */
const LETTER_WIDTH = 0.6;
const { resolve } = createRequire(import.meta.url);
const fontFiles = [
  resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
];

// Without a canvas vega assumes that every letter is 0.8 of the font size wide, and pictures come out a third too wide.
// `textMetrics` is exported but not in vega's declarations.
const { textMetrics } = vega as unknown as {
  textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
};
textMetrics.width = ({ fontSize = 11 }, text) => String(text).length * fontSize * LETTER_WIDTH;

/** A logger for Vega and Vega-Lite, which report faults to their logger while they draw, and then go on drawing. */
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

/** A limit because resvg takes four bytes for each pixel. */
const MAX_PIXELS = 100_000_000;

/** A loader that loads nothing, and lets links lead to web pages only. */
function refusingLoader(): vega.Loader {
  const loader = vega.loader();
  const refuse = (uri: string): Promise<never> =>
    Promise.reject(new Error(`${uri} is not loaded: this chart is drawn from what it holds itself`));
  // For a link it must not reject: vega would then read a property of null.
  const sanitize: vega.Loader["sanitize"] = async (uri, options) => {
    if (options?.context !== "href") return await refuse(uri);
    return /^https?:/i.test(uri) ? await loader.sanitize(uri, options) : { href: "#" };
  };
  return { ...loader, load: refuse, http: refuse, file: refuse, sanitize };
}

async function draw({ specification, pixelsPerUnit, loads }: RenderRequest) {
  const { logger, warnings, errors } = keepingLogger();
  const isVega = isVegaSchema((specification as { $schema?: unknown }).$schema);
  const compiled = isVega
    ? (specification as vega.Spec)
    : compile(specification as TopLevelSpec, { logger }).spec;
  const view = new vega.View(vega.parse(compiled), {
    renderer: "none",
    logger,
    ...(loads ? {} : { loader: refusingLoader() }),
  });
  const svg = await view.toSVG();
  view.finalize();
  if (errors[0] !== undefined) throw new Error(errors[0]);
  if (pixelsPerUnit === null) return { svg, warnings };
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT, sansSerifFamily: FONT };
  const image = new Resvg(svg, { fitTo: { mode: "zoom", value: pixelsPerUnit }, font });
  if (image.width * image.height * pixelsPerUnit ** 2 > MAX_PIXELS)
    throw new Error(
      `a picture of ${image.width} by ${image.height} is too large: give it a smaller width and height`,
    );
  const picture = image.render();
  return {
    png: picture.asPng(),
    width: picture.width / pixelsPerUnit,
    height: picture.height / pixelsPerUnit,
    warnings,
  };
}

async function answer(request: RenderRequest): Promise<RenderReply> {
  const { id, specification } = request;
  try {
    return { id, ...(await draw(request)) };
  } catch (error) {
    // The errors of Vega do not name the place in the specification; the schemas do.
    const { faultIn } = await import("./specification_fault.ts");
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: faultIn(specification) ?? message };
  }
}

// The process that asked is gone, or needs no more pictures.
if (parentPort === null) process.once("disconnect", () => process.exit());
if (parentPort === null)
  process.on("message", async (request: RenderRequest) => process.send?.(await answer(request)));
else
  parentPort.on("message", async (request: RenderRequest) => parentPort?.postMessage(await answer(request)));
