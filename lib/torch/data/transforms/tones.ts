// What maps the brightness of each pixel to another: fewer levels, inverted lights, stretched and equalized contrast.
// Source: torchvision/transforms/v2/functional/_color.py.
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { convertPixels, isFloating, largestValue } from "./dtype.ts";

/** Keeps the upper `bits` of each pixel's eight, or 2^bits levels of floating values. */
export function posterize(image: Tensor, bits: number): Tensor {
  const dtype = native.dtype(image);
  const levels = 2 ** bits;
  if (isFloating(dtype))
    return image
      .mul(levels)
      .floor_()
      .clamp_(0, levels - 1)
      .mul_(1 / levels);
  const all = Math.log2(largestValue(dtype) + 1);
  return bits >= all ? image : image.bitwiseAnd((levels - 1) * 2 ** (all - bits));
}

export function invert(image: Tensor): Tensor {
  return image.neg().add(largestValue(native.dtype(image)));
}

export function solarize(image: Tensor, threshold: number): Tensor {
  return torchFunctions.where(image.ge(threshold), invert(image), image);
}

/** Stretches each channel from its darkest and brightest pixel to the whole range. */
export function autoContrast(image: Tensor): Tensor {
  const dtype = native.dtype(image);
  const floating = isFloating(dtype) ? image : image.to("float32");
  const [darkest, brightest] = [floating.amin([-2, -1], true), floating.amax([-2, -1], true)];
  const isFlat = brightest.eq(darkest);
  const largest = largestValue(dtype);
  const scale = brightest
    .sub(darkest)
    .mul_(1 / largest)
    .maskedFill_(isFlat, 1);
  return floating.sub(darkest.maskedFill(isFlat, 0)).div_(scale).clamp_(0, largest).to(dtype);
}

/** Gives each brightness of a channel as many pixels as another, by a table of 256, as Pillow makes it. */
export function equalize(image: Tensor): Tensor {
  const bytes = convertPixels(image, "uint8");
  const flat = bytes.flatten(-2, -1).to("int64");
  const pixels = native.shape(flat).at(-1)!;
  const kind = { dtype: "int32", device: native.device(image) } as const;
  const histogram = torchFunctions
    .zeros([...native.shape(flat).slice(0, -1), 256], kind)
    .scatterAdd_(-1, flat, torchFunctions.ones([1], kind).expandAs(flat));
  const sums = histogram.cumsum(-1, { dtype: "int64" });
  const brightest = sums.argmax(-1, true);
  const step = histogram.gather(-1, brightest).neg().add(pixels).div(255, { roundingMode: "floor" });
  const table = sums
    .narrow(-1, 0, 255)
    .add(step.div(2, { roundingMode: "floor" }))
    .div(step.clamp(1), { roundingMode: "floor" })
    .clamp(0, 255)
    .to("uint8");
  const first = torchFunctions.zerosLike(table.narrow(-1, 0, 1));
  const equalized = torchFunctions.cat([first, table], -1).gather(-1, flat).viewAs(bytes);
  // A channel of one brightness has no step, and stays.
  const result = torchFunctions.where(step.ne(0).unsqueeze(-1), equalized, bytes);
  return convertPixels(result, native.dtype(image));
}
