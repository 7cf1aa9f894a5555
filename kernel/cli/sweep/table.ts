// The table of a sweep, in Markdown and as CSV: a row for each point, with its parameters, its outcome and its results.
import { sixDigits } from "../six_digits.ts";
import { canonicalText, type Point, valueText } from "../../../lib/records/parameters.ts";
import type { PointRecord } from "./journal.ts";
import { clipped } from "../../../lib/words.ts";

const LONGEST_CELL = 60;

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Makes the table of the recorded points, in the grid's order. It has a column of errors only if there are errors. */
export function tableOf(points: readonly Point[], records: readonly PointRecord[]): Table {
  const byPoint = new Map(records.map((record) => [canonicalText(record.point), record]));
  const found = points.flatMap((point) => byPoint.get(canonicalText(point)) ?? []);
  const names = Object.keys(points[0] ?? {});
  const results = [...new Set(found.flatMap((record) => Object.keys(record.results)))];
  const isFailed = found.some(({ error }) => error !== null);
  const rows = found.map((record) => [
    ...names.map((name) => cellText(record.point[name])),
    record.status,
    record.wallSeconds.toFixed(1),
    ...results.map((name) => cellText(record.results[name] ?? "")),
    ...(isFailed ? [record.error ?? ""] : []),
  ]);
  return { header: [...names, "status", "wall s", ...results, ...(isFailed ? ["error"] : [])], rows };
}

/** Prints 0.1 + 0.2 as 0.3. The journal has the digits after the sixth. */
export function cellText(value: unknown): string {
  const isFraction = typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value);
  return isFraction ? sixDigits(value) : valueText(value);
}

export function markdown({ header, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = header.map((_, at) => (rows.every((row) => isNumberOrEmpty(row[at] ?? "")) ? "---:" : "---"));
  // A bar or a line break would end the table's cell.
  const shown = rows.map((row) =>
    row.map((cell) => clipped(cell.trim().split(/\s+/).join(" "), LONGEST_CELL).replaceAll("|", "\\|")),
  );
  return [header, rule, ...shown].map(line).join("");
}

export function commaSeparated({ header, rows }: Table): string {
  const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return [header, ...rows].map((cells) => `${cells.map(quoted).join(",")}\n`).join("");
}

function isNumberOrEmpty(text: string): boolean {
  return !Number.isNaN(Number(text));
}
