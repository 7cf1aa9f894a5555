// The kinds of columns, and which texts of a CSV file are values of each.
import type { DateReader } from "./date_format.ts";

/** Dates are of UTC where the file names no time zone. */
export type ColumnKind = "number" | "boolean" | "date" | "string";

export const COLUMN_KINDS: readonly ColumnKind[] = ["number", "boolean", "date", "string"];

/** A value of a column. A missing number is NaN, so that it may be computed with; any other missing value is null. */
export interface ValueOfKind {
  readonly number: number;
  readonly boolean: boolean | null;
  readonly date: Date | null;
  readonly string: string | null;
}

export type CellValue = number | boolean | Date | string | null;

/** pandas' list, and the empty text. */
export const MISSING_TEXTS: readonly string[] =
  "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split(
    "|",
  );

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
const INFINITE = /^\s*([+-]?)inf(?:inity)?\s*$/i;
/** A code, and no number: the postal code 02134, the card 4111111111111111. */
const LEADING_ZERO = /^\s*[+-]?0\d/;
const INTEGER = /^\s*[+-]?\d+\s*$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** How a file writes its numbers and dates. */
export interface Writing {
  readonly decimal?: string | undefined;
  readonly thousands?: string | undefined;
  readonly dateFormat?: DateReader | undefined;
}

/** Reads texts as numbers: a boolean is 1 or 0, a date its milliseconds since 1970. Undefined for one that is none. */
export class TextReaders {
  readonly writing: Writing;

  constructor(writing: Writing) {
    this.writing = writing;
  }

  /** Whether the caller says how dates are written. */
  get readsDates(): boolean {
    return this.writing.dateFormat !== undefined;
  }

  read(kind: Exclude<ColumnKind, "string">, text: string): number | undefined {
    return this[kind](text);
  }

  number(text: string): number | undefined {
    return readNumber(this.#plain(text));
  }

  boolean(text: string): number | undefined {
    const word = text.trim().toLowerCase();
    return word === "true" ? 1 : word === "false" ? 0 : undefined;
  }

  date(text: string): number | undefined {
    const day = text.trim();
    return this.writing.dateFormat?.(day) ?? isoDate(day);
  }

  /** The kind that a value of a file suggests, for all of its column. */
  kindOf(text: string): ColumnKind {
    if (this.isPlainNumber(text)) return "number";
    if (this.boolean(text) !== undefined) return "boolean";
    return this.date(text) !== undefined ? "date" : "string";
  }

  /** Whether nothing of the text is lost if it is read as a number. */
  isPlainNumber(text: string): boolean {
    const form = this.formOf(text);
    return form === "integer" || form === "fraction";
  }

  /** A `code` has a leading zero; a `wide` number more digits than a number holds. Null for what is no number. */
  formOf(text: string): "integer" | "fraction" | "wide" | "code" | null {
    const plain = this.#plain(text);
    const value = readNumber(plain);
    if (value === undefined) return null;
    if (LEADING_ZERO.test(text)) return "code";
    if (!INTEGER.test(plain)) return "fraction";
    return Number.isSafeInteger(value) ? "integer" : "wide";
  }

  /** The number as JavaScript writes it. A sign that is not the file's own makes no number. */
  #plain(text: string): string {
    const { decimal = ".", thousands } = this.writing;
    if (decimal === "." && thousands === undefined) return text;
    const [whole = "", ...rest] = text.split(decimal);
    if (rest.length > 1 || (decimal !== "." && thousands !== "." && text.includes("."))) return "none";
    if (thousands === undefined) return [whole, ...rest].join(".");
    if (whole.includes(thousands) && !GROUPED.test(whole.replaceAll(thousands, " ").trim())) return "none";
    return [whole.replaceAll(thousands, ""), ...rest].join(".");
  }
}

/** `-1 200 000`, its thousands divided by spaces. */
const GROUPED = /^[+-]?\d{1,3}(?: \d{3})+$/;

function readNumber(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  return infinite === null ? undefined : infinite[1] === "-" ? -Infinity : Infinity;
}

function isoDate(day: string): number | undefined {
  const match = DATE.exec(day);
  if (match === null) return undefined;
  const withTime = day.length > 10 ? day.replace(" ", "T") : `${day}T00:00`;
  const time = Date.parse(match[1] === undefined ? `${withTime}Z` : withTime);
  return Number.isNaN(time) || !isOfCalendar(day) ? undefined : time;
}

/** JavaScript reads 2024-02-31 as the 2nd of March. */
function isOfCalendar(day: string): boolean {
  const date = Number(day.slice(8, 10));
  return date <= 28 || date <= new Date(Date.UTC(+day.slice(0, 4), +day.slice(5, 7), 0)).getUTCDate();
}
