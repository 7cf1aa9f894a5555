// WebP files: pixels as Pillow reads them, alpha where there is one, and files that are not read.
import { describe, expect, it } from "vitest";
import { data } from "../../../../lib/index.ts";
import { readFixture } from "../fixtures.ts";
import { refuses } from "../tensor/misuse.ts";

const fixture = readFixture<Record<string, { file: string; pixels: number[][][] }>>("webp.json");
const file = (name: string) => Buffer.from(fixture[name]!.file, "base64");

describe("a WebP file", () => {
  it.each(["lossless", "lossless_alpha", "lossy", "lossy_alpha"])("%s has Pillow's pixels", (name) => {
    const { pixels } = fixture[name]!;
    expect(data.decodeImage(file(name)).tolist()).toEqual(pixels);
    expect(data.decodeImage(file(name), "rgb").tolist()).toEqual(pixels.slice(0, 3));
    expect(data.decodeImage(file(name), "gray").shape).toEqual([1, 6, 5]);
  });

  it("leaves no name to the program", () => {
    data.decodeImage(file("lossy"));
    expect("ImageData" in globalThis).toBe(false);
  });

  const lossy = file("lossy");
  const call = "data.decodeImage: the image cannot be read:";
  const huge = Buffer.from(lossy);
  huge.writeUInt16LE(0x3fff, 26);
  huge.writeUInt16LE(0x3fff, 28);
  refuses([
    [
      "half a file",
      () => data.decodeImage(lossy.subarray(0, 40)),
      "RangeError",
      `${call} it is a WebP that is cut off or damaged.`,
    ],
    [
      "a header alone",
      () => data.decodeImage(lossy.subarray(0, 16)),
      "RangeError",
      `${call} it is a WebP that is cut off or damaged.`,
    ],
    [
      "an animation",
      () => data.decodeImage(file("animated")),
      "TypeError",
      `${call} it is an animated WebP, which is not read; save one picture of it.`,
    ],
    [
      "one that claims to be larger than it is",
      () => data.decodeImage(huge),
      "RangeError",
      `${call} it is a WebP of 16383 x 16383 pixels; at most 178956970 are read.`,
    ],
  ]);

  it("is read after one that was damaged", () => {
    expect(() => data.decodeImage(lossy.subarray(0, 40))).toThrow(RangeError);
    expect(data.decodeImage(lossy).shape).toEqual([3, 6, 5]);
  });
});
