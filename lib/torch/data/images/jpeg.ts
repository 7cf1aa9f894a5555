// Decodes JPEG files with libjpeg-turbo compiled to WebAssembly. PyTorch and Pillow use the same decoder, so pixels
// are equal.
import { startCodec } from "./codec.ts";
import { type Pixels, requirePixels } from "./pixels.ts";

const PACKAGE = "@cornerstonejs/codec-libjpeg-turbo-8bit";

interface Decoder {
  /** A buffer in the decoder's own memory, into which the file is copied. */
  getEncodedBuffer(bytes: number): Uint8Array;
  decode(): void;
  getFrameInfo(): { readonly width: number; readonly height: number; readonly componentCount: number };
  /** A view of the decoder's own memory, which is valid until the next call. */
  getDecodedBuffer(): Uint8Array;
  delete(): void;
}

interface Codec {
  readonly JPEGDecoder: new () => Decoder;
}

let codec: Codec | undefined;

/** @throws RangeError for a file that is cut off or damaged, TypeError for CMYK */
export function decodeJpeg(file: Uint8Array): Pixels {
  const frame = frameOf(file);
  if (frame !== null) requirePixels("JPEG", frame.width, frame.height);
  codec ??= startCodec<Codec>(`${PACKAGE}/decodewasmjs`, `${PACKAGE}/decodewasm`);
  try {
    const decoder = new codec.JPEGDecoder();
    decoder.getEncodedBuffer(file.length).set(file);
    decoder.decode();
    const { width, height, componentCount: channels } = decoder.getFrameInfo();
    const values = decoder.getDecodedBuffer().slice();
    decoder.delete();
    return { width, height, channels, values };
  } catch (error) {
    // The codec throws an address in its own memory, and the failed decoder stays allocated there. So the next image
    // gets a new codec.
    codec = undefined;
    if (frame?.components === 4) {
      throw new TypeError("it is a JPEG of four inks (CMYK), which is not read; save it as RGB", {
        cause: error,
      });
    }
    throw new RangeError("it is a JPEG that is cut off or damaged", { cause: error });
  }
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: number;
}

/** Returns the sizes in the frame's header, or null if the file has no frame. */
function frameOf(file: Uint8Array): Frame | null {
  const at = (position: number) => file[position] ?? 0;
  const two = (position: number) => at(position) * 256 + at(position + 1);
  for (let position = 2; position + 9 < file.length;) {
    const marker = at(position + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: two(position + 5), width: two(position + 7), components: at(position + 9) };
    position += 2 + two(position + 2);
  }
  return null;
}
