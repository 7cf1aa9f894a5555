// Words of the plots' sentences: numbers, counts, times, lists.
import { shortNumber } from "../../torch/tensor/view/markup.ts";

/** Three digits are what one reads off a chart: `0.306`, `12.3`, `1,235`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString("en-US");
  if (size >= 100 && size < 1e9) return Math.round(value).toLocaleString("en-US");
  return shortNumber(Number(value.toPrecision(3)));
}

/** 1234 -> `1,234` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 value`, `1,234 values` */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2026-11-25 01:12`; a time of day is left out where there is none. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "");
}

/** `a`, `a and b`, `a, b and c` */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
