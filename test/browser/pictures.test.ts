// Pictures that are kept in the repository have a palette: what is flat stays as it is, what is not comes close.
import { decode, encode } from "fast-png";
import { expect, it } from "vitest";
import { withPalette } from "./pictures.ts";

function picture(width: number, height: number, color: (pixel: number) => readonly number[]): Uint8Array {
  const pixels = Array.from({ length: width * height }, (_, pixel) => [...color(pixel), 255]);
  return encode({ width, height, data: Uint8Array.from(pixels.flat()), channels: 4, depth: 8 });
}

/** The colours of all pixels, by the palette. */
const colors = (png: Uint8Array): number[][] => {
  const { palette, data } = decode(png);
  return Array.from(data, (index) => palette![index]!);
};

it("keeps each pixel of a picture of few colours", () => {
  const flag = picture(3, 2, (pixel) => [(pixel % 3) * 100, pixel < 3 ? 0 : 200, 7]);
  expect(colors(withPalette(flag))).toEqual([
    [0, 0, 7],
    [100, 0, 7],
    [200, 0, 7],
    [0, 200, 7],
    [100, 200, 7],
    [200, 200, 7],
  ]);
});

it("gives other pixels the nearest of 256 colours, and keeps a rare one that differs from all", () => {
  // 300 greys and near greys, each twice, and one red pixel.
  const many = picture(601, 1, (pixel) => {
    if (pixel === 600) return [255, 0, 0];
    const shade = pixel >> 1;
    return shade < 256 ? [shade, shade, shade] : [shade - 256, shade - 256, shade - 255];
  });
  const shown = colors(withPalette(many));
  expect(shown[600]).toEqual([255, 0, 0]);
  const used = new Set(shown.map(String));
  expect(used.size).toBeLessThanOrEqual(256);
  const apart = shown.slice(0, 512).map(([red], pixel) => Math.abs(red! - (pixel >> 1)));
  expect(Math.max(...apart)).toBeLessThanOrEqual(1);
});
