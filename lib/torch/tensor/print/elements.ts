// Formats a tensor's elements, character for character as PyTorch prints them: 4 digits, 80 columns. Above 1000
// elements it prints the first and last 3 of each dimension.
import type { Tensor } from "../../types/index.ts";
import { type Complex, isComplexDType, isFloatingDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { formatExponential, formatFixed } from "../../vocabulary/numerals.ts";
import { options } from "./options.ts";
import { readValues } from "../values.ts";

type Value = number | bigint | boolean | Complex;

/** Formats the values of one tensor alike. */
interface Formatter {
  readonly width: number;
  format(value: number | bigint | boolean): string;
}

function plainText(value: number | bigint | boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}

function fixedWidth(values: readonly (number | bigint | boolean)[]): Formatter {
  const width = Math.max(1, ...values.map((value) => plainText(value).length));
  return { width, format: (value) => plainText(value).padStart(width) };
}

/** Whole numbers keep a bare point; far-apart, huge or tiny ones take scientific notation. */
function floating(values: readonly number[], singlePrecision: boolean): Formatter {
  const finite = values.filter((value) => Number.isFinite(value) && value !== 0);
  if (finite.length === 0) return makeFloating(1, false, true);
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const value of finite) {
    min = Math.min(min, Math.abs(value));
    max = Math.max(max, Math.abs(value));
  }
  const ratio = singlePrecision ? Math.fround(max / min) : max / min;
  const scientific = options.sciMode ?? (ratio > 1000 || max > 1e8 || min < 1e-4);
  const whole = finite.every(Number.isInteger);
  const draft = makeFloating(1, scientific, whole);
  return makeFloating(Math.max(1, ...finite.map((value) => draft.format(value).length)), scientific, whole);
}

function makeFloating(width: number, scientific: boolean, whole: boolean): Formatter {
  const write = (value: number): string => {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    if (scientific) return formatExponential(value, options.precision);
    return whole ? `${formatFixed(value, 0)}.` : formatFixed(value, options.precision);
  };
  return { width, format: (value) => write(Number(value)).padStart(width) };
}

/** Real and imaginary parts are formatted each in their own way. */
interface Formatters {
  readonly real: Formatter;
  readonly imaginary: Formatter | null;
}

function chooseFormatters(tensor: Tensor, values: readonly Value[]): Formatters {
  const single = tensor.device.startsWith("mps");
  if (isComplexDType(tensor.dtype)) {
    const numbers = values as readonly Complex[];
    return {
      real: floating(
        numbers.map(({ re }) => re),
        single,
      ),
      imaginary: floating(
        numbers.map(({ im }) => im),
        single,
      ),
    };
  }
  const numbers = values as readonly (number | bigint | boolean)[];
  return {
    real: isFloatingDType(tensor.dtype) ? floating(numbers as number[], single) : fixedWidth(numbers),
    imaginary: null,
  };
}

function formatValue(value: Value, { real, imaginary }: Formatters): string {
  if (typeof value !== "object") return real.format(value);
  const part = `${(imaginary as Formatter).format(value.im)}j`.trimStart();
  return real.format(value.re) + (/^[+-]/.test(part) ? part : `+${part}`);
}

/** Indices of one dimension that are shown; all of them, or both ends. */
function shownOf(size: number, summarize: boolean): number[] {
  const all = Array.from({ length: size }, (_, at) => at);
  const { edgeitems } = options;
  return summarize && size > 2 * edgeitems
    ? [...all.slice(0, edgeitems), ...all.slice(size - edgeitems)]
    : all;
}

/** `[[1., 2.],\n [3., 4.]]` with later lines indented; the tensor is strided and has elements. */
export function formatElements(tensor: Tensor, indent: number): string {
  const { shape } = tensor;
  const summarize = tensor.numel() > options.threshold;
  let shown = tensor.detach();
  for (const [dim, size] of shape.entries()) {
    const indices = shownOf(size, summarize);
    if (indices.length < size) shown = takeEnds(shown, dim, options.edgeitems);
  }
  const values = readValues(shown);
  const formatters = chooseFormatters(tensor, values);
  let next = 0;
  const write = (depth: number, column: number): string => {
    const size = shape[depth];
    if (size === undefined) return formatValue(values[next++] as Value, formatters);
    const cut = summarize && size > 2 * options.edgeitems;
    const count = cut ? 2 * options.edgeitems : size;
    const last = depth === shape.length - 1;
    const parts: string[] = [];
    for (let at = 0; at < count; at++) {
      if (cut && at === options.edgeitems) parts.push(last ? " ..." : "...");
      parts.push(write(depth + 1, column + 1));
    }
    if (last) return writeVector(parts, column, formatters);
    return `[${parts.join(`,${"\n".repeat(shape.length - depth - 1)}${" ".repeat(column + 1)}`)}]`;
  };
  return write(0, indent);
}

function takeEnds(tensor: Tensor, dim: number, count: number): Tensor {
  const size = tensor.size(dim);
  const cat = (parts: Tensor[]) => native.call(native.operator("cat"), parts, dim) as Tensor;
  return cat([tensor.narrow(dim, 0, count), tensor.narrow(dim, size - count, count)]);
}

function writeVector(parts: readonly string[], column: number, { real, imaginary }: Formatters): string {
  const width = real.width + 2 + (imaginary === null ? 0 : imaginary.width + 1);
  const perLine = Math.max(1, Math.floor((options.linewidth - column) / width));
  const lines: string[] = [];
  for (let at = 0; at < parts.length; at += perLine) lines.push(parts.slice(at, at + perLine).join(", "));
  return `[${lines.join(`,\n${" ".repeat(column + 1)}`)}]`;
}
