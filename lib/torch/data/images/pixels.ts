// Declares a decoder's result, the pixels of one image, and converts it to an image tensor with the wanted number of
// channels.
import { limitText, sizeLimit } from "../../../size_limit.ts";
import { formatBytes } from "../../../units.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";

/** Row by row, the channels of a pixel beside each other: gray, gray and alpha, RGB, or RGBA. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly values: Uint8Array;
}

/** Pillow's limit: a file of a few bytes may claim a size that no memory holds. */
const MAX_PIXELS = 178_956_970;
const MAX_CHANNELS = 4;

/** @throws RangeError for an image that is too large to be read, by the size that its header states */
export function requirePixels(format: string, width: number, height: number): void {
  if (width * height > MAX_PIXELS)
    throw new RangeError(`it is a ${format} of ${width} x ${height} pixels; at most ${MAX_PIXELS} are read`);
  const bytes = width * height * MAX_CHANNELS;
  const limit = sizeLimit();
  if (bytes > limit.bytes)
    throw new RangeError(
      `it is a ${format} of ${width} x ${height} pixels, which take ${formatBytes(bytes)}, more than ${limitText(limit)}`,
    );
}

/** The formats in which an image can be read, under torchvision's names. */
export const MODES = ["unchanged", "gray", "gray_alpha", "rgb", "rgb_alpha"] as const;
export type ImageMode = (typeof MODES)[number];

const CHANNELS: Record<Exclude<ImageMode, "unchanged">, number> = {
  gray: 1,
  gray_alpha: 2,
  rgb: 3,
  rgb_alpha: 4,
};

/** Pillow's and libpng's weights for brightness (ITU-R 601), in 16 bits. */
const RED = 19595;
const GREEN = 38470;
const BLUE = 7471;

/** uint8 [channels, height, width]. Alpha is dropped, or opaque, where one side has none. */
export function toTensor({ width, height, channels, values }: Pixels, mode: ImageMode): Tensor {
  const wanted = mode === "unchanged" ? channels : CHANNELS[mode];
  const count = width * height;
  const planes = new Uint8Array(wanted * count);
  const colors = channels >= 3 ? 3 : 1;
  const wantedColors = wanted >= 3 ? 3 : 1;
  for (let pixel = 0, from = 0; pixel < count; pixel++, from += channels) {
    if (wantedColors === 3) {
      for (let c = 0; c < 3; c++) planes[c * count + pixel] = values[from + (colors === 3 ? c : 0)]!;
    } else if (colors === 1) {
      planes[pixel] = values[from]!;
    } else {
      planes[pixel] =
        (values[from]! * RED + values[from + 1]! * GREEN + values[from + 2]! * BLUE + 0x8000) >> 16;
    }
    if (wanted > wantedColors)
      planes[wantedColors * count + pixel] = channels > colors ? values[from + colors]! : 255;
  }
  return native.shareTypedArray(planes, [wanted, height, width], "uint8");
}
