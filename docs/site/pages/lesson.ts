// Turns a notebook into a page: its text, its cells, and the outputs that were stored when it ran.
import type { Cell, CodeCell } from "../../../kernel/cli/notebook/format.ts";
import { FILES, siteLinks, type SiteLinks } from "./links.ts";
import { fenced, outputMarkdown } from "./outputs.ts";
import { storedCells } from "./stored_notebook.ts";

/** @param source path of the notebook from the repository's root */
export async function lessonMarkdown(source: string, links: SiteLinks): Promise<string> {
  const cells = storedCells(links.root, source);
  const parts: string[] = [];
  for (const cell of cells) parts.push(await cellMarkdown(cell, source, links));
  links.files.add(source);
  const [first = "", ...rest] = parts;
  return [first, opening(source, links.base), ...rest].join("\n\n");
}

/** How a reader gets the notebook itself. */
function opening(source: string, base: string): string {
  return (
    `<p class="note">These are the outputs of one run, stored in <a href="${base}${FILES}${source}" target="_self" download>` +
    `${source}</a>. To run it, type <code>npm start</code> and open it in JupyterLab.</p>`
  );
}

async function cellMarkdown(cell: Cell, source: string, links: SiteLinks): Promise<string> {
  if (cell.cell_type === "code") return codeMarkdown(cell);
  return cell.cell_type === "markdown" ? siteLinks(cell.source, source, links) : fenced(cell.source, "text");
}

async function codeMarkdown({
  source,
  metadata,
  outputs,
  execution_count: count,
}: CodeCell): Promise<string> {
  if (source.trim() === "") return "";
  const shown = await Promise.all(outputs.map(outputMarkdown));
  // Errors name a cell by its number.
  const number = count === null ? "" : ` data-count="${count}"`;
  const cell = [`<div class="cell"${number}>`, fenced(source, "ts"), "</div>"];
  return [...(isHidden(metadata) ? folded(cell) : cell), ...shown].join("\n\n");
}

/** Whether JupyterLab shows the cell without its code, as that of a quiz, which holds the answers. */
function isHidden({ jupyter }: CodeCell["metadata"]): boolean {
  return (jupyter as { readonly source_hidden?: boolean } | undefined)?.source_hidden === true;
}

const folded = (cell: readonly string[]): string[] => [
  "<details><summary>The code of this cell, with the answers</summary>",
  ...cell,
  "</details>",
];
