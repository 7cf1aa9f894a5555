// Transforms of the numbers of an image: normalizing, and erasing a part. torchvision/transforms/v2/_misc.py, _augment.py
import { checkNumber, describe } from "../../vocabulary/arguments.ts";
import { number, readOptions, type Rules } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { isFloating } from "./dtype.ts";
import { drawBox } from "./resize.ts";
import { checkProbability, range, listText, type Pair } from "./settings.ts";
import { FixedTransform, type ImageSize, sizeOf, Transform } from "./transform.ts";

function checkChannelValues(call: string, name: string, values: unknown): readonly number[] {
  if (!Array.isArray(values) || values.length === 0)
    throw new TypeError(`${call}: ${name} must be one number a channel, as [0.5], got ${describe(values)}.`);
  return values.map((value, i) => checkNumber(call, `${name}[${i}]`, value));
}

function perChannel(values: readonly number[], like: Tensor): Tensor {
  return native
    .fromTypedArray(Float64Array.from(values), [values.length, 1, 1], "float64")
    .to(native.dtype(like))
    .to(native.device(like));
}

/** Each channel less its mean, by its standard deviation: `new transforms.Normalize([0.1307], [0.3081])`. */
export class Normalize extends FixedTransform {
  readonly mean: readonly number[];
  readonly std: readonly number[];

  constructor(mean: readonly number[], std: readonly number[]) {
    super();
    const call = "new transforms.Normalize";
    this.mean = checkChannelValues(call, "mean", mean);
    this.std = checkChannelValues(call, "std", std);
    if (std.includes(0)) throw new RangeError(`${call}: std must not be 0, got ${listText(std)}.`);
  }

  override run(image: Tensor, _drawn: null): Tensor {
    const dtype = native.dtype(image);
    if (!isFloating(dtype)) {
      throw new TypeError(
        `transforms.Normalize: expected floating numbers, got ${dtype}; put new transforms.ToDtype("float32", { scale: true }) before it.`,
      );
    }
    const { channels } = sizeOf(image);
    const other = [this.mean, this.std].find((values) => values.length !== 1 && values.length !== channels);
    if (other) {
      throw new RangeError(
        `transforms.Normalize: ${listText(other)} are for ${other.length} channels, the image has ${channels}.`,
      );
    }
    return image.sub(perChannel(this.mean, image)).div_(perChannel(this.std, image));
  }

  override extraRepr(): string {
    return `mean=${listText(this.mean)}, std=${listText(this.std)}`;
  }
}

export interface RandomErasingOptions {
  /** Part of the area, from and to. Default: [0.02, 0.33]. */
  readonly scale?: Pair;
  /** Height by width, from and to. Default: [0.3, 3.3]. */
  readonly ratio?: Pair;
  /** The value of the erased part. Default: 0. */
  readonly value?: number;
}

const ERASING_RULES: Rules<RandomErasingOptions> = {
  scale: range([0.02, 0.33], { min: 0, max: 1 }),
  ratio: range([0.3, 3.3], { min: Number.MIN_VALUE }),
  value: number(0),
};

interface Erased {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Erases a random rectangle of an image, with a probability. */
export class RandomErasing extends Transform<Erased | null> {
  readonly p: number;
  readonly scale: Pair;
  readonly ratio: Pair;
  readonly value: number;

  constructor(p = 0.5, options?: RandomErasingOptions) {
    super();
    const call = "new transforms.RandomErasing";
    const { scale, ratio, value } = readOptions<RandomErasingOptions>(call, options, ERASING_RULES);
    this.p = checkProbability(call, p);
    this.scale = scale;
    this.ratio = ratio;
    this.value = value;
  }

  override draw(size: ImageSize, draws: Draws): Erased | null {
    if (draws.uniform() >= this.p) return null;
    return drawBox(size, { scale: this.scale, ratio: this.ratio, min: 1 }, draws, true);
  }

  override run(image: Tensor, erased: Erased | null): Tensor {
    if (erased === null) return image;
    const output = image.clone();
    output.narrow(-2, erased.top, erased.height).narrow(-1, erased.left, erased.width).fill_(this.value);
    return output;
  }

  override runEach(batch: Tensor, all: readonly (Erased | null)[]): Tensor {
    const output = batch.clone();
    for (const [i, erased] of all.entries()) {
      if (erased === null) continue;
      const { top, left, height, width } = erased;
      output.select(0, i).narrow(-2, top, height).narrow(-1, left, width).fill_(this.value);
    }
    return output;
  }

  override extraRepr(): string {
    return `p=${this.p}, scale=${listText(this.scale)}, ratio=${listText(this.ratio)}, value=${this.value}`;
  }
}
