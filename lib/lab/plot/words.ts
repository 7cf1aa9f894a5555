// Words of the plots' sentences: numbers, what is left out, times.
import { counted } from "../../words.ts";

/** Three digits are what one reads off a chart: `0.306`, `12.3`, `1,235`, `3e-7`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString("en-US");
  if (size >= 100 && size < 1e9) return Math.round(value).toLocaleString("en-US");
  const short = Number(value.toPrecision(3));
  return size >= 1e-4 && size < 1e9 ? String(short) : short.toExponential().replace("e+", "e");
}

/** Format of an axis' labels, where plain ones would be rows of zeros. */
export function axisFormat(values: Iterable<number>): { readonly format?: string } {
  let most = 0;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  return most >= 1e9 || (most > 0 && most < 1e-4) ? { format: ".3~g" } : {};
}

/** `["3 values are not finite and left out"]`; none where none are. */
export function leftOut(count: number, noun: string): string[] {
  return count === 0 ? [] : [`${counted(count, noun)} ${count === 1 ? "is" : "are"} not finite and left out`];
}

/** `2026-11-25 01:12`; a time of day is left out where there is none. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "");
}
