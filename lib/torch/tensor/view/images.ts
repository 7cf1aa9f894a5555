// Shows tensors as pictures: decides which tensors are images, draws a grid of them as one PNG, and defines
// `torch.showImages`.
import type { Tensor } from "../../types/index.ts";
import { encode } from "fast-png";
import { outputSink } from "../../../display.ts";
import { checkInteger, describe, shapeText } from "../../vocabulary/arguments.ts";
import { boolean, integer, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { type DType, isFloatingDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";

export interface ShowImagesOptions {
  /** Images side by side. Default: as many as make the grid about as wide as high. */
  readonly columns?: number;
  /** Pixels between images. Default: 2. */
  readonly padding?: number;
  /** Screen pixels for each of the image's. Default: so many that a small image can be seen, from 1 to 8. */
  readonly scale?: number;
  /** Stretch the values from the least to the greatest over black to white, and not those from 0 to 1. Default: false. */
  readonly normalize?: boolean;
  /** Names the output: a second call with this id in one run of a cell replaces the picture. Default: a new output. */
  readonly displayId?: string;
}

export interface Grid {
  readonly png: Uint8Array;
  /** The width and height in pixels. */
  readonly width: number;
  readonly height: number;
  /** Images in it, and in the tensor. */
  readonly shown: number;
  readonly count: number;
}

const DEFAULT_PADDING = 2;
const MAX_IMAGES = 64;
/** The pixels of the picture. A larger image shows every n-th pixel. */
const MAX_PIXELS = 2 ** 20;
const MAX_DRAWN = 2 ** 24;

/** `[H, W]`, `[C, H, W]` -> `[N, C, H, W]`; null where the shape is of no image. */
function asBatch(tensor: Tensor): Tensor | null {
  const { shape } = tensor;
  const channels = shape.at(-3);
  if (shape.length === 2) return tensor.unsqueeze(0).unsqueeze(0);
  if (channels !== 1 && channels !== 3 && channels !== 4) return null;
  if (shape.length === 3) return tensor.unsqueeze(0);
  return shape.length === 4 ? tensor : null;
}

/**
 * Whether a tensor is shown as images by default: uint8, or floats of which all lie in [0, 1]; of shape
 * [C, H, W] or [N, C, H, W] with 1, 3 or 4 channels and sides of 8 pixels or more, or [H, W] with 16 or more.
 */
export function looksLikeImages(
  tensor: Tensor,
  range: { readonly min: number; readonly max: number },
): boolean {
  const { dtype, shape } = tensor;
  const min = shape.length === 2 ? 16 : 8;
  const sides = shape.slice(-2);
  if (sides.some((side) => side < min) || tensor.numel() === 0 || asBatch(tensor) === null) return false;
  return dtype === "uint8" || (isFloatingDType(dtype) && range.min >= 0 && range.max <= 1);
}

/** Images as they are pasted: enlarged, of one size, at most 64. */
interface Enlarged {
  /** uint8 on the CPU, [N, H, W, C]. */
  readonly pixels: Tensor;
  readonly image: Size;
  readonly columns: number;
  readonly shown: number;
  readonly count: number;
}

function enlarged(call: string, tensor: Tensor, options: ShowImagesOptions, mostPixels: number): Enlarged {
  const batch = asBatch(tensor.detach());
  if (batch === null)
    throw new RangeError(
      `${call}: a tensor of shape ${shapeText(tensor.shape)} is no image: it takes [H, W], [C, H, W] or [N, C, H, W] with 1, 3 or 4 channels.`,
    );
  const [count = 0, channels = 1, height = 0, width = 0] = batch.shape;
  if (batch.numel() === 0)
    throw new RangeError(`${call}: a tensor of shape ${shapeText(tensor.shape)} holds no pixels.`);
  const shown = Math.min(count, MAX_IMAGES);
  const step = Math.ceil(Math.sqrt((shown * height * width) / mostPixels));
  let part = batch.narrow(0, 0, shown);
  if (step > 1) part = part.slice(2, null, null, step).slice(3, null, null, step);
  const [high, wide] = [Math.ceil(height / step), Math.ceil(width / step)];
  const columns = Math.min(shown, options.columns ?? Math.ceil(Math.sqrt((shown * high) / wide)));
  const rows = Math.ceil(shown / columns);
  const scale = options.scale ?? enlargement(Math.max(columns * wide, rows * high));
  const image = { width: wide * scale, height: high * scale, channels };
  const area = columns * image.width * rows * image.height;
  if (area > MAX_DRAWN)
    throw new RangeError(
      `${call}: ${columns * image.width} by ${rows * image.height} pixels are too many for a picture; choose a smaller scale than ${scale}.`,
    );
  const bytes = toBytes(part, options.normalize ?? false);
  const large = scale === 1 ? bytes : bytes.repeatInterleave(scale, 2).repeatInterleave(scale, 3);
  return { pixels: large.permute([0, 2, 3, 1]).contiguous(), image, columns, shown, count };
}

/** The images of a tensor whose shape is of images, on the grid. Waits for the device once, counted. */
export function drawGrid(
  tensor: Tensor,
  options: ShowImagesOptions,
  mostPixels = MAX_PIXELS,
  call = "torch.showImages",
): Grid {
  const { pixels, image, columns, shown, count } = enlarged(call, tensor, options, mostPixels);
  const padding = shown === 1 ? 0 : (options.padding ?? DEFAULT_PADDING);
  const canvas = native.withTypedArray(pixels, (bytes) =>
    paste(bytes as Uint8Array, image, shown, columns, padding),
  );
  return { png: encoded(canvas), width: canvas.width, height: canvas.height, shown, count };
}

/** The same images as a PNG each, all of one size; `columns` of them make the grid about as wide as high. */
export function drawEach(
  call: string,
  tensor: Tensor,
  options: ShowImagesOptions,
): { readonly pngs: readonly Uint8Array[] } & Omit<Enlarged, "pixels" | "image"> &
  Pick<Size, "width" | "height"> {
  const { pixels, image, ...grid } = enlarged(call, tensor, options, MAX_PIXELS / 4);
  const bytes = image.width * image.height * image.channels;
  const pngs = native.withTypedArray(pixels, (all) =>
    Array.from({ length: grid.shown }, (_, at) =>
      encoded(paste((all as Uint8Array).subarray(at * bytes, (at + 1) * bytes), image, 1, 1, 0)),
    ),
  );
  return { pngs, width: image.width, height: image.height, ...grid };
}

function encoded(canvas: ReturnType<typeof paste>): Uint8Array {
  return encode({ ...canvas, channels: 4, depth: 8 }, { zlib: { level: 3 } });
}

/** A digit of 28 by 28 pixels is hard to see on today's screens. */
function enlargement(side: number): number {
  return Math.min(8, Math.max(1, Math.floor(224 / side)));
}

/** Converts to uint8 on the CPU. */
function toBytes(part: Tensor, normalize: boolean): Tensor {
  const values = part.cpu();
  const { dtype } = values;
  if (dtype === "uint8" && !normalize) return values;
  const floats = values.to("float32");
  return toUnit(floats, dtype, normalize).mul(255).round().to("uint8");
}

/** Black at 0, white at 1. */
function toUnit(values: Tensor, dtype: DType, normalize: boolean): Tensor {
  if (normalize) {
    const min = values.min();
    return values.sub(min).div(values.max().sub(min).clamp(1e-12)).nanToNum(0);
  }
  if (dtype === "bool" || isFloatingDType(dtype)) return values.nanToNum(0, 1, 0).clamp(0, 1);
  return values.clamp(0, 255).div(255);
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** Images in rows, on a transparent ground, so that it takes the theme's colour. */
function paste(pixels: Uint8Array, image: Size, count: number, columns: number, padding: number) {
  const rows = Math.ceil(count / columns);
  const width = columns * (image.width + padding) - padding;
  const height = rows * (image.height + padding) - padding;
  const data = new Uint8Array(width * height * 4);
  const { channels } = image;
  let from = 0;
  for (let at = 0; at < count; at++) {
    const left = (at % columns) * (image.width + padding);
    const top = Math.floor(at / columns) * (image.height + padding);
    for (let y = 0; y < image.height; y++) {
      let to = ((top + y) * width + left) * 4;
      for (let x = 0; x < image.width; x++, from += channels, to += 4) {
        data[to] = pixels[from]!;
        data[to + 1] = pixels[channels < 3 ? from : from + 1]!;
        data[to + 2] = pixels[channels < 3 ? from : from + 2]!;
        data[to + 3] = channels === 4 ? pixels[from + 3]! : 255;
      }
    }
  }
  return { data, width, height };
}

const atLeastOne = (call: string, name: string, value: unknown) => checkInteger(call, name, value, 1);

function checkDisplayId(call: string, name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`${call}: ${name} must be a name, as "samples", got ${describe(value)}.`);
}

const RULES = {
  columns: optional(atLeastOne),
  padding: integer(DEFAULT_PADDING, 0),
  scale: optional(atLeastOne),
  normalize: boolean(false),
  displayId: optional(checkDisplayId),
} satisfies OpenRules<ShowImagesOptions>;

/**
 * Shows images in the output of the running cell, as one PNG: [H, W], [C, H, W], [N, C, H, W], or a list of images
 * of one size. Floats are black at 0 and white at 1, integers white at 255.
 *
 * @throws RangeError for a shape of no image; TypeError for what is no tensor
 */
export function showImages(images: Tensor | readonly Tensor[], options: ShowImagesOptions = {}): void {
  const call = "torch.showImages";
  const read = readOptions(call, options, RULES);
  const list: readonly unknown[] = Array.isArray(images) ? images : [images];
  for (const image of list) {
    if (!native.isTensor(image))
      throw new TypeError(`${call}: images are a Tensor or an array of Tensors, got ${describe(image)}.`);
  }
  if (list.length === 0) throw new RangeError(`${call}: the list holds no image.`);
  const tensors = list as readonly Tensor[];
  const grid = drawGrid(Array.isArray(images) ? stack(tensors) : tensors[0]!, read);
  const png = Buffer.from(grid.png).toString("base64");
  const { displayId } = read;
  const bundle = { "image/png": png, "text/plain": gridText(grid) };
  outputSink().display(bundle, displayId === undefined ? {} : { displayId });
}

/** Stacks images of one size; `[H, W]` gets a channel. */
function stack(images: readonly Tensor[]): Tensor {
  const sized = images.map((image) => (image.ndim === 2 ? image.unsqueeze(0) : image));
  return native.call(native.operator("stack"), sized) as Tensor;
}

export function gridText({ shown, count }: Grid): string {
  if (count === 1) return "1 image";
  return shown < count ? `the first ${shown} of ${count} images` : `${count} images`;
}
