// Decodes PNG files with fast-png: palettes, 1 to 16 bits a channel, and interlacing. Encodes bytes.
import { createRequire } from "node:module";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import type * as FastPng from "fast-png";
import { type Pixels, requirePixels } from "./pixels.ts";

let library: typeof FastPng | undefined;

/** Loaded when the first image is read: most sessions read none, and every one would wait for it at its start. */
function fastPng(): typeof FastPng {
  return (library ??= createRequire(import.meta.url)("fast-png") as typeof FastPng);
}

const SIGNATURE_BYTES = 8;
/** Length, name and checksum around a chunk's content. */
const CHUNK_BYTES = 12;
/** Content of IHDR. */
const HEADER_BYTES = 13;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Compressed texts and profiles are skipped: they do not affect the pixels, and may unpack to any size. */
const UNREAD: ReadonlySet<string> = new Set(["iCCP", "zTXt", "iTXt", "tEXt"]);

interface Chunk {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

const contentBytes = ({ begin, end }: Chunk): number => end - begin - CHUNK_BYTES;

function chunksOf(file: Uint8Array): Chunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  for (let begin = SIGNATURE_BYTES; begin + CHUNK_BYTES <= file.length;) {
    const end = begin + CHUNK_BYTES + view.getUint32(begin);
    if (end > file.length) break;
    chunks.push({ name: String.fromCharCode(...file.subarray(begin + 4, begin + 8)), begin, end });
    begin = end;
  }
  return chunks;
}

/** @throws RangeError for a chunk whose checksum differs */
function requireChecksums(file: Uint8Array, chunks: readonly Chunk[]): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (const { name, begin, end } of chunks) {
    if (crc32(file.subarray(begin + 4, end - 4)) !== view.getUint32(end - 4))
      throw damaged(new Error(`the checksum of chunk ${name} differs`));
  }
}

const damaged = (cause: unknown) =>
  new RangeError(`it is a PNG that is cut off or damaged (${(cause as Error).message})`, { cause });

/** An IDAT chunk with these bytes in stored (uncompressed) blocks. Its checksum is left out. */
function storedPixels(pixels: Uint8Array): Buffer {
  const content = deflateSync(pixels, { level: 0 });
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length);
  head.write("IDAT", 4, "latin1");
  return Buffer.concat([head, content, Buffer.alloc(4)]);
}

/**
 * The file with its pixels unpacked and without the chunks that are not read. fast-png does not limit what it unpacks.
 * So the pixels are unpacked here with a limit, and fast-png gets them in stored blocks.
 *
 * @throws RangeError if its pixels unpack to more than its header says, as in a decompression bomb; if it does not have
 *   exactly one header, at the beginning; and for a file that is damaged
 */
function unpacked(file: Uint8Array): Uint8Array {
  const chunks = chunksOf(file);
  const header = chunks[0];
  // fast-png takes the size from the last header, wherever it stands. So there must be only one, the one that is
  // checked.
  const headers = chunks.filter(({ name }) => name === "IHDR");
  if (
    header === undefined ||
    header !== headers[0] ||
    headers.length > 1 ||
    contentBytes(header) !== HEADER_BYTES
  )
    throw new RangeError("it is a PNG that does not begin with its one header");
  const view = new DataView(file.buffer, file.byteOffset + header.begin + 8, HEADER_BYTES);
  const [width, height, depth, color] = [
    view.getUint32(0),
    view.getUint32(4),
    view.getUint8(8),
    view.getUint8(9),
  ];
  requirePixels("PNG", width, height);
  // Each row has a filter byte; the seven passes of an interlaced image have up to twice as many rows.
  const rowBytes = Math.ceil((width * depth * (CHANNELS[color] ?? 4)) / 8) + 1;
  const pieces = chunks
    .filter(({ name }) => name === "IDAT")
    .map(({ begin, end }) => file.subarray(begin + 8, end - 4));
  requireChecksums(file, chunks);
  let pixels: Buffer;
  try {
    pixels = inflateSync(Buffer.concat(pieces), { maxOutputLength: 2 * rowBytes * (height + 7) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw damaged(error);
    throw new RangeError(`it is a PNG of ${width} x ${height} pixels that unpacks to more than they take`, {
      cause: error,
    });
  }
  const first = chunks.find(({ name }) => name === "IDAT");
  const kept = chunks
    .filter((chunk) => chunk === first || !(chunk.name === "IDAT" || UNREAD.has(chunk.name)))
    .map((chunk) => (chunk === first ? storedPixels(pixels) : file.subarray(chunk.begin, chunk.end)));
  return Buffer.concat([file.subarray(0, SIGNATURE_BYTES), ...kept]);
}

/** @throws RangeError for a file that is cut off or damaged, or an image of more than 178,956,970 pixels */
export function decodePng(given: Uint8Array): Pixels {
  const file = unpacked(given);
  const { convertIndexedToRgb, decode } = fastPng();
  try {
    const image = decode(file);
    const { width, height, depth } = image;
    if (image.palette !== undefined) {
      const values = Uint8Array.from(convertIndexedToRgb(image));
      return { width, height, channels: values.length / (width * height), values };
    }
    return { width, height, channels: image.channels, values: eightBits(image.data, image, depth) };
  } catch (error) {
    throw damaged(error);
  }
}

/** Bytes of gray, RGB or RGBA as a PNG file. */
export function encodePng({ width, height, channels, values }: Pixels): Uint8Array {
  return fastPng().encode({ width, height, channels, depth: 8, data: values });
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Converts samples of any depth to bytes. A sample of 16 bits keeps its upper 8. Samples of fewer than 8 bits are unpacked
 * and scaled to 0 to 255: the value 1 in 2 bits becomes 85.
 */
function eightBits(data: ArrayLike<number>, { width, height }: Size, depth: number): Uint8Array {
  if (depth === 8) return Uint8Array.from(data);
  if (depth === 16) return Uint8Array.from(data, (value) => value >> 8);
  const perByte = 8 / depth;
  const rowBytes = Math.ceil(width / perByte);
  const max = 2 ** depth - 1;
  return Uint8Array.from({ length: width * height }, (_, pixel) => {
    const column = pixel % width;
    const byte = data[Math.floor(pixel / width) * rowBytes + Math.floor(column / perByte)]!;
    return (((byte >> (8 - depth * ((column % perByte) + 1))) & max) * 255) / max;
  });
}
