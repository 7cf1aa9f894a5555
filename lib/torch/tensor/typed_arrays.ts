// Shares memory between typed arrays and CPU tensors, both ways. Defines which array type holds which dtype, and
// which tensors may share.
import type { Tensor } from "../types/index.ts";
import workerThreads from "node:worker_threads";
import { shapeText } from "../vocabulary/arguments.ts";
import { type DType, isComplexDType, isQuantizedDType, type TypedArray } from "../vocabulary/dtype.ts";
import { DeviceMismatchError } from "../vocabulary/errors.ts";
import { native } from "../engine/native.ts";

type HalfArray = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => TypedArray;

/** JavaScript's own array of 16-bit floats: in Node from 24 on. */
const Float16 = (globalThis as { Float16Array?: HalfArray }).Float16Array;

export const isTypedArray = (values: unknown): values is TypedArray =>
  ArrayBuffer.isView(values) && !(values instanceof DataView);

/** The dtype that a typed array's elements have; undefined for those that PyTorch has no twin of. */
function dtypeOf(data: ArrayBufferView): DType | undefined {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Float64Array) return "float64";
  if (data instanceof Int8Array) return "int8";
  if (data instanceof Int16Array) return "int16";
  if (data instanceof Int32Array) return "int32";
  if (data instanceof BigInt64Array) return "int64";
  if (data instanceof Uint8Array || data instanceof Uint8ClampedArray) return "uint8";
  if (data instanceof Uint16Array) return "uint16";
  if (data instanceof Uint32Array) return "uint32";
  if (data instanceof BigUint64Array) return "uint64";
  if (Float16 !== undefined && data instanceof Float16) return "float16";
  return undefined;
}

/** The dtype of the array's elements, by the array's class. */
export function requireDType(data: ArrayBufferView): DType {
  const dtype = dtypeOf(data);
  if (dtype === undefined)
    throw new TypeError(
      `No dtype has the elements of ${data.constructor.name}; copy it into a Float32Array or a BigInt64Array.`,
    );
  return dtype;
}

/**
 * Returns the dtype of the array's bytes. A given dtype decides for arrays that can hold several: bits of 16-bit
 * floats, booleans, pairs of a complex number.
 */
export function heldDType(data: TypedArray, dtype: DType | undefined): DType {
  if (data instanceof Uint16Array && (dtype === "float16" || dtype === "bfloat16")) return dtype;
  if (data instanceof Uint8Array && (dtype === "bool" || dtype?.startsWith("float8"))) return dtype;
  if (data instanceof Float32Array && dtype === "complex64") return dtype;
  if (data instanceof Float64Array && dtype === "complex128") return dtype;
  return requireDType(data);
}

/** Returns the array in a form that the addon takes: 16-bit floats as their bits. The memory is the same. */
export function withoutHalf(data: TypedArray): TypedArray {
  if (Float16 === undefined || !(data instanceof Float16)) return data;
  return new Uint16Array(data.buffer, data.byteOffset, data.length);
}

/** Checks a typed array against a shape. */
export function requireFits(data: TypedArray, shape: readonly number[], dtype: DType): void {
  const elements = shape.reduce((product, size) => product * size, 1) * (isComplexDType(dtype) ? 2 : 1);
  if (elements !== data.length) {
    throw new RangeError(
      `A ${dtype} tensor of shape ${shapeText(shape)} holds ${elements} values; the ${data.constructor.name} has ${data.length}.`,
    );
  }
}

/**
 * A CPU tensor over the array's memory. The tensor keeps the array; what could take the memory away under it is
 * refused here (buffers that resize) or switched off (`postMessage` no longer moves such a buffer).
 */
export function shareArray(data: TypedArray, shape: readonly number[], dtype: DType): Tensor {
  const { buffer } = data;
  if (buffer instanceof ArrayBuffer) {
    if ((buffer as { resizable?: boolean }).resizable === true)
      throw new TypeError(
        "The array's buffer can be resized, which would take memory away from the tensor: torch.tensor() copies it.",
      );
    keepInPlace(buffer);
  }
  return native.shareTypedArray(withoutHalf(data), shape, dtype);
}

const { isMarkedAsUntransferable } = workerThreads as {
  isMarkedAsUntransferable?: (buffer: ArrayBuffer) => boolean;
};

/** Memory that an addon lent, as `data()` does, is so already; Node 24 aborts at its end where it is marked again. */
function keepInPlace(buffer: ArrayBuffer): void {
  if (isMarkedAsUntransferable?.(buffer) !== true) workerThreads.markAsUntransferable(buffer);
}

/** Row-major values on the CPU, over the tensor's own memory where that is possible. */
export function toTypedArray(tensor: Tensor): TypedArray {
  const data = native.typedArray(inOrder(tensor));
  if (native.dtype(tensor) !== "float16" || Float16 === undefined) return data;
  return new Float16(data.buffer, data.byteOffset, data.length);
}

/**
 * Calls `use` with those values, 16-bit floats by their bits, and takes the memory back. An array that stays holds the
 * tensor's memory until it is collected and the event loop has turned: never, in a cell that runs through its epochs.
 */
export function withTypedArray<Result>(tensor: Tensor, use: (values: TypedArray) => Result): Result {
  return native.withTypedArray(inOrder(tensor), use);
}

/** The same as bytes, of a tensor on any device: from a copy where it is not on the CPU. */
export function withBytes<Result>(tensor: Tensor, use: (bytes: Uint8Array) => Result): Result {
  return withTypedArray(tensor.detach().cpu(), ({ buffer, byteOffset, byteLength }) =>
    use(new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/** Contiguous, with conjugation and negation carried out. */
function inOrder(tensor: Tensor): Tensor {
  const [device, dtype, layout] = [native.device(tensor), native.dtype(tensor), native.layout(tensor)];
  if (layout !== "strided") {
    throw new TypeError(`A ${layout} tensor has no values in row-major order; call .toDense() first.`);
  }
  if (!device.startsWith("cpu")) {
    throw new DeviceMismatchError(
      `data() reads memory of the CPU, and this tensor is on ${device}; call .cpu() first: x.cpu().data().`,
    );
  }
  if (isQuantizedDType(dtype))
    throw new TypeError(`No typed array holds ${dtype} elements; intRepr() gives them as integers.`);
  const resolved = isComplexDType(dtype) ? tensor.resolveConj() : tensor;
  const whole = resolved.resolveNeg();
  return whole.isContiguous() ? whole : whole.contiguous();
}
