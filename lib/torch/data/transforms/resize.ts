// Transforms that resample an image to another size. torchvision/transforms/v2/_geometry.py
import { checkInteger } from "../../vocabulary/arguments.ts";
import {
  boolean,
  choice,
  type OpenRules,
  optional,
  readOptions,
  type Rules,
} from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { interpolate } from "../../nn/functional/interpolate.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { checkSize, listText, type Pair, range } from "./settings.ts";
import { FixedTransform, type ImageSize, sizeOf, Transform } from "./transform.ts";

const INTERPOLATIONS = ["bilinear", "nearest", "nearest-exact", "bicubic"] as const;
export type Interpolation = (typeof INTERPOLATIONS)[number];

export interface ResizeOptions {
  /** How the values between the pixels are found. Default: "bilinear". */
  readonly interpolation?: Interpolation;
  /** Smooths when shrinking. Default: true. */
  readonly antialias?: boolean;
}

interface Resampling {
  readonly mode: Interpolation;
  readonly antialias: boolean;
}

const RESIZE_RULES: Rules<ResizeOptions> = {
  interpolation: choice("bilinear", INTERPOLATIONS),
  antialias: boolean(true),
};

function resamplingOf({ interpolation: mode, antialias }: Required<ResizeOptions>): Resampling {
  return { mode, antialias: antialias && !mode.startsWith("nearest") };
}

function resize(image: Tensor, size: Pair, { mode, antialias }: Resampling): Tensor {
  const { channels, height, width } = sizeOf(image);
  if (size[0] === height && size[1] === width) return image;
  const dtype = native.dtype(image);
  const direct =
    dtype === "float32" || dtype === "float64" || (dtype === "uint8" && native.device(image) === "cpu");
  const images = image.reshape([-1, channels, height, width]);
  const resized = interpolate(direct ? images : images.to("float32"), {
    size,
    mode,
    antialias,
    ...(mode.startsWith("nearest") ? {} : { alignCorners: false }),
  });
  const shaped = resized.reshape([...native.shape(image).slice(0, -2), ...size]);
  if (direct) return shaped;
  if (dtype.includes("float")) return shaped.to(dtype);
  return (dtype === "uint8" ? shaped.clamp(0, 255) : shaped).round().to(dtype);
}

const MAX_SIZE_RULES = {
  ...RESIZE_RULES,
  maxSize: optional((call, name, value) => checkInteger(call, name, value, 1)),
};

/** `new transforms.Resize(256)` makes the shorter side 256, `Resize([height, width])` both. */
export class Resize extends FixedTransform {
  readonly size: number | Pair;
  /** The longer side is at most this. */
  readonly maxSize: number | null;
  readonly #resampling: Resampling;

  constructor(
    size: number | Pair,
    options?: ResizeOptions & {
      /** The most pixels of the longer side, where `size` is that of the shorter one. Default: none. */
      readonly maxSize?: number;
    },
  ) {
    super();
    const call = "new transforms.Resize";
    const { maxSize = null, ...resampling } = readOptions(call, options, MAX_SIZE_RULES);
    this.size = typeof size === "number" ? checkInteger(call, "size", size, 1) : checkSize(call, size);
    this.maxSize = maxSize;
    if (this.maxSize !== null && (typeof this.size !== "number" || this.maxSize <= this.size)) {
      throw new RangeError(
        `${call}: maxSize is for a size of one number below it, got size ${JSON.stringify(this.size)} and maxSize ${this.maxSize}.`,
      );
    }
    this.#resampling = resamplingOf(resampling);
  }

  #sizeFor({ height, width }: ImageSize): Pair {
    if (typeof this.size !== "number") return this.size;
    const [short, long] = width <= height ? [width, height] : [height, width];
    let newShort = this.size;
    let newLong = Math.trunc((this.size * long) / short);
    if (this.maxSize !== null && newLong > this.maxSize) {
      newShort = Math.trunc((this.maxSize * newShort) / newLong);
      newLong = this.maxSize;
    }
    return width <= height ? [newLong, newShort] : [newShort, newLong];
  }

  override run(image: Tensor, _drawn: null): Tensor {
    return resize(image, this.#sizeFor(sizeOf(image)), this.#resampling);
  }

  override sizeAfter(size: ImageSize): ImageSize {
    const [height, width] = this.#sizeFor(size);
    return { channels: size.channels, height, width };
  }

  override extraRepr(): string {
    return `size=${typeof this.size === "number" ? this.size : listText(this.size)}, interpolation=${this.#resampling.mode}`;
  }
}

export interface RandomResizedCropOptions extends ResizeOptions {
  /** Part of the image's area, from and to. Default: [0.08, 1]. */
  readonly scale?: Pair;
  /** Width by height, from and to. Default: [3/4, 4/3]. */
  readonly ratio?: Pair;
}

const RESIZED_CROP_RULES = {
  ...RESIZE_RULES,
  scale: range([0.08, 1], { min: 0 }),
  ratio: range([3 / 4, 4 / 3], { min: Number.MIN_VALUE }),
} satisfies OpenRules<RandomResizedCropOptions>;

interface Box {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/**
 * How torchvision finds a rectangle of a random area and ratio, in at most ten tries.
 *
 * @param least how much smaller than the image it has to be
 */
export function drawBox(
  { height, width }: ImageSize,
  { scale, ratio, min }: { readonly scale: Pair; readonly ratio: Pair; readonly min: number },
  draws: Draws,
  upright: boolean,
): Box | null {
  const [from, to] = ratio.map((bound) => Math.fround(Math.log(Math.fround(bound)))) as [number, number];
  for (let attempt = 0; attempt < 10; attempt++) {
    const area = height * width * draws.uniform(...scale);
    const aspect = Math.fround(Math.exp(draws.uniform(from, to)));
    const sides = [Math.round(Math.sqrt(area * aspect)), Math.round(Math.sqrt(area / aspect))] as const;
    const [boxWidth, boxHeight] = upright ? [sides[1], sides[0]] : sides;
    if (boxWidth > width - min || boxHeight > height - min) continue;
    if (min === 0 && (boxWidth === 0 || boxHeight === 0)) continue;
    const top = draws.integer(height - boxHeight + 1);
    const left = draws.integer(width - boxWidth + 1);
    return { top, left, height: boxHeight, width: boxWidth };
  }
  return null;
}

/** A random part of each image, of a random area and ratio, resized to one size: as image classifiers are trained. */
export class RandomResizedCrop extends Transform<Box> {
  readonly size: Pair;
  readonly scale: Pair;
  readonly ratio: Pair;
  readonly #resampling: Resampling;

  constructor(size: number | Pair, options?: RandomResizedCropOptions) {
    super();
    const call = "new transforms.RandomResizedCrop";
    const { scale, ratio, ...resampling } = readOptions(call, options, RESIZED_CROP_RULES);
    this.size = checkSize(call, size);
    this.scale = scale;
    this.ratio = ratio;
    this.#resampling = resamplingOf(resampling);
  }

  override draw(size: ImageSize, draws: Draws): Box {
    const box = drawBox(size, { scale: this.scale, ratio: this.ratio, min: 0 }, draws, false);
    if (box) return box;
    const [low, high] = this.ratio;
    const given = size.width / size.height;
    const height = given < low ? Math.round(size.width / low) : size.height;
    const width = given > high ? Math.round(size.height * high) : size.width;
    return {
      top: Math.floor((size.height - height) / 2),
      left: Math.floor((size.width - width) / 2),
      height,
      width,
    };
  }

  override run(image: Tensor, { top, left, height, width }: Box): Tensor {
    return resize(image.narrow(-2, top, height).narrow(-1, left, width), this.size, this.#resampling);
  }

  override sizeAfter({ channels }: ImageSize): ImageSize {
    return { channels, height: this.size[0], width: this.size[1] };
  }

  override extraRepr(): string {
    return `size=${listText(this.size)}, scale=${listText(this.scale)}, ratio=${listText(this.ratio)}`;
  }
}
