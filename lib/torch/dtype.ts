// Element types: their names, their typed arrays, and the words that signatures use for what surrounds a tensor.
// Knows no tensor.
import type { DeviceName, DType, Layout, TypedArray } from "./native.ts";

export type { DType, Layout, TypedArray };

/** A complex number, as `{ re: 1, im: -2 }`. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** What PyTorch calls a Number: int64 where it is whole or a bigint, else float64. */
export type Scalar = number | bigint | boolean | Complex;

/** A shape; a lone number is a shape of one dimension. */
export type Size = number | readonly number[];

export type MemoryFormat = "contiguous_format" | "preserve_format" | "channels_last" | "channels_last_3d";

/** What every function that makes a tensor takes by name. */
export interface TensorOptions {
  dtype?: DType | null;
  layout?: Layout | null;
  /** `torch.getDefaultDevice()`, unless the tensor is made after another one. */
  device?: DeviceName | null;
  pinMemory?: boolean | null;
  /** Autograd should record operations on the result. False. */
  requiresGrad?: boolean;
}

const FLOATING: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "float8_e4m3fn",
  "float8_e5m2",
];
const INTEGRAL: readonly DType[] = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];
const COMPLEX: readonly DType[] = ["complex64", "complex128", "complex32"];

const NAMES: ReadonlySet<string> = new Set([...FLOATING, ...INTEGRAL, ...COMPLEX, "bool"]);

export function isDType(name: string): name is DType {
  return NAMES.has(name);
}

export const isFloatingDType = (dtype: DType): boolean => FLOATING.includes(dtype);
export const isIntegralDType = (dtype: DType): boolean => INTEGRAL.includes(dtype);
export const isComplexDType = (dtype: DType): boolean => COMPLEX.includes(dtype);

/** PyTorch's names for element types, so that `torch.float32` and `torch.long` read as they do there. */
export const dtypeNames = {
  float32: "float32",
  float: "float32",
  float64: "float64",
  double: "float64",
  float16: "float16",
  half: "float16",
  bfloat16: "bfloat16",
  int8: "int8",
  int16: "int16",
  short: "int16",
  int32: "int32",
  int: "int32",
  int64: "int64",
  long: "int64",
  uint8: "uint8",
  bool: "bool",
  complex64: "complex64",
  complex128: "complex128",
} as const satisfies Record<string, DType>;

/** The dtype that a typed array's elements have; undefined for those that PyTorch has no twin of. */
export function dtypeOf(data: ArrayBufferView): DType | undefined {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Float64Array) return "float64";
  if (data instanceof Int8Array) return "int8";
  if (data instanceof Int16Array) return "int16";
  if (data instanceof Int32Array) return "int32";
  if (data instanceof BigInt64Array) return "int64";
  if (data instanceof Uint8Array || data instanceof Uint8ClampedArray) return "uint8";
  if (data instanceof Uint16Array) return "uint16";
  return undefined;
}

/** Bytes of one element. */
export function bytesOf(dtype: DType): number {
  if (dtype === "bool") return 1;
  if (dtype.startsWith("float8")) return 1;
  return Number(/\d+$/.exec(dtype)?.[0]) / 8;
}
