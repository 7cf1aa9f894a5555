// Writes a table as HTML that is never wider than its page: a row that does not fit goes on in a second line, every row
// at the same column.
//
// Rows are flex boxes whose cells have fixed widths, so that the page's width alone decides where they break, without
// a style sheet. A row of six columns, on a narrow page:
//
//     batch   samples/s   spread
//      step        host     peak
//         4       1,234     ±2%
//      3 ms        1 ms   12 MiB
import { COLOR, escapeHtml } from "./html.ts";
import { behindPoints, type Column, type Table, textOfCell } from "./table.ts";

/** Longer names are broken into lines. */
const MAX_NAME_WIDTH = 32;
/** A heading of several short words is broken into lines of this length. */
const HEADING_WIDTH = 7;
/** A column of sentences takes the width that the other columns leave, and at least this many characters. */
const PROSE_WIDTH = 20;
/**
 * The width of a digit. The unit `ch` would depend on each cell's own font: the bold cells of headings and marked rows
 * would not align with their columns, and their rows would break elsewhere.
 */
const CHARACTER_EM = 0.62;
/** Bold text and capitals are wider than digits. */
const SPARE_CHARACTERS = 1;
/** Spaces as wide as a point and a digit. */
const [POINT_SPACE, DIGIT_SPACE] = ["\u2008", "\u2007"];
/** A table with more rows than this stands in a box that scrolls. */
const MAX_ROWS_IN_SIGHT = 20;
const BOX_HEIGHT = "28em";

export function tableHtml(table: Table): string {
  const { caption, rows, notes = [], program } = table;
  // A <caption> would be broken at the width of its table, and sentences in the box would scroll away with a long
  // table.
  const sentence = (text: string) => `<div style="color:${COLOR.quiet}">${escapeHtml(text)}</div>`;
  const sentences = [...(caption === "" ? [] : [caption])].map(sentence).join("");
  const { foldedOut } = table;
  const folded = foldedOut === undefined ? "" : foldedOutHtml(foldedOut);
  return `<div style="color:${COLOR.text};font-size:13px">${sentences}${rows.length === 0 ? "" : boxed(table)}${folded}${notes.map(sentence).join("")}${program === undefined ? "" : programHtml(program)}</div>`;
}

/** All columns side by side, in a box that scrolls. */
function foldedOutHtml(table: Table): string {
  const { caption } = table;
  return `<details><summary style="color:${COLOR.quiet}">${escapeHtml(caption)}</summary><div role="region" tabindex="0" aria-label="${escapeHtml(caption)}" style="overflow-x:auto">${gridOf(table, "nowrap")}</div></details>`;
}

/** The block is as wide as the page; a longer line scrolls. */
function programHtml(program: string): string {
  return `<pre style="overflow-x:auto;margin:8px 0 0">${escapeHtml(program)}</pre>`;
}

function boxed(table: Table): string {
  const html = gridOf(table);
  if (table.rows.length <= MAX_ROWS_IN_SIGHT) return html;
  // The box can be focused, so that the keyboard can scroll it.
  return `<div role="region" tabindex="0" aria-label="${escapeHtml(table.caption)}" style="max-height:${BOX_HEIGHT};overflow-y:auto">${html}</div>`;
}

function gridOf({ columns, rows, marked = [] }: Table, wrap: "wrap" | "nowrap" = "wrap"): string {
  const texts = columns.map((_, at) => rows.map((row) => textOfCell(row[at])));
  const spaces = columns.map((column, at) => spacesBehind(column, texts[at]!));
  const widths = columns.map((column, at) =>
    widthOf(
      column,
      texts[at]!.map((text, index) => text + spaces[at]![index]!),
    ),
  );
  const styles = columns.map((column, at) => styleOf(column, widths[at]!));
  const row = (cells: string, style: string) =>
    `<tr role="row" style="display:flex;flex-wrap:${wrap};${style}">${cells}</tr>`;
  const head = columns
    .map(
      ({ heading }, at) =>
        `<th role="columnheader" style="${styles[at]};white-space:normal;overflow-wrap:${headingWrap(heading, widths[at]!)};font-weight:600">${escapeHtml(heading)}</th>`,
    )
    .join("");
  const body = rows.map((cells, index) => {
    const html = columns.map((_, at) => {
      const cell = cells[at] ?? "";
      const faint = typeof cell !== "string" && "quiet" in cell ? `;color:${COLOR.quiet}` : "";
      const text = escapeHtml(texts[at]![index]!);
      const linked =
        typeof cell !== "string" && "link" in cell ? `<a href="${escapeHtml(cell.link)}">${text}</a>` : text;
      return `<td role="cell" style="${styles[at]}${faint}">${linked}${spaces[at]![index]!}</td>`;
    });
    return row(html.join(""), marked.includes(index) ? "font-weight:600" : "");
  });
  return (
    `<table role="table" style="display:block;width:${columns.some(({ prose }) => prose === true) ? "100%" : "fit-content"};max-width:100%;margin:0;border:0;font-variant-numeric:tabular-nums">` +
    (columns.some(({ heading }) => heading !== "")
      ? `<thead style="display:block">${row(head, `align-items:flex-end;border-bottom:1px solid ${COLOR.line}`)}</thead>`
      : "") +
    `<tbody style="display:block">${body.join("")}</tbody></table>`
  );
}

/** The spaces behind the point of each cell. */
function spacesBehind(column: Column, cells: readonly string[]): string[] {
  return behindPoints(column, cells).map(
    ({ point, digits }) => POINT_SPACE.repeat(point) + DIGIT_SPACE.repeat(digits),
  );
}

/** In characters. A heading is broken between its words, and never within one. */
function widthOf({ heading, align, prose }: Column, cells: readonly string[]): number {
  if (prose === true) return PROSE_WIDTH;
  const longest = Math.max(...cells.map((text) => text.length));
  const words = Math.max(
    ...heading.split(/\s+/).map((word) => word.length),
    Math.min(heading.length, HEADING_WIDTH),
  );
  const width = Math.max(align === "left" ? Math.min(longest, MAX_NAME_WIDTH) : longest, words);
  return align === "left" ? Math.min(width, MAX_NAME_WIDTH) : width;
}

/** Bold words that are a little wider than their column reach into its padding; only one that cannot fit is broken. */
function headingWrap(heading: string, width: number): "normal" | "anywhere" {
  return heading.split(/\s+/).some((word) => word.length > width) ? "anywhere" : "normal";
}

function styleOf({ align, prose }: Column, width: number): string {
  const grow = prose === true ? 1 : 0;
  const breaks =
    prose === true
      ? "white-space:pre-line;overflow-wrap:anywhere"
      : align === "left"
        ? "overflow-wrap:anywhere"
        : "white-space:nowrap";
  const ems = Number(((width + SPARE_CHARACTERS) * CHARACTER_EM).toFixed(2));
  return `flex:${grow} 0 ${ems}em;max-width:100%;text-align:${align};padding:2px 6px;${breaks}`;
}
