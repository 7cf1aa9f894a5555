// Words in the sentences of plots: which values are left out, times, and how an axis writes its numbers.
import { counted } from "../words.ts";

/** The number format of an axis on which plain numbers would be rows of zeros. */
export function axisFormat(values: Iterable<number>): { readonly format?: string } {
  let max = 0;
  for (const value of values) if (Number.isFinite(value)) max = Math.max(max, Math.abs(value));
  return max >= 1e9 || (max > 0 && max < 1e-4) ? { format: ".3~g" } : {};
}

/** `["3 values are not finite and left out"]`; empty if all are finite. */
export function leftOut(count: number, noun: string): string[] {
  return count === 0 ? [] : [`${counted(count, noun)} ${count === 1 ? "is" : "are"} not finite and left out`];
}

/** `2026-11-25 01:12`; the time of day is left out where it is midnight. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "");
}
