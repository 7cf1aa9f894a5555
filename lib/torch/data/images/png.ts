// PNG files into pixels: palettes, 1 to 16 bits and interlacing, by fast-png. It knows bytes alone.
import { createRequire } from "node:module";
import type * as FastPng from "fast-png";
import type { Pixels } from "./pixels.ts";

let library: typeof FastPng | undefined;

/** Loaded when the first image is read: most sessions read none, and every one would wait for it at its start. */
function fastPng(): typeof FastPng {
  return (library ??= createRequire(import.meta.url)("fast-png") as typeof FastPng);
}

/** Pillow's limit: a file of a few bytes may claim a size that no memory holds. */
const MOST_PIXELS = 178_956_970;
const WIDTH_AT = 16;

/** @throws RangeError for a file that is cut off or damaged, or an image of more than 178,956,970 pixels */
export function decodePng(file: Uint8Array): Pixels {
  if (file.length >= WIDTH_AT + 8) {
    const view = new DataView(file.buffer, file.byteOffset);
    const [width, height] = [view.getUint32(WIDTH_AT), view.getUint32(WIDTH_AT + 4)];
    if (width * height > MOST_PIXELS)
      throw new RangeError(`it is a PNG of ${width} x ${height} pixels; at most ${MOST_PIXELS} are read`);
  }
  const { convertIndexedToRgb, decode } = fastPng();
  try {
    const image = decode(file, { checkCrc: true });
    const { width, height, depth } = image;
    if (image.palette !== undefined) {
      const values = Uint8Array.from(convertIndexedToRgb(image));
      return { width, height, channels: values.length / (width * height), values };
    }
    return { width, height, channels: image.channels, values: eightBits(image.data, image, depth) };
  } catch (error) {
    throw new RangeError(`it is a PNG that is cut off or damaged (${(error as Error).message})`, {
      cause: error,
    });
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** 16 bits lose the lower ones, fewer than 8 are unpacked and spread over the range: 1 of 2 bits is 85. */
function eightBits(data: ArrayLike<number>, { width, height }: Size, depth: number): Uint8Array {
  if (depth === 8) return Uint8Array.from(data);
  if (depth === 16) return Uint8Array.from(data, (value) => value >> 8);
  const perByte = 8 / depth;
  const rowBytes = Math.ceil(width / perByte);
  const most = 2 ** depth - 1;
  return Uint8Array.from({ length: width * height }, (_, pixel) => {
    const column = pixel % width;
    const byte = data[Math.floor(pixel / width) * rowBytes + Math.floor(column / perByte)]!;
    return (((byte >> (8 - depth * ((column % perByte) + 1))) & most) * 255) / most;
  });
}
