// A table of results as a notebook shows it: HTML in the page's own colours, and the same cells as text. Knows no results.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../display.ts";
import { COLOR, escapeHtml } from "../torch/view/markup.ts";

export interface Column {
  readonly heading: string;
  /** Names are read from the left, numbers from the right. */
  readonly align: "left" | "right";
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

/** `["device", "finished"]` with a `<` before the names: `columns("<device", "finished")`. */
export function columns(...headings: readonly string[]): Column[] {
  return headings.map((heading) =>
    heading.startsWith("<") ? { heading: heading.slice(1), align: "left" } : { heading, align: "right" },
  );
}

export function tableText({ caption, columns, rows, marked = [], notes = [] }: Table): string {
  const lines = [columns.map(({ heading }) => heading), ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  const text = lines.map((line, row) => {
    const cells = columns.map(({ align }, at) => {
      const cell = line[at] ?? "";
      return align === "left" ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!);
    });
    return `${marked.includes(row - 1) ? "*" : " "} ${cells.join("  ")}`.trimEnd();
  });
  return [caption, ...text, ...notes].join("\n");
}

export function tableHtml({ caption, columns, rows, marked = [], notes = [] }: Table): string {
  const style = (align: string) => `text-align:${align};padding:2px 10px;white-space:nowrap`;
  const head = columns
    .map(
      ({ heading, align }) =>
        `<th style="${style(align)};font-weight:600;border-bottom:1px solid ${COLOR.line}">${escapeHtml(heading)}</th>`,
    )
    .join("");
  const body = rows
    .map((row, at) => {
      const cells = columns.map(
        ({ align }, column) => `<td style="${style(align)}">${escapeHtml(row[column] ?? "")}</td>`,
      );
      return `<tr${marked.includes(at) ? ' style="font-weight:600"' : ""}>${cells.join("")}</tr>`;
    })
    .join("");
  const below = notes.map((note) => `<div style="color:${COLOR.quiet}">${escapeHtml(note)}</div>`).join("");
  return (
    `<div style="color:${COLOR.text};font-size:13px;overflow-x:auto"><table style="border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums">` +
    `<caption style="caption-side:top;text-align:left;color:${COLOR.quiet};padding:0 0 4px">${escapeHtml(caption)}</caption>` +
    `<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>${below}</div>`
  );
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
