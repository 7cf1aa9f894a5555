// Pictures of what a page shows, as PNG files with a palette: a third of the bytes of a browser's own, so that those of
// docs/images/ can be kept in the repository.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decode, encode } from "fast-png";
import type { Locator } from "playwright-core";

const MOST_COLORS = 256;
/** Without the button above each chart that opens Vega's menu. */
const WITHOUT_MENU = ".vega-embed details { visibility: hidden; }";

type Color = readonly [red: number, green: number, blue: number];

/** Takes a picture of an element, in a page that is high enough for it. @returns the number of its bytes */
export async function keepPicture(element: Locator, file: string): Promise<number> {
  const png = withPalette(await element.screenshot({ style: WITHOUT_MENU }));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, png);
  return png.length;
}

/**
 * The same picture in at most 256 colours; each other colour becomes the nearest of them. Shades of letters' edges are many
 * and frequent, those of a scale of colours are rare: the palette has frequent colours that differ.
 */
export function withPalette(png: Uint8Array): Uint8Array {
  const { width, height, channels, data } = decode(png);
  const colorAt = (pixel: number): Color => {
    const at = pixel * channels;
    return [data[at]!, data[at + 1]!, data[at + 2]!];
  };
  const pixels = width * height;
  const counts = new Map<number, number>();
  for (let pixel = 0; pixel < pixels; pixel++) {
    const key = keyOf(colorAt(pixel));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keys = [...counts].toSorted(([, a], [, b]) => b - a).map(([key]) => key);
  const palette = differing(keys.map(colorOf));
  const places = new Map(keys.map((key) => [key, nearest(palette, colorOf(key))]));
  const indices = new Uint8Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel++) indices[pixel] = places.get(keyOf(colorAt(pixel)))!;
  return encode(
    { width, height, data: indices, channels: 1, depth: 8, palette: palette.map((color) => [...color]) },
    { zlib: { level: 9 } },
  );
}

const keyOf = ([red, green, blue]: Color): number => (red << 16) | (green << 8) | blue;
const colorOf = (key: number): Color => [key >> 16, (key >> 8) & 255, key & 255];

/** The first colours that are farther from one another than a distance, the smallest that leaves at most 256. */
function differing(colors: readonly Color[]): readonly Color[] {
  for (let min = 0; ; min++) {
    const chosen: Color[] = [];
    for (const color of colors) {
      if (chosen.every((other) => distance(other, color) > min)) chosen.push(color);
      if (chosen.length > MOST_COLORS) break;
    }
    if (chosen.length <= MOST_COLORS) return chosen;
  }
}

function distance(one: Color, other: Color): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

function nearest(palette: readonly Color[], color: Color): number {
  const distances = palette.map((other) => distance(other, color));
  return distances.indexOf(Math.min(...distances));
}
