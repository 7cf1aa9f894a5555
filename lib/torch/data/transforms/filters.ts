// Transforms that mix each pixel with its neighbours: blurring and sharpening. Sources:
// torchvision/transforms/v2/functional/_misc.py (gaussian_blur), _color.py (adjust_sharpness).
import { checkNumber, checkSizes } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { isFloating, largestValue } from "./dtype.ts";
import { checkRange, listText, type Pair } from "./settings.ts";
import { type ImageSize, sizeOf, Transform } from "./transform.ts";

/** The image as a batch [count, channels, height, width] of floating numbers, whose convolutions are known. */
function asFloatingBatch(image: Tensor): Tensor {
  const { channels, height, width } = sizeOf(image);
  const batch = image.reshape([-1, channels, height, width]);
  return isFloating(native.dtype(image)) ? batch : batch.to("float32");
}

/** Each channel of `batch` by the same kernel [height, width]. */
function filtered(batch: Tensor, kernel: Tensor): Tensor {
  const { channels } = sizeOf(batch);
  const each = kernel.expand([channels, 1, ...native.shape(kernel)]);
  return torchFunctions.conv2d(batch, each, null, 1, 0, 1, channels);
}

/** Weights of a row of pixels, whose sum is 1. `sigma` in pixels, as torchvision scales it. */
function gaussian(count: number, sigma: number, like: Tensor): Tensor {
  const limit = (count - 1) / (2 * Math.SQRT2);
  const kind = { dtype: native.dtype(like), device: native.device(like) };
  const places = torchFunctions.linspace(-limit, limit, count, kind);
  return places.div(sigma).pow(2).neg().softmax(0);
}

/**
 * Blurs each image by a Gaussian of `kernelSize` pixels, odd, whose standard deviation is drawn between the two of
 * `sigma`: `new transforms.GaussianBlur(5, [0.1, 2])`. The border is mirrored.
 */
export class GaussianBlur extends Transform<number> {
  /** Width and height of the kernel. */
  readonly kernelSize: Pair;
  readonly sigma: Pair;

  constructor(kernelSize: number | Pair, sigma: number | Pair = [0.1, 2]) {
    super();
    const call = "new transforms.GaussianBlur";
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, 2, 1) as unknown as Pair;
    if (this.kernelSize.some((size) => size % 2 === 0))
      throw new RangeError(`${call}: kernelSize must be odd, got ${listText(this.kernelSize)}.`);
    const within = { min: Number.MIN_VALUE };
    if (typeof sigma === "number") checkNumber(call, "sigma", sigma, within);
    this.sigma = typeof sigma === "number" ? [sigma, sigma] : checkRange(call, "sigma", sigma, within);
  }

  override draw(_size: ImageSize, draws: Draws): number {
    return draws.uniform(...this.sigma);
  }

  override run(image: Tensor, sigma: number): Tensor {
    const dtype = native.dtype(image);
    const [width, height] = this.kernelSize;
    const batch = asFloatingBatch(image);
    const kernel = gaussian(height, sigma, batch)
      .unsqueeze(-1)
      .mul(gaussian(width, sigma, batch));
    const [left, top] = [Math.floor(width / 2), Math.floor(height / 2)];
    const blurred = filtered(nnFunctions.reflectionPad2d(batch, [left, left, top, top]), kernel);
    const result = blurred.reshape(native.shape(image));
    return isFloating(dtype) ? result : result.round_().to(dtype);
  }

  override extraRepr(): string {
    return `kernelSize=${listText(this.kernelSize)}, sigma=${listText(this.sigma)}`;
  }
}

/** A factor of 0 blurs, 1 leaves the image as it is, 2 sharpens. The border stays. */
export function adjustSharpness(image: Tensor, factor: number): Tensor {
  const dtype = native.dtype(image);
  const { height, width } = sizeOf(image);
  if (height <= 2 || width <= 2) return image;
  const batch = asFloatingBatch(image).clone();
  const weights = Array.from({ length: 9 }, (_, at) => (at === 4 ? 5 : 1) / 13);
  const kernel = native
    .fromTypedArray(Float64Array.from(weights), [3, 3], "float64")
    .to(native.dtype(batch))
    .to(native.device(batch));
  const blurred = filtered(batch, kernel);
  const inside = batch.narrow(-2, 1, height - 2).narrow(-1, 1, width - 2);
  const other = isFloating(dtype) ? blurred : blurred.round_();
  inside.add_(other.sub_(inside), { alpha: 1 - factor });
  return batch.clamp_(0, largestValue(dtype)).to(dtype).reshape(native.shape(image));
}
