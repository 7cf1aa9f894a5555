// Makes a table of an array of records, `[{ name: "Ada", age: 36 }, ...]`: its first rows, the columns that a page has room
// for, and all columns to fold out. Runs no code of the records: a getter is named and not called.
import { inspect, types } from "node:util";
import { DISPLAY } from "../display.ts";
import { isPlainObject } from "../plain_object.ts";
import { clipped, counted } from "../words.ts";
import { fittingColumns, ROW_WIDTH } from "./fitting_columns.ts";
import { type Cell, type Column, type Table, textOfCell } from "./table.ts";

export type ShownRecord = Readonly<Record<string, unknown>>;

export interface RecordsOptions {
  /** The line above the table. Default: `1,000 records`. */
  readonly caption?: string;
  /** Number of rows in all, if `records` holds only the first of them. Default: the length of `records`. */
  readonly total?: number;
  /** Names of the columns in their order. Default: the keys, in the order in which they first occur. */
  readonly names?: readonly string[];
  /** Columns of names and sentences: left aligned. Default: those with a value that is no number. */
  readonly left?: ReadonlySet<string>;
  /** Columns that are never left out, as those by which the records are sorted. Default: none. */
  readonly kept?: readonly string[];
}

const MAX_ROWS = 20;
/** How many columns fold out at most: each takes its cells in the notebook's file. */
const MAX_COLUMNS = 100;
/** Characters of the names of columns that are left out. */
const MAX_NAMES_LENGTH = 1000;
const GAP_WIDTH = 2;
const MAX_CELL_LENGTH = 60;
/** To how many characters texts are cut before a column is left out: rather half an id than no accuracy. */
const MIN_TEXT_LENGTH = 16;
/** The number of elements whose class and keys are inspected, so that a long array takes no longer than a short one. */
const MAX_CHECKED = 1000;

/**
 * Whether a value is a list of plain objects with like keys: at least half of the cells that its table would have hold
 * something. An object that shows itself in its own way is none.
 */
export function areRecords(value: unknown): value is readonly ShownRecord[] {
  if (types.isProxy(value) || !Array.isArray(value) || value.length === 0) return false;
  if (DISPLAY in value || inspect.custom in value) return false;
  const checked = value.slice(0, MAX_CHECKED) as unknown[];
  if (!checked.every(isPlain)) return false;
  const shown = checked.slice(0, MAX_ROWS);
  const filled = shown.reduce((sum, record) => sum + Object.keys(record).length, 0);
  return filled > 0 && 2 * filled >= shown.length * keysOf(shown).length;
}

function isPlain(value: unknown): value is ShownRecord {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  return isPlainObject(value) && !(DISPLAY in value) && !(inspect.custom in value);
}

/** In the order in which they first occur. */
function keysOf(records: readonly ShownRecord[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

export function recordsTable(records: readonly ShownRecord[], options: RecordsOptions = {}): Table {
  const shown = records.slice(0, MAX_ROWS);
  const total = options.total ?? records.length;
  const names = options.names ?? keysOf(shown);
  const all = names.map((name) => columnOf(name, shown, options.left));
  const narrow = narrowed(all);
  const places = fittingColumns(
    narrow.map(({ width }) => width),
    (options.kept ?? []).map((name) => names.indexOf(name)).filter((at) => at >= 0),
  );
  const fitting = places.map((at) => (at === null ? DOTS : narrow[at]!));
  const some = shown.length < total ? `, the first ${shown.length}` : "";
  const others = names.filter((_, at) => !places.includes(at));
  const tableOf = (columns: readonly ShownColumn[]) => ({
    columns: columns.map(({ column }) => column),
    rows: shown.map((_, row) => columns.map((column) => (column === DOTS ? QUIET_DOTS : column.cells[row]!))),
    whole: true,
  });
  const caption = `${options.caption ?? counted(total, "record")}${some}`;
  if (others.length === 0 && narrow.every((column, at) => column === all[at]))
    return { caption, ...tableOf(fitting) };
  const foldedOut = all.slice(0, MAX_COLUMNS);
  const which = foldedOut.length < all.length ? `The first ${MAX_COLUMNS} of` : "All";
  const list = clipped(others.map(oneLine).join(", "), MAX_NAMES_LENGTH).replace(/[^…]$/, "$&.");
  return {
    caption,
    ...tableOf(fitting),
    notes: others.length === 0 ? [] : [`${counted(others.length, "more column")}: ${list}`],
    foldedOut: { caption: `${which} ${counted(all.length, "column")}`, ...tableOf(foldedOut) },
  };
}

const QUIET_DOTS: Cell = { quiet: "…" };
/** Stands where columns are left out. */
const DOTS: ShownColumn = { column: { heading: "…", align: "left" }, cells: [], width: 3, isText: false };

interface ShownColumn {
  readonly column: Column;
  readonly cells: readonly Cell[];
  readonly width: number;
  /** Whether its cells may be cut: half a number is another number. */
  readonly isText: boolean;
}

/** The columns, whose texts are cut as far as it takes for all to stand side by side, the longest first. */
function narrowed(all: readonly ShownColumn[]): readonly ShownColumn[] {
  const widthAt = (max: number) =>
    all.reduce((sum, { width, isText }) => sum + (isText ? Math.min(width, max) : width), 0);
  const lengths = Array.from(
    { length: MAX_CELL_LENGTH - MIN_TEXT_LENGTH },
    (_, cut) => MAX_CELL_LENGTH - cut,
  );
  const max = lengths.find((length) => widthAt(length + GAP_WIDTH) <= ROW_WIDTH) ?? MIN_TEXT_LENGTH;
  return all.map((column) => (column.isText && column.width > max + GAP_WIDTH ? cut(column, max) : column));
}

function cut(column: ShownColumn, max: number): ShownColumn {
  const cells = column.cells.map((cell) => (typeof cell === "string" ? clipped(cell, max) : cell));
  const width =
    Math.max(column.column.heading.length, ...cells.map((cell) => textOfCell(cell).length)) + GAP_WIDTH;
  return { ...column, cells, width };
}

function columnOf(
  name: string,
  records: readonly ShownRecord[],
  left: ReadonlySet<string> | undefined,
): ShownColumn {
  const values = records.map((record) => Object.getOwnPropertyDescriptor(record, name));
  const decimals = decimalsOf(values.map((property) => property?.value as unknown));
  const cells = values.map((property) => cellOf(property, decimals));
  const numbers = values.every((property) => property === undefined || isNumeric(property.value));
  const isLeft = left === undefined ? !numbers : left.has(name);
  return {
    column: { heading: oneLine(name), align: isLeft ? "left" : "right" },
    cells,
    width: Math.max(name.length, ...cells.map((cell) => textOfCell(cell).length)) + GAP_WIDTH,
    isText: !numbers,
  };
}

const isNumeric = (value: unknown): boolean =>
  value === null || value === undefined || typeof value === "number" || typeof value === "bigint";

/** Six significant digits of the largest number, so that the points of a column stand below each other. */
const DIGITS = 6;

/** How the numbers of a column are written, so that their points stand below each other. */
interface Decimals {
  /** How many digits follow the point in every cell. */
  readonly digits: number;
  /** Whether each has an exponent, because one is so large or so small that it needs one. */
  readonly isExponential: boolean;
}

/** Null if no number has a fraction. */
function decimalsOf(values: readonly unknown[]): Decimals | null {
  const numbers = values.filter((value): value is number => Number.isFinite(value));
  if (numbers.every(Number.isInteger)) return null;
  if (numbers.some(hasExponent)) {
    const lengths = numbers.map((value) => /\.(\d+)e/.exec(shortExponential(value))?.[1]?.length ?? 0);
    return { digits: Math.max(...lengths), isExponential: true };
  }
  const whole = Math.max(...numbers.map((value) => Math.trunc(Math.abs(value)).toString().length));
  const max = Math.max(1, DIGITS - whole);
  // Number() removes trailing zeros.
  const lengths = numbers.map((value) => String(Number(value.toFixed(max))).split(".")[1]?.length ?? 0);
  return { digits: Math.max(...lengths), isExponential: false };
}

/** Without trailing zeros: `1.5e-7`. */
function shortExponential(value: number): string {
  return Number(value.toPrecision(DIGITS)).toExponential();
}

const hasExponent = (value: number): boolean =>
  value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15);

function cellOf(property: PropertyDescriptor | undefined, decimals: Decimals | null): Cell {
  if (property === undefined) return { quiet: "" };
  if (property.get !== undefined || property.set !== undefined) return { quiet: "[Getter]" };
  const { value } = property as { readonly value: unknown };
  if (decimals !== null && typeof value === "number" && Number.isFinite(value))
    return decimals.isExponential ? value.toExponential(decimals.digits) : value.toFixed(decimals.digits);
  return cellOfValue(value);
}

/** A value in one line. Null, undefined and NaN are shown faintly. */
function cellOfValue(value: unknown): Cell {
  if (value === null || value === undefined || (typeof value === "number" && Number.isNaN(value)))
    return { quiet: String(value) };
  if (typeof value === "string") return oneLine(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" && typeof value !== "function") return oneLine(String(value));
  if (types.isDate(value)) return dateText(value);
  const tensor = tensorText(value);
  return tensor ?? oneLine(inspect(value, { depth: 1, maxArrayLength: 4, breakLength: Infinity }));
}

/** Whole numbers in full; others with six significant digits. */
function numberText(value: number): string {
  if (Number.isInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
  return String(Number(value.toPrecision(DIGITS)));
}

/** `2024-05-01`, with the time if that is not midnight: in UTC, as `JSON.stringify` writes it. */
export function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return "Invalid Date";
  return date
    .toISOString()
    .replace(/T00:00:00\.000Z$/, "")
    .replace(/\.000Z$/, "Z");
}

/** `Tensor [2, 3] float32`, because the text of a tensor would be its values, over several lines. */
function tensorText(value: object): string | null {
  const prototype: unknown = types.isProxy(value) ? null : Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null || !Object.hasOwn(prototype, "requiresGrad"))
    return null;
  if (!Object.hasOwn(prototype, "isDisposed")) return null;
  const tensor = value as { isDisposed: boolean; shape: readonly number[]; dtype: string };
  return tensor.isDisposed ? "Tensor, disposed" : `Tensor [${tensor.shape.join(", ")}] ${tensor.dtype}`;
}

function oneLine(text: string): string {
  return clipped(text.replaceAll(/\s*[\n\r]\s*/g, " "), MAX_CELL_LENGTH);
}
