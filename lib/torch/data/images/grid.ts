// Puts images side by side into one, and writes images as PNG files: torchvision's make_grid and save_image
// (`torchvision/utils.py`), which take a batch, a list of images, or one.
import { writeFileSync } from "node:fs";
import { checkInteger, describe, shapeText } from "../../vocabulary/arguments.ts";
import { boolean, integer, number, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkRange, type Pair } from "../transforms/settings.ts";
import { encodePng } from "./png.ts";

export interface GridOptions {
  /** Images side by side. Default: 8. */
  readonly nrow?: number;
  /** Pixels between images and around them. Default: 2. */
  readonly padding?: number;
  /** Stretch the values of `valueRange`, or from the least to the greatest, to those from 0 to 1. Default: false. */
  readonly normalize?: boolean;
  /** The values that become 0 and 1; those beyond become the same. Default: the least and the greatest. */
  readonly valueRange?: Pair;
  /** Stretch each image by its own least and greatest value, not by those of all. Default: false. */
  readonly scaleEach?: boolean;
  /** The value between images. Default: 0. */
  readonly padValue?: number;
}

const RULES = {
  nrow: { fallback: 8, check: (call, name, value) => checkInteger(call, name, value, 1) },
  padding: integer(2, 0),
  normalize: boolean(false),
  valueRange: optional(checkRange),
  scaleEach: boolean(false),
  padValue: number(0),
} satisfies OpenRules<GridOptions>;

/** `[H, W]`, `[C, H, W]`, a list of images -> `[N, C, H, W]`, gray ones with three channels. */
function asBatch(call: string, images: unknown): Tensor {
  const list: readonly unknown[] = Array.isArray(images) ? images : [images];
  if (list.length === 0 || !list.every((image) => native.isTensor(image)))
    throw new TypeError(`${call}: expected images, or a list of them, got ${describe(images)}.`);
  const given = Array.isArray(images) ? torchFunctions.stack(images as Tensor[]) : (images as Tensor);
  const { shape } = given;
  if (![2, 3, 4].includes(shape.length))
    throw new RangeError(`${call}: expected [N, C, H, W], [C, H, W] or [H, W], got ${shapeText(shape)}.`);
  if (given.numel() === 0)
    throw new RangeError(`${call}: a tensor of shape ${shapeText(shape)} holds no pixels.`);
  const batch = given.detach().reshape([...[1, 1, 1, 1].slice(shape.length), ...shape]);
  return batch.shape[1] === 1 ? batch.expand([-1, 3, -1, -1]) : batch;
}

function stretched(image: Tensor, valueRange: Pair | undefined): Tensor {
  const [low, high] = valueRange ?? [Number(image.min().item()), Number(image.max().item())];
  return image
    .clamp(low, high)
    .sub(low)
    .div(Math.max(high - low, 1e-5));
}

/**
 * One image [C, H, W] of many, row by row, gray ones with three channels: `data.makeGrid(images, { nrow: 8 })`. One
 * image alone has no border.
 *
 * @param images [N, C, H, W], [C, H, W], [H, W], or a list of images of one shape
 * @throws TypeError for what is no tensor; RangeError for another number of dimensions
 */
export function makeGrid(images: Tensor | readonly Tensor[], options?: GridOptions): Tensor {
  const call = "data.makeGrid";
  const { nrow, padding, normalize, valueRange, scaleEach, padValue } = readOptions(call, options, RULES);
  return tidy(() => {
    const batch = asBatch(call, images);
    const each = batch.unbind(0);
    const parts = normalize
      ? scaleEach
        ? each.map((image) => stretched(image, valueRange))
        : stretched(batch, valueRange).unbind(0)
      : each;
    if (parts.length === 1) return parts[0]!.clone();
    const [, channels, imageHeight, imageWidth] = batch.shape as [number, number, number, number];
    const columns = Math.min(nrow, parts.length);
    const [height, width] = [imageHeight + padding, imageWidth + padding];
    const size = [
      channels,
      height * Math.ceil(parts.length / columns) + padding,
      width * columns + padding,
    ] as const;
    const kind = { dtype: native.dtype(parts[0]!), device: native.device(batch) };
    const grid = torchFunctions.zeros(size, kind).fill_(padValue);
    for (const [at, image] of parts.entries()) {
      const [top, left] = [Math.floor(at / columns) * height + padding, (at % columns) * width + padding];
      grid.narrow(1, top, imageHeight).narrow(2, left, imageWidth).copy_(image);
    }
    return grid;
  });
}

/**
 * Writes images as one PNG file, on a grid where they are several: `data.saveImage(samples, "samples.png")`. Values of 0
 * to 1 are black to white.
 *
 * @param images [N, C, H, W], [C, H, W], [H, W], or a list of images of one shape, with 1, 3 or 4 channels
 * @throws RangeError for another format than PNG, or other channels
 */
export function saveImage(images: Tensor | readonly Tensor[], path: string, options?: GridOptions): void {
  const call = "data.saveImage";
  if (typeof path !== "string" || !path.toLowerCase().endsWith(".png"))
    throw new RangeError(
      `${call}: images are written as PNG, to a name that ends in .png, got ${describe(path)}.`,
    );
  tidy(() => {
    const grid = makeGrid(images, options);
    const [channels, height, width] = grid.shape as [number, number, number];
    if (channels !== 3 && channels !== 4)
      throw new RangeError(`${call}: expected images of 1, 3 or 4 channels, got ${channels}.`);
    const scaled = grid.mul(255).add(0.5).clamp(0, 255);
    const bytes = scaled.permute([1, 2, 0]).to("cpu").to("uint8").contiguous();
    native.withTypedArray(bytes, (values) =>
      writeFileSync(path, encodePng({ width, height, channels, values: values as Uint8Array })),
    );
  });
}
