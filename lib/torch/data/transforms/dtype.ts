// Converts images between integer pixels of 0 to 255 and floating values of 0 to 1. Source:
// torchvision/transforms/v2/functional/_misc.py (to_dtype).
import { describe } from "../../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { getDefaultDtype } from "../../tensor/default_dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { FixedTransform } from "./transform.ts";

/** Bits of an integer dtype's positive values. Floating images have values of 0 to 1. */
const VALUE_BITS: Partial<Record<DType, number>> = {
  uint8: 8,
  int8: 7,
  uint16: 16,
  int16: 15,
  int32: 31,
  int64: 63,
};

export function isFloating(dtype: DType): boolean {
  return dtype.includes("float");
}

export function largestValue(dtype: DType): number {
  return isFloating(dtype) ? 1 : 2 ** (VALUE_BITS[dtype] ?? 1) - 1;
}

/** Another dtype whose whole range stands for the same brightnesses: uint8 255 <-> float32 1. */
export function convertPixels(image: Tensor, dtype: DType): Tensor {
  const from = native.dtype(image);
  if (from === dtype) return image;
  if (isFloating(from)) {
    // With the factor 255, only exactly 1 would become the largest value.
    return isFloating(dtype) ? image.to(dtype) : image.mul(largestValue(dtype) + 1 - 1e-3).to(dtype);
  }
  if (isFloating(dtype)) return image.to(dtype).mul_(1 / largestValue(from));
  const bits = (VALUE_BITS[dtype] ?? 1) - (VALUE_BITS[from] ?? 1);
  return bits < 0 ? image.bitwiseRightShift(-bits).to(dtype) : image.to(dtype).bitwiseLeftShift_(bits);
}

export interface ToDtypeOptions {
  /** Scales the values to the range of the new dtype, as 0 to 255 to 0 to 1. Default: false. */
  readonly scale?: boolean;
}

const RULES: Rules<ToDtypeOptions> = { scale: boolean(false) };

/** `new transforms.ToDtype("float32", { scale: true })` makes 0 to 1 of 0 to 255. */
export class ToDtype extends FixedTransform {
  readonly dtype: DType;
  readonly scale: boolean;

  constructor(dtype: DType, options?: ToDtypeOptions) {
    super();
    const call = "new transforms.ToDtype";
    const { scale } = readOptions<ToDtypeOptions>(call, options, RULES);
    if (VALUE_BITS[dtype] === undefined && !isFloating(String(dtype) as DType)) {
      throw new TypeError(
        `${call}: images are of floating numbers or of ${Object.keys(VALUE_BITS).join(", ")}; got ${describe(dtype)}.`,
      );
    }
    this.dtype = dtype;
    this.scale = scale;
  }

  override run(image: Tensor, _drawn: null): Tensor {
    return this.scale ? convertPixels(image, this.dtype) : image.to(this.dtype);
  }

  override extraRepr(): string {
    return `dtype=${this.dtype}, scale=${this.scale}`;
  }
}

/** Makes float32 from 0 to 1 of uint8 from 0 to 255, and leaves other images: an image is a tensor already. */
export class ToTensor extends FixedTransform {
  override run(image: Tensor, _drawn: null): Tensor {
    return native.dtype(image) === "uint8" ? image.to(getDefaultDtype()).div_(255) : image;
  }
}
