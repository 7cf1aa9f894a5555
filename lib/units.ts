// Formats byte counts and times as text, and chooses one unit for a whole axis.

export interface Unit {
  readonly name: string;
  /** How many bytes, or milliseconds, one unit has. */
  readonly size: number;
}

const KIB = 1024;
const BYTE_UNITS: readonly Unit[] = [
  { name: "B", size: 1 },
  { name: "KiB", size: KIB },
  { name: "MiB", size: KIB ** 2 },
  { name: "GiB", size: KIB ** 3 },
  { name: "TiB", size: KIB ** 4 },
];
const MILLISECOND: Unit = { name: "ms", size: 1 };
const TIME_UNITS: readonly Unit[] = [
  { name: "ns", size: 1e-6 },
  { name: "µs", size: 1e-3 },
  MILLISECOND,
  { name: "s", size: 1e3 },
];
const MINUTE_MS = 60_000;

/** The largest unit of which the value has at least one. */
export function byteUnit(bytes: number): Unit {
  return fitting(BYTE_UNITS, Math.abs(bytes));
}

export function timeUnit(milliseconds: number): Unit {
  return fitting(TIME_UNITS, Math.abs(milliseconds));
}

/** 13107200 -> `12.5 MiB` */
export function formatBytes(bytes: number): string {
  const unit = byteUnit(bytes);
  return `${significant(bytes / unit.size)} ${unit.name}`;
}

/** 0.25 -> `250 µs`, 182.4 -> `182 ms`, 3725000 -> `62 min 5 s` */
export function formatTime(milliseconds: number): string {
  if (milliseconds >= 10 * MINUTE_MS) {
    const seconds = Math.round(milliseconds / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  const unit = milliseconds === 0 ? MILLISECOND : timeUnit(milliseconds);
  return `${significant(milliseconds / unit.size)} ${unit.name}`;
}

/** 0.034 -> `3%`, 0.004 -> `0.4%`: a small share is not nothing. */
export function formatShare(ratio: number): string {
  const percent = ratio * 100;
  return percent > 0 && percent < 0.05 ? "under 0.1%" : `${Number(percent.toFixed(percent < 1 ? 1 : 0))}%`;
}

/** 0.031 -> `+3.1%` */
export function formatChange(ratio: number): string {
  if (!Number.isFinite(ratio)) return "from nothing";
  const percent = ratio * 100;
  const text = significant(Math.abs(percent));
  return text === "0" ? "0%" : `${percent < 0 ? "-" : "+"}${text}%`;
}

/** Three digits at most, none after the point that are zero: 12.5, 182, 0.03, 1234. */
function significant(value: number): string {
  const magnitude = Math.abs(value);
  const digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

function fitting(units: readonly Unit[], value: number): Unit {
  return units.findLast((unit) => value >= unit.size) ?? (units[0] as Unit);
}

/** Three digits, as many as a reader takes from a chart: `0.306`, `12.3`, `1,235`, `3e-7`. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString("en-US");
  if (size >= 100 && size < 1e9) return Math.round(value).toLocaleString("en-US");
  const short = Number(value.toPrecision(3));
  return size >= 1e-4 && size < 1e9 ? String(short) : short.toExponential().replace("e+", "e");
}
