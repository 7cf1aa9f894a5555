// Shows a table of results in a notebook: as HTML in the page's own colours, and as text with the same cells.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../display.ts";
import { COLOR, escapeHtml } from "../../torch/tensor/view/markup.ts";

export interface Column {
  readonly heading: string;
  /** Names are read from the left, numbers from the right. */
  readonly align: "left" | "right";
  /** Sentences: broken into lines, where a name or a number never is. */
  readonly prose?: boolean;
}

export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that stand out, by index: the best batch, the slowest line. */
  readonly marked?: readonly number[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
}

/** Characters of a line of prose in the text of a table. */
const PROSE_WIDTH = 64;

/**
 * Makes columns from headings. A `<` marks a column of names and a `<<` one of sentences: `columns("<device",
 * "finished", "<<next step")`.
 */
export function columns(...headings: readonly string[]): Column[] {
  return headings.map((heading) => {
    if (heading.startsWith("<<")) return { heading: heading.slice(2), align: "left", prose: true };
    return heading.startsWith("<")
      ? { heading: heading.slice(1), align: "left" }
      : { heading, align: "right" };
  });
}

export function tableText({ caption, columns, rows, marked = [], notes = [] }: Table): string {
  // Headings above nothing say nothing.
  if (rows.length === 0) return [caption, ...notes].join("\n");
  const lines = [columns.map(({ heading }) => [heading]), ...rows.map((row) => linesOf(row, columns))];
  const widths = columns.map((_, at) =>
    Math.max(...lines.flatMap((cells) => (cells[at] ?? []).map((line) => line.length))),
  );
  const text = lines.flatMap((cells, row) => {
    const height = Math.max(1, ...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) => {
      const padded = columns.map(({ align }, at) => {
        const part = cells[at]?.[line] ?? "";
        return align === "left" ? part.padEnd(widths[at]!) : part.padStart(widths[at]!);
      });
      return `${line === 0 && marked.includes(row - 1) ? "*" : " "} ${padded.join("  ")}`.trimEnd();
    });
  });
  return [caption, ...text, ...notes].join("\n");
}

function linesOf(row: readonly string[], columns: readonly Column[]): string[][] {
  return columns.map(({ prose }, at) => {
    const lines = (row[at] ?? "").split("\n");
    return prose === true ? lines.flatMap(wrapped) : [lines.join(" ")];
  });
}

/** Words as they come, those of a line that is continued indented: another piece of evidence begins at the margin. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > PROSE_WIDTH) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export function tableHtml({ caption, columns, rows, marked = [], notes = [] }: Table): string {
  const style = ({ align, prose }: Column) =>
    `text-align:${align};vertical-align:top;padding:2px 10px;white-space:${prose === true ? "pre-line;overflow-wrap:anywhere;min-width:9em" : "nowrap"}`;
  const head = columns
    .map(
      (column) =>
        `<th style="${style(column)};font-weight:600;border-bottom:1px solid ${COLOR.line}">${escapeHtml(column.heading)}</th>`,
    )
    .join("");
  const body = rows
    .map((row, at) => {
      const cells = columns.map(
        (column, index) => `<td style="${style(column)}">${escapeHtml(row[index] ?? "")}</td>`,
      );
      return `<tr${marked.includes(at) ? ' style="font-weight:600"' : ""}>${cells.join("")}</tr>`;
    })
    .join("");
  const table =
    rows.length === 0
      ? ""
      : `<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums">` +
        `<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
  // A <caption> would be broken at the width of its table, and sentences would scroll away with a wide one.
  const sentence = (text: string) => `<div style="color:${COLOR.quiet}">${escapeHtml(text)}</div>`;
  return `<div style="color:${COLOR.text};font-size:13px">${sentence(caption)}${table}${notes.map(sentence).join("")}</div>`;
}

function tableBundle(table: Table): MimeBundle {
  return { "text/html": tableHtml(table), "text/plain": tableText(table) };
}

/**
 * Plain data that shows itself as a table, in a notebook and in `console.log`. How is no property that JSON,
 * `Object.keys` or a test would see.
 */
export function shownAs<Data extends object>(data: Data, table: (data: Data) => Table): Data {
  return Object.defineProperties(data, {
    [DISPLAY]: { value: () => tableBundle(table(data)) },
    [inspect.custom]: { value: () => tableText(table(data)) },
  });
}
