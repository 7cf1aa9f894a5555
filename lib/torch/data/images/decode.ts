// Decodes image files into tensors: `data.readImage("cat.jpg").shape` -> `[3, 480, 640]`. Recognises the format by
// the first bytes, not by the file name. Source: torchvision/io/image.py (names, modes).
import { fileFailure } from "../../../whole_file.ts";
import { readFileSync } from "node:fs";
import { checkChoice, describe } from "../../vocabulary/arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { inStage } from "../stages.ts";
import { decodeJpeg } from "./jpeg.ts";
import { type ImageMode, MODES, type Pixels, toTensor } from "./pixels.ts";
import { decodePng } from "./png.ts";
import { decodeWebp } from "./webp.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff);

/** "WEBP" behind "RIFF" and the file's length. */
const WEBP = Uint8Array.of(0x57, 0x45, 0x42, 0x50);
const WEBP_PLACE = 8;

function decoderFor(file: Uint8Array): (file: Uint8Array) => Pixels {
  if (PNG.every((byte, i) => file[i] === byte)) return decodePng;
  if (JPEG.every((byte, i) => file[i] === byte)) return decodeJpeg;
  if (WEBP.every((byte, i) => file[WEBP_PLACE + i] === byte)) return decodeWebp;
  const start = Array.from(file.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  throw new TypeError(
    `it is neither a PNG nor a JPEG nor a WebP (${file.length === 0 ? "it is empty" : `it begins with ${start}`}); convert it to one of these`,
  );
}

function decode(call: string, what: string, file: Uint8Array, mode: ImageMode): Tensor {
  return inStage("decode", () => {
    try {
      return toTensor(decoderFor(file)(file), mode);
    } catch (error) {
      const { message } = error as Error;
      const ErrorClass = error instanceof TypeError ? TypeError : RangeError;
      throw new ErrorClass(`${call}: ${what} cannot be read: ${message}.`, { cause: error });
    }
  });
}

/**
 * The pixels of a PNG, JPEG or WebP file as uint8 [channels, height, width]; those of a JPEG are libjpeg-turbo's, as PyTorch's
 * and Pillow's. A JPEG's orientation is not applied.
 *
 * @throws TypeError for another format, RangeError for a file that is cut off or damaged
 */
export function decodeImage(file: Uint8Array, mode: ImageMode = "unchanged"): Tensor {
  const call = "data.decodeImage";
  if (!(file instanceof Uint8Array))
    throw new TypeError(
      `${call}: the file must be its bytes, a Uint8Array or Buffer, got ${describe(file)}.`,
    );
  return decode(call, "the image", file, checkChoice(call, "mode", mode, MODES));
}

/** Reads an image file: see `decodeImage`. A path counts from the notebook's folder. */
export function readImage(path: string, mode: ImageMode = "unchanged"): Tensor {
  const call = "data.readImage";
  if (typeof path !== "string" || path === "")
    throw new TypeError(`${call}: the file must be a path, got ${describe(path)}.`);
  checkChoice(call, "mode", mode, MODES);
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw fileFailure(call, path, error);
  }
  return decode(call, path, file, mode);
}
