// Decodes WebP files with libwebp compiled to WebAssembly, which torchvision and Pillow use too. The format's header:
// https://developers.google.com/speed/webp/docs/riff_container
import { startCodec } from "./codec.ts";
import { type Pixels, requirePixels } from "./pixels.ts";

const FOLDER = "@jsquash/webp/codec/dec";

interface Image {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8ClampedArray;
}

interface Codec {
  /** Null for a file that the codec cannot read. */
  decode(file: Uint8Array): Image | null;
}

/** The codec makes its result with the browsers' class ImageData, so a global of this name exists while it runs. */
const MADE_BY = "ImageData";

function withImageData<Result>(run: () => Result): Result {
  const before = Object.getOwnPropertyDescriptor(globalThis, MADE_BY);
  const value = class {
    constructor(
      readonly data: Uint8ClampedArray,
      readonly width: number,
      readonly height: number,
    ) {}
  };
  Object.defineProperty(globalThis, MADE_BY, { value, configurable: true, writable: true });
  try {
    return run();
  } finally {
    if (before) Object.defineProperty(globalThis, MADE_BY, before);
    else Reflect.deleteProperty(globalThis, MADE_BY);
  }
}

let codec: Codec | undefined;

const damaged = (cause?: unknown) => new RangeError("it is a WebP that is cut off or damaged", { cause });

/** @throws RangeError for a file that is cut off or damaged, TypeError for an animation */
export function decodeWebp(file: Uint8Array): Pixels {
  const header = headerOf(file);
  if (header === null) throw damaged();
  if (header.moves) throw new TypeError("it is an animated WebP, which is not read; save one picture of it");
  requirePixels("WebP", header.width, header.height);
  let image: Image | null;
  try {
    image = withImageData(() =>
      (codec ??= startCodec<Codec>(`${FOLDER}/webp_dec.js`, `${FOLDER}/webp_dec.wasm`)).decode(file),
    );
  } catch (error) {
    codec = undefined;
    throw damaged(error);
  }
  if (image === null) throw damaged();
  const { width, height, data } = image;
  const values = new Uint8Array(data.buffer, data.byteOffset, data.length);
  if (header.hasAlpha) return { width, height, channels: 4, values: values.slice() };
  return { width, height, channels: 3, values: values.filter((_, index) => index % 4 !== 3) };
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  readonly moves: boolean;
}

/** Reads the header in the first chunk, which is of one of three kinds: with extensions, lossless, lossy. */
function headerOf(file: Uint8Array): Header | null {
  const FIRST = 20;
  if (file.length < FIRST + 10) return null;
  const at = (position: number, bytes: number) =>
    Buffer.from(file.buffer, file.byteOffset, file.length).readUIntLE(FIRST + position, bytes);
  switch (String.fromCharCode(...file.subarray(12, 16))) {
    case "VP8X": {
      const flags = at(0, 1);
      return {
        width: at(4, 3) + 1,
        height: at(7, 3) + 1,
        hasAlpha: (flags & 16) !== 0,
        moves: (flags & 2) !== 0,
      };
    }
    case "VP8L": {
      const bits = at(1, 4);
      const size = (shift: number) => ((bits >>> shift) & 0x3fff) + 1;
      return { width: size(0), height: size(14), hasAlpha: ((bits >>> 28) & 1) === 1, moves: false };
    }
    case "VP8 ":
      return { width: at(6, 2) & 0x3fff, height: at(8, 2) & 0x3fff, hasAlpha: false, moves: false };
    default:
      return null;
  }
}
