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

it("gives other pixels the nearest of the 256 most frequent colours", () => {
  // 256 greys twice, and 10 colours once.
  const many = picture(58, 9, (pixel) => {
    const grey = pixel >> 1;
    return pixel < 512 ? [grey, grey, grey] : [pixel - 512, pixel - 512, pixel - 509];
  });
  const shown = colors(withPalette(many));
  expect(shown.slice(0, 512).every(([red], at) => red === at >> 1)).toBe(true);
  expect(shown.slice(512, 515)).toEqual([
    [1, 1, 1],
    [2, 2, 2],
    [3, 3, 3],
  ]);
});
