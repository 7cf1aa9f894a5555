// Reads IDX files, the format of MNIST and related datasets: a magic number that names type and number of dimensions,
// the sizes, then the values, all big-endian.
import type { DType, TypedArray } from "../../vocabulary/dtype.ts";
import { sizeLimit, tooLarge } from "../../../size_limit.ts";
import { fileFailure } from "../../../whole_file.ts";
import { readFileSync } from "node:fs";
import { constants, gunzipSync, type ZlibOptions } from "node:zlib";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { describe } from "../../vocabulary/arguments.ts";

interface ElementType {
  readonly dtype: DType;
  readonly bytes: number;
  /** Values in this machine's byte order, over a copy of their own. */
  readonly decode: (values: Buffer) => TypedArray;
}

/** A copy at the start of a buffer of its own, because typed arrays of wide elements must be aligned. */
function aligned(values: Buffer): Buffer {
  const copy = Buffer.from(new ArrayBuffer(values.length));
  values.copy(copy);
  return copy;
}

const ELEMENT_TYPES: ReadonlyMap<number, ElementType> = new Map([
  [0x08, { dtype: "uint8", bytes: 1, decode: (v) => new Uint8Array(v.buffer, v.byteOffset, v.length) }],
  [0x09, { dtype: "int8", bytes: 1, decode: (v) => new Int8Array(v.buffer, v.byteOffset, v.length) }],
  [0x0b, { dtype: "int16", bytes: 2, decode: (v) => new Int16Array(aligned(v).swap16().buffer) }],
  [0x0c, { dtype: "int32", bytes: 4, decode: (v) => new Int32Array(aligned(v).swap32().buffer) }],
  [0x0d, { dtype: "float32", bytes: 4, decode: (v) => new Float32Array(aligned(v).swap32().buffer) }],
  [0x0e, { dtype: "float64", bytes: 8, decode: (v) => new Float64Array(aligned(v).swap64().buffer) }],
]);

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fileFailure("readIdx", path, error);
  }
}

const isGzip = (file: Buffer): boolean => file[0] === 0x1f && file[1] === 0x8b;

/** Enough of a compressed file for a header with at most 255 dimensions. */
const HEAD_BYTES = 4096;

/** Null if it unpacks to more than `maxOutputLength`. */
function unpacked(path: string, file: Buffer, options: ZlibOptions): Buffer | null {
  try {
    return gunzipSync(file, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
    throw new Error(`readIdx: ${path} is not a whole gzip file (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

interface Header {
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly headerBytes: number;
  /** The size of the header and the values. */
  readonly bytes: number;
}

/** @param head the beginning of the file, unpacked */
function headerOf(path: string, head: Buffer): Header {
  if (head.length < 4)
    throw new RangeError(`readIdx: ${path} has ${head.length} bytes, an IDX file at least 4.`);
  const type = ELEMENT_TYPES.get(head[2]!);
  if (head.readUInt16BE(0) !== 0 || !type) {
    throw new TypeError(
      `readIdx: ${path} is not an IDX file: its magic number is 0x${head.toString("hex", 0, 4)}, ` +
        `expected 0x0000 and a type of 08, 09, 0b, 0c, 0d or 0e.`,
    );
  }
  const headerBytes = 4 + 4 * head[3]!;
  if (head.length < headerBytes) {
    throw new RangeError(
      `readIdx: ${path} is truncated: its header takes ${headerBytes} bytes, the file has ${head.length}.`,
    );
  }
  const shape = Array.from({ length: head[3]! }, (_, dimension) => head.readUInt32BE(4 + 4 * dimension));
  const bytes = headerBytes + shape.reduce((product, size) => product * size, type.bytes);
  return { type, shape, headerBytes, bytes };
}

/**
 * The values of an IDX file (gzipped or not) as a tensor of the file's own dtype and shape:
 * `train-images-idx3-ubyte` -> uint8 [60000, 28, 28].
 */
export function readIdx(path: string): Tensor {
  if (typeof path !== "string")
    throw new TypeError(`readIdx: the path must be a string, got ${describe(path)}.`);
  const packed = read(path);
  const head = isGzip(packed)
    ? unpacked(path, packed.subarray(0, HEAD_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })!
    : packed;
  const { type, shape, headerBytes, bytes } = headerOf(path, head);
  const says = `shape [${shape.join(", ")}] of ${type.dtype} takes ${bytes} bytes`;
  // The limit is needed because a file of some megabytes may claim, and unpack to, a thousand times as much.
  const limit = sizeLimit();
  if (isGzip(packed) && bytes > limit.bytes)
    throw tooLarge("readIdx", `${path} is not unpacked: ${says},`, limit);
  const file = isGzip(packed) ? unpacked(path, packed, { maxOutputLength: bytes }) : packed;
  if (file === null) throw new RangeError(`readIdx: ${path} is too long: ${says}, the file has more.`);
  if (file.length !== bytes) {
    throw new RangeError(
      `readIdx: ${path} ${file.length < bytes ? "is truncated" : "is too long"}: ${says}, the file has ${file.length}.`,
    );
  }
  return native.shareTypedArray(type.decode(file.subarray(headerBytes)), shape, type.dtype);
}
