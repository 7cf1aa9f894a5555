// The pictures of plots: as wide as a notebook's page at most, and nothing cut off. With MPSLAB_UPDATE_GUIDES=1 writes those
// of the guide to docs/images/, each with a twin for the dark theme.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { decode } from "fast-png";
import { describe, expect, it } from "vitest";
import type { lab } from "../../../../lib/index.ts";
import { renderPng } from "../../../../lib/charts/render.ts";
import { withPalette } from "../../../browser/pictures.ts";
import { HARD_PICTURES, PICTURES } from "./pictures.ts";

const PAGE_WIDTH = 640;
/** Pixels around a picture that stay white: less than its padding, which letters with tails may touch. */
const MARGIN = 12;

const images = path.resolve(import.meta.dirname, "../../../../docs/images");

/** JupyterLab's dark page, and its text. */
const DARK = { ground: "#111111", ink: "#E0E0E0" };

/** The plot as a page in the dark theme shows it: its text takes the page's colour. */
async function darkPng(plot: lab.Plot): Promise<Uint8Array> {
  const inked = JSON.parse(JSON.stringify(plot).replaceAll("currentColor", DARK.ink)) as object;
  return (await renderPng({ ...inked, background: DARK.ground, padding: MARGIN })).png;
}

async function keepTwins(name: string, plot: lab.Plot): Promise<void> {
  const twins = { light: await plot.toPng(), dark: await darkPng(plot) };
  for (const [theme, png] of Object.entries(twins))
    writeFileSync(path.join(images, `plot-${name}-${theme}.png`), withPalette(png));
}

/** Places in the margin that are not white. */
function inkInMargin(png: Uint8Array): string[] {
  const { width, height, data, channels } = decode(png);
  const found: string[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isMargin = x < MARGIN || y < MARGIN || x >= width - MARGIN || y >= height - MARGIN;
      if (isMargin && data[(y * width + x) * channels]! < 250) found.push(`${x}, ${y}`);
    }
  return found.slice(0, 3);
}

describe("the picture of", () => {
  it.each(Object.entries({ ...PICTURES, ...HARD_PICTURES }))(
    "%s fits the page, and nothing is cut off",
    async (name, draw) => {
      const plot = draw();
      const png = await plot.toPng();
      expect(decode(png).width / 2).toBeLessThanOrEqual(PAGE_WIDTH);
      expect(inkInMargin(png)).toEqual([]);
      if (process.env["MPSLAB_UPDATE_GUIDES"] && name in PICTURES) await keepTwins(name, plot);
    },
  );
});
