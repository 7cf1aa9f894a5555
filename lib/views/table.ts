// Declares a table of results, and writes it as text. `table_html.ts` writes the same cells for a page.
import { visible, visibleLine } from "../visible.ts";

export interface Column {
  readonly heading: string;
  /** Names are read from the left, numbers from the right. */
  readonly align: "left" | "right";
  /** Sentences are broken into lines; names and numbers never are. */
  readonly prose?: boolean;
  /** Whether the decimal points of its numbers, which have different numbers of digits, stand below each other. */
  readonly points?: boolean;
}

/**
 * Text; or text that is shown faintly because it stands for no value, `{ quiet: "null" }`; or one that leads to a place of
 * its page, `{ text: "3", link: "#point-3" }`.
 */
export type Cell =
  | string
  | { readonly quiet: string }
  | { readonly text: string; readonly link: `#${string}` };

export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The indices of rows that are marked: the best batch, the slowest line. */
  readonly marked?: readonly number[];
  /** Whether columns stay that are empty or zero in every row, because these are values too. */
  readonly whole?: boolean;
  /** Sentences below the table. */
  readonly notes?: readonly string[];
  /** The same rows with all columns, where some are left out: a page folds them out, a text does not have them. */
  readonly foldedOut?: Table;
  /** A program below the sentences. */
  readonly program?: string;
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

/** The same, where the decimal points of numbers stand below each other. */
export function pointedColumns(...headings: readonly string[]): Column[] {
  return columns(...headings).map((column) =>
    column.align === "left" ? column : { ...column, points: true },
  );
}

export function textOfCell(cell: Cell | undefined): string {
  if (cell === undefined) return "";
  if (typeof cell === "string") return visible(cell);
  return visible("quiet" in cell ? cell.quiet : cell.text);
}

export function tableText({
  caption,
  columns,
  rows,
  marked = [],
  notes: sentences = [],
  program,
}: Table): string {
  const notes = program === undefined ? sentences : [...sentences, "", program];
  // Empty headings are left out.
  if (rows.length === 0) return visible([caption, ...notes].join("\n"));
  const headings = columns.some(({ heading }) => heading !== "")
    ? [columns.map(({ heading }) => [visibleLine(heading)])]
    : [];
  const texts = columns.map((_, at) => rows.map((row) => textOfCell(row[at])));
  const behind = columns.map((column, at) => behindPoints(column, texts[at]!));
  const aligned = rows.map((_, index) =>
    columns.map((_column, at): Cell => {
      const { point, digits } = behind[at]![index]!;
      return texts[at]![index]! + " ".repeat(point + digits);
    }),
  );
  const lines = [...headings, ...aligned.map((row) => linesOf(row, columns))];
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
      return `${line === 0 && marked.includes(row - headings.length) ? "*" : " "} ${padded.join("  ")}`.trimEnd();
    });
  });
  return visible([...(caption === "" ? [] : [caption]), ...text, ...notes].join("\n"));
}

/** Characters that a number lacks behind its point: `{ point: 1, digits: 3 }` for 12 above 0.125. */
interface BehindPoint {
  readonly point: number;
  readonly digits: number;
}

const NUMBER = /^[+-]?[\d,]+(?:\.(\d+))?$/;

/** What each cell of a column lacks; nothing in a column that aligns no points, and for text. */
export function behindPoints({ points }: Column, cells: readonly string[]): BehindPoint[] {
  const numbers = cells.map((cell) => (points === true ? NUMBER.exec(cell) : null));
  const digitsOf = (number: RegExpExecArray | null) => number?.[1]?.length ?? 0;
  const most = Math.max(0, ...numbers.map(digitsOf));
  return numbers.map((number) => {
    if (number === null) return { point: 0, digits: 0 };
    const own = digitsOf(number);
    return { point: most > 0 && own === 0 ? 1 : 0, digits: most - own };
  });
}

function linesOf(row: readonly Cell[], columns: readonly Column[]): string[][] {
  return columns.map(({ prose }, at) => {
    const lines = textOfCell(row[at]).split("\n");
    return prose === true ? lines.flatMap((line) => wrapped(line, PROSE_WIDTH)) : [lines.join(" ")];
  });
}

/**
 * Breaks text into lines between words. Continued lines are indented, because another piece of evidence begins at the
 * margin.
 */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
