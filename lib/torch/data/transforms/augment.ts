// RandAugment and TrivialAugmentWide: operations drawn from a list, of a strength that is given or drawn. They know the
// transforms that do each operation. Source: torchvision/transforms/v2/_auto_augment.py.
import { checkInteger } from "../../vocabulary/arguments.ts";
import { choice, number, type Read, readOptions, type Rules } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { type AffineOptions, RandomAffine, RandomRotation } from "./affine.ts";
import { adjustBrightness, adjustContrast, adjustSaturation, checkColors } from "./color.ts";
import { largestValue } from "./dtype.ts";
import { adjustSharpness } from "./filters.ts";
import { autoContrast, equalize, posterize, solarize } from "./tones.ts";
import { type ImageSize, Transform } from "./transform.ts";

/** Options of `RandAugment` and `TrivialAugmentWide`. */
export interface AugmentOptions {
  /** How turned, shifted and sheared images are sampled. Default: "nearest". */
  readonly interpolation?: "nearest" | "bilinear";
  /** Value of what lies outside of the image. Default: 0. */
  readonly fill?: number;
}

const RULES: Rules<AugmentOptions> = {
  interpolation: choice("nearest", ["nearest", "bilinear"]),
  fill: number(0),
};

type Operation =
  | "identity"
  | "shear x"
  | "shear y"
  | "translate x"
  | "translate y"
  | "rotate"
  | "brightness"
  | "color"
  | "contrast"
  | "sharpness"
  | "posterize"
  | "solarize"
  | "auto contrast"
  | "equalize";

/** How strong an operation is: from one number to another, to either side, or the bits that posterizing leaves. */
type Strength =
  | { readonly to: number; readonly from?: number; readonly signed?: true }
  | { readonly loses: number };

/** In torchvision's order, which the draws count. `null` is an operation without a strength. */
type Space = readonly (readonly [Operation, Strength | null])[];

/** What an image gets: the operation with its strength. */
type Augmentation = readonly [Operation, number];

interface Limits {
  readonly shear: number;
  readonly translateX: number;
  readonly translateY: number;
  readonly rotate: number;
  readonly color: number;
  readonly posterize: number;
}

function spaceOf({ shear, translateX, translateY, rotate, color, posterize: bits }: Limits): Space {
  const either = (to: number): Strength => ({ to, signed: true });
  return [
    ["identity", null],
    ["shear x", either(shear)],
    ["shear y", either(shear)],
    ["translate x", either(translateX)],
    ["translate y", either(translateY)],
    ["rotate", either(rotate)],
    ["brightness", either(color)],
    ["color", either(color)],
    ["contrast", either(color)],
    ["sharpness", either(color)],
    ["posterize", { loses: bits }],
    ["solarize", { from: 1, to: 0 }],
    ["auto contrast", null],
    ["equalize", null],
  ];
}

/** The one of `bins` strengths, in float32 as torchvision computes it. */
function strengthAt(strength: Strength, bin: number, bins: number): number {
  if ("loses" in strength) {
    const lost = torchFunctions.arange(bins).div((bins - 1) / strength.loses);
    return Number(native.item(lost.neg().add(8).round().select(0, bin)));
  }
  const values = torchFunctions.linspace(strength.from ?? 0, strength.to, bins, { dtype: "float32" });
  return Number(native.item(values.select(0, bin)));
}

/** Draws an operation, and the strength at `bin`, or at one that is drawn. */
function drawOne(space: Space, draws: Draws, bins: number, bin: number | null): Augmentation {
  const [operation, strength] = space[draws.integer(space.length)]!;
  if (strength === null) return [operation, 0];
  const value = strengthAt(strength, bin ?? draws.integer(bins), bins);
  const isNegative = "signed" in strength && draws.uniform() <= 0.5;
  return [operation, isNegative ? -value : value];
}

const degrees = (slope: number): number => (Math.atan(slope) * 180) / Math.PI;

/** What both transforms do with an image. */
abstract class Augment extends Transform<readonly Augmentation[]> {
  readonly numMagnitudeBins: number;
  readonly interpolation: "nearest" | "bilinear";
  readonly fill: number;
  readonly #rotation: RandomRotation;
  readonly #shift: RandomAffine;
  /** torchvision shears about the first pixel. */
  readonly #shear: RandomAffine;

  constructor(call: string, numMagnitudeBins: number, { interpolation, fill }: Read<typeof RULES>) {
    super();
    this.numMagnitudeBins = checkInteger(call, "numMagnitudeBins", numMagnitudeBins, 2);
    this.interpolation = interpolation;
    this.fill = fill;
    const options: AffineOptions = { interpolation, fill };
    this.#rotation = new RandomRotation(0, options);
    this.#shift = new RandomAffine(0, options);
    this.#shear = new RandomAffine(0, { ...options, center: [0, 0] });
  }

  override run(image: Tensor, augmentations: readonly Augmentation[]): Tensor {
    checkColors(this.constructor.name, image);
    return augmentations.reduce((current, one) => this.#augmented(current, one), image);
  }

  #augmented(image: Tensor, [operation, strength]: Augmentation): Tensor {
    const still = { angle: 0, scale: 1 };
    const sheared = (x: number, y: number): Tensor =>
      this.#shear.run(image, { ...still, translate: [0, 0], shear: [degrees(x), degrees(y)] });
    const shifted = (x: number, y: number): Tensor =>
      this.#shift.run(image, { ...still, translate: [Math.trunc(x), Math.trunc(y)], shear: [0, 0] });
    switch (operation) {
      case "identity":
        return image;
      case "shear x":
        return sheared(strength, 0);
      case "shear y":
        return sheared(0, strength);
      case "translate x":
        return shifted(strength, 0);
      case "translate y":
        return shifted(0, strength);
      case "rotate":
        return this.#rotation.run(image, strength);
      case "brightness":
        return adjustBrightness(image, 1 + strength);
      case "color":
        return adjustSaturation(image, 1 + strength);
      case "contrast":
        return adjustContrast(image, 1 + strength);
      case "sharpness":
        return adjustSharpness(image, 1 + strength);
      case "posterize":
        return posterize(image, strength);
      case "solarize":
        return solarize(image, strength * largestValue(native.dtype(image)));
      case "auto contrast":
        return autoContrast(image);
      case "equalize":
        return equalize(image);
    }
  }
}

/**
 * `numOps` operations one after the other, drawn from 14 (shears, shifts, turns, colours, levels), all of the strength
 * `magnitude` of `numMagnitudeBins`. For gray or RGB images, best of uint8: `new transforms.RandAugment(2, 9)`.
 */
export class RandAugment extends Augment {
  readonly numOps: number;
  readonly magnitude: number;

  constructor(numOps = 2, magnitude = 9, numMagnitudeBins = 31, options?: AugmentOptions) {
    const call = "new transforms.RandAugment";
    super(call, numMagnitudeBins, readOptions<AugmentOptions>(call, options, RULES));
    this.numOps = checkInteger(call, "numOps", numOps, 0);
    this.magnitude = checkInteger(call, "magnitude", magnitude, 0);
    if (magnitude >= numMagnitudeBins)
      throw new RangeError(
        `${call}: magnitude must be below numMagnitudeBins, got ${magnitude} of ${numMagnitudeBins}.`,
      );
  }

  override draw({ height, width }: ImageSize, draws: Draws): readonly Augmentation[] {
    const part = 150 / 331;
    const limits = { shear: 0.3, translateX: part * width, translateY: part * height, rotate: 30 };
    const space = spaceOf({ ...limits, color: 0.9, posterize: 4 });
    return Array.from({ length: this.numOps }, () =>
      drawOne(space, draws, this.numMagnitudeBins, this.magnitude),
    );
  }

  override extraRepr(): string {
    const { numOps, magnitude, numMagnitudeBins } = this;
    return `numOps=${numOps}, magnitude=${magnitude}, numMagnitudeBins=${numMagnitudeBins}`;
  }
}

/** One operation of RandAugment's 14, of a strength that is drawn as well: `new transforms.TrivialAugmentWide()`. */
export class TrivialAugmentWide extends Augment {
  constructor(numMagnitudeBins = 31, options?: AugmentOptions) {
    const call = "new transforms.TrivialAugmentWide";
    super(call, numMagnitudeBins, readOptions<AugmentOptions>(call, options, RULES));
  }

  override draw(_size: ImageSize, draws: Draws): readonly Augmentation[] {
    const limits = { shear: 0.99, translateX: 32, translateY: 32, rotate: 135 };
    const space = spaceOf({ ...limits, color: 0.99, posterize: 6 });
    return [drawOne(space, draws, this.numMagnitudeBins, null)];
  }

  override extraRepr(): string {
    return `numMagnitudeBins=${this.numMagnitudeBins}`;
  }
}
