// Transforms of colours: random brightness, contrast, saturation and hue, and grayscale.
// Source: torchvision/transforms/v2/functional/_color.py.
import { checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { convertPixels, isFloating, largestValue } from "./dtype.ts";
import { checkRange, listText, type Pair } from "./settings.ts";
import { FixedTransform, type ImageSize, sizeOf, Transform } from "./transform.ts";

const RED = 0.2989;
const GREEN = 0.587;
const BLUE = 0.114;

/** The brightness of RGB images [..., 3, height, width] in floating numbers, [..., 1, height, width]. */
function brightnessOf(image: Tensor): Tensor {
  const [red, green, blue] = image.unbind(-3) as [Tensor, Tensor, Tensor];
  return red.mul(RED).add_(green, { alpha: GREEN }).add_(blue, { alpha: BLUE }).unsqueeze(-3);
}

export function checkColors(call: string, image: Tensor): number {
  const { channels } = sizeOf(image);
  if (channels === 1 || channels === 3) return channels;
  throw new RangeError(`transforms.${call}: expected images of 1 or 3 channels, got ${channels}.`);
}

/** Back into the range and the dtype of `image`. */
function limited(output: Tensor, image: Tensor): Tensor {
  const dtype = native.dtype(image);
  return output.clamp_(0, largestValue(dtype)).to(dtype);
}

function blend(image: Tensor, other: Tensor, ratio: number): Tensor {
  return limited(image.mul(ratio).add_(other, { alpha: 1 - ratio }), image);
}

export function adjustBrightness(image: Tensor, factor: number): Tensor {
  return limited(image.mul(factor), image);
}

function grayForBlending(image: Tensor): Tensor {
  const gray = brightnessOf(image);
  return isFloating(native.dtype(image)) ? gray : gray.floor_();
}

export function adjustContrast(image: Tensor, factor: number): Tensor {
  const floating = isFloating(native.dtype(image)) ? image : image.to("float32");
  const gray = sizeOf(image).channels === 3 ? grayForBlending(image) : floating;
  return blend(image, gray.mean([-3, -2, -1], { keepdim: true }), factor);
}

export function adjustSaturation(image: Tensor, factor: number): Tensor {
  return sizeOf(image).channels === 1 ? image : blend(image, grayForBlending(image), factor);
}

/** Hue, saturation and value from 0 to 1, of RGB from 0 to 1. */
function hsvOf(image: Tensor): readonly [hue: Tensor, saturation: Tensor, value: Tensor] {
  const [red, green] = image.unbind(-3) as [Tensor, Tensor];
  const min = image.amin([-3]);
  const max = image.amax([-3]);
  const gray = max.eq(min);
  const range = max.sub(min);
  const one = torchFunctions.onesLike(max);
  const saturation = range.div(torchFunctions.where(gray, one, max));
  const divisor = torchFunctions.where(gray, one, range).unsqueeze(-3);
  const [r, g, b] = max.unsqueeze(-3).sub(image).div(divisor).unbind(-3) as [Tensor, Tensor, Tensor];
  const isRed = max.eq(red);
  const isGreen = max.eq(green).logicalAnd(isRed.logicalNot());
  const ofBlue = g.add(4).sub(r);
  const ofGreen = r.add(2).sub(b);
  const sixths = torchFunctions.where(isRed, b.sub(g), torchFunctions.where(isGreen, ofGreen, ofBlue));
  return [
    sixths
      .mul(1 / 6)
      .add_(1)
      .fmod_(1),
    saturation,
    max,
  ];
}

/** Which of value, p, q and t is red, green and blue in each sixth of the circle of hues. */
const SECTORS = [0, 2, 1, 1, 3, 0, 3, 0, 0, 2, 1, 1, 1, 1, 3, 0, 0, 2];

function rgbOf(hue: Tensor, saturation: Tensor, value: Tensor): Tensor {
  const sixths = hue.mul(6);
  const sector = sixths.floor();
  const rest = sixths.sub(sector);
  const scaled = saturation.mul(rest);
  const remaining = saturation.neg().add_(1);
  const q = scaled.neg().add_(1).mul_(value).clamp_(0, 1);
  const t = scaled.add(remaining).mul_(value).clamp_(0, 1);
  const p = remaining.mul(value).clamp_(0, 1);
  const table = native
    .fromTypedArray(BigInt64Array.from(SECTORS, BigInt), [3, 6], "int64")
    .to(native.device(hue));
  const chosen = torchFunctions.index(table, [null, sector.to("int64").remainder_(6)]).movedim(0, -3);
  return torchFunctions.stack([value, p, q, t], -3).gather(-3, chosen);
}

function adjustHue(image: Tensor, shift: number): Tensor {
  if (sizeOf(image).channels === 1) return image;
  const dtype = native.dtype(image);
  const [hue, saturation, value] = hsvOf(convertPixels(image, "float32"));
  return convertPixels(rgbOf(hue.add(shift).remainder_(1), saturation, value), dtype);
}

export interface ColorJitterOptions {
  /** Factor from `1 - brightness` to `1 + brightness`, or from one number to another. Default: no change. */
  readonly brightness?: number | Pair;
  /** The same as `brightness`, for the distance from the mean gray. Default: no change. */
  readonly contrast?: number | Pair;
  /** The same as `brightness`, for the distance from each pixel's gray. Default: no change. */
  readonly saturation?: number | Pair;
  /** Part of the circle of hues, from `-hue` to `hue`, at most 0.5. Default: no change. */
  readonly hue?: number | Pair;
}

/** The four in torchvision's order. */
const ADJUST = [
  ["brightness", adjustBrightness],
  ["contrast", adjustContrast],
  ["saturation", adjustSaturation],
  ["hue", adjustHue],
] as const;

interface Jitter {
  readonly order: readonly number[];
  readonly amounts: readonly (number | null)[];
}

function checkAmount(call: string, name: string, given: unknown): Pair | null {
  const isHue = name === "hue";
  const middle = isHue ? 0 : 1;
  const within = isHue ? { min: -0.5, max: 0.5 } : { min: 0 };
  if (typeof given !== "number") return checkRange(call, name, given, within);
  checkNumber(call, name, given, isHue ? { min: 0, max: 0.5 } : { min: 0 });
  const range: Pair = [isHue ? -given : Math.max(0, middle - given), middle + given];
  return given === 0 ? null : range;
}

const JITTER_RULES = {
  brightness: optional(checkAmount),
  contrast: optional(checkAmount),
  saturation: optional(checkAmount),
  hue: optional(checkAmount),
} satisfies OpenRules<ColorJitterOptions>;

/** Brightness, contrast, saturation and hue by random amounts, in a random order. For gray or RGB images. */
export class ColorJitter extends Transform<Jitter> {
  readonly amounts: readonly (Pair | null)[];

  constructor(options?: ColorJitterOptions) {
    super();
    const call = "new transforms.ColorJitter";
    const read = readOptions(call, options, JITTER_RULES);
    this.amounts = ADJUST.map(([name]) => read[name] ?? null);
  }

  override draw(_size: ImageSize, draws: Draws): Jitter {
    const order = draws.permutation(ADJUST.length);
    return { order, amounts: this.amounts.map((range) => range && draws.uniform(...range)) };
  }

  override run(image: Tensor, { order, amounts }: Jitter): Tensor {
    checkColors("ColorJitter", image);
    return order.reduce((current, which) => {
      const amount = amounts[which] ?? null;
      return amount === null ? current : ADJUST[which]![1](current, amount);
    }, image);
  }

  override extraRepr(): string {
    return ADJUST.flatMap(([name], i) => {
      const range = this.amounts[i];
      return range ? [`${name}=${listText(range)}`] : [];
    }).join(", ");
  }
}

/** An image of `channels`, 1 or 3, in gray of `wanted` channels. */
export function grayscale(image: Tensor, channels: number, wanted: number): Tensor {
  const gray = channels === 1 ? image : brightnessOf(image).to(native.dtype(image));
  return wanted === 1 ? gray : torchFunctions.cat([gray, gray, gray], -3);
}

/** One gray channel, or three equal ones: `new transforms.Grayscale(3)`. */
export class Grayscale extends FixedTransform {
  readonly numOutputChannels: number;

  constructor(numOutputChannels = 1) {
    super();
    const call = "new transforms.Grayscale";
    this.numOutputChannels = checkInteger(call, "numOutputChannels", numOutputChannels, 1);
    if (numOutputChannels !== 1 && numOutputChannels !== 3)
      throw new RangeError(`${call}: numOutputChannels must be 1 or 3, got ${numOutputChannels}.`);
  }

  override run(image: Tensor, _drawn: null): Tensor {
    return grayscale(image, checkColors("Grayscale", image), this.numOutputChannels);
  }

  override sizeAfter(size: ImageSize): ImageSize {
    return { ...size, channels: this.numOutputChannels };
  }

  override extraRepr(): string {
    return `numOutputChannels=${this.numOutputChannels}`;
  }
}
