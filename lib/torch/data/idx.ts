// Reads IDX files, the format of MNIST and its relatives: a magic number that names type and dimensions, the sizes,
// then the values, all big-endian. It knows the format, not what the numbers mean.
import { fileFailure } from "../../whole_file.ts";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { native, type DType, type TypedArray } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { describe } from "../arguments.ts";

interface ElementType {
  readonly dtype: DType;
  readonly bytes: number;
  /** Values in this machine's byte order, over a copy of their own. */
  readonly decode: (values: Buffer) => TypedArray;
}

/** A copy at the start of a buffer of its own: typed arrays of wide elements must be aligned. */
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

function contents(path: string): Buffer {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw fileFailure("readIdx", path, error);
  }
  if (file[0] !== 0x1f || file[1] !== 0x8b) return file;
  try {
    return gunzipSync(file);
  } catch (error) {
    throw new Error(`readIdx: ${path} is not a whole gzip file (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

/**
 * The values of an IDX file (gzipped or not) as a tensor of the file's own dtype and shape:
 * `train-images-idx3-ubyte` -> uint8 [60000, 28, 28].
 */
export function readIdx(path: string): Tensor {
  if (typeof path !== "string")
    throw new TypeError(`readIdx: the path must be a string, got ${describe(path)}.`);
  const file = contents(path);
  if (file.length < 4)
    throw new RangeError(`readIdx: ${path} has ${file.length} bytes, an IDX file at least 4.`);
  const type = ELEMENT_TYPES.get(file[2]!);
  if (file.readUInt16BE(0) !== 0 || !type) {
    throw new TypeError(
      `readIdx: ${path} is not an IDX file: its magic number is 0x${file.toString("hex", 0, 4)}, ` +
        `expected 0x0000 and a type of 08, 09, 0b, 0c, 0d or 0e.`,
    );
  }
  const headerBytes = 4 + 4 * file[3]!;
  if (file.length < headerBytes) {
    throw new RangeError(
      `readIdx: ${path} is truncated: its header takes ${headerBytes} bytes, the file has ${file.length}.`,
    );
  }
  const shape = Array.from({ length: file[3]! }, (_, dimension) => file.readUInt32BE(4 + 4 * dimension));
  const expectedBytes = headerBytes + shape.reduce((product, size) => product * size, type.bytes);
  if (file.length !== expectedBytes) {
    throw new RangeError(
      `readIdx: ${path} ${file.length < expectedBytes ? "is truncated" : "is too long"}: shape [${shape.join(", ")}] of ` +
        `${type.dtype} takes ${expectedBytes} bytes, the file has ${file.length}.`,
    );
  }
  return native.shareTypedArray(type.decode(file.subarray(headerBytes)), shape, type.dtype);
}
