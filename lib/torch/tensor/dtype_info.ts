// Reports the limits of a dtype: `torch.finfo("float32").eps`, `torch.iinfo("int8").max`. torch/csrc/TypeInfo.cpp
import { describe } from "../vocabulary/arguments.ts";
import { getDefaultDtype } from "./default_dtype.ts";
import { type DType, isDType } from "../vocabulary/dtype.ts";

/** Limits of a floating dtype; of a complex one, its parts'. */
export interface FloatInfo {
  readonly dtype: DType;
  /** Bits of one number. */
  readonly bits: number;
  /** Distance from 1 to the next larger number. */
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  /** Smallest positive number that has all its digits. */
  readonly smallestNormal: number;
  /** The same, under its older name. */
  readonly tiny: number;
  /** Decimal digits that a number keeps, as a power of ten: 1e-6. */
  readonly resolution: number;
}

/** Limits of an integer dtype: numbers, and bigints where they are beyond 2^53. */
export interface IntegerInfo {
  readonly dtype: DType;
  readonly bits: number;
  readonly max: number | bigint;
  readonly min: number | bigint;
}

/** Bits of a number, of its fraction, and its largest exponent; float8_e4m3fn has no infinity and goes further. */
const FLOATS: Partial<Record<DType, { bits: number; fraction: number; exponent: number; max?: number }>> = {
  float64: { bits: 64, fraction: 52, exponent: 1023 },
  float32: { bits: 32, fraction: 23, exponent: 127 },
  float16: { bits: 16, fraction: 10, exponent: 15 },
  bfloat16: { bits: 16, fraction: 7, exponent: 127 },
  float8_e5m2: { bits: 8, fraction: 2, exponent: 15 },
  float8_e4m3fn: { bits: 8, fraction: 3, exponent: 7, max: 448 },
};
const PARTS: Partial<Record<DType, DType>> = {
  complex128: "float64",
  complex64: "float32",
  complex32: "float16",
};

function requireDType(call: string, dtype: unknown): DType {
  if (typeof dtype === "string" && isDType(dtype)) return dtype;
  throw new TypeError(`${call}: ${describe(dtype)} is no dtype; "float32" is one.`);
}

/**
 * Limits of a floating or complex dtype: `scores.maskedFill(mask, torch.finfo(scores.dtype).min)`. Default: the default dtype.
 *
 * @throws TypeError for an integer dtype: `torch.iinfo`
 */
export function finfo(dtype: DType = getDefaultDtype()): FloatInfo {
  const call = "torch.finfo";
  const part = PARTS[requireDType(call, dtype)] ?? dtype;
  const known = FLOATS[part];
  if (!known) throw new TypeError(`${call}: ${dtype} is no floating dtype; torch.iinfo() knows integers.`);
  const { bits, fraction, exponent } = known;
  const eps = 2 ** -fraction;
  const max = known.max ?? (2 - eps) * 2 ** exponent;
  const smallestNormal = 2 ** (1 - exponent);
  const digits = Math.floor(fraction * Math.log10(2));
  return {
    dtype: part,
    bits,
    eps,
    max,
    min: -max,
    smallestNormal,
    tiny: smallestNormal,
    resolution: Number(`1e-${digits}`),
  };
}

/**
 * Limits of an integer dtype.
 *
 * @throws TypeError for a floating dtype: `torch.finfo`
 */
export function iinfo(dtype: DType): IntegerInfo {
  const call = "torch.iinfo";
  const [, unsigned, digits] = /^(u?)int(\d+)$/.exec(requireDType(call, dtype)) ?? [];
  if (digits === undefined)
    throw new TypeError(`${call}: ${dtype} is no integer dtype; torch.finfo() knows floating ones.`);
  const bits = Number(digits);
  const number = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
  const span = 2n ** BigInt(bits);
  return unsigned
    ? { dtype, bits, max: number(span - 1n), min: 0 }
    : { dtype, bits, max: number(span / 2n - 1n), min: number(-span / 2n) };
}
