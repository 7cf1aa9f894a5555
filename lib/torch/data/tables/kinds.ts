// The kinds of columns, and which texts of a CSV file are values of each.

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

/** How a text is read as a number: a boolean is 1 or 0, a date its milliseconds since 1970. Undefined if it is none. */
export const READERS: Readonly<Record<Exclude<ColumnKind, "string">, (text: string) => number | undefined>> =
  {
    number: readNumber,
    boolean(text) {
      const word = text.trim().toLowerCase();
      return word === "true" ? 1 : word === "false" ? 0 : undefined;
    },
    date(text) {
      const day = text.trim();
      const match = DATE.exec(day);
      if (match === null) return undefined;
      const withTime = day.length > 10 ? day.replace(" ", "T") : `${day}T00:00`;
      const time = Date.parse(match[1] === undefined ? `${withTime}Z` : withTime);
      return Number.isNaN(time) || !isOfCalendar(day) ? undefined : time;
    },
  };

function readNumber(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  return infinite === null ? undefined : infinite[1] === "-" ? -Infinity : Infinity;
}

/** JavaScript reads 2024-02-31 as the 2nd of March. */
function isOfCalendar(day: string): boolean {
  const date = Number(day.slice(8, 10));
  return date <= 28 || date <= new Date(Date.UTC(+day.slice(0, 4), +day.slice(5, 7), 0)).getUTCDate();
}

/** The kind that a value of a file suggests, for all of its column. */
export function kindOfText(text: string): ColumnKind {
  if (isPlainNumber(text)) return "number";
  if (READERS.boolean(text) !== undefined) return "boolean";
  return READERS.date(text) !== undefined ? "date" : "string";
}

/** Whether nothing of the text is lost if it is read as a number: no leading zero, no digit that a number cannot hold. */
export function isPlainNumber(text: string): boolean {
  const value = readNumber(text);
  if (value === undefined || LEADING_ZERO.test(text)) return false;
  return Number.isSafeInteger(value) || !INTEGER.test(text);
}
