// Declares dtypes, their typed arrays, and other types that signatures use beside tensors.
import type { DeviceName, DeviceText } from "./device_name.ts";

export type DType =
  | "float32"
  | "float64"
  | "float16"
  | "bfloat16"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "bool"
  | "complex64"
  | "complex128"
  | "complex32"
  | "float8_e4m3fn"
  | "float8_e5m2"
  | "qint8"
  | "quint8"
  | "qint32";

export type Layout = "strided" | "sparse_coo" | "sparse_csr" | "sparse_csc" | "sparse_bsr" | "sparse_bsc";

export type TypedArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

/** A complex number, as `{ re: 1, im: -2 }`. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** PyTorch's Number: a number is int64 where `isInt64` says so, else floating; a bigint is int64. */
export type Scalar = number | bigint | boolean | Complex;

/**
 * The rule for JavaScript's one type of number, which the addon has too: int64 where an int64 holds it exactly, else of the
 * default dtype. 2 and 2.0 are int64; 0.5, NaN, 1e19 and -0, whose sign an int64 loses, are not.
 */
export const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63 && !Object.is(value, -0);

/** What to do about a tensor that is refused for its dtype: a user who wrote 1.0 wonders where int64 comes from. */
export const floatingWay = (dtype: DType): string =>
  dtype === "int64"
    ? 'whole numbers make int64, so write { dtype: "float32" } where they become a tensor, or convert it with x.float()'
    : "convert it with x.float()";

/** A shape; a single number is a shape of one dimension. */
export type Size = number | readonly number[];

export type MemoryFormat = "contiguous_format" | "preserve_format" | "channels_last" | "channels_last_3d";

/** The dtypes that Metal does not have. */
export type LackedByMps = "float64" | "complex128";

export type MpsName = "mps" | `mps:${number}`;

/**
 * Joined to the type of a new tensor's device: `device?: Device & UnlessMisplaced<Device, Type>`. Of text that stands in
 * the program, what names no device is refused before it runs, and mps for numbers that it lacks. A look-up, as `Unless` is.
 */
export type UnlessMisplaced<Device, Type, Problem = PlaceProblem<Device, Type>> = {
  fine: unknown;
  refused: { readonly refused: Problem };
}[Problem extends "" ? "fine" : "refused"];

type PlaceProblem<Device, Type, IsKnown = DType extends Type ? false : true> = Device extends MpsName
  ? IsKnown extends true
    ? LackProblem<Device, Type>
    : ""
  : Device extends DeviceName
    ? ""
    : string extends Device
      ? ""
      : `device: "${Device & string}" names no device; "cpu", "mps", "cuda" and "cuda:1" do`;

type LackProblem<Device, Type> = Type extends LackedByMps
  ? `device: ${Device & string} has no ${Type}; { dtype: "float32" } is there`
  : "";

/** Options of every function that makes a tensor. */
export interface TensorOptions<Type extends DType = DType, Device extends DeviceText = DeviceText> {
  /** The dtype of the result. Default: the operator's own, mostly `torch.getDefaultDtype()`, which is float32. */
  dtype?: Type | null;
  /** How the tensor lies in memory. Default: "strided". */
  layout?: Layout | null;
  /** Where the tensor is. Default: `torch.getDefaultDevice()`, unless the tensor is made after another one. */
  device?: (Device & UnlessMisplaced<Device, Type>) | null;
  /** Uses memory that CUDA copies from without waiting. Default: false. */
  pinMemory?: boolean | null;
  /** Autograd records operations on the result. Default: false. */
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

const QUANTIZED: readonly DType[] = ["qint8", "quint8", "qint32"];

const NAMES: ReadonlySet<string> = new Set([...FLOATING, ...INTEGRAL, ...COMPLEX, ...QUANTIZED, "bool"]);

export function isDType(name: string): name is DType {
  return NAMES.has(name);
}

export const isFloatingDType = (dtype: DType): boolean => FLOATING.includes(dtype);
export const isIntegralDType = (dtype: DType): boolean => INTEGRAL.includes(dtype);
export const isQuantizedDType = (dtype: DType): boolean => QUANTIZED.includes(dtype);
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
  uint16: "uint16",
  uint32: "uint32",
  uint64: "uint64",
  bool: "bool",
  complex32: "complex32",
  chalf: "complex32",
  complex64: "complex64",
  cfloat: "complex64",
  complex128: "complex128",
  cdouble: "complex128",
  float8_e4m3fn: "float8_e4m3fn",
  float8_e5m2: "float8_e5m2",
  qint8: "qint8",
  quint8: "quint8",
  qint32: "qint32",
} as const satisfies Record<string, DType>;

/** Bytes of one element. */
export function bytesOf(dtype: DType): number {
  if (dtype === "bool") return 1;
  if (dtype.startsWith("float8")) return 1;
  return Number(/\d+$/.exec(dtype)?.[0]) / 8;
}
