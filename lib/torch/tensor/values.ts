// Converts nested lists to tensors and back, element by element. `typed_arrays.ts` converts whole typed arrays.
import type { Tensor } from "../types/index.ts";
import type { DeviceText } from "../vocabulary/device_name.ts";
import {
  type Complex,
  type DType,
  isComplexDType,
  isInt64,
  isQuantizedDType,
  type Scalar,
  type TypedArray,
} from "../vocabulary/dtype.ts";
import { defaultComplexDtype, getDefaultDtype } from "./default_dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";
import { isTypedArray, requireDType, withTypedArray } from "./typed_arrays.ts";

/** Values as `tolist()` gives them. */
export type NestedList = number | bigint | boolean | Complex | NestedList[];

/** The method of `TensorValues`. */
export const AS_TENSOR: unique symbol = Symbol.for("mpslab.asTensor") as never;

/** What makes a tensor of its values itself, as a table's column, which knows what is missing. */
export interface TensorValues {
  /** @param call names the caller in errors */
  [AS_TENSOR](call: string, place: { readonly dtype?: DType; readonly device?: DeviceText }): Tensor;
}

/** Values as `torch.tensor()` takes them. */
export type NestedValues =
  | Scalar
  | ArrayLike<number>
  | ArrayLike<bigint>
  | TensorValues
  | readonly NestedValues[];

export const makesTensor = (value: unknown): value is TensorValues =>
  typeof value === "object" && value !== null && AS_TENSOR in value;

const isComplex = (value: unknown): value is Complex =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Complex).re === "number" &&
  typeof (value as Complex).im === "number";

/** Typed arrays count as lists of numbers. */
export const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** The largest number of dimensions that libtorch's kernels take. */
const MAX_LEVELS = 64;

/** Sizes of the dimensions, read along the first elements. */
function shapeOf(values: unknown): number[] {
  const shape: number[] = [];
  for (let level = values; isList(level); level = level[0]) {
    if (shape.length === MAX_LEVELS)
      throw new RangeError(
        `The values nest deeper than ${MAX_LEVELS} levels, the most dimensions of a tensor: a list may hold itself.`,
      );
    shape.push(level.length);
    if (level.length === 0) break;
  }
  return shape;
}

const describe = (value: unknown): string => {
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (native.isTensor(value)) return "a tensor";
  return typeof value === "object" && value !== null
    ? (value.constructor?.name ?? "an object")
    : String(value);
};

/** The elements of nested lists in row-major order, and their shape. Refuses ragged lists, saying where. */
export function flatten(values: unknown): { elements: Scalar[]; shape: number[] } {
  const shape = shapeOf(values);
  const elements: Scalar[] = [];
  const visit = (value: unknown, depth: number, path: string): void => {
    const length = shape[depth];
    if (length === undefined) {
      elements.push(requireScalar(value, path));
      return;
    }
    if (!isList(value) || value.length !== length) {
      const beside = depth === 0 ? "" : " as its neighbours have";
      throw new RangeError(
        `The values are ragged: ${path} is ${describe(value)}, not a list of ${length}${beside}.`,
      );
    }
    for (let at = 0; at < length; at++) visit(value[at], depth + 1, `${path}[${at}]`);
  };
  visit(values, 0, "values");
  return { elements, shape };
}

function requireScalar(value: unknown, path: string): Scalar {
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (isComplex(value)) return value;
  if (isList(value))
    throw new RangeError(
      `The values are ragged: ${path} is ${describe(value)}, not a number as its neighbours are.`,
    );
  const hint = native.isTensor(value) ? " Use torch.stack for a list of tensors." : "";
  throw new TypeError(
    `${path} is ${describe(value)}: a tensor holds numbers, booleans, bigints and { re, im }.${hint}`,
  );
}

const promoteTypes = makeOperator("promote_types");

/** The dtype of nested lists that `flatten` takes: typed arrays have their own, as NumPy's do, numbers that of `scalarsDType`. */
export function inferDType(values: unknown): DType {
  if (isTypedArray(values)) return requireDType(values);
  if (!Array.isArray(values)) return scalarsDType([values as Scalar]);
  if (!isList(values[0])) return scalarsDType(values as Scalar[]);
  const dtypes = new Set(values.map(inferDType));
  return [...dtypes].reduce((one, other) => promoteTypes(one, other) as DType);
}

/**
 * PyTorch's inference: all booleans bool; numbers that are int64 by `isInt64`, and bigints, int64; any complex the default
 * complex dtype; else the default one.
 */
export function scalarsDType(elements: readonly Scalar[]): DType {
  let inferred: "bool" | "int64" | "floating" = elements.length > 0 ? "bool" : "floating";
  for (const element of elements) {
    if (typeof element === "object") return defaultComplexDtype();
    if (typeof element === "boolean" || inferred === "floating") continue;
    inferred = typeof element === "bigint" || isInt64(element) ? "int64" : "floating";
  }
  return inferred === "floating" ? getDefaultDtype() : inferred;
}

const FLOATS = { float32: Float32Array, float64: Float64Array } as const;
const INTEGERS = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
} as const;
const BIGINTS = { int64: BigInt64Array, uint64: BigUint64Array } as const;
const PARTS = { complex64: Float32Array, complex128: Float64Array } as const;

const has = <Key extends string>(table: Readonly<Record<Key, unknown>>, key: string): key is Key =>
  key in table;

/** Elements of a dtype that has a typed array of its own; the others go through float32 and are converted after. */
export function packElements(elements: readonly Scalar[], dtype: DType): { data: TypedArray; dtype: DType } {
  if (isComplexDType(dtype)) {
    const held = has(PARTS, dtype) ? dtype : "complex64";
    const parts = elements.flatMap((value) =>
      typeof value === "object" ? [value.re, value.im] : [Number(value), 0],
    );
    return { data: PARTS[held].from(parts), dtype: held };
  }
  const real = elements.map((value) => {
    if (typeof value === "object")
      throw new TypeError(`A complex value cannot be stored as ${dtype}; use complex64.`);
    return value;
  });
  if (dtype === "bool")
    return { data: Uint8Array.from(real, (value) => (value || Number.isNaN(value) ? 1 : 0)), dtype };
  if (has(BIGINTS, dtype))
    return { data: BIGINTS[dtype].from(real.map((value) => toBigInt(value, dtype))), dtype };
  if (has(INTEGERS, dtype))
    return { data: INTEGERS[dtype].from(real.map((value) => requireInRange(Number(value), dtype))), dtype };
  const floats = has(FLOATS, dtype) ? dtype : "float32";
  return { data: FLOATS[floats].from(real.map(Number)), dtype: floats };
}

function toBigInt(value: number | bigint | boolean, dtype: keyof typeof BIGINTS): bigint {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError(`${value} has no ${dtype}; use a floating dtype.`);
    value = BigInt(Math.trunc(value));
  }
  const whole = BigInt(value);
  const wrapped = dtype === "int64" ? BigInt.asIntN(64, whole) : BigInt.asUintN(64, whole);
  if (wrapped !== whole) throw new RangeError(`${whole} does not fit into ${dtype}.`);
  return whole;
}

const BOUNDS: Record<keyof typeof INTEGERS, readonly [number, number]> = {
  int8: [-128, 127],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint8: [0, 255],
  uint16: [0, 65535],
  uint32: [0, 2 ** 32 - 1],
};

function requireInRange(value: number, dtype: keyof typeof BOUNDS): number {
  const [min, max] = BOUNDS[dtype];
  const whole = Math.trunc(value);
  if (!(whole >= min && whole <= max))
    throw new RangeError(`${value} does not fit into ${dtype} (${min} to ${max}).`);
  return whole;
}

/** Values of any tensor, in row-major order, as JavaScript has them. Waits for the device. */
export function readValues(tensor: Tensor): (number | bigint | boolean | Complex)[] {
  const dtype = native.dtype(tensor);
  if (isQuantizedDType(dtype)) return readValues(tensor.dequantize());
  const host = tensor.detach().cpu();
  if (dtype === "bool")
    return withTypedArray(host, (bytes) => Array.from(bytes as Uint8Array, (value) => value !== 0));
  if (has(BIGINTS, dtype))
    return withTypedArray(host, (values) => Array.from(values as BigInt64Array, toNumberIfSafe));
  if (isComplexDType(dtype))
    return withTypedArray(dtype === "complex32" ? host.to("complex64") : host, complexOf);
  const plain = has(FLOATS, dtype) || has(INTEGERS, dtype) ? host : host.to("float32");
  return withTypedArray(plain, (values) => Array.from(values as Float64Array));
}

function complexOf(parts: TypedArray): Complex[] {
  return Array.from({ length: parts.length / 2 }, (_, at) => ({
    re: Number(parts[2 * at]),
    im: Number(parts[2 * at + 1]),
  }));
}

function toNumberIfSafe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** `[1, 2, 3, 4]` of shape `[2, 2]` -> `[[1, 2], [3, 4]]` */
export function toNestedList(tensor: Tensor): NestedList {
  const values = readValues(tensor);
  const shape = tensor.shape;
  let at = 0;
  const nest = (depth: number): NestedList => {
    const length = shape[depth];
    if (length === undefined) return values[at++] as NestedList;
    return Array.from({ length }, () => nest(depth + 1));
  };
  return nest(0);
}
