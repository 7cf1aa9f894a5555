// Writes columns as a CSV file that `readCsv` reads as the same columns (RFC 4180). Knows nothing of files.
import type { Column } from "./column.ts";
import type { CellValue } from "./kinds.ts";

/** `a,b` -> `"a,b"`; also where spaces or line breaks would be lost. */
function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `2024-05-01` for midnight in UTC. */
function dateText(date: Date): string {
  return date.toISOString().replace("T00:00:00.000Z", "");
}

function fieldText(value: CellValue): string {
  if (value === null || Number.isNaN(value)) return "";
  if (value instanceof Date) return dateText(value);
  return typeof value === "string" ? quoted(value) : String(value);
}

/** A line of names, then one for each row. A missing value is an empty field, as in pandas. */
export function csvText(columns: readonly Column[], rows: number): string {
  const lines = [columns.map(({ name }) => quoted(name)).join(",")];
  const values = columns.map((column) => column.values());
  for (let row = 0; row < rows; row++) lines.push(values.map((of) => fieldText(of[row]!)).join(","));
  // An empty line is none to those who read it, so a missing value of an only column is written.
  return lines.map((line) => `${line === "" ? "NA" : line}\n`).join("");
}
