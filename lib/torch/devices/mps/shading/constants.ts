// Encodes a kernel's constants as bytes. Python distinguishes 3 from 3.0, and PyTorch binds an int as 64 bits and a
// float as 32. Here the kernel's parameter decides. Where its type is not known, a whole number is an int.
import { checkChoice, describe } from "../../../vocabulary/arguments.ts";
import { isInt64 } from "../../../vocabulary/dtype.ts";

/** The types as which a number can be bound: PyTorch's words, and the equivalent dtypes. */
const CASTS = [
  "float32",
  "fp32",
  "float16",
  "fp16",
  "bfloat16",
  "bf16",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint64",
  "uint32",
  "uint16",
  "uint8",
  "bool",
] as const;
export type Cast = (typeof CASTS)[number];

export type Constant = number | bigint | boolean | readonly number[] | readonly bigint[];

interface Format {
  readonly bytes: number;
  /** The least and the greatest value of an integer type; null for a floating-point format. */
  readonly range: readonly [bigint, bigint] | null;
  write(view: DataView, at: number, value: number | bigint): void;
}

const integer = (bits: number, signed: boolean, write: Format["write"]): Format => ({
  bytes: bits / 8,
  range: signed ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n],
  write,
});
const floating = (bytes: number, write: (view: DataView, at: number, value: number) => void): Format => ({
  bytes,
  range: null,
  write: (view, at, value) => write(view, at, Number(value)),
});

const FORMATS = {
  float32: floating(4, (view, at, value) => view.setFloat32(at, value, true)),
  float16: floating(2, (view, at, value) => view.setUint16(at, halfBits(value), true)),
  bfloat16: floating(2, (view, at, value) => view.setUint16(at, bfloatBits(value), true)),
  int64: integer(64, true, (view, at, value) => view.setBigInt64(at, BigInt(value), true)),
  uint64: integer(64, false, (view, at, value) => view.setBigUint64(at, BigInt(value), true)),
  int32: integer(32, true, (view, at, value) => view.setInt32(at, Number(value), true)),
  uint32: integer(32, false, (view, at, value) => view.setUint32(at, Number(value), true)),
  int16: integer(16, true, (view, at, value) => view.setInt16(at, Number(value), true)),
  uint16: integer(16, false, (view, at, value) => view.setUint16(at, Number(value), true)),
  int8: integer(8, true, (view, at, value) => view.setInt8(at, Number(value))),
  uint8: integer(8, false, (view, at, value) => view.setUint8(at, Number(value))),
};
type FormatName = keyof typeof FORMATS;

const SAME: Readonly<Record<string, FormatName>> = {
  fp32: "float32",
  fp16: "float16",
  bf16: "bfloat16",
  bool: "uint8",
};

/** Metal's scalar types, and the parts of its vectors' names. */
const OF_METAL: Readonly<Record<string, FormatName>> = {
  float: "float32",
  half: "float16",
  bfloat: "bfloat16",
  long: "int64",
  int64_t: "int64",
  ulong: "uint64",
  uint64_t: "uint64",
  size_t: "uint64",
  int: "int32",
  int32_t: "int32",
  uint: "uint32",
  uint32_t: "uint32",
  unsigned: "uint32",
  "unsigned int": "uint32",
  short: "int16",
  int16_t: "int16",
  ushort: "uint16",
  uint16_t: "uint16",
  char: "int8",
  int8_t: "int8",
  uchar: "uint8",
  uint8_t: "uint8",
  bool: "uint8",
};

interface Form {
  readonly name: FormatName;
  /** How many lanes the type occupies: 4 for a `float3`. */
  readonly lanes: number;
}

/** `const float&` -> float32; null if the type is the user's own or a template parameter. */
function formOf(type: string): Form | null {
  const plain = type
    .replace(/\bconst\b|\bvolatile\b|[*&]/g, "")
    .replace(/^\s*metal::/, "")
    .trim();
  const vector = /^([a-z]+)([234])$/.exec(plain);
  const name = OF_METAL[vector ? vector[1]! : plain];
  if (name === undefined) return null;
  const lanes = vector ? Number(vector[2]) : 1;
  return { name, lanes: lanes === 3 ? 4 : lanes };
}

export function checkCast(call: string, what: string, cast: unknown): Cast {
  return checkChoice(call, what, cast, CASTS);
}

/**
 * The bytes of a constant, including the padding of a vector type.
 *
 * @param what for messages: `argument 1, "val"`
 * @param type the type of the kernel's parameter; `""` if it is not known
 */
export function bytesOf(
  call: string,
  what: string,
  value: unknown,
  type: string,
  cast: Cast | undefined,
): Uint8Array {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw new RangeError(`${call}: ${what} must not be an empty list.`);
  for (const one of values) {
    if (typeof one !== "number" && typeof one !== "bigint" && typeof one !== "boolean") {
      throw new TypeError(
        `${call}: ${what} must be a tensor of the mps device, a number, or a list of numbers, got ${describe(one)}.`,
      );
    }
  }
  const numbers = (values as (number | bigint | boolean)[]).map((one) =>
    typeof one === "boolean" ? Number(one) : one,
  );
  const form = cast === undefined ? formOf(type) : null;
  const name = cast === undefined ? (form?.name ?? natural(numbers)) : (SAME[cast] ?? (cast as FormatName));
  const format = FORMATS[name];
  for (const one of numbers) checkFits(call, what, one, name, format);
  const lanes = Math.ceil(numbers.length / (form?.lanes ?? 1)) * (form?.lanes ?? 1);
  const bytes = new Uint8Array(lanes * format.bytes);
  const view = new DataView(bytes.buffer);
  for (const [i, one] of numbers.entries()) format.write(view, i * format.bytes, one);
  return bytes;
}

/** Chooses the type as `torch.tensor` does. */
function natural(numbers: readonly (number | bigint)[]): FormatName {
  return numbers.every((one) => typeof one === "bigint" || isInt64(one)) ? "int64" : "float32";
}

function checkFits(
  call: string,
  what: string,
  value: number | bigint,
  name: FormatName,
  { range }: Format,
): void {
  if (range === null) return;
  if (typeof value === "number" && !Number.isInteger(value))
    throw new RangeError(`${call}: ${what} is ${name} in the kernel and takes whole numbers, got ${value}.`);
  if (BigInt(value) < range[0] || BigInt(value) > range[1])
    throw new RangeError(`${call}: ${what} is ${name} in the kernel, which ${value} does not fit.`);
}

const scratch = new DataView(new ArrayBuffer(4));

function floatBits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/** Returns bfloat16's 16 bits, rounded to the nearest, halves to even. */
function bfloatBits(value: number): number {
  const bits = floatBits(value);
  return Number.isNaN(value) ? 0x7fc0 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** IEEE's 16 bits, to the nearest, halves to even. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size === 0) return sign;
  // Numbers below 2^-14 are spaced 2^-24 apart; above, there are 2^10 steps between two powers of two.
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const step = 2 ** (exponent - 10);
  const steps = roundToEven(size / step);
  return sign | (exponent === -14 ? steps : ((exponent + 15) << 10) + (steps - 1024));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
