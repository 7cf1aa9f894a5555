// Chooses scales and ticks where Vega's own are unsuitable: on logarithmic axes, where Vega would draw a line for every
// digit, and on axes of a few whole numbers, where ticks between them mean nothing.
import { integerTicks, type Specification } from "./chart_style.ts";
import { axisFormat } from "./words.ts";

export type Scale = "linear" | "log";

const MAX_TICKS = 6;
/**
 * Two and a half decades: a value that is smaller than the largest by more than this factor is less than a pixel high
 * on a linear axis.
 */
const FLAT_BEYOND = 10 ** 2.5;

function extent(values: Iterable<number>): readonly [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) [min, max] = [Math.min(min, value), Math.max(max, value)];
  return [min, max];
}

/** Logarithmic if all values are above zero and lie so far apart that the small ones would be one flat line. */
export function fittingScale(values: Iterable<number>): Scale {
  const [min, max] = extent(values);
  return min > 0 && max / min > FLAT_BEYOND ? "log" : "linear";
}

/**
 * The scale for the values of lines: a linear one need not begin at zero, and a logarithmic one ends at the least and
 * the greatest value.
 */
export function valueScale(scale: Scale, values: Iterable<number>): Specification {
  const range = scale === "log" ? { nice: false } : { zero: false };
  return { type: scale, ...range, ...domainOfConstant(values) };
}

export function valueTicks(scale: Scale, values: Iterable<number>): Specification {
  return scale === "log" ? logTicks(values) : axisFormat(values);
}

/** 1, 2 and 5 of each power of ten, or the powers only, or every second of them, ... */
export function logTicks(values: Iterable<number>): { readonly values?: readonly number[] } {
  let min = Infinity;
  let max = 0;
  for (const value of values)
    if (value > 0 && value < Infinity) [min, max] = [Math.min(min, value), Math.max(max, value)];
  if (min > max) return {};
  const [first, last] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const within = (tick: number) => tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9);
  for (const digits of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const ticks = powers
      .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
      .filter(within);
    if (ticks.length <= MAX_TICKS) return ticks.length >= 2 ? { values: ticks } : {};
  }
  const step = Math.ceil(powers.length / MAX_TICKS);
  return {
    values: powers
      .filter((power) => power % step === 0)
      .map((power) => Number(`1e${power}`))
      .filter(within),
  };
}

/** Ticks at whole numbers only, if all positions are whole and there are few. */
export function wholeTicks(values: readonly number[]): {
  readonly values?: readonly number[];
  readonly format?: string;
} {
  if (!values.every(Number.isInteger)) return {};
  const [min, max] = extent(values);
  // Without a comma, which a year would have too.
  const format = max < 10_000 ? "d" : ",d";
  return max - min < MAX_TICKS ? { values: integerTicks(min, max), format } : { format };
}

/** A domain around a single value, for which Vega's own scale is wrong: it writes 1 at 0.5. */
export function domainOfConstant(values: Iterable<number>): { readonly domain?: readonly number[] } {
  const [min, max] = extent(values);
  if (min !== max) return {};
  return { domain: min === 0 ? [-1, 1] : [min * 0.5, min * 1.5].toSorted((a, b) => a - b) };
}
