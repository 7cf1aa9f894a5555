// Changes of the pixels' values that happen with a probability: gray, inverted, sharper, of fewer levels, of another
// contrast. Source: torchvision/transforms/v2/_color.py.
import { checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { checkColors, grayscale } from "./color.ts";
import { adjustSharpness } from "./filters.ts";
import { checkProbability } from "./settings.ts";
import { autoContrast, equalize, invert, posterize, solarize } from "./tones.ts";
import { type ImageSize, Transform } from "./transform.ts";

/** Changes an image with probability `p`. */
abstract class RandomTone extends Transform<boolean> {
  readonly p: number;
  readonly #change: (image: Tensor) => Tensor;

  constructor(call: string, p: number, change: (image: Tensor) => Tensor) {
    super();
    this.p = checkProbability(call, p);
    this.#change = change;
  }

  override draw(_size: ImageSize, draws: Draws): boolean {
    return draws.uniform() < this.p;
  }

  override run(image: Tensor, isChanged: boolean): Tensor {
    return isChanged ? this.#change(image) : image;
  }

  override extraRepr(): string {
    return `p=${this.p}`;
  }
}

/** Gray with probability `p`, of as many channels as before. */
export class RandomGrayscale extends RandomTone {
  constructor(p = 0.1) {
    super("new transforms.RandomGrayscale", p, (image) => {
      const channels = checkColors("RandomGrayscale", image);
      return grayscale(image, channels, channels);
    });
  }
}

/** Each value from the largest with probability `p`, as in a negative. */
export class RandomInvert extends RandomTone {
  constructor(p = 0.5) {
    super("new transforms.RandomInvert", p, invert);
  }
}

/** The upper `bits` of each pixel with probability `p`: `new transforms.RandomPosterize(3)`. */
export class RandomPosterize extends RandomTone {
  readonly bits: number;

  constructor(bits: number, p = 0.5) {
    const call = "new transforms.RandomPosterize";
    const checked = checkNumber(call, "bits", checkInteger(call, "bits", bits, 0), { max: 8 });
    super(call, p, (image) => posterize(image, checked));
    this.bits = checked;
  }
}

/** Inverts what is at least `threshold`, with probability `p`: 128 of bytes, 0.5 of floating values. */
export class RandomSolarize extends RandomTone {
  readonly threshold: number;

  constructor(threshold: number, p = 0.5) {
    const call = "new transforms.RandomSolarize";
    const checked = checkNumber(call, "threshold", threshold);
    super(call, p, (image) => solarize(image, checked));
    this.threshold = checked;
  }
}

/** Sharpens by `sharpnessFactor` with probability `p`: 0 blurs, 1 changes nothing, 2 sharpens. */
export class RandomAdjustSharpness extends RandomTone {
  readonly sharpnessFactor: number;

  constructor(sharpnessFactor: number, p = 0.5) {
    const call = "new transforms.RandomAdjustSharpness";
    const checked = checkNumber(call, "sharpnessFactor", sharpnessFactor, { min: 0 });
    super(call, p, (image) => adjustSharpness(image, checked));
    this.sharpnessFactor = checked;
  }
}

/** Stretches each channel to the whole range with probability `p`. */
export class RandomAutocontrast extends RandomTone {
  constructor(p = 0.5) {
    super("new transforms.RandomAutocontrast", p, autoContrast);
  }
}

/** Spreads each channel's pixels over all brightnesses with probability `p`. */
export class RandomEqualize extends RandomTone {
  constructor(p = 0.5) {
    super("new transforms.RandomEqualize", p, equalize);
  }
}
