// The part of a page about one point of a sweep: how it ended, its error, its figures, its charts.
import { stripVTControlCharacters } from "node:util";
import { variablesOf } from "../../../lib/records/logbook/fields.ts";
import { fieldText } from "../../../lib/records/logbook/diff.ts";
import { formatBytes, formatTime } from "../../../lib/units.ts";
import { escapeHtml } from "../../../lib/views/html.ts";
import { clipped } from "../../../lib/words.ts";
import { type Fact, factsTable } from "../../../lib/views/facts.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import type { Notebook } from "../notebook/format.ts";
import { pointText } from "../../../lib/records/parameters.ts";
import { cellText } from "../sweep/table.ts";
import { errorParagraph, folded, paragraph } from "./page.ts";
import { storedCharts } from "./stored_charts.ts";
import type { SweptPoint } from "./swept_folder.ts";

/** @param anchor the section's id on the page; `above` is the id of the table that links to it */
export async function pointSection(swept: SweptPoint, anchor: string, above: string): Promise<string> {
  const { number, point, record, notebook } = swept;
  const parts = [
    paragraph(outcomeText(swept)),
    ...(record?.error == null ? [] : [errorParagraph(record.error), ...traceback(notebook)]),
    ...figuresTable(swept),
    ...(notebook === null ? [] : await storedCharts(notebook)),
    `<p class="quiet"><a href="#${above}">All points</a></p>`,
  ];
  // The id is inside: a browser unfolds what a link leads into.
  const body = `<section id="${anchor}">\n${parts.join("\n")}\n</section>`;
  return folded(`${number}. ${pointText(point)}${shortOutcome(swept)}`, [body]);
}

/** `: accuracy 0.928`, what the folded point shows of itself. */
function shortOutcome({ record }: SweptPoint): string {
  if (record === null) return ": has not run";
  const figures = Object.entries(record.results).map(([name, value]) => `${name} ${cellText(value)}`);
  const shown = record.error ?? figures.join(", ");
  return shown === "" ? "" : `: ${clipped(shown, LONGEST_OUTCOME)}`;
}

const LONGEST_OUTCOME = 80;

function outcomeText({ record, notebook }: SweptPoint): string {
  if (record === null) return "Has not run: the command that began the sweep goes on with it.";
  const where = record.node === undefined ? "" : ` on ${record.node}`;
  const how = { ok: "Ran to its end", failed: "Failed", timeout: "Was given up", died: "Lost its kernel" };
  const kept =
    notebook === null ? `its notebook ${record.file} is not in the folder` : `notebook ${record.file}`;
  return `${how[record.status]}${where} in ${formatTime(record.wallSeconds * 1000)}; ${kept}.`;
}

function traceback(notebook: Notebook | null): string[] {
  const outputs = (notebook?.cells ?? []).flatMap((cell) => (cell.cell_type === "code" ? cell.outputs : []));
  const error = outputs.findLast((output) => output.output_type === "error");
  if (error === undefined || error.traceback.length === 0) return [];
  const text = stripVTControlCharacters(error.traceback.join("\n"));
  return [folded("Where", [`<pre>${escapeHtml(text)}</pre>`])];
}

/** What the cells tagged `result` showed, and what the session's last epoch loop measured. */
function figuresTable({ record, run, peakBytes }: SweptPoint): string[] {
  const results = Object.entries(record?.results ?? {}).map(([name, value]): Fact => [name, cellText(value)]);
  const logged = Object.entries(loggedMetrics(run)).map(([name, value]): Fact => [
    `${name} in the last epoch`,
    value,
  ]);
  const steadyMs = run?.fields.steadyEpochMs ?? null;
  const steady: Fact[] =
    steadyMs === null ? [] : [["median epoch, the first one apart", fieldText("steadyEpochMs", steadyMs)]];
  const fallbacks: Fact[] = run?.fields.fallbacks
    ? [["fallbacks to the CPU", String(run.fields.fallbacks)]]
    : [];
  const peak: Fact[] = peakBytes === null ? [] : [["peak memory of tensors", formatBytes(peakBytes)]];
  const facts = [...results, ...logged, ...steady, ...fallbacks, ...peak];
  return facts.length === 0 ? [] : [tableHtml(factsTable("", facts))];
}

/** `{ loss: "0.312" }`: what `lab.log` recorded in the last whole epoch. */
export function loggedMetrics(run: SweptPoint["run"]): Readonly<Record<string, string>> {
  return variablesOf(run?.fields.metrics);
}
